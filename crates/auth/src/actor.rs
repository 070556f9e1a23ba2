//! The caller of a request and the requirements of operations, checked before any resource is looked up.

use domain::content::project::BranchName;
use domain::id::{ApiKeyId, OrganizationId, ProjectId, SessionId, UserId};
use domain::work::session::ConnectionId;
use domain::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::json;

use domain::people::permission::{Permission, Permissions};

use crate::browser_token::TokenRecord;

/// The authenticated caller of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// The acting user.
    pub user: UserId,
    /// The credential of the request.
    pub credential: ActorCredential,
    /// The permissions of the credential, which limit the user's roles.
    pub ceiling: Permissions,
    /// The key's confinement, if any.
    pub confinement: Option<Confinement>,
    /// The session in which a tool acts for the user, if any.
    pub acting_in: Option<Box<ActingSession>>,
}

/// A session in which tools act for a user. They reach no other project, even if the user and the key do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActingSession {
    /// The session, recorded in the history of changes.
    pub session: SessionId,
    /// Its project.
    pub project: ProjectId,
    /// The organization that owns the project, whose teams are reachable; `None` for a user's project.
    pub organization: Option<OrganizationId>,
}

/// The kind and identity of a usable credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActorCredential {
    /// An API key.
    ApiKey(ApiKeyId),
    /// A browser access token.
    Browser(TokenRecord),
    /// No credential: a job goes on for its user after the browser's request, or a calendar program shows a feed's
    /// secret.
    Job,
    /// A data-plane grant.
    Grant(Box<ActorGrant>),
}

/// The binding of a verified grant. Its JSON is the grant's private claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActorGrant {
    /// The API key that minted it; `None` for a browser session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<ApiKeyId>,
    /// The only project that it reaches.
    pub project: ProjectId,
    /// Its purpose and the resources bound by it.
    #[serde(flatten)]
    pub purpose: Purpose,
}

/// The purpose of a grant (docs/api.md, section 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "purpose", rename_all = "lowercase")]
pub enum Purpose {
    /// A person's or an agent's work in a session.
    Session(GrantedSession),
    /// A running Code execution.
    Automation(GrantedSession),
    /// The sandbox of an evaluation run.
    Evaluation(GrantedSession),
    /// Reading a project's files. It belongs to no session and is revoked with its key.
    Download,
    /// The attachments of a project's cards. It belongs to no session and is revoked with its key.
    Attachments,
}

/// The session of a grant, whose end revokes it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GrantedSession {
    /// The session's branch.
    pub branch: BranchName,
    /// The session.
    pub session: SessionId,
    /// The session's data-plane connection.
    pub connection: ConnectionId,
}

impl ActorGrant {
    /// The grant's session; `None` for a grant for downloads or attachments.
    pub fn session(&self) -> Option<&GrantedSession> {
        match &self.purpose {
            Purpose::Session(session) | Purpose::Automation(session) | Purpose::Evaluation(session) => {
                Some(session)
            }
            Purpose::Download | Purpose::Attachments => None,
        }
    }
}

/// The projects and organizations that a key is confined to (docs/api.md, section 3).
///
/// A project is inside if it or its organization is listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Projects.
    pub projects: Vec<ProjectId>,
    /// Organizations with all their projects.
    pub organizations: Vec<OrganizationId>,
}

impl Actor {
    /// The session of a tool or a grant.
    pub fn session(&self) -> Option<SessionId> {
        let granted = match &self.credential {
            ActorCredential::Grant(grant) => grant.session().map(|granted| granted.session),
            ActorCredential::ApiKey(_) | ActorCredential::Browser(_) | ActorCredential::Job => None,
        };
        self.acting_in.as_ref().map(|acting| acting.session).or(granted)
    }

    /// True if the credential reaches this project, regardless of its user's role. `owner` is the owning organization.
    pub fn reaches_project(&self, project: ProjectId, owner: Option<OrganizationId>) -> bool {
        if let ActorCredential::Grant(grant) = &self.credential
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

    /// True if the credential reaches this organization and its teams.
    pub fn reaches_organization(&self, organization: OrganizationId) -> bool {
        !matches!(self.credential, ActorCredential::Grant(_))
            && self.confinement.as_ref().is_none_or(|to| to.organizations.contains(&organization))
            && self.acting_in.as_ref().is_none_or(|acting| acting.organization == Some(organization))
    }

    /// True for the grant of an execution.
    fn is_automation(&self) -> bool {
        matches!(&self.credential, ActorCredential::Grant(grant) if matches!(grant.purpose, Purpose::Automation(_)))
    }

    /// The API key: the credential itself, or the key that minted the grant.
    pub fn key(&self) -> Option<ApiKeyId> {
        match &self.credential {
            ActorCredential::ApiKey(key) => Some(*key),
            ActorCredential::Browser(_) | ActorCredential::Job => None,
            ActorCredential::Grant(grant) => grant.key,
        }
    }

    /// The browser token, if the credential is one.
    pub fn browser_token(&self) -> Option<&TokenRecord> {
        match &self.credential {
            ActorCredential::Browser(token) => Some(token),
            ActorCredential::ApiKey(_) | ActorCredential::Job | ActorCredential::Grant(_) => None,
        }
    }
}

/// The requirement that an operation makes on a credential.
///
/// The types below are its only values. A handler's signature names one, and the compiler refuses a store call with
/// another.
pub trait Requirement: Send + Sync + 'static {
    /// The required permission, if any.
    const PERMISSION: Option<Permission>;
    /// True if only a browser token is accepted.
    const BROWSER_ONLY: bool = false;
    /// True if only the grant of a running execution is accepted.
    const AUTOMATION_ONLY: bool = false;

    /// Checks type and scope of the credential, independently of resources.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, `INSUFFICIENT_SCOPE`.
    fn check(actor: &Actor) -> Result<()> {
        if Self::BROWSER_ONLY && actor.browser_token().is_none() {
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

impl Requirement for Authenticated {
    const PERMISSION: Option<Permission> = None;
}

/// A browser token only.
#[derive(Clone, Copy, Debug)]
pub struct BrowserOnly;

impl Requirement for BrowserOnly {
    const PERMISSION: Option<Permission> = None;
    const BROWSER_ONLY: bool = true;
}

/// A browser token only, with [`Permission::ProjectManage`]: people of projects and organizations.
#[derive(Clone, Copy, Debug)]
pub struct BrowserProjectManage;

impl Requirement for BrowserProjectManage {
    const PERMISSION: Option<Permission> = Some(Permission::ProjectManage);
    const BROWSER_ONLY: bool = true;
}

/// A browser token only, with [`Permission::TeamManage`]: people of teams.
#[derive(Clone, Copy, Debug)]
pub struct BrowserTeamManage;

impl Requirement for BrowserTeamManage {
    const PERMISSION: Option<Permission> = Some(Permission::TeamManage);
    const BROWSER_ONLY: bool = true;
}

/// The grant of a running execution only, with [`Permission::ProjectWrite`].
#[derive(Clone, Copy, Debug)]
pub struct AutomationOnly;

impl Requirement for AutomationOnly {
    const PERMISSION: Option<Permission> = Some(Permission::ProjectWrite);
    const AUTOMATION_ONLY: bool = true;
}

macro_rules! needs {
    ($($name:ident),+) => {$(
        #[doc = concat!("The permission [`Permission::", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Requirement for $name {
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
    use domain::content::project::BranchName;
    use domain::id::{ApiKeyId, ExecutionId, ProjectId, SessionId, UserId};
    use domain::time::Timestamp;
    use domain::work::session::ConnectionId;
    use serde_json::json;

    use super::{
        Actor, ActorCredential, ActorGrant, Authenticated, AutomationOnly, BrowserOnly, CardDelete,
        GrantedSession, ProjectRead, Purpose, Requirement, UsageRead,
    };
    use crate::browser_token::TokenRecord;
    use domain::people::permission::{Permissions, Scope};

    fn actor(credential: ActorCredential, ceiling: Permissions) -> Actor {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        Actor { user: UserId::new(now), credential, ceiling, confinement: None, acting_in: None }
    }

    fn browser() -> ActorCredential {
        let expires_at = Timestamp::parse("2026-11-20T13:00:00Z").unwrap();
        ActorCredential::Browser(TokenRecord { hash: [0; 32], issued_at: None, expires_at })
    }

    fn key(scopes: &[Scope]) -> Actor {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        actor(ActorCredential::ApiKey(ApiKeyId::new(now)), Permissions::of_scopes(scopes))
    }

    #[test]
    fn a_key_is_limited_to_its_scopes_and_the_refusal_names_the_missing_one() {
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
    fn an_operation_for_browsers_takes_only_a_browser_token() {
        assert!(BrowserOnly::check(&actor(browser(), Permissions::all())).is_ok());
        for other in [key(&Scope::ALL), actor(ActorCredential::Job, Permissions::all())] {
            assert_eq!(BrowserOnly::check(&other).unwrap_err().code, Code::CredentialNotPermitted);
        }
    }

    #[test]
    fn an_operation_for_executions_takes_only_an_automation_grant() {
        let now = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        let granted = GrantedSession {
            branch: BranchName::main(),
            session: SessionId::new(now),
            connection: ConnectionId::of_execution(ExecutionId::new(now)),
        };
        let grant = |purpose: Purpose| {
            let grant = ActorGrant { key: None, project: ProjectId::new(now), purpose };
            actor(ActorCredential::Grant(Box::new(grant)), Permissions::of_scopes(&[Scope::ProjectsWrite]))
        };
        assert!(AutomationOnly::check(&grant(Purpose::Automation(granted.clone()))).is_ok());
        let others = [
            actor(ActorCredential::Job, Permissions::all()),
            grant(Purpose::Session(granted.clone())),
            grant(Purpose::Evaluation(granted)),
            grant(Purpose::Download),
            grant(Purpose::Attachments),
            key(&Scope::ALL),
            actor(browser(), Permissions::all()),
        ];
        for other in others {
            assert_eq!(AutomationOnly::check(&other).unwrap_err().code, Code::CredentialNotPermitted);
        }
    }
}
