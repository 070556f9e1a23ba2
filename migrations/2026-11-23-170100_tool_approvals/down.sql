alter table sessions drop column auto_approved;
drop table tool_approvals;
