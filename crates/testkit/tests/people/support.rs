//! Common steps of the tests of people.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};

/// A deployment in which everybody gets an account, with an organization whose owner is Alice.
pub struct Organization {
    /// Dropped last, because its checks need the end state.
    pub deployment: Deployment,
    /// A person who owns the organization.
    pub alice: Person,
    /// The organization.
    pub org: String,
}

/// A person with a browser token.
#[derive(Clone)]
pub struct Person {
    /// The user's id.
    pub id: String,
    /// A caller with the person's browser token.
    pub browser: Caller,
}

impl Organization {
    /// On the shared deployment, where anybody may sign up.
    pub async fn open() -> Self {
        Self::on(Deployment::shared()).await
    }

    /// On a deployment of the test's own.
    pub async fn own() -> Self {
        Self::open_with(Vec::new()).await
    }

    /// A deployment with these settings, too.
    pub async fn open_with(mut environment: Vec<(&'static str, String)>) -> Self {
        environment.push(("ATELIER_SIGN_UP", "anybody".to_owned()));
        Self::on(Deployment::with(Options { environment, ..Options::default() }).await).await
    }

    async fn on(deployment: Deployment) -> Self {
        let alice = Person::sign_in(&deployment, "alice").await;
        let org = alice.organization("Works").await;
        Self { deployment, alice, org }
    }

    /// A path below the organization.
    pub fn at(&self, path: &str) -> String {
        format!("/api/v2/orgs/{}{path}", self.org)
    }

    /// A person who signs in for the first time.
    pub async fn person(&self, name: &str) -> Person {
        Person::sign_in(&self.deployment, name).await
    }

    /// A person who has accepted an invitation with this role.
    pub async fn member(&self, name: &str, role: &str) -> Person {
        let person = self.person(name).await;
        let secret = self.invite(json!({ "role": role })).await.text("/secret");
        person.accept(json!({ "secret": secret })).await.expect(200);
        person
    }

    /// An invitation by Alice.
    pub async fn invite(&self, body: Value) -> Answer {
        self.alice.browser.post(&self.at("/invitations")).json(body).await.expect(201)
    }

    /// Alice's change of a member's role.
    pub async fn set_role(&self, person: &Person, role: &str) -> Answer {
        self.alice.browser.patch(&self.member_path(person)).json(json!({ "role": role })).await
    }

    pub fn member_path(&self, person: &Person) -> String {
        self.at(&format!("/members/{}", person.id))
    }
}

impl Person {
    pub async fn sign_in(deployment: &Deployment, name: &str) -> Self {
        let operator = deployment.operator();
        let browser = operator.newcomer(&operator.address(name)).await;
        let id = browser.get("/api/v2/me").await.expect(200).text("/user/id");
        Self { id, browser }
    }

    /// An API key of the person with these scopes.
    pub async fn key(&self, scopes: &[&str]) -> Caller {
        let body = json!({ "name": "key", "scopes": scopes });
        let key = self.browser.post("/api/v2/api-keys").json(body).await.expect(201);
        self.browser.with(&key.text("/key"))
    }

    /// A new organization of the person.
    pub async fn organization(&self, name: &str) -> String {
        let made = self.browser.post("/api/v2/orgs").json(json!({ "name": name })).await.expect(201);
        made.text("/organization/id")
    }

    /// A new private project, of the organization if one is given.
    pub async fn project(&self, name: &str, org: Option<&str>) -> String {
        let mut body = json!({ "name": name });
        if let Some(org) = org {
            body["orgId"] = json!(org);
        }
        self.browser.post("/api/v2/projects").json(body).await.expect(201).text("/id")
    }

    pub async fn accept(&self, body: Value) -> Answer {
        self.browser.post("/api/v2/invitations/accept").json(body).await
    }

    /// The status of the person's read of a project.
    pub async fn reads(&self, project: &str) -> u16 {
        self.browser.get(&format!("/api/v2/projects/{project}")).await.status
    }
}

/// The elements of a list: a field of each, in order.
pub fn listed(answer: &Answer, list: &str, field: &str) -> Vec<String> {
    let json = answer.json();
    let elements = json[list].as_array().unwrap().iter();
    elements.map(|element| element[field].as_str().unwrap().to_owned()).collect()
}
