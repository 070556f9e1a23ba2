-- The pictures of those of the users $2 whom user $1 knows: the user itself, and members of an organization in which it
-- is no guest.
select p.user_id, p.sha256
from user_pictures p
where p.user_id = any($2)
  and (
      p.user_id = $1
      or exists (
          select
          from organization_members theirs
          join organization_members own on own.organization_id = theirs.organization_id
          where theirs.user_id = p.user_id and own.user_id = $1 and own.role <> 'guest'
      )
  )
order by p.user_id
