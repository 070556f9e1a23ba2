-- The reserved packages of a branch without a commit ($3) stay: only its working changes hold them.
delete from working_changes
where branch_id = $1
  and ($2::uuid[] is null or object_id = any($2))
  and not (
      $3 and record ->> 'parent' = $4::text and record ->> 'type' = $5 and record ->> 'name' = any($6)
  )
