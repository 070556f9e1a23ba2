//! The protocol's official clients, fetched once from npm and PyPI into the build folder. Without a registry the tests
//! print that they are skipped.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use testkit::session::uploaded;
use testkit::upload::sha256;
use testkit::workshop::Workshop;

use crate::support::content;

const JS_CLIENT: &str = "tus-js-client@4.3.1";
const PYTHON_CLIENT: &str = "tuspy==1.1.0";
const SIZE: usize = 9 * 1024 * 1024 + 17;

#[tokio::test]
async fn tus_js_client_continues_with_a_renewed_grant_after_restarts_of_both_planes() {
    let Some(folder) = fetched(npm) else { return };
    let script = folder.join("upload.mjs");
    fs::write(&script, include_str!("upload.mjs")).unwrap();
    let mut node = Command::new("node");
    node.arg(script);
    upload_with(node, &["3"]).await;
}

#[tokio::test]
async fn tuspy_sends_checksums_and_continues_with_a_renewed_grant_after_restarts_of_both_planes() {
    let Some(folder) = fetched(venv) else { return };
    let script = folder.join("upload.py");
    fs::write(&script, include_str!("upload.py")).unwrap();
    let mut python = Command::new(folder.join("venv/bin/python"));
    python.arg(script);
    upload_with(python, &[]).await;
}

/// Uploads a file, with a pause to restart both planes and renew the grant.
async fn upload_with(mut command: Command, more: &[&str]) {
    let mut shop = Workshop::open().await;
    let folder = tempfile::tempdir().unwrap();
    let (path, file) = (folder.path().join("file"), content(SIZE));
    fs::write(&path, &file).unwrap();
    let endpoint = format!("{}{}", shop.session.grant.url, shop.session.resumable_path(&shop.model));
    command.args([endpoint.as_str(), shop.session.grant.credential()]).arg(&path).args(more);
    let mut client = Client::start(command);
    let (url, mut client) =
        tokio::task::spawn_blocking(move || (client.read_after("paused"), client)).await.unwrap();
    shop.api.data[0].restart();
    shop.api.control[0].restart();
    let renewed = shop.caller.post(&format!("{}/grant", shop.session.path())).await.expect(200);
    client.write_line(&renewed.text("/dataPlane/token"));
    let done = tokio::task::spawn_blocking(move || client.read_after("done")).await.unwrap();
    assert_eq!(done, url);
    let path = url.strip_prefix(&shop.session.grant.url).unwrap();
    let object = uploaded(&shop.session.grant.get(path).await.expect(200));
    assert_eq!(
        (object["sha256"].as_str(), object["name"].as_str()),
        (Some(&*sha256(&file)), Some("gear.step"))
    );
    assert_eq!(shop.added().await, [object["id"].as_str().unwrap()]);
}

/// A running client program, which ends with the test.
struct Client {
    child: Child,
    lines: BufReader<ChildStdout>,
}

impl Client {
    fn start(mut command: Command) -> Self {
        for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
            command.env_remove(proxy);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// The rest of the next line after `word`.
    fn read_after(&mut self, word: &str) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        let rest = line.trim().strip_prefix(word).unwrap_or_else(|| panic!("not {word}: {line}"));
        rest.trim().to_owned()
    }

    fn write_line(&mut self, text: &str) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{text}").unwrap();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have exited already.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// The folder of the clients, filled by `fetch`; prints that the test is skipped if that fails.
fn fetched(fetch: fn(&Path) -> bool) -> Option<PathBuf> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tus-clients");
        fs::create_dir_all(&folder).unwrap();
        folder
    });
    let lock = File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    if fetch(folder) {
        return Some(folder.clone());
    }
    eprintln!(
        "NOT TESTED: the client could not be fetched; are node, npm and python3 there, and the registries?"
    );
    None
}

fn npm(folder: &Path) -> bool {
    folder.join("node_modules/tus-js-client/package.json").exists()
        || run(Command::new("npm").arg("install").arg("--prefix").arg(folder).args(["--no-audit", JS_CLIENT]))
}

fn venv(folder: &Path) -> bool {
    let venv = folder.join("venv");
    let python = venv.join("bin/python");
    if run(Command::new(&python).args(["-c", "import tusclient"])) {
        return true;
    }
    run(Command::new("python3").args(["-m", "venv"]).arg(venv))
        && run(Command::new(python).args(["-m", "pip", "install", "--quiet", PYTHON_CLIENT]))
}

fn run(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}
