-- Notes whom texts $2 on cards of project $1 mention, at time $3, in the place of those whom they mentioned before.
-- Users who can't be assigned to the cards are nobody.
with written as (
    select * from jsonb_to_recordset($2::jsonb) as t (card_id uuid, comment_id uuid, handles text[])
),
mentioned as (
    select w.card_id, w.comment_id, u.id as user_id
    from written w
    join owners o on o.slug = any(w.handles)
    join users u on u.id = o.id
    join projects p on p.id = $1
    where u.disabled_at is null
      and (
          p.owner_id = u.id
          or exists (select from project_members m where m.project_id = p.id and m.user_id = u.id)
          or exists (
              select
              from organization_members m
              where m.organization_id = p.owner_id
                and m.user_id = u.id
                and (m.role in ('admin', 'owner') or (m.role = 'member' and p.visibility <> 'private'))
          )
      )
),
ended as (
    delete from card_mentions c
    using written w
    where c.card_id = w.card_id
      and c.comment_id is not distinct from w.comment_id
      and not exists (
          select
          from mentioned m
          where m.card_id = c.card_id and m.comment_id is not distinct from c.comment_id and m.user_id = c.user_id
      )
)
insert into card_mentions (card_id, comment_id, user_id, mentioned_at)
select card_id, comment_id, user_id, $3::timestamptz
from mentioned
on conflict do nothing
