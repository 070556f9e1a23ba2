//! Parents in other projects of the owner, and what those learn who see only one end.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::events::EventStream;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_CARDS};
use testkit::session::create_project;

use crate::cards::far_relations::TwoProjects;
use crate::cards::support::Card;

impl TwoProjects {
    /// Puts a card of the first project below another card, or below none.
    async fn put_below(&self, caller: &Caller, card: &Card, parent: Option<&str>) -> Answer {
        caller.patch(&self.gear.at(&card.path())).json(json!({ "parentId": parent })).await
    }

    /// Puts a card of the second project below another card.
    async fn put_far_below(&self, card: &Card, parent: &Card) -> Answer {
        self.gear.caller.patch(&self.in_axle(&card.path())).json(json!({ "parentId": parent.id })).await
    }

    /// A card of either project as a caller reads it.
    async fn read(&self, caller: &Caller, path: &str) -> Value {
        caller.get(path).await.expect(200).json()
    }

    async fn read_near(&self, caller: &Caller, card: &Card) -> Value {
        self.read(caller, &self.gear.at(&card.path())).await
    }

    async fn read_far(&self, card: &Card) -> Value {
        self.read(&self.gear.caller, &self.in_axle(&card.path())).await
    }

    /// The names of the cards of the first project that pass a filter.
    async fn names(&self, caller: &Caller, query: &str) -> Vec<String> {
        let read = self.read(caller, &self.gear.at(&format!("cards?sort=oldest&{query}"))).await;
        let cards = read["cards"].as_array().unwrap().iter();
        cards.map(|card| card["name"].as_str().unwrap().to_owned()).collect()
    }
}

#[tokio::test]
async fn a_card_is_a_part_of_a_card_of_another_project() {
    let two = TwoProjects::open().await;
    let (caller, near, far) = (&two.gear.caller, two.gear.card("a").await, two.far_card("x").await);
    two.gear.card("b").await;
    two.gear.patch(&near.path(), json!({ "effort": 3 })).await.expect(200);
    let head = two.gear.get(&near.path()).await.expect(200).text("/historyHeadId");
    let changed = two.put_below(caller, &near, Some("AXLE-1")).await.expect(200).json();
    assert_eq!(changed["card"]["parent_id"], json!(far.id));
    assert_eq!(changed["historyHeadId"], json!(head), "no change of the card itself");
    let read = two.read_near(caller, &near).await;
    let parent = json!({ "id": far.id, "isOpen": true, "key": "AXLE-1", "name": "x", "projectId": two.axle });
    assert_eq!((&read["parent"], &read["card"]["parent_id"]), (&parent, &json!(far.id)));
    let above = two.read_far(&far).await;
    assert_eq!(above["children"], json!({ "total": 1, "closed": 0, "effort": 3, "closedEffort": 0 }));
    assert_eq!(two.names(caller, "parent=AXLE-1").await, ["a"]);
    assert_eq!(two.names(caller, "parent=!AXLE-1").await, ["b"]);
    assert_eq!(two.names(caller, "parent=none").await, ["b"]);
    assert_eq!(two.names(caller, "parent=!none").await, ["a"]);
    let found = two.read(caller, &format!("/api/v2/cards?parent={}", far.id)).await;
    assert_eq!(found["indexCards"][0]["parent_id"], json!(far.id));
    assert_eq!(found["cards"].as_array().unwrap().len(), 1);
    let table = caller.get(&two.gear.at("cards.csv")).await.expect(200);
    assert!(String::from_utf8_lossy(&table.body).contains("AXLE-1"), "{table}");
    let history = two.read(caller, &two.gear.at(&near.at("history"))).await;
    let row = &history["history"][2];
    let expected = json!({ "parent": { "after": { "id": far.id, "project_id": two.axle }, "before": null } });
    assert_eq!((&row["kind"], &row["changes"]), (&json!("linked"), &expected));
    // The past has it, too.
    let at = row["occurredAt"].as_str().unwrap().to_owned();
    two.put_below(caller, &near, None).await.expect(200);
    let now = two.read_near(caller, &near).await;
    assert_eq!((&now["parent"], &now["card"]["parent_id"]), (&json!(null), &json!(null)));
    assert_eq!(two.gear.history(&near.id).await.last().unwrap(), "unlinked parent");
    assert_eq!(two.read_far(&far).await["children"]["total"], 0);
    let past = two.read(caller, &two.gear.at(&format!("{}?at={at}", near.path()))).await;
    assert_eq!((&past["parent"], &past["card"]["parent_id"]), (&parent, &json!(far.id)));
    let past = two.read(caller, &two.in_axle(&format!("{}?at={at}", far.path()))).await;
    assert_eq!(past["children"], above["children"]);
}

#[tokio::test]
async fn a_card_is_created_below_a_card_of_another_project_and_changes_to_one_of_its_own() {
    let two = TwoProjects::open().await;
    let (caller, far) = (&two.gear.caller, two.far_card("x").await);
    let made = two.gear.post("cards", json!({ "name": "a", "parentId": "AXLE-1" })).await.expect(201);
    assert_eq!(made.json()["card"]["parent_id"], json!(far.id));
    let (card, own) = (Card::of(&made), two.gear.card("b").await);
    assert_eq!(two.gear.history(&card.id).await, ["created is_open,name", "linked parent"]);
    assert_eq!(two.read_near(caller, &card).await["historyHeadId"], json!(card.head));
    two.put_below(caller, &card, Some(&own.id)).await.expect(200);
    let read = two.read_near(caller, &card).await;
    assert_eq!(read["parent"]["key"], "GEAR-2");
    assert_eq!(two.read_far(&far).await["children"]["total"], 0);
    let rows = two.gear.history(&card.id).await;
    assert_eq!(rows[2..], ["unlinked parent", "updated parent_id"]);
    two.put_below(caller, &card, Some(&far.id)).await.expect(200);
    assert_eq!(two.read_near(caller, &own).await["children"]["total"], 0);
    assert_eq!(two.read_far(&far).await["children"]["total"], 1);
    let operations = json!([
        { "op": "create", "name": "c", "parentId": "AXLE-1" },
        { "op": "create", "name": "d", "parentId": own.id },
        { "op": "update", "cardId": own.id, "parentId": far.id },
    ]);
    let done = two.gear.post("cards/bulk", json!({ "operations": operations })).await.expect(200).json();
    assert_eq!(done["applied"], 3);
    assert_eq!(two.read_far(&far).await["children"]["total"], 4);
}

#[tokio::test]
async fn a_hidden_parent_leaves_no_trace() {
    let two = TwoProjects::open().await;
    let (caller, near, far) = (&two.gear.caller, two.gear.card("a").await, two.far_card("x").await);
    let own = two.gear.card("b").await;
    let (_, bob) = two.gear.member("bob", "editor").await;
    let before = two.sight(&bob, &near).await;
    let mut of_bob = EventStream::open(bob.get(&two.gear.at("events"))).await;
    let mut of_alice = EventStream::open(two.gear.get("events")).await;
    two.put_below(caller, &near, Some(&far.id)).await.expect(200);
    assert_eq!(two.sight(&bob, &near).await, before);
    assert_ne!(two.sight(caller, &near).await, before);
    assert_eq!(two.names(&bob, &format!("parent={}", far.id)).await, [""; 0]);
    assert_eq!(two.names(&bob, "parent=none").await, ["a", "b"]);
    assert_eq!(two.names(&bob, "parent=!none").await, [""; 0]);
    assert_eq!(two.names(&bob, &format!("parent=!{}", far.id)).await, ["a", "b"]);
    two.gear.patch(&own.path(), json!({ "effort": 3 })).await.expect(200);
    assert_eq!(of_bob.next().await.unwrap().kind, "card.updated");
    assert_eq!(of_alice.next().await.unwrap().kind, "card.linked");
    // For bob the card has no parent already, so he ends none.
    two.put_below(&bob, &near, None).await.expect(200);
    assert_eq!(two.read_near(caller, &near).await["parent"]["key"], "AXLE-1");
    // One that he sets takes its place, also if he states the head that he knows.
    let head = two.read_near(&bob, &near).await["historyHeadId"].clone();
    let body = json!({ "parentId": own.id, "expectedHistoryHeadId": head });
    bob.patch(&two.gear.at(&near.path())).json(body).await.expect(200);
    assert_eq!(two.read_near(caller, &near).await["parent"]["key"], "GEAR-2");
    let rows = two.gear.history(&near.id).await;
    assert_eq!(rows, ["created is_open,name", "linked parent", "unlinked parent", "updated parent_id"]);
    let of_bob = two.read(&bob, &two.gear.at(&near.at("history"))).await;
    assert_eq!(of_bob["history"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_card_counts_the_children_that_its_reader_sees() {
    let two = TwoProjects::open().await;
    let (caller, top, far) = (&two.gear.caller, two.gear.card("top").await, two.far_card("x").await);
    let (below, beside) = (two.gear.card("below").await, two.gear.card("beside").await);
    let (_, bob) = two.gear.member("bob", "editor").await;
    two.put_below(&bob, &beside, Some(&top.id)).await.expect(200);
    let before = two.read_near(&bob, &top).await;
    two.put_far_below(&far, &top).await.expect(200);
    two.put_below(caller, &below, Some(&far.id)).await.expect(200);
    assert_eq!(two.read_near(caller, &top).await["children"]["total"], 3);
    // No way leads to the card below, for who doesn't see the one between.
    assert_eq!(two.read_near(&bob, &top).await, before);
    let (carol, by_carol) = two.gear.member("carol", "viewer").await;
    two.gear.deployment.operator().add_member(&carol, "--project", &two.axle, "viewer").await;
    assert_eq!(two.read_near(&by_carol, &top).await["children"]["total"], 3);
}

#[tokio::test]
async fn a_hidden_card_is_no_parent_and_neither_is_one_of_another_owner() {
    let two = TwoProjects::open().await;
    let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
    let (bob, by_bob) = two.gear.member("bob", "editor").await;
    let absent = two.put_below(&by_bob, &near, Some(ABSENT_ID)).await.to_string();
    assert_eq!(absent, "400 INVALID_REQUEST body.parentId exists");
    for name in [far.id.as_str(), "AXLE-1", "AXLE-9"] {
        assert_eq!(two.put_below(&by_bob, &near, Some(name)).await.to_string(), absent, "{name}");
        let made = by_bob.post(&two.gear.at("cards")).json(json!({ "name": "b", "parentId": name })).await;
        assert_eq!(made.to_string(), absent, "{name}");
    }
    // Reading the parent's project suffices: nothing of the parent changes.
    two.gear.deployment.operator().add_member(&bob, "--project", &two.axle, "viewer").await;
    two.put_below(&by_bob, &near, Some("AXLE-1")).await.expect(200);
    let from_there = by_bob.patch(&two.in_axle(&far.path())).json(json!({ "parentId": near.id })).await;
    assert_snapshot!(from_there, @"403 FORBIDDEN");
    let stranger = two.gear.deployment.operator().user("stranger").await.key(MANAGE_WITH_CARDS).await;
    let theirs = create_project(&stranger, "Theirs").await;
    let made = stranger.post(&format!("/api/v2/projects/{theirs}/cards")).json(json!({ "name": "y" }));
    let theirs_card = Card::of(&made.await.expect(201));
    let public =
        stranger.patch(&format!("/api/v2/projects/{theirs}")).json(json!({ "visibility": "public" }));
    public.await.expect(200);
    assert_eq!(two.put_below(&two.gear.caller, &near, Some(&theirs_card.id)).await.to_string(), absent);
}

#[tokio::test]
async fn over_projects_there_are_no_cycles_and_at_most_eight_levels() {
    let two = TwoProjects::open().await;
    let caller = &two.gear.caller;
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for level in 1..=4 {
        near.push(two.gear.card(&format!("near {level}")).await);
        far.push(two.far_card(&format!("far {level}")).await);
        two.put_far_below(far.last().unwrap(), near.last().unwrap()).await.expect(200);
        if let [.., above, _] = far.as_slice() {
            two.put_below(caller, near.last().unwrap(), Some(&above.id)).await.expect(200);
        }
    }
    assert_eq!(two.read_near(caller, &near[0]).await["children"]["total"], 7);
    let ninth = json!({ "name": "9", "parentId": far[3].id });
    assert_snapshot!(two.gear.post("cards", ninth).await, @"400 INVALID_REQUEST body.parentId maxDepth");
    for lower in [&far[0], &near[2], &far[3]] {
        let refused = two.put_below(caller, &near[0], Some(&lower.id)).await;
        assert_eq!(refused.to_string(), "400 INVALID_REQUEST body.parentId cycle");
    }
    let top = two.far_card("top").await;
    let refused = two.put_below(caller, &near[0], Some(&top.id)).await;
    assert_snapshot!(refused, @"400 INVALID_REQUEST body.parentId maxDepth");
}

#[tokio::test]
async fn two_people_who_put_cards_of_two_projects_below_each_other_make_no_cycle() {
    let two = TwoProjects::open().await;
    for _ in 0..6 {
        let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
        let below = two.put_below(&two.gear.caller, &near, Some(&far.id));
        let (first, second) = join(below, two.put_far_below(&far, &near)).await;
        let mut statuses = [first.status, second.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 400], "{first} {second}");
    }
}

#[tokio::test]
async fn two_changes_within_two_projects_make_no_cycle_together() {
    let two = TwoProjects::open().await;
    for _ in 0..6 {
        let (one, other) = (two.gear.card("a").await, two.gear.card("b").await);
        let (far_one, far_other) = (two.far_card("x").await, two.far_card("y").await);
        two.put_far_below(&far_one, &one).await.expect(200);
        two.put_below(&two.gear.caller, &other, Some(&far_other.id)).await.expect(200);
        // Neither makes a cycle alone.
        let near = two.put_below(&two.gear.caller, &one, Some(&other.id));
        let (near, far) = join(near, two.put_far_below(&far_other, &far_one)).await;
        let mut statuses = [near.status, far.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 400], "{near} {far}");
    }
}

#[tokio::test]
async fn a_far_parent_is_deleted_or_gets_a_child_but_not_both() {
    let two = TwoProjects::open().await;
    for _ in 0..6 {
        let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
        let below = two.put_below(&two.gear.caller, &near, Some(&far.id));
        let deleted = two.gear.caller.delete(&two.in_axle(&far.path())).into_future();
        let (below, deleted) = join(below, deleted).await;
        deleted.expect(200);
        assert!([200, 400].contains(&below.status), "{below}");
        assert_eq!(two.read_near(&two.gear.caller, &near).await["card"]["parent_id"], json!(null));
        let rows = two.gear.history(&near.id).await;
        let expected = if below.status == 200 { "unlinked parent" } else { "created is_open,name" };
        assert_eq!(rows.last().unwrap(), expected);
    }
}

#[tokio::test]
async fn a_deleted_project_leaves_its_children_without_a_trace_of_it() {
    let two = TwoProjects::open().await;
    let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
    let before = two.sight(&two.gear.caller, &near).await;
    two.put_below(&two.gear.caller, &near, Some(&far.id)).await.expect(200);
    two.gear.caller.delete(&format!("/api/v2/projects/{}", two.axle)).await.expect(200);
    assert_eq!(two.sight(&two.gear.caller, &near).await, before);
}

#[tokio::test]
async fn a_transferred_project_loses_its_parents_and_children_in_others() {
    let two = TwoProjects::open().await;
    let (caller, near, far) = (&two.gear.caller, two.gear.card("a").await, two.far_card("x").await);
    let (top, below) = (two.gear.card("top").await, two.far_card("below").await);
    let within = two.far_card("within").await;
    two.put_below(caller, &near, Some(&far.id)).await.expect(200);
    two.put_far_below(&below, &top).await.expect(200);
    two.put_far_below(&within, &far).await.expect(200);
    let works = two.gear.deployment.operator().organization("works", &two.gear.alice).await;
    let browser = two.gear.alice.browser().await;
    let transfer = format!("/api/v2/projects/{}/transfer", two.axle);
    browser.post(&transfer).json(json!({ "ownerId": works })).await.expect(200);
    assert_eq!(two.read_near(caller, &near).await["card"]["parent_id"], json!(null));
    assert_eq!(two.gear.history(&near.id).await.last().unwrap(), "unlinked parent");
    assert_eq!(two.read_near(caller, &top).await["children"]["total"], 0);
    assert_eq!(two.read_far(&below).await["parent"], json!(null));
    let rows = two.read(caller, &two.in_axle(&below.at("history"))).await;
    let kinds: Vec<&Value> = rows["history"].as_array().unwrap().iter().map(|row| &row["kind"]).collect();
    assert_eq!(kinds, ["created", "linked", "unlinked"]);
    assert_eq!(two.read_far(&far).await["children"]["total"], 1, "its own child stays");
    let refused = two.put_below(caller, &near, Some(&far.id)).await;
    assert_snapshot!(refused, @"400 INVALID_REQUEST body.parentId exists");
}

#[tokio::test]
async fn a_card_gets_a_parent_before_the_transfer_of_its_project_or_none() {
    for round in 0..4 {
        let two = TwoProjects::open().await;
        let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
        let works = format!("works-{round}");
        let works = two.gear.deployment.operator().organization(&works, &two.gear.alice).await;
        let browser = two.gear.alice.browser().await;
        let transfer = browser.post(&format!("/api/v2/projects/{}/transfer", two.axle));
        let transfer = transfer.json(json!({ "ownerId": works })).into_future();
        let (below, transferred) =
            join(two.put_below(&two.gear.caller, &near, Some(&far.id)), transfer).await;
        transferred.expect(200);
        assert!([200, 400].contains(&below.status), "{below}");
        assert_eq!(two.read_near(&two.gear.caller, &near).await["card"]["parent_id"], json!(null));
    }
}
