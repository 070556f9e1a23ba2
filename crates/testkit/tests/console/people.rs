//! People, keys, settings and usage in the browser, and a person's first project.

use std::collections::HashMap;

use serde_json::json;
use testkit::deployment::{Deployment, Options};
use uuid::Uuid;

use crate::browser::Browser;

fn any_origin() -> Options {
    Options { environment: vec![("ATELIER_ALLOWED_ORIGINS", "*".to_owned())], ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_invite_share_and_remove_each_other_at_once() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(any_origin()).await;
    let mut links = HashMap::new();
    for name in ["alice", "bob", "carol", "dave"] {
        let person = deployment.operator().user(name).await;
        links
            .insert(name, format!("{}/sign-in#ticket={}", deployment.control_urls[0], person.ticket().await));
    }
    browser.run("people.mjs", vec![json!(links).to_string()]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_without_a_project_begins_with_a_file_and_a_board() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(any_origin()).await;
    let dora = deployment.operator().user("dora").await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], dora.ticket().await);
    browser.run("first_project.mjs", vec![link]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_without_an_organization_finds_a_board_and_leaves_a_wrong_address() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(any_origin()).await;
    let dora = deployment.operator().user("dora").await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], dora.ticket().await);
    browser.run("first_board.mjs", vec![link]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_is_a_chart_with_a_table_behind_it_and_a_file() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(any_origin()).await;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let caller = alice.browser().await;
    let body = json!({ "name": "Gear", "orgId": org });
    let project = caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let events: Vec<String> = [
        ("2026-11-02", "quick", 1_500_000),
        ("2026-11-02", "=deep", 250_000),
        ("2026-11-04", "quick", 40),
    ]
    .iter()
    .map(|(day, model, credits)| {
        let (id, session) = (Uuid::new_v4(), Uuid::now_v7());
        format!(
            "('{id}', '{org}', '{}', '{project}', '{session}', 'maker', '{model}', 1200, 30, 0, 0, 0, \
             {credits}, false, '{day}T10:00:00Z', '{day}T10:00:01Z')",
            alice.id
        )
    })
    .collect();
    let insert = format!(
        "insert into usage_events (id, owner_id, user_id, project_id, session_id, provider, model, prompt_tokens, \
         completion_tokens, reasoning_tokens, cache_write_tokens, cache_read_tokens, micro_credits, priced_per_call, \
         occurred_at, recorded_at) values {}",
        events.join(", ")
    );
    deployment.database.connect().await.batch_execute(&insert).await.unwrap();
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run("usage.mjs", vec![link, org, project]).await;
}
