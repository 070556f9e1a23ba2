-- The bytes of a picture with the SHA-256 $2, if somebody has it whom user $1 knows.
select p.bytes
from user_pictures p
where p.sha256 = $2
  and (
      p.user_id = $1
      or exists (
          select
          from organization_members theirs
          join organization_members own on own.organization_id = theirs.organization_id
          where theirs.user_id = p.user_id and own.user_id = $1 and own.role <> 'guest'
      )
  )
limit 1
