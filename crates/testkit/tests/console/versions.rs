//! History, changes, branches, merges and packages in a browser.

use testkit::deployment::{Deployment, Options};

use crate::browser::Browser;
use crate::journeys::any_origin;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_commits_compares_reverts_merges_and_shares_packages() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run("versions.mjs", vec![link, org]).await;
}
