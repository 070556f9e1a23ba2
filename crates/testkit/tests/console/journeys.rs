//! People's work in a real browser, by the scripts of `journeys`.

use std::io::{BufRead, BufReader};

use testkit::deployment::{Deployment, Options};

use crate::browser::Browser;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_uploads_commits_and_plans() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run("first_hour.mjs", vec![link, org]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_at_the_issuer_with_a_code_and_a_proof() {
    let Some(browser) = Browser::find() else { return };
    let mut issuer = browser.serve("issuer.mjs");
    let mut line = String::new();
    BufReader::new(issuer.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim();
    let mut environment = any_origin();
    environment.extend([
        ("ATELIER_OIDC_ISSUER", url.to_owned()),
        ("ATELIER_OIDC_AUDIENCE", "https://atelier.example.org".to_owned()),
        ("ATELIER_OIDC_CLIENT_ID", "atelier-console".to_owned()),
        ("ATELIER_SIGN_UP", "anybody".to_owned()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
    ]);
    let deployment = Deployment::with(Options { environment, ..Options::default() }).await;
    let at = vec![deployment.control_urls[0].clone(), url.to_owned()];
    browser.run("sign_in.mjs", at).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_out_everywhere_and_of_a_service_that_does_not_answer() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = deployment.operator().user("alice").await;
    let mut links = Vec::new();
    for _ in 0..3 {
        links.push(format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await));
    }
    browser.run("sign_out.mjs", links).await;
}

/// The data plane's setting that lets the console upload; its origin is known only later.
pub(crate) fn any_origin() -> Vec<(&'static str, String)> {
    vec![("ATELIER_ALLOWED_ORIGINS", "*".to_owned())]
}
