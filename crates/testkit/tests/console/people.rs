//! People, keys, settings and usage in the browser, and a person's first project.

use std::collections::HashMap;

use serde_json::json;
use testkit::api::{Api, Options};

use crate::browser::Browser;

fn any_origin() -> Options {
    Options { environment: vec![("ATELIER_ALLOWED_ORIGINS", "*".to_owned())], ..Options::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_invite_share_and_remove_each_other_at_once() {
    let Some(browser) = Browser::find() else { return };
    let api = Api::with(any_origin()).await;
    let mut links = HashMap::new();
    for name in ["alice", "bob", "carol", "dave"] {
        let person = api.operator().user(name).await;
        links.insert(name, format!("{}/sign-in#ticket={}", api.control_urls[0], person.ticket().await));
    }
    browser.run("people.mjs", vec![json!(links).to_string()]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_without_a_project_begins_with_a_file_and_a_board() {
    let Some(browser) = Browser::find() else { return };
    let api = Api::with(any_origin()).await;
    let dora = api.operator().user("dora").await;
    let link = format!("{}/sign-in#ticket={}", api.control_urls[0], dora.ticket().await);
    browser.run("first_project.mjs", vec![link]).await;
}
