//! Common steps of the tests of cards.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::deployment::Deployment;
use testkit::seed::{MANAGE_WITH_CARDS, User};
use testkit::session::create_project;

/// A deployment with one user and one project.
pub struct Project {
    /// Dropped last, because its checks need the end state.
    pub deployment: Deployment,
    /// The user.
    pub alice: User,
    /// A caller with a key of hers with all scopes for projects and cards.
    pub caller: Caller,
    /// Her project.
    pub id: String,
}

impl Project {
    /// On the shared deployment.
    pub async fn open() -> Self {
        Self::on(Deployment::shared()).await
    }

    /// On a deployment of the test's own.
    pub async fn own() -> Self {
        Self::on(Deployment::start().await).await
    }

    /// On a running deployment.
    pub async fn on(deployment: Deployment) -> Self {
        let alice = deployment.operator().user("alice").await;
        let caller = alice.key(MANAGE_WITH_CARDS).await;
        let project = create_project(&caller, "Gear").await;
        Self { deployment, alice, caller, id: project }
    }

    /// Creates a card with only a name.
    pub async fn card(&self, name: &str) -> Card {
        Card::of(&self.post("cards", json!({ "name": name })).await.expect(201))
    }

    /// Creates a tag; returns its id.
    pub async fn tag(&self, name: &str) -> String {
        self.post("card-tags", json!({ "name": name })).await.expect(201).text("/tag/id")
    }

    /// A member of the project with a role, and who calls with its key.
    pub async fn member(&self, name: &str, role: &str) -> (User, Caller) {
        let operator = self.deployment.operator();
        let user = operator.user(name).await;
        operator.add_member(&user, "--project", &self.id, role).await;
        let caller = user.key(MANAGE_WITH_CARDS).await;
        (user, caller)
    }

    /// The kinds of a card's history rows, with their changed fields.
    pub async fn history(&self, card: &str) -> Vec<String> {
        let answer = self.get(&format!("cards/{card}/history")).await.expect(200).json();
        let row = |row: &Value| {
            let fields: Vec<&str> = row["changes"].as_object().unwrap().keys().map(String::as_str).collect();
            format!("{} {}", row["kind"].as_str().unwrap(), fields.join(","))
        };
        answer["history"].as_array().unwrap().iter().map(row).collect()
    }
}

impl Base for Project {
    fn caller(&self) -> &Caller {
        &self.caller
    }

    fn at(&self, path: &str) -> String {
        format!("/api/v2/projects/{}/{path}", self.id)
    }
}

/// A card and its head, as an answer gave them.
#[derive(Clone, Debug)]
pub struct Card {
    pub id: String,
    pub head: String,
}

impl Card {
    pub fn of(answer: &Answer) -> Self {
        Self { id: answer.text("/card/id"), head: answer.text("/historyHeadId") }
    }

    /// The card's path below the project.
    pub fn path(&self) -> String {
        format!("cards/{}", self.id)
    }

    /// A path below the card's.
    pub fn at(&self, path: &str) -> String {
        format!("cards/{}/{path}", self.id)
    }
}
