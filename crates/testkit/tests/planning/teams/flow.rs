//! Flow reports of a project: days, times, throughput, work in progress, and a team's board in them.

use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::noon;
use testkit::open_session::eventually_async;
use testkit::seed::ABSENT_ID;
use testkit::upload::form_with;

use crate::teams::support::Team;

const DAY_SECS: i64 = 86_400;
/// Longest time between the steps of a test, in seconds.
const SLACK_SECS: i64 = 3_600;

/// A team whose project has a past: days pass by moving what happened back.
struct Past {
    team: Team,
    /// The time zone of the days.
    zone: String,
}

impl Past {
    async fn open() -> Self {
        Self { team: Team::own().await, zone: noon::zone() }
    }

    /// Lets days pass.
    async fn pass(&self, days: i64) {
        let back = format!("- interval '{days} days'");
        let statements = format!(
            "alter table card_history disable trigger card_history_append_only;
             update card_history set occurred_at = occurred_at {back};
             alter table card_history enable trigger card_history_append_only;
             update cards set created_at = created_at {back}, closed_at = closed_at {back};
             update team_cards set placed_at = placed_at {back};
             update team_status_transitions set occurred_at = occurred_at {back};"
        );
        self.team.deployment.database.connect().await.batch_execute(&statements).await.unwrap();
    }

    /// The date this many days ago.
    async fn ago(&self, days: i64) -> String {
        let date = "select to_char((now() at time zone $1) - $2::bigint * interval '1 day', 'YYYY-MM-DD')";
        let client = self.team.deployment.database.connect().await;
        client.query_one(date, &[&self.zone, &days]).await.unwrap().get(0)
    }

    /// The report from one number of days ago to another, as a caller sees it.
    async fn report_to(&self, caller: &Caller, [from, to]: [i64; 2], more: &str) -> Value {
        let (from, to) = (self.ago(from).await, self.ago(to).await);
        let zone = self.zone.replace('+', "%2B");
        let query = format!("from={from}&to={to}&timeZone={zone}{more}");
        let path = format!("/api/v2/projects/{}/reports/flow?{query}", self.team.project);
        caller.get(&path).await.expect(200).json()
    }

    async fn report(&self, days: [i64; 2], more: &str) -> Value {
        self.report_to(&self.team.caller, days, more).await
    }

    async fn close(&self, card: &str, is_open: bool) {
        self.team.change(card, json!({ "isOpen": is_open })).await.expect(200);
    }

    async fn place(&self, card: &str, column: &str) {
        self.team.place(card, json!({ "statusId": column })).await.expect(200);
    }

    async fn started(&self, name: &str) -> String {
        self.team.column(json!({ "name": name, "transitionState": "started" })).await
    }

    /// The part of a query that names the team.
    fn of_team(&self) -> String {
        format!("&team={}", self.team.id)
    }
}

/// The days as lines.
fn days(report: &Value) -> Vec<String> {
    let days = report["days"].as_array().unwrap().iter();
    days.map(|day| format!("{}/{} +{} -{}", day["open"], day["closed"], day["created"], day["done"]))
        .collect()
}

/// The numbers of the columns on each day.
fn columns(report: &Value) -> Vec<String> {
    report["days"].as_array().unwrap().iter().map(|day| day["columns"].to_string()).collect()
}

/// Asserts that a number of seconds is this many days, but for the time that the test took.
#[track_caller]
fn assert_days(seconds: &Value, days: i64) {
    let seconds = seconds.as_i64().unwrap();
    assert!((days * DAY_SECS..days * DAY_SECS + SLACK_SECS).contains(&seconds), "{seconds} s, {days} days");
}

#[tokio::test]
async fn days_have_the_cards_of_their_end_and_a_past_window_stays_as_it_was() {
    let past = Past::open().await;
    let [one, two, gone] = [past.team.card("1").await, past.team.card("2").await, past.team.card("3").await];
    past.pass(1).await;
    past.close(&one, false).await;
    past.team.card("4").await;
    past.pass(1).await;
    past.team.caller.delete(&past.team.card_path(&gone)).await.expect(200);
    past.close(&one, true).await;
    past.pass(1).await;
    past.close(&one, false).await;
    past.close(&two, false).await;
    let report = past.report([4, 0], "").await;
    assert_eq!(days(&report), ["0/0 +0 -0", "3/0 +3 -0", "3/1 +1 -0", "3/0 +0 -0", "1/2 +0 -2"]);
    assert_eq!((&report["columns"], columns(&report).concat()), (&json!([]), "[]".repeat(5)));
    assert_eq!(report["leadTime"]["cards"], 2);
    assert_days(&report["leadTime"]["p50"], 3);
    assert_days(&report["leadTime"]["mean"], 3);
    let none = json!({ "cards": 0, "p50": null, "p85": null, "p95": null, "mean": null });
    assert_eq!(report["cycleTime"], none);
    assert_eq!(report["inProgress"], json!({ "total": 0, "cards": [] }));

    // The card was closed for good as far as this window goes.
    let earlier = past.report([4, 2], "").await;
    assert_eq!(days(&earlier), ["0/0 +0 -0", "3/0 +3 -0", "3/1 +1 -1"]);
    assert_eq!((&earlier["leadTime"]["cards"], earlier.get("inProgress")), (&json!(1), None));
    assert_days(&earlier["leadTime"]["p95"], 1);
}

#[tokio::test]
async fn a_card_that_was_deleted_after_it_was_closed_counts_until_then() {
    let past = Past::open().await;
    let card = past.team.card_of(&past.team.project, json!({ "name": "gone", "effort": 5 })).await;
    past.pass(2).await;
    past.close(&card, false).await;
    past.pass(8).await;
    past.team.caller.delete(&past.team.card_path(&card)).await.expect(200);
    let whole = past.report([11, 0], "").await;
    assert_eq!(days(&whole)[1..4], ["1/0 +1 -0", "1/0 +0 -0", "0/1 +0 -0"]);
    assert_eq!(days(&whole)[10..], ["0/1 +0 -0", "0/0 +0 -0"]);
    assert_eq!(whole["leadTime"]["cards"], 0);
    let before = past.report([11, 1], "").await;
    assert_eq!(days(&before)[3], "0/1 +0 -1");
    assert_days(&before["leadTime"]["p50"], 2);
    let efforts = before["throughput"].as_array().unwrap().iter();
    assert_eq!(efforts.map(|week| week["effort"].as_i64().unwrap()).sum::<i64>(), 5);
}

#[tokio::test]
async fn percentiles_are_nearest_ranks_and_velocity_is_the_effort_of_a_week() {
    let past = Past::open().await;
    // Lead times of 9, 8, … 0 days.
    let mut cards = Vec::new();
    for effort in 0..10 {
        let body = json!({ "name": "x", "effort": effort });
        cards.push(past.team.card_of(&past.team.project, body).await);
        if effort < 9 {
            past.pass(1).await;
        }
    }
    for card in &cards {
        past.close(card, false).await;
    }
    let report = past.report([20, 0], "").await;
    assert_eq!(report["leadTime"]["cards"], 10);
    for (percentile, days) in [("p50", 4), ("p85", 8), ("p95", 9)] {
        assert_days(&report["leadTime"][percentile], days);
    }
    assert_eq!(report["leadTime"]["mean"].as_i64().unwrap() / (DAY_SECS / 2), 9);
    let weeks = report["throughput"].as_array().unwrap();
    assert!(matches!(weeks.len(), 3 | 4), "{weeks:?}");
    let last = &weeks[weeks.len() - 1];
    assert_eq!((&last["cards"], &last["effort"]), (&json!(10), &json!(45)));
    assert!(weeks[..weeks.len() - 1].iter().all(|week| week["cards"] == 0), "{weeks:?}");
}

#[tokio::test]
async fn a_board_has_the_cards_of_each_column_and_deleted_ones_for_as_long_as_they_had_some() {
    let past = Past::open().await;
    let (todo, review) = (past.team.status("To do").await, past.team.status("Review").await);
    let doing = past.started("Doing").await;
    let [one, two, three] = [past.team.card("1").await, past.team.card("2").await, past.team.card("3").await];
    for card in [&one, &two, &three] {
        past.place(card, &todo).await;
    }
    // A move within a column changes no number.
    past.team.place(&one, json!({ "afterCardId": three })).await.expect(200);
    past.pass(1).await;
    past.place(&one, &doing).await;
    past.place(&two, &review).await;
    past.pass(1).await;
    let to = json!({ "moveCardsTo": doing });
    let deleted = past.team.caller.delete(&past.team.at(&format!("statuses/{review}"))).json(to);
    deleted.await.expect(200);
    past.team.delete(&format!("cards/{three}")).await.expect(200);
    past.pass(1).await;
    past.team.caller.delete(&past.team.card_path(&one)).await.expect(200);
    // Cards of other projects on the board don't count.
    let other = past.team.linked_project("Other").await;
    let other = past.team.card_of(&other, json!({ "name": "other" })).await;
    past.place(&other, &doing).await;

    let report = past.report([4, 0], &past.of_team()).await;
    let named: Vec<Value> =
        report["columns"].as_array().unwrap().iter().map(|column| column["name"].clone()).collect();
    assert_eq!(named, ["To do", "Doing", ""]);
    assert_eq!(report["columns"][2], json!({ "id": review, "name": "", "color": null, "isDeleted": true }));
    assert_eq!(columns(&report), ["[0,0,0]", "[3,0,0]", "[1,1,1]", "[0,2,0]", "[0,1,0]"]);
    // A window before the column had cards doesn't have it.
    let earlier = past.report([4, 3], &past.of_team()).await;
    assert_eq!(columns(&earlier), ["[0,0]", "[3,0]"]);
    let without = past.report([4, 0], "").await;
    assert_eq!(days(&without), days(&report));
}

#[tokio::test]
async fn work_begins_with_the_first_entry_into_a_started_column() {
    let past = Past::open().await;
    let (todo, review) = (past.team.status("To do").await, past.team.status("Review").await);
    let doing = past.started("Doing").await;
    let [moved, reviewed, never, begun] = [
        past.team.placed("moved", &todo).await,
        past.team.placed("reviewed", &review).await,
        past.team.placed("never begun", &todo).await,
        past.team.placed("begun", &todo).await,
    ];
    past.pass(2).await;
    past.place(&moved, &doing).await;
    past.pass(1).await;
    past.place(&begun, &doing).await;
    past.place(&moved, &todo).await;
    past.pass(1).await;
    // The card in this column is in progress from now on.
    let started = json!({ "transitionState": "started" });
    past.team.patch(&format!("statuses/{review}"), started).await.expect(200);
    past.pass(1).await;
    for card in [&moved, &reviewed, &never] {
        past.close(card, false).await;
    }
    // An entry after the closing begins nothing.
    past.place(&never, &doing).await;
    for more in [String::new(), past.of_team()] {
        let report = past.report([9, 0], &more).await;
        assert_eq!((&report["leadTime"]["cards"], &report["cycleTime"]["cards"]), (&json!(3), &json!(2)));
        assert_days(&report["leadTime"]["p50"], 5);
        assert_days(&report["cycleTime"]["p50"], 1);
        assert_days(&report["cycleTime"]["p85"], 3);
        let in_progress = &report["inProgress"];
        assert_eq!((&in_progress["total"], &in_progress["cards"][0]["name"]), (&json!(1), &json!("begun")));
        assert_eq!(in_progress["cards"][0]["cardId"], begun.as_str());
        assert_days(&in_progress["cards"][0]["seconds"], 2);
    }
}

#[tokio::test]
async fn with_a_team_only_cards_that_were_on_its_board_count() {
    let past = Past::open().await;
    let doing = past.started("Doing").await;
    let mut planned = Vec::new();
    for (name, effort) in [("on the board", 3), ("taken off", 5), ("elsewhere", 8)] {
        let card = past.team.card_of(&past.team.project, json!({ "name": name, "effort": effort })).await;
        if name != "elsewhere" {
            past.place(&card, &doing).await;
        }
        planned.push(card);
    }
    past.team.delete(&format!("cards/{}", planned[1])).await.expect(200);
    for card in &planned {
        past.close(card, false).await;
    }
    let sums = |report: &Value| {
        let week = report["throughput"].as_array().unwrap().last().unwrap().clone();
        (week["cards"].as_i64().unwrap(), week["effort"].as_i64().unwrap())
    };
    let (whole, of_team) = (past.report([1, 0], "").await, past.report([1, 0], &past.of_team()).await);
    assert_eq!((sums(&whole), sums(&of_team)), ((3, 16), (2, 8)));
    assert_eq!((&of_team["leadTime"]["cards"], &of_team["days"][1]["done"]), (&json!(2), &json!(3)));
    let other = past.team.another_team(json!({ "name": "Other" })).await;
    let of_other = past.report([1, 0], &format!("&team={other}")).await;
    assert_eq!((sums(&of_other), &of_other["cycleTime"]["cards"]), ((0, 0), &json!(0)));
}

#[tokio::test]
async fn a_hidden_board_leaves_no_trace_in_a_report() {
    let past = Past::open().await;
    let doing = past.started("Secret").await;
    past.team.patch("", json!({ "timeZone": "Europe/Berlin" })).await.expect(200);
    let (done, begun) = (past.team.placed("done", &doing).await, past.team.placed("begun", &doing).await);
    past.close(&done, false).await;
    let seen = past.report([1, 0], "").await;
    assert_eq!((&seen["cycleTime"]["cards"], &seen["inProgress"]["total"]), (&json!(1), &json!(1)));
    assert_eq!(seen["inProgress"]["cards"][0]["cardId"], begun.as_str());

    let (bob, by_bob) = past.team.member("bob", "guest").await;
    past.team.deployment.operator().add_member(&bob, "--project", &past.team.project, "viewer").await;
    let hidden = past.report_to(&by_bob, [1, 0], "").await;
    assert_eq!((&hidden["cycleTime"]["cards"], &hidden["inProgress"]["total"]), (&json!(0), &json!(0)));
    assert_eq!((days(&hidden), &hidden["leadTime"]), (days(&seen), &seen["leadTime"]));
    // A hidden team is as one that isn't there, also in the zone of its days.
    let path = |team: &str| format!("/api/v2/projects/{}/reports/flow?team={team}", past.team.project);
    let of = async |caller: &Caller, team: &str| {
        let mut report = caller.get(&path(team)).await.expect(200).json();
        report.as_object_mut().unwrap().remove("asOf");
        report
    };
    let (hidden, absent) = (of(&by_bob, &past.team.id).await, of(&by_bob, ABSENT_ID).await);
    assert_eq!((&hidden, &hidden["timeZone"]), (&absent, &json!("UTC")));
    assert_eq!((&hidden["columns"], &hidden["leadTime"]["cards"]), (&json!([]), &json!(0)));
    let seen = of(&past.team.caller, &past.team.id).await;
    assert_eq!((&seen["timeZone"], &seen["columns"][0]["name"]), (&json!("Europe/Berlin"), &json!("Secret")));
}

#[tokio::test]
async fn imported_cards_count_from_the_times_of_their_file() {
    let past = Past::open().await;
    let team = &past.team;
    let (created, closed) = (past.ago(5).await, past.ago(2).await);
    let issues = json!([
        {
            "id": 1, "number": 1, "title": "Old", "state": "closed",
            "html_url": "https://github.com/example/gear/issues/1",
            "created_at": format!("{created}T12:00:00Z"), "closed_at": format!("{closed}T12:00:00Z"),
        },
        {
            "id": 2, "number": 2, "title": "Open", "state": "open",
            "html_url": "https://github.com/example/gear/issues/2",
            "created_at": format!("{created}T12:00:00Z"),
        },
    ]);
    let fields = [("tool", "github"), ("projectId", team.project.as_str())];
    let (media_type, body) = form_with(&fields, issues.to_string().as_bytes());
    let begun = team.caller.post(&team.in_org("imports")).body(&media_type, body).await.expect(201);
    let import = team.in_org(&format!("imports/{}", begun.text("/import/id")));
    let state = async || team.caller.get(&import).await.expect(200).text("/import/state");
    eventually_async("the import ends", async || state().await == "finished").await;

    let path = format!(
        "/api/v2/projects/{}/reports/flow?timeZone=UTC&from={}&to={}",
        team.project,
        past.ago(6).await,
        past.ago(1).await
    );
    let report = team.caller.get(&path).await.expect(200).json();
    let expected = ["0/0 +0 -0", "2/0 +2 -0", "2/0 +0 -0", "2/0 +0 -0", "1/1 +0 -1", "1/1 +0 -0"];
    assert_eq!(days(&report), expected);
    assert_eq!(report["leadTime"]["p50"], 3 * DAY_SECS);
    let later = past.report([0, 0], "").await;
    assert_eq!((days(&later), &later["leadTime"]["cards"]), (vec!["1/1 +0 -0".to_owned()], &json!(0)));
}

#[tokio::test]
async fn a_report_has_days_in_their_order_and_at_most_three_years() {
    let team = Team::open().await;
    let at = |query: &str| format!("/api/v2/projects/{}/reports/flow?{query}", team.project);
    for (query, answer) in [
        ("from=2026-11-03&to=2026-11-02", "400 INVALID_REQUEST query.from notAfter"),
        ("from=9999-01-01", "400 INVALID_REQUEST query.from notAfter"),
        ("from=2020-01-01&to=2026-11-02", "400 INVALID_REQUEST query.from notBefore"),
        ("from=yesterday", "400 INVALID_REQUEST query.from format"),
        ("timeZone=Berlin", "400 INVALID_REQUEST query.timeZone format"),
        ("team=wheels", "400 INVALID_REQUEST query.team format"),
        ("day=1", "400 INVALID_REQUEST query.day unknown"),
    ] {
        assert_eq!(team.caller.get(&at(query)).await.to_string(), answer, "{query}");
    }
    let whole = team.caller.get(&at("from=2023-10-29&to=2026-11-01")).await.expect(200).json();
    assert_eq!(whole["days"].as_array().unwrap().len(), 1_100);
    let standard = team.caller.get(&at("")).await.expect(200).json();
    assert_eq!((standard["days"].as_array().unwrap().len(), &standard["timeZone"]), (90, &json!("UTC")));
    assert_eq!(standard["days"][89]["day"], standard["to"]);
}

#[tokio::test]
async fn the_days_are_a_table_with_the_columns_of_the_board() {
    let past = Past::open().await;
    past.team.status("=Later").await;
    let doing = past.started("Doing, or so").await;
    past.team.placed("1", &doing).await;
    let from = past.ago(1).await;
    let zone = past.zone.replace('+', "%2B");
    let query = format!("from={from}&timeZone={zone}{}", past.of_team());
    let path = format!("/api/v2/projects/{}/reports/flow.csv?{query}", past.team.project);
    let answer = past.team.caller.get(&path).await.expect(200);
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert!(answer.header("content-disposition").ends_with("-flow.csv\""));
    let expected = format!(
        "day,open,closed,created,done,'=Later,\"Doing, or so\"\r\n{from},0,0,0,0,0,0\r\n{},1,0,1,0,0,1\r\n",
        past.ago(0).await
    );
    assert_eq!(String::from_utf8(answer.body.to_vec()).unwrap(), expected);
}
