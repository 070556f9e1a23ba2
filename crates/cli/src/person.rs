//! People on the command line: an id, a name, an email address, or `me`. What a person alone may do (keys, members,
//! invitations) takes a browser token: the service takes no key for it.

use api::content::projects::members::ListProjectMembers;
use api::people::me::GetMe;
use api::people::organizations::ListOrganizations;
use api::people::organizations::members::ListMembers;
use api::planning::teams::members::ListTeamMembers;
use client::{Client, RequestError};
use domain::Code;
use domain::id::{OrganizationId, ProjectId, UserId};
use domain::people::member::{OrganizationMember, ProjectMember, TeamMember};
use domain::people::organization::OrganizationRecord;
use futures_util::TryStreamExt;

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::team::Team;
use crate::variable::key_of_variable;

/// The text that stands for the caller.
const ME: &str = "me";

/// A person or a service account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    /// Id.
    pub(crate) id: UserId,
    /// Name.
    pub(crate) name: String,
    /// Email address, where the caller may see it.
    email: Option<String>,
}

/// The people who may be meant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates(Vec<Person>);

impl Candidates {
    /// The members of an organization.
    pub(crate) async fn of_organization(client: &Client, id: &OrganizationId) -> CommandResult<Self> {
        let members: Vec<OrganizationMember> = client.call(ListMembers, *id).rows().try_collect().await?;
        Ok(Self(members.into_iter().map(Person::from).collect()))
    }

    /// The members of all organizations of the caller, each once.
    pub(crate) async fn of_caller(client: &Client) -> CommandResult<Self> {
        let organizations: Vec<OrganizationRecord> =
            client.call(ListOrganizations, ()).rows().try_collect().await?;
        let mut people = Vec::new();
        for organization in organizations {
            people.extend(Self::of_organization(client, &organization.id).await?.0);
        }
        people.sort_by_key(|person: &Person| person.id);
        people.dedup_by_key(|person| person.id);
        Ok(Self(people))
    }

    /// The users with a role on a project.
    pub(crate) async fn of_project(client: &Client, id: &ProjectId) -> CommandResult<Self> {
        let members: Vec<ProjectMember> = client.call(ListProjectMembers, *id).rows().try_collect().await?;
        let person = |member: ProjectMember| Person::named(member.user_id, member.name.to_string());
        Ok(Self(members.into_iter().map(person).collect()))
    }

    /// The members of a team.
    pub(crate) async fn of_team(client: &Client, team: &Team) -> CommandResult<Self> {
        let members = client.call(ListTeamMembers, team.path()).rows();
        let members: Vec<TeamMember> = members.try_collect().await?;
        let person = |member: TeamMember| Person::named(member.user_id, member.name.to_string());
        Ok(Self(members.into_iter().map(person).collect()))
    }

    /// The person who is meant; `list` is the command that lists the candidates.
    pub(crate) async fn find(
        self,
        client: &Client,
        text: &str,
        list: &str,
        beginning: Beginning,
    ) -> CommandResult<Person> {
        if text == ME {
            let user = client.call(GetMe, ()).await?.user;
            return Ok(Person::named(user.id, user.name.to_string()));
        }
        let has_address = |person: &Person| {
            person.email.as_deref().is_some_and(|address| address.eq_ignore_ascii_case(text))
        };
        match self.0.iter().find(|person| has_address(person)) {
            Some(person) => Ok(person.clone()),
            None => {
                let wanted = RowName { kind: "person", text, list, beginning };
                wanted.among(self.0, |person| (person.id.to_string(), person.name.clone()))
            }
        }
    }
}

impl Person {
    fn named(id: UserId, name: String) -> Self {
        Self { id, name, email: None }
    }
}

impl From<OrganizationMember> for Person {
    fn from(member: OrganizationMember) -> Self {
        Self { id: member.user_id, name: member.name.to_string(), email: member.email }
    }
}

/// The failure of a request for which the service takes no key, with the way to the credential that it asks for.
pub(crate) fn explained(error: RequestError) -> CommandFailure {
    let needs_browser = error.code() == Some(Code::CredentialNotPermitted);
    let failure = CommandFailure::from(error);
    match (key_of_variable(), failure.exit) {
        (Some(_), _) if needs_browser => {
            failure.next("Put a browser token into ATELIER_KEY, or unset it and sign in: atelier login --web")
        }
        (None, _) if needs_browser => {
            failure.next("A key can't do this. Sign in through the browser: atelier login --web")
        }
        (None, Exit::SignedOut) => failure.next("Sign in through the browser again: atelier login --web"),
        _ => failure,
    }
}
