//! The events of a session as lines of a terminal.

use domain::event::typed::TypedEvent;
use domain::id::RunId;
use domain::work::conversation::{Message, MessagePart, Role};

use crate::output;

/// The part of a conversation that is on the screen.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    /// Only this run's events; all without one.
    run: Option<RunId>,
    /// Bytes of the message under way that were printed.
    printed: usize,
    /// True if the cursor is within a line.
    is_within_line: bool,
}

impl Screen {
    /// A screen for the events of one run.
    pub(crate) fn of_run(run: RunId) -> Self {
        Self { run: Some(run), ..Self::default() }
    }

    /// Prints an event.
    pub(crate) fn show(&mut self, event: &TypedEvent) {
        match event {
            TypedEvent::MessageDelta { data, .. } if self.is_shown(data.task_id) => {
                self.printed += data.text.len();
                self.write(&data.text);
            }
            TypedEvent::MessageCreated { data, .. } => self.message(data),
            TypedEvent::ToolStarted { data, .. } if self.is_shown(data.task_id) => {
                self.end();
                output::note(&output::dim(&format!("▸ {}", data.name.replace("__", "."))));
            }
            TypedEvent::ToolFinished { data, .. } if self.is_shown(data.task_id) && data.is_error => {
                output::note(&output::dim(&format!("▸ {} refused", data.name.replace("__", "."))));
            }
            TypedEvent::RunWaiting { data, .. } if self.is_shown(data.task_id) => {
                self.end();
                output::note(&output::dim(&format!(
                    "▸ waiting for {:.0} s: {}",
                    data.pause_secs, data.reason
                )));
            }
            TypedEvent::ExecutionOutput { data, .. } if self.run.is_none() => self.write(&data.text),
            _ => {}
        }
    }

    /// Ends the line that is being written.
    pub(crate) fn end(&mut self) {
        if self.is_within_line {
            self.write("\n");
        }
    }

    fn is_shown(&self, run: RunId) -> bool {
        self.run.is_none_or(|shown| shown == run)
    }

    /// A whole message: the rest of one whose parts were printed, or all of one that came without parts.
    fn message(&mut self, message: &Message) {
        if !message.task_id.is_none_or(|run| self.is_shown(run)) {
            return;
        }
        match message.role {
            Role::User if self.run.is_none() => {
                self.end();
                self.write(&output::dim(&format!("> {}", text(message))));
                self.end();
            }
            Role::Assistant => {
                let text = text(message);
                let rest = text.get(self.printed..).unwrap_or_default();
                self.write(rest);
                self.printed = 0;
                self.end();
            }
            Role::User | Role::Tool => {}
        }
    }

    fn write(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.is_within_line = !text.ends_with('\n');
        output::part(text);
    }
}

fn text(message: &Message) -> String {
    let texts = message.parts.iter().filter_map(|part| match part {
        MessagePart::Text { text } => Some(text.as_str()),
        MessagePart::ToolCall { .. } | MessagePart::ToolResult { .. } => None,
    });
    texts.collect::<Vec<_>>().concat()
}
