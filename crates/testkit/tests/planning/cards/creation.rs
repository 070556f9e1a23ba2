//! Creation of cards: parts of the answer, names and texts, assignees, retries.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::redacted_lines;
use testkit::caller::Base;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_CARDS};
use testkit::session::create_project;

use crate::cards::support::Project;

fn keys(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_created_card_is_answered_in_four_parts_with_the_specified_names() {
    let project = Project::open().await;
    let tag = project.tag("urgent").await;
    let body = json!({
        "name": " Cut\tthe  teeth ", "description": "Module 2", "resolution": "**Done**", "effort": 3,
        "deadline": "2027-01-01T00:00:00+01:00", "assigneeId": project.alice.id, "tagIds": [tag, tag],
    });
    let answer = project.post("cards", body).await.expect(201);
    let json = answer.json();
    assert_eq!(keys(&json), BTreeSet::from(["card", "historyHeadId", "historyHeadSequence", "indexCard"]));
    let specified = "id name description resolution created_by_user created_at updated_at deadline is_open project_id \
                     effort author_display_name closed_at";
    assert_eq!(
        keys(&json["card"]).difference(&specified.split_whitespace().collect()).copied().collect::<Vec<_>>(),
        ["fields", "key", "number", "parent_id", "priority", "start_date", "type"]
    );
    let specified = "id project_id name resolution is_open deadline created_at updated_at closed_at effort tag_ids \
                     user_ids team_ids team_status_ids sprint_ids team_statuses team_placements history_head_id \
                     history_head_sequence search_text created_by_user author_display_name";
    assert_eq!(
        keys(&json["indexCard"])
            .difference(&specified.split_whitespace().collect())
            .copied()
            .collect::<Vec<_>>(),
        ["checklist", "key", "parent_id", "priority", "start_date", "type"]
    );
    assert_snapshot!(redacted_lines(&json["card"]), @r#"
    {
      "author_display_name": "alice",
      "closed_at": null,
      "created_at": "<time>",
      "created_by_user": "<id 1>",
      "deadline": "<time>",
      "description": "Module 2",
      "effort": 3,
      "fields": {},
      "id": "<id 2>",
      "is_open": true,
      "key": "GEAR-1",
      "name": "Cut the teeth",
      "number": 1,
      "parent_id": null,
      "priority": "none",
      "project_id": "<id 3>",
      "resolution": "**Done**",
      "start_date": null,
      "type": "task",
      "updated_at": "<time>"
    }
    "#);
    assert_eq!(json["card"]["deadline"], "2026-12-31T23:00:00.000Z");
    assert_eq!(json["indexCard"]["tag_ids"], json!([tag]));
    assert_eq!(json["indexCard"]["user_ids"], json!([project.alice.id]));
    assert_eq!(json["indexCard"]["team_placements"], json!([]));
    assert_eq!(json["indexCard"]["search_text"], "cut the teeth\n**done**\nmodule 2");
    assert_eq!(json["indexCard"]["history_head_id"], json["historyHeadId"]);
    assert_eq!(json["indexCard"]["history_head_sequence"], json["historyHeadSequence"]);
    assert!(json["historyHeadSequence"].as_str().unwrap().bytes().all(|byte| byte.is_ascii_digit()));

    let id = answer.text("/card/id");
    let read = project.get(&format!("cards/{id}")).await.expect(200);
    assert_eq!(read.json()["card"], json["card"]);
    assert_eq!(read.json()["indexCard"], json["indexCard"]);
    assert_eq!(read.header("etag"), format!("\"{}\"", answer.text("/historyHeadId")));
    // The head is the last history row of the creation.
    let history = project.get(&format!("cards/{id}/history")).await.json();
    let last = history["history"].as_array().unwrap().last().unwrap();
    assert_eq!(last["id"], json["historyHeadId"]);
    assert_eq!(
        project.history(&id).await,
        ["created deadline,description,effort,is_open,name,resolution", "assigned user_id", "tagged tag_id",]
    );
}

#[tokio::test]
async fn a_card_needs_only_a_name() {
    let project = Project::open().await;
    let card = project.post("cards", json!({ "name": "x" })).await.expect(201).json();
    assert_eq!(card["card"]["effort"], 0);
    assert_eq!(card["card"]["description"], "");
    assert_eq!(card["card"]["deadline"], Value::Null);
    assert_eq!(card["card"]["closed_at"], Value::Null);
    assert_eq!(card["indexCard"]["user_ids"], json!([]));
}

#[tokio::test]
async fn names_and_texts_are_kept_in_any_script_and_bounded() {
    let project = Project::open().await;
    let create = |body| project.post("cards", body);
    let name = async |text: &str| create(json!({ "name": text })).await.expect(201).text("/card/name");
    assert_eq!(name("Scho\u{308}n").await, "Sch\u{f6}n");
    assert_eq!(name("Sch\u{f6}n").await, "Sch\u{f6}n");
    assert_eq!(name("a\u{0}b\u{7}\u{202e}c\nd").await, "abc d");
    assert_eq!(name(&"\u{1f600}".repeat(10_000)).await, "\u{1f600}".repeat(255));
    assert_eq!(
        name("\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}").await,
        "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}"
    );
    assert_snapshot!(create(json!({ "name": " \u{7}\u{200b}" })).await, @"400 INVALID_REQUEST body.name format");
    assert_snapshot!(create(json!({})).await, @"400 INVALID_REQUEST body.name required");

    let long = "\u{df}".repeat(10_000);
    let body = json!({ "name": "x", "description": long, "resolution": long });
    let card = create(body).await.expect(201).json();
    assert_eq!(card["card"]["description"].as_str().unwrap(), long);
    assert_eq!(card["card"]["resolution"].as_str().unwrap(), long);
    assert_eq!(card["indexCard"]["search_text"].as_str().unwrap().chars().count(), 8_192);
    for field in ["description", "resolution"] {
        let mut body = json!({ "name": "x" });
        body[field] = Value::from(format!("{long}x"));
        assert_eq!(create(body).await.issues(), [format!("body.{field} maxLength")]);
    }
    for effort in [json!(-1), json!(1.5), json!("3"), json!(2_147_483_648_i64)] {
        let refused = create(json!({ "name": "x", "effort": effort })).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_REQUEST"), "{effort}");
    }
    assert_snapshot!(create(json!({ "name": "x", "colour": 1 })).await, @"400 INVALID_REQUEST body.colour unknown");
    assert_snapshot!(
        create(json!({ "name": "x", "deadline": "tomorrow" })).await,
        @"400 INVALID_REQUEST body.deadline format"
    );
}

#[tokio::test]
async fn a_deadline_may_be_a_day_which_ends_in_utc() {
    let project = Project::open().await;
    let card = project.post("cards", json!({ "name": "x", "deadline": "2027-02-28" })).await.expect(201);
    assert_eq!(card.text("/card/deadline"), "2027-02-28T23:59:59.999Z");
    let path = format!("cards/{}", card.text("/card/id"));
    let changed = project.patch(&path, json!({ "deadline": "2028-02-29" })).await.expect(200);
    assert_eq!(changed.text("/indexCard/deadline"), "2028-02-29T23:59:59.999Z");
    let operations = json!([{ "op": "create", "name": "y", "deadline": "2027-03-01" }]);
    project.post("cards/bulk", json!({ "operations": operations })).await.expect(200);
    let due =
        project.get("cards?deadlineAfter=2027-03-01&deadlineBefore=2027-03-02").await.expect(200).json();
    assert_eq!(due["cards"][0]["name"], "y");
    let refused = project.patch(&path, json!({ "deadline": "2027-02-29" })).await;
    assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.deadline format");
}

#[tokio::test]
async fn a_deadline_is_in_the_years_1_to_9999() {
    let project = Project::open().await;
    for deadline in ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "-0001-01-01T00:00:00Z"] {
        let card = json!({ "name": "x", "deadline": deadline });
        let mut operation = card.clone();
        operation["op"] = Value::from("create");
        let refused = project.post("cards", card.clone()).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.deadline format", "{deadline}");
        let refused = project.post("cards/bulk", json!({ "operations": [operation] })).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.operations[0].deadline format");
    }
    for deadline in ["0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"] {
        let card = project.post("cards", json!({ "name": "x", "deadline": deadline })).await.expect(201);
        assert_eq!(card.text("/card/deadline"), deadline);
    }
}

#[tokio::test]
async fn an_assignee_must_be_a_current_member_of_the_project() {
    let project = Project::own().await;
    let (bob, _) = project.member("bob", "viewer").await;
    let stranger = project.deployment.operator().user("stranger").await;
    let create = |assignee: &str| project.post("cards", json!({ "name": "x", "assigneeId": assignee }));
    create(&project.alice.id).await.expect(201);
    create(&bob.id).await.expect(201);
    assert_snapshot!(create(&stranger.id).await, @"400 ASSIGNEE_NOT_MEMBER");
    assert_snapshot!(create(ABSENT_ID).await, @"400 ASSIGNEE_NOT_MEMBER");
    project.deployment.operator().remove_member(&bob, "--project", &project.id).await;
    assert_snapshot!(create(&bob.id).await, @"400 ASSIGNEE_NOT_MEMBER");
    assert_eq!(project.deployment.database.count("select count(*) from cards").await, 2);
    assert_eq!(project.deployment.database.count("select count(*) from card_history").await, 4);
}

#[tokio::test]
async fn members_of_the_organization_are_assignable_according_to_their_role() {
    let gear = Project::open().await;
    let operator = gear.deployment.operator();
    let org = operator.organization("works", &gear.alice).await;
    let (admin, member, guest) =
        (operator.user("admin").await, operator.user("member").await, operator.user("guest").await);
    for (user, role) in [(&admin, "admin"), (&member, "member"), (&guest, "guest")] {
        operator.add_member(user, "--org", &org, role).await;
    }
    let project = async |visibility: &str| {
        let body = json!({ "name": visibility, "orgId": org, "visibility": visibility });
        gear.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id")
    };
    for (visibility, expected) in [("private", [201, 400, 400]), ("internal", [201, 201, 400])] {
        let project = project(visibility).await;
        let mut found = Vec::new();
        for user in [&admin, &member, &guest] {
            let body = json!({ "name": "x", "assigneeId": user.id });
            let path = format!("/api/v2/projects/{project}/cards");
            found.push(gear.caller.post(&path).json(body).await.status);
        }
        assert_eq!(found, expected, "{visibility}");
    }
}

#[tokio::test]
async fn tags_of_a_new_card_must_be_active_in_its_project() {
    let project = Project::own().await;
    let archived = project.tag("old").await;
    project.patch(&format!("card-tags/{archived}"), json!({ "status": "archived" })).await.expect(200);
    let other = create_project(&project.caller, "Other").await;
    let path = format!("/api/v2/projects/{other}/card-tags");
    let foreign = project.caller.post(&path).json(json!({ "name": "x" })).await.expect(201).text("/tag/id");
    let active = project.tag("new").await;
    for tag in [archived.as_str(), &foreign, ABSENT_ID] {
        let refused = project.post("cards", json!({ "name": "x", "tagIds": [active, active, tag] })).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.tagIds[2] exists");
    }
    // All of them, and the assignee, at once.
    let stranger = project.deployment.operator().user("bob").await.id;
    let body = json!({ "name": "x", "tagIds": [foreign, active, archived], "assigneeId": stranger });
    let refused = project.post("cards", body).await;
    assert_eq!(
        refused.to_string(),
        "400 INVALID_REQUEST body.tagIds[0] exists, body.tagIds[2] exists, body.assigneeId exists"
    );
    assert_eq!(project.deployment.database.count("select count(*) from card_history").await, 0);
}

#[tokio::test]
async fn thirty_concurrent_creations_with_one_key_make_one_card_with_equal_answers() {
    let project = Project::own().await;
    let create = |number: usize| {
        let body = json!({ "name": format!("Card {number}"), "assigneeId": project.alice.id });
        project.post("cards", body).idempotency_key("one").into_future()
    };
    let answers = join_all((0..30).map(create)).await;
    assert!(answers.iter().all(|answer| answer.status == 201));
    assert!(answers.iter().all(|answer| answer.json() == answers[0].json()));
    assert_eq!(answers.iter().filter(|answer| answer.is_replay()).count(), 29);
    assert_eq!(project.deployment.database.count("select count(*) from cards").await, 1);
    assert_eq!(project.deployment.database.count("select count(*) from card_history").await, 2);

    // A repeat gives the first result even after a change of the card; another key creates another card.
    let id = answers[0].text("/card/id");
    project.patch(&format!("cards/{id}"), json!({ "name": "Renamed" })).await.expect(200);
    assert_eq!(create(99).await.json(), answers[0].json());
    let other = project.alice.key(MANAGE_WITH_CARDS).await;
    let body = json!({ "name": "x" });
    let created = other.post(&project.at("cards")).json(body).idempotency_key("one").await.expect(201);
    assert!(!created.is_replay());
}

#[tokio::test]
async fn concurrent_creations_share_transactions_and_get_their_own_answers() {
    let project = Project::own().await;
    let (bob, of_bob) = project.member("bob", "editor").await;
    let callers = [(&project.alice, &project.caller), (&bob, &of_bob)];
    let create = |number: usize| {
        let body = json!({ "name": format!("Card {number}"), "assigneeId": project.alice.id });
        let caller = callers[number % callers.len()].1;
        caller.post(&project.at("cards")).json(body).idempotency_key(&format!("key {number}")).into_future()
    };
    let answers = join_all((0..80).map(create)).await;
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.status, 201, "{answer}");
        assert!(!answer.is_replay());
        assert_eq!(answer.text("/card/name"), format!("Card {number}"));
        assert_eq!(answer.text("/card/created_by_user"), callers[number % callers.len()].0.id);
        let history = project.history(&answer.text("/card/id")).await;
        assert_eq!(history, ["created is_open,name", "assigned user_id"]);
    }
    let transactions =
        project.deployment.database.count("select count(distinct xmin::text) from cards").await;
    assert!(transactions < 60, "{transactions}");
    // Never for different users.
    let shared = "select count(*) from (select from cards group by xmin::text having count(distinct created_by) > 1) s";
    assert_eq!(project.deployment.database.count(shared).await, 0);

    let again = join_all((0..80).map(create)).await;
    assert!(again.iter().all(testkit::answer::Answer::is_replay));
    assert!(again.iter().zip(&answers).all(|(again, first)| again.json() == first.json()));
    assert_eq!(project.deployment.database.count("select count(*) from cards").await, 80);
}

#[tokio::test]
async fn repeats_among_concurrent_creations_get_their_first_answers() {
    let project = Project::own().await;
    let create = |number: usize| {
        let body = json!({ "name": format!("Card {number}") });
        project.post("cards", body).idempotency_key(&format!("key {number}")).into_future()
    };
    let first = join_all((0..40).map(create)).await;
    // Every other one of these is a repeat.
    let mixed =
        join_all((0..80).map(|number| create(if number % 2 == 0 { number / 2 } else { 40 + number }))).await;
    for (number, answer) in mixed.iter().enumerate() {
        assert_eq!(answer.status, 201, "{answer}");
        assert_eq!(answer.is_replay(), number % 2 == 0);
        if number % 2 == 0 {
            assert_eq!(answer.json(), first[number / 2].json());
        }
    }
    assert_eq!(project.deployment.database.count("select count(*) from cards").await, 80);
}

#[tokio::test]
async fn an_invalid_creation_does_not_affect_others_in_its_batch() {
    let project = Project::own().await;
    let create = |number: usize| {
        let assignee = if number % 7 == 3 { ABSENT_ID } else { project.alice.id.as_str() };
        let body = json!({ "name": format!("Card {number}"), "assigneeId": assignee });
        project.post("cards", body).idempotency_key(&number.to_string()).into_future()
    };
    let answers = join_all((0..60).map(create)).await;
    for (number, answer) in answers.iter().enumerate() {
        match number % 7 {
            3 => assert_eq!(answer.to_string(), "400 ASSIGNEE_NOT_MEMBER"),
            _ => assert_eq!((answer.status, answer.text("/card/name")), (201, format!("Card {number}"))),
        }
    }
    let right = i64::try_from((0..60).filter(|number| number % 7 != 3).count()).unwrap();
    assert_eq!(project.deployment.database.count("select count(*) from cards").await, right);
    assert_eq!(project.deployment.database.count("select count(*) from card_history").await, 2 * right);
    assert_eq!(
        project
            .deployment
            .database
            .count("select count(*) from idempotency_records where operation like 'createCard%'")
            .await,
        right
    );
}

#[tokio::test]
async fn a_creation_without_a_recorded_outcome_leaves_nothing() {
    let project = Project::own().await;
    let refuse = "create function refuse() returns trigger language plpgsql as
            $$ begin raise exception 'a timeout, as far as the service can tell' using errcode = '57014'; end $$;
        create trigger refuse before insert on idempotency_records for each row execute function refuse()";
    project.deployment.database.connect().await.batch_execute(refuse).await.unwrap();
    // The record and the commit are sent together. A connection's first transaction prepares the record's statement,
    // and the commit must not overtake it. So this test uses all connections.
    let create = |number: usize| {
        project.post("cards", json!({ "name": "x" })).idempotency_key(&number.to_string()).into_future()
    };
    for round in 0..2 {
        let answers = join_all((0..16).map(|number| create(round * 16 + number))).await;
        assert!(answers.iter().all(|answer| answer.status == 503), "{answers:?}");
    }
    assert_eq!(project.deployment.database.count("select count(*) from cards").await, 0);
    assert_eq!(project.deployment.database.count("select count(*) from card_history").await, 0);
}
