//! The shapes of designs in a browser.

use testkit::deployment::{Deployment, Options};

use crate::browser::Browser;
use crate::journeys::any_origin;

/// A cube in three places of an assembly.
const CUBES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shape/tests/shapes/files/coloured-uses.step");

#[tokio::test(flavor = "multi_thread")]
async fn a_person_looks_at_a_design_its_parts_and_what_a_new_version_changed() {
    let Some(browser) = Browser::find() else { return };
    let mut deployment = Deployment::with(Options { environment: any_origin(), ..Options::default() }).await;
    // A file that is replaced while its pictures are drawn leaves them to the sweep.
    deployment.leaves_blobs = true;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    // A browser takes no file whose path isn't plain.
    let file = std::fs::canonicalize(CUBES).unwrap().to_str().unwrap().to_owned();
    browser.run("shapes.mjs", vec![link, org, file]).await;
}
