//! People's work in a real browser. It needs npm and Chromium; without them the test prints that it is skipped.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use testkit::api::{Api, Options};
use testkit::environment::chromium;
use testkit::registry::npm;

const PACKAGES: &[&str] = &["puppeteer-core@24.43.1", "axe-core@4.14.1"];

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_uploads_commits_and_plans() {
    let Some(browser) = Browser::find() else { return };
    let api = Api::with(Options { environment: any_origin(), ..Options::default() }).await;
    let alice = api.operator().user("alice").await;
    let org = api.operator().organization("works", &alice).await;
    let link = format!("{}/sign-in#ticket={}", api.control_urls[0], alice.ticket().await);
    browser.run("console.mjs", include_str!("browser.mjs"), vec![link, org]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_at_the_issuer_with_a_code_and_a_proof() {
    let Some(browser) = Browser::find() else { return };
    fs::write(browser.folder.join("issuer.mjs"), include_str!("issuer.mjs")).unwrap();
    let mut issuer = Command::new("node");
    let issuer = issuer.arg("issuer.mjs").current_dir(&browser.folder).stdout(Stdio::piped());
    let mut issuer = Ended(issuer.spawn().unwrap());
    let mut line = String::new();
    BufReader::new(issuer.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim();
    let mut environment = any_origin();
    environment.extend([
        ("ATELIER_OIDC_ISSUER", url.to_owned()),
        ("ATELIER_OIDC_AUDIENCE", "console".to_owned()),
        ("ATELIER_OIDC_JWKS_URL", format!("{url}/jwks")),
        ("ATELIER_OIDC_CLIENT_ID", "atelier-console".to_owned()),
        ("ATELIER_OIDC_AUTHORIZATION_URL", format!("{url}/authorize")),
        ("ATELIER_OIDC_TOKEN_URL", format!("{url}/token")),
        ("ATELIER_SIGN_UP", "anybody".to_owned()),
        ("NO_PROXY", "127.0.0.1".to_owned()),
    ]);
    let api = Api::with(Options { environment, ..Options::default() }).await;
    let at = vec![api.control_urls[0].clone()];
    browser.run("console-issuer.mjs", include_str!("issuer_browser.mjs"), at).await;
}

/// The data plane's setting that lets the console upload; its origin is known only later.
fn any_origin() -> Vec<(&'static str, String)> {
    vec![("ATELIER_ALLOWED_ORIGINS", "*".to_owned())]
}

/// A child process that ends with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}

/// Chromium, and a folder with the packages that drive it.
struct Browser {
    program: String,
    folder: PathBuf,
}

impl Browser {
    /// `None`, with a line that says so, without Chromium or npm.
    fn find() -> Option<Self> {
        let program = chromium()?;
        let folder = npm(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("console"), PACKAGES)?;
        Some(Self { program, folder })
    }

    /// Runs a script, which prints what is wrong.
    async fn run(&self, name: &str, script: &str, arguments: Vec<String>) {
        fs::write(self.folder.join(name), script).unwrap();
        let mut command = Command::new("node");
        command.arg(name).arg(&self.program).args(arguments).current_dir(&self.folder);
        let done = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let said = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
    }
}
