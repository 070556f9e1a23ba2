//! History, changes, branches, merges and packages in a browser.

use testkit::api::{Api, Options};

use crate::browser::Browser;
use crate::journeys::any_origin;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_commits_compares_reverts_merges_and_shares_packages() {
    let Some(browser) = Browser::find().await else { return };
    let api = Api::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = api.operator().user("alice").await;
    let org = api.operator().organization("works", &alice).await;
    let link = format!("{}/sign-in#ticket={}", api.control_urls[0], alice.ticket().await);
    browser.run("versions.mjs", vec![link, org]).await;
}
