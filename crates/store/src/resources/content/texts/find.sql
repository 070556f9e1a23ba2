-- Objects of project $1 after the text $3 and its object $4 that have, or had, a text with all keys $2. The keys are in
-- one index with the project's: neither other projects nor other texts are read. Each text has an object, so these texts
-- have enough; the first of them may have none after $4. A frequent word is found by walking through the texts.
select o.text_id, o.object_id, t.sha256
from (
    select id, sha256
    from texts
    where grams @> $2 and project_id = $1 and id >= $3
    order by id
    limit $5 + 1
) t
join text_objects o on o.text_id = t.id
where (o.text_id, o.object_id) > ($3, $4)
order by o.text_id, o.object_id
limit $5
