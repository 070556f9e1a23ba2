//! Boards of a private team on a card, for callers who don't see the team.

use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::seed::MANAGE_WITH_TEAMS;

use crate::support::Works;

/// A public project with a card in a sprint on the board of a private team.
struct PrivateBoard {
    works: Works,
    project: String,
    card: String,
}

impl PrivateBoard {
    async fn open() -> Self {
        let works = Works::open().await;
        let project = works.linked_project("Open").await;
        let public = json!({ "visibility": "public" });
        works.caller.patch(&format!("/api/v2/projects/{project}")).json(public).await.expect(200);
        let (column, sprint) = (works.status("Secret column").await, works.sprint("1").await);
        let card = works.card_of(&project, json!({ "name": "a" })).await;
        works.place(&card, json!({ "statusId": column, "sprintId": sprint })).await.expect(200);
        Self { works, project, card }
    }

    fn at(&self, path: &str) -> String {
        format!("/api/v2/projects/{}/{path}", self.project)
    }

    /// Everything about boards in the card, the list of cards, the card's history and the project's history.
    async fn visible_boards(&self, caller: &Caller) -> Vec<Value> {
        let card = caller.get(&self.at(&format!("cards/{}", self.card))).await.expect(200).json();
        let mut learnt = boards(&card["indexCard"]);
        let listed = caller.get(&self.at("cards")).await.expect(200).json();
        assert_eq!(listed["indexCards"], json!([card["indexCard"]]));
        for path in [format!("cards/{}/history", self.card), "history".to_owned()] {
            let history = caller.get(&self.at(&path)).await.expect(200).json();
            let rows = history["history"].as_array().unwrap();
            assert_eq!(rows.iter().filter(|row| row["kind"] == "placed").count(), 1);
            learnt.extend(rows.iter().filter_map(|row| row["changes"].get("team_placement").cloned()));
        }
        learnt
    }
}

/// The boards in an index card.
fn boards(index: &Value) -> Vec<Value> {
    let fields = ["team_ids", "team_status_ids", "sprint_ids", "team_statuses", "team_placements"];
    fields.iter().flat_map(|field| index[field].as_array().unwrap().clone()).collect()
}

#[tokio::test]
async fn a_card_hides_a_private_team_from_readers_of_its_project() {
    let shown = PrivateBoard::open().await;
    let stranger = shown.works.api.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let (_, member) = shown.works.member("member", "member").await;
    assert_eq!(shown.visible_boards(&shown.works.caller).await.len(), 7);
    assert_eq!(shown.visible_boards(&stranger).await, Vec::<Value>::new());
    assert_eq!(shown.visible_boards(&member).await, Vec::<Value>::new());
    shown.works.patch("", json!({ "visibility": "internal" })).await.expect(200);
    assert_eq!(shown.visible_boards(&member).await.len(), 7);
    assert_eq!(shown.visible_boards(&stranger).await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_change_of_a_card_does_not_reveal_a_private_team() {
    let shown = PrivateBoard::open().await;
    let (bob, by_bob) = shown.works.member("bob", "guest").await;
    shown.works.api.operator().add_member(&bob, "--project", &shown.project, "manager").await;
    let card = format!("cards/{}", shown.card);
    let tag =
        by_bob.post(&shown.at("card-tags")).json(json!({ "name": "t" })).await.expect(201).text("/tag/id");
    let name = json!({ "name": "b" });
    for request in [
        by_bob.patch(&shown.at(&card)).json(name),
        by_bob.put(&shown.at(&format!("{card}/tags/{tag}"))),
        by_bob.put(&shown.at(&format!("{card}/assignees/{}", bob.id))),
    ] {
        let changed = request.await.expect(200).json();
        assert_eq!(boards(&changed["indexCard"]), Vec::<Value>::new(), "{changed}");
    }
    // The placement is unchanged.
    assert_eq!(shown.visible_boards(&shown.works.caller).await.len(), 7);
}

#[tokio::test]
async fn the_history_of_a_card_keeps_its_rows_after_a_teams_deletion() {
    let shown = PrivateBoard::open().await;
    shown.works.delete("").await.expect(200);
    assert_eq!(shown.visible_boards(&shown.works.caller).await, Vec::<Value>::new());
}
