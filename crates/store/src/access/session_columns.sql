    s.branch as session_branch, s.created_by as session_created_by,
    s.created_at as session_created_at, s.closed_at as session_closed_at,
    s.model, s.toolboxes, s.budget_micro_credits, s.auto_approved,
    s.api_key_id is not null as has_key, k.scopes as key_scopes,
    k.project_ids is not null or k.organization_ids is not null as is_key_confined,
    k.organization_ids as key_organization_ids
