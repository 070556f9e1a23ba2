drop table ended_browser_tokens;
alter table users drop column signed_out_at;
