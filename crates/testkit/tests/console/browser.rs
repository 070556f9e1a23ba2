//! People's work in a real browser. It needs npm and Chromium; without them the test prints that it is skipped.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::api::{Api, Options};
use testkit::registry::npm;

const PACKAGES: &[&str] = &["puppeteer-core@24.43.1", "axe-core@4.14.1"];
/// Names under which systems install Chromium.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_uploads_commits_and_plans() {
    let Some(browser) = browser() else {
        eprintln!("NOT TESTED: no Chromium; is one of {BROWSERS:?} on the path?");
        return;
    };
    let Some(folder) = npm(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("site"), PACKAGES) else { return };
    let environment = vec![("ATELIER_ALLOWED_ORIGINS", "*".to_owned())];
    let api = Api::with(Options { environment, ..Options::default() }).await;
    let alice = api.operator().user("alice").await;
    let org = api.operator().organization("works", &alice).await;
    fs::write(folder.join("console.mjs"), include_str!("browser.mjs")).unwrap();
    let link = format!("{}/sign-in#ticket={}", api.control_urls[0], alice.ticket().await);
    let mut command = Command::new("node");
    command.args(["console.mjs", &browser, &link, &org]).current_dir(&folder);
    // A folder for screenshots, for people who look at them.
    let done = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
}

/// The path of an installed Chromium.
fn browser() -> Option<String> {
    let paths = std::env::var_os("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&paths).collect();
    let places = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file()).map(|place| place.to_str().unwrap().to_owned())
}
