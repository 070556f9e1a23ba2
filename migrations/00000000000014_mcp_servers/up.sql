-- MCP servers whose tools the sessions of a project can use.

create table mcp_servers (
    project_id uuid not null references projects (id) on delete cascade,
    -- Also the name of the toolbox that its tools are in.
    name text not null check (name ~ '^[a-z][a-z0-9-]{0,23}$'),
    url text not null check (length(url) <= 2000),
    -- Sent with each request, by name. Secret: no operation answers the values.
    headers jsonb not null check (jsonb_typeof(headers) = 'object'),
    -- New whenever it is described anew: what was learnt of it before is out of date.
    revision uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (project_id, name)
);
