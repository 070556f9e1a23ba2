drop table mcp_servers;
