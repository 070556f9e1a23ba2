//! Replacement of an object's file by a new version: ids, data of users, conditions, repeats and races.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::events::EventStream;
use testkit::invariants::stored_blobs;
use testkit::open_session::OpenSession;
use testkit::repository::Repository;
use testkit::session::{Session, file_name, objects, uploaded};
use testkit::upload::{ASSEMBLY, sha256};

use crate::support::texts;

/// The assembly with one gear and a shaft instead of two gears.
fn with_shaft() -> String {
    let shaft = "#40=PRODUCT('shaft','Shaft','',(#2));
#41=PRODUCT_DEFINITION_FORMATION('','',#40);
#42=PRODUCT_DEFINITION('design','',#41,#3);
#31=NEXT_ASSEMBLY_USAGE_OCCURRENCE('2','middle','',#12,#42,$);";
    let usage = ASSEMBLY.lines().find(|line| line.starts_with("#31=")).unwrap();
    ASSEMBLY.replace(usage, shaft)
}

/// A PDF with this many empty pages of this width.
fn pdf(pages: usize, width: u32) -> Vec<u8> {
    let kids: Vec<String> = (0..pages).map(|number| format!("{} 0 R", 3 + number)).collect();
    let mut file = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count {pages}/Kids[{}]>>endobj\n",
        kids.join(" ")
    );
    for number in 0..pages {
        let object = format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 {width} 36]>>");
        file.push_str(&format!("{} 0 obj{object}endobj\n", 3 + number));
    }
    file.push_str("trailer<</Root 1 0 R>>\n%%EOF\n");
    file.into_bytes()
}

fn id(object: &Value) -> String {
    object["id"].as_str().unwrap().to_owned()
}

async fn object(opened: &OpenSession, id: &str) -> Value {
    let path = format!("/api/v2/projects/{}/objects/{id}", opened.project);
    opened.caller.get(&path).await.expect(200).json()["object"].clone()
}

async fn commit(opened: &OpenSession, branch: &str, message: &str) -> String {
    let path = format!("/api/v2/projects/{}/branches/{branch}/commits", opened.project);
    opened.caller.post(&path).json(json!({ "message": message })).await.expect(201).text("/commit/hash")
}

#[tokio::test]
async fn objects_of_both_versions_keep_their_ids_and_what_users_gave_them() {
    let opened = OpenSession::own().await;
    let at = format!("/api/v2/projects/{}", opened.project);
    let before = objects(&opened.session.upload(&opened.model, "gear.stp", ASSEMBLY).await.expect(200));
    let [root, gear, twin] = before.as_slice() else { panic!("{before:?}") };
    let (root, gear, twin) = (id(root), id(gear), id(twin));
    let patch = |id: &str, body: Value| opened.caller.patch(&format!("{at}/objects/{id}")).json(body);
    patch(&root, json!({ "name": "My gearbox", "data": { "material": "steel" } })).await.expect(200);
    patch(&gear, json!({ "data": { "teeth": 20 } })).await.expect(200);
    let note = json!({ "name": "Check this", "type": "Note", "parent": twin });
    let note = opened.caller.post(&format!("{at}/objects")).json(note).await.expect(201).text("/object/id");
    let planner = opened.alice.key(testkit::seed::MANAGE_WITH_CARDS).await;
    let card = planner.post(&format!("{at}/cards")).json(json!({ "name": "Cut" })).await.expect(201);
    let card = format!("{at}/cards/{}", card.text("/card/id"));
    planner.put(&format!("{card}/objects/{gear}")).await.expect(200);
    commit(&opened, "main", "One").await;

    let answer = opened.session.replace(&root, "gear-2.step", with_shaft()).await.expect(200);
    let after = objects(&answer);
    let shaft = after.iter().find(|object| object["name"] == "middle").map(id).unwrap();
    let ids: BTreeSet<String> = after.iter().map(id).collect();
    assert_eq!(ids, BTreeSet::from([root.clone(), gear.clone(), shaft.clone()]));
    let summary = json!({
        "objectId": root, "unchanged": false, "addedCount": 1, "changedCount": 2, "deletedCount": 1,
    });
    assert_eq!(answer.json()["replaced"], summary);

    let (now, part) = (object(&opened, &root).await, object(&opened, &gear).await);
    assert_eq!((&now["name"], &now["parent"]), (&json!("My gearbox"), &json!(opened.model)));
    assert_eq!((&now["data"]["material"], &now["type"]), (&json!("steel"), &json!("Assembly")));
    assert_eq!(now["file"]["sha256"], sha256(with_shaft().as_bytes()));
    assert_eq!(now["file"]["extension"], ".step");
    assert_eq!((&part["data"]["teeth"], &part["parent"]), (&json!(20), &json!(root)));
    assert_eq!(object(&opened, &note).await["parent"], root, "it moves up from the deleted gear");
    opened.caller.get(&format!("{at}/objects/{twin}")).await.expect(404);
    assert_eq!(planner.get(&card).await.expect(200).json()["objectIds"], json!([gear]));

    let events = opened.caller.get(&format!("{}/events?follow=false", opened.session.path()));
    let events = EventStream::open(events).await.rest().await;
    let told = events.iter().rfind(|event| event.kind == "objects.changed").unwrap().json["data"].clone();
    assert_eq!(told["added"], json!([shaft]), "{told}");
    assert_eq!(told["deleted"], json!([twin]), "{told}");
    assert_eq!(told["changedCount"], 2, "the assembly and the note: {told}");

    let path = opened.session.download_path(&format!("{root}.step"));
    assert_eq!(opened.session.grant.get(&path).await.expect(200).body, with_shaft());
    commit(&opened, "main", "Two").await;
    let repository = Repository::export(&opened.deployment.database, &opened.project).await;
    repository.check();
    let pointer = format!("oid sha256:{}", sha256(with_shaft().as_bytes()));
    assert!(repository.git(&["log", "-p", "-1", "main"]).contains(&format!("+{pointer}")));
}

#[tokio::test]
async fn pages_keep_their_ids_and_bytes_that_no_commit_has_are_removed() {
    let opened = OpenSession::own().await;
    let blobs = || stored_blobs(&opened.deployment.blob_folder()).len();
    let before = objects(&opened.session.upload(&opened.model, "manual.pdf", pdf(3, 72)).await.expect(200));
    let document = id(&before[0]);
    // Equal pages have one image.
    assert_eq!((before.len(), blobs()), (4, 2));
    let after = opened.session.replace(&document, "manual.pdf", pdf(2, 36)).await.expect(200);
    let kept: Vec<String> = objects(&after).iter().map(id).collect();
    assert_eq!(kept, before.iter().take(3).map(id).collect::<Vec<_>>());
    assert_eq!(blobs(), 2, "those of the uncommitted version are gone");
    commit(&opened, "main", "Two pages").await;
    opened.session.replace(&document, "manual.pdf", pdf(4, 18)).await.expect(200);
    assert_eq!(blobs(), 4, "those of a commit stay");
    opened.session.replace(&document, "manual.pdf", pdf(2, 36)).await.expect(200);
    assert_eq!(blobs(), 2);
    let changes = format!("/api/v2/projects/{}/branches/main/changes", opened.project);
    let changes = opened.caller.get(&changes).await.expect(200).json();
    assert_eq!(changes["modified"], json!([]), "the committed version is back: {changes}");
}

#[tokio::test]
async fn a_condition_names_the_object_or_the_file_and_other_objects_are_refused() {
    let opened = OpenSession::open().await;
    let all = objects(&opened.session.upload(&opened.model, "manual.pdf", pdf(1, 72)).await.expect(200));
    let (document, page) = (id(&all[0]), id(&all[1]));
    let path = format!("/api/v2/projects/{}/objects/{document}", opened.project);
    let etag = opened.caller.get(&path).await.expect(200).header("etag").to_owned();
    let replace = |width: u32| opened.session.replace(&document, "manual.pdf", pdf(1, width));
    replace(36).header("if-match", &etag).await.expect(200);
    let stale = replace(18).header("if-match", &etag).await.expect(412);
    assert_eq!(stale.code(), "PRECONDITION_FAILED");
    assert_eq!(stale.text("/error/details/sha256").len(), 64);
    assert_eq!(stale.text("/error/details/etag"), opened.caller.get(&path).await.header("etag"));
    replace(18).header("if-match", &format!("\"{}\"", sha256(&pdf(1, 36)))).await.expect(200);
    replace(36).header("if-match", &format!("\"{}\"", sha256(&pdf(1, 36)))).await.expect(412);
    for (object, reason) in [(&page, "converted_image"), (&opened.model, "no_file")] {
        let refused = opened.session.replace(object, "a.txt", "a").await.expect(409);
        assert_eq!(
            (refused.code().as_str(), refused.text("/error/details/reason").as_str()),
            ("FILE_NOT_REPLACEABLE", reason)
        );
    }
    opened.session.replace(&opened.session.id, "a.txt", "a").await.expect(404);
    opened.session.replace(&opened.project, "a.txt", "a").await.expect(404);
}

#[tokio::test]
async fn the_same_bytes_change_nothing_and_a_repeated_key_answers_the_first_outcome() {
    let opened = OpenSession::open().await;
    let upload = opened.session.upload(&opened.model, "a.txt", "one").idempotency_key("k").await.expect(200);
    let file = id(&uploaded(&upload));
    commit(&opened, "main", "One").await;
    let mut events = EventStream::open(opened.caller.get(&format!("{}/events", opened.session.path()))).await;
    assert_eq!(events.next_of("objects.changed").await.json["data"]["addedCount"], 1);
    let same = opened.session.replace(&file, "a.txt", "one").await.expect(200);
    assert_eq!(same.json()["replaced"]["unchanged"], true);
    assert_eq!(uploaded(&same), uploaded(&upload));
    let replace = |text: &str| opened.session.replace(&file, "a.txt", text).idempotency_key("k");
    let first = replace("two").await.expect(200);
    let again = replace("three").await.expect(200);
    assert!(!first.is_replay() && again.is_replay());
    assert_eq!(first.json(), again.json());
    // The same bytes were no event.
    assert_eq!(events.next_of("objects.changed").await.json["data"]["changedCount"], 1);
    assert_eq!(object(&opened, &file).await["file"]["sha256"], sha256(b"two"));
    // An upload below the object with the same key is another one.
    assert!(!opened.session.upload(&file, "b.txt", "b").idempotency_key("k").await.expect(200).is_replay());
}

#[tokio::test]
async fn of_replacements_at_once_each_is_whole_and_with_a_condition_one_succeeds() {
    let opened = OpenSession::open().await;
    let first = opened.session.upload(&opened.model, "gear.stp", ASSEMBLY).await.expect(200);
    let root = id(&objects(&first)[0]);
    let mut work = Vec::new();
    for number in 0..8 {
        let text = if number % 2 == 0 { with_shaft() } else { ASSEMBLY.replace("'right'", "'above'") };
        work.push(tokio::spawn(opened.session.replace(&root, "gear.stp", text).into_future()));
        let part = opened.session.upload(&root, "note.txt", format!("note {number}"));
        work.push(tokio::spawn(part.into_future()));
    }
    for answer in join_all(work).await {
        answer.unwrap().expect(200);
    }
    let tree = format!("/api/v2/projects/{}/tree", opened.project);
    let tree = opened.caller.get(&tree).await.expect(200).json()["tree"].as_array().unwrap().clone();
    let below = |kind: &str| {
        tree.iter()
            .filter(|node| node["parent"] == root && (node["type"] == "Part") == (kind == "Part"))
            .count()
    };
    assert_eq!((below("Part"), below("other")), (2, 8));

    let now = object(&opened, &root).await["file"]["sha256"].as_str().unwrap().to_owned();
    let conditional = (0..6).map(|number| {
        let text = ASSEMBLY.replace("'right'", &format!("'{number}'"));
        let replace =
            opened.session.replace(&root, "gear.stp", text).header("if-match", &format!("\"{now}\""));
        tokio::spawn(replace.into_future())
    });
    let statuses: Vec<u16> =
        join_all(conditional).await.into_iter().map(|answer| answer.unwrap().status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 412].contains(status)), "{statuses:?}");
}

#[tokio::test]
async fn a_new_version_merges_as_a_change_of_the_file() {
    let opened = OpenSession::open().await;
    let at = format!("/api/v2/projects/{}", opened.project);
    let file = id(&uploaded(&opened.session.upload(&opened.model, "a.bin", [0, 1]).await.expect(200)));
    commit(&opened, "main", "One").await;
    opened.caller.post(&format!("{at}/branches")).json(json!({ "name": "next" })).await.expect(201);
    let next = Session::open(&opened.caller, &format!("{}--next", opened.project)).await;
    next.replace(&file, "a.bin", [0, 2]).await.expect(200);
    commit(&opened, "next", "Two").await;
    let renamed = json!({ "name": "Renamed" });
    opened.caller.patch(&format!("{at}/objects/{file}")).json(renamed).await.expect(200);
    commit(&opened, "main", "Rename").await;

    let compared = opened.caller.get(&format!("{at}/compare?base=main&head=next")).await.expect(200);
    assert!(compared.json().to_string().contains("/file"), "{compared}");
    let merge = json!({ "source": "next" });
    let merge = opened.caller.post(&format!("{at}/branches/main/merge")).json(merge).await;
    assert!([200, 201].contains(&merge.status), "{merge}");
    let merged = object(&opened, &file).await;
    assert_eq!((&merged["name"], &merged["file"]["sha256"]), (&json!("Renamed"), &json!(sha256(&[0, 2]))));
    let path = opened.session.download_path(&file_name(&uploaded(
        &opened.session.replace(&file, "a.bin", [0, 2]).await.expect(200),
    )));
    assert_eq!(opened.session.grant.get(&path).await.expect(200).body, [0_u8, 2].as_slice());
    let log = opened.caller.get(&format!("{at}/branches/main/commits")).await.expect(200).json();
    assert!(texts(&log["commits"], "message").len() >= 3);
}

#[tokio::test]
async fn bytes_that_another_object_or_branch_has_stay() {
    let opened = OpenSession::own().await;
    let at = format!("/api/v2/projects/{}", opened.project);
    opened.caller.post(&format!("{at}/branches")).json(json!({ "name": "next" })).await.expect(201);
    let next = Session::open(&opened.caller, &format!("{}--next", opened.project)).await;
    let upload = async |session: &Session| {
        id(&uploaded(&session.upload(&opened.model, "a.bin", [0, 1]).await.expect(200)))
    };
    let (one, twin, other) =
        (upload(&opened.session).await, upload(&opened.session).await, upload(&next).await);
    let blobs = || stored_blobs(&opened.deployment.blob_folder()).len();
    for (session, object, kept, left) in
        [(&opened.session, &one, &twin, 2), (&opened.session, &twin, &twin, 2), (&next, &other, &other, 1)]
    {
        session.replace(object, "a.bin", [0, 2]).await.expect(200);
        let path = session.download_path(&format!("{kept}.bin"));
        session.grant.get(&path).await.expect(200);
        assert_eq!(blobs(), left, "{object}");
        let path = next.download_path(&format!("{other}.bin"));
        next.grant.get(&path).await.expect(200);
    }
}
