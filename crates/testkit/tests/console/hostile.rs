//! Bad input in a browser: nothing that people type, upload or name runs, or breaks a page.

use testkit::deployment::{Deployment, Options};

use crate::browser::Browser;
use crate::journeys::any_origin;

/// A person's name of markup, a turn of the writing's direction, and more characters than a page shows.
fn hostile() -> String {
    format!("<img src=x onerror=globalThis.broken=1>\u{202e}{}", "gear".repeat(40))
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_texts_pictures_and_500_columns_run_nothing_and_break_no_page() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let create = ["user", "create", "--email", "mallory@example.com", "--name", &hostile()];
    let made = deployment.operator().run(&create).await;
    let mallory = made["userId"].as_str().unwrap();
    deployment.operator().run(&["member", "add", "--user", mallory, "--org", &org, "--role", "member"]).await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run("hostile.mjs", vec![link, org, mallory.to_owned()]).await;
}
