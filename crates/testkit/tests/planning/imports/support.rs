//! Common steps of the tests of imports.

use serde_json::Value;
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::deployment::Deployment;
use testkit::open_session::eventually_async;
use testkit::seed::{MANAGE_WITH_CARDS, User};
use testkit::upload::form_with;

/// An organization with a project, and its owner.
pub struct Importer {
    /// Dropped last, because its checks need the end state.
    pub deployment: Deployment,
    /// The owner.
    pub alice: User,
    /// A caller with a key of hers.
    pub caller: Caller,
    /// The organization.
    pub org: String,
    /// Its project, which has the key `PR`.
    pub project: String,
}

impl Importer {
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
        let org = deployment.operator().organization("works", &alice).await;
        let caller = alice.key(MANAGE_WITH_CARDS).await;
        let body = serde_json::json!({ "name": "Press", "orgId": org, "key": "PR" });
        let project = caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
        Self { deployment, alice, caller, org, project }
    }

    /// Sends a form to an organization.
    pub async fn post_form(&self, org: &str, fields: &[(&str, &str)], file: &[u8]) -> Answer {
        let (media_type, body) = form_with(fields, file);
        self.caller.post(&format!("/api/v2/orgs/{org}/imports")).body(&media_type, body).await
    }

    /// Begins an import into the project.
    pub async fn begin(&self, tool: &str, fields: &[(&str, &str)], file: &[u8]) -> Value {
        let own = [("tool", tool), ("projectId", self.project.as_str())];
        let fields: Vec<(&str, &str)> = own.into_iter().chain(fields.iter().copied()).collect();
        self.post_form(&self.org, &fields, file).await.expect(201).json()["import"].clone()
    }

    /// An import as it is once it has ended.
    pub async fn ended(&self, begun: &Value) -> Value {
        let path = format!("/api/v2/orgs/{}/imports/{}", self.org, begun["id"].as_str().unwrap());
        let read = async || self.caller.get(&path).await.expect(200).json()["import"].clone();
        eventually_async("the import ends", async || read().await["state"] != "running").await;
        read().await
    }

    /// Imports a file into the project, to the end.
    pub async fn import(&self, tool: &str, fields: &[(&str, &str)], file: &[u8]) -> Value {
        self.ended(&self.begin(tool, fields, file).await).await
    }

    /// The project's cards, the oldest first.
    pub async fn cards(&self) -> Vec<Value> {
        let answer = self.get("cards?sort=oldest&limit=100").await.expect(200).json();
        let cards = answer["cards"].as_array().unwrap().iter().zip(answer["indexCards"].as_array().unwrap());
        let both = cards.map(|(card, index)| {
            let mut card = card.clone();
            card["user_ids"] = index["user_ids"].clone();
            card["checklist"] = index["checklist"].clone();
            card
        });
        both.collect()
    }

    /// The notes of an import, over pages of two.
    pub async fn notes(&self, import: &Value) -> Vec<Value> {
        let path = format!("/api/v2/orgs/{}/imports/{}/notes", self.org, import["id"].as_str().unwrap());
        let (mut notes, mut after) = (Vec::new(), 0);
        loop {
            let page = self.caller.get(&format!("{path}?limit=2&after={after}")).await.expect(200).json();
            notes.extend(page["notes"].as_array().unwrap().iter().cloned());
            match page["nextAfter"].as_u64() {
                Some(next) => after = next,
                None => return notes,
            }
        }
    }

    /// The caller's imports.
    pub async fn list(&self) -> Vec<Value> {
        let answer = self.caller.get(&format!("/api/v2/orgs/{}/imports", self.org)).await.expect(200).json();
        answer["imports"].as_array().unwrap().clone()
    }
}

impl Base for Importer {
    fn caller(&self) -> &Caller {
        &self.caller
    }

    fn at(&self, path: &str) -> String {
        format!("/api/v2/projects/{}/{path}", self.project)
    }
}

/// The cards as lines.
pub fn lines(cards: &[Value]) -> String {
    let fields = [
        "key",
        "name",
        "type",
        "priority",
        "effort",
        "is_open",
        "start_date",
        "deadline",
        "closed_at",
        "resolution",
    ];
    let line = |card: &Value| {
        let values = fields.map(|field| card[field].to_string().replace('"', "")).join(" | ");
        values.trim_end().to_owned()
    };
    cards.iter().map(line).collect::<Vec<_>>().join("\n")
}
