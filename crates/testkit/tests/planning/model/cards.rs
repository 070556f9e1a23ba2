//! Random operations on cards by several clients, compared with a model. The service must equal the model after each
//! operation and each concurrent batch.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::random::Random;
use testkit::seed::MANAGE_WITH_CARDS;
use testkit::session::create_project;

/// Sequential operations, and batches of concurrent ones.
const OPERATIONS: usize = 300;
const BATCHES: usize = 30;
const AT_ONCE: usize = 6;
const TAGS: usize = 3;
/// Most cards.
const CARDS: usize = 8;

/// A card of the model.
#[derive(Clone, Debug, PartialEq)]
struct Card {
    name: String,
    effort: i64,
    is_open: bool,
    tags: BTreeSet<String>,
    assignees: BTreeSet<String>,
    /// Its answered changes, each with its head and the fields that it moved.
    history: Vec<(String, BTreeSet<String>)>,
}

/// An operation on cards.
#[derive(Clone, Debug)]
enum Operation {
    Create { name: String, effort: i64, tag: Option<String>, assignee: Option<String> },
    Update { card: String, changes: BTreeMap<&'static str, Value>, head: Option<String> },
    Tag { card: String, tag: String, put: bool, head: Option<String> },
    Assign { card: String, user: String, put: bool, head: Option<String> },
    Delete { card: String, head: Option<String> },
}

/// The state according to the answers.
#[derive(Debug, Default)]
struct Model {
    cards: BTreeMap<String, Card>,
    deleted: BTreeMap<String, Card>,
}

/// The project, the clients, and the tags and assignees of cards.
struct World {
    deployment: Deployment,
    project: String,
    callers: Vec<Caller>,
    users: Vec<String>,
    tags: Vec<String>,
}

#[tokio::test]
async fn cards_equal_their_model_after_each_operation_and_each_batch() {
    let (mut random, mut model) = (Random::seeded(crate::model::SEED), Model::default());
    let world = World::open().await;
    for number in 0..OPERATIONS {
        let operation = model.choose(&mut random, &world, number);
        let answer = world.send(random.below(AT_ONCE), &operation).await;
        let expected = model.expected_status(&operation);
        assert_eq!(answer.status, expected, "{operation:?}: {answer}");
        if answer.status < 300 {
            model.apply(&operation, &answer);
        }
        if let Some(card) = operation.card() {
            world.compare_card(&model, card).await;
        }
    }
    world.compare_all(&model).await;
    for number in 0..BATCHES {
        let batch: Vec<Operation> = (0..AT_ONCE)
            .map(|n| model.choose(&mut random, &world, OPERATIONS + number * AT_ONCE + n))
            .collect();
        let sent = batch.iter().enumerate().map(|(client, operation)| world.send(client, operation));
        let sent = join_all(sent);
        let mut answered: Vec<(&Operation, Answer)> = batch.iter().zip(sent.await).collect();
        // The history has the order of concurrent operations. If several answers have the same row, one operation wrote
        // it; the others came after and had nothing to change.
        while let Some(next) = (0..answered.len()).min_by_key(|at| {
            let (operation, answer) = &answered[*at];
            // An operation whose success would now surprise came after the one that made it change nothing.
            let is_early = answer.status < 300 && model.expected_status(operation) != answer.status;
            (sequence(answer), is_early, Reverse(model.weight(operation)))
        }) {
            let (operation, answer) = answered.swap_remove(next);
            let may = match operation {
                Operation::Create { .. } => answer.status == 201,
                _ => matches!(answer.status, 200 | 404 | 409),
            };
            assert!(may, "{operation:?}: {answer}");
            if answer.status < 300 {
                assert_eq!(
                    model.expected_status(operation),
                    answer.status,
                    "{operation:?} in its order: {answer}"
                );
                model.apply(operation, &answer);
            }
        }
        world.compare_all(&model).await;
    }
}

impl Model {
    /// The next operation: mostly on existing cards, rarely on a deleted one.
    fn choose(&self, random: &mut Random, world: &World, number: usize) -> Operation {
        let tag = random.one_of(&world.tags).clone();
        let user = random.one_of(&world.users).clone();
        let there: Vec<&String> = self.cards.keys().collect();
        if there.is_empty() || (there.len() < CARDS && random.below(5) == 0) {
            let (name, effort) = (format!("card {number}"), i64::try_from(random.below(4)).unwrap());
            return Operation::Create { name, effort, tag: random.maybe(tag), assignee: random.maybe(user) };
        }
        let gone: Vec<&String> = self.deleted.keys().collect();
        let card = match gone.is_empty() || random.below(12) > 0 {
            true => (*random.one_of(&there)).clone(),
            false => (*random.one_of(&gone)).clone(),
        };
        // No head, the latest one or an earlier one.
        let history = &self.cards.get(&card).or(self.deleted.get(&card)).unwrap().history;
        let head = match random.below(3) {
            0 => None,
            1 => history.last().map(|(head, _)| head.clone()),
            _ => Some(random.one_of(history).0.clone()),
        };
        match random.below(10) {
            0 => Operation::Delete { card, head },
            1 | 2 => Operation::Tag { card, tag, put: true, head },
            3 => Operation::Tag { card, tag, put: false, head },
            4 => Operation::Assign { card, user, put: true, head },
            5 => Operation::Assign { card, user, put: false, head },
            _ => {
                let mut changes = BTreeMap::from([("effort", json!(random.below(4)))]);
                if random.below(2) == 0 {
                    changes = BTreeMap::from([("name", json!(format!("name {}", random.below(3))))]);
                }
                if random.below(3) == 0 {
                    changes.insert("isOpen", json!(random.below(2) == 0));
                }
                Operation::Update { card, changes, head }
            }
        }
    }

    /// The expected status without concurrent operations.
    fn expected_status(&self, operation: &Operation) -> u16 {
        let Some(id) = operation.card() else { return 201 };
        let Some(card) = self.cards.get(id) else { return 404 };
        let moves = card.moved_by(operation);
        match operation {
            Operation::Tag { put: false, .. } | Operation::Assign { put: false, .. } if moves.is_empty() => {
                404
            }
            Operation::Delete { head: Some(head), .. } if *head != card.history.last().unwrap().0 => 409,
            Operation::Delete { .. } => 200,
            _ => {
                let since = operation.head().map(|head| card.moved_since(head)).unwrap_or_default();
                if moves.is_disjoint(&since) { 200 } else { 409 }
            }
        }
    }

    /// Number of fields that an operation would change now.
    fn weight(&self, operation: &Operation) -> usize {
        match operation {
            Operation::Delete { .. } => usize::MAX,
            _ => operation
                .card()
                .and_then(|id| self.cards.get(id))
                .map_or(0, |card| card.moved_by(operation).len()),
        }
    }

    /// Applies an answered operation.
    fn apply(&mut self, operation: &Operation, answer: &Answer) {
        let head = answer.text("/historyHeadId");
        if let Operation::Create { name, effort, tag, assignee } = operation {
            let card = Card {
                name: name.clone(),
                effort: *effort,
                is_open: true,
                tags: tag.iter().cloned().collect(),
                assignees: assignee.iter().cloned().collect(),
                history: vec![(head, BTreeSet::new())],
            };
            self.cards.insert(answer.text("/card/id"), card);
            return;
        }
        let id = operation.card().unwrap();
        let card = self.cards.get_mut(id).unwrap();
        let moves = card.moved_by(operation);
        let is_deletion = matches!(operation, Operation::Delete { .. });
        if moves.is_empty() && !is_deletion {
            assert_eq!(head, card.history.last().unwrap().0, "nothing changed, and the head did");
            return;
        }
        assert!(card.history.iter().all(|(earlier, _)| *earlier != head), "a head came twice");
        card.history.push((head, moves));
        match operation {
            Operation::Create { .. } | Operation::Delete { .. } => {}
            Operation::Update { changes, .. } => {
                for (field, value) in changes {
                    match *field {
                        "name" => card.name = value.as_str().unwrap().to_owned(),
                        "effort" => card.effort = value.as_i64().unwrap(),
                        _ => card.is_open = value.as_bool().unwrap(),
                    }
                }
            }
            Operation::Tag { tag, put, .. } => set(&mut card.tags, tag, *put),
            Operation::Assign { user, put, .. } => set(&mut card.assignees, user, *put),
        }
        if is_deletion {
            let card = self.cards.remove(id).unwrap();
            self.deleted.insert(id.to_owned(), card);
        }
    }
}

impl Card {
    /// The fields that an operation would move; for sets, their elements.
    fn moved_by(&self, operation: &Operation) -> BTreeSet<String> {
        let one = |moves: bool, id: &str| moves.then(|| id.to_owned()).into_iter().collect();
        match operation {
            Operation::Create { .. } | Operation::Delete { .. } => BTreeSet::new(),
            Operation::Tag { tag, put, .. } => one(self.tags.contains(tag) != *put, tag),
            Operation::Assign { user, put, .. } => one(self.assignees.contains(user) != *put, user),
            Operation::Update { changes, .. } => {
                let moves = |(field, value): &(&&str, &Value)| match **field {
                    "name" => **value != self.name,
                    "effort" => **value != self.effort,
                    _ => **value != self.is_open,
                };
                changes.iter().filter(moves).map(|(field, _)| (*field).to_owned()).collect()
            }
        }
    }

    fn moved_since(&self, head: &str) -> BTreeSet<String> {
        let at = self.history.iter().position(|(earlier, _)| earlier == head).unwrap();
        self.history[at + 1..].iter().flat_map(|(_, moved)| moved.clone()).collect()
    }

    /// Asserts that an answer shows the card.
    fn assert_shown(&self, shown: &Value, id: &str) {
        let set = |field: &str| -> BTreeSet<String> {
            let ids = shown["indexCard"][field].as_array().unwrap().iter();
            ids.map(|id| id.as_str().unwrap().to_owned()).collect()
        };
        let card = &shown["card"];
        assert_eq!(
            (&card["name"], &card["effort"], &card["is_open"]),
            (&json!(self.name), &json!(self.effort), &json!(self.is_open)),
            "{id}"
        );
        assert_eq!(card["closed_at"].is_null(), self.is_open, "{id}");
        assert_eq!((set("tag_ids"), set("user_ids")), (self.tags.clone(), self.assignees.clone()), "{id}");
        assert_eq!(shown["historyHeadId"], self.history.last().unwrap().0.as_str(), "{id}");
    }
}

impl Operation {
    fn card(&self) -> Option<&str> {
        match self {
            Self::Create { .. } => None,
            Self::Update { card, .. }
            | Self::Tag { card, .. }
            | Self::Assign { card, .. }
            | Self::Delete { card, .. } => Some(card),
        }
    }

    fn head(&self) -> Option<&str> {
        match self {
            Self::Create { .. } => None,
            Self::Update { head, .. }
            | Self::Tag { head, .. }
            | Self::Assign { head, .. }
            | Self::Delete { head, .. } => head.as_deref(),
        }
    }
}

impl World {
    async fn open() -> Self {
        let deployment = Deployment::with(Options { control_replicas: 2, ..Options::default() }).await;
        let operator = deployment.operator();
        let alice = operator.user("alice").await;
        let owner = alice.key(MANAGE_WITH_CARDS).await;
        let project = create_project(&owner, "Gear").await;
        let (mut callers, mut users) = (vec![owner.at(&deployment.control_urls[1])], vec![alice.id.clone()]);
        for name in ["bob", "carol"] {
            let user = operator.user(name).await;
            operator.add_member(&user, "--project", &project, "manager").await;
            callers.push(user.key(MANAGE_WITH_CARDS).await);
            users.push(user.id.clone());
        }
        let mut tags = Vec::new();
        for number in 0..TAGS {
            let body = json!({ "name": format!("tag {number}") });
            let created = owner.post(&format!("/api/v2/projects/{project}/card-tags")).json(body).await;
            tags.push(created.expect(201).text("/tag/id"));
        }
        Self { deployment, project, callers, users, tags }
    }

    /// Sends an operation by one of the clients.
    async fn send(&self, client: usize, operation: &Operation) -> Answer {
        let caller = &self.callers[client % self.callers.len()];
        let at = |path: String| format!("/api/v2/projects/{}/cards{path}", self.project);
        let put = |put: bool, path: String| match put {
            true => caller.put(&at(path)),
            false => caller.delete(&at(path)),
        };
        let request: Request = match operation {
            Operation::Create { name, effort, tag, assignee } => {
                let tags: Vec<&String> = tag.iter().collect();
                let body = json!({ "name": name, "effort": effort, "tagIds": tags, "assigneeId": assignee });
                caller.post(&at(String::new())).json(body)
            }
            Operation::Update { card, changes, .. } => {
                caller.patch(&at(format!("/{card}"))).json(json!(changes))
            }
            Operation::Tag { card, tag, put: is_put, .. } => put(*is_put, format!("/{card}/tags/{tag}")),
            Operation::Assign { card, user, put: is_put, .. } => {
                put(*is_put, format!("/{card}/assignees/{user}"))
            }
            Operation::Delete { card, .. } => caller.delete(&at(format!("/{card}"))),
        };
        match operation.head() {
            Some(head) => request.header("if-match", head).await,
            None => request.await,
        }
    }

    async fn get(&self, path: &str) -> Answer {
        self.callers[0].get(&format!("/api/v2/projects/{}/{path}", self.project)).await
    }

    async fn compare_card(&self, model: &Model, id: &str) {
        let shown = self.get(&format!("cards/{id}")).await;
        match model.cards.get(id) {
            Some(card) => card.assert_shown(&shown.expect(200).json(), id),
            None => assert_eq!(shown.status, 404, "{id} was deleted"),
        }
    }

    /// Compares all cards, the filtered lists, the counts of tags, and the remaining history.
    async fn compare_all(&self, model: &Model) {
        for id in model.cards.keys().chain(model.deleted.keys()) {
            self.compare_card(model, id).await;
        }
        let listed = async |filter: String| -> BTreeSet<String> {
            let answer = self.get(&format!("cards?limit=100{filter}")).await.expect(200).json();
            answer["cards"].as_array().unwrap().iter().map(|c| c["id"].as_str().unwrap().to_owned()).collect()
        };
        let ids = |matches: &dyn Fn(&Card) -> bool| -> BTreeSet<String> {
            model.cards.iter().filter(|(_, card)| matches(card)).map(|(id, _)| id.clone()).collect()
        };
        assert_eq!(listed(String::new()).await, ids(&|_| true));
        assert_eq!(listed("&open=true".to_owned()).await, ids(&|card| card.is_open));
        let catalog = self.get("card-tags").await.expect(200).json();
        for tag in &self.tags {
            let with_it = ids(&|card| card.tags.contains(tag));
            assert_eq!(listed(format!("&tag={tag}")).await, with_it);
            let entry = catalog["tags"].as_array().unwrap().iter().find(|entry| entry["id"] == tag.as_str());
            assert_eq!(entry.unwrap()["card_count"], with_it.len());
        }
        let with_history = "select count(distinct card_id) from card_history";
        let all = model.cards.len() + model.deleted.len();
        assert_eq!(self.deployment.database.count(with_history).await, i64::try_from(all).unwrap());
    }
}

fn set(elements: &mut BTreeSet<String>, id: &str, there: bool) {
    if there {
        elements.insert(id.to_owned());
    } else {
        elements.remove(id);
    }
}

/// The number of an answer's last history row; 0 without one.
fn sequence(answer: &Answer) -> u64 {
    let shown = answer.json();
    shown["historyHeadSequence"].as_str().and_then(|digits| digits.parse().ok()).unwrap_or_default()
}
