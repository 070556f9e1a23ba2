update projects p
set folded_name = n.folded_name
from unnest($1::uuid[], $2::text[]) as n (id, folded_name)
where p.id = n.id and p.folded_name is distinct from n.folded_name
