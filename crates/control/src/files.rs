//! Reads small files from the data plane, for answers that hold them.

use std::time::Duration;

use domain::{Code, Error, Result};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode};

/// Longest time of a read.
const TIME: Duration = Duration::from_secs(30);
/// Longest time to connect to the data plane.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// A client of the data plane. Cheap to clone.
#[derive(Clone, Debug)]
pub struct FileReader(Client);

impl FileReader {
    /// A reader that keeps connections open between files.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the HTTP client can't be created.
    pub fn new() -> Result<Self> {
        // No proxy leads to the deployment's own data plane.
        let client = Client::builder().redirect(Policy::none()).no_proxy().referer(false);
        client.timeout(TIME).connect_timeout(CONNECT_TIME).build().map(Self).map_err(Error::internal)
    }

    /// Reads the file at `url` by a grant.
    ///
    /// # Errors
    /// `NOT_FOUND`; `RATE_LIMITED`; `UNAVAILABLE` if the data plane can't be reached, or the file has more than
    /// `max_bytes`.
    pub async fn read(&self, url: &str, grant: &str, max_bytes: u64) -> Result<Vec<u8>> {
        let asked = self.0.get(url).bearer_auth(grant);
        let mut answer = asked.send().await.map_err(Error::unavailable)?;
        match answer.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Err(Error::not_found()),
            StatusCode::TOO_MANY_REQUESTS => {
                return Err(Error::new(Code::RateLimited, "The data plane takes no more requests now."));
            }
            status => return Err(Error::unavailable(format!("the data plane answered {status}"))),
        }
        let mut file = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(Error::unavailable)? {
            file.extend_from_slice(&chunk);
            if u64::try_from(file.len()).is_ok_and(|bytes| bytes > max_bytes) {
                return Err(Error::unavailable("a file is larger than its record says"));
            }
        }
        Ok(file)
    }
}
