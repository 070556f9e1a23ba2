-- Notes of import $1 from number $2 on.
insert into import_notes (import_id, position, note)
select $1, $2 - 1 + notes.position, notes.note
from unnest($3::jsonb[]) with ordinality as notes (note, position)
