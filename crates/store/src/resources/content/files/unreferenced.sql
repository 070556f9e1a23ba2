select asked.blob_key
from unnest($1::text[]) as asked (blob_key)
where not exists (select from files where files.blob_key = asked.blob_key)
    and not exists (select from derived_files where derived_files.blob_key = asked.blob_key)
    -- A complete upload in pieces has its blob before it is attached, up to a day earlier.
    and not exists (
        select from resumable_uploads u
        where u.project_id || '/' || u.id = asked.blob_key
    )
