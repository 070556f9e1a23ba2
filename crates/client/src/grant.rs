//! A grant that is renewed before it ends.
//!
//! The clock of this machine may be wrong. The lifetime is therefore the difference of two times of the service, its
//! `Date` and the grant's end, and is counted by a monotonic clock.

use std::time::{Duration, Instant};

use api::work::sessions::DataPlane;
use domain::time::Timestamp;
use secrecy::SecretString;
use tokio::sync::Mutex;
use url::Url;

use crate::answer::Answer;
use crate::error::{RequestError, RequestResult};

/// Time before a grant's end at which it is renewed; a shorter lifetime is renewed at its half.
const MARGIN: Duration = Duration::from_secs(180);
/// Lifetime where the answer has no date.
const LIFETIME: Duration = Duration::from_secs(600);

/// A grant of the data plane.
#[derive(Clone, Debug)]
pub(crate) struct Grant {
    pub(crate) token: SecretString,
    pub(crate) url: Url,
    renewal: Instant,
}

/// The grant of a session, shared by its requests.
#[derive(Debug)]
pub(crate) struct CurrentGrant(Mutex<Grant>);

impl Grant {
    /// The grant of an answer that arrived at this moment.
    pub(crate) fn of_answer<A>(answer: &Answer<A>, access: &DataPlane) -> RequestResult<Self> {
        let url = access.url.parse().map_err(|error| RequestError::Unexpected {
            host: access.url.clone(),
            cause: format!("not an address of a data plane: {error}"),
        })?;
        let wait = time_to_renewal(answer.date, access.expires_at);
        Ok(Self { token: access.token.reveal().to_owned().into(), url, renewal: Instant::now() + wait })
    }
}

impl CurrentGrant {
    pub(crate) fn new(grant: Grant) -> Self {
        Self(Mutex::new(grant))
    }

    /// A valid grant. `renew` is called once for all requests that wait.
    pub(crate) async fn get(
        &self,
        renew: impl Future<Output = RequestResult<Grant>>,
    ) -> RequestResult<Grant> {
        let mut grant = self.0.lock().await;
        if Instant::now() >= grant.renewal {
            *grant = renew.await?;
        }
        Ok(grant.clone())
    }

    /// Makes the next request renew the grant, if it still is the one that was refused.
    pub(crate) async fn expire(&self, refused: &Grant) {
        let mut grant = self.0.lock().await;
        if grant.renewal == refused.renewal {
            grant.renewal = Instant::now();
        }
    }
}

/// The time to wait before the renewal of a grant with this end, by the service's own time.
fn time_to_renewal(now: Option<Timestamp>, end: Timestamp) -> Duration {
    let lifetime = match now {
        Some(now) => {
            let seconds = end.unix_seconds().saturating_sub(now.unix_seconds());
            Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
        }
        None => LIFETIME,
    };
    lifetime.checked_sub(MARGIN).unwrap_or_default().max(lifetime / 2)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::time::Timestamp;

    use super::time_to_renewal;

    #[test]
    fn a_grant_is_renewed_before_its_end_by_the_services_time() {
        let now = Timestamp::parse("2001-01-01T00:00:00Z").unwrap();
        assert_eq!(time_to_renewal(Some(now), now.plus_seconds(900)), Duration::from_secs(720));
        assert_eq!(time_to_renewal(Some(now), now.plus_seconds(60)), Duration::from_secs(30));
        assert_eq!(time_to_renewal(Some(now), now.plus_seconds(-5)), Duration::ZERO);
        assert_eq!(time_to_renewal(None, now), Duration::from_secs(420));
    }
}
