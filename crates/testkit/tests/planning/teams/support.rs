//! Common steps of the tests of teams.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::deployment::Deployment;
use testkit::seed::{MANAGE_WITH_TEAMS, User};

/// A deployment with an organization, its owner, and a team with a linked project.
pub struct Team {
    /// Dropped last, because its checks need the end state.
    pub deployment: Deployment,
    /// The organization's owner, and the team's manager.
    pub alice: User,
    /// A caller with a key of hers with all scopes for projects, cards and teams.
    pub caller: Caller,
    /// The organization.
    pub org: String,
    /// The team.
    pub id: String,
    /// The project.
    pub project: String,
}

impl Team {
    /// On the shared deployment.
    pub async fn open() -> Self {
        Self::on(Deployment::shared()).await
    }

    /// On a deployment of the test's own.
    pub async fn own() -> Self {
        Self::on(Deployment::start().await).await
    }

    /// Creates it on a running deployment.
    pub async fn on(deployment: Deployment) -> Self {
        let operator = deployment.operator();
        let alice = operator.user("alice").await;
        let caller = alice.key(MANAGE_WITH_TEAMS).await;
        let org = operator.organization("works", &alice).await;
        let team = caller.post(&format!("/api/v2/orgs/{org}/teams")).json(json!({ "name": "Wheels" }));
        let team = team.await.expect(201).text("/team/id");
        let mut made = Self { deployment, alice, caller, org, id: team, project: String::new() };
        made.project = made.linked_project("Gear").await;
        made
    }

    /// A path below the organization.
    pub fn in_org(&self, path: &str) -> String {
        format!("/api/v2/orgs/{}/{path}", self.org)
    }

    /// Creates a team of the organization; returns its id.
    pub async fn another_team(&self, body: Value) -> String {
        self.caller.post(&self.in_org("teams")).json(body).await.expect(201).text("/team/id")
    }

    /// Creates a private project of the organization; returns its id.
    pub async fn unlinked_project(&self, name: &str) -> String {
        let body = json!({ "name": name, "orgId": self.org });
        self.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id")
    }

    /// Creates a private project of the organization and links it to the team; returns its id.
    pub async fn linked_project(&self, name: &str) -> String {
        let project = self.unlinked_project(name).await;
        self.put(&format!("projects/{project}")).await.expect(200);
        project
    }

    /// Creates a column at the end; returns its id.
    pub async fn status(&self, name: &str) -> String {
        self.post("statuses", json!({ "name": name })).await.expect(201).text("/status/id")
    }

    /// The names of the columns in order.
    pub async fn columns(&self) -> String {
        names(&self.get("statuses").await.expect(200), "statuses")
    }

    /// A user with a role in the organization, and a caller with the user's key.
    pub async fn member(&self, name: &str, role: &str) -> (User, Caller) {
        let operator = self.deployment.operator();
        let user = operator.user(name).await;
        operator.add_member(&user, "--org", &self.org, role).await;
        let caller = user.key(MANAGE_WITH_TEAMS).await;
        (user, caller)
    }

    /// A caller with a key of alice's confined to one thing: `to` is `projectIds` or `orgIds`.
    pub async fn confined(&self, to: &str, id: &str) -> Caller {
        let mut body = json!({ "name": "confined", "scopes": MANAGE_WITH_TEAMS });
        body[to] = json!([id]);
        let key = self.alice.browser().await.post("/api/v2/api-keys").json(body).await.expect(201);
        self.caller.with(&key.text("/key"))
    }
}

impl Base for Team {
    fn caller(&self) -> &Caller {
        &self.caller
    }

    /// A path below the team; the team's own path if `path` is empty.
    fn at(&self, path: &str) -> String {
        format!("{}/{path}", self.in_org(&format!("teams/{}", self.id))).trim_end_matches('/').to_owned()
    }
}

/// The names of a list's elements in order.
pub fn names(answer: &Answer, list: &str) -> String {
    let json = answer.json();
    let names = json[list].as_array().unwrap().iter().map(|element| element["name"].as_str().unwrap());
    names.collect::<Vec<_>>().join(" ")
}
