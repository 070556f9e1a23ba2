//! The pages in a real browser: axe finds nothing, no policy is broken, and search, tabs and colours work. It needs npm
//! and Chromium; without them the test prints that it is skipped.

use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::deployment::Deployment;
use testkit::environment::chromium;
use testkit::registry::npm;

const PACKAGES: &[&str] = &["puppeteer-core@24.43.1", "axe-core@4.14.1"];

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_and_axe_find_nothing_wrong() {
    let Some(browser) = chromium() else { return };
    let Some(folder) = npm(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("site"), PACKAGES) else { return };
    let deployment = Deployment::start().await;
    fs::write(folder.join("browser.mjs"), include_str!("browser.mjs")).unwrap();
    let mut command = Command::new("node");
    command.args(["browser.mjs", &browser, &deployment.control_urls[0]]).current_dir(&folder);
    let done = command.output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
}
