//! The guide "The first hour of an API client", as its reader goes through it: from an empty deployment, and with no
//! command of an operator.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use testkit::guide::{blocks, compare, read, script, steps};
use testkit::registry::npm;

use crate::browser_tokens::issuer::{Issuer, Key, Mood};
use crate::browser_tokens::{claims, empty_deployment, with};

const PAGE: &str = "docs/guide/first-hour.md";
/// The command of the page that fetches packages.
const INSTALL: &str = "npm install ";

#[tokio::test]
async fn the_first_hour_of_an_api_client_goes_as_its_guide_says() {
    let page = read(PAGE);
    let mut of_page = steps(&page);
    let install =
        of_page.iter().flat_map(|step| step.commands.lines()).find_map(|it| it.strip_prefix(INSTALL));
    let packages: Vec<String> = install.unwrap().split(' ').map(str::to_owned).collect();
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("first-hour");
    let Some(folder) = npm(&folder, &packages) else { return };
    for step in &mut of_page {
        step.commands = step.commands.replace(&format!("{INSTALL}{}", packages.join(" ")), ":");
    }
    let program: Vec<&str> =
        blocks(&page).filter(|(kind, _)| *kind == "typescript").map(|(_, text)| text).collect();
    fs::write(folder.join("first-hour.ts"), program.join("\n")).unwrap();

    let (issuer, key) = (Issuer::start(Mood::Well), Key::new("first"));
    issuer.publish(&[&key]);
    let deployment = empty_deployment("example.com", &issuer).await;
    assert_eq!(deployment.database.count("select count(*) from users").await, 0);
    let claims = with(&claims(&issuer), "email", &json!("newcomer@example.com"));
    let token = key.token(&with(&claims, "email_verified", &json!(true)));
    let ready_file = folder.join("ready.json");
    let ready = json!({ "controlUrl": deployment.control_urls.first().unwrap(), "newcomerToken": token });
    fs::write(&ready_file, ready.to_string()).unwrap();

    // Variables and functions, without the check of the demonstration's key.
    let mut preparation = steps(&read("docs/guide/README.md"));
    preparation.truncate(2);
    let text = script(&preparation, &of_page, &ready_file);
    let output = tokio::task::spawn_blocking(move || run(&folder, &text)).await.unwrap();
    compare(PAGE, &preparation, &of_page, &output);
    assert_eq!(deployment.database.count("select count(*) from users").await, 1);
    assert_eq!(deployment.database.count("select count(*) from sessions where closed_at is null").await, 0);
}

/// The output of a script that ends well.
fn run(folder: &Path, script: &str) -> String {
    let mut command = Command::new("timeout");
    // A page that waits forever must not block the tests.
    command.args(["180", "bash", "-euo", "pipefail", "-c", script]).current_dir(folder);
    for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let done = command.output().unwrap();
    let (printed, errors) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{PAGE} failed:\n{printed}\n{errors}");
    printed.into_owned()
}
