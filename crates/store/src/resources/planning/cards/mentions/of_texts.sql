-- The users whom texts $5 of card $1 mention and who can be assigned to cards of its project $2: the first $4. A text
-- that still is as it is here mentions whom it was noted to mention; another one those whom its handles name today. A
-- reader $3 without a role on the project sees nobody.
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
),
texts as (
    select
        t.comment_id, t.handles,
        t.body = coalesce(
            (select c.body from card_comments c where c.id = t.comment_id and c.card_id = $1),
            (select c.description from cards c where c.id = $1 and t.comment_id is null),
            ''
        ) as is_unchanged
    from jsonb_to_recordset($5::jsonb) as t (comment_id uuid, body text, handles text[])
),
mentioned as (
    select c.user_id
    from texts t
    join card_mentions c on c.card_id = $1 and c.comment_id is not distinct from t.comment_id
    where t.is_unchanged
    union
    select o.id
    from texts t
    join owners o on o.slug = any(t.handles)
    where not t.is_unchanged
)
select u.id, o.slug as handle
from users u
join owners o on o.id = u.id
where u.id in (select user_id from mentioned)
  and u.id in (select user_id from roles)
  and u.disabled_at is null
  and exists (select from roles where user_id = $3)
order by o.slug
limit $4
