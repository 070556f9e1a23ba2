//! A project's files in a browser.

use testkit::api::{Api, Options};

use crate::browser::Browser;
use crate::journeys::any_origin;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_works_on_files_and_folders() {
    let Some(browser) = Browser::find().await else { return };
    let api = Api::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = api.operator().user("alice").await;
    let org = api.operator().organization("works", &alice).await;
    let link = format!("{}/sign-in#ticket={}", api.control_urls[0], alice.ticket().await);
    browser.run("files.mjs", vec![link, org]).await;
}
