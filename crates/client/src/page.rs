//! Pages of lists as one stream of rows.

use api::cards::ListCardsResponse;
use api::history::ListHistoryResponse;
use domain::card::{CardRecord, IndexCard};
use domain::history::HistoryRow;
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
    api::api_keys::ListApiKeysResponse, api_keys: domain::api_key::ApiKeyRecord;
    api::approvals::ListApprovalsResponse, approvals: api::approvals::Approval;
    api::audit::AuditResponse, entries: domain::audit::AuditEntry;
    api::branches::ListBranchesResponse, branches: domain::commit::BranchRecord;
    api::cards::comments::ListCommentsResponse, comments: domain::card::Comment;
    api::commits::ListCommitsResponse, commits: domain::commit::CommitRecord;
    api::compare::CompareResponse, objects: domain::compare::ObjectChange;
    api::executions::ListExecutionsResponse, executions: api::executions::Execution;
    api::invitations::ListOwnInvitationsResponse, invitations: domain::invitation::InvitationRecord;
    api::mcp_servers::ListMcpServersResponse, mcp_servers: domain::mcp_server::McpServerRecord;
    api::objects::ListObjectVersionsResponse, versions: api::objects::ListedObjectVersion;
    api::objects::ListObjectsResponse, objects: domain::object::Object;
    api::organizations::invitations::ListInvitationsResponse, invitations: domain::invitation::InvitationRecord;
    api::organizations::members::ListMembersResponse, members: domain::member::OrganizationMember;
    api::organizations::ListOrganizationsResponse, organizations: domain::organization::OrganizationRecord;
    api::packages::ListPackagesResponse, packages: domain::package::Package;
    api::projects::members::ListProjectMembersResponse, members: domain::member::ProjectMember;
    api::projects::ListProjectsResponse, projects: domain::project::ProjectRecord;
    api::sessions::conversation::ListMessagesResponse, messages: domain::conversation::Message;
    api::sessions::ListSessionsResponse, sessions: api::sessions::SessionView;
    api::sessions::tools::ListToolsResponse, tools: domain::tool::Tool;
    api::sessions::uploads::ListUploadsResponse, uploads: domain::upload::ResumableUpload;
    api::sprints::ListSprintsResponse, sprints: domain::sprint::SprintRecord;
    api::teams::available_cards::AvailableTeamCardsResponse, cards: domain::available::AvailableTeamCard;
    api::teams::statuses::ListStatusesResponse, statuses: domain::status::StatusRecord;
    api::teams::members::ListTeamMembersResponse, members: domain::member::TeamMember;
    api::teams::projects::ListTeamProjectsResponse, projects: domain::team::LinkedProject;
    api::teams::ListTeamsResponse, teams: domain::team::TeamRecord;
    api::usage::ListCardUsageResponse, cards: domain::usage::report::CardCost;
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
