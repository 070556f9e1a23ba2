//! Uploads of the sessions hosted here, on their way into the tree: those that come together share a transaction, whichever
//! sessions they are of.

use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use domain::time::Timestamp;
use domain::upload::Attached;
use store::Store;
use store::sharing::Queues;
use store::uploads::FinishedUpload;

/// Shared transactions at a time: with one more each would be of half as many.
const TRANSACTIONS: usize = 1;

/// Longest wait for the one before. Whoever asked has done it itself by then.
const PATIENCE: Duration = Duration::from_secs(2);

/// Most objects of one session's uploads that share a transaction with others'. More go by themselves, and keep nobody
/// waiting.
const SHARING_MAX_OBJECTS: usize = 32;

/// Uploads that are about to be attached, each time those of one session; what became of them, or `None` where they were left
/// out. Cheap to clone.
#[derive(Clone)]
pub struct Attaching(Queues<(), Arc<[FinishedUpload]>, Option<Vec<Attached>>>);

impl Attaching {
    /// None yet.
    pub fn new() -> Self {
        Self(Queues::new(TRANSACTIONS, PATIENCE))
    }

    /// Attaches uploads of one session, all of them or none: with those of other sessions that come meanwhile, unless these are
    /// many, or have to wait for somebody.
    ///
    /// # Errors
    /// As [`Store::attach`].
    pub async fn attach(&self, store: &Store, uploads: Vec<FinishedUpload>) -> Result<Vec<Attached>> {
        let uploads: Arc<[FinishedUpload]> = uploads.into();
        let objects: usize = uploads.iter().map(|upload| upload.attachment.objects.len()).sum();
        if objects <= SHARING_MAX_OBJECTS
            && let Some(attached) = self.share(store, Arc::clone(&uploads)).await?
        {
            return Ok(attached);
        }
        store.attach(&uploads.iter().collect::<Vec<_>>(), Timestamp::now()).await
    }

    async fn share(&self, store: &Store, uploads: Arc<[FinishedUpload]>) -> Result<Option<Vec<Attached>>> {
        let together = async |all: &[&Arc<[FinishedUpload]>]| {
            let sessions: Vec<&[FinishedUpload]> = all.iter().map(|uploads| &***uploads).collect();
            store.attach_at_once(&sessions, Timestamp::now()).await
        };
        self.0.share((), uploads, |_, _| true, together).await
    }
}
