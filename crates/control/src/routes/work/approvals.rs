//! Questions of a session whether its agent may call a tool.

pub mod answer;
pub mod get;
pub mod list;

use api::work::approvals::Approval;
use domain::work::approval::ApprovalRecord;
use wire::{Endpoint, endpoint};

use crate::app::App;
use crate::sessions::conversation_reader::ConversationReader;

/// The endpoints of approvals.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(get::handle), endpoint(answer::handle)]
}

/// A question as `reader` may see it.
fn view(record: ApprovalRecord, reader: &ConversationReader) -> Approval {
    let may_read = reader.may_read_call(&record.tool, record.prompted_by);
    Approval {
        approval_id: record.id,
        session_id: record.session,
        task_id: record.run,
        call_id: record.call_id,
        name: record.tool,
        params: may_read.then_some(record.params),
        effects: record.effects,
        reason: record.reason,
        status: record.status,
        prompted_by: record.prompted_by,
        requested_at: record.requested_at,
        answered_by: record.answered_by,
        answered_at: record.answered_at,
    }
}
