//! The audit of a request, which its calls carry.

use std::sync::atomic::{AtomicBool, Ordering};

use auth::actor::Actor;
use domain::Code;
use domain::people::audit::{AuditRecord, NamedIds};
use domain::time::Timestamp;

/// The audit of one request.
#[derive(Debug)]
pub struct AuditTrail {
    operation: &'static str,
    request_id: String,
    named: NamedIds,
    /// True once a transaction of the request has written the entry.
    is_written: AtomicBool,
}

impl AuditTrail {
    /// The audit of a request to `operation` whose path names these ids.
    pub fn new(operation: &'static str, request_id: String, named: NamedIds) -> Self {
        Self { operation, request_id, named, is_written: AtomicBool::new(false) }
    }

    /// The record of the request's end.
    pub(crate) fn record(&self, actor: &Actor, now: Timestamp, refusal: Option<Code>) -> AuditRecord {
        AuditRecord {
            occurred_at: now,
            operation: self.operation,
            refusal,
            user: actor.user,
            key: actor.key(),
            request_id: self.request_id.clone(),
            named: self.named,
        }
    }

    /// True if a transaction writes the entry.
    pub(crate) fn is_written(&self) -> bool {
        self.is_written.load(Ordering::Relaxed)
    }

    /// Notes that a transaction writes the entry, which counts if the request succeeds.
    pub fn set_written(&self) {
        self.is_written.store(true, Ordering::Relaxed);
    }
}
