//! The operations of the control plane: small JSON requests, with an API key or a browser token.

use serde_json::Value;

use crate::content::{
    bom, branches, changes, commits, compare, downloads, files, git, includes, merges, objects, packages,
    projects,
};
use crate::operation::{Declaration, Operation, PlaneDeclaration};
use crate::people::{api_keys, audit, invitations, me, organizations, pictures};
use crate::planning::{
    boards, calendars, card_tags, card_types, cards, custom_fields, history, imports, my_work, reports,
    saved_views, sprints, teams,
};
use crate::work::{approvals, evaluation_runs, executions, mcp, mcp_servers, models, sessions, usage};
use crate::{operations, tags};

operations! {
    tag: tags::DOCUMENT;

    /// Answers the OpenAPI 3.1 document of the control plane. It needs no credential. Keep its `ETag`, and ask with
    /// `If-None-Match` whether it has changed.
    GetOpenapi = Get "/api/v2/openapi.json" {
        summary: "Read this document",
        answer: Value,
        effect: Reads,
        tool: NotATool("describes the operations"),
    }
}

/// The control plane.
pub const PLANE: PlaneDeclaration = PlaneDeclaration {
    title: "Atelier control plane",
    introduction: INTRODUCTION,
    document: &DOCUMENT,
    tags: &[
        &tags::DOCUMENT,
        &tags::ACCOUNT,
        &tags::ORGANIZATIONS,
        &tags::MEMBERS,
        &tags::INVITATIONS,
        &tags::SERVICE_ACCOUNTS,
        &tags::API_KEYS,
        &tags::PROJECTS,
        &tags::CHANGES,
        &tags::OBJECTS,
        &tags::BRANCHES,
        &tags::COMMITS,
        &tags::MERGES,
        &tags::PACKAGES,
        &tags::INCLUDES,
        &tags::BILLS,
        &tags::SESSIONS,
        &tags::FILES,
        &tags::MODELS,
        &tags::TOOLS,
        &tags::APPROVALS,
        &tags::MCP_SERVERS,
        &tags::EXECUTIONS,
        &tags::USAGE,
        &tags::CARDS,
        &tags::CARD_TAGS,
        &tags::IMPORTS,
        &tags::TEAMS,
        &tags::BOARDS,
        &tags::COLUMNS,
        &tags::SPRINTS,
        &tags::CALENDARS,
        &tags::GIT,
        &tags::MCP,
    ],
    operations: &[
        OPERATIONS,
        api_keys::OPERATIONS,
        approvals::OPERATIONS,
        audit::OPERATIONS,
        boards::OPERATIONS,
        bom::OPERATIONS,
        branches::OPERATIONS,
        calendars::OPERATIONS,
        custom_fields::OPERATIONS,
        card_tags::OPERATIONS,
        card_types::OPERATIONS,
        cards::OPERATIONS,
        cards::bulk::OPERATIONS,
        history::OPERATIONS,
        cards::comments::OPERATIONS,
        cards::checklist::OPERATIONS,
        cards::attachments::OPERATIONS,
        cards::commits::OPERATIONS,
        cards::related::OPERATIONS,
        cards::relations::OPERATIONS,
        changes::OPERATIONS,
        commits::OPERATIONS,
        compare::OPERATIONS,
        downloads::OPERATIONS,
        evaluation_runs::OPERATIONS,
        executions::OPERATIONS,
        files::OPERATIONS,
        git::OPERATIONS,
        imports::OPERATIONS,
        includes::OPERATIONS,
        invitations::OPERATIONS,
        mcp::OPERATIONS,
        mcp_servers::OPERATIONS,
        me::OPERATIONS,
        merges::OPERATIONS,
        models::OPERATIONS,
        my_work::OPERATIONS,
        objects::OPERATIONS,
        organizations::OPERATIONS,
        organizations::members::OPERATIONS,
        organizations::invitations::OPERATIONS,
        organizations::service_accounts::OPERATIONS,
        packages::OPERATIONS,
        pictures::OPERATIONS,
        projects::OPERATIONS,
        projects::members::OPERATIONS,
        reports::OPERATIONS,
        saved_views::OPERATIONS,
        sessions::OPERATIONS,
        sessions::uploads::OPERATIONS,
        sessions::conversation::OPERATIONS,
        sessions::tools::OPERATIONS,
        sprints::OPERATIONS,
        teams::OPERATIONS,
        teams::statuses::OPERATIONS,
        teams::members::OPERATIONS,
        teams::available_cards::OPERATIONS,
        teams::projects::OPERATIONS,
        usage::OPERATIONS,
    ],
};

const DOCUMENT: Declaration = GetOpenapi::DECLARATION;

const INTRODUCTION: &str = "Projects with versioned content, sessions with an agent, and agile \
    planning. Send an API key (or a browser token) as\n\
    `Authorization: Bearer …`. Files go to and from the data plane, whose address and grant a session's \
    creation answers.\n\
    \n\
    - Creations take an `Idempotency-Key`: a repeat with the same key answers the first result.\n\
    - Single resources answer an `ETag`. `If-None-Match` saves reading them again, `If-Match` refuses a \
    change of what\n\
    \x20 somebody else has changed since.\n\
    - Lists answer pages: `meta.nextCursor` is the `cursor` of the next one.\n\
    - A failure has a stable `error.code`. A 400 names every broken rule in `error.details.issues`.\n\
    - What a caller may not see is 404, as if it did not exist. What the caller sees and may not change is 403.";
