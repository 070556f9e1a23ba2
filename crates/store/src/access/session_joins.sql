left join sessions s on s.id = $4 and s.project_id = p.id
left join api_keys k on k.id = s.api_key_id and k.revoked_at is null and k.expires_at > $5
