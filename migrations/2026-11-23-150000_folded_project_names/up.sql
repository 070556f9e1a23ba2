-- Project names without case, so that projects are found as cards are. Empty for rows of the service before, which are
-- found by their name in lower case.
alter table projects add column folded_name text;
comment on column projects.folded_name is
    'The name without case, as domain::search folds it. Unset until the project is renamed, where an older service made it.';
