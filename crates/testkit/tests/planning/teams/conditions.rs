//! `If-Match` on teams, columns, sprints and tags: nobody overwrites unseen changes.

use serde_json::json;
use testkit::answer::Answer;
use testkit::caller::Base;

use crate::teams::support::Team;

/// Asserts that a stale tag is refused with the current one.
async fn stale(answer: Answer, current: &str) {
    assert_eq!((answer.status, answer.code()), (412, "PRECONDITION_FAILED".to_owned()));
    assert_eq!(answer.text("/error/details/etag"), current);
}

#[tokio::test]
async fn a_stale_tag_refuses_every_change_of_a_team_a_column_and_a_sprint() {
    let team = Team::open().await;
    let (column, sprint) = (team.status("To do").await, team.sprint("1").await);
    team.placed("a", &column).await;
    let dates = json!({ "startDate": "2026-01-01", "endDate": "2026-01-14" });
    let changes = [
        (String::new(), json!({ "description": "x" }), Vec::new()),
        (format!("statuses/{column}"), json!({ "description": "x" }), Vec::new()),
        (
            format!("sprints/{sprint}"),
            json!({ "description": "x" }),
            vec![("start", dates), ("complete", json!({}))],
        ),
    ];
    for (path, change, more) in changes {
        let first = team.get(&path).await.expect(200).header("etag").to_owned();
        let changed = team.patch(&path, change.clone()).header("if-match", &first).await.expect(200);
        let second = team.get(&path).await.expect(200).header("etag").to_owned();
        assert_ne!(first, second, "{path}");
        assert_eq!(changed.header("etag"), second, "{path}");
        stale(team.patch(&path, json!({ "description": "y" })).header("if-match", &first).await, &second)
            .await;
        stale(team.delete(&path).header("if-match", &first).await, &second).await;
        for (verb, body) in more {
            stale(team.post(&format!("{path}/{verb}"), body).header("if-match", &first).await, &second).await;
        }
        let unreadable = team.delete(&path).header("if-match", "\"é\"").await;
        assert_eq!(unreadable.to_string(), "400 INVALID_REQUEST header.If-Match format");
        assert_eq!(team.get(&path).await.header("etag"), second, "{path}");
        team.patch(&path, change).header("if-match", &format!("\"x\", {second}")).await.expect(200);
    }
}

#[tokio::test]
async fn a_stale_tag_refuses_every_change_of_a_card_tag() {
    let team = Team::open().await;
    let path = format!("/api/v2/projects/{}/card-tags", team.project);
    let tag = team.caller.post(&path).json(json!({ "name": "bug" })).await.expect(201).text("/tag/id");
    let path = format!("{path}/{tag}");
    let rename = |name: &str| team.caller.patch(&path).json(json!({ "name": name }));
    let first = rename("fault").await.expect(200).header("etag").to_owned();
    let second = rename("defect").header("if-match", &first).await.expect(200).header("etag").to_owned();
    stale(rename("bug").header("if-match", &first).await, &second).await;
    stale(team.caller.delete(&path).header("if-match", &first).await, &second).await;
    team.caller.delete(&path).header("if-match", &second).await.expect(200);
}
