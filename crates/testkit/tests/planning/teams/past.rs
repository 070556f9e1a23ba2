//! Cards and boards at moments of the past: which moments there are, what of then is shown, and to whom.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::past::let_an_hour_pass;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};

use crate::teams::planning::shown;
use crate::teams::support::Team;

/// A team with a past: hours pass by moving what happened back.
struct Past {
    team: Team,
}

impl Past {
    async fn open() -> Self {
        Self { team: Team::own().await }
    }

    /// Lets an hour pass.
    async fn pass(&self) {
        let_an_hour_pass(&self.team.deployment.database).await;
    }

    /// The time this number of half hours ago. An odd number lies between two steps.
    async fn ago(&self, half_hours: i64) -> String {
        let time = "select to_char((now() - $1::bigint * interval '30 minutes') at time zone 'utc',
                                   'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";
        let client = self.team.deployment.database.connect().await;
        client.query_one(time, &[&half_hours]).await.unwrap().get(0)
    }

    async fn board_to(&self, caller: &Caller, half_hours: i64, more: &str) -> Answer {
        caller.get(&self.team.at(&format!("board?at={}{more}", self.ago(half_hours).await))).await
    }

    async fn board(&self, half_hours: i64) -> String {
        shown(&self.board_to(&self.team.caller, half_hours, "").await.expect(200))
    }

    async fn card(&self, card: &str, half_hours: i64) -> Answer {
        let at = self.ago(half_hours).await;
        self.team.caller.get(&format!("{}?at={at}", self.team.card_path(card))).await
    }
}

#[tokio::test]
async fn a_card_is_there_from_its_creation_to_its_deletion() {
    let past = Past::open().await;
    past.pass().await;
    let card = past.team.card("Cut").await;
    past.pass().await;
    past.team.change(&card, json!({ "name": "Cut teeth", "effort": 3 })).await.expect(200);
    past.pass().await;
    past.team.caller.delete(&past.team.card_path(&card)).await.expect(200);
    past.pass().await;
    // A name and an effort of 0 first, then the change; before and after it there is no card.
    assert_snapshot!(past.card(&card, 7).await, @"404 NOT_FOUND");
    let first = past.card(&card, 5).await.expect(200).json();
    let second = past.card(&card, 3).await.expect(200).json();
    assert_eq!((&first["card"]["name"], &first["card"]["effort"]), (&json!("Cut"), &json!(0)));
    assert_eq!((&second["card"]["name"], &second["card"]["effort"]), (&json!("Cut teeth"), &json!(3)));
    // Its number is kept.
    assert_eq!((&second["card"]["key"], &second["indexCard"]["key"]), (&json!("GEAR-1"), &json!("GEAR-1")));
    assert_snapshot!(past.card(&card, 1).await, @"404 NOT_FOUND");
    // A project finds its own cards alone.
    let other = past.team.unlinked_project("Other").await;
    let path = format!("/api/v2/projects/{other}/cards/{card}?at={}", past.ago(3).await);
    assert_snapshot!(past.team.caller.get(&path).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn moments_are_times_that_have_come() {
    let team = Team::open().await;
    let card = team.card("x").await;
    for path in [team.card_path(&card), team.at("board")] {
        let future = team.caller.get(&format!("{path}?at=9999-01-01T00:00:00Z")).await;
        assert_eq!((future.status, future.code().as_str()), (422, "MOMENT_NOT_KNOWN"));
        assert!(!future.text("/error/details/notAfter").is_empty());
        for refused in ["2026-11-29", "yesterday", "2026-11-29T10:00:00", "2026-13-01T00:00:00Z"] {
            let answer = team.caller.get(&format!("{path}?at={refused}")).await;
            assert_eq!(
                (answer.status, answer.issues()),
                (400, vec!["query.at format".to_owned()]),
                "{refused}"
            );
        }
        // An offset other than UTC names a moment as well.
        team.caller.get(&format!("{path}?at=2020-01-01T00:00:00%2B02:00")).await.expect(404);
    }
}

#[tokio::test]
async fn a_stranger_learns_nothing_of_the_past() {
    let team = Team::open().await;
    let card = team.card("x").await;
    let stranger = team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let at = team.read_card(&card).await.text("/card/created_at");
    let absent = format!("/api/v2/projects/{ABSENT_ID}/cards/{card}?at={at}");
    let hidden = stranger.get(&format!("{}?at={at}", team.card_path(&card))).await.expect(404);
    assert_eq!(hidden.body, stranger.get(&absent).await.expect(404).body);
    stranger.get(&team.at(&format!("board?at={at}"))).await.expect(404);
    // A key that is confined to another project has the role and not the card.
    let other = team.unlinked_project("Other").await;
    let confined = team.confined("projectIds", &other).await;
    confined.get(&format!("{}?at={at}", team.card_path(&card))).await.expect(404);
}

#[tokio::test]
async fn a_board_has_the_columns_cards_and_names_of_then() {
    let past = Past::open().await;
    let team = &past.team;
    let (todo, done) = (team.status("To do").await, team.status("Done").await);
    let tags = format!("/api/v2/projects/{}/card-tags", team.project);
    let tag = team.caller.post(&tags).json(json!({ "name": "urgent" })).await.expect(201).text("/tag/id");
    let [a, b] = [team.placed("a", &todo).await, team.placed("b", &todo).await];
    team.caller.put(&format!("{}/tags/{tag}", team.card_path(&a))).await.expect(200);
    past.pass().await;
    team.place(&b, json!({ "beforeCardId": a })).await.expect(200);
    team.patch(&format!("statuses/{todo}"), json!({ "name": "Next" })).await.expect(200);
    team.caller.patch(&format!("{tags}/{tag}")).json(json!({ "name": "late" })).await.expect(200);
    past.pass().await;
    team.delete(&format!("statuses/{todo}?moveCardsTo={done}")).await.expect(200);
    team.caller.delete(&format!("{tags}/{tag}")).await.expect(200);
    team.caller.delete(&team.card_path(&b)).await.expect(200);
    past.pass().await;
    assert_eq!(past.board(5).await, "To do: a b; Done:");
    assert_eq!(past.board(3).await, "Next: b a; Done:");
    assert_eq!(past.board(1).await, "Done: a");
    // Names of tags, and of columns on cards, are those of then.
    let tag_at = async |half_hours, card: usize| {
        let board = past.board_to(&team.caller, half_hours, "").await.expect(200).json();
        board["board"]["columns"][0]["cards"][card]["tags"].clone()
    };
    let named = |name: &str| json!([{ "id": tag, "name": name, "color": "#808080" }]);
    assert_eq!(
        [tag_at(5, 0).await, tag_at(3, 1).await, tag_at(1, 0).await],
        [named("urgent"), named("late"), json!([])]
    );
    let column_at = async |half_hours| {
        let card = past.card(&a, half_hours).await.expect(200).json();
        card["indexCard"]["team_statuses"][0]["status_name"].clone()
    };
    assert_eq!([column_at(5).await, column_at(3).await, column_at(1).await], ["To do", "Next", "Done"]);
    // Before the team there was no board.
    past.board_to(&team.caller, 7, "").await.expect(404);
}

#[tokio::test]
async fn filters_of_a_past_board_leave_its_totals() {
    let past = Past::open().await;
    let team = &past.team;
    let (todo, sprint) = (team.status("To do").await, team.sprint("1").await);
    let first = team.planned("a", 2, &todo, &sprint).await;
    team.placed("b", &todo).await;
    let path = format!("{}/assignees/{}", team.card_path(&first), team.alice.id);
    team.caller.put(&path).await.expect(200);
    past.pass().await;
    team.place(&first, json!({ "sprintId": null })).await.expect(200);
    let filters = [
        (format!("&sprintId={sprint}"), "To do: a"),
        ("&sprintId=none".to_owned(), "To do: b"),
        ("&assigneeId=me".to_owned(), "To do: a"),
        ("&assigneeId=!me".to_owned(), "To do: b"),
        (format!("&projectId=!{}", team.project), "To do:"),
    ];
    for (filter, expected) in filters {
        let board = past.board_to(&team.caller, 1, &filter).await.expect(200);
        assert_eq!(shown(&board), expected, "{filter}");
        let column = &board.json()["board"]["columns"][0];
        assert_eq!((&column["card_count"], &column["effort"]), (&json!(2), &json!(2)));
    }
}

#[tokio::test]
async fn cards_of_an_unlinked_project_are_on_the_past_board_of_those_who_read_them() {
    let past = Past::open().await;
    let team = &past.team;
    let todo = team.status("To do").await;
    let other = team.linked_project("Other").await;
    let card = team.card_of(&other, json!({ "name": "other's" })).await;
    team.place(&card, json!({ "statusId": todo })).await.expect(200);
    let (bob, as_bob) = team.member("bob", "member").await;
    team.patch("", json!({ "visibility": "internal" })).await.expect(200);
    team.deployment.operator().add_member(&bob, "--project", &team.project, "viewer").await;
    team.placed("a", &todo).await;
    past.pass().await;
    team.delete(&format!("projects/{other}")).await.expect(200);
    past.pass().await;
    assert_eq!(past.board(3).await, "To do: other's a");
    assert_eq!(past.board(1).await, "To do: a");
    let of_bob = past.board_to(&as_bob, 3, "").await.expect(200);
    assert_eq!(shown(&of_bob), "To do: a");
    assert_eq!(of_bob.json()["board"]["columns"][0]["card_count"], 1);
    // The cards of a deleted project are gone, and with them their past.
    team.caller.delete(&format!("/api/v2/projects/{other}")).await.expect(200);
    assert_eq!(past.board(3).await, "To do: a");
}

#[tokio::test]
async fn a_renumbered_column_keeps_the_order_of_each_time() {
    let past = Past::open().await;
    let team = &past.team;
    let todo = team.status("To do").await;
    let [a, b, c] =
        [team.placed("a", &todo).await, team.placed("b", &todo).await, team.placed("c", &todo).await];
    past.pass().await;
    let narrow = format!(
        "update team_cards set rank = 'a0' || repeat('0', 509) || '1' where card_id = '{b}'; \
         update team_cards set rank = 'a1' where card_id = '{c}'"
    );
    team.deployment.database.connect().await.batch_execute(&narrow).await.unwrap();
    team.place(&c, json!({ "afterCardId": a })).await.expect(200);
    let renumbered = team.get("board").await.expect(200);
    past.pass().await;
    team.place(&a, json!({ "afterCardId": b })).await.expect(200);
    assert_eq!(past.board(3).await, "To do: a b c");
    let then = past.board_to(&team.caller, 1, "").await.expect(200);
    assert_eq!(then.json(), renumbered.json());
}

#[tokio::test]
async fn a_board_is_not_shown_from_before_its_columns_were_kept() {
    let past = Past::open().await;
    past.team.placed("a", &past.team.status("To do").await).await;
    past.pass().await;
    past.pass().await;
    // As a service does that keeps no columns, before the migration.
    let client = past.team.deployment.database.connect().await;
    let forget = "delete from board_layouts where statuses = '[]';
                  update board_layouts set occurred_at = now() - interval '1 hour'";
    client.batch_execute(forget).await.unwrap();
    let refused = past.board_to(&past.team.caller, 3, "").await;
    assert_eq!((refused.status, refused.code().as_str()), (422, "MOMENT_NOT_KNOWN"));
    assert!(!refused.text("/error/details/notBefore").is_empty());
    assert_eq!(past.board(1).await, "To do: a");
    // A card has its place, but no name of the column.
    let card: Value = {
        let board = past.team.get("board").await.expect(200).json();
        board["board"]["columns"][0]["cards"][0]["id"].clone()
    };
    let then = past.card(card.as_str().unwrap(), 3).await.expect(200).json();
    assert_eq!(then["indexCard"]["team_statuses"], json!([]));
    assert_eq!(then["indexCard"]["team_placements"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_card_keeps_its_past_on_a_deleted_board() {
    let past = Past::open().await;
    let card = past.team.placed("a", &past.team.status("To do").await).await;
    past.pass().await;
    past.team.delete("").await.expect(200);
    past.pass().await;
    let columns_at = async |half_hours| {
        let card = past.card(&card, half_hours).await.expect(200).json();
        let columns = card["indexCard"]["team_statuses"].as_array().unwrap().iter();
        columns.map(|column| column["status_name"].clone()).collect::<Vec<Value>>()
    };
    let (then, now) = (columns_at(3).await, columns_at(1).await);
    assert_eq!((then, now), (vec![json!("To do")], vec![]));
    past.board_to(&past.team.caller, 3, "").await.expect(404);
}
