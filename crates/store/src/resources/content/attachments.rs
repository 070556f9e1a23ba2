//! Attachment of uploads to trees: the uploads of one session all or none, and each at most once.

mod branches;
pub mod folders;
mod insertion;
pub mod present;
pub(crate) mod replacement;

use std::collections::{HashMap, HashSet};
use std::slice;

use auth::actor::{ActorGrant, GrantedSession, ProjectWrite};
use database::prelude::*;
use database::schema::files;
use domain::content::project::ProjectRef;
use domain::content::upload::{Attached, Attachment, ObjectMap, Replacement};
use domain::event::{EventType, NewEvent};
use domain::id::{ObjectId, OwnerId, SessionId, UploadId};
use domain::planning::custom_field::ObjectDefaults;
use domain::{Error, Result};
use futures_util::future::join;
use serde_json::json;

use self::branches::{BranchQuery, BranchState, LockedBranch, lock, read_states, try_lock};
use self::insertion::insertion;
use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::branch_objects;
use crate::resources::content::file_objects::check_replaceable;
use crate::resources::content::notifications::publish;
use crate::resources::outbox::ChangeOrigin;
use crate::resources::planning::custom_fields;
use crate::resources::store::Tx;
use crate::resources::work::session_events;

/// Most objects that an event names. An assembly may have 100,000.
const NAMED_IN_EVENT: usize = 100;

/// Uploads through one session under the same grant. They are attached to its branch all or none.
pub(crate) struct AttachmentGroup<'a> {
    /// The grant that they were sent with.
    pub(crate) grant: &'a ActorGrant,
    /// The grant's session.
    pub(crate) through: &'a GrantedSession,
    /// A call with the grant's rights.
    pub(crate) call: Call<ProjectWrite>,
    /// The uploads.
    pub(crate) attachments: Vec<&'a Attachment>,
}

/// Applies the uploads of a group to its branch, and waits for its locks. An upload that was applied before is not
/// applied again: its recorded map is returned, even if its session has been closed since.
///
/// Access is decided in the statement that takes the locks, and COMMIT travels with the writes: two round trips in all. If
/// anything is written, no statement may follow.
///
/// # Errors
/// `UNAUTHENTICATED` if the grant's session is closed or its key revoked; `NOT_FOUND` if the project is not reachable,
/// a parent is not in the tree, or the branch is gone; `FORBIDDEN`; `UNAVAILABLE`.
pub(crate) async fn apply(tx: &mut Tx, group: &AttachmentGroup<'_>) -> Result<Vec<Attached>> {
    let queries = [group.branch_query()];
    let (branch, states) = join(lock(tx, group), read_states(tx, &queries)).await;
    // A failure of the first statement aborts the transaction, and so the second statement.
    let branches = vec![Ok(branch?)];
    let mut applied = write(tx, slice::from_ref(group), &queries, branches, states?).await?;
    applied.pop().ok_or_else(|| Error::internal("uploads have no result"))?
}

/// Applies the uploads of several groups as [`apply`] does, all in the same statements, which wait for no lock. A
/// refused group does not affect the others.
///
/// # Errors
/// `UNAVAILABLE`. For each group: those of [`apply`]; `NOT_FOUND` if another transaction holds one of its rows;
/// `BRANCH_CONFLICT` if its branch is nearly full.
pub(crate) async fn try_apply_all(
    tx: &mut Tx,
    groups: &[AttachmentGroup<'_>],
) -> Result<Vec<Result<Vec<Attached>>>> {
    let queries: Vec<BranchQuery<'_>> = groups.iter().map(AttachmentGroup::branch_query).collect();
    let (branches, states) = join(try_lock(tx, groups), read_states(tx, &queries)).await;
    write(tx, groups, &queries, branches?, states?).await
}

/// Checks and writes the uploads of groups whose branches are locked, and commits.
async fn write(
    tx: &mut Tx,
    groups: &[AttachmentGroup<'_>],
    queries: &[BranchQuery<'_>],
    branches: Vec<Result<LockedBranch>>,
    mut states: Vec<Option<BranchState>>,
) -> Result<Vec<Result<Vec<Attached>>>> {
    let Some(now) = groups.first().map(|group| group.call.now) else { return Ok(Vec::new()) };
    // States that were read under the locks include all that earlier holders committed. The revision shows if they were
    // read before: the order of joined statements is the driver's, and no rule of ours.
    let is_current = |(branch, state): (&Result<LockedBranch>, &Option<BranchState>)| match (branch, state) {
        (Ok(branch), Some(state)) => branch.project.branch.revision == state.revision,
        (Ok(_), None) => false,
        (Err(_), _) => true,
    };
    if !branches.iter().zip(&states).all(is_current) {
        states = read_states(tx, queries).await?;
    }
    let mut all = Vec::with_capacity(groups.len());
    for ((group, branch), state) in groups.iter().zip(branches).zip(states) {
        let checked = match (branch, state) {
            (Ok(branch), Some(state)) => CheckedGroup::check(tx, group, branch, state).await,
            (Ok(_), None) => Err(Error::not_found()),
            (Err(error), _) => Err(error),
        };
        match checked {
            Err(error) if error.is_server_fault() => return Err(error),
            checked => all.push(checked),
        }
    }
    let new: Vec<&CheckedGroup<'_>> = all.iter().flatten().filter(|group| !group.new.is_empty()).collect();
    let mut kept = HashSet::new();
    if !new.is_empty() {
        let events: Vec<(SessionId, NewEvent)> = new.iter().flat_map(|group| group.events()).collect();
        let events: Vec<(SessionId, &NewEvent)> =
            events.iter().map(|(session, event)| (*session, event)).collect();
        let insertion = insertion(now, &new)?;
        for group in &new {
            for (_, event) in group.events() {
                publish(tx, group.origin, group.project.record.id, &event)?;
            }
        }
        let appending = session_events::append_statement(now, &events)?;
        let written = async {
            let (inserted, appended) = join(insertion.run(tx), appending.run(tx)).await;
            // A failure of the first statement aborts the transaction, and so the second statement.
            inserted.and_then(|kept| appended.map(|()| kept))
        };
        kept = tx.commit_with(written).await?;
    }
    Ok(groups.iter().zip(all).map(|(group, checked)| checked?.attached(group, &kept)).collect())
}

impl AttachmentGroup<'_> {
    fn branch_query(&self) -> BranchQuery<'_> {
        BranchQuery {
            project: self.grant.project,
            branch: &self.through.branch,
            parents: self.attachments.iter().map(|attachment| attachment.parent).collect(),
            uploads: self.attachments.iter().map(|attachment| attachment.upload).collect(),
        }
    }
}

/// A group whose uploads may be attached.
struct CheckedGroup<'a> {
    project: Project<ProjectWrite>,
    session: SessionId,
    origin: ChangeOrigin,
    /// The uploads that were not applied before.
    new: Vec<&'a Attachment>,
    /// The map of each upload.
    maps: HashMap<UploadId, ObjectMap>,
    /// Blobs that the project refers to for the files of uploads that were applied before.
    kept: HashSet<String>,
    /// The defaults of the new objects.
    defaults: ObjectDefaults,
}

impl<'a> CheckedGroup<'a> {
    /// Runs every check of a group.
    async fn check(
        tx: &mut Tx,
        group: &AttachmentGroup<'a>,
        branch: LockedBranch,
        state: BranchState,
    ) -> Result<Self> {
        let LockedBranch { project, is_live } = branch;
        let BranchState { changed, applied: mut maps, has_defaults, .. } = state;
        let (before, new): (Vec<&Attachment>, Vec<&Attachment>) =
            group.attachments.iter().copied().partition(|attachment| maps.contains_key(&attachment.upload));
        let kept = blobs_of(tx, &project, &before).await?;
        if !new.is_empty() {
            if !is_live {
                return Err(Error::unauthenticated());
            }
            new.iter().try_for_each(|attachment| refuse_detached(attachment))?;
            let is_elsewhere = |owner| owner != project.record.owner_id;
            if new.iter().filter_map(|attachment| attachment.owner).any(is_elsewhere) {
                return Err(Error::not_found());
            }
            let parents: Vec<ObjectId> = new.iter().map(|attachment| attachment.parent).collect();
            refuse_missing(tx, &project, &changed, &parents).await?;
            maps.extend(
                new.iter().map(|attachment| (attachment.upload, attachment.objects.iter().collect())),
            );
        }
        let defaults = match has_defaults && !new.is_empty() {
            true => custom_fields::object_defaults(tx, project.record.id).await?,
            false => ObjectDefaults::default(),
        };
        let origin = ChangeOrigin::from(&group.call);
        Ok(Self { project, session: group.through.session, origin, new, maps, kept, defaults })
    }

    /// The events of the uploads that are applied now.
    fn events(&self) -> impl Iterator<Item = (SessionId, NewEvent)> {
        self.new.iter().map(|attachment| (self.session, event(&self.project, attachment)))
    }

    /// The result of each upload. `kept` are the blobs that projects refer to for files that are written now.
    fn attached(self, group: &AttachmentGroup<'_>, kept: &HashSet<String>) -> Result<Vec<Attached>> {
        let is_kept = |key: &String| self.kept.contains(key) || kept.contains(key);
        let attachments = group.attachments.iter().map(|attachment| {
            let map = self.maps.get(&attachment.upload).cloned();
            let map = map.ok_or_else(|| Error::internal("an upload was not applied"))?;
            Ok(attached(attachment, map, is_kept))
        });
        attachments.collect()
    }
}

/// The result of an upload. `is_kept` decides if the project refers to a blob.
fn attached(attachment: &Attachment, map: ObjectMap, is_kept: impl Fn(&String) -> bool) -> Attached {
    let keys = attachment.files.iter().map(|file| &file.blob_key);
    Attached { map, unneeded_blobs: keys.filter(|key| !is_kept(key)).cloned().collect() }
}

/// The event of an upload that is applied.
fn event(project: &Project<ProjectWrite>, attachment: &Attachment) -> NewEvent {
    let named = attachment.objects.iter().take(NAMED_IN_EVENT);
    let data = json!({
        "branch": project.branch.name,
        "uploadId": attachment.upload,
        "addedCount": attachment.objects.len(),
        "added": named.map(|object| object.id).collect::<Vec<_>>(),
    });
    NewEvent { kind: EventType::ObjectsChanged, data }
}

/// Checks that an upload's parent is in the tree, before the bytes are sent. Attachment checks again.
///
/// # Errors
/// `NOT_FOUND` if it is not.
pub async fn require_parent(tx: &mut Tx, project: &Project<ProjectWrite>, parent: ObjectId) -> Result<()> {
    let id = project.record.id;
    let is_there =
        parent == id.into() || branch_objects::find(tx, id, &project.branch, parent).await?.is_some();
    if is_there { Ok(()) } else { Err(Error::not_found()) }
}

/// Checks that an upload may replace the file of an object, before the bytes are sent. Attachment checks again.
///
/// # Errors
/// `NOT_FOUND`, `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`.
pub async fn require_replaceable(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    object: ObjectId,
    replacement: &Replacement,
) -> Result<()> {
    let object = branch_objects::find(tx, project.record.id, &project.branch, object).await?;
    check_replaceable(&object.ok_or_else(Error::not_found)?, replacement.expected.as_ref())
}

/// The target of an upload, as its request names it.
#[derive(Clone, Copy, Debug)]
pub struct AttachTarget<'a> {
    /// The project and the branch.
    pub project: &'a ProjectRef,
    /// The owner that the project must have.
    pub owner: OwnerId,
    /// The object to attach to, or whose file is replaced.
    pub parent: ObjectId,
    /// Set if the object's file is replaced.
    pub replaces: Option<&'a Replacement>,
}

/// The recorded map of an upload that was applied. If it was not, or none is named, checks the parent as [`require_parent`],
/// and that its file may be replaced if the upload does that.
///
/// # Errors
/// `NOT_FOUND` if the project is not reachable, has another owner, or does not have the parent in its tree; `FORBIDDEN`;
/// `PRECONDITION_FAILED`, `FILE_NOT_REPLACEABLE`.
pub(crate) async fn find_applied(
    tx: &mut Tx,
    target: &AttachTarget<'_>,
    call: &Call<ProjectWrite>,
    upload: Option<UploadId>,
) -> Result<Option<ObjectMap>> {
    let AttachTarget { project: at, owner, parent, replaces } = *target;
    let branch = at.branch.as_ref().ok_or_else(|| Error::internal("an upload names no branch"))?;
    let query =
        BranchQuery { project: at.project, branch, parents: vec![parent], uploads: Vec::from_iter(upload) };
    let (project, states) = join(at.resolve(tx, call), read_states(tx, std::slice::from_ref(&query))).await;
    let (project, mut states) = (project?, states?);
    let BranchState { changed, mut applied, .. } = states.pop().flatten().ok_or_else(Error::not_found)?;
    if project.record.owner_id != owner {
        return Err(Error::not_found());
    }
    if let Some(map) = upload.and_then(|upload| applied.remove(&upload)) {
        return Ok(Some(map));
    }
    match replaces {
        None => refuse_missing(tx, &project, &changed, &query.parents).await?,
        Some(replacement) => require_replaceable(tx, &project, parent, replacement).await?,
    }
    Ok(None)
}

/// Refuses objects that would not hang in the tree: it could not be read any more. The sender guarantees that they do.
fn refuse_detached(attachment: &Attachment) -> Result<()> {
    let mut known = HashSet::from([attachment.parent]);
    let (begins, below) = match (&attachment.replaces, attachment.objects.split_first()) {
        // The object whose file is replaced comes first.
        (Some(_), Some((object, below))) => (object.id == attachment.parent, below),
        (_, first) => (first.is_some(), attachment.objects.as_slice()),
    };
    let hang = below.iter().all(|object| {
        let hangs = known.contains(&object.parent);
        known.insert(object.id) && hangs
    });
    if !begins || !hang {
        return Err(Error::internal("an upload's objects do not hang under the object it names"));
    }
    Ok(())
}

/// Refuses if one of `parents` is not in the tree. `changed` holds the parents with working changes; `false` for a deleted
/// one.
async fn refuse_missing(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    changed: &HashMap<ObjectId, bool>,
    parents: &[ObjectId],
) -> Result<()> {
    let id = project.record.id;
    let is_known = |parent: &&ObjectId| **parent == id.into() || changed.get(parent) == Some(&true);
    let others: HashSet<ObjectId> = parents.iter().filter(|parent| !is_known(parent)).copied().collect();
    if others.iter().any(|parent| changed.contains_key(parent)) {
        return Err(Error::not_found());
    }
    let committed = match others.is_empty() {
        true => 0,
        false => branch_objects::find_committed(tx, id, &project.branch, others.clone()).await?.len(),
    };
    if committed == others.len() { Ok(()) } else { Err(Error::not_found()) }
}

/// The blobs that the project refers to for the files of attachments.
async fn blobs_of(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    attachments: &[&Attachment],
) -> Result<HashSet<String>> {
    if attachments.is_empty() {
        return Ok(HashSet::new());
    }
    let files = attachments.iter().flat_map(|attachment| &attachment.files);
    let hashes: Vec<&[u8]> = files.map(|file| file.sha256.0.as_slice()).collect();
    let keys: Vec<String> = files::table
        .filter(files::project_id.eq(project.record.id.0).and(files::sha256.eq_any(hashes)))
        .select(files::blob_key)
        .load(tx)
        .await?;
    Ok(keys.into_iter().collect())
}
