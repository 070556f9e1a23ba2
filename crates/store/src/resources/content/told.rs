//! Tells a session what was changed through it: by tools, and so by its agent. Uploads tell by themselves.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::edit::{Edit, EditAction};
use domain::event::{EventType, NewEvent};
use domain::id::ObjectId;
use domain::object::CommitHash;
use domain::project::BranchName;
use serde_json::{Map, Value, json};

use crate::access::call::Call;
use crate::resources::session_events;
use crate::resources::store::Tx;

/// Most objects of a kind that an event names; it counts all.
const NAMED_IN_EVENT: usize = 100;

/// What became of a branch's objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(Map<String, Value>);

impl Told {
    /// One object was `added` or `changed`.
    pub(crate) fn one(what: &str, object: ObjectId) -> Self {
        let mut told = Self::default();
        told.add(what, 1, &[object]);
        told
    }

    /// So many changes were discarded: which they were is not known any more.
    pub(crate) fn discarded(count: usize) -> Self {
        Self(Map::from_iter([("discardedCount".to_owned(), json!(count))]))
    }

    /// The branch moved to a commit that others' changes are in.
    pub(crate) fn moved_to(commit: CommitHash) -> Self {
        Self(Map::from_iter([("commitHash".to_owned(), json!(commit))]))
    }

    /// `count` objects were `what`, these among them.
    fn add(&mut self, what: &str, count: usize, objects: &[ObjectId]) {
        if count > 0 {
            let named: Vec<ObjectId> = objects.iter().take(NAMED_IN_EVENT).copied().collect();
            self.0.insert(format!("{what}Count"), json!(count));
            self.0.insert(what.to_owned(), json!(named));
        }
    }
}

/// Tells the session in which the caller acts, if it acts in one. The transaction holds the session's count of events from
/// here on, so this comes last.
pub(crate) async fn change(
    tx: &mut Tx,
    branch: &BranchName,
    call: &Call<ProjectWrite>,
    told: &Told,
) -> Result<()> {
    let Some(acting) = &call.actor.acting_in else { return Ok(()) };
    let mut data = told.0.clone();
    data.insert("branch".to_owned(), json!(branch));
    let event = NewEvent { kind: EventType::ObjectsChanged, data: Value::Object(data) };
    session_events::append(tx, acting.session, call.now, &event).await
}

/// As [`change`], of edits that came to these counts.
pub(crate) async fn edits(
    tx: &mut Tx,
    branch: &BranchName,
    call: &Call<ProjectWrite>,
    edits: &[Edit],
    counts: &[usize],
) -> Result<()> {
    let (mut added, mut changed, mut deleted) =
        (EditCount::default(), EditCount::default(), EditCount::default());
    for (edit, count) in edits.iter().zip(counts) {
        let kind = match &edit.action {
            EditAction::Create(_) => &mut added,
            EditAction::Change(..) => &mut changed,
            EditAction::Delete(_) => &mut deleted,
        };
        kind.count += count;
        if *count > 0 {
            kind.objects.push(edit.object);
        }
    }
    let mut told = Told::default();
    for (what, kind) in [("added", added), ("changed", changed), ("deleted", deleted)] {
        told.add(what, kind.count, &kind.objects);
    }
    if told.0.is_empty() {
        return Ok(());
    }
    change(tx, branch, call, &told).await
}

/// What edits of one kind came to.
#[derive(Default)]
struct EditCount {
    count: usize,
    objects: Vec<ObjectId>,
}
