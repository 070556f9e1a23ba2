delete from resumable_uploads where id = $1 and (leased_until is null or leased_until < clock_timestamp())
