//! Files of a clone: with the real Git LFS, and byte by byte.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::environment;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, uploaded};

use crate::clone::support::{Git, commit};

const MEDIA_TYPE: &str = "application/vnd.git-lfs+json";

#[tokio::test]
async fn git_lfs_fetches_the_files_of_every_commit() {
    let opened = OpenSession::open().await;
    let first = commit(&opened, "first.txt").await;
    commit(&opened, "second.txt").await;
    let mut git = Git::of(&opened.caller);
    git.with_program(&environment::git_lfs());
    let clone = git.clone(&opened.project, "gear", &[]);
    let content = |name: &str| {
        let files = git.run(&clone, &["ls-files", "files"]);
        let file = files.lines().find(|file| file.contains(name)).unwrap().to_owned();
        fs::read_to_string(clone.join(file)).unwrap()
    };
    assert!(content("first").starts_with("version https://git-lfs.github.com/spec/v1\n"));

    git.run(&clone, &["lfs", "install", "--local"]);
    git.run(&clone, &["lfs", "pull"]);
    assert_eq!((content("first"), content("second")), ("first.txt".to_owned(), "second.txt".to_owned()));
    git.check(&clone);
    assert_snapshot!(git.run(&clone, &["lfs", "fsck"]), @"Git LFS fsck OK");
    // Files of the branch's history stay available.
    git.run(&clone, &["lfs", "fetch", "--all"]);
    git.run(&clone, &["checkout", "--quiet", &first]);
    assert_eq!(content("first"), "first.txt");
}

#[tokio::test]
async fn a_batch_has_a_download_with_a_grant_for_each_file() {
    let opened = OpenSession::open().await;
    commit(&opened, "gear.txt").await;
    let (there, nowhere) = (hash(b"gear.txt"), hash(b"nothing"));
    let objects =
        json!([{ "oid": there, "size": 8 }, { "oid": nowhere, "size": 7 }, { "oid": there, "size": 9 }]);
    // Unknown fields are ignored.
    let body = json!({ "operation": "download", "objects": objects, "transfers": ["basic", "ssh"],
                       "ref": { "name": "refs/heads/main" }, "hash_algo": "sha256", "new": true });
    let answer = batch(&opened.caller, &opened.project, &body).await.expect(200);
    assert_eq!(answer.header("content-type"), MEDIA_TYPE);
    let answer = answer.json();
    let errors: Vec<&Value> =
        (0..3).map(|n| answer.pointer(&format!("/objects/{n}/error/code")).unwrap_or(&Value::Null)).collect();
    assert_eq!(errors, [&Value::Null, &json!(404), &json!(422)]);
    let download = answer.pointer("/objects/0/actions/download").unwrap();
    let href = download["href"].as_str().unwrap();
    assert!(href.ends_with(&format!("/api/v1/file/lfs/{}/{there}", opened.project)), "{href}");
    assert_eq!(download["expires_in"], 900);

    let reader = reader(&opened, &opened.caller, &opened.project, "gear.txt").await;
    let path = format!("/api/v1/file/lfs/{}/{there}", opened.project);
    assert_eq!(&reader.get(&path).await.expect(200).body[..], b"gear.txt");
    let part = reader.get(&path).header("range", "bytes=5-").await.expect(206);
    assert_eq!(&part.body[..], b"txt");
    reader.get(&format!("/api/v1/file/lfs/{}/{nowhere}", opened.project)).await.expect(404);
}

#[tokio::test]
async fn files_can_not_be_pushed_and_git_lfs_shows_the_reason() {
    let opened = OpenSession::open().await;
    let body = json!({ "operation": "upload", "objects": [{ "oid": hash(b"x"), "size": 1 }] });
    let answer = batch(&opened.caller, &opened.project, &body).await;
    assert_snapshot!(answer, @"403 REPOSITORY_READ_ONLY");
    let message = "this repository is read-only: change the project through its API";
    assert_eq!(
        (answer.text("/message"), answer.text("/error/message")),
        (message.to_owned(), message.to_owned())
    );
    let many: Vec<Value> = (0..1_001).map(|_| json!({ "oid": hash(b"x"), "size": 1 })).collect();
    let body = json!({ "operation": "download", "objects": many });
    assert_snapshot!(batch(&opened.caller, &opened.project, &body).await, @"400 INVALID_REQUEST body.objects maxItems");
}

#[tokio::test]
async fn git_lfs_is_told_that_files_have_no_locks() {
    let opened = OpenSession::open().await;
    let path = format!("/git/{}.git/info/lfs/locks", opened.project);
    let answer = opened.caller.get(&path).await.expect(404);
    assert!(answer.text("/message").contains("Files have no locks"), "{answer}");
    let mut git = Git::of(&opened.caller);
    git.with_program(&environment::git_lfs());
    let clone = git.clone(&opened.project, "gear", &[]);
    let run = git.try_run(&clone, &["lfs", "locks"]);
    assert!(!run.succeeded && run.said.contains("Files have no locks"), "{}", run.said);
}

#[tokio::test]
async fn a_clones_grant_reads_only_the_files_of_its_project() {
    let opened = OpenSession::open().await;
    let file = uploaded(&opened.session.upload(&opened.model, "gear.txt", "gear.txt").await.expect(200));
    let reader = reader(&opened, &opened.caller, &opened.project, "gear.txt").await;
    let as_session = Session { grant: reader.clone(), ..opened.session.clone() };
    let upload = as_session.upload(&opened.model, "a.txt", "a").await;
    assert_snapshot!(upload, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:write"}"#);
    // An object's own address leads to the same files.
    reader.get(&opened.session.download_path(&file_name(&file))).await.expect(200);
    let other = create_project(&opened.caller, "Other").await;
    let session = Session::open(&opened.caller, &other).await;
    let foreign = uploaded(&session.upload(&other, "gear.txt", "gear.txt").await.expect(200));
    reader.get(&session.download_path(&file_name(&foreign))).await.expect(404);
    let path = |project: &str| format!("/api/v1/file/lfs/{project}/{}", hash(b"gear.txt"));
    reader.get(&path(&other)).await.expect(404);
    reader.get(&path(&opened.project)).await.expect(200);
    // The control plane treats it like any grant.
    let elsewhere = opened.caller.with(reader.credential());
    assert_snapshot!(elsewhere.get("/api/v2/me").await, @"403 CREDENTIAL_NOT_PERMITTED");
}

#[tokio::test]
async fn a_clones_grant_ends_with_its_key_and_with_its_users_access() {
    let opened = OpenSession::open().await;
    opened.session.upload(&opened.model, "gear.txt", "gear.txt").await.expect(200);
    let path = format!("/api/v1/file/lfs/{}/{}", opened.project, hash(b"gear.txt"));
    let key = opened.alice.issue(MANAGE, &[]).await;
    let of_key = reader(&opened, &key.caller, &opened.project, "gear.txt").await;
    of_key.get(&path).await.expect(200);
    opened.deployment.operator().revoke(&key).await;
    of_key.get(&path).await.expect(401);

    let operator = opened.deployment.operator();
    let guest = operator.user("guest").await;
    operator.add_member(&guest, "--project", &opened.project, "viewer").await;
    let of_guest = reader(&opened, &guest.key(&["projects:read"]).await, &opened.project, "gear.txt").await;
    of_guest.get(&path).await.expect(200);
    operator.remove_member(&guest, "--project", &opened.project).await;
    of_guest.get(&path).await.expect(404);
}

async fn batch(caller: &Caller, project: &str, body: &Value) -> Answer {
    let path = format!("/git/{project}.git/info/lfs/objects/batch");
    caller.post(&path).body(MEDIA_TYPE, body.to_string()).await
}

/// A caller on the data plane with the grant of a batch for a file.
async fn reader(opened: &OpenSession, caller: &Caller, project: &str, content: &str) -> Caller {
    let objects = json!([{ "oid": hash(content.as_bytes()), "size": content.len() }]);
    let answer =
        batch(caller, project, &json!({ "operation": "download", "objects": objects })).await.expect(200);
    let authorization = answer.text("/objects/0/actions/download/header/Authorization");
    opened.session.grant.with(authorization.strip_prefix("Bearer ").unwrap())
}

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
