//! The creation of a card as an item of a batch.

use std::sync::Arc;

use auth::actor::CardWrite;
use batching::Batcher;
use database::config::ACQUIRE_TIMEOUT;
use domain::content::project::ProjectRef;
use domain::id::{ProjectId, UserId};
use domain::planning::card::{NewCard, ShownCard};

use crate::access::call::{Call, Outcome};

/// Batches of one user in one project at a time: one uses the processors while the other waits for the disk.
const CONCURRENT_BATCHES: usize = 2;

/// Batches of cards that one user creates in one project.
pub(crate) type CardBatcher = Batcher<(ProjectId, UserId), CardItem, Outcome<ShownCard>>;

/// A card that a request creates.
pub(crate) struct CardItem {
    pub(crate) call: Call<CardWrite>,
    pub(crate) project: ProjectRef,
    pub(crate) new: NewCard,
}

/// A batcher without items.
pub(crate) fn batcher() -> Arc<CardBatcher> {
    Arc::new(Batcher::new(CONCURRENT_BATCHES, ACQUIRE_TIMEOUT, CardItem::is_compatible))
}

impl CardItem {
    /// Decides if one transaction may create both: same authority, same project, different keys.
    fn is_compatible(&self, other: &Self) -> bool {
        self.project == other.project
            && self.call.actor == other.call.actor
            && self.call.idempotency != other.call.idempotency
    }
}
