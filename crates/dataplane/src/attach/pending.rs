//! An upload that waits for its place in a tree.

use std::sync::atomic::{AtomicBool, Ordering};

use domain::session::ConnectionId;
use domain::{Error, Result};
use link::SentUpload;
use store::uploads::FinishedUpload;

/// Largest upload that is sent to a host with those of other sessions. None of them delays the others.
const SMALL: Size = Size { objects: 32, bytes: 32 * 1024 };

/// Most that is sent to a host for one session. A host needs longer than its timeout for more, and Redis isn't made for
/// messages of many megabytes, which the texts of a document's pages can be.
const FOR_HOST: Size = Size { objects: 200, bytes: 1024 * 1024 };

/// A finished upload on its way into a tree, perhaps through a host. Attaching it twice does no harm.
pub(super) struct PendingUpload {
    pub(super) upload: FinishedUpload,
    /// The live connection of its session, whose host attaches it; `None` if its path named another connection.
    connection: Option<ConnectionId>,
    /// JSON for the host; `None` if that is too large for it.
    json: Option<String>,
    /// Set from the moment a host is asked to its answer, and for good if that isn't clear: the host may still attach it.
    is_in_doubt: AtomicBool,
}

/// Size of uploads in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    objects: usize,
    bytes: usize,
}

impl PendingUpload {
    /// The upload, as yet unsent.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be written as JSON.
    pub(super) fn new(upload: FinishedUpload, connection: Option<ConnectionId>) -> Result<Self> {
        let is_short = connection.is_some() && upload.attachment.objects.len() <= FOR_HOST.objects;
        let json = is_short.then(|| serde_json::to_string(&upload)).transpose().map_err(Error::internal)?;
        let json = json.filter(|json| json.len() <= FOR_HOST.bytes);
        Ok(Self { upload, connection, json, is_in_doubt: AtomicBool::new(false) })
    }

    /// The live connection of an upload that is small enough to be sent with those of other sessions.
    pub(super) fn small_upload_connection(&self) -> Option<&ConnectionId> {
        let is_small = || self.size().is_some_and(|size| size.fits(SMALL));
        self.connection.as_ref().filter(|_| !self.is_replacement() && is_small())
    }

    /// The connection whose host is to be asked; `None` once a host was asked and hasn't answered clearly.
    pub(super) fn connection_to_ask(&self) -> Option<&ConnectionId> {
        self.connection.as_ref().filter(|_| !self.is_in_doubt())
    }

    /// True if a host was asked and may still attach it.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.is_in_doubt.load(Ordering::Relaxed)
    }

    /// Decides if one message may hold both: neither repeats the other.
    pub(super) fn may_share_message(&self, other: &Self) -> bool {
        self.upload.attachment.upload != other.upload.attachment.upload
    }

    /// True if it replaces a file, which takes a transaction of its own.
    fn is_replacement(&self) -> bool {
        self.upload.attachment.replaces.is_some()
    }

    /// Decides if one transaction may attach both: same authority, same way, and neither repeats the other.
    /// A large upload stays alone, so that it delays no other and has the whole time of its statements.
    pub(super) fn may_share_transaction(&self, other: &Self) -> bool {
        self.upload.terms == other.upload.terms
            && self.connection_to_ask() == other.connection_to_ask()
            && self.may_share_message(other)
            && !self.is_replacement()
            && !other.is_replacement()
            && self.json.is_some()
            && other.json.is_some()
    }

    /// `None` without a connection, or if it is too large for a host.
    fn sent(&self) -> Option<SentUpload> {
        Some(SentUpload { connection: self.connection.clone()?, upload: self.json.clone()? })
    }

    /// `None` if it is too large for a host.
    fn size(&self) -> Option<Size> {
        Some(Size { objects: self.upload.attachment.objects.len(), bytes: self.json.as_ref()?.len() })
    }
}

/// The uploads as a host gets them; `None` if one of them can't be sent.
pub(super) fn message(uploads: &[&PendingUpload]) -> Option<Vec<SentUpload>> {
    uploads.iter().map(|upload| upload.sent()).collect()
}

/// True if uploads of one session are small enough together for one message to its host.
pub(super) fn fit_host(uploads: &[&PendingUpload]) -> bool {
    let sizes: Option<Vec<Size>> = uploads.iter().map(|upload| upload.size()).collect();
    sizes.is_some_and(|sizes| Size::sum(sizes).fits(FOR_HOST))
}

/// Runs `ask`, which sends uploads to a host and returns its answer. They stay in doubt if that is `None`, and if this is
/// dropped before it ends.
///
/// # Errors
/// Those of `ask`, which resolve the doubt.
pub(super) async fn asking<T>(
    uploads: &[&PendingUpload],
    ask: impl Future<Output = Result<Option<T>>>,
) -> Result<Option<T>> {
    let before: Vec<bool> =
        uploads.iter().map(|upload| upload.is_in_doubt.swap(true, Ordering::Relaxed)).collect();
    let answer = ask.await;
    if !matches!(answer, Ok(None)) {
        // An earlier message may still be unanswered.
        for (upload, was_in_doubt) in uploads.iter().zip(before) {
            upload.is_in_doubt.store(was_in_doubt, Ordering::Relaxed);
        }
    }
    answer
}

impl Size {
    fn sum(sizes: impl IntoIterator<Item = Self>) -> Self {
        sizes.into_iter().fold(Self { objects: 0, bytes: 0 }, |sum, size| Self {
            objects: sum.objects + size.objects,
            bytes: sum.bytes + size.bytes,
        })
    }

    fn fits(self, limit: Self) -> bool {
        self.objects <= limit.objects && self.bytes <= limit.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use auth::actor::{ActorGrant, GrantedSession, Purpose};
    use auth::grant::GrantTerms;
    use domain::id::{ObjectId, ProjectId, SessionId, UploadId, UserId};
    use domain::permission::Permissions;
    use domain::project::BranchName;
    use domain::time::Clock;
    use domain::upload::Attachment;
    use futures_util::FutureExt;

    use super::*;

    fn upload() -> PendingUpload {
        let now = Clock::system().now();
        let (project, session) = (ProjectId::new(now), SessionId::new(now));
        let connection = ConnectionId::of_session(session);
        let purpose = Purpose::Session(GrantedSession {
            branch: BranchName::main(),
            session,
            connection: connection.clone(),
        });
        let bound_to = ActorGrant { key: None, project, purpose };
        let terms = GrantTerms { user: UserId::new(now), permissions: Permissions::all(), bound_to };
        let attachment = Attachment {
            upload: UploadId::new(now),
            parent: ObjectId::from(project),
            owner: None,
            objects: Vec::new(),
            files: Vec::new(),
            replaces: None,
        };
        let upload = FinishedUpload { terms, attachment, request_id: "test".to_owned() };
        PendingUpload::new(upload, Some(connection)).unwrap()
    }

    fn ask(upload: &PendingUpload, answer: Result<Option<()>>) {
        let _answer = asking(&[upload], ready(answer)).now_or_never().unwrap();
    }

    #[test]
    fn only_a_clear_answer_resolves_the_doubt_about_an_upload() {
        let upload = upload();
        ask(&upload, Ok(Some(())));
        ask(&upload, Err(Error::not_found()));
        assert!(!upload.is_in_doubt());
        assert!(upload.connection_to_ask().is_some());
        ask(&upload, Ok(None));
        assert!(upload.is_in_doubt());
        assert_eq!(upload.connection_to_ask(), None);
        ask(&upload, Ok(Some(())));
        assert!(upload.is_in_doubt(), "the first message is still unanswered");
    }

    #[test]
    fn an_upload_stays_in_doubt_whose_leader_disappears() {
        let upload = upload();
        assert!(asking::<()>(&[&upload], pending()).now_or_never().is_none());
        assert!(upload.is_in_doubt());
    }

    #[test]
    fn an_upload_shares_a_transaction_with_those_that_go_the_same_way() {
        let (one, other) = (upload(), upload());
        let same_session = |id: UploadId| {
            let mut upload = one.upload.clone();
            upload.attachment.upload = id;
            PendingUpload::new(upload, one.connection.clone()).unwrap()
        };
        let second = same_session(UploadId::new(Clock::system().now()));
        assert!(one.may_share_transaction(&second));
        assert!(!one.may_share_transaction(&other), "another grant");
        assert!(!one.may_share_transaction(&same_session(one.upload.attachment.upload)), "the same upload");
        ask(&second, Ok(None));
        assert!(!one.may_share_transaction(&second), "its host isn't asked again");
    }

    #[test]
    fn a_message_to_a_host_is_limited_in_objects_and_in_bytes() {
        let fit = |all: &[(usize, usize)]| {
            Size::sum(all.iter().map(|(objects, bytes)| Size { objects: *objects, bytes: *bytes }))
                .fits(FOR_HOST)
        };
        let Size { objects, bytes } = FOR_HOST;
        assert!(fit(&[(objects, bytes)]));
        assert!(!fit(&[(objects + 1, 0)]));
        assert!(!fit(&[(0, bytes + 1)]));
        // The limits hold for the sum.
        assert!(fit(&[(objects - 1, 0), (1, bytes)]));
        assert!(!fit(&[(objects, 0), (1, 0)]));
        assert!(!fit(&[(1, bytes), (1, 1)]));
    }
}
