//! Common steps of the tests of content.

use std::collections::HashMap;

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller, Request};
use testkit::deployment::Deployment;
use testkit::repository::Repository;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, encoded, uploaded};

/// A deployment with one user and one project.
pub struct Project {
    /// Dropped last, because its checks need the end state.
    pub deployment: Deployment,
    /// A caller with a key of hers with all scopes for projects.
    pub caller: Caller,
    /// Her project.
    pub id: String,
    /// The reserved package `Model`.
    pub model: String,
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

    pub async fn on(deployment: Deployment) -> Self {
        let alice = deployment.operator().user("alice").await;
        let caller = alice.key(MANAGE).await;
        let project = create_project(&caller, "Gear").await;
        let tree = caller.get(&format!("/api/v2/projects/{project}/tree")).await.expect(200);
        let model = id_of(&tree.json(), "Model");
        Self { deployment, caller, id: project, model }
    }

    /// Changes the project's record.
    pub async fn change_project(&self, body: Value) -> Answer {
        self.caller.patch(&format!("/api/v2/projects/{}", self.id)).json(body).await
    }

    /// Creates an object on the default branch; returns its id.
    pub async fn create(&self, parent: &str, name: &str) -> String {
        let body = json!({ "name": name, "parent": parent });
        self.post("objects", body).await.expect(201).text("/object/id")
    }

    /// Sends a batch to the default branch.
    pub fn batch(&self, operations: Value) -> Request {
        self.post("objects/batch", json!({ "operations": operations }))
    }

    /// Reads an object of the default branch.
    pub async fn object(&self, id: &str) -> Value {
        self.get(&format!("objects/{id}")).await.expect(200).json()["object"].clone()
    }

    /// The default branch's tree as text: a line with name and number of children for each object, indented by depth.
    pub async fn outline(&self) -> String {
        let tree = self.get("tree").await.expect(200).json();
        let mut depths = HashMap::from([(self.id.clone(), 0)]);
        let mut lines = vec![format!("{} objects", tree["objectCount"])];
        for node in tree["tree"].as_array().unwrap() {
            let depth = depths[node["parent"].as_str().unwrap()];
            depths.insert(node["id"].as_str().unwrap().to_owned(), depth + 1);
            let (name, children) = (node["name"].as_str().unwrap(), &node["childrenCount"]);
            lines.push(format!("{}{name} {children}", "  ".repeat(depth)));
        }
        lines.join("\n")
    }

    /// Uploads a file into the package `Model` of a branch; returns its object's id.
    pub async fn upload(&self, branch: &str, name: &str) -> String {
        let session = Session::open(&self.caller, &format!("{}--{}", self.id, encoded(branch))).await;
        let answer = session.upload(&self.model, name, name.as_bytes()).await.expect(200);
        session.close().await.expect(200);
        uploaded(&answer)["id"].as_str().unwrap().to_owned()
    }

    /// Commits a branch; returns the hash.
    pub async fn commit(&self, branch: &str, message: &str) -> String {
        let path = format!("branches/{}/commits", encoded(branch));
        self.post(&path, json!({ "message": message })).await.expect(201).text("/commit/hash")
    }

    /// The hash of a branch's head.
    pub async fn head(&self, branch: &str) -> String {
        self.get(&format!("branches/{}", encoded(branch))).await.expect(200).text("/branch/commitHash")
    }

    /// The messages of a branch's history, newest first.
    pub async fn history(&self, branch: &str) -> Vec<String> {
        let mut messages = Vec::new();
        let mut cursor = String::new();
        loop {
            let path = format!("branches/{}/commits?limit=100{cursor}", encoded(branch));
            let page = self.get(&path).await.expect(200).json();
            messages.extend(texts(&page["commits"], "message"));
            match page["meta"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return messages,
            }
        }
    }

    pub async fn changes(&self, branch: &str) -> Value {
        self.get(&format!("branches/{}/changes", encoded(branch))).await.expect(200).json()
    }

    /// The project as a Git repository without faults.
    pub async fn repository(&self) -> Repository {
        let repository = Repository::export(&self.deployment.database, &self.id).await;
        repository.check();
        repository
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

/// One field of each element of a list.
pub fn texts(list: &Value, field: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

/// The id of the object of this name in a tree.
pub fn id_of(tree: &Value, name: &str) -> String {
    let nodes = tree["tree"].as_array().unwrap();
    let node = nodes.iter().find(|node| node["name"] == name);
    node.unwrap_or_else(|| panic!("no {name} in {tree}"))["id"].as_str().unwrap().to_owned()
}
