-- Continues select.sql. `collate "C"`: the order is the same in every locale.
where p.branch_id = $1
  and ($2::text is null or (v.name collate "C", p.object_id) > ($2 collate "C", $3::uuid))
order by v.name collate "C", p.object_id
limit $4
