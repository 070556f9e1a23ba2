-- Deployment: secrets that all processes of a deployment share and nobody sets.
create table deployment_secrets (
    name text primary key,
    secret bytea not null,
    constraint deployment_secrets_length check (octet_length(secret) = 32)
);
comment on table deployment_secrets is
    'Keys that the processes of the deployment share: `messages` seals what one tells another over Redis. The first '
    'process makes them. Rows: one for each key.';
comment on column deployment_secrets.secret is '32 random bytes.';
comment on constraint deployment_secrets_length on deployment_secrets is 'The length of the keys.';
