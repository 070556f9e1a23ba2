//! Placing and moving cards: positions, closing, WIP limits and history.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::teams::support::Team;
use testkit::answer::redacted_lines;
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn a_card_is_placed_moved_and_removed_and_each_step_is_in_its_history() {
    let team = Team::own().await;
    let card = team.card("a").await;
    assert_snapshot!(team.place(&card, json!({})).await, @r#"409 POSITION_CONFLICT {"statusIds":[]}"#);
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    // The default is the leftmost column; the body is optional.
    let placed = team.put(&format!("cards/{card}")).await.expect(200);
    assert_snapshot!(placed, @r##"
    200 {
      "card": {
        "author_display_name": "alice",
        "closed_at": null,
        "created_at": "<time>",
        "created_by_user": "<id 1>",
        "deadline": null,
        "description": "",
        "effort": 0,
        "fields": {},
        "id": "<id 2>",
        "is_open": true,
        "key": "GEAR-1",
        "name": "a",
        "number": 1,
        "parent_id": null,
        "priority": "none",
        "project_id": "<id 3>",
        "resolution": "",
        "start_date": null,
        "type": "task",
        "updated_at": "<time>"
      },
      "historyHeadId": "<id 4>",
      "historyHeadSequence": "2",
      "indexCard": {
        "author_display_name": "alice",
        "checklist": {"done":0,"total":0},
        "closed_at": null,
        "created_at": "<time>",
        "created_by_user": "<id 1>",
        "deadline": null,
        "effort": 0,
        "history_head_id": "<id 4>",
        "history_head_sequence": "2",
        "id": "<id 2>",
        "is_open": true,
        "key": "GEAR-1",
        "name": "a",
        "parent_id": null,
        "priority": "none",
        "project_id": "<id 3>",
        "resolution": "",
        "search_text": "a",
        "sprint_ids": [],
        "start_date": null,
        "tag_ids": [],
        "team_ids": ["<id 5>"],
        "team_placements": [{"sprint_id":null,"status_id":"<id 6>","team_id":"<id 5>"}],
        "team_status_ids": ["<id 6>"],
        "team_statuses": [
          {
            "sprint_id": null,
            "status_color": "#808080",
            "status_id": "<id 6>",
            "status_name": "To do",
            "team_id": "<id 5>"
          }
        ],
        "type": "task",
        "updated_at": "<time>",
        "user_ids": []
      },
      "placement": {
        "rank": "a0",
        "sprint_id": null,
        "status_id": "<id 6>",
        "team_id": "<id 5>",
        "transition_state": "not_started"
      }
    }
    "##);
    assert_eq!(team.shown("").await, "To do: a; Doing:");
    let moved = team.place(&card, json!({ "statusId": doing })).await.expect(200);
    assert_eq!(moved.text("/placement/status_id"), doing);
    assert_eq!(moved.text("/indexCard/team_statuses/0/status_name"), "Doing");
    let history = team.caller.get(&format!("{}/history", team.card_path(&card))).await.expect(200).json();
    let rows = history["history"].as_array().unwrap();
    let change = &rows[2]["changes"]["team_placement"];
    assert_eq!(change["before"]["status_id"], todo.as_str());
    assert_eq!(change["after"]["status_id"], doing.as_str());
    assert_snapshot!(redacted_lines(&change["after"]), @r#"
    {
      "rank": "a0",
      "sprint_id": null,
      "status_id": "<id 1>",
      "team_id": "<id 2>",
      "transition_state": "not_started"
    }
    "#);
    assert_eq!(rows[2]["id"], moved.text("/historyHeadId"));
    // A repeat has no effect.
    let again = team.place(&card, json!({ "statusId": doing, "sprintId": null })).await.expect(200);
    assert_eq!(again.text("/historyHeadId"), moved.text("/historyHeadId"));

    let path = format!("cards/{card}");
    assert_snapshot!(
        team.delete(&path).await.expect(200),
        @r#"200 {"cardId":"<id 1>","deleted":true,"historyHeadId":"<id 2>","historyHeadSequence":"4","id":"<id 3>"}"#
    );
    assert_eq!(team.kinds(&card).await, "created placed moved removed");
    assert_eq!(team.read_card(&card).await.json()["indexCard"]["team_ids"], json!([]));
    assert_snapshot!(team.delete(&path).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_card_goes_before_and_after_others_in_the_same_and_another_column() {
    let team = Team::open().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    let mut cards = Vec::new();
    for name in ["a", "b", "c", "d"] {
        cards.push(team.placed(name, &todo).await);
    }
    let [a, b, c, d] = [0, 1, 2, 3].map(|index: usize| cards[index].as_str());
    let move_to = async |card: &str, body: Value| team.place(card, body).await.expect(200);
    move_to(d, json!({ "beforeCardId": a })).await;
    assert_eq!(team.shown("").await, "To do: d a b c; Doing:");
    move_to(d, json!({ "afterCardId": b })).await;
    assert_eq!(team.shown("").await, "To do: a b d c; Doing:");
    move_to(c, json!({ "afterCardId": a, "beforeCardId": b })).await;
    assert_eq!(team.shown("").await, "To do: a c b d; Doing:");
    let head = team.read_card(c).await.text("/historyHeadId");
    // The card is already there, by any spelling of the place.
    for body in [
        json!({ "afterCardId": a, "beforeCardId": b }),
        json!({ "beforeCardId": b }),
        json!({ "afterCardId": a }),
        json!({ "statusId": todo }),
        json!({}),
    ] {
        assert_eq!(move_to(c, body).await.text("/historyHeadId"), head);
    }
    move_to(b, json!({ "statusId": doing })).await;
    move_to(c, json!({ "statusId": doing, "beforeCardId": b })).await;
    assert_eq!(team.shown("").await, "To do: a d; Doing: c b");

    for refused in [
        json!({ "afterCardId": d, "beforeCardId": a }),
        json!({ "afterCardId": c }),
        json!({ "beforeCardId": ABSENT_ID }),
        json!({ "statusId": todo, "afterCardId": a, "beforeCardId": c }),
    ] {
        let card = team.card("x").await;
        assert_eq!(team.place(&card, refused).await.code(), "POSITION_CONFLICT");
    }
    let card = team.card("x").await;
    move_to(&card, json!({ "afterCardId": a, "beforeCardId": d })).await;
    // The two are no longer neighbours.
    let other = team.card("y").await;
    let between = json!({ "afterCardId": a, "beforeCardId": d });
    let refused = team.place(&other, between).await.expect(409);
    assert_eq!(refused.code(), "POSITION_CONFLICT");
    let order = json!([a, card, d]);
    assert_eq!(refused.json()["error"]["details"], json!({ "statusId": todo, "cardIds": order }));
    assert_eq!(team.shown("").await, "To do: a x d; Doing: c b");
}

#[tokio::test]
async fn a_column_without_room_between_ranks_is_renumbered_in_order() {
    let team = Team::own().await;
    let todo = team.status("To do").await;
    let (a, b, c) =
        (team.placed("a", &todo).await, team.placed("b", &todo).await, team.placed("c", &todo).await);
    let client = team.deployment.database.connect().await;
    let narrow = format!(
        "update team_cards set rank = 'a0' || repeat('0', 509) || '1' where card_id = '{b}'; \
         update team_cards set rank = 'a1' where card_id = '{c}'"
    );
    client.batch_execute(&narrow).await.unwrap();
    team.place(&c, json!({ "afterCardId": a })).await.expect(200);
    assert_eq!(team.shown("").await, "To do: a c b");
    let longest = "select max(length(rank))::bigint from team_cards";
    assert!(team.deployment.database.count(longest).await < 10);
    let card = team.card("d").await;
    team.place(&card, json!({ "afterCardId": c, "beforeCardId": b })).await.expect(200);
    assert_eq!(team.shown("").await, "To do: a c d b");
}

#[tokio::test]
async fn a_placement_takes_a_linked_projects_card_and_the_teams_own_columns_and_sprints() {
    let makers = Team::open().await;
    let todo = makers.status("To do").await;
    let unlinked = makers.unlinked_project("Box").await;
    let foreign = makers.card_of(&unlinked, json!({ "name": "x" })).await;
    assert_snapshot!(makers.place(&foreign, json!({})).await, @"404 NOT_FOUND");
    assert_snapshot!(makers.place(ABSENT_ID, json!({})).await, @"404 NOT_FOUND");
    let card = makers.card("a").await;
    let team = makers.another_team(json!({ "name": "Other" })).await;
    let other = makers.in_org(&format!("teams/{team}"));
    let post = async |list: &str, field: &str| {
        let body = json!({ "name": "x" });
        makers.caller.post(&format!("{other}/{list}")).json(body).await.expect(201).text(field)
    };
    let (status, sprint) = (post("statuses", "/status/id").await, post("sprints", "/sprint/id").await);
    let place = async |body: Value| makers.place(&card, body).await.to_string();
    assert_snapshot!(place(json!({ "statusId": status })).await, @"400 INVALID_REQUEST body.statusId exists");
    assert_snapshot!(
        place(json!({ "statusId": todo, "sprintId": sprint })).await,
        @"400 INVALID_REQUEST body.sprintId exists"
    );
    assert_snapshot!(place(json!({ "beforeCardId": card })).await, @"400 INVALID_REQUEST body.beforeCardId conflict");
    assert_snapshot!(place(json!({ "closeCard": "yes" })).await, @"400 INVALID_REQUEST body.closeCard type");
    assert_snapshot!(place(json!({ "column": todo })).await, @"400 INVALID_REQUEST body.column unknown");
    assert_eq!(makers.kinds(&card).await, "created");
}

#[tokio::test]
async fn placing_needs_permissions_on_the_board_and_on_the_card() {
    let team = Team::open().await;
    team.status("To do").await;
    let card = team.card("a").await;
    let path = team.at(&format!("cards/{card}"));
    let only_teams = team.alice.key(&["teams:manage", "cards:read"]).await;
    assert_snapshot!(only_teams.put(&path).await, @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:write"}"#);
    let (bob, by_bob) = team.member("bob", "member").await;
    assert_snapshot!(by_bob.put(&path).await, @"404 NOT_FOUND");
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    // First he may change the board but not see the card; then read the card; then write it.
    assert_snapshot!(by_bob.put(&path).await, @"404 NOT_FOUND");
    team.deployment.operator().add_member(&bob, "--project", &team.project, "viewer").await;
    assert_snapshot!(by_bob.put(&path).await, @"403 FORBIDDEN");
    assert_snapshot!(by_bob.delete(&path).await, @"403 FORBIDDEN");
    team.deployment.operator().add_member(&bob, "--project", &team.project, "editor").await;
    by_bob.put(&path).await.expect(200);
    by_bob.delete(&path).await.expect(200);
}

#[tokio::test]
async fn a_move_conflicts_only_with_moves_on_the_same_board_since_the_expected_head() {
    let makers = Team::open().await;
    let (todo, doing) = (makers.status("To do").await, makers.status("Doing").await);
    let card = makers.placed("a", &todo).await;
    let head = makers.read_card(&card).await.text("/historyHeadId");
    makers.change(&card, json!({ "effort": 3 })).await.expect(200);
    let team = makers.another_team(json!({ "name": "Other" })).await;
    let other = makers.in_org(&format!("teams/{team}"));
    makers.caller.put(&format!("{other}/projects/{}", makers.project)).await.expect(200);
    makers.caller.post(&format!("{other}/statuses")).json(json!({ "name": "x" })).await.expect(201);
    makers.caller.put(&format!("{other}/cards/{card}")).await.expect(200);
    // The estimate and the other board changed, not this board.
    makers.place(&card, json!({ "statusId": doing, "expectedHistoryHeadId": head })).await.expect(200);
    let stale = makers.place(&card, json!({ "statusId": todo })).header("if-match", &head).await;
    assert_snapshot!(stale, @r#"
    409 CARD_HISTORY_CONFLICT {
      "assigneeIds": [],
      "conflicts": [{"cardId":"<id 1>","currentHistoryHeadId":"<id 2>","expectedHistoryHeadId":"<id 3>"}],
      "fields": {
        "deadline": null,
        "description": "",
        "effort": 3,
        "fields": {},
        "name": "a",
        "parent_id": null,
        "priority": "none",
        "resolution": "",
        "start_date": null,
        "type": "task"
      },
      "isOpen": true,
      "tagIds": []
    }
    "#);
    let stale = makers.delete(&format!("cards/{card}")).header("if-match", &head).await;
    assert_eq!(stale.code(), "CARD_HISTORY_CONFLICT");
    let index = makers.read_card(&card).await.json()["indexCard"].clone();
    assert_eq!(index["team_ids"].as_array().unwrap().len(), 2);
    assert_eq!(makers.shown("").await, "To do:; Doing: a");
}

#[tokio::test]
async fn columns_close_and_reopen_cards_according_to_their_mode() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let mut table = String::new();
    for state in ["not_started", "started", "closed"] {
        for mode in ["off", "manual", "automatic"] {
            let body =
                json!({ "name": format!("{state} {mode}"), "transitionState": state, "closeMode": mode });
            let column = team.column(body).await;
            for close_card in [false, true] {
                let card = team.placed("x", &todo).await;
                let is_open = async || team.read_card(&card).await.json()["card"]["is_open"].clone();
                team.change(&card, json!({ "resolution": "Done." })).await.expect(200);
                let body = json!({ "statusId": column, "closeCard": close_card });
                team.place(&card, body.clone()).await.expect(200);
                let entered = is_open().await;
                // Again after a manual reopening.
                team.change(&card, json!({ "isOpen": true })).await.expect(200);
                team.place(&card, body).await.expect(200);
                let again = is_open().await;
                team.change(&card, json!({ "isOpen": false })).await.expect(200);
                team.place(&card, json!({ "statusId": todo })).await.expect(200);
                let left = is_open().await;
                assert_eq!(team.read_card(&card).await.json()["card"]["resolution"], "Done.");
                let shown = |open: serde_json::Value| if open == json!(true) { "open" } else { "closed" };
                table.push_str(&format!(
                    "{state} {mode}{}: {}, again {}, a closed one leaves {}\n",
                    if close_card { " closeCard" } else { "" },
                    shown(entered),
                    shown(again),
                    shown(left)
                ));
            }
        }
    }
    assert_snapshot!(table, @"
    not_started off: open, again open, a closed one leaves closed
    not_started off closeCard: open, again open, a closed one leaves closed
    not_started manual: open, again open, a closed one leaves closed
    not_started manual closeCard: open, again open, a closed one leaves closed
    not_started automatic: open, again open, a closed one leaves closed
    not_started automatic closeCard: open, again open, a closed one leaves closed
    started off: open, again open, a closed one leaves closed
    started off closeCard: open, again open, a closed one leaves closed
    started manual: open, again open, a closed one leaves closed
    started manual closeCard: open, again open, a closed one leaves closed
    started automatic: open, again open, a closed one leaves closed
    started automatic closeCard: open, again open, a closed one leaves closed
    closed off: open, again open, a closed one leaves closed
    closed off closeCard: open, again open, a closed one leaves closed
    closed manual: open, again open, a closed one leaves closed
    closed manual closeCard: closed, again closed, a closed one leaves closed
    closed automatic: closed, again open, a closed one leaves open
    closed automatic closeCard: closed, again open, a closed one leaves open
    ");
}

#[tokio::test]
async fn a_closing_move_writes_both_rows_and_the_time() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let done = json!({ "name": "Done", "transitionState": "closed", "closeMode": "automatic" });
    let done = team.column(done).await;
    let also_done = json!({ "name": "Shipped", "transitionState": "closed" });
    let also_done = team.column(also_done).await;
    let card = team.placed("a", &todo).await;
    let closed = team.place(&card, json!({ "statusId": done })).await.expect(200).json();
    assert!(closed["card"]["closed_at"].is_string());
    // Moving to another closed column and off the board keep it closed.
    team.place(&card, json!({ "statusId": also_done })).await.expect(200);
    team.delete(&format!("cards/{card}")).await.expect(200);
    assert_eq!(team.read_card(&card).await.json()["card"]["is_open"], false);
    assert_eq!(team.kinds(&card).await, "created placed moved closed moved removed");
}

#[tokio::test]
async fn a_wip_limit_blocks_or_warns_only_on_entry_to_the_column() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let body = |name: &str, policy: &str, unit: &str| {
        json!({
            "name": name, "wipLimit": 3, "wipPolicy": policy, "wipUnit": unit,
        })
    };
    let blocks = team.column(body("Blocks", "block", "count")).await;
    for name in ["a", "b"] {
        team.placed(name, &blocks).await;
    }
    let last = team.placed("c", &blocks).await;
    let card = team.placed("d", &todo).await;
    assert_snapshot!(
        team.place(&card, json!({ "statusId": blocks })).await,
        @r#"409 WIP_LIMIT_REACHED {"limit":3,"requested":4,"statusId":"<id 1>","unit":"count"}"#
    );
    assert_eq!(team.kinds(&card).await, "created placed");
    let first = team.get("board").await.text("/board/columns/1/cards/0/id");
    team.place(&last, json!({ "beforeCardId": first })).await.expect(200);
    // A lowered limit doesn't remove cards.
    team.patch(&format!("statuses/{blocks}"), json!({ "wipLimit": 1 })).await.expect(200);
    team.place(&last, json!({ "afterCardId": first })).await.expect(200);

    let warns = team.column(body("Warns", "warn", "effort")).await;
    team.change(&card, json!({ "effort": 4 })).await.expect(200);
    let warned = team.place(&card, json!({ "statusId": warns })).await.expect(200);
    assert_snapshot!(
        redacted_lines(&warned.json()["wipWarning"]),
        @r#"{"current":4,"limit":3,"statusId":"<id 1>","unit":"effort"}"#
    );
    let again = team.place(&card, json!({ "statusId": warns })).await.expect(200).json();
    assert!(again["wipWarning"].is_null());
    let board = team.get("board").await.json();
    assert_eq!(board["board"]["columns"][2]["wip_exceeded"], true);
}

#[tokio::test]
async fn deleting_a_card_first_records_its_removal_from_boards() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    let card = team.placed("a", &todo).await;
    team.caller.delete(&team.card_path(&card)).await.expect(200);
    assert_eq!(team.kinds(&card).await, "created placed removed deleted");
    assert_eq!(team.shown("").await, "To do:");
}

#[tokio::test]
async fn several_cards_are_placed_in_the_order_given_or_none_is() {
    let team = Team::open().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    let full = team.column(json!({ "name": "Full", "wipLimit": 1, "wipPolicy": "block" })).await;
    let other = team.linked_project("Box").await;
    let sprint = team.sprint("One").await;
    let mut cards = Vec::new();
    for name in ["a", "b", "c", "d"] {
        cards.push(team.card(name).await);
    }
    let e = team.card_of(&other, json!({ "name": "e" })).await;
    let [a, b, c, d] = cards.as_slice() else { panic!("four cards") };
    let place = |placements: Value| team.put("cards").json(json!({ "placements": placements }));
    let placed = place(json!([
        { "cardId": d, "statusId": todo, "sprintId": sprint }, { "cardId": e, "statusId": todo },
        { "cardId": a, "statusId": todo }, { "cardId": c, "statusId": doing },
    ]));
    let placed = placed.await.expect(200).json();
    assert_eq!(team.shown("").await, "To do: d e a; Doing: c; Full:");
    let shown: Vec<&Value> =
        placed["placements"].as_array().unwrap().iter().map(|one| &one["cardId"]).collect();
    assert_eq!(shown, [d, &e, a, c]);
    assert_eq!(placed["placements"][0]["placement"]["sprint_id"], sprint.as_str());
    assert_eq!(placed["placements"][0]["historyHeadId"], team.read_card(d).await.text("/historyHeadId"));
    // Relative to cards of the same request.
    let moved = json!([
        { "cardId": c, "statusId": todo, "beforeCardId": d }, { "cardId": a, "afterCardId": c, "beforeCardId": d },
    ]);
    place(moved).await.expect(200);
    assert_eq!(team.shown("").await, "To do: c a d e; Doing:; Full:");
    let head = team.read_card(c).await.text("/historyHeadId");
    team.place(c, json!({ "statusId": doing })).await.expect(200);
    for (refused, expected) in [
        (
            json!([{ "cardId": a, "statusId": full }, { "cardId": b, "statusId": full }]),
            "409 WIP_LIMIT_REACHED {\"limit\":1,\"placement\":1,\"requested\":2,\"statusId\":\"<id 1>\",\
             \"unit\":\"count\"}"
                .to_owned(),
        ),
        (
            json!([{ "cardId": a, "statusId": doing }, { "cardId": ABSENT_ID }]),
            "400 INVALID_REQUEST body.placements[1].cardId exists".to_owned(),
        ),
        (
            json!([{ "cardId": a, "statusId": doing }, { "cardId": a }]),
            "400 INVALID_REQUEST body.placements[1].cardId duplicate".to_owned(),
        ),
        (
            json!([{ "cardId": a, "afterCardId": a }]),
            "400 INVALID_REQUEST body.placements[0].afterCardId conflict".to_owned(),
        ),
        (
            json!([{ "cardId": a, "statusId": doing }, { "cardId": b, "statusId": ABSENT_ID }]),
            "400 INVALID_REQUEST body.placements[1].statusId exists".to_owned(),
        ),
        (json!([]), "400 INVALID_REQUEST body.placements minItems".to_owned()),
        (json!([{ "cardId": a, "x": 1 }]), "400 INVALID_REQUEST body.placements[0].x unknown".to_owned()),
    ] {
        assert_eq!(place(refused.clone()).await.to_string(), expected, "{refused}");
    }
    let stale = json!([
        { "cardId": b, "statusId": doing }, { "cardId": c, "statusId": todo, "expectedHistoryHeadId": head },
    ]);
    assert_eq!(place(stale).await.code(), "CARD_HISTORY_CONFLICT");
    assert_eq!(team.shown("").await, "To do: a d e; Doing: c; Full:");
}

#[tokio::test]
async fn a_card_that_was_taken_off_returns_to_its_place_and_sprint() {
    let team = Team::open().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    let (sprint, next) = (team.sprint("One").await, team.sprint("Two").await);
    team.placed("a", &todo).await;
    let b = team.planned("b", 1, &doing, &sprint).await;
    let c = team.placed("c", &doing).await;
    let back = async |body: Value| {
        team.delete(&format!("cards/{b}")).await.expect(200);
        let placed = team.place(&b, body).await.expect(200).json();
        (team.shown("").await, placed["placement"]["sprint_id"].clone())
    };
    let (before, in_sprint) = ("To do: a; Doing: b c", json!(sprint));
    assert_eq!(back(json!({})).await, (before.to_owned(), in_sprint.clone()));
    assert_eq!(back(json!({ "sprintId": next })).await, (before.to_owned(), json!(next)));
    assert_eq!(back(json!({ "afterCardId": c })).await, ("To do: a; Doing: c b".to_owned(), json!(next)));
    // A named column is entered as by any card.
    assert_eq!(back(json!({ "statusId": todo })).await, ("To do: a b; Doing: c".to_owned(), Value::Null));
    // Its rank was taken meanwhile, and then its column deleted.
    team.delete(&format!("cards/{b}")).await.expect(200);
    let client = team.deployment.database.connect().await;
    let take = "update team_cards set rank = (select changes #>> '{team_placement,before,rank}' from card_history \
                where card_id::text = $1 and kind = 'removed' order by sequence desc limit 1) \
                where card_id::text = $2";
    let d = team.placed("d", &todo).await;
    client.execute(take, &[&b, &d]).await.unwrap();
    team.place(&b, json!({})).await.expect(200);
    assert_eq!(team.shown("").await, "To do: a d b; Doing: c");
    team.delete(&format!("cards/{b}")).await.expect(200);
    team.delete(&format!("statuses/{todo}")).json(json!({ "moveCardsTo": doing })).await.expect(200);
    team.place(&b, json!({})).await.expect(200);
    assert_eq!(team.shown("").await, "Doing: c a d b");
}

#[tokio::test]
async fn a_bulk_creates_and_places_cards_and_leaves_none_behind_off_a_full_board() {
    let team = Team::open().await;
    let (todo, doing) = (team.status("To do").await, team.status("Doing").await);
    let full = team.column(json!({ "name": "Full", "wipLimit": 1, "wipPolicy": "block" })).await;
    let at = |status: &str| json!({ "orgId": team.org, "teamId": team.id, "statusId": status });
    let cards = format!("/api/v2/projects/{}/cards", team.project);
    let bulk = |body: Value| team.caller.post(&format!("{cards}/bulk")).json(body);
    let old = team.placed("old", &todo).await;
    let operations = json!([
        { "op": "create", "name": "a", "placement": at(&full) },
        { "op": "create", "name": "b", "placement": at(&full) },
        { "op": "create", "name": "c", "placement": at(&todo) },
        { "op": "place", "cardId": old, "placement": at(&doing) },
    ]);
    let answer = bulk(json!({ "operations": operations })).await.expect(200).json();
    let statuses: Vec<&Value> =
        answer["results"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, [201, 409, 201, 200]);
    assert_eq!(team.shown("").await, "To do: c; Doing: old; Full: a");
    let listed = team.caller.get(&cards).await.expect(200).json();
    assert_eq!(listed["cards"].as_array().unwrap().len(), 3, "b was not created: {listed}");
    let refused = bulk(json!({ "atomic": true, "operations": operations })).await;
    assert_eq!(refused.code(), "WIP_LIMIT_REACHED");
    assert_eq!(team.shown("").await, "To do: c; Doing: old; Full: a");
    let mut absent = at(&todo);
    absent["teamId"] = json!(ABSENT_ID);
    let operations = json!([{ "op": "create", "name": "x", "placement": absent }]);
    let answer = bulk(json!({ "operations": operations })).await.expect(200).json();
    assert_eq!(answer["results"][0]["error"]["code"], "NOT_FOUND");
    let by_cards = team.alice.key(&["cards:write"]).await.post(&format!("{cards}/bulk"));
    let operations = json!([{ "op": "create", "name": "x", "placement": at(&todo) }]);
    assert_eq!(by_cards.json(json!({ "operations": operations })).await.code(), "INSUFFICIENT_SCOPE");
    for (placement, place) in [
        (json!({ "orgId": team.org }), "teamId required"),
        (json!({ "orgId": team.org, "teamId": team.id, "x": 1 }), "x unknown"),
    ] {
        let operations = json!([{ "op": "create", "name": "x", "placement": placement }]);
        let refused = bulk(json!({ "operations": operations })).await;
        let expected = format!("400 INVALID_REQUEST body.operations[0].placement.{place}");
        assert_eq!(refused.to_string(), expected);
    }
}
