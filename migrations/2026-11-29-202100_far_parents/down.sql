create or replace function history_other_project(changes jsonb) returns uuid language sql immutable parallel safe as $$
    select coalesce(changes #>> '{relation,after,project_id}', changes #>> '{relation,before,project_id}')::uuid
$$;
drop table far_parents;
