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
    let team = Team::open().await;
    let mut stream = EventStream::open(team.get("events")).await;
    let column = team.status("Doing").await;
    team.patch(&format!("statuses/{column}"), json!({ "name": "Now" })).await.expect(200);
    team.patch(&format!("statuses/{column}"), json!({ "name": "Now" })).await.expect(200);
    let sprint = team.sprint("1").await;
    let card = team.card("a").await;
    team.place(&card, json!({ "statusId": column, "sprintId": sprint })).await.expect(200);
    let at_card = format!("/api/v2/projects/{}/cards/{card}", team.project);
    team.caller.patch(&at_card).json(json!({ "name": "b" })).await.expect(200);
    team.post(
        &format!("sprints/{sprint}/start"),
        json!({ "startDate": "2026-11-02", "endDate": "2026-11-15" }),
    )
    .await
    .expect(200);
    team.caller.delete(&at_card).await.expect(200);
    team.delete(&format!("projects/{}", team.project)).await.expect(200);
    team.patch("", json!({ "description": "Fast." })).await.expect(200);
    let mut events = stream.until("team.updated").await;
    team.delete("").await.expect(200);
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
    assert_eq!(placed["actor"]["userId"], team.alice.id.as_str());
    assert_eq!(placed["data"]["before"], json!(null));
    assert_eq!(placed["data"]["after"]["status_id"], column.as_str());
    assert_eq!(
        (&placed["data"]["cardId"], &events[4].json["data"]["fields"]),
        (&json!(card), &json!(["name"]))
    );
    team.get("events").await.expect(404);
}

#[tokio::test]
async fn each_change_of_a_project_arrives_in_its_order() {
    let team = Team::open().await;
    let project = create_project(&team.caller, "Own").await;
    let at = |path: &str| format!("/api/v2/projects/{project}/{path}");
    let caller = &team.caller;
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
    let mut team = Team::on(Deployment::with(options).await).await;
    let other = team.caller.at(&team.deployment.control_urls[1]);
    let path = team.at("events");
    let mut stream = EventStream::open(other.get(&path)).await;
    team.status("One").await;
    assert_eq!(stream.next().await.unwrap().kind, "status.created");
    redis.kill();
    team.status("Two").await;
    let last = stream.next().await.unwrap();
    assert_eq!(last.kind, "status.created");
    team.deployment.control[1].kill();
    assert_eq!(stream.next().await, None);
    team.status("Three").await;
    let mut again = EventStream::open(team.get("events").header("last-event-id", &last.id)).await;
    assert_eq!(again.next().await.unwrap().kind, "status.created");
    redis.restart();
    team.deployment.control[1].restart();
    team.status("Four").await;
    assert_eq!(again.next().await.unwrap().kind, "status.created");
}

#[tokio::test]
async fn an_event_that_commits_late_is_not_overtaken() {
    let team = Team::own().await;
    let path = team.at("events");
    let mut stream = EventStream::open(team.get("events")).await;
    team.status("One").await;
    let one = stream.next().await.unwrap();
    let writer = team.deployment.database.connect().await;
    let insert = format!(
        "begin; insert into change_events (scope_id, sequence, type, data, is_of_cards, occurred_at) \
         values ('{0}', next_change_event_sequence(), 'team.updated', '{{\"teamId\": \"{0}\"}}', false, now())",
        team.id
    );
    writer.batch_execute(&insert).await.unwrap();
    team.status("Two").await;
    assert_eq!(types(&team.kept(&team.caller, &path, &one.id).await), Vec::<&str>::new());
    writer.batch_execute("commit").await.unwrap();
    let events = [stream.next().await.unwrap(), stream.next().await.unwrap()];
    assert_eq!(types(&events), ["team.updated", "status.created"]);
    require_order(&events);
}

#[tokio::test]
async fn a_stream_ends_with_the_deletion_also_if_a_check_finds_it_first() {
    let team = Team::own().await;
    let project = create_project(&team.caller, "Own").await;
    let at = format!("/api/v2/projects/{project}");
    let mut of_project = EventStream::open(team.caller.get(&format!("{at}/events"))).await;
    let mut of_team = EventStream::open(team.get("events")).await;
    // The horizon stands still, so the processes don't read what follows.
    let writer = team.deployment.database.connect().await;
    let insert = format!(
        "begin; insert into change_events (scope_id, sequence, type, data, is_of_cards, occurred_at) \
         values ('{}', next_change_event_sequence(), 'team.updated', '{{}}', false, now())",
        uuid::Uuid::new_v4()
    );
    writer.batch_execute(&insert).await.unwrap();
    team.caller.post(&format!("{at}/objects")).json(json!({ "name": "Rim" })).await.expect(201);
    team.caller.delete(&at).await.expect(200);
    assert_eq!(types(&of_project.rest().await), ["objects.changed", "project.deleted"]);
    team.delete("").await.expect(200);
    assert_eq!(types(&of_team.rest().await), ["team.deleted"]);
    writer.batch_execute("rollback").await.unwrap();
}

#[tokio::test]
async fn readers_who_reconnect_at_random_get_each_event_of_concurrent_writers_once() {
    let team = Team::open().await;
    let (path, column) = (team.at("events"), team.status("Doing").await);
    let mut cards = Vec::new();
    for _ in 0..WRITERS {
        cards.push(team.placed("a", &column).await);
    }
    let first = team.kept(&team.caller, &path, "0").await.last().unwrap().id.clone();
    let read = async |seed: u64| {
        let (mut random, mut last, mut events) = (Random::new(seed), first.clone(), Vec::new());
        while events.len() < WRITERS * CHANGES_OF_WRITER {
            let request = team.caller.get(&path).header("last-event-id", &last);
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
            let at = format!("/api/v2/projects/{}/cards/{card}", team.project);
            team.caller.patch(&at).json(change).await.expect(200);
        }
    };
    let readers = futures_util::future::join_all((1..).take(READERS).map(read));
    let writers = futures_util::future::join_all(cards.iter().map(|card| write(card)));
    let (read, _) = futures_util::future::join(readers, writers).await;
    let kept = team.kept(&team.caller, &path, &first).await;
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
    let team = Team::open().await;
    let hidden = team.another_team(json!({ "name": "Hidden", "visibility": "private" })).await;
    let internal = json!({ "visibility": "internal" });
    team.caller.patch(&format!("/api/v2/projects/{}", team.project)).json(internal).await.expect(200);
    let secret = team.linked_project("Secret").await;
    let in_hidden = |path: &str| team.in_org(&format!("teams/{hidden}/{path}"));
    team.caller.put(&in_hidden(&format!("projects/{}", team.project))).await.expect(200);
    let column = team.caller.post(&in_hidden("statuses")).json(json!({ "name": "x" })).await.expect(201);
    let (_, bob) = team.member("bob", "member").await;
    let bob_id = team.deployment.operator().user("carol").await;
    team.deployment.operator().add_member(&bob_id, "--team", &team.id, "member").await;
    let doing = team.status("Doing").await;
    let first = team.kept(&team.caller, &team.at("events"), "0").await.last().unwrap().id.clone();
    let (seen, unseen) = (team.card("seen").await, team.card_of(&secret, json!({ "name": "unseen" })).await);
    team.place(&seen, json!({ "statusId": doing })).await.expect(200);
    team.place(&unseen, json!({ "statusId": doing })).await.expect(200);
    let place = json!({ "statusId": column.text("/status/id") });
    team.caller.put(&in_hidden(&format!("cards/{seen}"))).json(place).await.expect(200);
    // Alice sees everything; bob sees neither the private team nor the private project.
    let all = team.kept(&team.caller, &team.project_events(), &first).await;
    assert_eq!(types(&all), ["card.created", "card.placed", "card.placed"]);
    let some = team.kept(&bob, &team.project_events(), &first).await;
    let of_hidden = |events: &[Event]| events.iter().any(|event| event.json.to_string().contains(&hidden));
    assert!(of_hidden(&all) && !of_hidden(&some), "{some:?}");
    let carol = bob_id.key(testkit::seed::MANAGE_WITH_TEAMS).await;
    let board = team.kept(&team.caller, &team.at("events"), &first).await;
    assert_eq!(types(&board), ["card.placed", "card.placed"]);
    let carols = team.kept(&carol, &team.at("events"), &first).await;
    assert!(carols.iter().all(|event| !event.json.to_string().contains(&unseen)), "{carols:?}");
    // A key without the scope of cards sees none of them.
    let narrow = team.alice.key(&["projects:read", "teams:read"]).await;
    assert_eq!(team.kept(&narrow, &team.project_events(), &first).await, Vec::new());
    bob.get(&in_hidden("events")).await.expect(404);
    bob.get(&format!("/api/v2/projects/{secret}/events")).await.expect(404);
}

#[tokio::test]
async fn the_stream_of_a_removed_member_ends_with_the_removal() {
    let environment = vec![("event_check_secs", "3600".to_owned())];
    let team = Team::on(Deployment::with(Options { environment, ..Options::default() }).await).await;
    let operator = team.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--team", &team.id, "member").await;
    let key = bob.key(testkit::seed::MANAGE_WITH_TEAMS).await;
    team.patch("", json!({ "visibility": "private" })).await.expect(200);
    let mut of_bob = EventStream::open(key.get(&team.at("events"))).await;
    let mut of_alice = EventStream::open(team.get("events")).await;
    team.status("One").await;
    assert_eq!(of_bob.next().await.unwrap().kind, "status.created");
    operator.remove_member(&bob, "--team", &team.id).await;
    assert_eq!(of_bob.next().await, None);
    of_alice.next_of("members.changed").await;
    key.get(&team.at("events")).await.expect(404);
}

#[tokio::test]
async fn a_client_beyond_the_kept_events_gets_one_resync() {
    let team = Team::own().await;
    let path = team.at("events");
    for name in ["One", "Two", "Three"] {
        team.status(name).await;
    }
    let kept = team.kept(&team.caller, &path, "0").await;
    let [.., _, two, three] = kept.as_slice() else { panic!("{kept:?}") };
    let delete = format!(
        "delete from change_events where sequence <= {0}; update change_event_retention set deleted_sequence = {0}",
        two.id
    );
    team.deployment.database.connect().await.batch_execute(&delete).await.unwrap();
    let late = team.kept(&team.caller, &path, "1").await;
    assert_eq!(types(&late), ["resync", "status.created"]);
    assert_eq!((&late[0].id, &late[1].id), (&two.id, &three.id));
    let foreign = team.kept(&team.caller, &path, "999999").await;
    assert_eq!(types(&foreign), ["resync"]);
    assert_eq!(team.kept(&team.caller, &path, &foreign[0].id).await, Vec::new());
    team.get("events?after=-1").await.expect(400);
    let mut fresh = EventStream::open(team.get("events")).await;
    team.status("Four").await;
    let four = fresh.next().await.unwrap();
    assert_eq!(four.kind, "status.created");
    assert_eq!(fresh.last_id(), Some(four.id.as_str()));
}
