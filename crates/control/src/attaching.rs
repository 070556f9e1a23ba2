//! Uploads of the sessions hosted here, on their way into the tree: what comes while a transaction is under way shares the next
//! one, whichever sessions they are of and whichever data plane they come from.

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

/// Uploads that are about to be attached: of each session some.
type Sessions = Vec<Vec<FinishedUpload>>;

/// What became of those of each session; `None` where they were left out.
type Results = Vec<Option<Vec<Attached>>>;

/// Uploads that are about to be attached. Cheap to clone.
#[derive(Clone)]
pub struct Attaching(Queues<(), Sessions, Results>);

impl Default for Attaching {
    fn default() -> Self {
        Self(Queues::new(TRANSACTIONS, PATIENCE))
    }
}

impl Attaching {
    /// Attaches uploads, of each session all or none; `None` for those of a session that would have to wait for others, and for
    /// those that are refused. Where one of them can't be attached at all nobody's are: all are `None`.
    ///
    /// # Errors
    /// `UNAVAILABLE`, `INTERNAL_ERROR`: nobody knows what became of them.
    pub async fn attach(&self, store: &Store, sessions: Sessions) -> Result<Results> {
        let count = sessions.len();
        let together = async |all: &[&Sessions]| {
            let uploads: Vec<&[FinishedUpload]> =
                all.iter().flat_map(|sessions| sessions.iter().map(Vec::as_slice)).collect();
            let mut attached = store.attach_at_once(&uploads, Timestamp::now()).await?.into_iter();
            Ok(all.iter().map(|sessions| attached.by_ref().take(sessions.len()).collect()).collect())
        };
        match self.0.share((), sessions, |_, _| true, together).await {
            Err(error) if !error.is_of_the_service() => Ok(vec![None; count]),
            attached => attached,
        }
    }
}
