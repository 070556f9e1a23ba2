//! The export of a project, and its import into another deployment.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::seed::{ABSENT_ID, MANAGE_WITH_CARDS, MANAGE_WITH_TEAMS, User};

use super::support::Importer;

/// Fields that are rightly another's: times of changes, places in the history, the project.
const OTHER: [&str; 7] = [
    "updated_at",
    "history_head_id",
    "history_head_sequence",
    "historyHeadId",
    "historyHeadSequence",
    "project_id",
    "projectId",
];

impl Importer {
    /// Bob, a member of the organization and an editor of the project, and a caller with a key of his.
    pub(super) async fn bob(&self) -> (User, Caller) {
        let operator = self.deployment.operator();
        let bob = operator.user("bob").await;
        operator.add_member(&bob, "--org", &self.org, "member").await;
        operator.add_member(&bob, "--project", &self.project, "editor").await;
        let caller = bob.key(MANAGE_WITH_CARDS).await;
        (bob, caller)
    }

    /// The export by a key of alice's that reads teams, too.
    pub(super) async fn export(&self) -> Answer {
        let caller = self.alice.key(MANAGE_WITH_TEAMS).await;
        caller.get(&self.at("export.ndjson")).await.expect(200)
    }

    pub(super) async fn make(&self, path: &str, body: Value) -> Value {
        self.post(path, body).await.expect(201).json()
    }

    /// Fields, archived ones and archived options among them, by name.
    async fn define_fields(&self) {
        let weight =
            json!({ "name": "Weight", "type": "number", "unit": "kg", "minimum": 0, "maximum": 1e3 });
        let material = json!({
            "name": "Material", "type": "choice", "options": ["steel", "alu"], "defaultValue": "alu",
        });
        let finish =
            json!({ "name": "Finish", "type": "choices", "options": ["oiled", "raw"], "description": "*" });
        for field in [weight, material, finish] {
            self.make("fields", field).await;
        }
        for (name, kind) in [("Buyer", "user"), ("Quote", "url"), ("Needed", "date"), ("Legacy", "text")] {
            self.make("fields", json!({ "name": name, "type": kind })).await;
        }
    }

    async fn archive(&self, legacy: &Value, material: &Value, tag: &str) {
        let path = |field: &Value| format!("fields/{}", field["id"].as_str().unwrap());
        self.patch(&path(legacy), json!({ "status": "archived" })).await.expect(200);
        let option = |at: usize, is_archived: bool| {
            let option = &material["options"][at];
            json!({ "id": option["id"], "name": option["name"], "isArchived": is_archived })
        };
        let options = json!({ "options": [option(0, true), option(1, false)] });
        self.patch(&path(material), options).await.expect(200);
        self.patch(&format!("card-tags/{tag}"), json!({ "status": "archived" })).await.expect(200);
    }

    /// Four cards with all that a card can have but boards, files and links; the third one is deleted.
    pub(super) async fn fill(&self, bob: &User, bobs: &Caller) {
        self.define_fields().await;
        let drive = json!({ "name": "drive", "color": "#FF0000", "description": "Turns." });
        self.make("card-tags", json!({ "name": "unused" })).await;
        let drive = self.make("card-tags", drive).await["tag"]["id"].clone();
        let old = self.make("card-tags", json!({ "name": "old" })).await["tag"]["id"].clone();
        let shaft = json!({
            "name": "Shaft", "description": "# Shaft\n\n`d = 12`\r\n\ttab 😀", "effort": 3, "priority": "high",
            "type": "bug", "startDate": "2026-11-02", "deadline": "2026-12-24", "assigneeId": self.alice.id,
            "tagIds": [old, drive], "fields": {
                "Weight": 2.5, "Material": "steel", "Finish": ["raw", "oiled"], "Buyer": bob.id,
                "Quote": "https://steel.example/7", "Needed": "2026-12-01", "Legacy": " as it was ",
            },
        });
        self.make("cards", shaft).await;
        self.make("cards", json!({ "name": "Gearbox", "type": "epic" })).await;
        self.make("cards", json!({ "name": "Gone" })).await;
        self.delete("cards/PR-3").await.expect(200);
        let by_bob = bobs.post(&self.at("cards")).json(json!({ "name": "Key", "resolution": "Done.\n" }));
        by_bob.await.expect(201);
        self.patch("cards/PR-1", json!({ "parentId": "PR-2" })).await.expect(200);
        self.patch("cards/PR-4", json!({ "isOpen": false })).await.expect(200);
        self.put(&format!("cards/PR-1/assignees/{}", bob.id)).await.expect(200);
        for (text, is_done) in [("Turn it", true), ("Measure *it*", false)] {
            self.make("cards/PR-1/checklist", json!({ "text": text, "isDone": is_done })).await;
        }
        self.make("cards/PR-1/comments", json!({ "body": "Is it hard?" })).await;
        let comment = bobs.post(&self.at("cards/PR-1/comments")).json(json!({ "body": "58 HRC" }));
        let comment = comment.await.expect(201).text("/comment/id");
        let changed = bobs.patch(&self.at(&format!("cards/PR-1/comments/{comment}")));
        changed.json(json!({ "body": "**60** HRC" })).await.expect(200);
        for (card, other, kind) in [("PR-1", "PR-4", "blocks"), ("PR-4", "PR-2", "relates")] {
            self.put(&format!("cards/{card}/relations/{other}"))
                .json(json!({ "kind": kind }))
                .await
                .expect(200);
        }
        let fields = self.get("fields").await.expect(200).json();
        self.archive(&fields["fields"][6], &fields["fields"][1], old.as_str().unwrap()).await;
    }

    /// The project as its API shows it, with names in place of ids.
    async fn shown(&self, bob: &User) -> String {
        let fields = self.get("fields").await.expect(200).json()["fields"].clone();
        let tags = self.get("card-tags").await.expect(200).json()["tags"].clone();
        let mut cards = self.cards().await;
        cards.sort_by_key(|card| card["number"].as_i64());
        let mut names = vec![(self.alice.id.clone(), "ALICE".to_owned()), (bob.id.clone(), "BOB".to_owned())];
        let named = [&fields, &tags].into_iter().flat_map(|list| list.as_array().unwrap());
        let named = named.flat_map(|one| {
            let options = one["options"].as_array().into_iter().flatten();
            options.chain([one]).collect::<Vec<_>>()
        });
        for one in named.chain(&cards) {
            names
                .push((one["id"].as_str().unwrap().to_owned(), one["name"].as_str().unwrap().to_uppercase()));
        }
        let mut whole = vec![fields, tags];
        for card in &cards {
            let key = card["key"].as_str().unwrap();
            for part in ["", "/comments", "/checklist", "/relations"] {
                whole.push(self.get(&format!("cards/{key}{part}")).await.expect(200).json());
            }
        }
        let mut whole = json!(whole);
        strip(&mut whole);
        let shown = serde_json::to_string_pretty(&whole).unwrap();
        names.iter().fold(shown, |shown, (id, name)| shown.replace(id.as_str(), name))
    }
}

/// Removes what is rightly another's, and the ids of comments and lines, which nothing names.
fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !OTHER.contains(&name.as_str()));
            if fields.contains_key("body") || fields.contains_key("isDone") {
                fields.remove("id");
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(elements) => elements.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The lines of an export.
pub(super) fn lines(answer: &Answer) -> Vec<Value> {
    let text = std::str::from_utf8(&answer.body).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The fields of notes, each once.
pub(super) fn told(notes: &[Value]) -> Vec<&str> {
    let mut fields: Vec<&str> = notes.iter().map(|note| note["field"].as_str().unwrap()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

#[tokio::test]
async fn a_project_is_the_same_after_its_export_and_an_import_into_an_empty_deployment() {
    let (source, target) = (Importer::own().await, Importer::own().await);
    let (bob, bobs) = source.bob().await;
    source.fill(&bob, &bobs).await;
    let (other_bob, _) = target.bob().await;
    let export = source.export().await;
    assert_eq!(export.header("content-type"), "application/x-ndjson");
    assert!(export.header("content-disposition").ends_with(".ndjson\""));
    assert_eq!(source.export().await.body, export.body, "nothing changed");

    let trial = target.import("ndjson", &[("dryRun", "true")], &export.body).await;
    assert_eq!(
        trial["counts"],
        json!({
            "issues": 3, "relations": 2, "comments": 2, "boards": 0, "sprints": 0, "created": 3, "existing": 0,
        })
    );
    assert_eq!(target.cards().await.len(), 0);
    let done = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&done["state"], &done["failure"]), (&json!("finished"), &json!(null)));
    assert_eq!(told(&target.notes(&done).await), ["history", "project"]);
    let shown = target.shown(&other_bob).await;
    assert_eq!(shown, source.shown(&bob).await);
    assert_eq!(shown.matches("60** HRC").count(), 1, "{shown}");
    // The next card has the number that it would have there.
    let next = target.make("cards", json!({ "name": "Next" })).await;
    assert_eq!(next["card"]["key"], "PR-5");

    // A repeat finds the cards, and changes nothing.
    let again = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&again["counts"]["created"], &again["counts"]["existing"]), (&json!(0), &json!(3)));
    assert_eq!(again["state"], "finished");
}

#[tokio::test]
async fn links_people_without_an_account_here_and_boards_that_the_key_may_not_make_are_told() {
    let (source, target) = (Importer::own().await, Importer::own().await);
    let (bob, bobs) = source.bob().await;
    source.fill(&bob, &bobs).await;
    let planner = source.alice.key(MANAGE_WITH_TEAMS).await;
    let in_org = |path: &str| format!("/api/v2/orgs/{}/{path}", source.org);
    let team = planner.post(&in_org("teams")).json(json!({ "name": "Wheels" })).await.expect(201);
    let team = in_org(&format!("teams/{}", team.text("/team/id")));
    planner.put(&format!("{team}/projects/{}", source.project)).await.expect(200);
    let column = planner.post(&format!("{team}/statuses")).json(json!({ "name": "Doing" })).await.expect(201);
    let place = json!({ "statusId": column.text("/status/id") });
    let card = source.get("cards/PR-1").await.expect(200).text("/card/id");
    planner.put(&format!("{team}/cards/{card}")).json(place).await.expect(200);
    source.put(&format!("cards/PR-2/objects/{}", source.project)).await.expect(200);

    let export = source.export().await;
    let done = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(3)));
    let notes = target.notes(&done).await;
    assert_eq!(
        told(&notes),
        ["Buyer", "board", "created_by_user", "history", "object", "project", "team", "user_ids"]
    );
    let board = notes.iter().find(|note| note["field"] == "board").unwrap();
    assert_eq!((&board["issue"], &board["value"]), (&json!("PR-1"), &json!("Wheels / Doing")));
    let comments = target.get("cards/PR-1/comments").await.expect(200).json();
    let bodies: Vec<&str> =
        comments["comments"].as_array().unwrap().iter().map(|one| one["body"].as_str().unwrap()).collect();
    let day = comments["comments"][1]["createdAt"].as_str().unwrap().split('T').next().unwrap();
    assert_eq!(bodies, ["Is it hard?", &format!("*bob, {day}*\n\n**60** HRC")]);
}

#[tokio::test]
async fn a_file_that_is_cut_or_changed_is_refused_with_its_line() {
    let works = Importer::open().await;
    works.make("cards", json!({ "name": "Shaft" })).await;
    let export = works.export().await;
    let text = String::from_utf8(export.body.to_vec()).unwrap();
    let project = ("projectId", works.project.as_str());
    let refused = async |file: &str| {
        let answer = works.post_form(&works.org, &[("tool", "ndjson"), project], file.as_bytes()).await;
        assert_eq!(answer.to_string(), "400 INVALID_REQUEST body.file format");
        answer.text("/error/message")
    };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let cut: String = lines[..lines.len() - 1].concat();
    let after = format!("the file is cut after line {}", lines.len() - 1);
    assert!(refused(&cut).await.contains(&after));
    assert!(refused(text.trim_end()).await.contains(&format!("line {}: the file is cut", lines.len())));
    let at_end = format!("line {}: ", lines.len());
    assert!(refused(&text.replace("Shaft", "Shift")).await.contains(&format!("{at_end}the lines before")));
    let without = [&lines[..1], &lines[2..]].concat().concat();
    assert!(refused(&without).await.contains(&format!("line {}: ", lines.len() - 1)));
    assert!(
        refused(&text.replacen("\"kind\":\"person\"", "\"kind\":\"robot\"", 1)).await.contains("line 2: ")
    );
    assert!(refused("Summary,Issue key\nGearbox,GEAR-1\n").await.contains("not an export of this tool"));
    assert_eq!(works.list().await.len(), 0);
}

#[tokio::test]
async fn an_export_has_nothing_that_its_caller_does_not_see() {
    let works = Importer::own().await;
    let (bob, bobs) = works.bob().await;
    works.fill(&bob, &bobs).await;
    let operator = works.deployment.operator();
    let eves = operator.user("eve").await.key(MANAGE_WITH_CARDS).await;
    let path = works.at("export.ndjson");
    let absent = format!("/api/v2/projects/{ABSENT_ID}/export.ndjson");
    assert_snapshot!(eves.get(&path).await, @"404 NOT_FOUND");
    assert_snapshot!(eves.get(&absent).await, @"404 NOT_FOUND");
    let reader = works.alice.key(&["projects:read"]).await;
    assert_snapshot!(reader.get(&path).await, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:read"}"#);

    let people = |answer: &Answer| {
        let people = lines(answer).into_iter().filter(|line| line["kind"] == "person");
        let person = |line: Value| format!("{} {}", line["name"].as_str().unwrap(), line["email"]);
        people.map(person).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(people(&works.export().await), r#"alice "alice@example.com", bob "bob@example.com""#);
    // A member who is no admin sees no address but the own one.
    let of_member = bobs.get(&path).await.expect(200);
    assert_eq!(people(&of_member), r#"alice null, bob "bob@example.com""#);
    let cards_alone = bob.key(&["cards:read"]).await.get(&path).await.expect(200);
    let head = &lines(&cards_alone)[0];
    assert_eq!((&head["project"]["key"], &head["project"]["name"]), (&json!("PR"), &json!(null)));

    // A private team of alice's: bob sees neither it nor the place of the card, and nobody's history of it.
    let planner = works.alice.key(MANAGE_WITH_TEAMS).await;
    let in_org = |path: &str| format!("/api/v2/orgs/{}/{path}", works.org);
    let team = json!({ "name": "Secret", "visibility": "private" });
    let team = planner.post(&in_org("teams")).json(team).await.expect(201).text("/team/id");
    let at = in_org(&format!("teams/{team}"));
    planner.put(&format!("{at}/projects/{}", works.project)).await.expect(200);
    let column = planner.post(&format!("{at}/statuses")).json(json!({ "name": "Doing" })).await.expect(201);
    let card = works.get("cards/PR-1").await.expect(200).text("/card/id");
    let place = json!({ "statusId": column.text("/status/id") });
    planner.put(&format!("{at}/cards/{card}")).json(place).await.expect(200);
    let of_alice = works.export().await;
    assert!(lines(&of_alice).iter().any(|line| line["kind"] == "team"));
    let bobs_with_teams = bob.key(MANAGE_WITH_TEAMS).await;
    for caller in [&bobs, &bobs_with_teams] {
        let text = String::from_utf8(caller.get(&path).await.expect(200).body.to_vec()).unwrap();
        assert!(!text.contains(&team) && !text.contains("Secret"), "{text}");
    }
}

#[tokio::test]
async fn an_export_tells_that_cards_changed_meanwhile() {
    let works = Importer::own().await;
    works.make("cards", json!({ "name": "Shaft" })).await;
    let holder = works.deployment.database.connect().await;
    holder.batch_execute("begin; lock table card_comments in access exclusive mode").await.unwrap();
    let meanwhile = async {
        // The export waits for the people who wrote comments.
        works.deployment.database.wait_for_blocked(1).await;
        works.make("cards", json!({ "name": "Key" })).await;
        holder.batch_execute("commit").await.unwrap();
    };
    let (export, ()) = tokio::join!(works.export(), meanwhile);
    let found = lines(&export);
    assert_eq!(found.iter().filter(|line| line["kind"] == "card").count(), 2);
    assert_eq!(found.last().unwrap()["changed"], true);
    let trial = works.import("ndjson", &[("dryRun", "true")], &export.body).await;
    let notes = works.notes(&trial).await;
    assert!(notes.iter().any(|note| note["reason"].as_str().unwrap().contains("while the file was written")));
}

#[tokio::test]
async fn an_export_of_many_pages_keeps_numbers_and_leaves_those_that_are_taken() {
    let (source, target) = (Importer::open().await, Importer::open().await);
    let create = |at: usize| json!({ "op": "create", "name": format!("card {at}") });
    let operations: Vec<_> = (1..=230).map(create).collect();
    source.post("cards/bulk", json!({ "operations": operations })).await.expect(200);
    let export = source.export().await;
    let found = lines(&export);
    let mut numbers: Vec<i64> =
        found.iter().filter_map(|line| line.pointer("/card/number")?.as_i64()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=230).collect::<Vec<i64>>());
    let end = found.last().unwrap();
    assert_eq!((&end["kind"], &end["lines"]), (&json!("end"), &json!(found.len() - 1)));

    let own = target.make("cards", json!({ "name": "Own" })).await;
    assert_eq!(own["card"]["key"], "PR-1");
    let done = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(230)));
    let notes = target.notes(&done).await;
    let taken: Vec<&Value> = notes.iter().filter(|note| note["field"] == "number").collect();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert_eq!((&taken[0]["issue"], &taken[0]["value"]), (&json!("PR-1"), &json!("1")));
    // A key of the file names the project's own card, as everywhere; the others are themselves.
    for (key, name) in [("PR-1", "Own"), ("PR-2", "card 2"), ("PR-100", "card 100")] {
        assert_eq!(target.get(&format!("cards/{key}")).await.expect(200).json()["card"]["name"], name);
    }
}
