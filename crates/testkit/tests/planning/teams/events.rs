//! Change events of teams and projects: every event in order and exactly once, for those who may see it.

use std::collections::BTreeSet;

use serde_json::json;
use testkit::caller::{Base, Caller};
use testkit::deployment::{Deployment, Options};
use testkit::events::{Event, EventStream};
use testkit::random::Random;
use testkit::redis::PrivateRedis;
use testkit::session::create_project;

use crate::teams::support::Team;

const WRITERS: usize = 4;
const CHANGES_OF_WRITER: usize = 12;
const READERS: usize = 3;

impl Team {
    /// The path of the project's events.
    fn project_events(&self) -> String {
        format!("/api/v2/projects/{}/events", self.project)
    }

    /// The kept events of a stream after a number.
    async fn kept(&self, caller: &Caller, path: &str, after: &str) -> Vec<Event> {
        EventStream::open(caller.get(&format!("{path}?follow=false&after={after}"))).await.rest().await
    }
}

/// The types of events.
fn types(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

/// Refuses numbers that don't grow.
fn require_order(events: &[Event]) {
    let numbers: Vec<i64> = events.iter().map(|event| event.json["sequence"].as_i64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
}

#[tokio::test]
async fn each_change_of_a_team_and_its_cards_arrives_in_its_order() {
    let works = Team::open().await;
    let mut stream = EventStream::open(works.get("events")).await;
    let column = works.status("Doing").await;
    works.patch(&format!("statuses/{column}"), json!({ "name": "Now" })).await.expect(200);
    works.patch(&format!("statuses/{column}"), json!({ "name": "Now" })).await.expect(200);
    let sprint = works.sprint("1").await;
    let card = works.card("a").await;
    works.place(&card, json!({ "statusId": column, "sprintId": sprint })).await.expect(200);
    let at_card = format!("/api/v2/projects/{}/cards/{card}", works.project);
    works.caller.patch(&at_card).json(json!({ "name": "b" })).await.expect(200);
    works
        .post(
            &format!("sprints/{sprint}/start"),
            json!({ "startDate": "2026-11-02", "endDate": "2026-11-15" }),
        )
        .await
        .expect(200);
    works.caller.delete(&at_card).await.expect(200);
    works.delete(&format!("projects/{}", works.project)).await.expect(200);
    works.patch("", json!({ "description": "Fast." })).await.expect(200);
    let mut events = stream.until("team.updated").await;
    works.delete("").await.expect(200);
    events.extend(stream.rest().await);
    let expected = [
        "status.created",
        "status.updated",
        "sprint.created",
        "card.placed",
        "card.updated",
        "sprint.started",
        "card.removed",
        "card.deleted",
        "project.unlinked",
        "team.updated",
        "team.deleted",
    ];
    assert_eq!(types(&events), expected);
    require_order(&events);
    let placed = &events[3].json;
    assert_eq!(placed["actor"]["userId"], works.alice.id.as_str());
    assert_eq!(placed["data"]["before"], json!(null));
    assert_eq!(placed["data"]["after"]["status_id"], column.as_str());
    assert_eq!(
        (&placed["data"]["cardId"], &events[4].json["data"]["fields"]),
        (&json!(card), &json!(["name"]))
    );
    works.get("events").await.expect(404);
}

#[tokio::test]
async fn each_change_of_a_project_arrives_in_its_order() {
    let works = Team::open().await;
    let project = create_project(&works.caller, "Own").await;
    let at = |path: &str| format!("/api/v2/projects/{project}/{path}");
    let caller = &works.caller;
    let mut stream = EventStream::open(caller.get(&at("events"))).await;
    let post = async |path: &str, body| caller.post(&at(path)).json(body).await.expect(201);
    post("objects", json!({ "name": "Rim" })).await;
    post("branches/main/commits", json!({ "message": "Add the rim\n\nIt is round." })).await;
    post("branches", json!({ "name": "spare" })).await;
    let tag = post("card-tags", json!({ "name": "ready" })).await.text("/tag/id");
    post("cards", json!({ "name": "a", "tagIds": [tag] })).await;
    let session = post("sessions", json!({})).await.text("/sessionId");
    caller.delete(&at(&format!("sessions/{session}"))).await.expect(200);
    caller.delete(&at("branches/spare")).await.expect(200);
    let whole = format!("/api/v2/projects/{project}");
    caller.patch(&whole).json(json!({ "name": "Mine" })).await.expect(200);
    let mut events = stream.until("project.updated").await;
    caller.delete(&whole).await.expect(200);
    events.extend(stream.rest().await);
    let expected = [
        "objects.changed",
        "commit.created",
        "branch.created",
        "tag.created",
        "card.created",
        "card.tagged",
        "session.created",
        "session.closed",
        "branch.deleted",
        "project.updated",
        "project.deleted",
    ];
    assert_eq!(types(&events), expected);
    require_order(&events);
    assert_eq!(events[1].json["data"]["subject"], "Add the rim");
    assert_eq!(events[9].json["data"]["fields"], json!(["name"]));
}

#[tokio::test]
async fn events_arrive_from_another_replica_and_without_redis() {
    let mut redis = PrivateRedis::start();
    let options = Options { redis_url: redis.url(), control_replicas: 2, ..Options::default() };
    let mut works = Team::on(Deployment::with(options).await).await;
    let other = works.caller.at(&works.deployment.control_urls[1]);
    let path = works.at("events");
    let mut stream = EventStream::open(other.get(&path)).await;
    works.status("One").await;
    assert_eq!(stream.next().await.unwrap().kind, "status.created");
    redis.kill();
    works.status("Two").await;
    let last = stream.next().await.unwrap();
    assert_eq!(last.kind, "status.created");
    works.deployment.control[1].kill();
    assert_eq!(stream.next().await, None);
    works.status("Three").await;
    let mut again = EventStream::open(works.get("events").header("last-event-id", &last.id)).await;
    assert_eq!(again.next().await.unwrap().kind, "status.created");
    redis.restart();
    works.deployment.control[1].restart();
    works.status("Four").await;
    assert_eq!(again.next().await.unwrap().kind, "status.created");
}

#[tokio::test]
async fn an_event_that_commits_late_is_not_overtaken() {
    let works = Team::own().await;
    let path = works.at("events");
    let mut stream = EventStream::open(works.get("events")).await;
    works.status("One").await;
    let one = stream.next().await.unwrap();
    let writer = works.deployment.database.connect().await;
    let insert = format!(
        "begin; insert into change_events (scope_id, sequence, type, data, is_of_cards, occurred_at) \
         values ('{0}', next_change_event_sequence(), 'team.updated', '{{\"teamId\": \"{0}\"}}', false, now())",
        works.team
    );
    writer.batch_execute(&insert).await.unwrap();
    works.status("Two").await;
    assert_eq!(types(&works.kept(&works.caller, &path, &one.id).await), Vec::<&str>::new());
    writer.batch_execute("commit").await.unwrap();
    let events = [stream.next().await.unwrap(), stream.next().await.unwrap()];
    assert_eq!(types(&events), ["team.updated", "status.created"]);
    require_order(&events);
}

#[tokio::test]
async fn readers_who_reconnect_at_random_get_each_event_of_concurrent_writers_once() {
    let works = Team::open().await;
    let (path, column) = (works.at("events"), works.status("Doing").await);
    let mut cards = Vec::new();
    for _ in 0..WRITERS {
        cards.push(works.placed("a", &column).await);
    }
    let first = works.kept(&works.caller, &path, "0").await.last().unwrap().id.clone();
    let read = async |seed: u64| {
        let (mut random, mut last, mut events) = (Random::new(seed), first.clone(), Vec::new());
        while events.len() < WRITERS * CHANGES_OF_WRITER {
            let request = works.caller.get(&path).header("last-event-id", &last);
            let mut stream = EventStream::open(request).await;
            for _ in 0..=random.below(8) {
                if events.len() < WRITERS * CHANGES_OF_WRITER {
                    events.push(stream.next().await.unwrap());
                }
            }
            // What arrived without an event counts, too.
            last = stream.last_id().unwrap().to_owned();
        }
        events
    };
    let write = async |card: &str| {
        for number in 0..CHANGES_OF_WRITER {
            let change = json!({ "name": format!("name {number}") });
            let at = format!("/api/v2/projects/{}/cards/{card}", works.project);
            works.caller.patch(&at).json(change).await.expect(200);
        }
    };
    let readers = futures_util::future::join_all((1..).take(READERS).map(read));
    let writers = futures_util::future::join_all(cards.iter().map(|card| write(card)));
    let (read, _) = futures_util::future::join(readers, writers).await;
    let kept = works.kept(&works.caller, &path, &first).await;
    let history: BTreeSet<String> =
        kept.iter().map(|event| event.json["data"]["historyId"].to_string()).collect();
    assert_eq!((kept.len(), history.len()), (WRITERS * CHANGES_OF_WRITER, WRITERS * CHANGES_OF_WRITER));
    require_order(&kept);
    for events in read {
        assert_eq!(events, kept);
    }
}

#[tokio::test]
async fn a_stream_has_nothing_of_cards_and_boards_that_its_reader_does_not_see() {
    let works = Team::open().await;
    let hidden = works.another_team(json!({ "name": "Hidden", "visibility": "private" })).await;
    let internal = json!({ "visibility": "internal" });
    works.caller.patch(&format!("/api/v2/projects/{}", works.project)).json(internal).await.expect(200);
    let secret = works.linked_project("Secret").await;
    let in_hidden = |path: &str| works.in_org(&format!("teams/{hidden}/{path}"));
    works.caller.put(&in_hidden(&format!("projects/{}", works.project))).await.expect(200);
    let column = works.caller.post(&in_hidden("statuses")).json(json!({ "name": "x" })).await.expect(201);
    let (_, bob) = works.member("bob", "member").await;
    let bob_id = works.deployment.operator().user("carol").await;
    works.deployment.operator().add_member(&bob_id, "--team", &works.team, "member").await;
    let doing = works.status("Doing").await;
    let first = works.kept(&works.caller, &works.at("events"), "0").await.last().unwrap().id.clone();
    let (seen, unseen) =
        (works.card("seen").await, works.card_of(&secret, json!({ "name": "unseen" })).await);
    works.place(&seen, json!({ "statusId": doing })).await.expect(200);
    works.place(&unseen, json!({ "statusId": doing })).await.expect(200);
    let place = json!({ "statusId": column.text("/status/id") });
    works.caller.put(&in_hidden(&format!("cards/{seen}"))).json(place).await.expect(200);
    // Alice sees everything; bob sees neither the private team nor the private project.
    let all = works.kept(&works.caller, &works.project_events(), &first).await;
    assert_eq!(types(&all), ["card.created", "card.placed", "card.placed"]);
    let some = works.kept(&bob, &works.project_events(), &first).await;
    let of_hidden = |events: &[Event]| events.iter().any(|event| event.json.to_string().contains(&hidden));
    assert!(of_hidden(&all) && !of_hidden(&some), "{some:?}");
    let carol = bob_id.key(testkit::seed::MANAGE_WITH_TEAMS).await;
    let board = works.kept(&works.caller, &works.at("events"), &first).await;
    assert_eq!(types(&board), ["card.placed", "card.placed"]);
    let carols = works.kept(&carol, &works.at("events"), &first).await;
    assert!(carols.iter().all(|event| !event.json.to_string().contains(&unseen)), "{carols:?}");
    // A key without the scope of cards sees none of them.
    let narrow = works.alice.key(&["projects:read", "teams:read"]).await;
    assert_eq!(works.kept(&narrow, &works.project_events(), &first).await, Vec::new());
    bob.get(&in_hidden("events")).await.expect(404);
    bob.get(&format!("/api/v2/projects/{secret}/events")).await.expect(404);
}

#[tokio::test]
async fn the_stream_of_a_removed_member_ends_with_the_removal() {
    let environment = vec![("event_check_secs", "3600".to_owned())];
    let works = Team::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let operator = works.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--team", &works.team, "member").await;
    let key = bob.key(testkit::seed::MANAGE_WITH_TEAMS).await;
    works.patch("", json!({ "visibility": "private" })).await.expect(200);
    let mut of_bob = EventStream::open(key.get(&works.at("events"))).await;
    let mut of_alice = EventStream::open(works.get("events")).await;
    works.status("One").await;
    assert_eq!(of_bob.next().await.unwrap().kind, "status.created");
    operator.remove_member(&bob, "--team", &works.team).await;
    assert_eq!(of_bob.next().await, None);
    of_alice.next_of("members.changed").await;
    key.get(&works.at("events")).await.expect(404);
}

#[tokio::test]
async fn a_client_beyond_the_kept_events_gets_one_resync() {
    let works = Team::own().await;
    let path = works.at("events");
    for name in ["One", "Two", "Three"] {
        works.status(name).await;
    }
    let kept = works.kept(&works.caller, &path, "0").await;
    let [.., _, two, three] = kept.as_slice() else { panic!("{kept:?}") };
    let delete = format!(
        "delete from change_events where sequence <= {0}; update change_event_retention set deleted_sequence = {0}",
        two.id
    );
    works.deployment.database.connect().await.batch_execute(&delete).await.unwrap();
    let late = works.kept(&works.caller, &path, "1").await;
    assert_eq!(types(&late), ["resync", "status.created"]);
    assert_eq!((&late[0].id, &late[1].id), (&two.id, &three.id));
    let foreign = works.kept(&works.caller, &path, "999999").await;
    assert_eq!(types(&foreign), ["resync"]);
    assert_eq!(works.kept(&works.caller, &path, &foreign[0].id).await, Vec::new());
    works.get("events?after=-1").await.expect(400);
    let mut fresh = EventStream::open(works.get("events")).await;
    works.status("Four").await;
    let four = fresh.next().await.unwrap();
    assert_eq!(four.kind, "status.created");
    assert_eq!(fresh.last_id(), Some(four.id.as_str()));
}
