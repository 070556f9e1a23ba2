//! Access to a service account, for those of its organization who could give its role.

use auth::actor::BrowserProjectManage;
use database::decode;
use database::prelude::*;
use database::schema::{organization_members, service_accounts};
use domain::id::{OrganizationId, UserId};
use domain::people::role::OrganizationRole;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::organization::{Organization, require_rank};
use crate::access::{Parent, Target};

/// A service account as a request names it: within its organization.
#[derive(Clone, Copy, Debug)]
pub struct ServiceAccountRef {
    /// The organization.
    pub organization: OrganizationId,
    /// The service account's user.
    pub account: UserId,
}

/// A service account whose keys the caller may manage.
#[derive(Debug)]
pub struct ServiceAccount {
    /// Its user.
    pub user: UserId,
    /// Its organization, in which the caller manages it.
    pub organization: Organization<BrowserProjectManage>,
    /// Its role there, which the caller could give.
    pub role: OrganizationRole,
}

impl Target<BrowserProjectManage> for ServiceAccountRef {
    type Witness = ServiceAccount;

    async fn resolve(
        &self,
        connection: &Connection,
        call: &Call<BrowserProjectManage>,
    ) -> Result<ServiceAccount> {
        let organization = self.organization.resolve(connection, call).await?;
        let membership =
            organization_members::table.on(organization_members::user_id.eq(service_accounts::user_id));
        let role: Option<String> = service_accounts::table
            .inner_join(membership)
            .filter(service_accounts::user_id.eq(self.account.0))
            .filter(service_accounts::organization_id.eq(self.organization.0))
            .filter(organization_members::organization_id.eq(self.organization.0))
            .select(organization_members::role)
            .first(connection)
            .await
            .optional()?;
        let role = decode::parse(&role.ok_or_else(Error::not_found)?)?;
        require_rank(organization.role, role)?;
        Ok(ServiceAccount { user: self.account, organization, role })
    }
}

impl Parent<BrowserProjectManage> for ServiceAccountRef {
    fn id(&self, _: &Call<BrowserProjectManage>) -> Result<Uuid> {
        Ok(self.account.0)
    }
}
