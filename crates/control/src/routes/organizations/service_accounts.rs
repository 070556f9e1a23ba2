//! Service accounts of an organization, and their API keys.

pub mod create;
pub mod create_key;
pub mod list_keys;
pub mod revoke_key;

use domain::id::{OrganizationId, UserId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::ServiceAccountRef;

/// The path of an operation on one service account.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServiceAccountPath {
    /// The organization.
    org_id: OrganizationId,
    /// The service account's user id.
    account_id: UserId,
}

impl ServiceAccountPath {
    /// The service account of the path.
    fn target(&self) -> ServiceAccountRef {
        ServiceAccountRef { organization: self.org_id, account: self.account_id }
    }
}
