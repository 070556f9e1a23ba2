//! Sessions that have an agent.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::model_server::{ModelServer, Reply};
use testkit::open_session::{OpenSession, eventually_async};
use testkit::session::Session;

/// A session with a server of models.
pub struct AgentSession {
    pub opened: OpenSession,
    pub server: ModelServer,
}

impl AgentSession {
    /// Opens one with a control process and these replies of models.
    pub async fn open(replies: Vec<Reply>) -> Self {
        Self::with(Options::default(), replies).await
    }

    /// Opens one with these options and replies.
    pub async fn with(mut options: Options, replies: Vec<Reply>) -> Self {
        let server = ModelServer::start(replies).await;
        options.models = Some(server.models());
        Self { opened: OpenSession::on(Deployment::with(options).await).await, server }
    }

    /// The session's path with something after it.
    pub fn path(&self, operation: &str) -> String {
        format!("{}/{operation}", self.opened.session.path())
    }

    /// Prompts the session.
    pub async fn prompt(&self, text: &str) -> Answer {
        self.opened.caller.post(&self.path("prompt")).json(json!({ "prompt": text })).await
    }

    /// Waits until the session has this status.
    pub async fn reaches(&self, status: &str) {
        reaches(&self.opened.caller, &self.opened.session, status).await;
    }

    /// The conversation, a line for each message.
    pub async fn conversation(&self) -> Vec<String> {
        conversation(&self.opened.caller, &self.opened.session).await
    }
}

/// Waits until a session has this status for the caller.
pub async fn reaches(caller: &Caller, session: &Session, status: &str) {
    eventually_async(status, async || {
        caller.get(&session.path()).await.expect(200).text("/session/status") == status
    })
    .await;
}

/// A session's conversation, a line for each message.
pub async fn conversation(caller: &Caller, session: &Session) -> Vec<String> {
    let read = caller.get(&format!("{}/messages", session.path())).await.expect(200).json();
    read["messages"].as_array().unwrap().iter().map(line).collect()
}

fn line(message: &Value) -> String {
    let part = |part: &Value| match part["type"].as_str().unwrap() {
        "text" => part["text"].as_str().unwrap().to_owned(),
        "tool_call" => format!("{}({})", part["name"].as_str().unwrap(), part["params"]),
        _ => {
            let sign = if part["isError"] == true { "refused" } else { "answered" };
            format!("{sign}: {}", part["text"].as_str().unwrap())
        }
    };
    let parts: Vec<String> = message["parts"].as_array().unwrap().iter().map(part).collect();
    format!("{}: {}", message["role"].as_str().unwrap(), parts.join(" + "))
}
