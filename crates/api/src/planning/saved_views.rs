//! Saved views of cards.

use domain::id::{ProjectId, ViewId};
use domain::page::{LimitText, PageMeta};
use domain::planning::saved_view::{CreateViewRequest, SavedView, UpdateViewRequest, ViewFilter};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::Json;
use crate::planning::cards::ListCardsQuery;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists the caller's saved views and those that are shared with the caller's teams, the oldest first.
    ListViews = Get "/api/v2/views" {
        summary: "List saved views",
        query: ListViewsQuery,
        answer: ListViewsResponse,
        effect: Reads,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Saves a view: a filter of cards with a layout, groups, columns and an order. More than 100 of a person, or
    /// 200 of a team: `LIMIT_REACHED`.
    CreateView = Post "/api/v2/views" {
        summary: "Save a view",
        body: Json<CreateViewRequest>,
        answer: ViewResponse,
        effect: Creates,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Answers a saved view of the caller or of one of its teams.
    GetView = Get "/api/v2/views/{viewId}" {
        summary: "Read a saved view",
        path: ViewPath,
        answer: ViewResponse,
        effect: Reads,
        tool: NotATool(FOR_PEOPLE),
    }

    /// Changes a saved view. Managers of its team may change it, too.
    UpdateView = Patch "/api/v2/views/{viewId}" {
        summary: "Change a saved view",
        path: ViewPath,
        body: Json<UpdateViewRequest>,
        answer: ViewResponse,
        effect: Changes,
        tool: NotATool(FOR_PEOPLE),
        also: conditional(),
    }

    /// Deletes a saved view of the caller.
    DeleteView = Delete "/api/v2/views/{viewId}" {
        summary: "Delete a saved view",
        path: ViewPath,
        answer: DeleteViewResponse,
        effect: Idempotent,
        tool: NotATool(FOR_PEOPLE),
        also: conditional(),
    }
}

/// Why no agent saves views.
const FOR_PEOPLE: &str = "keeps what a person looks at";

/// The filter of views.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListViewsQuery {
    /// Only views of this project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Page size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of views.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListViewsResponse {
    /// The views.
    pub views: Vec<SavedView>,
    /// The page.
    pub meta: PageMeta,
}

/// One view.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ViewResponse {
    /// The view.
    pub view: SavedView,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteViewResponse {
    /// Always true.
    pub deleted: bool,
    /// The view.
    pub view_id: ViewId,
}

/// The path of an operation on one view.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ViewPath {
    /// The view.
    pub view_id: ViewId,
}

/// The query of the cards that a view shows, in no particular order.
impl From<ViewFilter> for ListCardsQuery {
    fn from(filter: ViewFilter) -> Self {
        Self {
            open: filter.open,
            tag: filter.tag,
            assignee: filter.assignee,
            priority: filter.priority,
            card_type: filter.card_type,
            parent: filter.parent,
            blocked: filter.blocked,
            q: filter.q.map(|q| q.as_str().to_owned()),
            updated_since: filter.updated_since,
            author: filter.author,
            deadline_after: filter.deadline_after,
            deadline_before: filter.deadline_before,
            due: filter.due,
            team: filter.team,
            status: filter.status,
            sprint: filter.sprint,
            fields: filter.fields,
            ..Self::default()
        }
    }
}
