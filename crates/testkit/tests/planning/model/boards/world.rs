//! The board of the test, and its comparison with the model.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::seed::MANAGE_WITH_TEAMS;

use super::model::{Column, Model, Outcome, Status};
use super::operation::Operation;

/// The columns: category, resolution and limit.
const COLUMNS: [(&str, &str, Option<usize>); 5] = [
    ("not_started", "off", None),
    ("started", "off", Some(2)),
    ("closed", "off", None),
    ("closed", "manual", None),
    ("closed", "automatic", None),
];
const PARTS: [&str; 5] = ["scope_at_start", "added", "removed", "done", "carried_over"];

pub struct World {
    deployment: Deployment,
    project: String,
    /// Path of the team.
    team: String,
    callers: Vec<Caller>,
    /// The first answers of reports on completed sprints.
    reports: BTreeMap<String, Bytes>,
}

impl World {
    /// Creates a team with a board, a linked project, and three clients with all rights.
    pub async fn open() -> (Self, Vec<Column>) {
        let deployment = Deployment::with(Options { control_replicas: 2, ..Options::default() }).await;
        let operator = deployment.operator();
        let alice = operator.user("alice").await;
        let owner = alice.key(MANAGE_WITH_TEAMS).await;
        let org = operator.organization("works", &alice).await;
        let post = async |path: &str, body: Value| owner.post(path).json(body).await.expect(201);
        let project = post("/api/v2/projects", json!({ "name": "Gear", "orgId": org })).await.text("/id");
        let teams = format!("/api/v2/orgs/{org}/teams");
        let id = post(&teams, json!({ "name": "Wheels" })).await.text("/team/id");
        let team = format!("{teams}/{id}");
        owner.put(&format!("{team}/projects/{project}")).await.expect(200);
        let mut callers = vec![owner.at(&deployment.control_urls[1])];
        for name in ["bob", "carol"] {
            let user = operator.user(name).await;
            operator.add_member(&user, "--org", &org, "member").await;
            operator.add_member(&user, "--team", &id, "member").await;
            operator.add_member(&user, "--project", &project, "manager").await;
            callers.push(user.key(MANAGE_WITH_TEAMS).await);
        }
        let mut columns = Vec::new();
        for (number, (state, close_mode, limit)) in COLUMNS.into_iter().enumerate() {
            let body = json!({
                "name": format!("column {number}"), "transitionState": state, "closeMode": close_mode,
                "wipLimit": limit, "wipPolicy": "block",
            });
            let id = post(&format!("{team}/statuses"), body).await.text("/status/id");
            columns.push(Column { id, state, close_mode, limit });
        }
        (Self { deployment, project, team, callers, reports: BTreeMap::new() }, columns)
    }

    /// Sends an operation by one of the clients.
    pub async fn send(&self, client: usize, operation: &Operation) -> Answer {
        let caller = &self.callers[client % self.callers.len()];
        let cards = format!("/api/v2/projects/{}/cards", self.project);
        let at = |path: &str| format!("{}/{path}", self.team);
        let request: Request = match operation {
            Operation::Create => caller.post(&cards).json(json!({ "name": "card" })),
            Operation::SetOpen { card, is_open, .. } => {
                caller.patch(&format!("{cards}/{card}")).json(json!({ "isOpen": is_open }))
            }
            Operation::Delete { card, .. } => caller.delete(&format!("{cards}/{card}")),
            Operation::TakeOff { card, .. } => caller.delete(&at(&format!("cards/{card}"))),
            Operation::Place { card, to, .. } => {
                let mut body = json!({
                    "statusId": to.column, "afterCardId": to.after, "beforeCardId": to.before,
                    "closeCard": to.close_card,
                });
                if let Some(sprint) = &to.sprint {
                    body["sprintId"] = json!(sprint);
                }
                caller.put(&at(&format!("cards/{card}"))).json(body)
            }
            Operation::PlaceAll { cards, to } => {
                let placements: Vec<Value> =
                    cards.iter().map(|card| json!({ "cardId": card, "statusId": to.column })).collect();
                caller.put(&at("cards")).json(json!({ "placements": placements }))
            }
            Operation::SetState { column, state } => {
                caller.patch(&at(&format!("statuses/{column}"))).json(json!({ "transitionState": state }))
            }
            Operation::CreateSprint => {
                let body = json!({ "name": "sprint", "startDate": "2026-11-02", "endDate": "2026-11-15" });
                caller.post(&at("sprints")).json(body)
            }
            Operation::Start { sprint, allow_concurrent } => {
                let body = json!({ "allowConcurrent": allow_concurrent });
                caller.post(&at(&format!("sprints/{sprint}/start"))).json(body)
            }
            Operation::Complete { sprint, to } => {
                let body = json!({ "incompleteCardsTo": to });
                caller.post(&at(&format!("sprints/{sprint}/complete"))).json(body)
            }
        };
        match operation.head() {
            Some(head) => request.header("if-match", head).await,
            None => request.await,
        }
    }

    /// The result of an operation, with the heads of carried cards, which the answer lacks.
    pub async fn done(&self, operation: &Operation, answer: &Answer) -> Outcome {
        let mut carried = BTreeMap::new();
        if let Operation::Complete { sprint, .. } = operation {
            let statement = format!(
                "select distinct on (h.card_id) h.card_id::text, h.id::text \
                 from card_history h join sprints s on h.sequence > s.completed_sequence where s.id = '{sprint}' \
                 and h.changes #>> '{{team_placement,before,sprint_id}}' = s.id::text \
                 order by h.card_id, h.sequence"
            );
            let rows = self.deployment.database.connect().await.query(&statement, &[]).await.unwrap();
            carried = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
        }
        Outcome { shown: answer.json(), carried }
    }

    /// Position of an operation in the history: after the row with this number. For sprints only the database shows it;
    /// operations that they wait for have written their rows before.
    pub async fn when(&self, operation: &Operation, answer: &Answer) -> (i64, bool) {
        let (sprint, column) = match operation {
            Operation::SetState { column, .. } => {
                let query = format!(
                    "select coalesce(max(sequence), 0) from team_status_transitions where status_id = '{column}'"
                );
                return (self.deployment.database.count(&query).await, false);
            }
            Operation::Start { sprint, .. } => (sprint, "started_sequence"),
            Operation::Complete { sprint, .. } => (sprint, "completed_sequence"),
            _ => {
                let shown = answer.json();
                let sequence = shown["historyHeadSequence"].as_str().and_then(|digits| digits.parse().ok());
                return (sequence.unwrap_or_default(), false);
            }
        };
        let query = format!("select {column} from sprints where id = '{sprint}'");
        (self.deployment.database.count(&query).await, true)
    }

    async fn get(&self, path: &str) -> Value {
        self.callers[0].get(path).await.expect(200).json()
    }

    /// Compares the board, the available cards and the list of sprints.
    pub async fn compare_board(&self, model: &Model) {
        let board = self.get(&format!("{}/board", self.team)).await;
        let columns = board["board"]["columns"].as_array().unwrap();
        assert_eq!(columns.len(), model.columns.len());
        for (shown, column) in columns.iter().zip(&model.columns) {
            let cards = shown["cards"].as_array().unwrap();
            let text = |field: &str| -> Vec<&str> {
                cards.iter().map(|card| card[field].as_str().unwrap_or_default()).collect()
            };
            let standing = model.cards_in_column(&column.id);
            assert_eq!((&shown["status"]["id"], text("id")), (&json!(column.id), standing), "{shown:#}");
            assert!(text("rank").is_sorted_by(|one, next| one < next), "{shown:#}");
            assert!(column.limit.is_none_or(|limit| cards.len() <= limit), "{shown:#}");
            assert_eq!(shown["card_count"], cards.len());
            for card in cards {
                let id = card["id"].as_str().unwrap();
                let expected = &model.cards[id];
                let place = expected.place.as_ref().unwrap();
                assert_eq!(
                    (&card["is_open"], &card["sprint_id"], &card["rank"], &card["history_head_id"]),
                    (
                        &json!(expected.is_open),
                        &json!(place.sprint),
                        &json!(place.rank),
                        &json!(expected.head())
                    ),
                    "{id}"
                );
            }
        }
        // Queries without text, with a word and with one letter have different plans.
        let free = model.cards.iter().filter(|(_, card)| card.is_open && card.place.is_none());
        let free: BTreeSet<&str> = free.map(|(id, _)| id.as_str()).collect();
        for query in ["", "&q=card", "&q=c"] {
            let found = self.get(&format!("{}/available-cards?limit=100{query}", self.team)).await;
            let cards = found["cards"].as_array().unwrap();
            let ids: BTreeSet<&str> = cards.iter().map(|card| card["id"].as_str().unwrap()).collect();
            assert_eq!(found["meta"]["total"], free.len(), "{query}");
            assert!(ids.is_subset(&free) && ids.len() == free.len().min(100), "{query}");
        }
        let listed = self.get(&format!("{}/sprints?limit=100", self.team)).await;
        let listed: BTreeMap<&str, &str> = listed["sprints"]
            .as_array()
            .unwrap()
            .iter()
            .map(|sprint| (sprint["id"].as_str().unwrap(), sprint["status"].as_str().unwrap()))
            .collect();
        let expected: BTreeMap<&str, &str> = model
            .sprints
            .iter()
            .map(|(id, sprint)| {
                let status = match sprint.status {
                    Status::Planned => "planned",
                    Status::Active => "active",
                    Status::Completed => "completed",
                };
                (id.as_str(), status)
            })
            .collect();
        assert_eq!(listed, expected);
    }

    /// Compares the state outside of the board, too: single cards and reports on sprints.
    pub async fn compare_all(&mut self, model: &Model) {
        self.compare_board(model).await;
        for (id, card) in &model.cards {
            let shown = self.get(&format!("/api/v2/projects/{}/cards/{id}", self.project)).await;
            let placements: Vec<Value> = card
                .place
                .iter()
                .map(|place| {
                    let team = self.team.rsplit('/').next();
                    json!({ "team_id": team, "status_id": place.column, "sprint_id": place.sprint })
                })
                .collect();
            assert_eq!(shown["indexCard"]["team_placements"], json!(placements), "{id}");
            assert_eq!(shown["indexCard"]["is_open"], card.is_open, "{id}");
            assert_eq!(shown["card"]["closed_at"].is_null(), card.is_open, "{id}");
            assert_eq!(shown["historyHeadId"], card.head(), "{id}");
        }
        for (id, sprint) in &model.sprints {
            let answer = self.callers[0].get(&format!("{}/sprints/{id}/report", self.team)).await.expect(200);
            let report = answer.json()["report"].clone();
            let counted = |part: &str| report[part]["total"]["cards"].as_u64().unwrap();
            let came = counted("scope_at_start") + counted("added");
            assert_eq!(came, counted("removed") + counted("done") + counted("carried_over"), "{report:#}");
            match sprint.status {
                Status::Planned => {}
                Status::Active => compare_report(model, id, &report),
                Status::Completed => {
                    assert_eq!(Some(&report), sprint.report.as_ref(), "{id}");
                    let first = self.reports.entry(id.clone()).or_insert_with(|| answer.body.clone());
                    assert_eq!(*first, answer.body, "{id}");
                }
            }
        }
    }
}

/// Compares the report on a started sprint with the model.
pub fn compare_report(model: &Model, id: &str, report: &Value) {
    let unsure = &model.sprints[id].unsure;
    for (part, mut expected) in PARTS.into_iter().zip(model.report(id)) {
        let cards = report[part]["cards"].as_array().unwrap();
        let mut told: BTreeSet<String> =
            cards.iter().map(|card| card["id"].as_str().unwrap().to_owned()).collect();
        assert_eq!(report[part]["total"]["cards"], told.len(), "{part} of {report:#}");
        told.retain(|card| !unsure.contains(card));
        expected.retain(|card| !unsure.contains(card));
        assert_eq!(told, expected, "{part} of {report:#}");
    }
}
