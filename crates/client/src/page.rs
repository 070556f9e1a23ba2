//! Pages of lists as one stream of rows.

use api::planning::cards::ListCardsResponse;
use api::planning::history::ListHistoryResponse;
use domain::planning::card::{CardRecord, IndexCard};
use domain::planning::history::HistoryRow;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;

use crate::call::Call;
use crate::error::RequestResult;

/// An answer that is a page of a list.
pub trait Page: DeserializeOwned + Send + 'static {
    /// A row.
    type Row: Send + 'static;

    /// The parameter that asks for the next page.
    const POSITION: &'static str = "cursor";

    /// The rows, and the position of the next page.
    fn into_rows(self) -> (Vec<Self::Row>, Option<String>);
}

/// Declares the pages: the answer, the field of its rows, their type.
macro_rules! pages {
    ($($answer:path, $field:ident: $row:path;)+) => {$(
        impl Page for $answer {
            type Row = $row;

            fn into_rows(self) -> (Vec<$row>, Option<String>) {
                (self.$field, self.meta.next_cursor)
            }
        }
    )+};
}

pages! {
    api::people::api_keys::ListApiKeysResponse, api_keys: domain::people::api_key::ApiKeyRecord;
    api::work::approvals::ListApprovalsResponse, approvals: api::work::approvals::Approval;
    api::people::audit::AuditResponse, entries: domain::people::audit::AuditEntry;
    api::content::branches::ListBranchesResponse, branches: domain::content::commit::BranchRecord;
    api::planning::cards::comments::ListCommentsResponse, comments: domain::planning::card::Comment;
    api::content::commits::ListCommitsResponse, commits: domain::content::commit::CommitRecord;
    api::content::compare::CompareResponse, objects: domain::content::compare::ObjectChange;
    api::work::executions::ListExecutionsResponse, executions: api::work::executions::Execution;
    api::people::invitations::ListOwnInvitationsResponse, invitations: domain::people::invitation::InvitationRecord;
    api::work::mcp_servers::ListMcpServersResponse, mcp_servers: domain::work::mcp_server::McpServerRecord;
    api::content::objects::ListObjectVersionsResponse, versions: api::content::objects::ListedObjectVersion;
    api::content::objects::ListObjectsResponse, objects: domain::content::object::Object;
    api::people::organizations::invitations::ListInvitationsResponse, invitations: domain::people::invitation::InvitationRecord;
    api::people::organizations::members::ListMembersResponse, members: domain::people::member::OrganizationMember;
    api::people::organizations::ListOrganizationsResponse, organizations: domain::people::organization::OrganizationRecord;
    api::content::packages::ListPackagesResponse, packages: domain::content::package::Package;
    api::content::projects::members::ListProjectMembersResponse, members: domain::people::member::ProjectMember;
    api::content::projects::ListProjectsResponse, projects: domain::content::project::ProjectRecord;
    api::work::sessions::conversation::ListMessagesResponse, messages: domain::work::conversation::Message;
    api::work::sessions::ListSessionsResponse, sessions: api::work::sessions::SessionView;
    api::work::sessions::tools::ListToolsResponse, tools: domain::work::tool::Tool;
    api::work::sessions::uploads::ListUploadsResponse, uploads: domain::content::upload::ResumableUpload;
    api::planning::saved_views::ListViewsResponse, views: domain::planning::saved_view::SavedView;
    api::planning::sprints::ListSprintsResponse, sprints: domain::planning::sprint::SprintRecord;
    api::planning::teams::available_cards::AvailableTeamCardsResponse, cards: domain::planning::available::AvailableTeamCard;
    api::planning::teams::statuses::ListStatusesResponse, statuses: domain::planning::status::StatusRecord;
    api::planning::teams::members::ListTeamMembersResponse, members: domain::people::member::TeamMember;
    api::planning::teams::projects::ListTeamProjectsResponse, projects: domain::planning::team::LinkedProject;
    api::planning::teams::ListTeamsResponse, teams: domain::planning::team::TeamRecord;
    api::work::usage::ListCardUsageResponse, cards: domain::work::usage::report::CardCost;
}

/// Each card with its index card.
impl Page for ListCardsResponse {
    type Row = (CardRecord, IndexCard);

    fn into_rows(self) -> (Vec<Self::Row>, Option<String>) {
        (self.cards.into_iter().zip(self.index_cards).collect(), self.meta.next_cursor)
    }
}

/// The rows that exist now. A follower keeps `meta.next_after` instead.
impl Page for ListHistoryResponse {
    type Row = HistoryRow;

    const POSITION: &'static str = "after";

    fn into_rows(self) -> (Vec<HistoryRow>, Option<String>) {
        let next = self.meta.has_more.then(|| self.meta.next_after.to_string());
        (self.history, next)
    }
}

impl<A: Page, Q: 'static> Call<A, Q> {
    /// The rows of all pages, each page asked for when the rows before it were taken. The query names no page.
    pub fn rows(self) -> BoxStream<'static, RequestResult<A::Row>> {
        let first = self.parameters(&[("limit", "100")]);
        let pages = stream::try_unfold(Some((first, None::<String>)), async |state| {
            let Some((call, position)) = state else { return Ok(None) };
            let asked = match &position {
                Some(position) => call.clone().parameters(&[(A::POSITION, position)]),
                None => call.clone(),
            };
            let (rows, next) = asked.send().await?.value.into_rows();
            Ok(Some((stream::iter(rows).map(Ok), next.map(|next| (call, Some(next))))))
        });
        pages.try_flatten().boxed()
    }
}
