//! Uploads join trees: all of what those of one session created or nothing, and each at most once, whoever applies it.

mod branches;
mod insertion;

use std::collections::{HashMap, HashSet};

use auth::actor::{ActorGrant, GrantedSession, ProjectWrite};
use domain::event::{EventType, NewEvent};
use domain::id::{ObjectId, OwnerId, SessionId, UploadId};
use domain::project::ProjectRef;
use domain::upload::{Attached, Attachment, LockedRows, ObjectMap};
use domain::{Error, Result};
use futures_util::future::join;
use serde_json::json;

use self::branches::{LockedBranch, Seen, Sought, hold, look};
use self::insertion::insertion;
use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;
use crate::db::prelude::*;
use crate::db::schema::files;
use crate::resources::content::objects;
use crate::resources::session_events;
use crate::resources::store::Tx;

/// Objects whose ids an event names, at most: an assembly may have 100,000.
const NAMED_IN_EVENT: usize = 100;

/// Uploads through one session by the same authority, which join its branch together or not at all.
pub(crate) struct AttachmentGroup<'a> {
    /// The grant that they were sent with.
    pub(crate) grant: &'a ActorGrant,
    /// Its session.
    pub(crate) through: &'a GrantedSession,
    /// The call with that grant.
    pub(crate) call: Call<ProjectWrite>,
    /// The uploads.
    pub(crate) attachments: Vec<&'a Attachment>,
}

/// Applies the changes of uploads to the branches of their sessions, in as many statements as one takes. One
/// that was applied before is not applied again: the map that it answered then is returned, even if its session has been
/// closed since. A group that is refused leaves the others unharmed. Who may do that is found out on the way, and where
/// anything is written the transaction ends with it, so that the whole takes two round trips: nothing can follow in it.
///
/// # Errors
/// `UNAVAILABLE`; of each group `UNAUTHENTICATED` where the grant's session is closed or its key revoked; `NOT_FOUND` where the
/// project is not reached, a parent is not in the tree, or the branch is gone; `FORBIDDEN`.
pub(crate) async fn apply_all(
    tx: &mut Tx,
    groups: &[AttachmentGroup<'_>],
    locked: LockedRows,
) -> Result<Vec<Result<Vec<Attached>>>> {
    let Some(now) = groups.first().map(|group| group.call.now) else { return Ok(Vec::new()) };
    let sought: Vec<Sought<'_>> = groups.iter().map(AttachmentGroup::sought).collect();
    let (held, seen) = join(hold(tx, groups, locked), look(tx, &sought)).await;
    let (held, mut seen) = (held?, seen?);
    // Whoever applied one of them before, or deleted a parent, has committed that by the time the branch is ours. A connection
    // that has prepared the one statement and not yet the other runs them in the other order, which the revision shows.
    let is_current = |(held, seen): (&Result<LockedBranch>, &Option<Seen>)| match (held, seen) {
        (Ok(held), Some(seen)) => held.project.branch.revision == seen.revision,
        (Ok(_), None) => false,
        (Err(_), _) => true,
    };
    if !held.iter().zip(&seen).all(is_current) {
        seen = look(tx, &sought).await?;
    }
    let mut all = Vec::with_capacity(groups.len());
    for ((group, held), seen) in groups.iter().zip(held).zip(seen) {
        let joining = match (held, seen) {
            (Ok(held), Some(seen)) => Joining::of(tx, group, held, seen).await,
            (Ok(_), None) => Err(Error::not_found()),
            (Err(error), _) => Err(error),
        };
        match joining {
            Err(error) if error.is_server_fault() => return Err(error),
            joining => all.push(joining),
        }
    }
    let new: Vec<&Joining<'_>> = all.iter().flatten().filter(|one| !one.new.is_empty()).collect();
    let mut kept = HashSet::new();
    if !new.is_empty() {
        let events: Vec<(SessionId, NewEvent)> = new.iter().flat_map(|one| one.events()).collect();
        let events: Vec<(SessionId, &NewEvent)> =
            events.iter().map(|(session, event)| (*session, event)).collect();
        let insertion = insertion(now, &new)?;
        let appending = session_events::appending(now, &events)?;
        let written = async {
            let (inserted, told) = join(insertion.run(tx), appending.run(tx)).await;
            // If the first fails, the second is refused, too.
            inserted.and_then(|kept| told.map(|()| kept))
        };
        kept = tx.commit_with(written).await?;
    }
    Ok(groups.iter().zip(all).map(|(group, joining)| joining?.attached(group, &kept)).collect())
}

impl AttachmentGroup<'_> {
    fn sought(&self) -> Sought<'_> {
        Sought {
            project: self.grant.project,
            branch: &self.through.branch,
            parents: self.attachments.iter().map(|attachment| attachment.parent).collect(),
            uploads: self.attachments.iter().map(|attachment| attachment.upload).collect(),
        }
    }
}

/// Uploads of a group that may join the tree.
struct Joining<'a> {
    project: Project<ProjectWrite>,
    session: SessionId,
    /// Those that were not applied before.
    new: Vec<&'a Attachment>,
    /// What each answers.
    maps: HashMap<UploadId, ObjectMap>,
    /// Blobs that the project refers to for the files of those that were.
    kept: HashSet<String>,
}

impl<'a> Joining<'a> {
    /// Checks all that can be refused.
    async fn of(tx: &mut Tx, group: &AttachmentGroup<'a>, held: LockedBranch, seen: Seen) -> Result<Self> {
        let LockedBranch { project, is_live } = held;
        let Seen { changed, applied: mut maps, .. } = seen;
        let (before, new): (Vec<&Attachment>, Vec<&Attachment>) =
            group.attachments.iter().copied().partition(|attachment| maps.contains_key(&attachment.upload));
        let kept = blobs_of(tx, &project, &before).await?;
        if !new.is_empty() {
            if !is_live {
                return Err(Error::unauthenticated());
            }
            new.iter().try_for_each(|attachment| refuse_strangers(attachment))?;
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
        Ok(Self { project, session: group.through.session, new, maps, kept })
    }

    /// What is told of those that are applied now.
    fn events(&self) -> impl Iterator<Item = (SessionId, NewEvent)> {
        self.new.iter().map(|attachment| (self.session, event(&self.project, attachment)))
    }

    /// What became of each; `kept` are blobs that projects refer to for files that are written now.
    fn attached(self, group: &AttachmentGroup<'_>, kept: &HashSet<String>) -> Result<Vec<Attached>> {
        let is_kept = |key: &String| self.kept.contains(key) || kept.contains(key);
        let attached = group.attachments.iter().map(|attachment| {
            let map = self.maps.get(&attachment.upload).cloned();
            let map = map.ok_or_else(|| Error::internal("an upload was not applied"))?;
            let keys = attachment.files.iter().map(|file| &file.blob_key);
            Ok(Attached { map, unneeded_blobs: keys.filter(|key| !is_kept(key)).cloned().collect() })
        });
        attached.collect()
    }
}

/// What is told of an upload that was applied.
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

/// Checks that an upload's parent is in the tree now, so that one that can't be attached is refused before its bytes
/// are sent. Attaching checks again.
///
/// # Errors
/// `NOT_FOUND` where it is not.
pub async fn require_parent(tx: &mut Tx, project: &Project<ProjectWrite>, parent: ObjectId) -> Result<()> {
    let id = project.record.id;
    let is_there = parent == id.into() || objects::find(tx, id, &project.branch, parent).await?.is_some();
    if is_there { Ok(()) } else { Err(Error::not_found()) }
}

/// Where an upload is to be attached, as its request names it.
#[derive(Clone, Copy, Debug)]
pub struct AttachTarget<'a> {
    /// The project and the branch.
    pub project: &'a ProjectRef,
    /// Whose project that has to be.
    pub owner: OwnerId,
    /// The object that it goes under.
    pub parent: ObjectId,
}

/// What an upload answered when it was applied. Where it was not, as where there is none, checks what [`require_parent`]
/// checks.
///
/// # Errors
/// `NOT_FOUND` where the project is not reached, is not the owner's, or does not have the parent in its tree; `FORBIDDEN`.
pub(crate) async fn find_applied(
    tx: &mut Tx,
    place: &AttachTarget<'_>,
    call: &Call<ProjectWrite>,
    upload: Option<UploadId>,
) -> Result<Option<ObjectMap>> {
    let AttachTarget { project: at, owner, parent } = *place;
    let branch = at.branch.as_ref().ok_or_else(|| Error::internal("an upload goes to no branch"))?;
    let sought =
        Sought { project: at.project, branch, parents: vec![parent], uploads: Vec::from_iter(upload) };
    let (project, seen) = join(at.resolve(tx, call), look(tx, std::slice::from_ref(&sought))).await;
    let (project, mut seen) = (project?, seen?);
    let Seen { changed, mut applied, .. } = seen.pop().flatten().ok_or_else(Error::not_found)?;
    if project.record.owner_id != owner {
        return Err(Error::not_found());
    }
    if let Some(answered) = upload.and_then(|upload| applied.remove(&upload)) {
        return Ok(Some(answered));
    }
    refuse_missing(tx, &project, &changed, &sought.parents).await.map(|()| None)
}

/// Whoever made the attachment sees to this; a tree with a hole in it can't be read any more.
fn refuse_strangers(attachment: &Attachment) -> Result<()> {
    let mut known = HashSet::from([attachment.parent]);
    let hang = attachment.objects.iter().all(|object| {
        let hangs = known.contains(&object.parent);
        known.insert(object.id) && hangs
    });
    if attachment.objects.is_empty() || !hang {
        return Err(Error::internal("an upload's objects do not hang under the object it names"));
    }
    Ok(())
}

/// Refuses where one of `parents` is not in the tree. `changed` are those that the working changes know, and whether they are
/// there still.
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
        false => objects::find_committed(tx, id, &project.branch, others.clone()).await?.len(),
    };
    if committed == others.len() { Ok(()) } else { Err(Error::not_found()) }
}

async fn blobs_of(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    of: &[&Attachment],
) -> Result<HashSet<String>> {
    if of.is_empty() {
        return Ok(HashSet::new());
    }
    let files = of.iter().flat_map(|attachment| &attachment.files);
    let hashes: Vec<&[u8]> = files.map(|file| file.sha256.0.as_slice()).collect();
    let keys: Vec<String> = files::table
        .filter(files::project_id.eq(project.record.id.0).and(files::sha256.eq_any(hashes)))
        .select(files::blob_key)
        .load(tx)
        .await?;
    Ok(keys.into_iter().collect())
}
