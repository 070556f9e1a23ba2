//! Details of single pages in a browser: cancelled uploads, keys, panels, compared pictures, lists that are live.

use testkit::deployment::{Deployment, Options};

use crate::browser::Browser;
use crate::journeys::any_origin;

/// Runs a script with the link of a person, their organization, and the id of another member.
async fn journey(script: &str) {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let bob = deployment.operator().user("bob").await;
    deployment.operator().add_member(&bob, "--org", &org, "member").await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run(script, vec![link, org, bob.id]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_cancels_uploads_and_drops_empty_folders() {
    journey("uploads.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_goes_by_keys_widens_panels_compares_pictures_and_sees_lists_change() {
    journey("details.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_pastes_pictures_into_texts_of_a_card_and_cancels_a_large_file() {
    journey("attachments.mjs").await;
}
