//! Imports of cards from other planning tools in a browser.

use testkit::deployment::{Deployment, Options};

use crate::browser::Browser;

/// Three issues of Jira with two comments and two relations.
const JIRA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../exchange/tests/inputs/jira.csv");

#[tokio::test(flavor = "multi_thread")]
async fn a_person_tries_an_export_imports_it_and_finds_its_cards_by_their_old_keys() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options::default()).await;
    let (alice, bob) = (deployment.operator().user("alice").await, deployment.operator().user("bob").await);
    let org = deployment.operator().organization("works", &alice).await;
    deployment.operator().add_member(&bob, "--org", &org, "guest").await;
    let [first, second] = [alice.ticket().await, bob.ticket().await]
        .map(|ticket| format!("{}/sign-in#ticket={ticket}", deployment.control_urls[0]));
    // A browser takes no file whose path isn't plain.
    let file = std::fs::canonicalize(JIRA).unwrap().to_str().unwrap().to_owned();
    browser.run("imports.mjs", vec![first, second, org, bob.id, file]).await;
}
