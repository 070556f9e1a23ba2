//! The key of messages between processes, which a process learns after its start.

use std::time::Duration;

use domain::{Error, Result};
use tokio::time::{sleep, timeout};

use crate::inbox::source_of;
use crate::link::{Link, LinkState};
use crate::seal::MessageKey;

/// Pause before the secret of messages is asked for again.
const SECRET_PAUSE: Duration = Duration::from_millis(200);

impl Link {
    /// Sets the secret of messages between processes. Until then, requests to other processes wait, and those of others
    /// aren't read.
    pub fn seal_with(&self, secret: &[u8; 32]) {
        self.shared.key.send_replace(Some(MessageKey::new(secret)));
    }

    /// Sets the secret of messages once `load` has it, which is called until it succeeds.
    pub async fn seal_from(&self, load: impl AsyncFn() -> Result<[u8; 32]>) {
        loop {
            match load().await {
                Ok(secret) => return self.seal_with(&secret),
                Err(error) => {
                    tracing::debug!(cause = source_of(&error), "the key of messages is not known yet");
                }
            }
            sleep(SECRET_PAUSE).await;
        }
    }
}

impl LinkState {
    /// The key of messages between processes.
    ///
    /// # Errors
    /// `UNAVAILABLE`: it isn't known in time, because the database is unavailable since this process started.
    pub(crate) async fn key(&self) -> Result<MessageKey> {
        if let Some(key) = &*self.key.borrow() {
            return Ok(key.clone());
        }
        let mut keys = self.key.subscribe();
        let key = timeout(self.config.timeout, keys.wait_for(Option::is_some)).await;
        let key = key.map_err(Error::unavailable)?.map_err(Error::unavailable)?.clone();
        key.ok_or_else(|| Error::unavailable("the key of messages is not known"))
    }
}
