//! KnownCallers by their credentials, as this process has verified them, and blocked addresses. A request counts against its
//! caller before its credential is verified again, so a refusal asks no database.

use std::time::{Duration, Instant};

use domain::id::{ApiKeyId, UserId};
use moka::sync::Cache;

/// Most credentials, and most blocked addresses. Those that are rarely used are evicted first.
const ENTRIES_MAX: u64 = 100_000;
/// Time after which an unused credential is forgotten.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// The SHA-256 hash of a credential.
pub(super) type CredentialHash = [u8; 32];

/// The user and key behind a valid credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KnownCaller {
    pub(super) user: UserId,
    /// The API key: the credential itself, or the key that minted it.
    pub(super) key: Option<ApiKeyId>,
}

/// The experience of this process with credentials and addresses.
#[derive(Debug)]
pub(super) struct KnownCallers {
    verified: Cache<CredentialHash, KnownCaller>,
    /// The end of each address's block.
    blocked_until: Cache<String, Instant>,
}

impl KnownCallers {
    pub(super) fn new() -> Self {
        Self {
            verified: Cache::builder().max_capacity(ENTRIES_MAX).time_to_idle(IDLE).build(),
            blocked_until: Cache::builder().max_capacity(ENTRIES_MAX).time_to_live(IDLE).build(),
        }
    }

    /// The caller of a credential that was valid when this process last saw it.
    pub(super) fn find(&self, credential: &CredentialHash) -> Option<KnownCaller> {
        self.verified.get(credential)
    }

    /// Remembers the caller of a valid credential.
    pub(super) fn remember(&self, credential: CredentialHash, caller: KnownCaller) {
        if self.verified.get(&credential) != Some(caller) {
            self.verified.insert(credential, caller);
        }
    }

    /// Forgets a credential that proved invalid.
    pub(super) fn forget(&self, credential: &CredentialHash) {
        self.verified.invalidate(credential);
    }

    /// The remaining block of an address, if any.
    pub(super) fn block_of(&self, address: &str, now: Instant) -> Option<Duration> {
        let until = self.blocked_until.get(address)?;
        until.checked_duration_since(now).filter(|wait| !wait.is_zero())
    }

    /// Blocks an address that has used up its limit.
    pub(super) fn block(&self, address: String, until: Instant) {
        self.blocked_until.insert(address, until);
    }
}
