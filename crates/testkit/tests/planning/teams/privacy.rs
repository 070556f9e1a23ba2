//! Boards of a private team, for callers who don't see the team: no trace of them in anything that they read.

use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};

use crate::teams::support::Team;

/// A public project with a card in a sprint on the board of a private team.
struct PrivateBoard {
    team: Team,
    project: String,
    card: String,
}

impl PrivateBoard {
    async fn open() -> Self {
        let team = Team::open().await;
        let project = team.linked_project("Open").await;
        let public = json!({ "visibility": "public" });
        team.caller.patch(&format!("/api/v2/projects/{project}")).json(public).await.expect(200);
        let (column, sprint) = (team.status("Secret column").await, team.sprint("1").await);
        let card = team.card_of(&project, json!({ "name": "a" })).await;
        team.place(&card, json!({ "statusId": column, "sprintId": sprint })).await.expect(200);
        Self { team, project, card }
    }

    fn at(&self, path: &str) -> String {
        format!("/api/v2/projects/{}/{path}", self.project)
    }

    /// Everything about boards in the card, the list of cards, the card's history and the project's history.
    async fn visible_boards(&self, caller: &Caller) -> Vec<Value> {
        let card = caller.get(&self.at(&format!("cards/{}", self.card))).await.expect(200).json();
        let mut learnt = boards(&card["indexCard"]);
        self.team.deployment.database.wait_for_feeds().await;
        let listed = caller.get(&self.at("cards")).await.expect(200).json();
        assert_eq!(listed["indexCards"], json!([card["indexCard"]]));
        for path in [format!("cards/{}/history", self.card), "history".to_owned()] {
            let history = caller.get(&self.at(&path)).await.expect(200).json();
            let rows = history["history"].as_array().unwrap();
            let of_boards = rows
                .iter()
                .filter(|row| ["placed", "moved", "removed"].map(Value::from).contains(&row["kind"]));
            learnt.extend(of_boards.map(|row| row["changes"]["team_placement"].clone()));
        }
        learnt
    }
}

/// The boards in an index card.
fn boards(index: &Value) -> Vec<Value> {
    let fields = ["team_ids", "team_status_ids", "sprint_ids", "team_statuses", "team_placements"];
    fields.iter().flat_map(|field| index[field].as_array().unwrap().clone()).collect()
}

#[tokio::test]
async fn a_card_hides_a_private_team_from_readers_of_its_project() {
    let shown = PrivateBoard::open().await;
    let stranger = shown.team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let (_, member) = shown.team.member("member", "member").await;
    assert_eq!(shown.visible_boards(&shown.team.caller).await.len(), 7);
    assert_eq!(shown.visible_boards(&stranger).await, Vec::<Value>::new());
    assert_eq!(shown.visible_boards(&member).await, Vec::<Value>::new());
    shown.team.patch("", json!({ "visibility": "internal" })).await.expect(200);
    assert_eq!(shown.visible_boards(&member).await.len(), 7);
    assert_eq!(shown.visible_boards(&stranger).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_change_of_a_card_does_not_reveal_a_private_team() {
    let shown = PrivateBoard::open().await;
    let (bob, by_bob) = shown.team.member("bob", "guest").await;
    shown.team.deployment.operator().add_member(&bob, "--project", &shown.project, "manager").await;
    let card = format!("cards/{}", shown.card);
    let tag =
        by_bob.post(&shown.at("card-tags")).json(json!({ "name": "t" })).await.expect(201).text("/tag/id");
    let name = json!({ "name": "b" });
    for request in [
        by_bob.patch(&shown.at(&card)).json(name),
        by_bob.put(&shown.at(&format!("{card}/tags/{tag}"))),
        by_bob.put(&shown.at(&format!("{card}/assignees/{}", bob.id))),
    ] {
        let changed = request.await.expect(200).json();
        assert_eq!(boards(&changed["indexCard"]), Vec::<Value>::new(), "{changed}");
    }
    // The placement is unchanged.
    assert_eq!(shown.visible_boards(&shown.team.caller).await.len(), 7);
}

#[tokio::test]
async fn the_readers_of_a_deleted_teams_board_still_see_it_in_history() {
    let shown = PrivateBoard::open().await;
    let stranger = shown.team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let (_, member) = shown.team.member("member", "member").await;
    let (bob, by_bob) = shown.team.member("bob", "guest").await;
    shown.team.deployment.operator().add_member(&bob, "--team", &shown.team.id, "member").await;
    shown.team.delete("").await.expect(200);
    for (reader, places) in [(&shown.team.caller, 4), (&by_bob, 4), (&member, 0), (&stranger, 0)] {
        assert_eq!(shown.visible_boards(reader).await.len(), places);
    }
    shown.team.deployment.operator().remove_member(&bob, "--org", &shown.team.org).await;
    assert_eq!(shown.visible_boards(&by_bob).await.len(), 0);
}

#[tokio::test]
async fn cards_are_filtered_by_team_and_sprint_for_those_who_see_the_team() {
    let shown = PrivateBoard::open().await;
    let makers = &shown.team;
    makers.card_of(&shown.project, json!({ "name": "elsewhere" })).await;
    let backlog = makers.card_of(&shown.project, json!({ "name": "backlog" })).await;
    makers.place(&backlog, json!({})).await.expect(200);
    let index = makers.caller.get(&shown.at(&format!("cards/{}", shown.card))).await.expect(200).json();
    let sprint = index["indexCard"]["sprint_ids"][0].as_str().unwrap().to_owned();
    let other = makers.another_team(json!({ "name": "Other" })).await;
    let stranger = makers.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let list = async |caller: &Caller, query: String| {
        let answer = caller.get(&shown.at(&format!("cards?sort=oldest&{query}"))).await.expect(200).json();
        let cards = answer["cards"].as_array().unwrap();
        cards.iter().map(|card| card["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
    };
    let team = &makers.id;
    assert_eq!(list(&makers.caller, format!("team={team}")).await, "a backlog");
    assert_eq!(list(&makers.caller, format!("sprint={sprint}")).await, "a");
    assert_eq!(list(&makers.caller, format!("team={team}&sprint={sprint}")).await, "a");
    assert_eq!(list(&makers.caller, format!("team={other}&sprint={sprint}")).await, "");
    assert_eq!(list(&makers.caller, format!("team={ABSENT_ID}")).await, "");
    assert_eq!(list(&makers.caller, format!("sprint={ABSENT_ID}")).await, "");
    let column = index["indexCard"]["team_status_ids"][0].as_str().unwrap().to_owned();
    assert_eq!(list(&makers.caller, format!("status={column}")).await, "a backlog");
    assert_eq!(list(&makers.caller, format!("team={team},{other}&sprint=none")).await, "backlog");
    assert_eq!(list(&makers.caller, format!("team=!{team}")).await, "elsewhere");
    assert_eq!(list(&makers.caller, "team=none".to_owned()).await, "elsewhere");
    assert_eq!(list(&makers.caller, format!("team=none,{team}")).await, "a elsewhere backlog");
    assert_eq!(list(&makers.caller, "status=!none".to_owned()).await, "a backlog");
    assert_eq!(list(&makers.caller, "sprint=!none".to_owned()).await, "a");
    assert_eq!(list(&makers.caller, format!("sprint=!{sprint}")).await, "elsewhere backlog");
    // A hidden board answers as an absent one.
    let all = "a elsewhere backlog";
    assert_eq!(list(&stranger, "open=true".to_owned()).await, all);
    for query in [format!("team=!{team}"), format!("sprint=!{sprint}"), format!("status=!{column}")] {
        assert_eq!(list(&stranger, query).await, all);
    }
    for query in ["team=none", "status=none", "sprint=none"] {
        assert_eq!(list(&stranger, query.to_owned()).await, all, "{query}");
    }
    for query in ["team=!none", "status=!none", "sprint=!none"] {
        assert_eq!(list(&stranger, query.to_owned()).await, "", "{query}");
    }
    assert_eq!(list(&stranger, format!("status={column}")).await, "");
    assert_eq!(list(&stranger, format!("team={team},none")).await, all);
    assert_eq!(list(&stranger, format!("team={team}")).await, "");
    assert_eq!(list(&stranger, format!("sprint={sprint}")).await, "");
}

/// Everything that a caller reads about the cards of a project, with the headers that name a state.
async fn read_everything(caller: &Caller, project: &str, cards: &[String]) -> Vec<String> {
    let mut paths =
        vec!["cards".to_owned(), "history".to_owned(), "cards?updatedSince=2020-01-01T00:00:00Z".to_owned()];
    for card in cards {
        paths.extend([format!("cards/{card}"), format!("cards/{card}/history")]);
    }
    let mut read = Vec::new();
    for path in paths {
        let answer = caller.get(&format!("/api/v2/projects/{project}/{path}")).await;
        let tag = answer.headers.get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        read.push(format!("{path} {} {tag:?} {}", answer.status, String::from_utf8_lossy(&answer.body)));
    }
    read
}

#[tokio::test]
async fn a_hidden_board_leaves_no_trace_in_anything_that_its_strangers_read() {
    let team = Team::open().await;
    let project = team.linked_project("Open").await;
    let public = json!({ "visibility": "public" });
    team.caller.patch(&format!("/api/v2/projects/{project}")).json(public).await.expect(200);
    let (todo, doing, sprint) = (team.status("a").await, team.status("b").await, team.sprint("1").await);
    let first = team.card_of(&project, json!({ "name": "a" })).await;
    let second = team.card_of(&project, json!({ "name": "b" })).await;
    let cards = [first.clone(), second.clone()];
    let stranger = team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let (editor, by_editor) = team.member("editor", "guest").await;
    team.deployment.operator().add_member(&editor, "--project", &project, "manager").await;
    // The editor's own team takes cards of the project, and sees the first one on its board.
    let seen = json!({ "name": "Seen", "visibility": "internal" });
    let seen = team.another_team(seen).await;
    team.deployment.operator().add_member(&editor, "--team", &seen, "manager").await;
    let of_seen = |path: &str| team.in_org(&format!("teams/{seen}/{path}"));
    team.caller.put(&of_seen(&format!("projects/{project}"))).await.expect(200);
    team.caller.post(&of_seen("statuses")).json(json!({ "name": "x" })).await.expect(201);
    team.caller.put(&of_seen(&format!("cards/{first}"))).await.expect(200);
    let boards = async || {
        let board = by_editor.get(&of_seen("board")).await.expect(200);
        let available = by_editor.get(&of_seen("available-cards")).await.expect(200);
        (board.header("etag").to_owned(), board.body.clone(), available.body.clone())
    };

    team.deployment.database.wait_for_feeds().await;
    let before = (
        read_everything(&stranger, &project, &cards).await,
        read_everything(&by_editor, &project, &cards).await,
        boards().await,
    );
    let by_owner = read_everything(&team.caller, &project, &cards).await;
    team.place(&first, json!({ "statusId": todo, "sprintId": sprint })).await.expect(200);
    team.place(&second, json!({ "statusId": todo })).await.expect(200);
    team.place(&second, json!({ "statusId": doing, "sprintId": sprint })).await.expect(200);
    team.start(&sprint).await.expect(200);
    team.complete(&sprint, "backlog").await.expect(200);
    team.delete(&format!("statuses/{doing}")).json(json!({ "moveCardsTo": todo })).await.expect(200);
    team.delete(&format!("cards/{first}")).await.expect(200);
    team.delete(&format!("projects/{project}")).await.expect(200);
    team.deployment.database.wait_for_feeds().await;
    let after = (
        read_everything(&stranger, &project, &cards).await,
        read_everything(&by_editor, &project, &cards).await,
        boards().await,
    );
    assert_eq!(before, after);
    assert_ne!(by_owner, read_everything(&team.caller, &project, &cards).await);

    // A page of one row holds one visible row each.
    team.put(&format!("projects/{project}")).await.expect(200);
    team.place(&second, json!({ "statusId": todo })).await.expect(200);
    team.deployment.database.wait_for_feeds().await;
    let path = format!("/api/v2/projects/{project}/history?limit=2");
    let page = stranger.get(&path).await.expect(200).json();
    assert_eq!((page["history"].as_array().unwrap().len(), &page["meta"]["hasMore"]), (2, &json!(false)));
}

#[tokio::test]
async fn heads_that_a_stranger_of_a_board_sends_and_gets_are_those_that_it_sees() {
    let shown = PrivateBoard::open().await;
    let (bob, by_bob) = shown.team.member("bob", "guest").await;
    shown.team.deployment.operator().add_member(&bob, "--project", &shown.project, "manager").await;
    let path = shown.at(&format!("cards/{}", shown.card));
    let own = by_bob.get(&path).await.expect(200);
    let alices = shown.team.caller.get(&path).await.expect(200);
    assert_ne!(own.text("/historyHeadId"), alices.text("/historyHeadId"));
    let conflict = by_bob.delete(&path).header("if-match", &alices.text("/historyHeadId")).await;
    assert_eq!(conflict.status, 409);
    assert_eq!(conflict.text("/error/details/conflicts/0/currentHistoryHeadId"), own.text("/historyHeadId"));
    // A repeated assignment changes nothing and answers the head that the caller sees.
    let assignee = shown.at(&format!("cards/{}/assignees/{}", shown.card, bob.id));
    let assigned = by_bob.put(&assignee).header("if-match", &own.text("/historyHeadId")).await.expect(200);
    let moved = shown.team.status("c").await;
    shown.team.place(&shown.card, json!({ "statusId": moved })).await.expect(200);
    let repeated = by_bob.put(&assignee).await.expect(200);
    assert_eq!(repeated.body, assigned.body);
    by_bob.delete(&path).header("if-match", &assigned.text("/historyHeadId")).await.expect(200);
    let history = by_bob.get(&format!("{path}/history")).await.expect(200).json();
    let kinds: Vec<&str> =
        history["history"].as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["created", "assigned", "unassigned", "deleted"]);
    let numbers: Vec<i64> = history["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["sequence"].as_str().unwrap().parse().unwrap())
        .collect();
    assert_eq!(numbers[2] + 1, numbers[3], "a gap tells of a place on a hidden board");
}

#[tokio::test]
async fn a_request_for_a_hidden_team_neither_locks_it_nor_waits_for_its_lock() {
    let team = Team::own().await;
    let stranger = team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let (_, member) = team.member("member", "member").await;
    let confined = team.confined("projectIds", &team.project).await;
    let mut client = team.deployment.database.connect().await;
    let held = client.transaction().await.unwrap();
    let lock = format!("select id from teams where id = '{}' for update", team.id);
    held.query_one(&lock, &[]).await.unwrap();
    for caller in [stranger, member, confined] {
        assert_eq!(caller.delete(&team.at("")).await.to_string(), "404 NOT_FOUND");
        assert_eq!(
            caller.post(&team.at("statuses")).json(json!({ "name": "x" })).await.to_string(),
            "404 NOT_FOUND"
        );
    }
    held.rollback().await.unwrap();
}

#[tokio::test]
async fn a_board_marks_a_card_as_blocked_for_those_who_read_the_card_that_blocks_it() {
    let team = Team::open().await;
    let doing = team.status("Doing").await;
    let card = team.placed("a", &doing).await;
    let other = team.unlinked_project("Axle").await;
    let blocker = team.card_of(&other, json!({ "name": "x" })).await;
    let (bob, by_bob) = team.member("bob", "guest").await;
    let operator = team.deployment.operator();
    operator.add_member(&bob, "--team", &team.id, "member").await;
    operator.add_member(&bob, "--project", &team.project, "editor").await;
    let is_marked = async |caller: &Caller| {
        let board = caller.get(&team.at("board")).await.expect(200).json();
        let columns = board["board"]["columns"].as_array().unwrap().clone();
        let mut cards = columns.iter().flat_map(|column| column["cards"].as_array().unwrap());
        cards.find(|shown| shown["id"] == json!(card)).unwrap()["is_blocked"].as_bool().unwrap()
    };
    assert!(!is_marked(&team.caller).await && !is_marked(&by_bob).await);
    let at_blocker = format!("/api/v2/projects/{other}/cards/{blocker}");
    let relation = team.caller.put(&format!("{at_blocker}/relations/{card}"));
    relation.json(json!({ "kind": "blocks" })).await.expect(200);
    // Twice: the second answer may be a kept one.
    for _ in 0..2 {
        assert!(is_marked(&team.caller).await);
        assert!(!is_marked(&by_bob).await);
    }
    team.caller.patch(&at_blocker).json(json!({ "isOpen": false })).await.expect(200);
    assert!(!is_marked(&team.caller).await);
}

#[tokio::test]
async fn the_past_of_a_card_hides_a_private_team_as_the_present_does() {
    let shown = PrivateBoard::open().await;
    let stranger = shown.team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let path = shown.at(&format!("cards/{}", shown.card));
    let history = shown.team.caller.get(&format!("{path}/history")).await.expect(200).json();
    let at =
        history["history"].as_array().unwrap().last().unwrap()["occurredAt"].as_str().unwrap().to_owned();
    for (caller, places) in [(&stranger, 0), (&shown.team.caller, 5)] {
        let now = caller.get(&path).await.expect(200);
        let past = caller.get(&format!("{path}?at={at}")).await.expect(200);
        assert_eq!(boards(&past.json()["indexCard"]).len(), places);
        assert_eq!((&past.body, past.header("etag")), (&now.body, now.header("etag")));
    }
}
