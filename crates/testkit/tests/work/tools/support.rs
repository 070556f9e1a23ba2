//! Common steps of the tests of tools.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::mcp_server::{Manner, McpServer};
use testkit::model_server::ModelServer;
use testkit::seed::{MANAGE_WITH_TEAMS, User};
use testkit::session::Session;

/// A deployment with an organization, its project, and a session.
pub struct ToolSession {
    /// Dropped last, because its checks need the end state.
    pub deployment: Deployment,
    /// The organization's owner.
    pub alice: User,
    /// A caller with a key of hers with all scopes.
    pub caller: Caller,
    /// The organization.
    pub org: String,
    /// The project.
    pub project: String,
    /// The session.
    pub session: Session,
}

impl ToolSession {
    /// On the shared deployment.
    pub async fn open() -> Self {
        Self::on(Deployment::shared()).await
    }

    /// On a deployment of the test's own.
    pub async fn own() -> Self {
        Self::on(Deployment::start().await).await
    }

    /// On a deployment. The session's agent asks about nothing that its opener can allow.
    pub async fn on(deployment: Deployment) -> Self {
        let alice = deployment.operator().user("alice").await;
        let caller = alice.key(MANAGE_WITH_TEAMS).await;
        let org = deployment.operator().organization("works", &alice).await;
        let body = json!({ "name": "Gear", "orgId": org });
        let project = caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
        let all = json!({ "autoApprove": ["read", "write", "destroy", "sendOut"] });
        let session = Session::open_with(&caller, &project, all).await;
        Self { deployment, alice, caller, org, project, session }
    }

    /// Invokes a tool as Alice.
    pub fn invoke(&self, toolbox: &str, tool: &str, params: Value) -> Request {
        invoke(&self.caller, &self.session, toolbox, tool, params)
    }

    /// The tools that a caller gets, as `toolbox/tool`.
    pub async fn listed(&self, caller: &Caller) -> Vec<String> {
        let name = |tool: &Value| {
            format!("{}/{}", tool["toolbox"].as_str().unwrap(), tool["name"].as_str().unwrap())
        };
        self.tools(caller).await.iter().map(name).collect()
    }

    /// The tools that a caller gets, of all pages.
    pub async fn tools(&self, caller: &Caller) -> Vec<Value> {
        let path = format!("{}/tools?limit=100", self.session.path());
        let mut tools = Vec::new();
        let mut from = String::new();
        loop {
            let mut page = caller.get(&format!("{path}{from}")).await.expect(200).json();
            tools.append(page["tools"].as_array_mut().unwrap());
            let Some(cursor) = page["meta"]["nextCursor"].as_str() else { return tools };
            from = format!("&cursor={cursor}");
        }
    }
}

/// A session with a model and a server of tools.
pub struct ServerSession {
    /// The session.
    pub session: ToolSession,
    /// The model's server.
    pub model: ModelServer,
    /// The server of tools, which the project calls `wiki`.
    pub server: McpServer,
}

impl ServerSession {
    /// With a server that behaves like this.
    pub async fn open(manner: Manner) -> Self {
        Self::with(manner, 1).await
    }

    /// On a deployment of several control processes.
    pub async fn with(manner: Manner, control_replicas: usize) -> Self {
        let (model, server) = (ModelServer::start(vec![]).await, McpServer::start(manner).await);
        let options = Options {
            control_replicas,
            models: Some(model.models()),
            environment: vec![("ATELIER_MCP_SERVER_HOSTS", "127.0.0.1".to_owned())],
            ..Options::default()
        };
        let session = ToolSession::on(Deployment::with(options).await).await;
        let path = format!("/api/v2/projects/{}/mcp-servers/wiki", session.project);
        session.caller.put(&path).json(json!({ "url": server.url })).await.expect(200);
        Self { session, model, server }
    }
}

/// Invokes a tool of a session.
pub fn invoke(caller: &Caller, session: &Session, toolbox: &str, tool: &str, params: Value) -> Request {
    let body = json!({ "toolbox": toolbox, "tool": tool, "params": params });
    caller.post(&format!("{}/tools/invoke", session.path())).json(body)
}

/// The message of a refusing tool, equal for people and models.
pub fn words(answer: &Answer) -> String {
    assert_eq!((answer.status, answer.text("/error/code").as_str()), (422, "TOOL_ERROR"), "{answer}");
    let said = answer.text("/error/message");
    assert_eq!(answer.text("/error/details/content/text"), said);
    said
}

/// The structured answer of a tool.
pub fn structured(answer: &Answer) -> Value {
    answer.json()["structuredContent"].clone()
}
