-- Comments $1 on cards $2.
insert into card_comments (id, card_id, author_id, body, created_at, updated_at)
select c.id, c.card_id, c.author_id, c.body, c.created_at, c.updated_at
from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[])
    as c (id, card_id, author_id, body, created_at, updated_at)
