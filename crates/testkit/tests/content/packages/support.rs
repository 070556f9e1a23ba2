//! Projects that publish packages and include each other's.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::session::{Session, create_project, uploaded};

/// A project with its package `Model`, and a caller.
pub(crate) struct Shelf {
    pub(crate) caller: Caller,
    pub(crate) id: String,
    pub(crate) model: String,
}

impl Shelf {
    /// Creates a project.
    pub(crate) async fn new(caller: &Caller, name: &str) -> Self {
        let id = create_project(caller, name).await;
        let model = Session::open(caller, &id).await.model().await;
        Self { caller: caller.clone(), id, model }
    }

    /// A path below the project.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("/api/v2/projects/{}/{path}", self.id)
    }

    /// Adds a file to the package; returns the object's id.
    pub(crate) async fn add(&self, name: &str) -> String {
        let session = Session::open(&self.caller, &self.id).await;
        let object = uploaded(&session.upload(&self.model, name, name).await.expect(200));
        object["id"].as_str().unwrap().to_owned()
    }

    /// Commits everything; returns the commit.
    pub(crate) async fn commit(&self) -> String {
        let commit = self.caller.post(&self.at("branches/main/commits")).json(json!({ "message": "Go on" }));
        commit.await.expect(201).text("/commit/hash")
    }

    /// Publishes the package.
    pub(crate) fn publish(&self) -> Request {
        let body = json!({ "description": "Secret gears" });
        self.caller.put(&self.at(&format!("packages/{}", self.model))).json(body)
    }

    /// Includes the published state of another project's package below this one's.
    pub(crate) fn include(&self, other: &Self) -> Request {
        self.include_as(&format!("{}/{}", other.id, other.model))
    }

    /// Includes the target of a reference.
    pub(crate) fn include_as(&self, reference: &str) -> Request {
        let body = json!({ "ref": reference, "parent": self.model, "name": "Bought" });
        self.caller.post(&self.at("includes")).json(body)
    }

    /// Reads an include.
    pub(crate) async fn included(&self, include: &str) -> Answer {
        self.caller.get(&self.at(&format!("includes/{include}"))).await
    }

    /// The types and names of the objects of the tree.
    pub(crate) async fn tree(&self) -> Vec<String> {
        nodes(&self.caller.get(&self.at("tree")).await.expect(200).json())
    }
}

/// The types and names of a tree's objects.
pub(crate) fn nodes(tree: &Value) -> Vec<String> {
    let node =
        |node: &Value| format!("{} {}", node["type"].as_str().unwrap(), node["name"].as_str().unwrap());
    tree["tree"].as_array().unwrap().iter().map(node).collect()
}
