//! Concurrent changes of cards.

use futures_util::future::join_all;
use serde_json::json;

use crate::cards::support::Project;
use testkit::caller::Base;

// X17
#[tokio::test]
async fn of_eight_concurrent_deletions_with_one_head_one_succeeds() {
    let project = Project::open().await;
    for _ in 0..5 {
        let card = project.card("x").await;
        let delete = || project.delete(&card.path()).header("if-match", &card.head).into_future();
        let answers = join_all((0..8).map(|_| delete())).await;
        let count = |status| answers.iter().filter(|answer| answer.status == status).count();
        assert_eq!((count(200), count(404)), (1, 7));
    }
}

#[tokio::test]
async fn an_edit_concurrent_to_a_deletion_precedes_it_or_gets_not_found() {
    let project = Project::open().await;
    for round in 0..10 {
        let card = project.card("x").await;
        let edits = (0..4).map(|number| {
            project.patch(&card.path(), json!({ "effort": round * 10 + number + 1 })).into_future()
        });
        let deletion = project.delete(&card.path()).header("if-match", &card.head).into_future();
        let (edits, deletion) = tokio::join!(join_all(edits), deletion);
        assert!(edits.iter().all(|edit| matches!(edit.status, 200 | 404)));
        let edited = edits.iter().filter(|edit| edit.status == 200).count();
        let still_there = project.get(&card.path()).await.status == 200;
        match deletion.status {
            200 => assert!(!still_there && edited == 0),
            409 => assert!(still_there && edited == 4),
            other => panic!("{other}"),
        }
        // Every successful edit is in the history, even of a deleted card.
        let updates = project.history(&card.id).await.iter().filter(|row| row.starts_with("updated")).count();
        assert_eq!(updates, edited);
    }
}

#[tokio::test]
async fn of_concurrent_changes_with_one_head_one_succeeds_for_each_field() {
    let project = Project::open().await;
    let card = project.card("x").await;
    let rename = |number: i32| {
        let body = json!({ "name": format!("name {number}"), "expectedHistoryHeadId": card.head });
        project.patch(&card.path(), body).into_future()
    };
    let answers = join_all((0..8).map(rename)).await;
    let count = |status| answers.iter().filter(|answer| answer.status == status).count();
    assert_eq!((count(200), count(409)), (1, 7));

    let fields = [
        json!({ "effort": 1 }),
        json!({ "description": "d" }),
        json!({ "resolution": "r" }),
        json!({ "isOpen": false }),
    ];
    let change = |body| project.patch(&card.path(), body).header("if-match", &card.head).into_future();
    let answers = join_all(fields.map(change)).await;
    assert!(answers.iter().all(|answer| answer.status == 200));
    let now = project.get(&card.path()).await.json();
    assert_eq!(now["card"]["effort"], 1);
    assert_eq!(now["card"]["resolution"], "r");
    assert_eq!(now["card"]["is_open"], false);
}

#[tokio::test]
async fn tags_are_deleted_during_their_assignment_to_cards() {
    let project = Project::own().await;
    for round in 0..5 {
        let tag = project.tag(&format!("tag {round}")).await;
        let tagged = project.card("x").await;
        project.put(&tagged.at(&format!("tags/{tag}"))).await.expect(200);
        let untagged = project.card("y").await;
        let put = project.put(&untagged.at(&format!("tags/{tag}"))).into_future();
        let create = project.post("cards", json!({ "name": "z", "tagIds": [tag] })).into_future();
        let delete = project.delete(&format!("card-tags/{tag}")).into_future();
        let (put, create, delete) = tokio::join!(put, create, delete);
        delete.expect(200);
        assert!(matches!(put.status, 200 | 404), "{put}");
        assert!(matches!(create.status, 201 | 400), "{create}");
    }
    assert_eq!(project.deployment.database.count("select count(*) from card_tag_links").await, 0);
}

#[tokio::test]
async fn a_project_is_deleted_during_writes_to_its_cards() {
    let gear = Project::own().await;
    let card = gear.card("x").await;
    let writes = (0..8).map(|number| match number % 2 {
        0 => gear.post("cards", json!({ "name": "y" })).into_future(),
        _ => gear.patch(&card.path(), json!({ "effort": number })).into_future(),
    });
    let project = format!("/api/v2/projects/{}", gear.id);
    let deletion = gear.caller.delete(&project).into_future();
    let (writes, deletion) = tokio::join!(join_all(writes), deletion);
    deletion.expect(200);
    assert!(writes.iter().all(|write| matches!(write.status, 200 | 201 | 404)), "{writes:?}");
    assert_eq!(gear.deployment.database.count("select count(*) from card_history").await, 0);
}

#[tokio::test]
async fn a_tag_that_is_removed_and_deleted_at_once_is_removed_once() {
    let project = Project::own().await;
    let (card, tag) = (project.card("x").await, project.tag("bug").await);
    project.put(&card.at(&format!("tags/{tag}"))).await.expect(200);
    let holder = CardLock::of(&project, &card.id).await;
    let untag = tokio::spawn(project.delete(&card.at(&format!("tags/{tag}"))).into_future());
    project.deployment.database.wait_for_blocked(1).await;
    let delete = tokio::spawn(project.delete(&format!("card-tags/{tag}")).into_future());
    project.deployment.database.wait_for_blocked(2).await;
    holder.release().await;
    untag.await.unwrap().expect(200);
    assert_eq!(delete.await.unwrap().expect(200).json()["untaggedCards"], 0);
    let history = project.history(&card.id).await;
    assert_eq!(history.iter().filter(|row| row.starts_with("untagged")).count(), 1, "{history:?}");
}

#[tokio::test]
async fn a_bulk_and_the_deletion_of_its_tag_lock_in_one_order() {
    let project = Project::own().await;
    let (first, second, tag) = (project.card("x").await, project.card("y").await, project.tag("bug").await);
    project.put(&first.at(&format!("tags/{tag}"))).await.expect(200);
    let holder = CardLock::of(&project, &second.id).await;
    let operations = json!([
        { "op": "update", "cardId": first.id, "effort": 1 },
        { "op": "tag", "cardId": second.id, "tagId": tag },
    ]);
    let bulk = tokio::spawn(project.post("cards/bulk", json!({ "operations": operations })).into_future());
    project.deployment.database.wait_for_blocked(1).await;
    let delete = tokio::spawn(project.delete(&format!("card-tags/{tag}")).into_future());
    project.deployment.database.wait_for_blocked(2).await;
    holder.release().await;
    assert_eq!(bulk.await.unwrap().expect(200).json()["applied"], 2);
    assert_eq!(delete.await.unwrap().expect(200).json()["untaggedCards"], 2);
    let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
    assert_eq!(project.deployment.database.count(deadlocks).await, 0);
}

#[tokio::test]
async fn a_change_that_waited_never_moves_a_cards_time_back() {
    let project = Project::own().await;
    let (first, second) = (project.card("x").await, project.card("y").await);
    let holder = CardLock::of(&project, &first.id).await;
    let change = |card: &str| json!({ "op": "update", "cardId": card, "effort": 5 });
    let operations = json!([change(&first.id), change(&second.id)]);
    let bulk = tokio::spawn(project.post("cards/bulk", json!({ "operations": operations })).into_future());
    project.deployment.database.wait_for_blocked(1).await;
    let renamed =
        project.patch(&second.path(), json!({ "name": "z" })).await.expect(200).text("/card/updated_at");
    holder.release().await;
    bulk.await.unwrap().expect(200);
    let after = project.get(&second.path()).await.expect(200);
    assert_eq!((after.json()["card"]["effort"].clone(), after.text("/card/updated_at")), (json!(5), renamed));
}

/// A lock on a card's row that requests wait for.
struct CardLock(tokio_postgres::Client);

impl CardLock {
    async fn of(project: &Project, card: &str) -> Self {
        let client = project.deployment.database.connect().await;
        let hold = format!("begin; select from cards where id = '{card}' for update");
        client.batch_execute(&hold).await.unwrap();
        Self(client)
    }

    async fn release(self) {
        self.0.batch_execute("commit").await.unwrap();
    }
}
