
    and ($2::timestamptz is null or occurred_at >= $2)
    and ($3::timestamptz is null or occurred_at <= $3)
    and ($4::uuid[] is null or project_id = any($4))
),
