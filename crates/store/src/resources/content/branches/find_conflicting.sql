select name
from branches
where project_id = $1
  and (name = $2 or starts_with(name, $2 || '/') or starts_with($2, name || '/'))
limit 1
