//! An open session: its grant, and the paths of the data plane that it reaches.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::answer::Answer;
use crate::caller::{Caller, Request};
use crate::database::Database;
use crate::upload::{Form, form_of};

/// An open session on a project.
#[derive(Clone)]
pub struct Session {
    /// Id.
    pub id: String,
    /// The project's id.
    pub project: String,
    /// The project's owner.
    pub owner: String,
    /// The session's branch.
    pub branch: String,
    /// The id of its connection to the data plane.
    pub connection: String,
    /// A caller of the data plane with its grant.
    pub grant: Caller,
    /// The caller that opened it.
    pub caller: Caller,
}

impl Session {
    /// Opens a session on `project` (an id, or an id with a branch).
    pub async fn open(caller: &Caller, project: &str) -> Self {
        Self::open_with(caller, project, json!({})).await
    }

    /// Opens a session on `project` with these options.
    pub async fn open_with(caller: &Caller, project: &str, options: Value) -> Self {
        let path = format!("/api/v2/projects/{project}/sessions");
        let answer = caller.post(&path).json(options).await.expect(201);
        let project = answer.text("/projectId");
        let record = caller.get(&format!("/api/v2/projects/{project}")).await.expect(200);
        Self {
            id: answer.text("/sessionId"),
            project,
            owner: record.text("/project/ownerId"),
            branch: answer.text("/branch"),
            connection: answer.text("/dataPlane/connectionId"),
            grant: caller.at(&answer.text("/dataPlane/url")).with(&answer.text("/dataPlane/token")),
            caller: caller.clone(),
        }
    }

    /// The session's path on the control plane.
    pub fn path(&self) -> String {
        format!("/api/v2/projects/{}/sessions/{}", self.project, self.id)
    }

    /// The path that uploads a file under the object `parent`.
    pub fn upload_path(&self, parent: &str) -> String {
        let Self { owner, project, connection, .. } = self;
        let branch = encoded(&self.branch);
        format!("/api/v1/file/upload/{owner}/me/{project}--{branch}/{connection}/{parent}")
    }

    /// The path that replaces the file of `object`.
    pub fn replace_path(&self, object: &str) -> String {
        self.upload_path(object).replace("/file/upload/", "/file/replace/")
    }

    /// The path that creates a resumable upload under the object `parent`.
    pub fn resumable_path(&self, parent: &str) -> String {
        self.upload_path(parent).replace("/file/upload/", "/file/resumable/")
    }

    /// The path that uploads several files under the object `parent`.
    pub fn bulk_path(&self, parent: &str) -> String {
        self.upload_path(parent).replace("/file/upload/", "/file/bulk/")
    }

    /// The path that unpacks an archive under the object `parent`.
    pub fn archive_path(&self, parent: &str) -> String {
        self.upload_path(parent).replace("/file/upload/", "/file/archive/")
    }

    /// The path that downloads a stored file; `name` is object id and extension.
    pub fn download_path(&self, name: &str) -> String {
        let Self { owner, project, connection, .. } = self;
        let branch = encoded(&self.branch);
        format!("/api/v1/file/download/{owner}/me/{project}--{branch}/{connection}/{name}")
    }

    /// Uploads a file under `parent`.
    pub fn upload(&self, parent: &str, name: &str, bytes: impl Into<Vec<u8>>) -> Request {
        let form = Form::new(name);
        self.grant.post(&self.upload_path(parent)).body(&form.content_type(), form.body(&bytes.into()))
    }

    /// Uploads several files under `parent`, by their paths.
    pub fn upload_files(&self, parent: &str, files: &[(&str, &[u8])]) -> Request {
        let (content_type, body) = form_of(files);
        self.grant.post(&self.bulk_path(parent)).body(&content_type, body)
    }

    /// Uploads several files under `parent`, except those that such a request has added.
    pub fn upload_missing_files(&self, parent: &str, files: &[(&str, &[u8])]) -> Request {
        let (content_type, body) = form_of(files);
        self.grant.post(&format!("{}?skipExisting=true", self.bulk_path(parent))).body(&content_type, body)
    }

    /// Replaces the file of `object`.
    pub fn replace(&self, object: &str, name: &str, bytes: impl Into<Vec<u8>>) -> Request {
        let form = Form::new(name);
        self.grant.put(&self.replace_path(object)).body(&form.content_type(), form.body(&bytes.into()))
    }

    /// Uploads an archive under `parent`, to be unpacked.
    pub fn upload_archive(&self, parent: &str, bytes: impl Into<Vec<u8>>) -> Request {
        let form = Form::new("archive");
        self.grant.post(&self.archive_path(parent)).body(&form.content_type(), form.body(&bytes.into()))
    }

    /// The id of the reserved package `Model`, under which files are uploaded.
    pub async fn model(&self) -> String {
        let tree = self.caller.get(&format!("/api/v2/projects/{}/tree", self.project)).await.expect(200);
        find_node(&tree.json(), "Model")
    }

    /// Closes the session.
    pub async fn close(&self) -> Answer {
        self.caller.delete(&self.path()).await
    }
}

/// Adds a question of a session's agent as if a run of this user had asked it; returns its id.
pub async fn ask_for_approval(database: &Database, session: &str, user: &str) -> String {
    let id = Uuid::now_v7();
    let statement = format!(
        "insert into session_runs (id, session_id, status, user_id, model, process_id, lease_until, \
         started_at, ended_at) values ('{id}', '{session}', 'paused', '{user}', 'none', '{id}', now(), now(), now()); \
         insert into tool_approvals (id, session_id, run_id, call_id, tool, params, effects, reason, status, \
         prompted_by, requested_at) values ('{id}', '{session}', '{id}', 'call', 'project__get_tree', '{{}}', \
         '{{read}}', 'not_auto_approved', 'pending', '{user}', now())"
    );
    database.connect().await.batch_execute(&statement).await.unwrap();
    id.to_string()
}

/// Creates a project; returns its id.
pub async fn create_project(caller: &Caller, name: &str) -> String {
    caller.post("/api/v2/projects").json(json!({ "name": name })).await.expect(201).text("/id")
}

/// A branch name as one path segment.
pub fn encoded(branch: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    branch.bytes().map(byte).collect()
}

/// The only entry of an upload's response.
pub fn uploaded(answer: &Answer) -> Value {
    let json = answer.json();
    let objects = json.get("object").and_then(Value::as_object);
    let mut objects = objects.into_iter().flat_map(|objects| objects.values());
    let (Some(only), None) = (objects.next(), objects.next()) else {
        panic!("not exactly one object: {json}");
    };
    only.clone()
}

/// The objects of an upload's response in order of their ids, which is the file's order: the owner of the file first.
pub fn objects(answer: &Answer) -> Vec<Value> {
    let json = answer.json();
    let objects = json.get("object").and_then(Value::as_object);
    // The keys of the response are ids.
    let by_id: BTreeMap<&String, &Value> = objects.into_iter().flatten().collect();
    by_id.into_values().cloned().collect()
}

/// The name that downloads an uploaded object's file.
pub fn file_name(object: &Value) -> String {
    let text = |field: &str| object.get(field).and_then(Value::as_str).unwrap_or_default();
    format!("{}{}", text("id"), text("extension"))
}

fn find_node(tree: &Value, name: &str) -> String {
    let nodes = tree.get("tree").and_then(Value::as_array).into_iter().flatten();
    let mut named = nodes.filter(|node| node.get("name").and_then(Value::as_str) == Some(name));
    let id = named.next().and_then(|node| node.get("id")).and_then(Value::as_str);
    id.unwrap_or_else(|| panic!("no {name} in {tree}")).to_owned()
}
