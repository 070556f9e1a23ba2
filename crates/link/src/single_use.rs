//! Secrets that count once among all processes.

use domain::Result;
use uuid::Uuid;

use crate::link::Link;

impl Link {
    /// True for the first caller with this `id`, false for each later one within `remembered_secs`.
    ///
    /// # Errors
    /// `UNAVAILABLE`: Redis is away, so nobody knows.
    pub async fn claim_once(&self, id: &str, remembered_secs: u32) -> Result<bool> {
        let key = self.shared.keys.claim(id);
        // The pipeline may run twice: the second run must recognize the claim of the first.
        let own = Uuid::new_v4().simple().to_string();
        let mut pipeline = redis::pipe();
        pipeline.cmd("SET").arg(&key).arg(&own).arg("NX").arg("EX").arg(remembered_secs).ignore();
        pipeline.cmd("GET").arg(&key);
        let (holder,): (Option<String>,) = self.shared.commands.query(&pipeline).await?;
        Ok(holder.is_some_and(|holder| holder == own))
    }
}
