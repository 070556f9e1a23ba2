alter table session_messages drop column model_content;
