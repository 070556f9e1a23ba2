//! A complete board.

use insta::assert_snapshot;
use serde_json::json;
use testkit::caller::Base;
use testkit::deployment::{Deployment, Options};
use testkit::plan::PlannedStatement;
use testkit::seed::ABSENT_ID;

use crate::teams::planning::shown;
use crate::teams::support::Team;

#[tokio::test]
async fn a_board_shows_ordered_columns_and_cards_with_all_fields() {
    let team = Team::own().await;
    assert_eq!(team.shown("").await, "");
    let (todo, done) = (team.status("To do").await, team.status("Done").await);
    let tag = format!("/api/v2/projects/{}/card-tags", team.project);
    let tag = team.caller.post(&tag).json(json!({ "name": "urgent" })).await.expect(201).text("/tag/id");
    let body = json!({
        "name": "Cut teeth", "effort": 3, "deadline": "2027-01-01T00:00:00Z", "assigneeId": team.alice.id,
        "tagIds": [tag],
    });
    let card = team.card_of(&team.project, body).await;
    team.place(&card, json!({ "statusId": todo })).await.expect(200);
    let board = team.get("board").await.expect(200);
    assert_snapshot!(board, @r##"
    200 {
      "board": {
        "columns": [
          {
            "card_count": 1,
            "cards": [
              {
                "assignees": [{"display_name":"alice","id":"<id 1>"}],
                "checklist": {"done":0,"total":0},
                "deadline": "<time>",
                "effort": 3,
                "fields": {},
                "history_head_id": "<id 2>",
                "history_head_sequence": "4",
                "id": "<id 3>",
                "is_blocked": false,
                "is_open": true,
                "key": "GEAR-1",
                "name": "Cut teeth",
                "parent_id": null,
                "priority": "none",
                "project_id": "<id 4>",
                "project_name": "Gear",
                "rank": "a0",
                "sprint_id": null,
                "tags": [{"color":"#808080","id":"<id 5>","name":"urgent"}],
                "type": "task"
              }
            ],
            "effort": 3,
            "status": {
              "closeMode": "off",
              "color": "#808080",
              "description": "",
              "id": "<id 6>",
              "name": "To do",
              "position": "a0",
              "status": "active",
              "team_id": "<id 7>",
              "transition_state": "not_started",
              "wip_limit": null,
              "wip_policy": "warn",
              "wip_unit": "count"
            },
            "wip_exceeded": false
          },
          {
            "card_count": 0,
            "cards": [],
            "effort": 0,
            "status": {
              "closeMode": "off",
              "color": "#808080",
              "description": "",
              "id": "<id 8>",
              "name": "Done",
              "position": "a1",
              "status": "active",
              "team_id": "<id 7>",
              "transition_state": "not_started",
              "wip_limit": null,
              "wip_policy": "warn",
              "wip_unit": "count"
            },
            "wip_exceeded": false
          }
        ],
        "field_users": [],
        "fields": [],
        "team_id": "<id 7>"
      }
    }
    "##);
    team.placed("b", &todo).await;
    team.placed("c", &done).await;
    assert_eq!(team.shown("").await, "To do: Cut teeth b; Done: c");
    team.patch(&format!("statuses/{done}"), json!({ "beforeStatusId": todo })).await.expect(200);
    assert_eq!(team.shown("").await, "Done: c; To do: Cut teeth b");
}

#[tokio::test]
async fn a_filter_omits_cards_and_never_columns_or_totals() {
    let team = Team::open().await;
    let (todo, done) = (team.status("To do").await, team.status("Done").await);
    let other = team.linked_project("Box").await;
    team.placed("a", &todo).await;
    let foreign =
        team.card_of(&other, json!({ "name": "b", "effort": 5, "assigneeId": team.alice.id })).await;
    team.place(&foreign, json!({ "statusId": done })).await.expect(200);
    let sprint = team.post("sprints", json!({ "name": "One" })).await.expect(201).text("/sprint/id");
    team.place(&foreign, json!({ "sprintId": sprint })).await.expect(200);

    assert_eq!(team.shown(&format!("?sprintId={sprint}")).await, "To do:; Done: b");
    assert_eq!(team.shown("?sprintId=none").await, "To do: a; Done:");
    assert_eq!(team.shown(&format!("?projectId={}", team.project)).await, "To do: a; Done:");
    assert_eq!(team.shown(&format!("?assigneeId={}", team.alice.id)).await, "To do:; Done: b");
    assert_eq!(team.shown(&format!("?sprintId={ABSENT_ID}")).await, "To do:; Done:");
    for (query, cards) in [
        (format!("sprintId={sprint},none"), "To do: a; Done: b"),
        (format!("sprintId=!{sprint}"), "To do: a; Done:"),
        ("sprintId=!none".to_owned(), "To do:; Done: b"),
        (format!("projectId=!{}", team.project), "To do:; Done: b"),
        (format!("projectId={},{other}", team.project), "To do: a; Done: b"),
        ("assigneeId=me".to_owned(), "To do:; Done: b"),
        ("assigneeId=me,none".to_owned(), "To do: a; Done: b"),
        ("assigneeId=!me".to_owned(), "To do: a; Done:"),
        ("assigneeId=!me,!none".to_owned(), "To do:; Done:"),
    ] {
        assert_eq!(team.shown(&format!("?{query}")).await, cards, "{query}");
    }
    let board = team.get("board?sprintId=none").await.expect(200).json();
    let counted = board["board"]["columns"].as_array().unwrap().iter();
    let counted: Vec<_> = counted.map(|column| (&column["card_count"], &column["effort"])).collect();
    assert_eq!(counted, [(&json!(1), &json!(0)), (&json!(1), &json!(5))]);
    for query in ["sprintId=x", "sprintId=", "sprintId=!", "projectId=none", "assigneeId=you", "sprint=none"]
    {
        let code = team.get(&format!("board?{query}")).await.expect(400).code();
        assert_eq!(code, "INVALID_REQUEST", "{query}");
    }
}

#[tokio::test]
async fn cards_of_unreadable_projects_are_not_counted() {
    let team = Team::open().await;
    let column = json!({ "name": "Doing", "wipLimit": 1 });
    let doing = team.column(column).await;
    let other = team.linked_project("Box").await;
    team.placed("a", &doing).await;
    let hidden = team.card_of(&other, json!({ "name": "b", "effort": 5 })).await;
    team.place(&hidden, json!({})).await.expect(200);
    assert_eq!(team.shown("").await, "Doing: a b");

    // By role: a member of the team and of one project.
    let (bob, by_bob) = team.member("bob", "member").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    team.deployment.operator().add_member(&bob, "--project", &team.project, "viewer").await;
    let board = by_bob.get(&team.at("board")).await.expect(200);
    assert_eq!(shown(&board), "Doing: a");
    let column = &board.json()["board"]["columns"][0];
    assert_eq!((&column["card_count"], &column["effort"]), (&json!(1), &json!(0)));
    assert_eq!(column["wip_exceeded"], false);
    assert_eq!(team.get("board").await.json()["board"]["columns"][0]["wip_exceeded"], true);
    // By the key's scopes.
    let planner = team.alice.key(&["teams:read"]).await;
    assert_eq!(shown(&planner.get(&team.at("board")).await.expect(200)), "Doing:");
    // By confinement: without the organization, the team is hidden too.
    let confined = team.confined("projectIds", &team.project).await;
    assert_snapshot!(confined.get(&team.at("board")).await, @"404 NOT_FOUND");
    // A card hidden from the caller can't be a neighbour and doesn't block a place.
    let third = team.placed("c", &doing).await;
    team.deployment.operator().add_member(&bob, "--project", &team.project, "editor").await;
    let mine = team.card("d").await;
    let path = team.at(&format!("cards/{mine}"));
    let next_to = |after: &str, before: &str| json!({ "afterCardId": after, "beforeCardId": before });
    let answer = by_bob.put(&path).json(next_to(&hidden, &third)).await;
    assert_eq!((answer.status, answer.code().as_str()), (409, "POSITION_CONFLICT"));
    let shown = answer.json()["error"]["details"]["cardIds"].to_string();
    assert!(shown.contains(&third) && !shown.contains(&hidden), "{shown}");
    let first = board.text("/board/columns/0/cards/0/id");
    by_bob.put(&path).json(next_to(&first, &third)).await.expect(200);
    assert_eq!(team.shown("").await, "Doing: a d b c");
}

#[tokio::test]
async fn an_unchanged_board_gets_304() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let card = team.placed("a", &todo).await;
    let board = team.get("board").await.expect(200);
    let again = async || team.get("board").header("if-none-match", board.header("etag")).await.status;
    assert_eq!(again().await, 304);
    team.change(&card, json!({ "effort": 1 })).await.expect(200);
    assert_eq!(again().await, 200);
}

#[tokio::test]
async fn each_change_of_what_a_board_shows_is_in_the_next_answer_of_each_process() {
    let options = Options { control_replicas: 2, ..Options::default() };
    let team = Team::on(Deployment::with(options).await).await;
    let elsewhere = team.caller.at(&team.deployment.control_urls[1]);
    let (todo, done) = (team.status("To do").await, team.status("Done").await);
    let card = team.placed("a", &todo).await;
    let project = format!("/api/v2/projects/{}", team.project);
    let tag = team.caller.post(&format!("{project}/card-tags")).json(json!({ "name": "urgent" })).await;
    let tag = tag.expect(201).text("/tag/id");
    let of_card = |path: &str| format!("{project}/cards/{card}/{path}");
    let other = team.another_team(json!({ "name": "Other" })).await;
    let of_other = |path: &str| team.in_org(&format!("teams/{other}/{path}"));
    let mut tags: Vec<String> = Vec::new();
    let mut note = async |change: &str| {
        let tag = elsewhere.get(&team.at("board")).await.expect(200).header("etag").to_owned();
        assert!(!tags.contains(&tag), "{change} is not in the answer");
        assert_eq!(team.get("board").await.expect(200).header("etag"), tag, "{change}");
        tags.push(tag);
    };
    note("nothing").await;
    team.change(&card, json!({ "name": "b", "effort": 2 })).await.expect(200);
    note("the card's name").await;
    team.caller.put(&of_card(&format!("assignees/{}", team.alice.id))).await.expect(200);
    note("an assignee").await;
    team.deployment.operator().rename(&team.alice, "Alice A.").await;
    note("the assignee's name").await;
    team.caller.put(&of_card(&format!("tags/{tag}"))).await.expect(200);
    note("a tag").await;
    let renamed = json!({ "name": "soon" });
    team.caller.patch(&format!("{project}/card-tags/{tag}")).json(renamed).await.expect(200);
    note("the tag's name").await;
    team.caller.patch(&project).json(json!({ "name": "Gearbox" })).await.expect(200);
    note("the project's name").await;
    team.caller.patch(&project).json(json!({ "key": "TOOTH" })).await.expect(200);
    note("the project's key").await;
    team.caller
        .patch(&team.at(&format!("statuses/{done}")))
        .json(json!({ "name": "Shipped" }))
        .await
        .expect(200);
    note("a column's name").await;
    team.place(&card, json!({ "statusId": done })).await.expect(200);
    note("a move").await;
    // On the board of another team that the reader sees, the card gets another head.
    team.caller.put(&of_other(&format!("projects/{}", team.project))).await.expect(200);
    team.caller.post(&of_other("statuses")).json(json!({ "name": "x" })).await.expect(201);
    team.caller.put(&of_other(&format!("cards/{card}"))).await.expect(200);
    note("a place on another board").await;
    team.caller.delete(&format!("{project}/cards/{card}")).await.expect(200);
    note("the card's end").await;
}

#[tokio::test]
async fn a_change_that_commits_after_a_later_one_is_shown() {
    let team = Team::own().await;
    let card = team.placed("early", &team.status("To do").await).await;
    let shown = async || team.get("board").await.expect(200).text("/board/columns/0/cards/0/name");
    assert_eq!(shown().await, "early");
    let slow = team.deployment.database.connect().await;
    slow.batch_execute("begin; select next_change_event_sequence()").await.unwrap();
    team.change(&card, json!({ "name": "between" })).await.expect(200);
    assert_eq!((shown().await, shown().await), ("between".to_owned(), "between".to_owned()));
    slow.batch_execute(&format!(
        "update cards set name = 'late' where id = '{card}';
         insert into change_events (scope_id, sequence, type, data, project_id, is_of_cards, occurred_at)
         values ('{}', currval('change_event_sequence'), 'card.updated', '{{}}', '{}', true, now());
         commit",
        team.id, team.project
    ))
    .await
    .unwrap();
    assert_eq!((shown().await, shown().await), ("late".to_owned(), "late".to_owned()));
}

#[tokio::test]
async fn a_board_of_2000_cards_is_answered_completely() {
    let team = Team::own().await;
    let (todo, done) = (team.status("To do").await, team.status("Done").await);
    team.placed("first", &todo).await;
    let client = team.deployment.database.connect().await;
    // Like the first card, but without history.
    client
        .batch_execute(&format!(
            "with made as (
                 insert into cards select gen_random_uuid(), project_id, 'card ' || n, description, resolution, n % 9,
                     deadline, is_open, closed_at, created_by, created_at, updated_at, history_head_id,
                     history_head_sequence
                 from cards, generate_series(2, 2000) n returning id, project_id, effort, name
             ),
             indexed as (
                 insert into index_cards (card_id, project_id, is_open, search_document)
                 select id, project_id, true, name from made
             )
             insert into team_cards select '{}', id, case effort when 0 then '{done}'::uuid else '{todo}' end, null,
                 'b0' || lpad(split_part(name, ' ', 2), 6, '0') || '1', now() from made",
            team.id
        ))
        .await
        .unwrap();
    let board = team.get("board").await.expect(200).json();
    let columns = board["board"]["columns"].as_array().unwrap();
    let counts: Vec<usize> = columns.iter().map(|column| column["cards"].as_array().unwrap().len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 2000);
    assert_eq!(columns[1]["card_count"], counts[1]);
    assert_eq!(columns[0]["cards"][0]["name"], "first");
    let ranks = |column: usize| -> Vec<&str> {
        let cards = columns[column]["cards"].as_array().unwrap();
        cards.iter().map(|card| card["rank"].as_str().unwrap()).collect()
    };
    assert!(ranks(0).is_sorted() && ranks(1).is_sorted());
    // No plan may compare all pairs of cards. A generic plan once did, and took thirteen seconds.
    let of_projects = format!("'{}', '{{{}}}'", team.id, team.project);
    let cards = PlannedStatement {
        sql: include_str!("../../../../store/src/resources/planning/boards/cards.sql"),
        types: "uuid, uuid[], uuid[], uuid[], uuid[], uuid[], uuid[], uuid[], uuid[]",
        arguments: &format!("{of_projects}, null, '{{}}', null, '{{}}', null, '{{}}', '{{}}'"),
    };
    let loads = PlannedStatement {
        sql: include_str!("../../../../store/src/resources/planning/boards/loads.sql"),
        types: "uuid, uuid[]",
        arguments: &of_projects,
    };
    for plan in ["force_generic_plan", "force_custom_plan"] {
        for statement in [&cards, &loads] {
            let (rows, plan) = statement.rows_touched(&client, plan).await;
            assert!(rows < 30.0 * 2000.0, "{rows} rows: {plan:#}");
        }
    }
    // They lack history, which the checks at the end need.
    client.batch_execute("delete from cards where name like 'card %'").await.unwrap();
}
