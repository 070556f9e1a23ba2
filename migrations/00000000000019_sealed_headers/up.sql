-- The headers of MCP servers, sealed with the deployment's key. `headers` holds those alone that were stored before, until
-- the service seals them, too; it is `{}` then.

alter table mcp_servers
    add column sealed_headers bytea,
    -- What is shown of them.
    add column header_names text[] not null default '{}';
