//! Imports of cards from other tools.

mod boards;
mod ndjson;
mod organization;
mod own_fields;
mod support;

use std::collections::BTreeMap;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;
use testkit::deployment::{Deployment, Options};
use testkit::seed::{ABSENT_ID, MANAGE_WITH_CARDS};
use testkit::session::create_project;
use testkit::upload::form_with;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use self::support::{Importer, lines};

const JIRA: &[u8] = include_bytes!("../../../exchange/tests/inputs/jira.csv");
const TRELLO: &[u8] = include_bytes!("../../../exchange/tests/inputs/trello.json");
const GITHUB: &[u8] = include_bytes!("../../../exchange/tests/inputs/github.json");
const LINEAR: &[u8] = include_bytes!("../../../exchange/tests/inputs/linear.csv");

#[tokio::test]
async fn an_export_of_jira_becomes_cards_with_their_keys() {
    let works = Importer::open().await;
    let trial = works.import("jira", &[("zone", "Europe/Berlin"), ("dryRun", "true")], JIRA).await;
    assert_eq!((&trial["state"], &trial["counts"]["created"]), (&json!("finished"), &json!(3)));
    assert_eq!(works.cards().await.len(), 0);
    let notes = works.notes(&trial).await;
    assert_eq!(trial["noteCount"], notes.len());
    assert!(notes.iter().any(|note| note["issue"] == "GEAR-3" && note["field"] == "Created"), "{notes:?}");

    let done = works.import("jira", &[("zone", "Europe/Berlin")], JIRA).await;
    assert_eq!(
        (&done["state"], &done["failure"], &done["done"]),
        (&json!("finished"), &json!(null), &done["total"])
    );
    assert_eq!(
        done["counts"],
        json!({
            "issues": 3, "relations": 2, "comments": 2, "boards": 0, "sprints": 0, "created": 3, "existing": 0,
        })
    );
    let cards = works.cards().await;
    assert_snapshot!(lines(&cards), @r"
    PR-1 | Gearbox | epic | urgent | 3 | true | 2026-09-01 | 2026-09-30T23:59:59.999Z | null |
    PR-2 | Shaft | task | low | 1 | false | null | null | 2026-09-06T10:30:00.000Z | Done
    PR-3 | Key | bug | none | 0 | true | null | null | null |
    ");
    assert_eq!(cards[0]["created_at"], "2026-09-05T13:04:00.000Z");
    // The keys of the issues name the cards, wherever a card is named.
    let shaft = works.get("cards/gear-2").await.expect(200).json();
    assert_eq!(shaft["card"]["name"], "Shaft");
    let searched = works.caller.get("/api/v2/cards?q=gear-2").await.expect(200).json();
    assert_eq!(searched["cards"][0]["id"], shaft["card"]["id"]);
    let relations = works.get("cards/GEAR-2/relations").await.expect(200).json();
    let blocked = &relations["relations"][0];
    assert_eq!((&blocked["kind"], &blocked["card"]["name"]), (&json!("blocks"), &json!("Gearbox")));
    let comments = works.get("cards/GEAR-1/comments").await.expect(200).json();
    let bodies: Vec<&str> =
        comments["comments"].as_array().unwrap().iter().map(|one| one["body"].as_str().unwrap()).collect();
    assert_snapshot!(bodies.join("\n====\n"), @r"
    Imported from Jira: GEAR-1

    - Status: In Progress
    - Author: Grace Sample
    - Assignee: Ada Example
    - Sprint: Sprint 1
    - Sprint: Sprint 2
    - Updated: 2026-09-06T07:00:00.000Z
    - Attachment: [plan; final.pdf](<https://example.com/secure/attachment/1/plan%3B+final.pdf>)
    - Original estimate: 28800
    - Project key: GEAR
    ====
    *Grace Sample, 2026-09-05*

    Looks good; see `a_b`
    ====
    *Ada Example, 2026-09-06*

    Done
    ");

    // A repeat finds the cards, and changes nothing.
    let again = works.import("jira", &[("zone", "Europe/Berlin")], JIRA).await;
    assert_eq!((&again["counts"]["created"], &again["counts"]["existing"]), (&json!(0), &json!(3)));
    assert_eq!(works.cards().await, cards);
}

#[tokio::test]
async fn exports_of_the_other_tools_become_cards() {
    for (tool, file, created) in [("trello", TRELLO, 2), ("github", GITHUB, 2), ("linear", LINEAR, 3)] {
        let works = Importer::open().await;
        let done = works.import(tool, &[], file).await;
        assert_eq!((&done["state"], &done["failure"]), (&json!("finished"), &json!(null)), "{tool}");
        assert_eq!(done["counts"]["created"], created, "{tool}");
        let cards = works.cards().await;
        assert_eq!(cards.len(), created, "{tool}");
        let lines: u64 = cards.iter().map(|card| card["checklist"]["total"].as_u64().unwrap()).sum();
        assert_eq!(lines > 0, tool == "trello", "{tool}: {lines} lines");
    }
}

#[tokio::test]
async fn members_are_known_by_their_addresses_and_others_by_name() {
    let works = Importer::own().await;
    let operator = works.deployment.operator();
    let bob = operator.user("bob").await;
    operator.user("eve").await;
    operator.add_member(&bob, "--project", &works.project, "editor").await;
    let (bobs, eves) = (operator.address("bob"), operator.address("eve"));
    let table = format!("Nr,Title,For,By\n1,Mill,{},{eves}\n2,Turn,{eves},{bobs}\n", bobs.to_uppercase());
    let columns = json!({ "Nr": "id", "Title": "name", "For": "assignee", "By": "reporter" }).to_string();
    let done = works.import("csv", &[("columns", &columns)], table.as_bytes()).await;
    assert_eq!(done["state"], "finished");
    let cards = works.cards().await;
    let of = |name: &str| cards.iter().find(|card| card["name"] == name).unwrap();
    assert_eq!(of("Mill")["user_ids"], json!([bob.id]));
    assert_eq!(of("Mill")["created_by_user"], works.alice.id.as_str());
    // Eve has an account here and is no member: nothing tells so.
    assert_eq!((&of("Turn")["user_ids"], &of("Turn")["created_by_user"]), (&json!([]), &json!(bob.id)));
}

#[tokio::test]
async fn trees_of_parents_are_cut_at_eight_levels_and_at_cycles() {
    let works = Importer::open().await;
    let mut table = "Nr,Title,Parent\n".to_owned();
    // A chain of ten, the last one first; two that are each other's parent; and one whose parent is elsewhere.
    for at in (1..=10).rev() {
        table += &format!("{at},c{at},{}\n", if at == 1 { String::new() } else { (at - 1).to_string() });
    }
    table += "20,a,21\n21,b,20\n30,lost,99\n";
    let columns = json!({ "Nr": "id", "Title": "name", "Parent": "parent" }).to_string();
    let done = works.import("csv", &[("columns", &columns)], table.as_bytes()).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(13)));
    let cards = works.cards().await;
    let names: BTreeMap<&str, &str> =
        cards.iter().map(|card| (card["id"].as_str().unwrap(), card["name"].as_str().unwrap())).collect();
    let mut parents: Vec<String> = cards
        .iter()
        .filter_map(|card| Some(format!("{}>{}", names[card["parent_id"].as_str()?], card["name"].as_str()?)))
        .collect();
    parents.sort();
    assert_eq!(parents, ["b>a", "c1>c2", "c2>c3", "c3>c4", "c4>c5", "c5>c6", "c6>c7", "c7>c8", "c9>c10"]);
    let notes = works.notes(&done).await;
    let mut told: Vec<&str> = notes
        .iter()
        .filter(|note| note["field"] == "Parent")
        .map(|note| note["issue"].as_str().unwrap())
        .collect();
    told.sort_unstable();
    assert_eq!(told, ["21", "30", "9"]);
}

#[tokio::test]
async fn a_form_that_is_no_import_is_refused() {
    let works = Importer::open().await;
    let refused = async |fields: &[(&str, &str)], file: &[u8]| {
        works.post_form(&works.org, fields, file).await.to_string()
    };
    let project = ("projectId", works.project.as_str());
    assert_snapshot!(
        refused(&[("tool", "jira"), project], b"a,b\n1,2\n").await,
        @"400 INVALID_REQUEST body.file format"
    );
    assert_snapshot!(
        refused(&[("tool", "trello"), project], b"{").await,
        @"400 INVALID_REQUEST body.file format"
    );
    assert_snapshot!(
        refused(&[("tool", "asana"), project], JIRA).await,
        @"400 INVALID_REQUEST body.tool syntax"
    );
    assert_snapshot!(refused(&[project], JIRA).await, @"400 INVALID_REQUEST body.tool required");
    assert_snapshot!(
        refused(&[("tool", "jira"), project, ("file2", "x")], JIRA).await,
        @"400 INVALID_REQUEST body.file2 unknown"
    );
    assert_snapshot!(
        refused(&[("tool", "jira"), project, project], JIRA).await,
        @"400 INVALID_REQUEST body.projectId duplicate"
    );
    assert_snapshot!(
        refused(&[("tool", "jira"), project, ("zone", "Mars/Olympus")], JIRA).await,
        @"400 INVALID_REQUEST body.zone syntax"
    );
    assert_snapshot!(
        refused(&[("tool", "csv"), project], JIRA).await,
        @"400 INVALID_REQUEST body.columns required"
    );
    assert_snapshot!(
        refused(&[("tool", "csv"), project, ("columns", "[]")], JIRA).await,
        @"400 INVALID_REQUEST body.columns syntax"
    );
    assert_snapshot!(refused(&[("tool", "jira"), ("projectId", ABSENT_ID)], JIRA).await, @"404 NOT_FOUND");
    let path = format!("/api/v2/orgs/{}/imports", works.org);
    assert_snapshot!(works.caller.post(&path).json(json!({ "tool": "jira" })).await, @"415 UNSUPPORTED_MEDIA_TYPE");
    let cut = works.caller.post(&path).raw_body(Some("multipart/form-data; boundary=x"), "--x\r\n").await;
    assert_snapshot!(cut, @"400 INVALID_REQUEST body syntax");
    assert_eq!(works.list().await.len(), 0);
}

#[tokio::test]
async fn an_import_is_its_authors_alone_and_needs_the_project() {
    let works = Importer::open().await;
    let done = works.import("jira", &[], JIRA).await;
    let path = format!("/api/v2/orgs/{}/imports/{}", works.org, done["id"].as_str().unwrap());
    let operator = works.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--org", &works.org, "admin").await;
    let admin = bob.key(MANAGE_WITH_CARDS).await;
    assert_snapshot!(admin.get(&path).await, @"404 NOT_FOUND");
    assert_snapshot!(admin.get(&format!("{path}/notes")).await, @"404 NOT_FOUND");
    let listed = admin.get(&format!("/api/v2/orgs/{}/imports", works.org)).await.expect(200).json();
    assert_eq!(listed["imports"], json!([]));
    // A project that the organization doesn't own, and a caller who may not write.
    let own = create_project(&works.caller, "Own").await;
    let fields = [("tool", "jira"), ("projectId", own.as_str())];
    assert_snapshot!(works.post_form(&works.org, &fields, JIRA).await, @"404 NOT_FOUND");
    let reader = works.alice.key(&["projects:read", "cards:read"]).await;
    let (media_type, body) = form_with(&[("tool", "jira"), ("projectId", &works.project)], JIRA);
    let refused = reader.post(&format!("/api/v2/orgs/{}/imports", works.org)).body(&media_type, body).await;
    assert_snapshot!(refused, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
}

#[tokio::test]
async fn an_import_goes_on_after_its_process_died() {
    let mut works = Importer::own().await;
    let table: String = (0..900).map(|at| format!("{at},card {at}\n")).collect();
    let columns = json!({ "Nr": "id", "Title": "name" }).to_string();
    let holder = works.deployment.database.connect().await;
    holder.batch_execute("begin; lock table card_sources in share mode").await.unwrap();
    let begun = works.begin("csv", &[("columns", &columns)], format!("Nr,Title\n{table}").as_bytes()).await;
    // The first cards are written and not committed.
    works.deployment.database.wait_for_blocked(1).await;
    works.deployment.control[0].kill();
    holder.batch_execute("commit").await.unwrap();
    works.deployment.database.wait_for_quiet().await;
    assert_eq!(works.deployment.database.count("select count(*) from cards").await, 0);
    works.deployment.control[0].restart();
    let done = works.ended(&begun).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(900)));
    let count = |sql: &'static str| works.deployment.database.count(sql);
    assert_eq!(count("select count(*) from cards").await, 900);
    assert_eq!(count("select max(number) from cards").await, 900);
    assert_eq!(count("select count(*) from import_items").await, 0);
}

#[tokio::test]
async fn an_import_ends_with_the_key_that_began_it() {
    let works = Importer::own().await;
    let holder = works.deployment.database.connect().await;
    holder.batch_execute("begin; lock table card_sources in share mode").await.unwrap();
    let key = works.alice.issue(MANAGE_WITH_CARDS, &[]).await;
    let table: String = (0..900).map(|at| format!("{at},card {at}\n")).collect();
    let columns = json!({ "Nr": "id", "Title": "name" }).to_string();
    let file = format!("Nr,Title\n{table}");
    let fields = [("tool", "csv"), ("projectId", works.project.as_str()), ("columns", columns.as_str())];
    let (media_type, body) = form_with(&fields, file.as_bytes());
    let path = format!("/api/v2/orgs/{}/imports", works.org);
    let begun = key.caller.post(&path).body(&media_type, body).await.expect(201).json()["import"].clone();
    works.deployment.database.wait_for_blocked(1).await;
    works.deployment.operator().revoke(&key).await;
    holder.batch_execute("commit").await.unwrap();
    let done = works.ended(&begun).await;
    assert_eq!((&done["state"], &done["failure"]), (&json!("failed"), &json!("UNAUTHENTICATED")));
    assert_eq!(works.deployment.database.count("select count(*) from cards").await, 200);
    // The same file continues it.
    let done = works.import("csv", &[("columns", &columns)], file.as_bytes()).await;
    assert_eq!((&done["counts"]["created"], &done["counts"]["existing"]), (&json!(700), &json!(200)));
}

#[tokio::test]
async fn a_process_reads_four_forms_at_once() {
    let works = Importer::own().await;
    let path = format!("/api/v2/orgs/{}/imports", works.org);
    let fields = [("tool", "jira"), ("projectId", works.project.as_str()), ("dryRun", "true")];
    let (media_type, form) = form_with(&fields, JIRA);
    let whole = async || works.caller.post(&path).body(&media_type, form.clone()).await;
    let address = works.deployment.control_urls[0].trim_start_matches("http://").to_owned();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nContent-Type: {media_type}\r\n\
         Content-Length: {}\r\n\r\n",
        works.caller.credential(),
        form.len()
    );
    let mut unfinished = Vec::new();
    let mut is_refused = false;
    // A whole form may have had the turn of an unfinished one, so another one follows.
    for _ in 0..100 {
        let mut connection = TcpStream::connect(&address).await.unwrap();
        connection.write_all(head.as_bytes()).await.unwrap();
        connection.write_all(&form[..form.len() - 40]).await.unwrap();
        unfinished.push(connection);
        is_refused = whole().await.status == 429;
        if is_refused {
            break;
        }
    }
    assert!(is_refused && unfinished.len() >= 4, "{} forms", unfinished.len());
    // One waits for its turn until the clients of the others are gone.
    let (answer, ()) = tokio::join!(whole(), async { drop(unfinished) });
    answer.expect(201);
    for answer in join_all((0..8).map(|_| whole())).await {
        answer.expect(201);
    }
}

#[tokio::test]
async fn imports_of_one_file_at_once_make_each_card_once() {
    let options = Options { control_replicas: 2, ..Options::default() };
    let works = Importer::on(Deployment::with(options).await).await;
    let table: String = (0..500).map(|at| format!("{at},card {at}\n")).collect();
    let columns = json!({ "Nr": "id", "Title": "name" }).to_string();
    let (fields, file) = ([("columns", columns.as_str())], format!("Nr,Title\n{table}"));
    let one = works.begin("csv", &fields, file.as_bytes()).await;
    let other = works.begin("csv", &fields, file.as_bytes()).await;
    let mut counted = (0, 0);
    for begun in [one, other] {
        let done = works.ended(&begun).await;
        assert_eq!((&done["state"], &done["failure"]), (&json!("finished"), &json!(null)));
        let count = |name: &str| done["counts"][name].as_u64().unwrap();
        counted = (counted.0 + count("created"), counted.1 + count("existing"));
    }
    assert_eq!(counted, (500, 500));
    assert_eq!(works.deployment.database.count("select count(*) from cards").await, 500);
}

#[tokio::test]
async fn an_editor_of_the_project_alone_imports_in_no_other_name() {
    let mut works = Importer::own().await;
    let operator = works.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &works.project, "editor").await;
    let address = operator.address("alice");
    works.caller = bob.key(MANAGE_WITH_CARDS).await;
    let columns = json!({ "Nr": "id", "Title": "name", "By": "reporter", "For": "assignee" }).to_string();
    let table = format!("Nr,Title,By,For\n1,Mill,{address},{address}\n");
    let done = works.import("csv", &[("columns", &columns)], table.as_bytes()).await;
    assert_eq!(done["state"], "finished");
    assert_eq!(works.list().await.len(), 1);
    let card = &works.cards().await[0];
    assert_eq!((&card["created_by_user"], &card["user_ids"]), (&json!(bob.id), &json!([works.alice.id])));
}

#[tokio::test]
async fn texts_that_cannot_be_stored_are_told_and_lose_nothing_else() {
    let works = Importer::open().await;
    let long = "k".repeat(3_000);
    let columns = json!({ "Nr": "id", "Key": "key", "Title": "name", "Due": "due" }).to_string();
    let table = format!("Nr,Key,Title,Due\n1\0,A\0-1,Mill\0,so\0on\n{long},{long},Turn,\n3,A-1,Bore,\n");
    let done = works.import("csv", &[("columns", &columns)], table.as_bytes()).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(3)));
    let notes = works.notes(&done).await;
    let reasons: Vec<&str> = notes.iter().map(|note| note["reason"].as_str().unwrap()).collect();
    for part in ["not a date", "longer than 255", "an earlier issue has this key"] {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:?}");
    }
    let again = works.import("csv", &[("columns", &columns)], table.as_bytes()).await;
    assert_eq!(again["counts"]["existing"], 3);
}
