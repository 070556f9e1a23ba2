-- The users whom the texts of card $1 mention and who can be assigned to cards of its project $2: the first $4. A reader
-- $3 without a role on the project sees nobody.
with roles as (
    select p.owner_id as user_id
    from projects p
    where p.id = $2
    union
    select m.user_id
    from project_members m
    where m.project_id = $2
    union
    select m.user_id
    from projects p
    join organization_members m on m.organization_id = p.owner_id
    where p.id = $2
      and (m.role in ('admin', 'owner') or (m.role = 'member' and p.visibility <> 'private'))
)
select u.id, o.slug as handle
from users u
join owners o on o.id = u.id
where u.id in (select c.user_id from card_mentions c where c.card_id = $1)
  and u.id in (select user_id from roles)
  and u.disabled_at is null
  and exists (select from roles where user_id = $3)
order by o.slug
limit $4
