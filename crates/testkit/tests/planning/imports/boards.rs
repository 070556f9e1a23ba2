//! Boards and sprints in the import of an export: columns, places of cards, states, and what is refused or told.

use insta::assert_snapshot;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::answer::Answer;
use testkit::caller::Base;
use testkit::seed::MANAGE_WITH_TEAMS;

use super::ndjson::{lines, told};
use super::support::Importer;

/// Fields of lines that are rightly another's after an import: its times and ids, the owner of project and team.
const OTHER: [&str; 4] = ["updated_at", "organization_id", "project_id", "projectId"];

impl Importer {
    /// On a deployment of its own, with a key that makes teams.
    pub(super) async fn with_teams() -> Self {
        let own = Self::own().await;
        let caller = own.alice.key(MANAGE_WITH_TEAMS).await;
        Self { caller, ..own }
    }

    pub(super) fn in_org(&self, path: &str) -> String {
        format!("/api/v2/orgs/{}/{path}", self.org)
    }

    /// A team with a linked project; the answer is its path.
    pub(super) async fn team(&self, body: Value) -> String {
        let team = self.caller.post(&self.in_org("teams")).json(body).await.expect(201).text("/team/id");
        let path = self.in_org(&format!("teams/{team}"));
        self.caller.put(&format!("{path}/projects/{}", self.project)).await.expect(200);
        path
    }

    /// Makes a part of a team, and returns its id.
    pub(super) async fn part(&self, path: &str, body: Value, id: &str) -> String {
        self.caller.post(path).json(body).await.expect(201).text(id)
    }

    /// The id of a card.
    pub(super) async fn card(&self, key: &str) -> String {
        self.get(&format!("cards/{key}")).await.expect(200).text("/card/id")
    }

    pub(super) async fn put_on(&self, team: &str, key: &str, place: Value) {
        let path = format!("{team}/cards/{}", self.card(key).await);
        self.caller.put(&path).json(place).await.expect(200);
    }

    /// Five cards on a board with a limit that they exceed, in sprints of each state.
    async fn fill_board(&self) -> String {
        for name in ["Shaft", "Gear", "Key", "Case", "Loose"] {
            self.make("cards", json!({ "name": name, "effort": 2 })).await;
        }
        let team = json!({
            "name": "Wheels", "description": "Turns.", "visibility": "internal", "timeZone": "Europe/Berlin",
        });
        let team = self.team(team).await;
        let (statuses, sprints) = (format!("{team}/statuses"), format!("{team}/sprints"));
        let todo = self.part(&statuses, json!({ "name": "To do" }), "/status/id").await;
        let doing = json!({
            "name": "Doing", "description": "One at a time.", "color": "#00FF88", "transitionState": "started",
            "wipLimit": 1, "wipPolicy": "warn", "wipUnit": "effort",
        });
        let doing = self.part(&statuses, doing, "/status/id").await;
        let done = json!({ "name": "Done", "transitionState": "closed", "closeMode": "automatic" });
        let done = self.part(&statuses, done, "/status/id").await;
        let first = json!({ "name": "First", "startDate": "2026-10-05", "endDate": "2026-10-16" });
        let first = self.part(&sprints, first, "/sprint/id").await;
        let second = json!({
            "name": "Second", "description": "Ship it.", "startDate": "2026-11-02", "endDate": "2026-11-13",
        });
        let second = self.part(&sprints, second, "/sprint/id").await;
        self.part(&sprints, json!({ "name": "Third" }), "/sprint/id").await;
        self.put_on(&team, "PR-4", json!({ "statusId": done, "sprintId": first })).await;
        self.caller.post(&format!("{sprints}/{first}/start")).json(json!({})).await.expect(200);
        self.caller.post(&format!("{sprints}/{first}/complete")).json(json!({})).await.expect(200);
        self.put_on(&team, "PR-1", json!({ "statusId": doing, "sprintId": second })).await;
        self.put_on(&team, "PR-2", json!({ "statusId": doing, "sprintId": second })).await;
        let before = self.card("PR-1").await;
        self.put_on(&team, "PR-3", json!({ "statusId": doing, "beforeCardId": before })).await;
        self.caller.post(&format!("{sprints}/{second}/start")).json(json!({})).await.expect(200);
        self.put_on(&team, "PR-5", json!({ "statusId": todo })).await;
        // A closed column doesn't mean a closed card.
        self.patch("cards/PR-4", json!({ "isOpen": true })).await.expect(200);
        team
    }

    /// The exports of the project, and of another one with a card between those on the board.
    async fn two_exports(&self, team: &str) -> [Answer; 2] {
        let other = self.new_project("Other", "OT").await;
        self.caller.put(&format!("{team}/projects/{other}")).await.expect(200);
        let active = self.caller.get(&format!("{team}/sprints?status=active")).await.expect(200);
        let doing = self.caller.get(&format!("{team}/statuses")).await.expect(200).text("/statuses/1/id");
        let place = json!({
            "statusId": doing, "sprintId": active.text("/sprints/0/id"), "beforeCardId": self.card("PR-1").await,
        });
        let cards = format!("/api/v2/projects/{other}/cards");
        let card = self.part(&cards, json!({ "name": "Pin" }), "/card/id").await;
        self.caller.put(&format!("{team}/cards/{card}")).json(place).await.expect(200);
        let path = format!("/api/v2/projects/{other}/export.ndjson");
        [self.export().await, self.caller.get(&path).await.expect(200)]
    }

    pub(super) async fn new_project(&self, name: &str, key: &str) -> String {
        let body = json!({ "name": name, "orgId": self.org, "key": key });
        self.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id")
    }

    /// The path of the only team.
    pub(super) async fn only_team(&self) -> String {
        let teams = self.caller.get(&self.in_org("teams")).await.expect(200).json();
        let teams = teams["teams"].as_array().unwrap();
        assert_eq!(teams.len(), 1, "{teams:?}");
        self.in_org(&format!("teams/{}", teams[0]["id"].as_str().unwrap()))
    }

    /// A board: columns with cards, and sprints with their states.
    pub(super) async fn board(&self, team: &str) -> String {
        let board = self.caller.get(&format!("{team}/board")).await.expect(200).json();
        let sprints = self.caller.get(&format!("{team}/sprints")).await.expect(200).json();
        let column = |column: &Value| {
            let cards: Vec<&str> = column["cards"]
                .as_array()
                .unwrap()
                .iter()
                .map(|card| card["key"].as_str().unwrap())
                .collect();
            format!("{}: {}", column["status"]["name"].as_str().unwrap(), cards.join(" "))
        };
        let columns = board["board"]["columns"].as_array().unwrap().iter().map(column);
        let sprint = |sprint: &Value| format!("{}: {}", sprint["name"], sprint["status"]).replace('"', "");
        let sprints = sprints["sprints"].as_array().unwrap().iter().rev().map(sprint);
        columns.chain(sprints).collect::<Vec<_>>().join("\n")
    }
}

/// The lines of an export but head, people, history and end, with names in place of ids, in alphabetical order.
pub(super) fn portable(mut found: Vec<Value>) -> String {
    let mut names: Vec<(String, String)> = Vec::new();
    let mut name = |one: &Value, kind: &str| {
        let (id, shown) =
            (one["id"].as_str().unwrap(), one["key"].as_str().or(one["name"].as_str()).unwrap());
        names.push((id.to_owned(), format!("<{kind} {shown}>")));
    };
    for line in &found {
        let kind = line["kind"].as_str().unwrap();
        match kind {
            "person" => name(line, kind),
            "field" => {
                name(&line[kind], kind);
                line[kind]["options"].as_array().unwrap().iter().for_each(|option| name(option, "option"));
            }
            "team" => {
                name(&line[kind], kind);
                line["columns"].as_array().unwrap().iter().for_each(|column| name(column, "column"));
            }
            "tag" | "sprint" | "card" => name(&line[kind], kind),
            _ => {}
        }
    }
    found.retain(|line| !["project", "person", "history", "end"].contains(&line["kind"].as_str().unwrap()));
    let mut shown: Vec<String> = found.into_iter().map(stripped).collect();
    for line in &mut shown {
        *line = names.iter().fold(std::mem::take(line), |line, (id, name)| line.replace(id.as_str(), name));
    }
    shown.sort_unstable();
    shown.join("\n")
}

fn stripped(mut line: Value) -> String {
    // Boards are made by the import; cards keep their times.
    if let Some(made) = ["team", "sprint"].iter().find(|kind| line["kind"] == **kind) {
        line[*made].as_object_mut().unwrap().remove("created_at");
    }
    strip(&mut line);
    line.to_string()
}

/// Removes what is another's, and the ids of comments and lines of checklists.
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

/// A file with other lines, and the end that they need.
fn changed(export: &Answer, change: impl FnOnce(&mut Vec<Value>)) -> Vec<u8> {
    let mut found = lines(export);
    found.pop();
    change(&mut found);
    let text: String = found.iter().map(|line| format!("{line}\n")).collect();
    let sha256: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let end = json!({ "kind": "end", "lines": found.len(), "sha256": sha256, "changed": false });
    format!("{text}{end}\n").into_bytes()
}

fn line_of<'a>(lines: &'a mut [Value], kind: &str) -> &'a mut Value {
    lines.iter_mut().find(|line| line["kind"] == kind).unwrap()
}

#[tokio::test]
async fn boards_and_sprints_are_the_same_after_an_export_and_an_import() {
    let (source, target) = (Importer::with_teams().await, Importer::with_teams().await);
    let team = source.fill_board().await;
    let export = source.export().await;
    let trial = target.import("ndjson", &[("dryRun", "true")], &export.body).await;
    assert_eq!((&trial["counts"]["boards"], &trial["counts"]["sprints"]), (&json!(1), &json!(3)));
    let notes = target.notes(&trial).await;
    let made = notes.iter().find(|note| note["field"] == "team").unwrap();
    assert_eq!(made["value"], "Wheels");
    assert_eq!(target.caller.get(&target.in_org("teams")).await.expect(200).json()["teams"], json!([]));

    let done = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&done["state"], &done["failure"]), (&json!("finished"), &json!(null)));
    assert_eq!(done["done"], done["total"]);
    assert_eq!(told(&target.notes(&done).await), ["history", "project", "sprint", "team"]);
    let copy = target.only_team().await;
    let board = target.board(&copy).await;
    assert_snapshot!(board, @r"
    To do: PR-5
    Doing: PR-3 PR-1 PR-2
    Done: PR-4
    First: completed
    Second: active
    Third: planned
    ");
    assert_eq!(board, source.board(&team).await);
    let again = target.export().await;
    assert_eq!(portable(lines(&again)), portable(lines(&export)));
    // The active sprint has its cards from the beginning.
    let sprints = target.caller.get(&format!("{copy}/sprints?status=active")).await.expect(200);
    let report = format!("{copy}/sprints/{}/report", sprints.text("/sprints/0/id"));
    let report = target.caller.get(&report).await.expect(200).json();
    let report = report["report"].to_string();
    assert!(report.contains("Shaft") && report.contains("Gear"), "{report}");

    // A repeat leaves the board as people have made it.
    let key = target.card("PR-5").await;
    target.caller.delete(&format!("{copy}/cards/{key}")).await.expect(200);
    let repeat = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&repeat["state"], &repeat["counts"]["existing"]), (&json!("finished"), &json!(5)));
    assert_eq!(target.board(&copy).await, board.replace("To do: PR-5", "To do: "));
    assert_eq!(target.only_team().await, copy);
}

#[tokio::test]
async fn cards_of_two_projects_come_back_to_one_board_in_their_order() {
    let source = Importer::with_teams().await;
    let team = source.fill_board().await;
    let exports = source.two_exports(&team).await;
    let mut target = Importer::with_teams().await;
    let first = target.import("ndjson", &[], &exports[0].body).await;
    assert_eq!(first["state"], "finished");
    target.project = target.new_project("Other", "OT").await;
    let second = target.import("ndjson", &[], &exports[1].body).await;
    assert_eq!(second["state"], "finished");
    // The team of both files is one team here, and nothing of its board is made twice.
    assert_eq!(told(&target.notes(&second).await), ["history", "project"]);
    let board = target.board(&target.only_team().await).await;
    assert!(board.contains("Doing: PR-3 OT-1 PR-1 PR-2"), "{board}");
    assert_eq!(board, source.board(&team).await);
}

#[tokio::test]
async fn imports_that_run_together_make_one_board() {
    let source = Importer::with_teams().await;
    let team = source.fill_board().await;
    let exports = source.two_exports(&team).await;
    let mut target = Importer::with_teams().await;
    let holder = target.deployment.database.connect().await;
    // No step begins before both imports have.
    holder.batch_execute("begin; lock table cards in share mode").await.unwrap();
    let first = target.begin("ndjson", &[], &exports[0].body).await;
    target.project = target.new_project("Other", "OT").await;
    let second = target.begin("ndjson", &[], &exports[1].body).await;
    holder.batch_execute("commit").await.unwrap();
    for begun in [first, second] {
        assert_eq!(target.ended(&begun).await["state"], "finished");
    }
    assert_eq!(target.board(&target.only_team().await).await, source.board(&team).await);
}

#[tokio::test]
async fn a_board_whose_name_is_in_use_is_left_out_until_it_is_free() {
    let (source, target) = (Importer::with_teams().await, Importer::with_teams().await);
    source.fill_board().await;
    let export = source.export().await;
    // A team of the same name is another one: nothing is put on its board.
    let own = target.team(json!({ "name": "wheels", "visibility": "internal" })).await;
    let done = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(5)));
    let notes = target.notes(&done).await;
    assert_eq!(told(&notes), ["board", "history", "project", "sprint", "team"]);
    let reason = &notes.iter().find(|note| note["field"] == "team").unwrap()["reason"];
    assert!(reason.as_str().unwrap().contains("another team of this name"), "{reason}");
    assert_eq!(notes.iter().filter(|note| note["field"] == "board").count(), 5);
    assert_eq!(target.only_team().await, own);
    assert_eq!(target.board(&own).await, "");

    // Once it has another name, the same file brings the board to the cards that are there.
    target.caller.patch(&own).json(json!({ "name": "Spokes" })).await.expect(200);
    let again = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&again["state"], &again["counts"]["existing"]), (&json!("finished"), &json!(5)));
    let teams = target.caller.get(&target.in_org("teams")).await.expect(200).json();
    let copy = teams["teams"].as_array().unwrap().iter().find(|team| team["name"] == "Wheels").unwrap();
    let copy = target.in_org(&format!("teams/{}", copy["id"].as_str().unwrap()));
    assert!(target.board(&copy).await.contains("Doing: PR-3 PR-1 PR-2"));
}

#[tokio::test]
async fn an_importer_who_does_not_see_the_board_of_another_gets_an_own_one() {
    let (source, mut target) = (Importer::with_teams().await, Importer::with_teams().await);
    let team = source.fill_board().await;
    source.caller.patch(&team).json(json!({ "visibility": "private" })).await.expect(200);
    let export = source.export().await;
    assert_eq!(target.import("ndjson", &[], &export.body).await["state"], "finished");
    let first = target.only_team().await;
    let operator = target.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--org", &target.org, "member").await;
    let alices = std::mem::replace(&mut target.caller, bob.key(MANAGE_WITH_TEAMS).await);
    let body = json!({ "name": "Copy", "orgId": target.org, "key": "CO" });
    target.project = target.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let done = target.import("ndjson", &[], &export.body).await;
    assert_eq!((&done["state"], &done["counts"]["created"]), (&json!("finished"), &json!(5)));
    let own = target.only_team().await;
    assert_ne!(own, first);
    assert!(target.board(&own).await.contains("Doing: CO-3 CO-1 CO-2"));
    let before = source.board(&team).await;
    target.caller = alices;
    assert_eq!(target.board(&first).await, before, "nothing came to the other board");
}

#[tokio::test]
async fn wrong_boards_are_refused_by_their_lines() {
    let works = Importer::with_teams().await;
    works.fill_board().await;
    let export = works.export().await;
    let project = ("projectId", works.project.as_str());
    let refused = async |change: &dyn Fn(&mut Vec<Value>)| {
        let file = changed(&export, change);
        let answer = works.post_form(&works.org, &[("tool", "ndjson"), project], &file).await;
        assert_eq!(answer.to_string(), "400 INVALID_REQUEST body.file format");
        answer.text("/error/message")
    };
    let column = |lines: &mut Vec<Value>, at: usize| line_of(lines, "team")["columns"][at].clone();
    let message = refused(&|lines| {
        line_of(lines, "team")["columns"][1]["name"] = json!("TO DO");
    })
    .await;
    assert!(message.contains("two columns of one name"));
    let message = refused(&|lines| {
        line_of(lines, "team")["columns"][0]["team_id"] = works.project.clone().into();
    })
    .await;
    assert!(message.contains("a column of another team"));
    let message = refused(&|lines| {
        let moved = column(lines, 0);
        line_of(lines, "team")["columns"].as_array_mut().unwrap().push(moved);
    })
    .await;
    assert!(message.contains("two columns of one name"));
    let message = refused(&|lines| {
        let at = lines.iter().position(|line| line["kind"] == "team").unwrap();
        let mut other = lines[at].clone();
        other["team"]["organization_id"] = works.project.clone().into();
        lines.insert(at + 1, other);
    })
    .await;
    assert!(message.contains("a team of another organization"));
    let early = json!("2026-01-01T00:00:00.000Z");
    let message = refused(&|lines| line_of(lines, "sprint")["sprint"]["end_date"] = early.clone()).await;
    assert!(message.contains("a sprint whose end does not fit its start"));
    let message = refused(&|lines| line_of(lines, "sprint")["sprint"]["start_date"] = json!(null)).await;
    assert!(message.contains("a sprint that was started without both days"));
    let message = refused(&|lines| lines.retain(|line| line["kind"] != "team")).await;
    assert!(message.contains("a sprint of a team that no line before it has"));
    let message = refused(&|lines| {
        let place = lines.iter_mut().find(|line| line["card"]["key"] == "PR-1").unwrap();
        let twice = place["placements"][0].clone();
        place["placements"].as_array_mut().unwrap().push(twice);
    })
    .await;
    assert!(message.contains("a card with two places on one board"));
    assert_eq!(works.list().await.len(), 0);
}

#[tokio::test]
async fn unknown_columns_and_sprints_that_overlap_are_told() {
    let (source, target) = (Importer::with_teams().await, Importer::with_teams().await);
    source.fill_board().await;
    let export = source.export().await;
    let file = changed(&export, |lines| {
        line_of(lines, "team")["columns"].as_array_mut().unwrap().remove(0);
        let days = json!(["2026-11-10T00:00:00.000Z", "2026-11-20T00:00:00.000Z"]);
        let third = lines.iter_mut().find(|line| line["sprint"]["name"] == "Third").unwrap();
        (third["sprint"]["start_date"], third["sprint"]["end_date"]) = (days[0].clone(), days[1].clone());
    });
    let trial = target.import("ndjson", &[("dryRun", "true")], &file).await;
    let notes = target.notes(&trial).await;
    let overlap = notes.iter().find(|note| note["field"] == "sprint" && note["value"] == "Third").unwrap();
    assert!(overlap["reason"].as_str().unwrap().contains("overlap"), "{overlap}");
    let board = notes.iter().find(|note| note["field"] == "board").unwrap();
    assert_eq!(board["issue"], "PR-5");
    assert!(board["reason"].as_str().unwrap().contains("not in the file"), "{board}");

    let done = target.import("ndjson", &[], &file).await;
    assert_eq!(done["state"], "finished");
    let board = target.board(&target.only_team().await).await;
    assert_eq!(board, "Doing: PR-3 PR-1 PR-2\nDone: PR-4\nFirst: completed\nSecond: active\nThird: planned");
}

#[tokio::test]
async fn a_sprint_without_cards_here_stays_planned_and_says_so() {
    let (source, target) = (Importer::with_teams().await, Importer::with_teams().await);
    let team = source.fill_board().await;
    let todo = source.caller.get(&format!("{team}/statuses")).await.expect(200).text("/statuses/0/id");
    for key in ["PR-1", "PR-2"] {
        source.put_on(&team, key, json!({ "statusId": todo, "sprintId": null })).await;
    }
    let done = target.import("ndjson", &[], &source.export().await.body).await;
    assert_eq!(done["state"], "finished");
    let notes = target.notes(&done).await;
    let reasons: Vec<&str> = notes
        .iter()
        .filter(|note| note["value"] == "Second")
        .map(|note| note["reason"].as_str().unwrap())
        .collect();
    assert!(reasons.iter().any(|reason| reason.contains("stays planned")), "{reasons:?}");
    assert!(target.board(&target.only_team().await).await.contains("Second: planned"));
}

#[tokio::test]
async fn a_board_is_whole_after_the_process_that_makes_it_died() {
    let (source, mut target) = (Importer::with_teams().await, Importer::with_teams().await);
    let team = source.fill_board().await;
    let export = source.export().await;
    let holder = target.deployment.database.connect().await;
    holder.batch_execute("begin; lock table team_cards in share mode").await.unwrap();
    let begun = target.begin("ndjson", &[], &export.body).await;
    // The places are being written.
    target.deployment.database.wait_for_blocked(1).await;
    target.deployment.control[0].kill();
    holder.batch_execute("commit").await.unwrap();
    target.deployment.database.wait_for_quiet().await;
    assert_eq!(target.deployment.database.count("select count(*) from team_cards").await, 0);
    target.deployment.control[0].restart();
    assert_eq!(target.ended(&begun).await["state"], "finished");
    assert_eq!(target.board(&target.only_team().await).await, source.board(&team).await);
    let count = |sql: &'static str| target.deployment.database.count(sql);
    assert_eq!(count("select count(*) from card_history where kind = 'placed'").await, 5);
    assert_eq!(count("select count(*) from board_sources").await, 7);
}
