-- The teams of user $1's organizations, and those with cards on their boards that are assigned to it.
select t.id
from teams t
join organization_members m on m.organization_id = t.organization_id
where m.user_id = $1
union
select p.team_id
from card_assignees a
join team_cards p on p.card_id = a.card_id
where a.user_id = $1
