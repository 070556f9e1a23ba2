//! The pages in a real browser: axe finds nothing, no policy is broken, and search, tabs and colours work. It needs npm
//! and Chromium; without them the test prints that it is skipped.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::api::Api;
use testkit::registry::npm;

const PACKAGES: &[&str] = &["puppeteer-core@24.43.1", "axe-core@4.14.1"];
/// Names under which systems install Chromium.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_and_axe_find_nothing_wrong() {
    let Some(browser) = browser() else {
        eprintln!("NOT TESTED: no Chromium; is one of {BROWSERS:?} on the path?");
        return;
    };
    let Some(folder) = npm(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("site"), PACKAGES) else { return };
    let api = Api::start().await;
    fs::write(folder.join("browser.mjs"), include_str!("browser.mjs")).unwrap();
    let mut command = Command::new("node");
    command.args(["browser.mjs", &browser, &api.control_urls[0]]).current_dir(&folder);
    let done = command.output().unwrap();
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
