//! Events about changed objects: in the project's stream, and in that of the session through which a tool or an agent changed
//! them. Uploads append their own events to the session.

use auth::actor::ProjectWrite;
use domain::content::edit::{Edit, EditAction};
use domain::content::object::CommitHash;
use domain::content::project::BranchName;
use domain::event::change::ChangeData;
use domain::event::{EventType, NewEvent};
use domain::id::{ObjectId, ProjectId, UploadId};
use domain::{Error, Result};
use serde_json::{Map, Value, json};

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::outbox::{ChangeOrigin, NewChangeEvent};
use crate::resources::store::Tx;
use crate::resources::work::session_events;

/// Most objects that an event names of each kind of change. Its counts include all.
const NAMED_IN_EVENT: usize = 100;

/// The data of an event: changes of a branch's objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectsChanged(Map<String, Value>);

impl ObjectsChanged {
    /// One object was changed; `kind` is `added` or `changed`.
    pub(crate) fn one(kind: &str, object: ObjectId) -> Self {
        let mut changed = Self::default();
        changed.add(kind, 1, &[object]);
        changed
    }

    /// This many changes were discarded. Their objects are not known any more.
    pub(crate) fn discarded(count: usize) -> Self {
        Self(Map::from_iter([("discardedCount".to_owned(), json!(count))]))
    }

    /// The branch moved to a commit with the changes of others.
    pub(crate) fn moved_to(commit: CommitHash) -> Self {
        Self(Map::from_iter([("commitHash".to_owned(), json!(commit))]))
    }

    /// Names the upload that made the changes, if one did.
    pub(super) fn of_upload(mut self, upload: Option<UploadId>) -> Self {
        self.0.extend(upload.map(|upload| ("uploadId".to_owned(), json!(upload))));
        self
    }

    /// The event of these changes on `branch`.
    pub(super) fn event(&self, branch: &BranchName) -> NewEvent {
        let mut data = self.0.clone();
        data.insert("branch".to_owned(), json!(branch));
        NewEvent { kind: EventType::ObjectsChanged, data: Value::Object(data) }
    }

    /// Adds the count of changes of one kind, and the ids of the first objects.
    pub(super) fn add(&mut self, kind: &str, count: usize, objects: &[ObjectId]) {
        if count > 0 {
            let named: Vec<ObjectId> = objects.iter().take(NAMED_IN_EVENT).copied().collect();
            self.0.insert(format!("{kind}Count"), json!(count));
            self.0.insert(kind.to_owned(), json!(named));
        }
    }
}

/// Appends an event to the project's stream, and to the session in which the caller acts, if any. It locks the session's
/// event counter, so it comes last in a transaction.
pub(crate) async fn notify(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    changed: &ObjectsChanged,
) -> Result<()> {
    let event = changed.event(&project.branch.name);
    publish(tx, call, project.record.id, &event)?;
    let Some(acting) = &call.actor.acting_in else { return Ok(()) };
    session_events::append(tx, acting.session, call.now, &event).await
}

/// Publishes a session's event of changed objects in the project's stream.
pub(super) fn publish(
    tx: &mut Tx,
    origin: impl Into<ChangeOrigin>,
    project: ProjectId,
    event: &NewEvent,
) -> Result<()> {
    let data = serde_json::from_value(event.data.clone()).map_err(Error::internal)?;
    tx.publish(NewChangeEvent::of_project(origin, project, ChangeData::ObjectsChanged(data)));
    Ok(())
}

/// Notifies of edits, as [`notify`]. `counts` are the numbers of objects that each edit changed.
pub(crate) async fn notify_of_edits(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    edits: &[Edit],
    counts: &[usize],
) -> Result<()> {
    let (mut added, mut changed, mut deleted) =
        (EditCount::default(), EditCount::default(), EditCount::default());
    for (edit, count) in edits.iter().zip(counts) {
        let affected = match &edit.action {
            EditAction::Create(_) => &mut added,
            EditAction::Change(..) => &mut changed,
            EditAction::Delete(_) => &mut deleted,
        };
        affected.count += count;
        if *count > 0 {
            affected.objects.push(edit.object);
        }
    }
    let mut data = ObjectsChanged::default();
    for (kind, affected) in [("added", added), ("changed", changed), ("deleted", deleted)] {
        data.add(kind, affected.count, &affected.objects);
    }
    if data.0.is_empty() {
        return Ok(());
    }
    notify(tx, project, call, &data).await
}

/// The objects that edits of one kind affected.
#[derive(Default)]
struct EditCount {
    count: usize,
    objects: Vec<ObjectId>,
}
