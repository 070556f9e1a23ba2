  -- A hashed subquery: `any` of a parameter compares each card with all projects. `is true` prevents a join.
  and (i.project_id in (select unnest($1::uuid[]))) is true
  and $2 <> all(i.team_ids)
