//! Secrets that count once among all processes.

use domain::Result;

use crate::link::Link;

impl Link {
    /// True for the first claimant of this `id`, however often it asks, and false for all others within `remembered_secs`.
    ///
    /// # Errors
    /// `UNAVAILABLE`: Redis is away, so nobody knows.
    pub async fn claim(&self, id: &str, claimant: &str, remembered_secs: u32) -> Result<bool> {
        let key = self.shared.keys.claim(id);
        let mut pipeline = redis::pipe();
        pipeline.cmd("SET").arg(&key).arg(claimant).arg("NX").arg("EX").arg(remembered_secs).ignore();
        pipeline.cmd("GET").arg(&key);
        let (holder,): (Option<String>,) = self.shared.commands.query(&pipeline).await?;
        Ok(holder.is_some_and(|holder| holder == claimant))
    }
}
