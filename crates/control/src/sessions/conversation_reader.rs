//! Readers of a session's conversation. Everyone who reads the project reads its text; calls and results of tools are shown
//! to those that could use these tools themselves.

use domain::id::UserId;
use domain::people::permission::{Permission, Permissions};
use domain::work::conversation::{Message, MessagePart};
use store::{Call, Session};

/// The text in place of a withheld result.
const WITHHELD: &str = "[withheld: this tool's answers are not for you]";

/// The rights of a reader, as far as they decide what is withheld.
#[derive(Clone, Debug)]
pub struct ConversationReader {
    user: UserId,
    /// By role, on the session's project.
    permissions: Permissions,
    /// By credential, anywhere.
    ceiling: Permissions,
}

impl ConversationReader {
    /// The caller that reads a session.
    pub fn of<P>(session: &Session<P>, call: &Call<P>) -> Self {
        let permissions = session.project.permissions;
        Self { user: call.actor.user, permissions, ceiling: call.actor.ceiling }
    }

    /// True if nothing of a message is withheld.
    pub fn reads_all_of(&self, message: &Message) -> bool {
        message.parts.iter().all(|part| self.may_read(part, message))
    }

    /// The message, without the parts that are withheld.
    pub fn read(&self, mut message: Message) -> Message {
        let mut parts = std::mem::take(&mut message.parts);
        for part in parts.iter_mut().filter(|part| !self.may_read(part, &message)) {
            match part {
                MessagePart::Text { .. } => {}
                MessagePart::ToolCall { params, .. } => params.clear(),
                MessagePart::ToolResult { text, .. } => WITHHELD.clone_into(text),
            }
        }
        Message { parts, ..message }
    }

    /// True if the reader may see a part. Results of tools beyond the project were read with the rights of the user who
    /// prompted, and only that user sees them.
    fn may_read(&self, part: &MessagePart, message: &Message) -> bool {
        match part {
            MessagePart::Text { .. } => true,
            MessagePart::ToolCall { name, .. } | MessagePart::ToolResult { name, .. } => {
                self.may_read_tool(name, message.prompted_by)
            }
        }
    }

    /// True if the reader may see a call of a tool by a run that `prompted_by` prompted.
    pub fn may_read_call(&self, tool: &str, prompted_by: UserId) -> bool {
        self.may_read_tool(tool, Some(prompted_by))
    }

    fn may_read_tool(&self, tool: &str, prompted_by: Option<UserId>) -> bool {
        match tool.split_once("__").map(|(toolbox, _)| toolbox) {
            Some("project" | "files") => true,
            Some("cards") => self.permissions.contains(Permission::CardRead),
            toolbox => {
                let prompted = prompted_by == Some(self.user);
                let may_prompt = self.permissions.contains(Permission::ProjectWrite);
                let of_team = toolbox == Some("teams");
                prompted && may_prompt && (!of_team || self.ceiling.contains(Permission::TeamRead))
            }
        }
    }
}
