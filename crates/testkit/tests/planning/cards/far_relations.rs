//! Relations to cards of other projects of the owner, and what those learn who see only one end.

use futures_util::future::join;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::events::EventStream;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_CARDS};
use testkit::session::create_project;

use crate::cards::support::{Card, Project};

/// Two projects of one owner, the second of which others don't see.
pub struct TwoProjects {
    /// The first one.
    pub gear: Project,
    /// The id of the second one.
    pub axle: String,
}

impl TwoProjects {
    /// Two projects of alice, without cards.
    pub async fn open() -> Self {
        let gear = Project::open().await;
        let axle = create_project(&gear.caller, "Axle").await;
        Self { gear, axle }
    }

    /// A path of the second project.
    pub fn in_axle(&self, path: &str) -> String {
        format!("/api/v2/projects/{}/{path}", self.axle)
    }

    /// Creates a card of the second project.
    pub async fn far_card(&self, name: &str) -> Card {
        let made = self.gear.caller.post(&self.in_axle("cards")).json(json!({ "name": name }));
        Card::of(&made.await.expect(201))
    }

    async fn relate(&self, caller: &Caller, card: &Card, kind: &str, other: &str) -> Answer {
        let path = self.gear.at(&card.at(&format!("relations/{other}")));
        caller.put(&path).json(json!({ "kind": kind })).await
    }

    /// The answers to a caller about a card of the first project: relations, histories, lists by `blocked`, the card,
    /// its tag.
    pub async fn sight(&self, caller: &Caller, card: &Card) -> Vec<Value> {
        self.gear.deployment.database.wait_for_feeds().await;
        let mut read = Vec::new();
        let paths = [
            card.at("relations"),
            card.at("history"),
            "history".to_owned(),
            "cards?blocked=true".to_owned(),
            "cards?blocked=false".to_owned(),
        ];
        for path in paths {
            let answer = caller.get(&self.gear.at(&path)).await.expect(200);
            let json = answer.json();
            // A page of a history also has a cursor, which counts the rows of all projects.
            let rows = ["relations", "history", "cards"].iter().filter_map(|list| json.get(list).cloned());
            read.extend(rows);
        }
        let card = caller.get(&self.gear.at(&card.path())).await.expect(200);
        read.extend([card.json(), json!(card.header("etag"))]);
        read
    }
}

#[tokio::test]
async fn cards_of_two_projects_of_an_owner_are_related_by_their_keys() {
    let two = TwoProjects::open().await;
    let (caller, near, far) = (&two.gear.caller, two.gear.card("a").await, two.far_card("x").await);
    two.relate(caller, &near, "blocks", "AXLE-1").await.expect(200);
    two.relate(caller, &near, "blocks", &far.id).await.expect(200);
    let relations = two.gear.get(&near.at("relations")).await.expect(200).json();
    assert_eq!(relations["relations"].as_array().unwrap().len(), 1);
    assert_eq!(relations["relations"][0]["card"]["key"], "AXLE-1");
    assert_eq!(relations["relations"][0]["card"]["projectId"], json!(two.axle));
    let read = caller.get(&two.in_axle(&far.path())).await.expect(200).json();
    assert_eq!(read["relations"][0]["direction"], "inward");
    assert_eq!(read["relations"][0]["card"]["key"], "GEAR-1");
    let blocked = caller.get(&two.in_axle("cards?blocked=true")).await.expect(200).json();
    assert_eq!(blocked["cards"][0]["id"], json!(far.id));
    let history = caller.get(&two.in_axle(&far.at("history"))).await.expect(200).json();
    let row = &history["history"][1]["changes"]["relation"]["after"];
    assert_eq!(
        *row,
        json!({ "direction": "inward", "id": near.id, "kind": "blocks", "project_id": two.gear.id })
    );
    // A card is blocked while the other is open, and from either end the relation ends.
    two.gear.patch(&near.path(), json!({ "isOpen": false })).await.expect(200);
    let blocked = caller.get(&two.in_axle("cards?blocked=true")).await.expect(200).json();
    assert_eq!(blocked["cards"], json!([]));
    caller.delete(&two.in_axle(&far.at("relations/GEAR-1"))).await.expect(200);
    assert_eq!(two.gear.history(&near.id).await.last().unwrap(), "unlinked relation");
}

#[tokio::test]
async fn a_card_blocked_by_a_hidden_card_shows_no_trace_of_it() {
    let two = TwoProjects::open().await;
    let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
    let (_, bob) = two.gear.member("bob", "editor").await;
    let before = two.sight(&bob, &near).await;
    let events = two.gear.at("events");
    let mut of_bob = EventStream::open(bob.get(&events)).await;
    let mut of_alice = EventStream::open(two.gear.get("events")).await;
    let path = two.in_axle(&far.at(&format!("relations/{}", near.id)));
    two.gear.caller.put(&path).json(json!({ "kind": "blocks" })).await.expect(200);
    assert_eq!(two.sight(&bob, &near).await, before);
    let seen = two.sight(&two.gear.caller, &near).await;
    assert_ne!(seen, before);
    assert_eq!(seen[3][0]["name"], "a");
    // The next event that bob gets is that of another change; the owner gets both.
    two.gear.patch(&near.path(), json!({ "effort": 3 })).await.expect(200);
    assert_eq!(of_bob.next().await.unwrap().kind, "card.updated");
    assert_eq!(of_alice.next().await.unwrap().kind, "card.linked");
    assert_eq!(of_alice.next().await.unwrap().kind, "card.updated");
    // With a role on the other project he sees all of it, from the beginning.
    let operator = two.gear.deployment.operator();
    let (carol, by_carol) = two.gear.member("carol", "editor").await;
    operator.add_member(&carol, "--project", &two.axle, "viewer").await;
    assert_eq!(two.sight(&by_carol, &near).await, two.sight(&two.gear.caller, &near).await);
}

#[tokio::test]
async fn a_hidden_card_is_refused_as_one_that_does_not_exist() {
    let two = TwoProjects::open().await;
    let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
    let (bob, by_bob) = two.gear.member("bob", "editor").await;
    let absent = two.relate(&by_bob, &near, "blocks", ABSENT_ID).await.to_string();
    for name in [far.id.as_str(), "AXLE-1", "AXLE-9"] {
        assert_eq!(two.relate(&by_bob, &near, "blocks", name).await.to_string(), absent, "{name}");
    }
    two.relate(&two.gear.caller, &near, "blocks", &far.id).await.expect(200);
    let path = two.gear.at(&near.at(&format!("relations/{}", far.id)));
    assert_snapshot!(by_bob.delete(&path).await, @"404 NOT_FOUND");
    // A reader of the other project may relate to its cards, but not change the relation from there.
    two.gear.deployment.operator().add_member(&bob, "--project", &two.axle, "viewer").await;
    let from_there = two.in_axle(&far.at(&format!("relations/{}", near.id)));
    assert_snapshot!(by_bob.delete(&from_there).await, @"403 FORBIDDEN");
    by_bob.delete(&path).await.expect(200);
    two.relate(&by_bob, &near, "relates", "AXLE-1").await.expect(200);
    // A project of another owner is out of reach, also for who reads both.
    let stranger = two.gear.deployment.operator().user("stranger").await.key(MANAGE_WITH_CARDS).await;
    let theirs = create_project(&stranger, "Theirs").await;
    let made = stranger.post(&format!("/api/v2/projects/{theirs}/cards")).json(json!({ "name": "y" }));
    let theirs_card = Card::of(&made.await.expect(201));
    stranger
        .patch(&format!("/api/v2/projects/{theirs}"))
        .json(json!({ "visibility": "public" }))
        .await
        .expect(200);
    let refused = two.relate(&two.gear.caller, &near, "blocks", &theirs_card.id).await;
    assert_snapshot!(refused, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_deletion_ends_relations_to_cards_that_its_author_does_not_see() {
    let two = TwoProjects::open().await;
    let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
    two.relate(&two.gear.caller, &near, "blocks", &far.id).await.expect(200);
    let (_, bob) = two.gear.member("bob", "manager").await;
    let head = bob.get(&two.gear.at(&near.path())).await.expect(200).text("/historyHeadId");
    bob.delete(&two.gear.at(&near.path())).header("if-match", &format!("\"{head}\"")).await.expect(200);
    let read = two.gear.caller.get(&two.in_axle(&far.path())).await.expect(200).json();
    assert_eq!(read["relations"], json!([]));
    let history = two.gear.caller.get(&two.in_axle(&far.at("history"))).await.expect(200).json();
    let kinds: Vec<&Value> = history["history"].as_array().unwrap().iter().map(|row| &row["kind"]).collect();
    assert_eq!(kinds, ["created", "linked", "unlinked"]);
}

#[tokio::test]
async fn a_deleted_project_takes_its_relations_and_all_that_tells_of_them() {
    let two = TwoProjects::open().await;
    let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
    let before = two.sight(&two.gear.caller, &near).await;
    let path = two.in_axle(&far.at(&format!("relations/{}", near.id)));
    two.gear.caller.put(&path).json(json!({ "kind": "blocks" })).await.expect(200);
    two.gear.caller.delete(&format!("/api/v2/projects/{}", two.axle)).await.expect(200);
    assert_eq!(two.sight(&two.gear.caller, &near).await, before);
}

#[tokio::test]
async fn two_requests_from_both_projects_relate_two_cards_once() {
    let two = TwoProjects::open().await;
    for _ in 0..5 {
        let (near, far) = (two.gear.card("a").await, two.far_card("x").await);
        let from_far = two.in_axle(&far.at(&format!("relations/{}", near.id)));
        let from_far = two.gear.caller.put(&from_far).json(json!({ "kind": "relates" }));
        let (one, other) =
            join(two.relate(&two.gear.caller, &near, "relates", &far.id), from_far.into_future()).await;
        one.expect(200);
        other.expect(200);
        assert_eq!(two.gear.history(&near.id).await, ["created is_open,name", "linked relation"]);
    }
}
