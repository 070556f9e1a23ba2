//! Rate limits of one caller and of all callers together, by GCRA: in Redis for all processes, and in this process's
//! memory while Redis is unavailable.
//!
//! A bucket is one number: when it is full again. Each request adds the interval between two requests to it.

pub(crate) mod local;

use std::time::{Duration, Instant};

use domain::Result;
use domain::rate::{Quota, RateCount, Subject};
use tokio::time::timeout;

use self::local::{micros, secs};
use crate::link::Link;

/// Longest time that a request waits for Redis.
const REDIS_TIMEOUT: Duration = Duration::from_millis(100);
impl Link {
    /// Counts a request of `subject` against its own quota and the quota of all callers, across all processes. If Redis
    /// is unavailable or slow, this process counts alone, so that no request fails.
    pub async fn count(&self, subject: &Subject, of_all: Quota, own: Quota) -> RateCount {
        let buckets = [(self.shared.keys.rate_of_all(), of_all), (self.shared.keys.rate(subject), own)];
        let local = &self.shared.rates;
        if !local.is_active(Instant::now())
            && let Ok(Ok(counted)) = timeout(REDIS_TIMEOUT, self.count_in_redis(&buckets)).await
        {
            return counted;
        }
        local.count(&buckets, Instant::now())
    }

    async fn count_in_redis(&self, buckets: &[(String, Quota); 2]) -> Result<RateCount> {
        let script = &self.shared.scripts.rate;
        let mut call = script.prepare_invoke();
        for (key, quota) in buckets {
            call.key(key).arg(micros(quota.interval())).arg(quota.burst);
        }
        let reply: ScriptReply = self.shared.commands.invoke(script, &call).await?;
        let (which, wait_micros, remaining, full_in_micros) = reply;
        Ok(match which {
            0 => RateCount::Taken { remaining, full_in_secs: secs(full_in_micros) },
            which => RateCount::Refused { of_all: which == 1, retry_after_secs: secs(wait_micros).max(1) },
        })
    }
}

/// Answer of `rate.lua`.
type ScriptReply = (u8, u64, u32, u64);
