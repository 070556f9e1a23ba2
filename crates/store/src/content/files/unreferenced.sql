select asked.blob_key
from unnest($1) as asked (blob_key)
where not exists (select from files where files.blob_key = asked.blob_key)
