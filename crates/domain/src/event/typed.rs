//! The events of a session with their data by type, as streams send them and the OpenAPI document describes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::CommitHash;
use crate::content::project::BranchName;
use crate::content::upload::UploadProgress;
use crate::error::Refusal;
use crate::id::{ApprovalId, ExecutionId, ObjectId, RunId, UploadId, UserId};
use crate::time::Timestamp;
use crate::work::approval::{ApprovalReason, ApprovalStatus, ToolEffect};
use crate::work::conversation::{Message, RunStatus};
use crate::work::execution::{ExecutionFailure, ExecutionState};

/// Declares the events: description, name, variant and data of each.
macro_rules! typed_events {
    ($($(#[$doc:meta])+ $name:literal $variant:ident($data:ty),)+) => {
        /// An event of a session. Its `type` says which data it has. Clients ignore types that they don't know.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "type", rename_all_fields = "camelCase", deny_unknown_fields)]
        #[schemars(rename = "SessionEvent")]
        pub enum TypedEvent {
            $(
                $(#[$doc])+
                #[serde(rename = $name)]
                $variant {
                    /// The event's id, for `Last-Event-ID`.
                    id: String,
                    /// Number in the session, from 1.
                    sequence: i64,
                    /// Time of the event.
                    occurred_at: Timestamp,
                    /// Its data, by type.
                    data: $data,
                },
            )+
        }
    };
}

/// Declares the data of an event.
macro_rules! event_data {
    ($(#[$doc:meta])+ $name:ident { $($(#[$field_doc:meta])+ $field:ident: $type:ty,)+ }) => {
        $(#[$doc])+
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($(#[$field_doc])+ pub $field: $type,)+ }
    };
}

typed_events! {
    /// The session was opened.
    "session.created" SessionCreated(SessionCreatedData),
    /// The session was closed. Always the last event.
    "session.closed" SessionClosed(SessionClosedData),
    /// Objects of the session's branch were added, changed or deleted.
    "objects.changed" ObjectsChanged(ObjectsChangedData),
    /// An upload made progress or failed. Its success is announced by `objects.changed`.
    "upload.changed" UploadChanged(UploadProgress),
    /// A run started, continued or ended.
    "run.status" RunStatus(RunStatusData),
    /// A run waits, because the model's server asks for a pause.
    "run.waiting" RunWaiting(RunWaitingData),
    /// A message was added to the conversation.
    "message.created" MessageCreated(Message),
    /// A part of the message that the model is writing. The whole message follows, unless the run ends first.
    "message.delta" MessageDelta(MessageDeltaData),
    /// A tool call started.
    "tool.started" ToolStarted(ToolStartedData),
    /// A tool call ended.
    "tool.finished" ToolFinished(ToolFinishedData),
    /// The run is paused until a person decides whether it may call a tool.
    "approval.requested" ApprovalRequested(ApprovalRequestedData),
    /// A person decided, or a new prompt or the end of the session came first.
    "approval.answered" ApprovalAnswered(ApprovalAnsweredData),
    /// An execution started or ended.
    "execution.changed" ExecutionChanged(ExecutionChangedData),
    /// A part of an execution's output.
    "execution.output" ExecutionOutput(ExecutionOutputData),
    /// The client missed events that are no longer kept, and has to read their resources again.
    "resync" Resync(ResyncData),
}

event_data! {
    /// The opened session.
    SessionCreatedData {
        /// Its branch.
        branch: BranchName,
        /// The user who opened it.
        created_by: UserId,
    }
}

event_data! {
    /// The closed session.
    SessionClosedData {
        /// The user who closed it; null if it was closed with its branch, or lapsed.
        closed_by: Option<UserId>,
    }
}

event_data! {
    /// Counts of objects, and the ids of the first of them. Kinds of changes that did not happen are absent.
    ObjectsChangedData {
        /// The branch.
        branch: BranchName,
        /// The upload that added them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        upload_id: Option<UploadId>,
        /// Number of added objects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        added_count: Option<u64>,
        /// The first added objects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        added: Option<Vec<ObjectId>>,
        /// Number of changed objects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed_count: Option<u64>,
        /// The first changed objects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changed: Option<Vec<ObjectId>>,
        /// Number of deleted objects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deleted_count: Option<u64>,
        /// The first deleted objects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        deleted: Option<Vec<ObjectId>>,
        /// Number of discarded changes. Their objects are not known any more.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        discarded_count: Option<u64>,
        /// The commit to which a merge or a reversal has moved the branch.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit_hash: Option<CommitHash>,
    }
}

event_data! {
    /// The state of a run.
    RunStatusData {
        /// The run.
        task_id: RunId,
        /// State.
        status: RunStatus,
        /// The reason of a failed run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Refusal>,
    }
}

event_data! {
    /// A pause of a run.
    RunWaitingData {
        /// The run.
        task_id: RunId,
        /// Its length in seconds.
        pause_secs: f64,
        /// The words of the model's server.
        reason: String,
    }
}

event_data! {
    /// A part of a message.
    MessageDeltaData {
        /// The run.
        task_id: RunId,
        /// The text that follows the parts before.
        text: String,
    }
}

event_data! {
    /// A call of a tool.
    ToolStartedData {
        /// The run.
        task_id: RunId,
        /// The model's id of the call.
        call_id: String,
        /// The tool, as `{toolbox}__{tool}`.
        name: String,
    }
}

event_data! {
    /// The end of a tool's call. The result is in the message that follows.
    ToolFinishedData {
        /// The run.
        task_id: RunId,
        /// The model's id of the call.
        call_id: String,
        /// The tool, as `{toolbox}__{tool}`.
        name: String,
        /// True if the tool refused or failed.
        is_error: bool,
    }
}

event_data! {
    /// A question. Its arguments are read from the approval, by callers who may see them.
    ApprovalRequestedData {
        /// The question.
        approval_id: ApprovalId,
        /// The run.
        task_id: RunId,
        /// The model's id of the call.
        call_id: String,
        /// The tool, as `{toolbox}__{tool}`.
        name: String,
        /// The effects of the tool.
        effects: Vec<ToolEffect>,
        /// Why it is asked.
        reason: ApprovalReason,
    }
}

event_data! {
    /// An answered question.
    ApprovalAnsweredData {
        /// The question.
        approval_id: ApprovalId,
        /// The run.
        task_id: RunId,
        /// The model's id of the call.
        call_id: String,
        /// The tool, as `{toolbox}__{tool}`.
        name: String,
        /// State.
        status: ApprovalStatus,
        /// The user who answered; null if it was superseded.
        answered_by: Option<UserId>,
    }
}

event_data! {
    /// The state of an execution.
    ExecutionChangedData {
        /// The execution.
        execution_id: ExecutionId,
        /// The executed object, with the first event.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        object_id: Option<ObjectId>,
        /// State.
        state: ExecutionState,
        /// The reason of a failed execution.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<ExecutionFailure>,
    }
}

event_data! {
    /// A part of an execution's output.
    ExecutionOutputData {
        /// The execution.
        execution_id: ExecutionId,
        /// The text that follows the parts before.
        text: String,
        /// True if the execution wrote more than is kept.
        truncated: bool,
    }
}

event_data! {
    /// The events that are kept.
    ResyncData {
        /// Sequence of the oldest.
        first: i64,
        /// Sequence of the newest.
        last: i64,
    }
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;
    use serde_json::Value;

    use super::TypedEvent;
    use crate::event::EventType;

    #[test]
    fn every_type_of_event_has_a_schema() {
        let names = |schema: Value, place: &str| {
            let alternatives = schema["oneOf"].as_array().unwrap().iter();
            let names = alternatives.map(|one| one.pointer(place).unwrap().as_str().unwrap().to_owned());
            names.collect::<Vec<_>>()
        };
        let typed = names(schema_for!(TypedEvent).to_value(), "/properties/type/const");
        assert_eq!(typed, names(schema_for!(EventType).to_value(), "/const"));
    }
}
