//! Rate limits of one caller and of all callers together, by GCRA: in Redis for all processes, and in this process's
//! memory while Redis is unavailable.
//!
//! A bucket is one number: when it is full again. Each request adds its cost to it.

pub(crate) mod local;

use std::time::{Duration, Instant};

use domain::rate::{Charge, Charges, RateCount};
use domain::{Error, Result};
use tokio::time::timeout;

use self::local::{micros, secs};
use crate::link::Link;

/// Longest time that a request waits for Redis.
const REDIS_TIMEOUT: Duration = Duration::from_millis(100);

impl Link {
    /// Counts a request against the quotas of its caller and of all callers, across all processes. If Redis is
    /// unavailable or slow, this process counts alone, so that no request fails.
    pub async fn count(&self, charges: &Charges) -> RateCount {
        let local = &self.shared.rates;
        if !local.is_active(Instant::now())
            && let Ok(Ok(counted)) = timeout(REDIS_TIMEOUT, self.count_in_redis(charges)).await
        {
            return counted;
        }
        local.count(charges, Instant::now())
    }

    async fn count_in_redis(&self, charges: &Charges) -> Result<RateCount> {
        let script = &self.shared.scripts.rate;
        let mut call = script.prepare_invoke();
        call.arg(charges.is_stranger);
        for Charge { bucket, cost, room, overdraws } in std::iter::once(&charges.all).chain(&charges.own) {
            call.key(self.shared.keys.rate(bucket)).arg(micros(*cost)).arg(micros(*room)).arg(*overdraws);
        }
        let reply: Vec<u64> = self.shared.commands.invoke(script, &call).await?;
        match reply.as_slice() {
            [0, _, used @ ..] => {
                Ok(RateCount::Taken(used.iter().copied().map(Duration::from_micros).collect()))
            }
            [by, wait, ..] => {
                // The first bucket is that of all callers.
                let own = by.checked_sub(2).and_then(|own| usize::try_from(own).ok());
                Ok(RateCount::Refused { own, retry_after_secs: secs(*wait).max(1) })
            }
            [] | [_] => Err(Error::internal("the script of rate limits answers another form")),
        }
    }
}
