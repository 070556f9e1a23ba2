//! A project's files in a browser.

use testkit::deployment::{Deployment, Options};

use crate::browser::Browser;
use crate::journeys::any_origin;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_works_on_files_and_folders() {
    let Some(browser) = Browser::find() else { return };
    let mut deployment = Deployment::with(Options { environment: any_origin(), ..Options::default() }).await;
    // A file that is deleted before a commit takes the rows of its pictures along. The sweep removes their blobs.
    deployment.leaves_blobs = true;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run("files.mjs", vec![link, org]).await;
}
