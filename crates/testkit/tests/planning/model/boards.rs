//! Random operations on a board by several clients, compared with a model of boards and sprints. Board, cards and
//! reports must equal the model after each operation and each concurrent batch.

mod model;
mod operation;
mod rules;
mod world;

use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::json;
use testkit::answer::Answer;
use testkit::random::Random;

use self::model::{Model, Outcome};
use self::operation::Operation;
use self::world::{World, compare_report};

/// Sequential operations, and batches of concurrent ones.
const OPERATIONS: usize = 300;
const BATCHES: usize = 60;
const AT_ONCE: usize = 6;

#[tokio::test]
async fn a_board_equals_its_model_after_each_operation_and_each_batch() {
    let mut random = Random::seeded(crate::model::SEED);
    let (mut world, columns) = World::open().await;
    let mut model = Model::new(columns);
    for _ in 0..OPERATIONS {
        let operation = model.choose(&mut random);
        let answer = world.send(random.below(AT_ONCE), &operation).await;
        match model.refusal(&operation) {
            Some(code) => {
                assert!(answer.status >= 400, "{operation:?}, not {code}: {answer}");
                assert_eq!(answer.code(), code, "{operation:?}: {answer}");
            }
            None => {
                assert!(answer.status < 300, "{operation:?}: {answer}");
                assert!(model.is_shown(&operation, &answer.json()), "{operation:?}: {answer}");
                apply(&world, &mut model, &operation, &answer).await;
            }
        }
        world.compare_board(&model).await;
    }
    world.compare_all(&model).await;
    for _ in 0..BATCHES {
        let mut batch: Vec<Operation> = (0..AT_ONCE).map(|_| model.choose(&mut random)).collect();
        // Of two changes of a column at once the answers don't tell which was first, nor where several placements
        // stand.
        let mut has_one = false;
        batch.retain(|operation| match operation {
            Operation::PlaceAll { .. } => false,
            Operation::SetState { .. } => !std::mem::replace(&mut has_one, true),
            _ => true,
        });
        let sent = batch.iter().enumerate().map(|(client, operation)| world.send(client, operation));
        let answers = join_all(sent).await;
        let mut done = Vec::new();
        for (operation, answer) in batch.iter().zip(answers) {
            let may = match operation {
                Operation::Create | Operation::CreateSprint => answer.status == 201,
                _ => matches!(answer.status, 200 | 404 | 409),
            };
            assert!(may, "{operation:?}: {answer}");
            if answer.status < 300 {
                done.push((world.when(operation, &answer).await, operation, answer));
            }
        }
        model.begin_batch();
        replay(&world, &mut model, done).await;
        world.compare_all(&model).await;
    }
}

/// Applies concurrent operations to the model in the order of the history.
async fn replay(world: &World, model: &mut Model, mut done: Vec<((i64, bool), &Operation, Answer)>) {
    done.sort_by_key(|(when, operation, answer)| (*when, preference(operation, answer)));
    while let Some((first, ..)) = done.first() {
        let first = *first;
        // If several answers have the same row, one operation wrote it and the others had nothing to change.
        let ties = done.iter().take_while(|(when, ..)| *when == first);
        let next = ties.clone().position(|(_, operation, answer)| {
            let shown = answer.json();
            let is_next = || model.refusal(operation).is_none() && model.is_shown(operation, &shown);
            model.is_known(operation, &shown) || (model.is_change(operation, &shown) && is_next())
        });
        let told: Vec<String> =
            ties.map(|(_, operation, answer)| format!("{operation:?}: {answer}")).collect();
        assert!(next.is_some(), "in their order: {told:#?}");
        let (_, operation, answer) = done.remove(next.unwrap());
        if !model.is_known(operation, &answer.json()) {
            apply(world, model, operation, &answer).await;
        }
    }
}

/// The order of operations that the history leaves open: first those that the others would prevent. A completion that
/// moved cards is the last one: its rows follow, and what waited for it would come after them.
fn preference(operation: &Operation, answer: &Answer) -> u8 {
    match operation {
        Operation::Place { .. } => 0,
        Operation::Complete { .. } if answer.json()["movedCards"] != 0 => 5,
        Operation::Complete { to, .. } if to != "keep" && to != "backlog" => 1,
        Operation::Complete { .. } => 2,
        Operation::Start { allow_concurrent: false, .. } => 3,
        _ => 4,
    }
}

/// Applies an answered operation to the model.
async fn apply(world: &World, model: &mut Model, operation: &Operation, answer: &Answer) {
    if let Operation::PlaceAll { cards, to } = operation {
        for (card, placed) in cards.iter().zip(answer.json()["placements"].as_array().unwrap()) {
            let one = Operation::Place { card: card.clone(), to: to.clone(), head: None };
            let shown = json!({
                "placement": placed["placement"], "historyHeadId": placed["historyHeadId"],
                "card": { "is_open": placed["isOpen"] },
            });
            assert!(model.is_shown(&one, &shown), "{operation:?}: {answer}");
            model.apply(&one, &Outcome { shown, carried: BTreeMap::new() });
        }
        return;
    }
    let done = world.done(operation, answer).await;
    if let Operation::Complete { sprint, .. } = operation {
        compare_report(model, sprint, &done.shown["report"]);
    }
    model.apply(operation, &done);
}
