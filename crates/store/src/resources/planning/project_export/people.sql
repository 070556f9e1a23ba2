-- The people whom the cards of project $1 name, by name. Addresses are those that the caller $2 sees: the own one, and
-- those of the people in organization $3.
with named as (
    select c.created_by as user_id from cards c where c.project_id = $1
    union
    select a.user_id from card_assignees a join cards c on c.id = a.card_id where c.project_id = $1
    union
    select m.author_id from card_comments m join cards c on c.id = m.card_id where c.project_id = $1
    union
    select f.author_id from card_attachments f where f.project_id = $1
    union
    select v.text::uuid
    from custom_fields d
    join card_field_values v on v.field_id = d.id
    where d.project_id = $1 and d.type = 'user'
)
select
    u.id, u.display_name,
    case
        when u.id = $2 or (m.user_id is not null and s.user_id is null and u.disabled_at is null) then u.email
    end as email
from named n
join users u on u.id = n.user_id
left join organization_members m on m.organization_id = $3 and m.user_id = u.id
left join service_accounts s on s.user_id = u.id
order by u.display_name, u.id
