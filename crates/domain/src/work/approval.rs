//! Effects of tools, and questions whether an agent may use one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{ApprovalId, RunId, SessionId, UserId};
use crate::time::Timestamp;

/// An effect that a tool may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ToolEffect {
    /// Reads data that others may not see.
    Read,
    /// Creates or changes data.
    Write,
    /// Deletes data.
    Destroy,
    /// Sends its arguments to a server outside of this service.
    SendOut,
    /// Shows text that others have written, which may try to instruct the agent.
    ShowUntrusted,
}

/// An effect that the opener of a session can allow or have asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ApprovableEffect {
    /// Reading.
    Read,
    /// Creating and changing.
    Write,
    /// Deleting.
    Destroy,
    /// Sending to servers outside of this service.
    SendOut,
}

/// The reason of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalReason {
    /// The session's opener did not choose all effects of the tool as approved.
    NotAutoApproved,
    /// The tool sends out, and the agent has read text that others have written.
    UntrustedText,
}

/// The state of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// It waits for an answer. The run is paused.
    Pending,
    /// The tool may be called this once.
    Approved,
    /// The tool may not be called. The agent learns of it.
    Denied,
    /// A new prompt or the end of the session came first. The tool was not called.
    Superseded,
}

/// A person's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// Call the tool.
    Approve,
    /// Don't call it.
    Deny,
}

/// A call of a tool that waits, or waited, for an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRecord {
    /// Id.
    pub id: ApprovalId,
    /// Its session.
    pub session: SessionId,
    /// The run that it pauses.
    pub run: RunId,
    /// The model's id of the call.
    pub call_id: String,
    /// The tool, as `{toolbox}__{tool}`.
    pub tool: String,
    /// Its arguments.
    pub params: Map<String, Value>,
    /// Its effects.
    pub effects: Vec<ToolEffect>,
    /// Why it is asked.
    pub reason: ApprovalReason,
    /// State.
    pub status: ApprovalStatus,
    /// The user for whom the run acted.
    pub prompted_by: UserId,
    /// Time of the question.
    pub requested_at: Timestamp,
    /// The user who answered.
    pub answered_by: Option<UserId>,
    /// Time of the answer, or of what superseded it.
    pub answered_at: Option<Timestamp>,
}

impl ApprovableEffect {
    /// The choice of a session without one of its own: what can't be taken back is asked about.
    pub const DEFAULT: [Self; 2] = [Self::Read, Self::Write];
    /// All of them: nothing is asked about, except for sending out after untrusted text.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Destroy, Self::SendOut];
}

impl ToolEffect {
    /// True if a session with these choices lets a tool have the effect without a question.
    pub fn is_approved(self, approved: &[ApprovableEffect]) -> bool {
        match self {
            Self::Read => approved.contains(&ApprovableEffect::Read),
            Self::Write => approved.contains(&ApprovableEffect::Write),
            Self::Destroy => approved.contains(&ApprovableEffect::Destroy),
            Self::SendOut => approved.contains(&ApprovableEffect::SendOut),
            Self::ShowUntrusted => true,
        }
    }

    /// The reason to ask about a tool with these effects; `None` if it needs no question.
    pub fn reason_to_ask(
        effects: &[Self],
        approved: &[ApprovableEffect],
        has_read_untrusted: bool,
    ) -> Option<ApprovalReason> {
        if has_read_untrusted && effects.contains(&Self::SendOut) {
            return Some(ApprovalReason::UntrustedText);
        }
        let is_covered = effects.iter().all(|effect| effect.is_approved(approved));
        (!is_covered).then_some(ApprovalReason::NotAutoApproved)
    }
}

#[cfg(test)]
mod tests {
    use super::{ApprovableEffect, ApprovalReason, ToolEffect};

    #[test]
    fn what_is_not_chosen_is_asked_and_sending_out_after_untrusted_text_always() {
        let reads = [ToolEffect::Read, ToolEffect::ShowUntrusted];
        let destroys = [ToolEffect::Write, ToolEffect::Destroy];
        let sends = [ToolEffect::SendOut, ToolEffect::ShowUntrusted];
        let asked = |effects: &[ToolEffect], approved: &[ApprovableEffect], untrusted| {
            ToolEffect::reason_to_ask(effects, approved, untrusted)
        };
        for effects in [&reads[..], &destroys, &sends] {
            assert_eq!(asked(effects, &ApprovableEffect::ALL, false), None);
            assert_eq!(asked(effects, &[], false), Some(ApprovalReason::NotAutoApproved));
        }
        let but_destroy = [ApprovableEffect::Read, ApprovableEffect::Write, ApprovableEffect::SendOut];
        assert_eq!(asked(&destroys, &but_destroy, true), Some(ApprovalReason::NotAutoApproved));
        assert_eq!(asked(&reads, &but_destroy, true), None);
        assert_eq!(asked(&sends, &ApprovableEffect::ALL, true), Some(ApprovalReason::UntrustedText));
    }
}
