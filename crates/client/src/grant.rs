//! A grant that is renewed before it ends, and the requests that are sent with it.
//!
//! The clock of this machine may be wrong. The lifetime is therefore the difference of two times of the service, its
//! `Date` and the grant's end, and is counted by a monotonic clock.

use std::time::{Duration, Instant};

use api::content::downloads::CreateDownloadGrant;
use api::operation::Plane;
use api::planning::cards::attachments::CreateAttachmentGrant;
use api::work::sessions::{DataPlane, RenewGrant, SessionPath};
use domain::content::project::ProjectRef;
use domain::id::ProjectId;
use domain::time::Timestamp;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use reqwest::{RequestBuilder, Response};
use secrecy::SecretString;
use tokio::sync::Mutex;
use url::Url;

use crate::address::joined;
use crate::answer::Answer;
use crate::connection::Client;
use crate::error::{RequestError, RequestResult};
use crate::retry::Repeat;

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

/// The place that issues a grant, and issues it again.
#[derive(Clone, Debug)]
pub(crate) enum GrantSource {
    /// An open session.
    Session(SessionPath),
    /// The files of a branch, for downloads.
    Branch(ProjectRef),
    /// The attachments of a project's cards.
    Attachments(ProjectId),
}

/// The grant of a series of requests, which share it.
#[derive(Debug)]
pub(crate) struct CurrentGrant {
    client: Client,
    source: GrantSource,
    grant: Mutex<Grant>,
}

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

impl GrantSource {
    /// A new grant. Boxed, because its own call may be one of a session.
    pub(crate) fn issue<'a>(&'a self, client: &'a Client) -> BoxFuture<'a, RequestResult<Grant>> {
        async move {
            match self {
                Self::Session(session) => {
                    let answer = client.call(RenewGrant, session.clone()).send().await?;
                    Grant::of_answer(&answer, &answer.value.data_plane)
                }
                Self::Branch(project) => {
                    let answer = client.call(CreateDownloadGrant, project.clone()).send().await?;
                    Grant::of_answer(&answer, &answer.value.data_plane)
                }
                Self::Attachments(project) => {
                    let answer = client.call(CreateAttachmentGrant, *project).send().await?;
                    Grant::of_answer(&answer, &answer.value.data_plane)
                }
            }
        }
        .boxed()
    }
}

impl CurrentGrant {
    /// The grant that a source has issued.
    pub(crate) fn new(client: &Client, source: GrantSource, grant: Grant) -> Self {
        Self { client: client.clone(), source, grant: Mutex::new(grant) }
    }

    /// A valid grant. It is renewed once for all requests that wait.
    pub(crate) async fn get(&self) -> RequestResult<Grant> {
        let mut grant = self.grant.lock().await;
        if Instant::now() >= grant.renewal {
            *grant = self.source.issue(&self.client).await?;
        }
        Ok(grant.clone())
    }

    /// An address of the data plane.
    pub(crate) async fn data_url(&self, path: &str) -> RequestResult<Url> {
        joined(&self.get().await?.url, path)
    }

    /// Sends a request to the data plane with a valid grant; once more with a new one, where the first is refused.
    pub(crate) async fn send(
        &self,
        repeat: Repeat,
        build: impl Fn(&Grant) -> RequestResult<RequestBuilder> + Send + Sync,
    ) -> RequestResult<Response> {
        let first = self.get().await?;
        let answered = self.send_with(&first, repeat, &build).await;
        if !answered.as_ref().is_err_and(RequestError::is_unauthenticated) {
            return answered;
        }
        self.expire(&first).await;
        let second = self.get().await?;
        self.send_with(&second, repeat, &build).await
    }

    async fn send_with(
        &self,
        grant: &Grant,
        repeat: Repeat,
        build: &(impl Fn(&Grant) -> RequestResult<RequestBuilder> + Send + Sync),
    ) -> RequestResult<Response> {
        self.client.send(Plane::Data, repeat, || std::future::ready(build(grant)).boxed()).await
    }

    /// Makes the next request renew the grant, if it still is the one that was refused.
    async fn expire(&self, refused: &Grant) {
        let mut grant = self.grant.lock().await;
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
