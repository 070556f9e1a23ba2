//! Common steps of the tests of boards and sprints.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Request};

use crate::teams::support::Team;

impl Team {
    pub fn delete(&self, path: &str) -> Request {
        self.caller.delete(&self.at(path))
    }

    /// Creates a column at the end with these fields; returns its id.
    pub async fn column(&self, body: Value) -> String {
        self.post("statuses", body).await.expect(201).text("/status/id")
    }

    /// Creates a card of the linked project that is not on the board; returns its id.
    pub async fn card(&self, name: &str) -> String {
        self.card_of(&self.project, json!({ "name": name })).await
    }

    /// Creates a card of a project; returns its id.
    pub async fn card_of(&self, project: &str, body: Value) -> String {
        let path = format!("/api/v2/projects/{project}/cards");
        self.caller.post(&path).json(body).await.expect(201).text("/card/id")
    }

    /// Creates a card and places it; returns its id.
    pub async fn placed(&self, name: &str, column: &str) -> String {
        let card = self.card(name).await;
        self.place(&card, json!({ "statusId": column })).await.expect(200);
        card
    }

    /// Places or moves a card.
    pub fn place(&self, card: &str, body: Value) -> Request {
        self.put(&format!("cards/{card}")).json(body)
    }

    /// Changes a card of the linked project.
    pub fn change(&self, card: &str, body: Value) -> Request {
        self.caller.patch(&self.card_path(card)).json(body)
    }

    /// The path of a card of the linked project.
    pub fn card_path(&self, card: &str) -> String {
        format!("/api/v2/projects/{}/cards/{card}", self.project)
    }

    /// The current state of a card of the linked project.
    pub async fn read_card(&self, card: &str) -> Answer {
        self.caller.get(&self.card_path(card)).await.expect(200)
    }

    /// Creates a planned sprint; returns its id.
    pub async fn sprint(&self, name: &str) -> String {
        self.post("sprints", json!({ "name": name })).await.expect(201).text("/sprint/id")
    }

    /// Creates a card with an estimate and places it in a column and a sprint; returns its id.
    pub async fn planned(&self, name: &str, effort: i64, column: &str, sprint: &str) -> String {
        let card = self.card_of(&self.project, json!({ "name": name, "effort": effort })).await;
        self.place(&card, json!({ "statusId": column, "sprintId": sprint })).await.expect(200);
        card
    }

    /// Starts a sprint for two weeks.
    pub fn start(&self, sprint: &str) -> Request {
        let body = json!({ "startDate": "2026-11-02", "endDate": "2026-11-15" });
        self.post(&format!("sprints/{sprint}/start"), body)
    }

    /// Completes a sprint.
    pub fn complete(&self, sprint: &str, incomplete: &str) -> Request {
        self.post(&format!("sprints/{sprint}/complete"), json!({ "incompleteCardsTo": incomplete }))
    }

    /// The board as text: each column's name with the names of its cards.
    pub async fn shown(&self, query: &str) -> String {
        shown(&self.get(&format!("board{query}")).await.expect(200))
    }

    /// The kinds of a card's history rows.
    pub async fn kinds(&self, card: &str) -> String {
        let history = self.caller.get(&format!("{}/history", self.card_path(card))).await.expect(200).json();
        let kinds = history["history"].as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap());
        kinds.collect::<Vec<_>>().join(" ")
    }
}

/// A board as text.
pub fn shown(board: &Answer) -> String {
    let json = board.json();
    let columns = json["board"]["columns"].as_array().unwrap().iter().map(|column| {
        let names = column["cards"].as_array().unwrap().iter().map(|card| card["name"].as_str().unwrap());
        let names = names.collect::<Vec<_>>().join(" ");
        format!("{}: {names}", column["status"]["name"].as_str().unwrap()).trim_end().to_owned()
    });
    columns.collect::<Vec<_>>().join("; ")
}
