//! Reports on sprints.

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::{Answer, redacted_lines};
use testkit::caller::Base;

use crate::teams::support::Team;

/// A report as lines of text: each part with its numbers and cards.
fn text_of(report: &Answer) -> String {
    let report = &report.json()["report"];
    let parts = ["scope_at_start", "added", "removed", "done", "carried_over"].map(|part| {
        let cards = report[part]["cards"].as_array().unwrap().iter();
        let cards = cards.map(|card| format!("{}={}", card["name"].as_str().unwrap(), card["effort"]));
        let total = &report[part]["total"];
        let cards = cards.collect::<Vec<_>>().join(" ");
        format!("{part} {}/{} [{cards}]", total["cards"], total["effort"])
    });
    parts.join("\n")
}

/// The date this many days from today, in UTC.
async fn day(team: &Team, days: i32) -> String {
    let query = "select to_char(now() at time zone 'UTC' + $1 * interval '1 day', 'YYYY-MM-DD')";
    let row = team.deployment.database.connect().await.query_one(query, &[&f64::from(days)]).await.unwrap();
    row.get(0)
}

#[tokio::test]
async fn a_report_has_the_planned_added_removed_done_and_carried_over_cards() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let done = team.column(json!({ "name": "Done", "transitionState": "closed" })).await;
    let sprint = team.sprint("One").await;
    let report = async || team.get(&format!("sprints/{sprint}/report")).await.expect(200);
    let mut cards = Vec::new();
    for (name, effort) in [("finished", 1), ("closed", 2), ("left", 3), ("deleted", 5), ("open", 8)] {
        cards.push(team.planned(name, effort, &todo, &sprint).await);
    }
    assert_snapshot!(text_of(&report().await), @"
    scope_at_start 5/19 [finished=1 closed=2 left=3 deleted=5 open=8]
    added 0/0 []
    removed 0/0 []
    done 0/0 []
    carried_over 5/19 [finished=1 closed=2 left=3 deleted=5 open=8]
    ");
    // Three days from the day before yesterday; a run around midnight sees four.
    let first = day(&team, -2).await;
    let dates = json!({ "startDate": first, "endDate": day(&team, 7).await });
    team.post(&format!("sprints/{sprint}/start"), dates).await.expect(200);
    team.place(&cards[0], json!({ "statusId": done })).await.expect(200);
    team.change(&cards[1], json!({ "isOpen": false })).await.expect(200);
    team.place(&cards[2], json!({ "sprintId": null })).await.expect(200);
    team.caller.delete(&team.card_path(&cards[3])).await.expect(200);
    team.change(&cards[4], json!({ "effort": 13, "name": "grown" })).await.expect(200);
    team.planned("late", 21, &todo, &sprint).await;
    let fickle = team.planned("fickle", 34, &todo, &sprint).await;
    team.delete(&format!("cards/{fickle}")).await.expect(200);
    assert_snapshot!(text_of(&report().await), @"
    scope_at_start 5/19 [finished=1 closed=2 left=3 deleted=5 grown=8]
    added 2/55 [late=21 fickle=34]
    removed 3/42 [left=3 deleted=5 fickle=34]
    done 2/3 [finished=1 closed=2]
    carried_over 2/34 [grown=13 late=21]
    ");

    let completed = team.complete(&sprint, "backlog").await.expect(200);
    assert_snapshot!(text_of(&completed), @"
    scope_at_start 5/19 [finished=1 closed=2 left=3 deleted=5 grown=8]
    added 2/55 [late=21 fickle=34]
    removed 3/42 [left=3 deleted=5 fickle=34]
    done 2/3 [finished=1 closed=2]
    carried_over 2/34 [grown=13 late=21]
    ");
    assert_eq!(report().await.json()["report"], completed.json()["report"]);
    let json = completed.json()["report"].clone();
    assert_eq!(json["status"], "completed");
    let days = json["days"].as_array().unwrap();
    assert!(matches!(days.len(), 3 | 4), "{days:?}");
    assert_eq!(days[0]["day"], format!("{first}T00:00:00.000Z"));
    assert_snapshot!(redacted_lines(&days[0]), @r#"
    {
      "day": "<time>",
      "done": {"cards":0,"effort":0},
      "remaining": {"cards":5,"effort":19},
      "scope": {"cards":5,"effort":19}
    }
    "#);
    assert_snapshot!(redacted_lines(&days[days.len() - 1]), @r#"
    {
      "day": "<time>",
      "done": {"cards":2,"effort":3},
      "remaining": {"cards":2,"effort":34},
      "scope": {"cards":4,"effort":37}
    }
    "#);
}

#[tokio::test]
async fn a_column_that_changes_its_meaning_during_a_sprint_takes_its_cards_along() {
    let team = Team::open().await;
    let (todo, review) = (team.status("To do").await, team.status("Review").await);
    let done = team.column(json!({ "name": "Done", "transitionState": "closed" })).await;
    let sprint = team.sprint("One").await;
    team.planned("open", 1, &todo, &sprint).await;
    team.planned("reviewed", 2, &review, &sprint).await;
    team.planned("not done after all", 4, &done, &sprint).await;
    team.start(&sprint).await.expect(200);
    team.patch(&format!("statuses/{review}"), json!({ "transitionState": "closed" })).await.expect(200);
    team.patch(&format!("statuses/{done}"), json!({ "transitionState": "started" })).await.expect(200);
    team.planned("late", 8, &review, &sprint).await;
    let expected = "scope_at_start 3/7 [open=1 reviewed=2 not done after all=4]\n\
                    added 1/8 [late=8]\n\
                    removed 0/0 []\n\
                    done 2/10 [reviewed=2 late=8]\n\
                    carried_over 2/5 [open=1 not done after all=4]";
    assert_eq!(text_of(&team.get(&format!("sprints/{sprint}/report")).await.expect(200)), expected);
    let completed = team.complete(&sprint, "backlog").await.expect(200);
    assert_eq!((text_of(&completed).as_str(), &completed.json()["movedCards"]), (expected, &json!(2)));
}

#[tokio::test]
async fn later_changes_do_not_affect_a_completed_sprints_report() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let done = team.column(json!({ "name": "Done", "transitionState": "closed" })).await;
    let sprint = team.sprint("One").await;
    let open = team.planned("open", 3, &todo, &sprint).await;
    let finished = team.planned("finished", 5, &done, &sprint).await;
    team.start(&sprint).await.expect(200);
    team.complete(&sprint, "keep").await.expect(200);
    let report = async || team.get(&format!("sprints/{sprint}/report")).await.expect(200);
    let frozen = report().await;
    team.change(&open, json!({ "effort": 8, "isOpen": false, "name": "other" })).await.expect(200);
    team.place(&finished, json!({ "statusId": todo })).await.expect(200);
    team.patch(&format!("statuses/{done}"), json!({ "transitionState": "started" })).await.expect(200);
    team.caller.delete(&team.card_path(&open)).await.expect(200);
    let later = report().await;
    assert_eq!(later.body, frozen.body);
    assert_eq!(later.header("etag"), frozen.header("etag"));
    assert_snapshot!(text_of(&later), @"
    scope_at_start 2/8 [open=3 finished=5]
    added 0/0 []
    removed 0/0 []
    done 1/5 [finished=5]
    carried_over 1/3 [open=3]
    ");
}

#[tokio::test]
async fn a_report_counts_all_cards_and_names_those_that_the_reader_may_read() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let other = team.linked_project("Box").await;
    let sprint = team.sprint("One").await;
    team.planned("seen", 3, &todo, &sprint).await;
    let hidden = team.card_of(&other, json!({ "name": "hidden", "effort": 5 })).await;
    team.place(&hidden, json!({ "sprintId": sprint })).await.expect(200);
    team.start(&sprint).await.expect(200);
    let (bob, by_bob) = team.member("bob", "member").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    team.deployment.operator().add_member(&bob, "--project", &team.project, "viewer").await;
    let path = team.at(&format!("sprints/{sprint}/report"));
    assert_snapshot!(text_of(&by_bob.get(&path).await.expect(200)), @"
    scope_at_start 2/8 [seen=3]
    added 0/0 []
    removed 0/0 []
    done 0/0 []
    carried_over 2/8 [seen=3]
    ");
    team.complete(&sprint, "keep").await.expect(200);
    assert_snapshot!(text_of(&by_bob.get(&path).await.expect(200)), @"
    scope_at_start 2/8 [seen=3]
    added 0/0 []
    removed 0/0 []
    done 0/0 []
    carried_over 2/8 [seen=3]
    ");
    let without_cards = team.alice.key(&["teams:read"]).await;
    assert_snapshot!(text_of(&without_cards.get(&path).await.expect(200)), @"
    scope_at_start 2/8 []
    added 0/0 []
    removed 0/0 []
    done 0/0 []
    carried_over 2/8 []
    ");
}

#[tokio::test]
async fn a_sprint_completed_during_changes_of_its_cards_has_a_consistent_report() {
    let team = Team::own().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    for _ in 0..4 {
        let sprint = team.sprint("x").await;
        let mut cards = Vec::new();
        for number in 0..6 {
            cards.push(team.planned(&format!("{number}"), 1, &todo, &sprint).await);
        }
        team.start(&sprint).await.expect(200);
        let changes = cards.iter().enumerate().map(|(number, card)| match number % 3 {
            0 => team.change(card, json!({ "isOpen": false })).into_future(),
            1 => team.place(card, json!({ "statusId": doing })).into_future(),
            _ => team.caller.delete(&team.card_path(card)).into_future(),
        });
        let completion = team.complete(&sprint, "backlog").into_future();
        let (changes, completed) = tokio::join!(futures_util::future::join_all(changes), completion);
        assert!(changes.iter().all(|change| change.status == 200), "{changes:?}");
        let report = completed.expect(200).json()["report"].clone();
        let count = |part: &str| report[part]["total"]["cards"].as_i64().unwrap();
        assert_eq!(count("scope_at_start"), 6);
        assert_eq!(count("removed") + count("done") + count("carried_over"), 6);
        let left: Vec<&Value> = report["carried_over"]["cards"].as_array().unwrap().iter().collect();
        let moved = "select count(*) from team_cards where sprint_id is null";
        assert!(team.deployment.database.count(moved).await >= i64::try_from(left.len()).unwrap() - 2);
    }
}

#[tokio::test]
async fn cards_whose_project_is_deleted_are_removed_from_sprints_and_still_count() {
    let team = Team::open().await;
    let (todo, sprint) = (team.status("To do").await, team.sprint("One").await);
    team.planned("stays", 3, &todo, &sprint).await;
    let other = team.linked_project("other").await;
    let card = team.card_of(&other, json!({ "name": "goes", "effort": 5 })).await;
    team.place(&card, json!({ "sprintId": sprint })).await.expect(200);
    let early = team.card_of(&other, json!({ "name": "deleted before", "effort": 8 })).await;
    team.place(&early, json!({ "sprintId": sprint })).await.expect(200);
    let planned = team.sprint("Two").await;
    let next = team.card_of(&other, json!({ "name": "next", "effort": 1 })).await;
    team.place(&next, json!({ "sprintId": planned })).await.expect(200);
    team.start(&sprint).await.expect(200);
    team.caller.delete(&format!("/api/v2/projects/{other}/cards/{early}")).await.expect(200);
    team.caller.delete(&format!("/api/v2/projects/{other}")).await.expect(200);
    let report = async |sprint: &str| team.get(&format!("sprints/{sprint}/report")).await.expect(200);
    assert_snapshot!(text_of(&report(&sprint).await), @"
    scope_at_start 3/16 [stays=3]
    added 0/0 []
    removed 2/13 []
    done 0/0 []
    carried_over 1/3 [stays=3]
    ");
    assert_snapshot!(text_of(&report(&planned).await), @"
    scope_at_start 0/0 []
    added 0/0 []
    removed 0/0 []
    done 0/0 []
    carried_over 0/0 []
    ");
    let completed = team.complete(&sprint, "backlog").await.expect(200);
    assert_snapshot!(text_of(&completed), @"
    scope_at_start 3/16 [stays=3]
    added 0/0 []
    removed 2/13 []
    done 0/0 []
    carried_over 1/3 [stays=3]
    ");
}
