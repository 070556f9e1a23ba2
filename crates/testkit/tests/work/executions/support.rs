//! Sessions for executions.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::open_session::{OpenSession, eventually_async};

/// A session on a project with Code objects.
pub struct CodeSession {
    pub opened: OpenSession,
}

impl CodeSession {
    /// On the shared deployment.
    pub async fn open() -> Self {
        Self { opened: OpenSession::open().await }
    }

    /// On a deployment of the test's own.
    pub async fn own() -> Self {
        Self::with(Options::default()).await
    }

    /// Opens one with these options.
    pub async fn with(options: Options) -> Self {
        Self { opened: OpenSession::on(Deployment::with(options).await).await }
    }

    /// Opens one with these settings of the control plane.
    pub async fn set(settings: &[(&'static str, &str)]) -> Self {
        let environment = settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self::with(Options { environment, ..Options::default() }).await
    }

    /// Creates a Code object; returns its id.
    pub async fn code(&self, language: &str, text: &str) -> String {
        let body = json!({ "name": "code", "type": "Code", "data": { "language": language, "text": text } });
        let path = format!("/api/v2/projects/{}/objects", self.opened.project);
        self.opened.caller.post(&path).json(body).await.expect(201).text("/object/id")
    }

    /// The session's path of executions.
    pub fn path(&self) -> String {
        format!("{}/executions", self.opened.session.path())
    }

    /// Requests an execution of a Code object.
    pub async fn ask(&self, object: &str) -> Answer {
        self.opened.caller.post(&self.path()).json(json!({ "objectId": object })).await
    }

    /// Starts an execution of this code; returns its id.
    pub async fn begin(&self, language: &str, text: &str) -> String {
        let object = self.code(language, text).await;
        self.ask(&object).await.expect(201).text("/execution/executionId")
    }

    /// An execution's current state.
    pub async fn read(&self, id: &str) -> Value {
        read(&self.opened.caller, &self.path(), id).await
    }

    /// Waits for the end of an execution; returns it.
    pub async fn ended(&self, id: &str) -> Value {
        ended(&self.opened.caller, &self.path(), id).await
    }

    /// Executes this code to its end.
    pub async fn run(&self, language: &str, text: &str) -> Value {
        let id = self.begin(language, text).await;
        self.ended(&id).await
    }

    /// Executes code that ends successfully; returns its output.
    pub async fn output(&self, language: &str, text: &str) -> String {
        let execution = self.run(language, text).await;
        assert_eq!(execution["state"], "completed", "{execution:#}");
        execution["output"].as_str().unwrap().to_owned()
    }

    /// Waits until an execution has written `text`.
    pub async fn writes(&self, id: &str, text: &str) {
        let says = async || self.read(id).await["output"].as_str().unwrap().contains(text);
        eventually_async(text, says).await;
    }
}

/// An execution's current state.
pub async fn read(caller: &Caller, path: &str, id: &str) -> Value {
    caller.get(&format!("{path}/{id}")).await.expect(200).json()["execution"].clone()
}

/// Waits for the end of an execution; returns it.
pub async fn ended(caller: &Caller, path: &str, id: &str) -> Value {
    let has_ended = async || read(caller, path, id).await["endedAt"].is_string();
    eventually_async("the execution ends", has_ended).await;
    read(caller, path, id).await
}

/// The end of an execution in one line.
pub fn end(execution: &Value) -> String {
    match &execution["failure"] {
        Value::Null => execution["state"].as_str().unwrap().to_owned(),
        failure => format!("{} {}", execution["state"].as_str().unwrap(), failure["code"].as_str().unwrap()),
    }
}
