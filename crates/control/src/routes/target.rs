//! The targets of `store` that the paths of operations name.

use api::people::organizations::service_accounts::ServiceAccountPath;
use api::planning::card_tags::TagPath;
use api::planning::card_types::CardTypePath;
use api::planning::custom_fields::CustomFieldPath;
use api::planning::sprints::SprintPath;
use api::planning::teams::TeamPath;
use api::planning::teams::members::TeamMemberPath;
use api::planning::teams::projects::TeamProjectPath;
use api::planning::teams::statuses::StatusPath;
use api::work::approvals::ApprovalPath;
use api::work::executions::ExecutionPath;
use api::work::sessions::SessionPath;
use store::{
    CardTypeRef, ExecutionRef, FieldRef, ServiceAccountRef, SessionRef, SprintRef, StatusRef, TagRef,
    TeamProjectRef, TeamRef,
};

/// A path with several parameters that together name a target.
pub trait PathTarget {
    /// The target.
    type Target;

    /// The target that the path names.
    fn target(&self) -> Self::Target;
}

impl PathTarget for TagPath {
    type Target = TagRef;

    fn target(&self) -> TagRef {
        TagRef { project: self.project_id.clone(), tag: self.tag_id }
    }
}

impl PathTarget for CardTypePath {
    type Target = CardTypeRef;

    fn target(&self) -> CardTypeRef {
        CardTypeRef { project: self.project_id.clone(), card_type: self.card_type_id }
    }
}

impl PathTarget for CustomFieldPath {
    type Target = FieldRef;

    fn target(&self) -> FieldRef {
        FieldRef { project: self.project_id.clone(), field: self.field_id }
    }
}

impl PathTarget for SessionPath {
    type Target = SessionRef;

    fn target(&self) -> SessionRef {
        SessionRef { project: self.project_id.clone(), session: self.session_id }
    }
}

/// The session of the question.
impl PathTarget for ApprovalPath {
    type Target = SessionRef;

    fn target(&self) -> SessionRef {
        SessionRef { project: self.project_id.clone(), session: self.session_id }
    }
}

impl PathTarget for ExecutionPath {
    type Target = ExecutionRef;

    fn target(&self) -> ExecutionRef {
        let session = SessionRef { project: self.project_id.clone(), session: self.session_id };
        ExecutionRef { session, execution: self.execution_id }
    }
}

impl PathTarget for ServiceAccountPath {
    type Target = ServiceAccountRef;

    fn target(&self) -> ServiceAccountRef {
        ServiceAccountRef { organization: self.org_id, account: self.account_id }
    }
}

impl PathTarget for TeamPath {
    type Target = TeamRef;

    fn target(&self) -> TeamRef {
        TeamRef { organization: self.org_id, team: self.team_id }
    }
}

/// The team of the membership.
impl PathTarget for TeamMemberPath {
    type Target = TeamRef;

    fn target(&self) -> TeamRef {
        TeamRef { organization: self.org_id, team: self.team_id }
    }
}

impl PathTarget for TeamProjectPath {
    type Target = TeamProjectRef;

    fn target(&self) -> TeamProjectRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        TeamProjectRef { team, project: self.project_id.clone() }
    }
}

impl PathTarget for StatusPath {
    type Target = StatusRef;

    fn target(&self) -> StatusRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        StatusRef { team, status: self.status_id }
    }
}

impl PathTarget for SprintPath {
    type Target = SprintRef;

    fn target(&self) -> SprintRef {
        let team = TeamRef { organization: self.org_id, team: self.team_id };
        SprintRef { team, sprint: self.sprint_id }
    }
}
