//! The part of a conversation that a model reads.

use domain::id::RunId;
use domain::work::conversation::{Message, MessagePart, ModelContent, PICTURE_BYTES, Role};
use domain::{Code, Error, Result};

/// Most bytes of a conversation for a model, as stored.
const CONTEXT_BYTES: usize = 400_000;
/// The note in place of an omitted result.
const OMITTED: &str = "[left out: this answer and older ones are too much to be read at once]";

/// Selects the messages for a model. All messages of the run stay; a note replaces its older results if they are too large.
/// Earlier messages fill the remaining room, from a user's message on.
///
/// # Errors
/// `RUN_LIMIT_REACHED` if the run is too large even without results.
pub(super) fn fitting(mut messages: Vec<Message>, run: RunId) -> Result<Vec<Message>> {
    let begin = messages.iter().position(|message| message.task_id == Some(run)).unwrap_or(messages.len());
    let (mut results, others): (Vec<&mut Message>, Vec<&mut Message>) = messages
        .get_mut(begin..)
        .unwrap_or_default()
        .iter_mut()
        .partition(|message| message.role == Role::Tool);
    let least: usize =
        others.iter().map(|message| bytes(message)).sum::<usize>() + results.len() * OMITTED.len();
    let mut room = CONTEXT_BYTES.checked_sub(least).ok_or_else(too_much)?;
    for message in results.iter_mut().rev() {
        // Once a result has no room, older ones have none.
        room = room.checked_sub(bytes(message)).unwrap_or_else(|| {
            omit(message);
            0
        });
    }
    let mut from = begin;
    for (position, message) in messages.iter().enumerate().take(begin).rev() {
        let Some(left) = room.checked_sub(bytes(message)) else { break };
        room = left;
        if message.role == Role::User {
            from = position;
        }
    }
    Ok(messages.split_off(from))
}

fn omit(message: &mut Message) {
    for part in &mut message.parts {
        if let MessagePart::ToolResult { text, .. } = part {
            OMITTED.clone_into(text);
        }
    }
    message.model_content = None;
}

fn bytes(message: &Message) -> usize {
    let parts = || serde_json::to_vec(&message.parts).map_or(0, |json| json.len());
    match &message.model_content {
        Some(ModelContent::Answer { message, .. }) => {
            serde_json::to_vec(message).map_or(0, |json| json.len())
        }
        Some(ModelContent::Pictures { pictures }) => parts() + pictures.len() * PICTURE_BYTES,
        None => parts(),
    }
}

fn too_much() -> Error {
    Error::new(Code::RunLimitReached, "The run has become longer than a model can read.")
}

#[cfg(test)]
mod tests {
    use domain::id::{MessageId, RunId};
    use domain::time::Timestamp;
    use domain::work::conversation::{Message, MessagePart, Role};

    use super::{CONTEXT_BYTES, OMITTED, fitting};

    fn message(run: Option<RunId>, role: Role, text: &str) -> Message {
        let created_at = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        let part = match role {
            Role::Tool => {
                let (call_id, name) = ("call".to_owned(), "project__get_tree".to_owned());
                MessagePart::ToolResult { call_id, name, is_error: false, text: text.to_owned() }
            }
            _ => MessagePart::Text { text: text.to_owned() },
        };
        let id = MessageId::new(created_at);
        let (prompted_by, model_content) = (None, None);
        Message {
            id,
            sequence: 1,
            task_id: run,
            prompted_by,
            role,
            parts: vec![part],
            created_at,
            model_content,
        }
    }

    fn run() -> RunId {
        RunId::new(Timestamp::parse("2026-11-20T12:00:00Z").unwrap())
    }

    fn texts(messages: &[Message]) -> Vec<&str> {
        let firsts = messages.iter().map(|message| message.parts.first().unwrap());
        firsts
            .map(|part| match part {
                MessagePart::Text { text } | MessagePart::ToolResult { text, .. } => text.as_str(),
                MessagePart::ToolCall { .. } => "call",
            })
            .collect()
    }

    #[test]
    fn the_prompt_and_the_newest_results_of_a_long_run_stay() {
        let run = run();
        let mut messages =
            vec![message(None, Role::User, "earlier"), message(Some(run), Role::User, "prompt")];
        let long = "x".repeat(CONTEXT_BYTES / 4);
        messages.extend((0..8).map(|_| message(Some(run), Role::Tool, &long)));
        let given = fitting(messages, run).unwrap();
        let given = texts(&given);
        assert_eq!(given[0], "prompt");
        assert_eq!(given[1..6], [OMITTED; 5]);
        assert!(given[6..].iter().all(|text| *text == long));
    }

    #[test]
    fn earlier_messages_fill_the_room_from_a_users_message_on() {
        let (run, half) = (run(), "x".repeat(CONTEXT_BYTES / 2));
        let messages = vec![
            message(None, Role::User, "first"),
            message(None, Role::Assistant, &half),
            message(None, Role::User, "second"),
            message(None, Role::Assistant, &half),
            message(Some(run), Role::User, "prompt"),
        ];
        let given = fitting(messages, run).unwrap();
        assert_eq!(texts(&given), ["second", &half, "prompt"]);
    }

    #[test]
    fn a_run_that_is_too_large_without_results_has_reached_its_limit() {
        let run = run();
        let messages = vec![
            message(Some(run), Role::User, "prompt"),
            message(Some(run), Role::Assistant, &"x".repeat(CONTEXT_BYTES)),
        ];
        assert!(fitting(messages, run).is_err());
    }
}
