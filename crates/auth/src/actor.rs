//! Who calls, with what, and what an operation demands of that: checked before anything is looked up.

use domain::id::{ApiKeyId, OrganizationId, ProjectId, SessionId, UserId};
use domain::project::BranchName;
use domain::session::ConnectionId;
use domain::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::permission::{Permission, Permissions};

/// The authenticated caller of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The acting user.
    pub user: UserId,
    /// What was presented.
    pub credential: Presented,
    /// The most that this credential may do, whatever the user's roles.
    pub ceiling: Permissions,
    /// What the key is confined to; `None` where it is not.
    pub confinement: Option<Confinement>,
    /// The session in which a tool acts for the user; `None` where the user acts without one.
    pub acting_in: Option<Box<ActingSession>>,
}

/// A session in which tools act for a user. They reach no other project, whatever the user and the key may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActingSession {
    /// The session, which the history of what is changed names.
    pub session: SessionId,
    /// Its project.
    pub project: ProjectId,
    /// The organization that owns the project, whose teams can be reached; `None` where there are none.
    pub organization: Option<OrganizationId>,
}

/// The kind and identity of a usable credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presented {
    /// An API key.
    ApiKey(ApiKeyId),
    /// A browser access token.
    Browser,
    /// A data-plane grant.
    Grant(Box<PresentedGrant>),
}

/// What a verified grant is bound to. Serialized, it is the grant's private claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PresentedGrant {
    /// The API key that minted it; `None` for a browser session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<ApiKeyId>,
    /// The one project that it reaches.
    pub project: ProjectId,
    /// What it was issued for, and what it is bound to by that.
    #[serde(flatten)]
    pub purpose: Purpose,
}

/// What a grant was issued for (contract, section 3; specification, "Authentication", 8).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "purpose", rename_all = "lowercase")]
pub enum Purpose {
    /// A person's or an agent's work in a session.
    Session(GrantedSession),
    /// A running Code execution.
    Automation(GrantedSession),
    /// The sandbox of an evaluation run.
    Evaluation(GrantedSession),
    /// Reading the files that a clone points to. It belongs to no session, and dies with its key.
    Clone,
}

/// The session that a grant dies with.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GrantedSession {
    /// The branch that it works on.
    pub branch: BranchName,
    /// The session.
    pub session: SessionId,
    /// The session's own data-plane connection.
    pub connection: ConnectionId,
}

impl PresentedGrant {
    /// The session that the grant dies with; `None` where it belongs to none.
    pub fn session(&self) -> Option<&GrantedSession> {
        match &self.purpose {
            Purpose::Session(session) | Purpose::Automation(session) | Purpose::Evaluation(session) => {
                Some(session)
            }
            Purpose::Clone => None,
        }
    }
}

/// The projects and organizations that a key is confined to (contract, section 3). A project is within where it
/// is listed or its organization is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Projects.
    pub projects: Vec<ProjectId>,
    /// Organizations, with all that they own.
    pub organizations: Vec<OrganizationId>,
}

impl Actor {
    /// The session behind what is done: the one in which a tool acts, or the grant's.
    pub fn session(&self) -> Option<SessionId> {
        let granted = match &self.credential {
            Presented::Grant(grant) => grant.session().map(|granted| granted.session),
            Presented::ApiKey(_) | Presented::Browser => None,
        };
        self.acting_in.as_ref().map(|acting| acting.session).or(granted)
    }

    /// Whether the credential reaches this project at all, whatever its user may do there; `owner` is the organization
    /// that owns it, where one does.
    pub fn reaches_project(&self, project: ProjectId, owner: Option<OrganizationId>) -> bool {
        if let Presented::Grant(grant) = &self.credential
            && grant.project != project
        {
            return false;
        }
        let confined_to_it = self.confinement.as_ref().is_none_or(|confinement| {
            confinement.projects.contains(&project)
                || owner.is_some_and(|owner| confinement.organizations.contains(&owner))
        });
        confined_to_it && self.acting_in.as_ref().is_none_or(|acting| acting.project == project)
    }

    /// Whether the credential reaches this organization and its teams at all.
    pub fn reaches_organization(&self, organization: OrganizationId) -> bool {
        !matches!(self.credential, Presented::Grant(_))
            && self.confinement.as_ref().is_none_or(|to| to.organizations.contains(&organization))
            && self.acting_in.as_ref().is_none_or(|acting| acting.organization == Some(organization))
    }

    /// Whether the credential is the grant of an execution.
    fn is_automation(&self) -> bool {
        matches!(&self.credential, Presented::Grant(grant) if matches!(grant.purpose, Purpose::Automation(_)))
    }

    /// The API key behind the credential: presented itself, or the one that minted the grant.
    pub fn key(&self) -> Option<ApiKeyId> {
        match &self.credential {
            Presented::ApiKey(key) => Some(*key),
            Presented::Browser => None,
            Presented::Grant(grant) => grant.key,
        }
    }
}

/// What an operation demands of a credential. The types below are its only values, so that a handler's
/// signature says what it needs and the compiler refuses a store call that needs something else.
pub trait Needs: Send + Sync + 'static {
    /// The permission, where the operation needs one.
    const PERMISSION: Option<Permission>;
    /// Whether a browser token alone is accepted.
    const BROWSER_ONLY: bool = false;
    /// Whether the grant of a running execution alone is accepted.
    const AUTOMATION_ONLY: bool = false;

    /// Checks type and scope of the credential; nothing here depends on a resource.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, `INSUFFICIENT_SCOPE`.
    fn check(actor: &Actor) -> Result<()> {
        if Self::BROWSER_ONLY && !matches!(actor.credential, Presented::Browser) {
            return Err(Error::new(
                Code::CredentialNotPermitted,
                "This operation takes a browser token only.",
            ));
        }
        if Self::AUTOMATION_ONLY && !actor.is_automation() {
            return Err(Error::new(
                Code::CredentialNotPermitted,
                "This operation takes the grant of a running execution only.",
            ));
        }
        match Self::PERMISSION {
            Some(permission) if !actor.ceiling.contains(permission) => {
                let scope = permission.scope();
                Err(Error::new(Code::InsufficientScope, format!("The credential lacks the scope `{scope}`."))
                    .with_details(json!({ "requiredScope": scope })))
            }
            _ => Ok(()),
        }
    }
}

/// Any usable credential.
#[derive(Clone, Copy, Debug)]
pub struct Authenticated;

impl Needs for Authenticated {
    const PERMISSION: Option<Permission> = None;
}

/// A browser token, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct BrowserOnly;

impl Needs for BrowserOnly {
    const PERMISSION: Option<Permission> = None;
    const BROWSER_ONLY: bool = true;
}

/// The grant of a running execution, and nothing else, with [`Permission::ProjectWrite`] (specification,
/// "Authentication", 8).
#[derive(Clone, Copy, Debug)]
pub struct AutomationOnly;

impl Needs for AutomationOnly {
    const PERMISSION: Option<Permission> = Some(Permission::ProjectWrite);
    const AUTOMATION_ONLY: bool = true;
}

macro_rules! needs {
    ($($name:ident),+) => {$(
        #[doc = concat!("The permission [`Permission::", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Needs for $name {
            const PERMISSION: Option<Permission> = Some(Permission::$name);
        }
    )+};
}

needs!(
    ProjectRead,
    ProjectWrite,
    ProjectManage,
    CardRead,
    CardWrite,
    CardDelete,
    TeamRead,
    TeamWrite,
    TeamManage,
    UsageRead
);

#[cfg(test)]
mod tests {
    use domain::Code;
    use domain::id::{ApiKeyId, ExecutionId, ProjectId, SessionId, UserId};
    use domain::project::BranchName;
    use domain::session::ConnectionId;
    use domain::time::Timestamp;
    use serde_json::json;

    use super::{
        Actor, Authenticated, AutomationOnly, BrowserOnly, CardDelete, GrantedSession, Needs, Presented,
        PresentedGrant, ProjectRead, Purpose, UsageRead,
    };
    use crate::permission::{Permissions, Scope};

    fn actor(credential: Presented, ceiling: Permissions) -> Actor {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        Actor { user: UserId::new(now), credential, ceiling, confinement: None, acting_in: None }
    }

    fn key(scopes: &[Scope]) -> Actor {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        actor(Presented::ApiKey(ApiKeyId::new(now)), Permissions::of_scopes(scopes))
    }

    #[test]
    fn a_key_does_what_its_scopes_give_and_is_told_which_scope_it_lacks() {
        let key = key(&[Scope::ProjectsManage]);
        assert!(ProjectRead::check(&key).is_ok());
        let refusal = CardDelete::check(&key).unwrap_err();
        assert_eq!(refusal.code, Code::InsufficientScope);
        assert_eq!(refusal.details.as_deref(), Some(&json!({ "requiredScope": "cards:manage" })));
        assert_eq!(UsageRead::check(&key).unwrap_err().code, Code::InsufficientScope);
    }

    #[test]
    fn an_operation_without_a_permission_takes_any_usable_credential() {
        assert!(Authenticated::check(&key(&[])).is_ok());
    }

    #[test]
    fn an_operation_for_browsers_takes_a_browser_token_alone() {
        assert!(BrowserOnly::check(&actor(Presented::Browser, Permissions::all())).is_ok());
        let refusal = BrowserOnly::check(&key(&Scope::ALL)).unwrap_err();
        assert_eq!(refusal.code, Code::CredentialNotPermitted);
    }

    #[test]
    fn an_operation_for_executions_takes_an_automation_grant_alone() {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        let granted = GrantedSession {
            branch: BranchName::main(),
            session: SessionId::new(now),
            connection: ConnectionId::of_execution(ExecutionId::new(now)),
        };
        let grant = |purpose: Purpose| {
            let grant = PresentedGrant { key: None, project: ProjectId::new(now), purpose };
            actor(Presented::Grant(Box::new(grant)), Permissions::of_scopes(&[Scope::ProjectsWrite]))
        };
        assert!(AutomationOnly::check(&grant(Purpose::Automation(granted.clone()))).is_ok());
        let others = [
            grant(Purpose::Session(granted.clone())),
            grant(Purpose::Evaluation(granted)),
            grant(Purpose::Clone),
            key(&Scope::ALL),
            actor(Presented::Browser, Permissions::all()),
        ];
        for other in others {
            assert_eq!(AutomationOnly::check(&other).unwrap_err().code, Code::CredentialNotPermitted);
        }
    }
}
