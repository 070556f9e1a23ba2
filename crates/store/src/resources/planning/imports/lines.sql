-- Lines $1 of the checklists of cards $2.
insert into card_checklist_items (id, card_id, position, text, is_done, created_at)
select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[])
