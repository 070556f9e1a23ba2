//! Writing the journal to the audit log, many entries at once.

use std::pin::pin;
use std::time::Duration;

use domain::Result;
use domain::people::audit::AuditRecord;
use tokio::time::{MissedTickBehavior, interval};

use crate::resources::audit::insert;
use crate::resources::store::Store;
use crate::resources::store::audit_journal::AuditJournal;

/// Time between two writes.
const INTERVAL: Duration = Duration::from_millis(250);
/// Most entries of one statement.
const BATCH_MAX: usize = 500;

impl Store {
    /// The journal of this process's requests.
    pub fn journal(&self) -> &AuditJournal {
        &self.journal
    }

    /// Writes the journal to the audit log until `end`, and then once more. A write is never left half way: entries on
    /// their way to the database are in the journal no longer.
    pub async fn keep_audit_log(&self, end: impl Future<Output = ()>) {
        let mut end = pin!(end);
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let has_ended = tokio::select! {
                () = &mut end => true,
                _ = ticks.tick() => false,
            };
            self.write_audit_log().await;
            if has_ended {
                return;
            }
        }
    }

    /// Writes what waits in the journal. What can't be written waits for the next time.
    async fn write_audit_log(&self) {
        let (mut entries, lost) = self.journal.take();
        if lost > 0 {
            tracing::error!(lost, "entries of the audit log lost: the database was away for too long");
        }
        while !entries.is_empty() {
            let rest = entries.split_off(entries.len().min(BATCH_MAX));
            if let Err(error) = self.insert_entries(&entries).await {
                tracing::warn!("error.chain" = error.chain(), "audit log not written; it is retried");
                entries.extend(rest);
                return self.journal.put_back(entries);
            }
            entries = rest;
        }
    }

    async fn insert_entries(&self, entries: &[(AuditRecord, u32)]) -> Result<()> {
        insert(&self.connection().await?, entries).await
    }
}
