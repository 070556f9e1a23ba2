//! The tables, as diesel's queries see them. `docs/schema.md` tells their meaning.

#![expect(missing_docs, reason = "migrations comment each table and column")]

diesel::table! {
    owners (id) {
        id -> Uuid,
        kind -> Text,
        slug -> Text,
        project_limit -> Nullable<Int4>,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    users (id) {
        id -> Uuid,
        email -> Text,
        display_name -> Text,
        created_at -> Timestamptz,
        disabled_at -> Nullable<Timestamptz>,
        signed_out_at -> Nullable<Timestamptz>,
        shows_email_in_commits -> Bool,
    }
}

diesel::table! {
    user_pictures (user_id) {
        user_id -> Uuid,
        sha256 -> Bytea,
        bytes -> Bytea,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    kept_addresses (owner_slug, project_slug) {
        owner_slug -> Text,
        project_slug -> Text,
        project_id -> Nullable<Uuid>,
        kept_until -> Timestamptz,
    }
}

diesel::table! {
    access_changes (id) {
        id -> Int8,
        subject_id -> Uuid,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    ended_browser_tokens (token_hash) {
        token_hash -> Bytea,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    service_accounts (user_id) {
        user_id -> Uuid,
        organization_id -> Nullable<Uuid>,
        created_at -> Timestamptz,
        created_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    invitations (id) {
        id -> Uuid,
        organization_id -> Uuid,
        role -> Text,
        email -> Nullable<Text>,
        secret_hash -> Bytea,
        invited_by -> Uuid,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        accepted_by -> Nullable<Uuid>,
        mail_at -> Nullable<Timestamptz>,
        mail_attempts -> Int4,
        mail_state -> Nullable<Text>,
    }
}

diesel::table! {
    invitation_exclusions (invitation_id, user_id) {
        invitation_id -> Uuid,
        user_id -> Uuid,
    }
}

diesel::table! {
    sent_invitation_mails (id) {
        id -> Uuid,
        invited_by -> Uuid,
        organization_id -> Nullable<Uuid>,
        recipient -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    user_identities (issuer, subject) {
        issuer -> Text,
        subject -> Text,
        user_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    organizations (id) {
        id -> Uuid,
        name -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    organization_members (organization_id, user_id) {
        organization_id -> Uuid,
        user_id -> Uuid,
        role -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    api_keys (id) {
        id -> Uuid,
        user_id -> Uuid,
        name -> Text,
        key_hash -> Bytea,
        mask -> Text,
        scopes -> Array<Text>,
        project_ids -> Nullable<Array<Uuid>>,
        organization_ids -> Nullable<Array<Uuid>>,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        last_used_at -> Nullable<Timestamptz>,
        revoked_at -> Nullable<Timestamptz>,
        created_by -> Nullable<Uuid>,
    }
}

diesel::table! {
    calendar_feeds (id) {
        id -> Uuid,
        user_id -> Uuid,
        name -> Text,
        secret_hash -> Bytea,
        project_id -> Nullable<Uuid>,
        team_id -> Nullable<Uuid>,
        is_mine -> Bool,
        created_at -> Timestamptz,
        last_fetched_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    projects (id) {
        id -> Uuid,
        owner_id -> Uuid,
        name -> Text,
        slug -> Text,
        description -> Text,
        visibility -> Text,
        initial_prompt -> Nullable<Text>,
        initial_prompt_session_id -> Nullable<Uuid>,
        default_branch -> Text,
        created_by -> Uuid,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        folded_name -> Nullable<Text>,
        key -> Nullable<Text>,
    }
}

diesel::table! {
    far_parents (card_id) {
        card_id -> Uuid,
        parent_id -> Uuid,
    }
}

diesel::table! {
    related_projects (project_id, other_project_id) {
        project_id -> Uuid,
        other_project_id -> Uuid,
    }
}

diesel::table! {
    project_keys (owner_id, key) {
        owner_id -> Uuid,
        key -> Text,
        project_id -> Nullable<Uuid>,
        kept_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    project_members (project_id, user_id) {
        project_id -> Uuid,
        user_id -> Uuid,
        role -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    git_objects (project_id, oid) {
        project_id -> Uuid,
        oid -> Bytea,
        kind -> Text,
        data -> Bytea,
    }
}

diesel::table! {
    commits (project_id, oid) {
        project_id -> Uuid,
        oid -> Bytea,
        parents -> Array<Bytea>,
        number -> Int8,
    }
}

diesel::table! {
    branches (id) {
        id -> Uuid,
        project_id -> Uuid,
        name -> Text,
        head -> Nullable<Bytea>,
        revision -> Int8,
        created_at -> Timestamptz,
        changed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    working_changes (branch_id, object_id) {
        branch_id -> Uuid,
        object_id -> Uuid,
        record -> Nullable<Jsonb>,
        committed -> Nullable<Jsonb>,
        changed_by -> Nullable<Uuid>,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    files (project_id, sha256) {
        project_id -> Uuid,
        sha256 -> Bytea,
        size_bytes -> Int8,
        blob_key -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    packages (branch_id, object_id) {
        branch_id -> Uuid,
        object_id -> Uuid,
        project_id -> Uuid,
        description -> Text,
        commit_hash -> Bytea,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    sessions (id) {
        id -> Uuid,
        project_id -> Uuid,
        branch -> Text,
        created_by -> Uuid,
        api_key_id -> Nullable<Uuid>,
        model -> Nullable<Text>,
        toolboxes -> Nullable<Array<Text>>,
        budget_micro_credits -> Nullable<Int8>,
        created_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
        auto_approved -> Nullable<Array<Text>>,
    }
}

diesel::table! {
    session_events (session_id, sequence) {
        session_id -> Uuid,
        sequence -> Int8,
        #[sql_name = "type"]
        kind -> Text,
        data -> Jsonb,
        occurred_at -> Timestamptz,
    }
}

diesel::table! {
    session_event_heads (session_id) {
        session_id -> Uuid,
        sequence -> Int8,
        forgotten -> Int8,
    }
}

diesel::table! {
    applied_uploads (id) {
        id -> Uuid,
        project_id -> Uuid,
        session_id -> Uuid,
        objects -> Jsonb,
        applied_at -> Timestamptz,
    }
}

diesel::table! {
    tool_approvals (id) {
        id -> Uuid,
        session_id -> Uuid,
        run_id -> Uuid,
        call_id -> Text,
        tool -> Text,
        params -> Jsonb,
        effects -> Array<Text>,
        reason -> Text,
        status -> Text,
        prompted_by -> Uuid,
        requested_at -> Timestamptz,
        answered_by -> Nullable<Uuid>,
        answered_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    deferred_conversions (branch_id, object_id) {
        branch_id -> Uuid,
        object_id -> Uuid,
        project_id -> Uuid,
        session_id -> Uuid,
        user_id -> Uuid,
        upload_id -> Uuid,
        name -> Text,
        sha256 -> Bytea,
        attempts -> Int4,
        lease_until -> Timestamptz,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    previews (project_id, sha256) {
        project_id -> Uuid,
        sha256 -> Bytea,
        maker -> Int4,
        attempts -> Int4,
        lease_until -> Timestamptz,
        shape -> Nullable<Jsonb>,
        failure -> Nullable<Text>,
        finished_at -> Nullable<Timestamptz>,
        used_at -> Timestamptz,
    }
}

diesel::table! {
    derived_files (project_id, sha256, part, format) {
        project_id -> Uuid,
        sha256 -> Bytea,
        part -> Int4,
        format -> Text,
        blob_key -> Text,
        size_bytes -> Int8,
        content_sha256 -> Bytea,
    }
}

diesel::table! {
    resumable_uploads (id) {
        id -> Uuid,
        project_id -> Uuid,
        session_id -> Nullable<Uuid>,
        user_id -> Uuid,
        connection_id -> Nullable<Text>,
        parent_id -> Nullable<Uuid>,
        name -> Text,
        metadata -> Text,
        length_bytes -> Nullable<BigInt>,
        offset_bytes -> BigInt,
        checkpoint -> Jsonb,
        writer -> Nullable<Uuid>,
        leased_until -> Nullable<Timestamptz>,
        contended_at -> Nullable<Timestamptz>,
        failure -> Nullable<Jsonb>,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
        is_partial -> Bool,
        parts -> Nullable<Array<Uuid>>,
        card_id -> Nullable<Uuid>,
        attachment -> Nullable<Jsonb>,
    }
}

diesel::table! {
    mcp_servers (project_id, name) {
        project_id -> Uuid,
        name -> Text,
        url -> Text,
        sealed_headers -> Nullable<Bytea>,
        header_names -> Array<Text>,
        revision -> Uuid,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    session_runs (id) {
        id -> Uuid,
        session_id -> Uuid,
        status -> Text,
        user_id -> Uuid,
        api_key_id -> Nullable<Uuid>,
        model -> Text,
        process_id -> Uuid,
        lease_until -> Timestamptz,
        failure -> Nullable<Jsonb>,
        started_at -> Timestamptz,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    session_messages (session_id, sequence) {
        session_id -> Uuid,
        sequence -> Int8,
        id -> Uuid,
        run_id -> Nullable<Uuid>,
        role -> Text,
        parts -> Jsonb,
        created_at -> Timestamptz,
        model_content -> Nullable<Jsonb>,
    }
}

diesel::table! {
    usage_events (id) {
        id -> Uuid,
        owner_id -> Uuid,
        user_id -> Uuid,
        project_id -> Uuid,
        session_id -> Uuid,
        run_id -> Nullable<Uuid>,
        provider -> Text,
        model -> Text,
        prompt_tokens -> Int8,
        completion_tokens -> Int8,
        reasoning_tokens -> Int8,
        cache_write_tokens -> Int8,
        cache_read_tokens -> Int8,
        micro_credits -> Int8,
        priced_per_call -> Bool,
        occurred_at -> Timestamptz,
        recorded_at -> Timestamptz,
        is_estimated -> Bool,
    }
}

diesel::table! {
    executions (id) {
        id -> Uuid,
        session_id -> Uuid,
        object_id -> Uuid,
        language -> Text,
        source -> Nullable<Bytea>,
        input -> Bytea,
        state -> Text,
        failure -> Nullable<Jsonb>,
        output -> Text,
        truncated -> Bool,
        user_id -> Uuid,
        api_key_id -> Nullable<Uuid>,
        process_id -> Uuid,
        lease_until -> Timestamptz,
        created_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        ended_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    evaluation_runs (id) {
        id -> Uuid,
        execution_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    cards (id) {
        id -> Uuid,
        project_id -> Uuid,
        // The columns of `CardFields` are in `access/rows/card.rs`.
        is_open -> Bool,
        closed_at -> Nullable<Timestamptz>,
        created_by -> Uuid,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        history_head_id -> Uuid,
        history_head_sequence -> Int8,
        number -> Nullable<Int8>,
        parent_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    card_counters (project_id) {
        project_id -> Uuid,
        last_number -> Int8,
    }
}

diesel::table! {
    card_relations (card_id, other_card_id, kind) {
        card_id -> Uuid,
        other_card_id -> Uuid,
        kind -> Text,
    }
}

diesel::table! {
    card_mentions (id) {
        id -> Int8,
        card_id -> Uuid,
        comment_id -> Nullable<Uuid>,
        user_id -> Uuid,
        mentioned_at -> Timestamptz,
    }
}

diesel::table! {
    card_commits (card_id, oid) {
        card_id -> Uuid,
        project_id -> Uuid,
        oid -> Bytea,
        closes -> Bool,
        committed_at -> Timestamptz,
    }
}

diesel::table! {
    card_checklist_items (id) {
        id -> Uuid,
        card_id -> Uuid,
        position -> Text,
        text -> Text,
        is_done -> Bool,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    card_attachments (id) {
        id -> Uuid,
        card_id -> Uuid,
        project_id -> Uuid,
        sha256 -> Bytea,
        name -> Text,
        media_type -> Text,
        author_id -> Uuid,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    card_assignees (card_id, user_id) {
        card_id -> Uuid,
        user_id -> Uuid,
        assigned_at -> Timestamptz,
    }
}

diesel::table! {
    card_tags (id) {
        id -> Uuid,
        project_id -> Uuid,
        name -> Text,
        folded_name -> Text,
        description -> Text,
        color -> Text,
        status -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    card_types (id) {
        id -> Uuid,
        project_id -> Uuid,
        name -> Text,
        description -> Text,
        checklist -> Jsonb,
    }
}

diesel::table! {
    custom_fields (id) {
        id -> Uuid,
        project_id -> Uuid,
        name -> Text,
        folded_name -> Text,
        description -> Text,
        #[sql_name = "type"]
        field_type -> Text,
        unit -> Text,
        options -> Jsonb,
        default_value -> Nullable<Jsonb>,
        is_required -> Bool,
        minimum -> Nullable<Jsonb>,
        maximum -> Nullable<Jsonb>,
        status -> Text,
        is_shown -> Bool,
        applies_to -> Text,
        object_type -> Nullable<Text>,
    }
}

diesel::table! {
    saved_views (id) {
        id -> Uuid,
        owner_id -> Uuid,
        project_id -> Nullable<Uuid>,
        team_id -> Nullable<Uuid>,
        name -> Text,
        layout -> Text,
        definition -> Jsonb,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    card_field_values (card_id, field_id, item) {
        card_id -> Uuid,
        field_id -> Uuid,
        item -> Int4,
        number -> Nullable<Numeric>,
        text -> Nullable<Text>,
    }
}

diesel::table! {
    card_tag_links (card_id, tag_id) {
        card_id -> Uuid,
        tag_id -> Uuid,
    }
}

diesel::table! {
    card_objects (card_id, object_id) {
        card_id -> Uuid,
        object_id -> Uuid,
    }
}

diesel::table! {
    card_comments (id) {
        id -> Uuid,
        card_id -> Uuid,
        author_id -> Uuid,
        body -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    index_cards (card_id) {
        card_id -> Uuid,
        project_id -> Uuid,
        is_open -> Bool,
        tag_ids -> Array<Uuid>,
        user_ids -> Array<Uuid>,
        team_ids -> Array<Uuid>,
        team_status_ids -> Array<Uuid>,
        sprint_ids -> Array<Uuid>,
        team_statuses -> Jsonb,
        team_placements -> Jsonb,
        search_document -> Text,
        board_heads -> Jsonb,
    }
}

diesel::table! {
    card_history (card_id, sequence) {
        card_id -> Uuid,
        sequence -> Int8,
        id -> Uuid,
        project_id -> Uuid,
        kind -> Text,
        actor_user_id -> Uuid,
        actor_key_id -> Nullable<Uuid>,
        actor_session_id -> Nullable<Uuid>,
        changes -> Jsonb,
        occurred_at -> Timestamptz,
    }
}

diesel::table! {
    teams (id) {
        id -> Uuid,
        organization_id -> Uuid,
        name -> Text,
        folded_name -> Text,
        description -> Text,
        visibility -> Text,
        status -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        time_zone -> Text,
    }
}

diesel::table! {
    team_members (team_id, user_id) {
        team_id -> Uuid,
        user_id -> Uuid,
        role -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    deleted_teams (id) {
        id -> Uuid,
        organization_id -> Uuid,
        visibility -> Text,
        deleted_at -> Timestamptz,
    }
}

diesel::table! {
    deleted_team_members (team_id, user_id) {
        team_id -> Uuid,
        user_id -> Uuid,
        role -> Text,
    }
}

diesel::table! {
    team_projects (team_id, project_id) {
        team_id -> Uuid,
        project_id -> Uuid,
        linked_at -> Timestamptz,
    }
}

diesel::table! {
    team_statuses (id) {
        id -> Uuid,
        team_id -> Uuid,
        name -> Text,
        folded_name -> Text,
        description -> Text,
        position -> Text,
        color -> Text,
        status -> Text,
        transition_state -> Text,
        close_mode -> Text,
        wip_limit -> Nullable<Int4>,
        wip_policy -> Text,
        wip_unit -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    sprints (id) {
        id -> Uuid,
        team_id -> Uuid,
        name -> Text,
        description -> Text,
        status -> Text,
        start_date -> Nullable<Timestamptz>,
        end_date -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        started_at -> Nullable<Timestamptz>,
        started_sequence -> Nullable<Int8>,
        completed_at -> Nullable<Timestamptz>,
        completed_sequence -> Nullable<Int8>,
        report -> Nullable<Jsonb>,
    }
}

diesel::table! {
    team_cards (team_id, card_id) {
        team_id -> Uuid,
        card_id -> Uuid,
        status_id -> Uuid,
        sprint_id -> Nullable<Uuid>,
        rank -> Text,
        placed_at -> Timestamptz,
    }
}

diesel::table! {
    card_refolds (version) {
        version -> BigInt,
        after_card_id -> Uuid,
        finished_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    project_refolds (version) {
        version -> BigInt,
        after_project_id -> Uuid,
        finished_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    board_layouts (team_id, id) {
        id -> BigInt,
        organization_id -> Uuid,
        team_id -> Uuid,
        statuses -> Jsonb,
        occurred_at -> Timestamptz,
    }
}

diesel::table! {
    column_renumberings (team_id, sequence) {
        team_id -> Uuid,
        sequence -> BigInt,
        ranks -> Jsonb,
        occurred_at -> Timestamptz,
    }
}

diesel::table! {
    card_tag_versions (project_id, tag_id, id) {
        id -> BigInt,
        project_id -> Uuid,
        tag_id -> Uuid,
        name -> Text,
        folded_name -> Text,
        color -> Text,
        occurred_at -> Timestamptz,
    }
}

diesel::table! {
    deleted_cards (id) {
        id -> Uuid,
        project_id -> Uuid,
        number -> Nullable<BigInt>,
        created_by -> Uuid,
        created_at -> Timestamptz,
        closed_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    team_status_transitions (team_id, sequence) {
        team_id -> Uuid,
        sequence -> BigInt,
        status_id -> Uuid,
        transition_state -> Text,
        occurred_at -> Timestamptz,
    }
}

diesel::table! {
    sprint_cards (sprint_id, card_id) {
        sprint_id -> Uuid,
        card_id -> Uuid,
    }
}

diesel::table! {
    departed_card_history (sprint_id, sequence) {
        sprint_id -> Uuid,
        sequence -> BigInt,
        card_id -> Uuid,
        project_id -> Uuid,
        changes -> Jsonb,
        occurred_at -> Timestamptz,
    }
}

diesel::table! {
    idempotency_records (scope_id, operation, key) {
        scope_id -> Uuid,
        operation -> Text,
        key -> Text,
        outcome -> Nullable<Jsonb>,
        created_at -> Timestamptz,
        expires_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    audit_log (sequence) {
        sequence -> Int8,
        occurred_at -> Timestamptz,
        actor_user_id -> Nullable<Uuid>,
        actor_key_id -> Nullable<Uuid>,
        action -> Text,
        target_id -> Nullable<Uuid>,
        result -> Text,
        request_id -> Nullable<Text>,
        project_id -> Nullable<Uuid>,
        organization_id -> Nullable<Uuid>,
        attempts -> Int4,
    }
}

diesel::table! {
    deployment_secrets (name) {
        name -> Text,
        secret -> Bytea,
    }
}

diesel::table! {
    change_events (scope_id, sequence) {
        scope_id -> Uuid,
        sequence -> Int8,
        #[sql_name = "type"]
        kind -> Text,
        data -> Jsonb,
        project_id -> Nullable<Uuid>,
        team_id -> Nullable<Uuid>,
        is_of_cards -> Bool,
        actor_user_id -> Nullable<Uuid>,
        actor_key_id -> Nullable<Uuid>,
        actor_session_id -> Nullable<Uuid>,
        occurred_at -> Timestamptz,
        other_project_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    change_event_retention (is_only) {
        is_only -> Bool,
        deleted_sequence -> Int8,
    }
}

diesel::table! {
    imports (id) {
        id -> Uuid,
        organization_id -> Uuid,
        project_id -> Uuid,
        user_id -> Uuid,
        api_key_id -> Nullable<Uuid>,
        tool -> Text,
        is_dry_run -> Bool,
        state -> Text,
        failure -> Nullable<Text>,
        issues -> Int4,
        relations -> Int4,
        comments -> Int4,
        created -> Int4,
        existing -> Int4,
        done -> Int4,
        total -> Int4,
        notes -> Int4,
        attempts -> Int4,
        created_at -> Timestamptz,
        finished_at -> Nullable<Timestamptz>,
        boards -> Int4,
        sprints -> Int4,
    }
}

diesel::table! {
    import_items (import_id, position) {
        import_id -> Uuid,
        position -> Int4,
        level -> Int4,
        item -> Jsonb,
    }
}

diesel::table! {
    import_notes (import_id, position) {
        import_id -> Uuid,
        position -> Int4,
        note -> Jsonb,
    }
}

diesel::table! {
    card_sources (project_id, tool, source_id) {
        project_id -> Uuid,
        tool -> Text,
        source_id -> Text,
        card_id -> Uuid,
        source_key -> Text,
    }
}

diesel::table! {
    board_sources (team_id, source_id) {
        team_id -> Uuid,
        source_id -> Uuid,
        status_id -> Nullable<Uuid>,
        sprint_id -> Nullable<Uuid>,
        pending_status -> Nullable<Text>,
    }
}

diesel::table! {
    texts (id) {
        id -> Int8,
        project_id -> Uuid,
        sha256 -> Bytea,
        grams -> Array<Int8>,
    }
}

diesel::table! {
    text_objects (text_id, object_id) {
        text_id -> Int8,
        object_id -> Uuid,
    }
}

diesel::table! {
    text_changes (id) {
        id -> Int8,
        branch_id -> Uuid,
        object_ids -> Nullable<Array<Uuid>>,
        after_object_id -> Nullable<Uuid>,
    }
}

diesel::joinable!(api_keys -> users (user_id));
diesel::joinable!(card_comments -> users (author_id));
diesel::joinable!(organization_members -> organizations (organization_id));
diesel::joinable!(organization_members -> users (user_id));
diesel::joinable!(service_accounts -> users (user_id));
diesel::joinable!(user_identities -> users (user_id));
diesel::joinable!(invitations -> organizations (organization_id));
diesel::joinable!(organizations -> owners (id));
diesel::joinable!(projects -> owners (owner_id));
diesel::joinable!(session_runs -> sessions (session_id));
diesel::joinable!(users -> owners (id));

diesel::allow_tables_to_appear_in_same_query!(
    api_keys,
    users,
    ended_browser_tokens,
    owners,
    organizations,
    organization_members,
    user_identities,
    service_accounts,
    invitations,
    invitation_exclusions,
    projects,
    sessions,
    session_messages,
    session_runs,
    executions,
    cards,
    card_comments,
    card_tag_links,
    team_cards,
    team_projects,
    imports,
);
