  -- Looked up in a hash: `any` of a parameter goes through all projects for each card. `is true` keeps it from becoming a join.
  and (i.project_id in (select unnest($1::uuid[]))) is true
  and $2 <> all(i.team_ids)
