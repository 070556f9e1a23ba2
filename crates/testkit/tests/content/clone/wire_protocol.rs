//! Git's wire protocol byte by byte: compressed and malformed requests, and clients that disconnect.

use std::io::{Read, Write};
use std::process::Stdio;

use flate2::Compression;
use flate2::write::GzEncoder;
use insta::assert_snapshot;
use testkit::caller::Request;
use testkit::open_session::{OpenSession, eventually_async};
use testkit::raw::Connection;

use crate::clone::support::{Git, commit, commits, import};

const MEDIA_TYPE: &str = "application/x-git-upload-pack-request";

fn ask(opened: &OpenSession, body: impl Into<reqwest::Body>) -> Request {
    let path = format!("/git/{}.git/git-upload-pack", opened.project);
    opened.caller.post(&path).header("git-protocol", "version=2").body(MEDIA_TYPE, body)
}

#[tokio::test]
async fn compressed_requests_of_git_are_understood() {
    let opened = OpenSession::open().await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    let identity = ["-c", "user.name=alice", "-c", "user.email=alice@example.com"];
    // The service has only the oldest commit; the client sends the later ones first.
    for number in 0..60 {
        let message = number.to_string();
        let arguments = [&identity[..], &["commit", "--quiet", "--allow-empty", "-m", &message]].concat();
        let mut commit = git.command(&clone, &arguments);
        assert!(commit.env("GIT_COMMITTER_DATE", "2040-01-01T00:00:00Z").status().unwrap().success());
    }
    commits(&opened, 1).await;
    let mut fetch = git.command(&clone, &["fetch"]);
    let output = fetch.env("GIT_TRACE_CURL", "1").env("GIT_TRACE_REDACT", "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.to_lowercase().contains("content-encoding: gzip"), "{said}");
    assert_eq!(git.run(&clone, &["rev-list", "--count", "origin/main"]), "2");
}

#[tokio::test]
async fn a_chunked_request_of_git_is_understood() {
    let opened = OpenSession::open().await;
    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    // Enough unknown commits that the client's list of them exceeds its buffer.
    let commit = "commit refs/heads/other\ncommitter a <a@example.com> 1 +0000\ndata 1\nx\n";
    let mut import = git.command(&clone, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    import.stdin.take().unwrap().write_all(commit.repeat(6_000).as_bytes()).unwrap();
    assert!(import.wait().unwrap().success());
    commits(&opened, 1).await;
    for version in ["2", "0"] {
        let version = format!("protocol.version={version}");
        git.run(&clone, &["-c", "http.postBuffer=65536", "-c", &version, "fetch"]);
    }
    assert_eq!(git.run(&clone, &["rev-list", "--count", "origin/main"]), "2");
    let probe = ask(&opened, "0000").await;
    assert_eq!((probe.status, probe.body.len()), (200, 0));
    let nowhere = "/git/0198c5f0-0000-7000-8000-000000000000.git/git-upload-pack";
    assert_eq!(opened.caller.post(nowhere).body(MEDIA_TYPE, "0000").await.status, 404);
}

#[tokio::test]
async fn the_inflated_size_of_a_request_is_limited() {
    let opened = OpenSession::open().await;
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let ask = |body: Vec<u8>| ask(&opened, body).header("content-encoding", "gzip");
    let bomb = gzip(&vec![b'0'; 64 * 1024 * 1024]);
    assert_snapshot!(ask(bomb).await, @r#"413 PAYLOAD_TOO_LARGE {"limitBytes":16777216}"#);
    assert_snapshot!(ask(b"no gzip".to_vec()).await, @"400 INVALID_REQUEST body syntax");
    let list = gzip(b"0014command=ls-refs\n00010000");
    assert!(String::from_utf8_lossy(&ask(list).await.expect(200).body).contains("refs/heads/main"));
}

#[tokio::test]
async fn malformed_git_requests_get_400_and_unsupported_ones_a_message_for_the_user() {
    let opened = OpenSession::open().await;
    for (body, expected) in [
        ("", "must begin with a command"),
        ("zzzz", "is not a sequence of packets of Git's protocol"),
        ("000bcommand", "must begin with a supported command"),
        ("0011command=fetch0000", "wants nothing"),
        ("0011command=fetch0001000bwant x0000", "holds an invalid object id"),
        ("0011command=fetch0001000ddeepen 00000", "has an invalid depth"),
        ("0011command=fetch00010008what0000", "has an unknown line"),
    ] {
        let refusal = ask(&opened, body).await.expect(400);
        assert_eq!(refusal.text("/error/message"), format!("body: {expected}"), "{body}");
    }
    let path = format!("/git/{}/git-upload-pack", opened.project);
    assert_eq!(opened.caller.post(&path).body("text/plain", "0000").await.status, 415);

    let text =
        |answer: testkit::answer::Answer| String::from_utf8_lossy(&answer.expect(200).body).into_owned();
    let want = "0032want 0123456789012345678901234567890123456789";
    let said = text(ask(&opened, format!("0011command=fetch0001{want}\n0009done\n0000")).await);
    assert_eq!(said, "0040ERR not our object 0123456789012345678901234567890123456789\n");
    let want = format!("0011command=fetch0001{want}\n");
    for (line, expected) in [
        ("001cwant-ref refs/heads/main", "want-ref is not supported"),
        ("001cfilter object:type=page\n", "invalid filter-spec 'object:type=page'"),
        ("001cfilter sparse:oid=main:x", "unable to access sparse blob in 'main:x'"),
        ("0013filter blob:all", "invalid filter-spec 'blob:all'"),
        (
            "000cdeepen 10013deepen-since 99",
            "deepen and deepen-since (or deepen-not) cannot be used together",
        ),
    ] {
        let said = text(ask(&opened, format!("{want}{line}0009done\n0000")).await);
        assert_eq!(said.get(4..), Some(format!("ERR {expected}\n").as_str()));
    }
}

#[tokio::test]
async fn the_ends_of_a_history_are_sent_without_newlines_as_by_git() {
    let opened = OpenSession::open().await;
    let head = commit(&opened, "gear.txt").await;
    let text = async |version: &str, body: String| {
        let path = format!("/git/{}.git/git-upload-pack", opened.project);
        let request = opened.caller.post(&path).header("git-protocol", version).body(MEDIA_TYPE, body);
        String::from_utf8_lossy(&request.await.expect(200).body).into_owned()
    };
    let newer = format!("0011command=fetch00010032want {head}\n000cdeepen 10009done\n0000");
    let said = text("version=2", newer).await;
    assert!(said.starts_with(&format!("0011shallow-info\n0034shallow {head}0001000dpackfile\n")), "{said}");
    let older = format!("003ewant {head} no-progress\n000cdeepen 100000009done\n");
    let said = text("version=0", older).await;
    assert!(said.starts_with(&format!("0034shallow {head}00000008NAK\n")), "{said}");
    let deeper =
        format!("003ewant {head} no-progress\n0034shallow {head}000cdeepen 200000032have {head}\n0009done\n");
    let said = text("version=0", deeper).await;
    // The first commit is at the depth, so that Git's server calls it an end, too.
    let unshallow = said.strip_prefix("0034shallow ").and_then(|rest| rest.get(40..));
    assert!(unshallow.is_some_and(|rest| rest.starts_with(&format!("0036unshallow {head}0000"))), "{said}");
}

#[tokio::test]
async fn a_slow_client_of_a_clone_holds_no_connection_to_the_database() {
    let opened = OpenSession::own().await;
    // More than the sockets' buffers hold.
    let head = import_noise(&opened, 12).await;
    let body = format!("0011command=fetch00010032want {head}\n0009done\n0000");
    let mut stalled = Connection::open(&opened.caller.url).await;
    let credential = opened.caller.credential();
    let request = format!(
        "POST /git/{}/git-upload-pack HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {credential}\r\n\
         git-protocol: version=2\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {}\r\n\r\n{body}",
        opened.project,
        body.len()
    );
    assert!(stalled.send(request).await);
    eventually_async("the pack has begun", async || stalled.has_received().await).await;
    // Waiting for a client happens outside of transactions.
    opened.deployment.database.wait_for_quiet().await;
    drop(stalled);
    opened.deployment.database.wait_for_quiet().await;

    let git = Git::of(&opened.caller);
    let clone = git.clone(&opened.project, "gear", &[]);
    assert_eq!(git.run(&clone, &["rev-parse", "HEAD"]), head);
    git.check(&clone);
}

/// Adds a commit of large files directly to the project's storage; returns it.
async fn import_noise(opened: &OpenSession, files: u8) -> String {
    let git = Git::of(&opened.caller);
    let repository = git.folder.path().to_owned();
    git.run(".", &["init", "--quiet", "--initial-branch=main", "."]);
    let mut random = std::fs::File::open("/dev/urandom").unwrap();
    for number in 0..files {
        let mut noise = vec![0; 4 * 1024 * 1024];
        random.read_exact(&mut noise).unwrap();
        std::fs::write(repository.join(number.to_string()), noise).unwrap();
    }
    git.run(".", &["add", "."]);
    let identity = ["-c", "user.name=alice", "-c", "user.email=alice@example.com"];
    git.run(".", &[&identity[..], &["commit", "--quiet", "-m", "Noise"]].concat());
    import(opened, &git, ".").await;
    git.run(".", &["rev-parse", "HEAD"])
}

#[tokio::test]
async fn too_many_prefixes_of_references_select_all_as_in_git() {
    let opened = OpenSession::open().await;
    let list = async |prefixes: usize| {
        let mut body = b"0014command=ls-refs\n0001".to_vec();
        let line = b"ref-prefix refs/none\n";
        for _ in 0..prefixes {
            body.extend_from_slice(format!("{:04x}", line.len() + 4).as_bytes());
            body.extend_from_slice(line);
        }
        body.extend_from_slice(b"0000");
        String::from_utf8(ask(&opened, body).await.expect(200).body.to_vec()).unwrap()
    };
    assert!(!list(256).await.contains("refs/heads/main"));
    for many in [257, 150_000] {
        assert!(list(many).await.contains("refs/heads/main"), "{many}");
    }
}
