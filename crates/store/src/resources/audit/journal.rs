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
use domain::audit::{AuditRecord, NamedIds};
use domain::id::UserId;
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

    pub(super) fn take(&self) -> (Vec<(AuditRecord, u32)>, u64) {
        let mut waiting = self.0.lock();
        waiting.refusals.clear();
        (mem::take(&mut waiting.entries), mem::take(&mut waiting.lost))
    }

    /// Returns entries that could not be written.
    pub(super) fn put_back(&self, mut entries: Vec<(AuditRecord, u32)>) {
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

#[cfg(test)]
mod tests {
    use auth::actor::{Actor, ActorCredential};
    use domain::Code;
    use domain::audit::NamedIds;
    use domain::id::UserId;
    use domain::permission::Permissions;
    use domain::time::{Clock, Timestamp};
    use uuid::Uuid;

    use super::{AuditJournal, PERIOD_SECS, REFUSALS_MAX};
    use crate::access::trail::AuditTrail;

    fn actor(now: Timestamp) -> Actor {
        let (user, credential) = (UserId::new(now), ActorCredential::Job);
        Actor { user, credential, ceiling: Permissions::all(), confinement: None, acting_in: None }
    }

    /// A request for something new.
    fn trail(number: u128) -> AuditTrail {
        let last = Some(Uuid::from_u128(number));
        AuditTrail::new("createCard", number.to_string(), NamedIds { last, ..NamedIds::default() })
    }

    #[test]
    fn one_user_adds_few_entries_of_refusals_and_each_attempt_counts() {
        let journal = AuditJournal::default();
        let now = Clock::system().now();
        let (flooder, other) = (actor(now), actor(now));
        for number in 0..1_000 {
            journal.note(&trail(number), &flooder, now, Some(Code::NotFound));
        }
        journal.note(&trail(0), &other, now, Some(Code::Forbidden));
        let later = now.plus_seconds(PERIOD_SECS);
        journal.note(&trail(5_000), &flooder, later, Some(Code::NotFound));
        let (entries, lost) = journal.take();
        let of_flooder: Vec<u32> = entries
            .iter()
            .filter(|(record, _)| record.user == flooder.user)
            .map(|(_, attempts)| *attempts)
            .collect();
        assert_eq!(of_flooder.len(), usize::try_from(REFUSALS_MAX).unwrap() + 1);
        assert_eq!(of_flooder.iter().sum::<u32>(), 1_001);
        assert_eq!((entries.len(), lost), (of_flooder.len() + 1, 0));
    }

    #[test]
    fn equal_refusals_are_one_entry_and_changes_are_one_each() {
        let journal = AuditJournal::default();
        let now = Clock::system().now();
        let alice = actor(now);
        for _ in 0..20 {
            journal.note(&trail(1), &alice, now, Some(Code::Forbidden));
            journal.note(&trail(1), &alice, now, None);
        }
        let written = trail(2);
        written.set_written();
        journal.note(&written, &alice, now, None);
        let (entries, _) = journal.take();
        assert_eq!(entries.iter().map(|(_, attempts)| *attempts).max(), Some(20));
        assert_eq!(entries.len(), 21);
        journal.put_back(entries);
        assert_eq!(journal.take().0.len(), 21);
    }
}
