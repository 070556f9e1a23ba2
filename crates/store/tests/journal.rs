//! The journal of requests, which bounds what refusals add to the audit log.

use auth::actor::{Actor, ActorCredential};
use domain::Code;
use domain::id::UserId;
use domain::people::audit::NamedIds;
use domain::people::permission::Permissions;
use domain::time::{Clock, Timestamp};
use store::{AuditJournal, AuditTrail};
use uuid::Uuid;

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
    let later = now.plus_seconds(60);
    journal.note(&trail(5_000), &flooder, later, Some(Code::NotFound));
    let (entries, lost) = journal.take();
    let of_flooder: Vec<u32> = entries
        .iter()
        .filter(|(record, _)| record.user == flooder.user)
        .map(|(_, attempts)| *attempts)
        .collect();
    assert_eq!(of_flooder.len(), 11);
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
