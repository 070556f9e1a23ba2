//! Sessions with an agent, watched, answered and stopped in a real browser, with a stub of a model.

use serde_json::{Value, json};
use testkit::deployment::{Deployment, Options};
use testkit::model_server::{ModelServer, Reply};
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};

use crate::browser::Browser;

/// An answer that tries to run something, and to break out of its place.
const HOSTILE_ANSWER: &str = "## Hello <img src=x onerror=globalThis.broken=1>\n\nI **can** help with `gears`:\n\n\
    - [run](javascript:globalThis.broken=1)\n- [data](data:text/html,<script>globalThis.broken=1</script>)\n\
    - [the manual](https://example.com/manual)\n\n\
    ```js\nconst teeth = 20; // </pre><script>globalThis.broken=1</script>\n```\n\n\
    > <b onclick=broken()>Quoted</b> \u{202e}words\n\n1. First\n2. Second *thing*\n\nThat is all of it.";

#[tokio::test(flavor = "multi_thread")]
async fn a_person_works_with_an_agent_and_another_watches() {
    let Some(browser) = Browser::find() else { return };
    let tool = |name: &'static str, params: Value| Reply::Calls(vec![(name, params)]);
    let server = ModelServer::start(vec![
        Reply::Slow(HOSTILE_ANSWER),
        Reply::Calls(vec![
            ("project__create_object", json!({ "name": "<i>Shaft</i>", "type": "Part" })),
            ("cards__create_card", json!({ "name": "Turn the shaft", "description": "On the lathe." })),
            ("cards__get_card", json!({ "cardId": ABSENT_ID })),
        ]),
        Reply::Slow(
            "I made the **shaft** and a card for it. Its length is two hundred and its width is twenty, which the \
             lathe takes in one go; say so where you want it longer, and I change the object and the card.",
        ),
        tool("cards__delete_card", json!({ "cardId": ABSENT_ID })),
        Reply::Text("Then I leave it."),
        Reply::Hang("I think about "),
        Reply::Status(400),
    ])
    .await;
    let deployment = Deployment::with(Options { models: Some(server.models()), ..Options::default() }).await;
    let (alice, bob) =
        (deployment.operator().user("Alice Ames").await, deployment.operator().user("Bob Brown").await);
    let org = deployment.operator().organization("works", &alice).await;
    let caller = alice.key(MANAGE_WITH_TEAMS).await;
    let body = json!({ "name": "Gearbox", "orgId": org });
    let project = caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    deployment.operator().add_member(&bob, "--project", &project, "viewer").await;
    let link = async |ticket: String| format!("{}/sign-in#ticket={ticket}", deployment.control_urls[0]);
    let links = vec![link(alice.ticket().await).await, link(bob.ticket().await).await];
    browser.run("agents.mjs", [links, vec![project]].concat()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_person_opens_a_session_and_runs_code() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await;
    let caller = alice.key(MANAGE_WITH_TEAMS).await;
    let project =
        caller.post("/api/v2/projects").json(json!({ "name": "Gearbox" })).await.expect(201).text("/id");
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run("executions.mjs", vec![link, project]).await;
}
