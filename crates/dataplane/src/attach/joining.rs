//! Uploads that join trees together.
//!
//! The host of the session's live connection applies the change, so that the session sees it; where there is none, or
//! it does not answer, this process applies the same change itself. Whoever comes second finds it applied.
//!
//! Small ones are first sent to their host with all others that it is asked for at that moment, whichever sessions they are
//! of: it applies what it can without waiting. What it leaves out, and all else, waits for others of the same session alone.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::id::{ProcessId, SessionId, UploadId};
use domain::session::ConnectionId;
use domain::time::Timestamp;
use domain::upload::Attached;
use domain::{Error, Result};
use link::Handed;
use store::sharing::Queues;
use store::uploads::FinishedUpload;

use crate::app::App;

/// Longest wait for a session's host.
const HOST_WAIT: Duration = Duration::from_secs(2);

/// Longest wait for others of the same session: twice what a statement may take unless the settings say otherwise.
const PATIENCE: Duration = Duration::from_secs(60);

/// Most objects and bytes of an upload that is sent to a host with those of other sessions: none keeps the others waiting.
const SMALL: Size = Size { objects: 32, bytes: 32 * 1024 };

/// Most objects and bytes of uploads that are sent to a host together. More are applied here: a host would take longer than
/// it is waited for, and Redis is no way for many megabytes, which the texts of a document's pages may be.
const FOR_HOST: Size = Size { objects: 200, bytes: 1024 * 1024 };

/// Uploads that are about to join a tree.
#[derive(Clone)]
pub struct Attaching {
    /// Those that a host is asked for; `None` for those that it leaves out.
    by_host: Queues<ProcessId, Arc<Joining>, Option<Attached>>,
    /// Those of a session. One change at a time: they would wait for each other on the branch.
    by_session: Queues<SessionId, Arc<Joining>, Attached>,
}

/// An upload that is about to join a tree. It does no harm to ask twice for that.
pub(super) struct Joining {
    upload: FinishedUpload,
    /// What its change takes in a message.
    size: Size,
    /// The connection whose host applies it; `None` where there is none.
    live: Option<ConnectionId>,
    /// How often a host was asked that has not answered.
    unanswered: Arc<AtomicUsize>,
}

/// What changes take.
#[derive(Clone, Copy)]
struct Size {
    objects: usize,
    bytes: usize,
}

impl Default for Attaching {
    fn default() -> Self {
        Self { by_host: Queues::new(1, HOST_WAIT), by_session: Queues::new(1, PATIENCE) }
    }
}

impl Attaching {
    /// Lets an upload of `session` join the tree.
    ///
    /// # Errors
    /// What it is refused with; `UNAVAILABLE`.
    pub(super) async fn join(&self, app: &App, session: SessionId, joining: Joining) -> Result<Attached> {
        let joining = Arc::new(joining);
        if joining.size.fits(SMALL)
            && let Some(host) = joining.live.as_ref().and_then(|connection| app.link.likely_host(connection))
        {
            let ask = async |all: &[&Arc<Joining>]| ask_host(app, host, all).await;
            // Whatever keeps it from joining this way is met, and told, on the other.
            let is_other = |one: &Arc<Joining>, other: &Arc<Joining>| one.is_other_than(other);
            if let Ok(Some(attached)) = self.by_host.share(host, Arc::clone(&joining), is_other, ask).await {
                return Ok(attached);
            }
        }
        let join = async |all: &[&Arc<Joining>]| join_tree(app, session, all).await;
        self.by_session.share(session, joining, |one, other| one.goes_with(other), join).await
    }
}

impl Joining {
    /// An upload for the tree of its session, through the connection that is `live`; `unanswered` counts the times that a host
    /// was asked for it and has not answered.
    pub(super) fn new(
        upload: FinishedUpload,
        live: Option<ConnectionId>,
        unanswered: Arc<AtomicUsize>,
    ) -> Result<Self> {
        let bytes = serde_json::to_vec(&upload.attachment).map_err(Error::internal)?.len();
        let size = Size { objects: upload.attachment.objects.len(), bytes };
        Ok(Self { upload, size, live, unanswered })
    }

    /// The connection whose host is asked: none that was asked before and is silent.
    fn asked(&self) -> Option<&ConnectionId> {
        self.live.as_ref().filter(|_| self.unanswered.load(Ordering::Relaxed) == 0)
    }

    fn is_other_than(&self, other: &Self) -> bool {
        self.upload.attachment.upload != other.upload.attachment.upload
    }

    /// Whether both may join in one change: by the same authority, the same way, and neither repeats the other. One that is
    /// large goes by itself, so that it keeps no other waiting and has all the time that a statement may take.
    fn goes_with(&self, other: &Self) -> bool {
        self.upload.terms == other.upload.terms
            && self.asked() == other.asked()
            && self.is_other_than(other)
            && self.size.fits(FOR_HOST)
            && other.size.fits(FOR_HOST)
    }
}

impl Size {
    fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        all.into_iter().fold(Self { objects: 0, bytes: 0 }, |all, one| Self {
            objects: all.objects + one.objects,
            bytes: all.bytes + one.bytes,
        })
    }

    fn fits(self, most: Self) -> bool {
        self.objects <= most.objects && self.bytes <= most.bytes
    }
}

/// Asks a host to apply uploads, as far as that takes no waiting; `None` for those that it leaves out.
async fn ask_host(app: &App, host: ProcessId, all: &[&Arc<Joining>]) -> Result<Vec<Option<Attached>>> {
    // Those of a session by the same authority are one change.
    let mut changes: Vec<(&ConnectionId, Vec<&FinishedUpload>)> = Vec::new();
    for Joining { upload, live, .. } in all.iter().map(|joining| &***joining) {
        let is_theirs = |of: &&FinishedUpload| of.terms == upload.terms;
        match (changes.iter_mut().find(|(_, of)| of.first().is_some_and(is_theirs)), live) {
            (Some((_, of)), _) => of.push(upload),
            (None, Some(connection)) => changes.push((connection, vec![upload])),
            (None, None) => {}
        }
    }
    let handed = asking(all, app.link.attach_at_once(host, &changes, HOST_WAIT)).await?;
    let Handed::Applied(results) = handed else { return Ok(vec![None; all.len()]) };
    let results: Vec<Option<Vec<Attached>>> = results;
    let ids = changes.iter().map(|(_, of)| of.iter().map(|upload| upload.attachment.upload));
    let mut attached: HashMap<UploadId, Attached> =
        ids.zip(results).flat_map(|(ids, results)| ids.zip(results.into_iter().flatten())).collect();
    Ok(all.iter().map(|joining| attached.remove(&joining.upload.attachment.upload)).collect())
}

/// Lets uploads of one session join the tree, all of them or none.
async fn join_tree(app: &App, session: SessionId, all: &[&Arc<Joining>]) -> Result<Vec<Attached>> {
    let uploads: Vec<&FinishedUpload> = all.iter().map(|joining| &joining.upload).collect();
    if let Some(connection) = all.first().and_then(|joining| joining.asked())
        && Size::sum(all.iter().map(|joining| joining.size)).fits(FOR_HOST)
    {
        let handed = asking(all, app.link.attach(connection, &uploads, HOST_WAIT)).await;
        if let Handed::Applied(attached) = handed? {
            return Ok(attached);
        }
    }
    let attached = app.store.attach(&uploads, Timestamp::now()).await?;
    app.link.announce_events(session);
    Ok(attached)
}

/// Counts `asked` for each upload until it is answered.
async fn asking<T>(
    all: &[&Arc<Joining>],
    asked: impl Future<Output = Result<Handed<T>>>,
) -> Result<Handed<T>> {
    // One that was asked for all may be silent where it then answers for each. And counted beforehand, for whoever is left
    // alone where this is given up in mid-way.
    for joining in all {
        joining.unanswered.fetch_add(1, Ordering::Relaxed);
    }
    let handed = asked.await;
    if !matches!(handed, Ok(Handed::Unknown)) {
        for joining in all {
            joining.unanswered.fetch_sub(1, Ordering::Relaxed);
        }
    }
    handed
}

#[cfg(test)]
mod tests {
    use super::{FOR_HOST, Size};

    #[test]
    fn what_goes_to_a_host_is_limited_in_objects_and_in_bytes() {
        let fit = |all: &[(usize, usize)]| {
            Size::sum(all.iter().map(|(objects, bytes)| Size { objects: *objects, bytes: *bytes }))
                .fits(FOR_HOST)
        };
        let Size { objects, bytes } = FOR_HOST;
        assert!(fit(&[(objects, bytes)]));
        assert!(!fit(&[(objects + 1, 0)]));
        assert!(!fit(&[(0, bytes + 1)]));
        // Together, too.
        assert!(fit(&[(objects - 1, 0), (1, bytes)]));
        assert!(!fit(&[(objects, 0), (1, 0)]));
        assert!(!fit(&[(1, bytes), (1, 1)]));
    }
}
