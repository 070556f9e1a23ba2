-- What is sealed can't be stored open again: those servers get no headers until they are described anew.
alter table mcp_servers
    drop column sealed_headers,
    drop column header_names;
