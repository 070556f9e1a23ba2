//! The audit log, as its readers see it: ids alone, no content.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Code;
use crate::id::{ApiKeyId, OrganizationId, ProjectId, UserId};
use crate::time::Timestamp;

/// The result of a change that was made.
pub const OK: &str = "OK";

/// A change, or an attempt that was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// Position in the log: a later entry has a greater one.
    pub id: String,
    /// Start of the request.
    pub occurred_at: Timestamp,
    /// The operation's id, for example `createProject`; an operator's has a dot, for example `member.added`.
    pub operation: String,
    /// `OK`, or the code of the refusal.
    pub result: String,
    /// The acting user; null for an operator.
    pub user_id: Option<UserId>,
    /// The API key: the credential itself, or the key that minted the grant; null for a browser session.
    pub key_id: Option<ApiKeyId>,
    /// The request's id; null for an operator.
    pub request_id: Option<String>,
    /// The project that the request named.
    pub project_id: Option<ProjectId>,
    /// The organization that the request named, or that owns the project.
    pub organization_id: Option<OrganizationId>,
    /// The resource: what was created, or the last id in the request's path.
    pub target_id: Option<Uuid>,
    /// Number of attempts that the entry stands for: refusals that repeat are counted.
    pub attempts: u32,
}

/// An entry before it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRecord {
    /// Start of the request.
    pub occurred_at: Timestamp,
    /// The operation's id.
    pub operation: &'static str,
    /// `None` for a change that was made.
    pub refusal: Option<Code>,
    /// The acting user.
    pub user: UserId,
    /// The acting user's API key.
    pub key: Option<ApiKeyId>,
    /// The request's id.
    pub request_id: String,
    /// The ids in the request's path.
    pub named: NamedIds,
}

/// The ids in a request's path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NamedIds {
    /// The project.
    pub project: Option<ProjectId>,
    /// The organization.
    pub organization: Option<OrganizationId>,
    /// The last id.
    pub last: Option<Uuid>,
}

impl NamedIds {
    /// The ids in a path's parameters, by name and in their order.
    pub fn of<'a>(parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut named = Self::default();
        for (name, value) in parameters {
            // A project may be followed by its branch.
            let (id, _) = value.split_once("--").unwrap_or((value, ""));
            let Ok(id) = Uuid::try_parse(id) else { continue };
            match name {
                "projectId" => named.project = Some(ProjectId(id)),
                "orgId" => named.organization = Some(OrganizationId(id)),
                _ => {}
            }
            named.last = Some(id);
        }
        named
    }
}

#[cfg(test)]
mod tests {
    use super::NamedIds;
    use crate::id::ProjectId;

    #[test]
    fn ids_are_taken_from_a_path() {
        let (project, card) =
            ("0198c5f0-0000-7000-8000-000000000001", "0198c5f0-0000-7000-8000-000000000002");
        let at_branch = format!("{project}--main");
        let named = NamedIds::of([("projectId", at_branch.as_str()), ("cardId", card), ("name", "wiki")]);
        assert_eq!(named.project, Some(ProjectId(project.parse().unwrap())));
        assert_eq!((named.organization, named.last), (None, Some(card.parse().unwrap())));
    }
}
