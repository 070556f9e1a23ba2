//! The protocol's official clients. Without a registry the tests print that they are skipped.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;
use testkit::open_session::OpenSession;
use testkit::registry::{npm, pypi};
use testkit::session::uploaded;
use testkit::upload::sha256;

use crate::resumable::support::content;

const JS_CLIENT: &str = "tus-js-client@4.3.1";
const PYTHON_CLIENT: &str = "tuspy==1.1.0";
const UPPY: &[&str] = &["@uppy/core@6.3.1", "@uppy/tus@6.0.0", "jsdom@26.1.0"];
const SIZE: usize = 9 * 1024 * 1024 + 17;

#[tokio::test]
async fn tus_js_client_continues_with_a_renewed_grant_after_restarts_of_both_planes() {
    let Some(folder) = npm(&folder("npm"), &[JS_CLIENT]) else { return };
    let script = folder.join("upload.mjs");
    fs::write(&script, include_str!("upload.mjs")).unwrap();
    let mut node = Command::new("node");
    node.arg(script);
    upload_with(node, &["3"]).await;
}

#[tokio::test]
async fn tuspy_sends_checksums_and_continues_with_a_renewed_grant_after_restarts_of_both_planes() {
    let Some(python) = pypi(&folder("pypi"), &[PYTHON_CLIENT]) else { return };
    let mut python = Command::new(python);
    python.args(["-c", include_str!("upload.py")]);
    upload_with(python, &[]).await;
}

#[tokio::test]
async fn tus_js_client_uploads_in_parallel_parts_streams_of_unknown_length_and_by_the_ietfs_draft() {
    let Some(folder) = npm(&folder("npm"), &[JS_CLIENT]) else { return };
    let script = folder.join("whole.mjs");
    fs::write(&script, include_str!("whole.mjs")).unwrap();
    for way in ["parallel", "deferred", "draft05"] {
        let mut node = Command::new("node");
        node.arg(&script);
        upload_at_once(node, &[way]).await;
    }
}

#[tokio::test]
async fn uppy_uploads_a_file() {
    let Some(folder) = npm(&folder("uppy"), UPPY) else { return };
    let script = folder.join("uppy.mjs");
    fs::write(&script, include_str!("uppy.mjs")).unwrap();
    let mut node = Command::new("node");
    node.arg(script);
    upload_at_once(node, &[]).await;
}

/// Uploads a file and finds it as the only object.
async fn upload_at_once(command: Command, more: &[&str]) {
    let opened = OpenSession::open().await;
    let file = content(SIZE);
    let (mut client, _folder) = start(&opened, command, &file, more);
    let url = tokio::task::spawn_blocking(move || client.read_after("done")).await.unwrap();
    let path = url.strip_prefix(&opened.session.grant.url).unwrap();
    let object = uploaded(&opened.session.grant.get(path).await.expect(200));
    assert_eq!((&object["sha256"], &object["name"]), (&sha256(&file).into(), &"gear.step".into()));
    assert_eq!(opened.added().await, [object["id"].as_str().unwrap()]);
}

/// Uploads a file, with a pause to restart both planes and renew the grant.
async fn upload_with(command: Command, more: &[&str]) {
    let mut opened = OpenSession::own().await;
    let file = content(SIZE);
    let (mut client, _folder) = start(&opened, command, &file, more);
    let (url, mut client) =
        tokio::task::spawn_blocking(move || (client.read_after("paused"), client)).await.unwrap();
    opened.deployment.data[0].restart();
    opened.deployment.control[0].restart();
    let renewed = opened.caller.post(&format!("{}/grant", opened.session.path())).await.expect(200);
    client.write_line(&renewed.text("/dataPlane/token"));
    let done = tokio::task::spawn_blocking(move || client.read_after("done")).await.unwrap();
    assert_eq!(done, url);
    let path = url.strip_prefix(&opened.session.grant.url).unwrap();
    let object = uploaded(&opened.session.grant.get(path).await.expect(200));
    assert_eq!(
        (object["sha256"].as_str(), object["name"].as_str()),
        (Some(&*sha256(&file)), Some("gear.step"))
    );
    assert_eq!(opened.added().await, [object["id"].as_str().unwrap()]);
}

/// Starts a client on `file`, which lies in the returned folder.
fn start(opened: &OpenSession, mut command: Command, file: &[u8], more: &[&str]) -> (Client, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, file).unwrap();
    let endpoint = format!("{}{}", opened.session.grant.url, opened.session.resumable_path(&opened.model));
    command.args([endpoint.as_str(), opened.session.grant.credential()]).arg(&path).args(more);
    (Client::start(command), folder)
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

/// A folder for packages, kept between runs.
fn folder(registry: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("tus-clients").join(registry)
}
