//! The work that this process has under way, by the ids of what it works on: begun once, cancelled on request.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The work under way. Cheap to clone.
pub struct UnderWay<Id>(Arc<Mutex<HashMap<Id, Tokens>>>);

/// A piece of work that this process has begun. It is under way until this is dropped.
pub struct Begun<Id: Copy + Eq + Hash> {
    /// Asks for its end.
    pub cancel: CancellationToken,
    id: Id,
    ended: CancellationToken,
    all: UnderWay<Id>,
}

#[derive(Clone, Default)]
struct Tokens {
    cancel: CancellationToken,
    ended: CancellationToken,
}

impl<Id: Copy + Eq + Hash> UnderWay<Id> {
    /// Begins work on `id`; `None` where that is under way already.
    pub fn begin(&self, id: Id) -> Option<Begun<Id>> {
        let tokens = Tokens::default();
        {
            let mut all = self.0.lock();
            if all.contains_key(&id) {
                return None;
            }
            all.insert(id, tokens.clone());
        }
        let Tokens { cancel, ended } = tokens;
        Some(Begun { cancel, id, ended, all: self.clone() })
    }

    /// What is under way.
    pub fn ids(&self) -> Vec<Id> {
        self.0.lock().keys().copied().collect()
    }

    /// Asks for the end of work, where it is under way.
    pub fn ask_to_end(&self, id: Id) {
        if let Some(tokens) = self.0.lock().get(&id) {
            tokens.cancel.cancel();
        }
    }

    /// Asks for the end of work, where it is under way, and waits for that no longer than `wait`.
    pub async fn end(&self, id: Id, wait: Duration) {
        let tokens = self.0.lock().get(&id).cloned();
        if let Some(tokens) = tokens {
            tokens.cancel.cancel();
            let _late = timeout(wait, tokens.ended.cancelled()).await;
        }
    }
}

impl<Id> Clone for UnderWay<Id> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<Id> Default for UnderWay<Id> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<Id: Copy + Eq + Hash> Drop for Begun<Id> {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.id);
        self.ended.cancel();
    }
}
