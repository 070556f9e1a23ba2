-- Makers of service accounts and of their keys: a maker may have kept a key.

alter table service_accounts add column created_by uuid;
comment on column service_accounts.created_by is 'The member who made it; null: it is older than this column.';

alter table api_keys add column created_by uuid;
comment on column api_keys.created_by is
    'The member who made the key of a service account; null: its own user, an operator, or it is older than this column.';
