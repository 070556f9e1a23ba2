//! Cards with their comments, attachments and relations.

pub mod attached_files;
pub mod attachment_uploads;
pub mod attachments;
pub mod bulk;
pub mod checklist;
pub mod comments;
pub mod commits;
pub mod related;
pub mod relations;

use domain::content::project::ProjectRef;
use domain::id::{CardId, HistoryId, ObjectId};
use domain::key::CardName;
use domain::page::{LimitText, PageMeta};
use domain::planning::attachment::CardAttachment;
use domain::planning::card::{
    AssigneeTerms, AuthorTerms, CardRecord, CardSort, CreateCardRequest, DueTerms, IndexCard, ParentTerms,
    PriorityTerms, ShownCard, SprintTerms, StatusTerms, TagTerms, TeamTerms, TypeTerms, UpdateCardRequest,
};
use domain::planning::custom_field::FieldFilters;
use domain::planning::history::{HistoryHead, Sequence};
use domain::planning::mention::MentionedUser;
use domain::planning::relation::{CardRelation, ChildrenProgress, RelatedCard};
use domain::time::{DateOrTime, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::content::projects::ProjectPath;
use crate::operation::{Json, Raw};
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Finds cards in all projects that `listProjects` lists, last changed first unless `sort` says otherwise:
    /// `assignee=me&open=true` are the caller's open cards. A card's key as `q` finds this card.
    SearchCards = Get "/api/v2/cards" {
        summary: "Search the cards of all projects",
        query: ListCardsQuery,
        answer: ListCardsResponse,
        effect: Reads,
        tool: ClientsOnly("cards", "a session has one project"),
    }

    /// Lists a project's cards, the newest first unless `sort` says otherwise. To keep a copy, follow the
    /// project's history.
    ListCards = Get "/api/v2/projects/{projectId}/cards" {
        summary: "List a project's cards",
        path: ProjectPath,
        query: ListCardsQuery,
        answer: ListCardsResponse,
        effect: Reads,
        tool: Toolbox("cards"),
        also: everyday(),
    }

    /// Answers a project's cards as a table in CSV, with names instead of ids: by the filters and the order of
    /// `listCards`. Texts that spreadsheets would take for formulas have an apostrophe in
    /// front. It is streamed: a failure on the way ends the answer early.
    ExportCards = Get "/api/v2/projects/{projectId}/cards.csv" {
        summary: "Export cards as a table",
        path: ProjectPath,
        query: ExportCardsQuery,
        answer: Raw,
        effect: Reads,
        tool: NotATool("tools read cards as JSON"),
    }

    /// Creates an open card, with its assignee and tags in the same transaction. It gets the next number of its project,
    /// and with it its key. Assignees have to be members of the project: `ASSIGNEE_NOT_MEMBER`.
    CreateCard = Post "/api/v2/projects/{projectId}/cards" {
        summary: "Create a card",
        path: ProjectPath,
        body: Json<CreateCardRequest>,
        answer: CardResponse,
        effect: Creates,
        tool: Toolbox("cards"),
        also: everyday(),
    }

    /// Answers a card with all that belongs to it. With `at` it is as it was then, also a deleted one, by its id; a time
    /// to come is `MOMENT_NOT_KNOWN`.
    GetCard = Get "/api/v2/projects/{projectId}/cards/{cardId}" {
        summary: "Read a card",
        path: CardPath,
        query: GetCardQuery,
        answer: GetCardResponse,
        effect: Reads,
        tool: Toolbox("cards"),
        also: everyday(),
    }

    /// Changes a card's fields, closes or reopens it. An expected head in `If-Match`, or as `expectedHistoryHeadId`,
    /// refuses the change of a field that was changed since: `CARD_HISTORY_CONFLICT`. Two heads that differ are
    /// `HISTORY_HEAD_MISMATCH`.
    UpdateCard = Patch "/api/v2/projects/{projectId}/cards/{cardId}" {
        summary: "Change, close or reopen a card",
        path: CardPath,
        body: Json<UpdateCardRequest>,
        answer: CardResponse,
        effect: Changes,
        tool: Toolbox("cards"),
        also: everyday(), conditional(),
    }

    /// Deletes a card for good. Its history stays. With an expected head, any change since refuses it:
    /// `CARD_HISTORY_CONFLICT`. Two heads that differ are `HISTORY_HEAD_MISMATCH`.
    DeleteCard = Delete "/api/v2/projects/{projectId}/cards/{cardId}" {
        summary: "Delete a card",
        path: CardPath,
        body: Option<Json<HistoryHeadRequest>>,
        answer: DeleteCardResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// The optional body of a mutation without other input.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryHeadRequest {
    /// The card's history head that the client has seen last. `If-Match` can state it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_history_head_id: Option<HistoryId>,
}

/// A card with its history head.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardResponse {
    /// The card.
    pub card: CardRecord,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
    /// The card with its tags, assignees and boards, as lists show it.
    pub index_card: IndexCard,
}

impl From<ShownCard> for CardResponse {
    fn from(shown: ShownCard) -> Self {
        let head = shown.head();
        Self {
            card: shown.card().clone(),
            history_head_id: head.id,
            history_head_sequence: head.sequence,
            index_card: shown.index_card(),
        }
    }
}

/// An ended relation of a card, with the card's new history head.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndResponse {
    /// Always true.
    pub deleted: bool,
    /// The card.
    pub card_id: CardId,
    /// The removed assignee, tag, object or comment.
    pub id: Uuid,
    /// The card's latest history row.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
}

impl EndResponse {
    /// The end of a relation of the card to `id`.
    pub fn new(card_id: CardId, id: Uuid, head: HistoryHead) -> Self {
        Self { deleted: true, card_id, id, history_head_id: head.id, history_head_sequence: head.sequence }
    }
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteCardResponse {
    /// Always true.
    pub deleted: bool,
    /// The card.
    pub card_id: CardId,
    /// The card's last history row, which records the deletion.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
}

/// The moment to read.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetCardQuery {
    /// A time of the past. Defaults to now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A card with its history head and its linked objects.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetCardResponse {
    /// The card.
    pub card: CardRecord,
    /// The card's latest history row, with which the `ETag` begins.
    pub history_head_id: HistoryId,
    /// The sequence of that row.
    pub history_head_sequence: Sequence,
    /// The card with its tags, assignees and boards, as lists show it.
    pub index_card: IndexCard,
    /// The objects to which the card is linked.
    pub object_ids: Vec<ObjectId>,
    /// Its files.
    pub attachments: Vec<CardAttachment>,
    /// Its relations to other cards.
    pub relations: Vec<CardRelation>,
    /// The card of which it is a part.
    pub parent: Option<RelatedCard>,
    /// The cards below it, on all levels.
    pub children: ChildrenProgress,
    /// The users whom its texts mention, at most 200.
    pub mentions: Vec<MentionedUser>,
}

/// Declares the queries of cards, which share their filters and the order.
macro_rules! card_queries {
    ($($(#[$meta:meta])+ $field:ident: $type:ty,)+) => {
        /// The filter and the order of cards.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct ListCardsQuery {
            $($(#[$meta])+ #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)+
            /// Page size.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub limit: Option<LimitText>,
            /// `meta.nextCursor` of the previous page.
            #[schemars(length(max = 1024))]
            #[serde(skip_serializing_if = "Option::is_none")]
            pub cursor: Option<String>,
        }

        /// The filter and the order of all cards at once.
        #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct ExportCardsQuery {
            $($(#[$meta])+ #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$type>,)+
        }

        impl From<ExportCardsQuery> for ListCardsQuery {
            fn from(query: ExportCardsQuery) -> Self {
                Self { $($field: query.$field,)+ limit: None, cursor: None }
            }
        }
    };
}

card_queries! {
    /// Only open cards, or only closed ones.
    open: bool,
    /// Only cards with all of these tags; `none` for cards without one. In each list of a filter, `!` in front means not.
    tag: TagTerms,
    /// Only cards assigned to one of these users: ids, `me` for the caller, `none` for no assignee.
    assignee: AssigneeTerms,
    /// Only cards with one of these priorities.
    priority: PriorityTerms,
    /// Only cards of one of these types.
    #[serde(rename = "type")]
    card_type: TypeTerms,
    /// Only the children of one of these cards; `none` for no parent.
    parent: ParentTerms,
    /// Only cards that open cards block, or only those that none blocks.
    blocked: bool,
    /// Only cards whose name, description or resolution contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: String,
    /// Only cards that changed at this time or later; a day begins in UTC. Changes may be committed out of order, so
    /// clients that keep a copy read the project's history instead.
    updated_since: DateOrTime,
    /// Only cards that one of these users created: ids, `me` for the caller.
    author: AuthorTerms,
    /// Only cards with a deadline at this time or later; a day begins in UTC.
    deadline_after: DateOrTime,
    /// Only cards with a deadline before this time; a day begins in UTC.
    deadline_before: DateOrTime,
    /// Only cards with no deadline, or open ones that are late or due within a week, by days in UTC.
    due: DueTerms,
    /// Only cards on the board of one of these teams; `none` for no board.
    team: TeamTerms,
    /// Only cards in one of these columns of boards; `none` for no board.
    status: StatusTerms,
    /// Only cards in one of these sprints; `none` for no sprint.
    sprint: SprintTerms,
    /// Only cards whose custom fields pass these tests, as JSON: `{"Weight":{"from":2},"Material":["steel",null]}`. Also
    /// `to` and `not`.
    fields: FieldFilters,
    /// `newest` (default in a project), `updated` (default over all), `oldest`, `deadline`, `priority`, or `field-` with a
    /// custom field's id or name; `-field-…` is reversed.
    sort: CardSort,
}

/// A page of cards.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListCardsResponse {
    /// The cards.
    pub cards: Vec<CardRecord>,
    /// The cards with their tags, assignees and boards, in the same order.
    pub index_cards: Vec<IndexCard>,
    /// The page.
    pub meta: PageMeta,
}

/// The path of an operation on one card.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The card, by its id or key.
    pub card_id: CardName,
}
