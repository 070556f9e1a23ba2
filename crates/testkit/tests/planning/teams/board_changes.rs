//! Changes of a board since a revision: applied to the board of that revision, they are the board as it is read whole.

use std::collections::BTreeSet;

use futures_util::future::join;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::deployment::{Deployment, Options};
use testkit::plan::PlannedStatement;
use testkit::random::Random;
use testkit::seed::{ABSENT_ID, User};

use crate::teams::support::Team;

/// Changes of a random walk.
const STEPS: usize = 150;
/// The last boards from which changes are read.
const KNOWN: usize = 4;
/// Moves of each of two people at once.
const MOVES: usize = 40;

/// A board as a reader has it, with its revision.
#[derive(Clone, Debug)]
struct KnownBoard {
    board: Value,
    revision: String,
}

impl KnownBoard {
    /// Reads the whole board.
    async fn read(team: &Team, caller: &Caller) -> Self {
        let answer = caller.get(&team.at("board")).await.expect(200);
        let revision = answer.header("etag").trim_start_matches("W/").trim_matches('"').to_owned();
        Self { board: answer.json()["board"].clone(), revision }
    }

    /// Reads the changes since this board.
    async fn changes(&self, team: &Team, caller: &Caller) -> Value {
        let path = team.at(&format!("board/changes?since={}", self.revision));
        caller.get(&path).await.expect(200).json()["changes"].clone()
    }

    /// This board with changes, as a client applies them.
    fn with(&self, changes: &Value) -> Self {
        let list = |name: &str| changes[name].as_array().unwrap();
        let before = match changes["is_whole"] == true {
            true => Vec::new(),
            false => self.board["columns"].as_array().unwrap().clone(),
        };
        let mut gone: BTreeSet<&str> = list("removed_card_ids").iter().filter_map(Value::as_str).collect();
        gone.extend(list("cards").iter().filter_map(|change| change["card"]["id"].as_str()));
        let columns = list("column_ids").iter().map(|id| {
            let is_it = |column: &&Value| column["status"]["id"] == *id;
            let own = before.iter().find(is_it);
            let mut column = list("columns").iter().find(is_it).or(own).unwrap().clone();
            let stay = own.into_iter().flat_map(|own| own["cards"].as_array().unwrap());
            let stay = stay.filter(|card| !gone.contains(card["id"].as_str().unwrap()));
            let came = list("cards").iter().filter(|change| change["status_id"] == *id);
            let mut cards: Vec<Value> = stay.chain(came.map(|change| &change["card"])).cloned().collect();
            cards.sort_by(|one, other| one["rank"].as_str().cmp(&other["rank"].as_str()));
            column["cards"] = json!(cards);
            column
        });
        let board = json!({
            "team_id": changes["team_id"], "columns": columns.collect::<Vec<_>>(), "fields": changes["fields"],
            "field_users": changes["field_users"],
        });
        Self { board, revision: changes["revision"].as_str().unwrap().to_owned() }
    }

    /// The ids of the cards, each as often as it stands there.
    fn cards(&self) -> Vec<&str> {
        let columns = self.board["columns"].as_array().unwrap().iter();
        let cards = columns.flat_map(|column| column["cards"].as_array().unwrap());
        cards.map(|card| card["id"].as_str().unwrap()).collect()
    }
}

/// A team with two projects, and a reader who sees the second one at times.
struct Walk {
    team: Team,
    second: String,
    bob: User,
    by_bob: Caller,
    columns: Vec<String>,
    sprint: String,
    tag: String,
    /// Paths of projects and ids of cards, also of deleted ones.
    cards: Vec<(String, String)>,
    names: usize,
}

impl Walk {
    async fn open() -> Self {
        let team = Team::own().await;
        let second = team.linked_project("Box").await;
        let (bob, by_bob) = team.member("bob", "guest").await;
        let operator = team.deployment.operator();
        operator.add_member(&bob, "--team", &team.id, "member").await;
        operator.add_member(&bob, "--project", &team.project, "viewer").await;
        let mut columns = Vec::new();
        for name in ["To do", "Doing", "Done"] {
            columns.push(team.status(name).await);
        }
        let sprint = team.sprint("1").await;
        let tags = format!("/api/v2/projects/{}/card-tags", team.project);
        let tag = team.caller.post(&tags).json(json!({ "name": "urgent" })).await.expect(201).text("/tag/id");
        Self { team, second, bob, by_bob, columns, sprint, tag, cards: Vec::new(), names: 0 }
    }

    fn name(&mut self) -> Value {
        self.names += 1;
        json!({ "name": format!("{}", self.names) })
    }

    /// Creates a card of one of the projects in one of the columns.
    async fn create(&mut self, random: &mut Random) {
        let name = self.name();
        let project = if random.below(2) == 0 { &self.team.project } else { &self.second };
        let path = format!("/api/v2/projects/{project}");
        let card = self.team.caller.post(&format!("{path}/cards")).json(name).await;
        let card = card.expect(201).text("/card/id");
        self.team.place(&card, json!({ "statusId": random.one_of(&self.columns) })).await;
        self.cards.push((path, card));
    }

    /// Changes something that the board shows, or may show. What is gone is not found.
    async fn step(&mut self, random: &mut Random) {
        if self.cards.is_empty() || random.below(8) == 0 {
            return self.create(random).await;
        }
        let name = self.name();
        let Self { team, second, bob, columns, sprint, tag, cards, .. } = &*self;
        let (operator, by) = (team.deployment.operator(), &team.caller);
        let ((path, card), (_, other)) = (random.one_of(cards), random.one_of(cards));
        let (column, first) = (random.one_of(columns), format!("/api/v2/projects/{}", team.project));
        let of_card = |part: &str| format!("{path}/cards/{card}{part}");
        let answer: Answer = match random.below(17) {
            0..=3 => team.place(card, json!({ "statusId": column })).await,
            4 => team.place(card, json!({ "statusId": column, "beforeCardId": other })).await,
            5 => team.place(card, json!({ "sprintId": random.maybe(sprint) })).await,
            6 => team.delete(&format!("cards/{card}")).await,
            7 => by.patch(&of_card("")).json(name).await,
            8 => by.patch(&of_card("")).json(json!({ "isOpen": random.below(2) == 0 })).await,
            9 => by.delete(&of_card("")).await,
            10 => by.put(&of_card(&format!("/tags/{tag}"))).await,
            11 => by.patch(&format!("{first}/card-tags/{tag}")).json(name).await,
            12 => team.patch(&format!("statuses/{column}"), name).await,
            13 => by.put(&of_card(&format!("/relations/{other}"))).json(json!({ "kind": "blocks" })).await,
            14 => by.patch(&format!("/api/v2/projects/{second}")).json(name).await,
            15 => match random.below(2) {
                0 => team.delete(&format!("projects/{second}")).await,
                _ => team.put(&format!("projects/{second}")).await,
            },
            _ => {
                let (user, project) = (bob.id.as_str(), second.as_str());
                let line = match random.below(2) {
                    0 => json!(["member", "add", "--user", user, "--project", project, "--role", "viewer"]),
                    _ => json!(["member", "remove", "--user", user, "--project", project]),
                };
                // A person who is not a member can't be removed.
                operator.answer(&line).await;
                return;
            }
        };
        assert!(matches!(answer.status, 200 | 201 | 400 | 404 | 409), "{answer}");
    }
}

#[tokio::test]
async fn changes_make_each_earlier_board_the_one_that_is_read_whole() {
    let mut random = Random::seeded("BOARD_CHANGES_SEED");
    let mut walk = Walk::open().await;
    let mut known: [Vec<KnownBoard>; 2] = Default::default();
    let mut partial = [0, 0];
    for step in 0..STEPS {
        walk.step(&mut random).await;
        for (reader, caller) in [&walk.team.caller, &walk.by_bob].into_iter().enumerate() {
            let now = KnownBoard::read(&walk.team, caller).await;
            if let Some(since) = (!known[reader].is_empty()).then(|| random.one_of(&known[reader])) {
                let changes = since.changes(&walk.team, caller).await;
                let made = since.with(&changes);
                assert_eq!(made.board, now.board, "step {step}, reader {reader}: {changes:#}");
                assert_eq!(made.revision, now.revision, "step {step}, reader {reader}");
                if changes["is_whole"] == true {
                    assert_eq!(changes["removed_card_ids"], json!([]), "step {step}, reader {reader}");
                } else {
                    partial[reader] += 1;
                }
            }
            known[reader].push(now);
            if known[reader].len() > KNOWN {
                known[reader].remove(0);
            }
        }
    }
    assert!(partial.iter().all(|partial| *partial > STEPS / 3), "{partial:?} of {STEPS}");
}

#[tokio::test]
async fn a_move_is_answered_as_one_card_and_the_columns_that_it_left_and_entered() {
    let team = Team::own().await;
    let (todo, done) = (team.status("To do").await, team.status("Done").await);
    team.status("Later").await;
    let (first, second) = (team.placed("a", &todo).await, team.placed("b", &todo).await);
    let known = KnownBoard::read(&team, &team.caller).await;
    let unchanged = known.changes(&team, &team.caller).await;
    assert_eq!(unchanged["is_whole"], false);
    for name in ["columns", "cards", "removed_card_ids"] {
        assert_eq!(unchanged[name], json!([]), "{name}");
    }
    team.place(&first, json!({ "statusId": done })).await.expect(200);
    let changes = known.changes(&team, &team.caller).await;
    let ids = |list: &str, id: &str| -> Vec<String> {
        let list = changes[list].as_array().unwrap().iter();
        list.map(|one| one.pointer(id).unwrap().as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("cards", "/card/id"), [first.as_str()]);
    assert_eq!(ids("cards", "/status_id"), [done.as_str()]);
    assert_eq!(ids("columns", "/status/id"), [todo.as_str(), done.as_str()]);
    team.caller.delete(&team.card_path(&second)).await.expect(200);
    let changes = known.with(&changes).changes(&team, &team.caller).await;
    assert_eq!((&changes["removed_card_ids"], &changes["cards"]), (&json!([second]), &json!([])));
    // Each filter has revisions of its own.
    let path = team.at("board/changes?sprintId=none&since=");
    let of_filter = team.caller.get(&format!("{path}{}", known.revision)).await.expect(200).json();
    assert_eq!(of_filter["changes"]["is_whole"], true);
    let revision = of_filter["changes"]["revision"].as_str().unwrap();
    let again = team.caller.get(&format!("{path}{revision}")).await.expect(200).json();
    assert_eq!((&again["changes"]["is_whole"], &again["changes"]["cards"]), (&json!(false), &json!([])));
}

#[tokio::test]
async fn changes_that_are_read_while_two_people_move_cards_lose_nothing() {
    let team = Team::on(Deployment::with(Options { control_replicas: 2, ..Options::default() }).await).await;
    let elsewhere = team.caller.at(&team.deployment.control_urls[1]);
    let columns = [team.status("To do").await, team.status("Doing").await, team.status("Done").await];
    let mut cards = Vec::new();
    for number in 0..6 {
        cards.push(team.placed(&format!("{number}"), &columns[0]).await);
    }
    let expected: BTreeSet<&str> = cards.iter().map(String::as_str).collect();
    let move_cards = async |caller: &Caller, step: usize| {
        for number in 0..MOVES {
            let path = team.at(&format!("cards/{}", cards[(number * step) % cards.len()]));
            let body = json!({ "statusId": columns[(number + step) % columns.len()] });
            caller.put(&path).json(body).await.expect(200);
        }
    };
    let mut known = KnownBoard::read(&team, &team.caller).await;
    let mut moves = Box::pin(join(move_cards(&team.caller, 1), move_cards(&elsewhere, 5)));
    let mut is_moving = true;
    while is_moving {
        let reading = async {
            let changes = known.changes(&team, &team.caller).await;
            assert_eq!(changes["is_whole"], false);
            known.with(&changes)
        };
        let next = tokio::select! {
            biased;
            next = reading => next,
            _ = &mut moves => {
                is_moving = false;
                continue;
            }
        };
        known = next;
        let shown = known.cards();
        assert_eq!(shown.len(), cards.len(), "{shown:?}");
        assert_eq!(shown.into_iter().collect::<BTreeSet<_>>(), expected);
    }
    let changes = known.changes(&team, &team.caller).await;
    let last = known.with(&changes);
    for caller in [&team.caller, &elsewhere] {
        assert_eq!(last.board, KnownBoard::read(&team, caller).await.board);
    }
    // Another process has not answered this revision: what it answers is right, whole or not.
    let changes = known.changes(&team, &elsewhere).await;
    assert_eq!(known.with(&changes).board, last.board);
}

#[tokio::test]
async fn a_revision_that_the_reader_was_not_given_is_answered_whole_and_leaves_no_trace() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let other = team.linked_project("Box").await;
    let shown = team.placed("a", &todo).await;
    let hidden = team.card_of(&other, json!({ "name": "b" })).await;
    team.place(&hidden, json!({ "statusId": todo })).await.expect(200);
    let (bob, by_bob) = team.member("bob", "guest").await;
    let operator = team.deployment.operator();
    operator.add_member(&bob, "--team", &team.id, "member").await;
    operator.add_member(&bob, "--project", &team.project, "viewer").await;
    operator.add_member(&bob, "--project", &other, "viewer").await;
    let known = KnownBoard::read(&team, &by_bob).await;
    assert_eq!(known.cards(), [shown.as_str(), hidden.as_str()]);

    // The reader's access ends between revision and read; another one never had it, and knows the revision.
    operator.remove_member(&bob, "--project", &other).await;
    let planner = team.alice.key(&["teams:read"]).await;
    let confined = team.confined("orgIds", &team.org).await;
    for (caller, cards) in [(&by_bob, 1), (&planner, 0), (&confined, 2)] {
        let changes = known.changes(&team, caller).await;
        assert_eq!(changes["removed_card_ids"], json!([]), "{changes:#}");
        assert_eq!(known.with(&changes).board, KnownBoard::read(&team, caller).await.board);
        assert_eq!(known.with(&changes).cards().len(), cards);
        assert_eq!(
            changes.to_string().contains(&hidden),
            cards == 2 && changes["is_whole"] == true,
            "{changes:#}"
        );
    }
    let stranger = operator.user("stranger").await.key(&["teams:read", "cards:read"]).await;
    let path = team.at(&format!("board/changes?since={}", known.revision));
    assert_eq!(stranger.get(&path).await.to_string(), "404 NOT_FOUND");

    // Revisions of the future are like any that nobody was given.
    let future = KnownBoard { revision: "f".repeat(32), ..known.clone() };
    for caller in [&team.caller, &by_bob] {
        let changes = future.changes(&team, caller).await;
        assert_eq!(changes["is_whole"], true);
        assert_eq!(future.with(&changes).board, KnownBoard::read(&team, caller).await.board);
    }
    let whole = team.get("board/changes").await.expect(200).json();
    assert_eq!(whole["changes"]["is_whole"], true);
    for since in ["", "7", "%22", "9999999999999999999999999999999", "W%2F%22x%22", "none"] {
        let refused = team.get(&format!("board/changes?since={since}")).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST query.since format", "{since}");
    }
    let revision = KnownBoard::read(&team, &team.caller).await.revision;
    for since in [format!("%22{revision}%22"), format!("W%2F%22{revision}%22")] {
        let changes = team.get(&format!("board/changes?since={since}")).await.expect(200).json();
        assert_eq!(changes["changes"]["is_whole"], false, "{since}");
    }
}

#[tokio::test]
async fn an_unchanged_board_is_answered_without_a_look_at_its_cards() {
    let team = Team::own().await;
    team.placed("a", &team.status("To do").await).await;
    let known = KnownBoard::read(&team, &team.caller).await;
    let database = team.deployment.database.connect().await;
    database.batch_execute("begin; lock table cards, team_cards in access exclusive mode").await.unwrap();
    let etag = format!("\"{}\"", known.revision);
    assert_eq!(team.get("board").header("if-none-match", &etag).await.status, 304);
    assert_eq!(team.get("board").await.expect(200).json()["board"], known.board);
    assert_eq!(known.changes(&team, &team.caller).await["cards"], json!([]));
    database.batch_execute("rollback").await.unwrap();
}

#[tokio::test]
async fn a_quiet_board_is_found_without_a_look_at_the_events_of_others() {
    let team = Team::own().await;
    team.placed("a", &team.status("To do").await).await;
    let client = team.deployment.database.connect().await;
    // Later events of a stream that has nearly all.
    client
        .batch_execute(&format!(
            "insert into change_events (scope_id, sequence, type, data, is_of_cards, occurred_at)
             select '{ABSENT_ID}', m.last + n, 'card.updated', '{{}}', n % 2 = 0, now()
             from (select max(sequence) as last from change_events) m, generate_series(1, 5000) n;
             analyze change_events"
        ))
        .await
        .unwrap();
    let statement = PlannedStatement {
        sql: include_str!("../../../../store/src/access/linked_projects/board.sql"),
        types: "uuid, uuid, uuid",
        arguments: &format!("'{}', '{}', '{}'", team.id, team.org, team.alice.id),
    };
    for plan in ["force_generic_plan", "force_custom_plan"] {
        let (rows, plan) = statement.rows_touched(&client, plan).await;
        assert!(rows < 500.0, "{rows} rows: {plan:#}");
    }
    client.batch_execute(&format!("delete from change_events where scope_id = '{ABSENT_ID}'")).await.unwrap();
}
