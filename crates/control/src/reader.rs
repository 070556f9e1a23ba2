//! Who reads the conversation of a session: all who read its project, but of what an agent's tools were asked and answered
//! only what they could learn by these tools themselves.

use auth::actor::ProjectRead;
use auth::permission::{Permission, Permissions};
use domain::conversation::{Message, Part};
use domain::id::UserId;
use store::{Call, Session};

/// What stands where a tool's answer is withheld.
const WITHHELD: &str = "[withheld: this tool's answers are not for you]";

/// Somebody who reads a conversation.
#[derive(Clone, Debug)]
pub struct Reader {
    user: UserId,
    /// On the session's project.
    permissions: Permissions,
    /// Anywhere, with this credential.
    ceiling: Permissions,
}

impl Reader {
    /// Who asks for a session.
    pub fn of(session: &Session<ProjectRead>, call: &Call<ProjectRead>) -> Self {
        let permissions = session.project.permissions;
        Self { user: call.actor.user, permissions, ceiling: call.actor.ceiling }
    }

    /// Whether nothing of a message is withheld.
    pub fn reads_all_of(&self, message: &Message) -> bool {
        message.parts.iter().all(|part| self.may_read(part, message))
    }

    /// The message as it is to be read.
    pub fn read(&self, mut message: Message) -> Message {
        let mut parts = std::mem::take(&mut message.parts);
        for part in parts.iter_mut().filter(|part| !self.may_read(part, &message)) {
            match part {
                Part::Text { .. } => {}
                Part::ToolCall { params, .. } => params.clear(),
                Part::ToolResult { text, .. } => WITHHELD.clone_into(text),
            }
        }
        Message { parts, ..message }
    }

    /// Whether a part of a message is for this reader. What is not the project's own was learnt by the authority of who
    /// prompted, and stays theirs.
    fn may_read(&self, part: &Part, message: &Message) -> bool {
        let tool = match part {
            Part::Text { .. } => return true,
            Part::ToolCall { name, .. } | Part::ToolResult { name, .. } => name,
        };
        match tool.split_once("__").map(|(toolbox, _)| toolbox) {
            Some("project" | "files") => true,
            Some("cards") => self.permissions.contains(Permission::CardRead),
            toolbox => {
                let prompted = message.prompted_by == Some(self.user);
                let may_prompt = self.permissions.contains(Permission::ProjectWrite);
                let of_team = toolbox == Some("teams");
                prompted && may_prompt && (!of_team || self.ceiling.contains(Permission::TeamRead))
            }
        }
    }
}
