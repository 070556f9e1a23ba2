//! Custom fields that boards show on cards.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Base;

use super::support::Team;

impl Team {
    async fn at_fields(&self, path: &str, body: Value) -> Answer {
        let at = format!("/api/v2/projects/{}/fields", self.project);
        match path {
            "" => self.caller.post(&at).json(body).await,
            id => self.caller.patch(&format!("{at}/{id}")).json(body).await,
        }
    }

    /// Creates a custom field; returns its id.
    async fn field(&self, body: Value) -> String {
        self.at_fields("", body).await.expect(201).text("/field/id")
    }

    /// The board's fields by name, the people in their values, and the values of its first card.
    async fn shown_fields(&self) -> (Vec<String>, Vec<String>, Value) {
        let board = self.get("board").await.expect(200).json()["board"].clone();
        let texts = |list: &Value, name: &str| -> Vec<String> {
            let list = list.as_array().unwrap().iter();
            list.map(|one| one[name].as_str().unwrap().to_owned()).collect()
        };
        let values = board["columns"][0]["cards"][0]["fields"].clone();
        (texts(&board["fields"], "name"), texts(&board["field_users"], "id"), values)
    }
}

#[tokio::test]
async fn a_board_shows_the_values_of_the_fields_that_are_chosen_for_it() {
    let team = Team::own().await;
    let todo = team.status("To do").await;
    let risk = json!({ "name": "Risk", "type": "choice", "options": ["low", "high"], "isShown": true });
    let risk = team.at_fields("", risk).await.expect(201).json()["field"].clone();
    assert_eq!(risk["is_shown"], true);
    let note = team.field(json!({ "name": "Note", "type": "text", "isShown": true })).await;
    let buyer = team.field(json!({ "name": "Buyer", "type": "user" })).await;
    let values = json!({ "Risk": "high", "Note": "ä".repeat(300), "Buyer": team.alice.id });
    let card = team.card_of(&team.project, json!({ "name": "Axle", "fields": values })).await;
    team.place(&card, json!({ "statusId": todo })).await.expect(200);
    let id = risk["id"].as_str().unwrap();
    let shown = json!({ id: risk["options"][1]["id"], note.as_str(): "ä".repeat(200) });
    assert_eq!(team.shown_fields().await, (vec!["Risk".to_owned(), "Note".to_owned()], Vec::new(), shown));

    // Another choice is seen at once: by kept answers, too.
    team.at_fields(&note, json!({ "isShown": false })).await.expect(200);
    team.at_fields(id, json!({ "name": "Danger", "status": "archived" })).await.expect(200);
    team.at_fields(&buyer, json!({ "isShown": true })).await.expect(200);
    let people = vec![team.alice.id.clone()];
    let shown = json!({ buyer.as_str(): team.alice.id });
    assert_eq!(team.shown_fields().await, (vec!["Buyer".to_owned()], people, shown));
    team.change(&card, json!({ "fields": { "Buyer": null } })).await.expect(200);
    assert_eq!(team.shown_fields().await, (vec!["Buyer".to_owned()], Vec::new(), json!({})));
}

#[tokio::test]
async fn fields_of_projects_that_the_reader_does_not_see_are_on_no_board() {
    let team = Team::open().await;
    let todo = team.status("To do").await;
    team.field(json!({ "name": "Risk", "type": "text", "isShown": true })).await;
    let card = team.card_of(&team.project, json!({ "name": "Axle", "fields": { "Risk": "x" } })).await;
    team.place(&card, json!({ "statusId": todo })).await.expect(200);
    // A member of the team, and of no project.
    let (bob, by_bob) = team.member("bob", "member").await;
    team.deployment.operator().add_member(&bob, "--team", &team.id, "member").await;
    let board = by_bob.get(&team.at("board")).await.expect(200).json();
    assert_eq!(board["board"]["fields"], json!([]), "{board}");
    assert!(!board.to_string().contains("Risk"), "{board}");
}

#[tokio::test]
async fn a_board_shows_at_most_10_fields_of_a_project() {
    let team = Team::open().await;
    let mut ids = Vec::new();
    for number in 0..10 {
        ids.push(team.field(json!({ "name": format!("{number}"), "type": "text", "isShown": true })).await);
    }
    let over = json!({ "name": "over", "type": "text", "isShown": true });
    let full = r#"403 LIMIT_REACHED {"limit":10,"resource":"custom_fields"}"#;
    assert_eq!(team.at_fields("", over.clone()).await.to_string(), full);
    let hidden = team.field(json!({ "name": "hidden", "type": "text" })).await;
    assert_eq!(team.at_fields(&hidden, json!({ "isShown": true })).await.to_string(), full);
    // An archived one has no place, and takes it again when it comes back.
    team.at_fields(&ids[0], json!({ "status": "archived" })).await.expect(200);
    team.at_fields("", over).await.expect(201);
    let again = team.at_fields(&ids[0], json!({ "status": "active" })).await;
    assert_eq!(again.to_string(), full);
    team.at_fields(&ids[0], json!({ "status": "active", "isShown": false })).await.expect(200);
    team.at_fields(&ids[1], json!({ "name": "Other name" })).await.expect(200);
}
