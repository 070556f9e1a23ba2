//! The journal of requests: what they changed or were refused, written to the audit log in batches.
//!
//! An answer doesn't wait for its entry. A process that is killed loses the entries of the last moment, of which those
//! of sensitive changes are written by their own transactions. Refusals are bounded: equal ones are counted in one entry,
//! and each user has a few entries of refusals in a minute.

use std::collections::HashMap;
use std::mem;
use std::sync::Arc;

use auth::actor::Actor;
use domain::Code;
use domain::id::UserId;
use domain::people::audit::{AuditRecord, NamedIds};
use domain::time::Timestamp;
use parking_lot::Mutex;

use crate::access::trail::AuditTrail;

/// Most entries that wait while the database is away.
const WAITING_MAX: usize = 50_000;
/// Entries of refusals for each user and minute. Further refusals are counted in the last of them.
const REFUSALS_MAX: u32 = 10;
/// The period of [`REFUSALS_MAX`], in seconds.
const PERIOD_SECS: i64 = 60;
/// Most users whose refusals are counted. One more clears them.
const USERS_MAX: usize = 10_000;

/// Entries that wait to be written. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct AuditJournal(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    entries: Vec<(AuditRecord, u32)>,
    /// The place of each kind of refusal among the entries.
    refusals: HashMap<RefusalKind, usize>,
    users: HashMap<UserId, RefusedUser>,
    lost: u64,
}

/// Equal refusals.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RefusalKind {
    user: UserId,
    operation: &'static str,
    code: Code,
    named: NamedIds,
}

/// The refusals of a user.
#[derive(Debug)]
struct RefusedUser {
    since: Timestamp,
    entries: u32,
    /// Attempts that no entry counts yet.
    uncounted: u32,
}

impl AuditJournal {
    /// Notes the end of a request: of a change, or of a refused attempt.
    pub fn note(&self, trail: &AuditTrail, actor: &Actor, now: Timestamp, refusal: Option<Code>) {
        let record = trail.record(actor, now, refusal);
        match refusal {
            None if trail.is_written() => {}
            None => self.0.lock().add(record, 1),
            Some(code) => self.0.lock().refuse(record, code),
        }
    }

    /// Takes all entries with their numbers of attempts, and the number of entries that were lost.
    pub fn take(&self) -> (Vec<(AuditRecord, u32)>, u64) {
        let mut waiting = self.0.lock();
        waiting.refusals.clear();
        (mem::take(&mut waiting.entries), mem::take(&mut waiting.lost))
    }

    /// Returns entries that could not be written.
    pub fn put_back(&self, mut entries: Vec<(AuditRecord, u32)>) {
        let mut waiting = self.0.lock();
        // The places of refusals would be others.
        waiting.refusals.clear();
        entries.append(&mut waiting.entries);
        let lost = entries.len().saturating_sub(WAITING_MAX);
        entries.truncate(WAITING_MAX);
        waiting.lost = waiting.lost.saturating_add(u64::try_from(lost).unwrap_or(u64::MAX));
        waiting.entries = entries;
    }
}

impl Waiting {
    fn add(&mut self, record: AuditRecord, attempts: u32) {
        if self.entries.len() < WAITING_MAX {
            self.entries.push((record, attempts));
        } else {
            self.lost = self.lost.saturating_add(1);
        }
    }

    fn refuse(&mut self, record: AuditRecord, code: Code) {
        let AuditRecord { user, operation, named, .. } = record;
        let refusal = RefusalKind { user, operation, code, named };
        let counted = self.refusals.get(&refusal).and_then(|place| self.entries.get_mut(*place));
        if let Some((_, attempts)) = counted {
            *attempts = attempts.saturating_add(1);
            return;
        }
        if self.users.len() >= USERS_MAX && !self.users.contains_key(&user) {
            self.users.clear();
        }
        let of_user = self.users.entry(user).or_insert(RefusedUser {
            since: record.occurred_at,
            entries: 0,
            uncounted: 0,
        });
        if of_user.since.plus_seconds(PERIOD_SECS) <= record.occurred_at {
            (of_user.since, of_user.entries) = (record.occurred_at, 0);
        }
        if of_user.entries >= REFUSALS_MAX {
            of_user.uncounted = of_user.uncounted.saturating_add(1);
            return;
        }
        of_user.entries += 1;
        let attempts = mem::take(&mut of_user.uncounted).saturating_add(1);
        self.refusals.insert(refusal, self.entries.len());
        self.add(record, attempts);
    }
}
