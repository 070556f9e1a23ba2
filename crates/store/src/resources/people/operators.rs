//! Lists, names and ends of accounts for operators, beyond the API.

use database::prelude::*;
use database::schema::{api_keys, invitations, organizations, sessions as session_rows, users};
use diesel::sql_types::{Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{OrganizationId, UserId};
use domain::search::fold;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::Serialize;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::owner;
use crate::resources::audit;
use crate::resources::outbox::ChangeOrigin;
use crate::resources::people::invitation_endings;
use crate::resources::people::membership::{self, Group};
use crate::resources::planning::calendars;
use crate::resources::store::Store;
use crate::resources::work::sessions;

/// A user, as an operator sees it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedUser {
    user_id: Uuid,
    email: String,
    name: String,
    slug: String,
    is_service: bool,
    created_at: Timestamp,
    disabled_at: Option<Timestamp>,
}

/// An organization, as an operator sees it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedOrganization {
    org_id: Uuid,
    name: String,
    slug: String,
    created_at: Timestamp,
}

/// A membership, as an operator sees it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedMember {
    user_id: Uuid,
    email: String,
    name: String,
    role: String,
}

/// An API key, as an operator sees it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedKey {
    key_id: Uuid,
    user_id: Uuid,
    name: String,
    mask: String,
    scopes: Vec<String>,
    created_at: Timestamp,
    expires_at: Timestamp,
    revoked_at: Option<Timestamp>,
}

impl Store {
    /// All users, oldest first; with `q`, those whose name or address contains it.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn list_users(&self, q: Option<&str>) -> Result<Vec<ListedUser>> {
        let rows: Vec<ListedUserRow> =
            Statement::new(include_str!("operators/users.sql")).load(&self.connection().await?).await?;
        let q = q.map(fold);
        let is_wanted = |user: &ListedUser| {
            q.as_deref().is_none_or(|q| fold(&user.name).contains(q) || fold(&user.email).contains(q))
        };
        Ok(rows.into_iter().map(ListedUserRow::listed).filter(is_wanted).collect())
    }

    /// All organizations, oldest first.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn list_organizations(&self) -> Result<Vec<ListedOrganization>> {
        let rows: Vec<ListedOrganizationRow> = Statement::new(include_str!("operators/organizations.sql"))
            .load(&self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(ListedOrganizationRow::listed).collect())
    }

    /// The members of an organization, a project or a team, oldest account first.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn list_members(&self, group: Group) -> Result<Vec<ListedMember>> {
        let (statement, id) = match group {
            Group::Organization(id) => (include_str!("operators/organization_members.sql"), id.0),
            Group::Project(id) => (include_str!("operators/project_members.sql"), id.0),
            Group::Team(id) => (include_str!("operators/team_members.sql"), id.0),
        };
        let rows: Vec<ListedMemberRow> =
            Statement::new(statement).bind::<SqlUuid, _>(id).load(&self.connection().await?).await?;
        Ok(rows.into_iter().map(ListedMemberRow::listed).collect())
    }

    /// All API keys, oldest first; those of one user, if it is given.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn list_api_keys(&self, user: Option<UserId>) -> Result<Vec<ListedKey>> {
        let mut query = api_keys::table.order(api_keys::id).select(ListedKeyRow::as_select()).into_boxed();
        if let Some(user) = user {
            query = query.filter(api_keys::user_id.eq(user.0));
        }
        let rows: Vec<ListedKeyRow> = query.load(&self.connection().await?).await?;
        Ok(rows.into_iter().map(ListedKeyRow::listed).collect())
    }

    /// Gives a user another name; `false` if there is no such user.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn rename_user(&self, user: UserId, name: &Name, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| {
            let renamed = diesel::update(users::table.find(user.0))
                .set(users::display_name.eq(name.as_str()))
                .execute(tx)
                .await?;
            if renamed == 1 {
                membership::publish_renamed(tx, user, ChangeOrigin::of(None, now)).await?;
                audit::record_own(tx, now, "user.renamed", user.0).await?;
            }
            Ok(renamed == 1)
        })
        .await
    }

    /// Gives an organization another name; its slug stays. `false` if there is no such organization.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn rename_organization(
        &self,
        organization: OrganizationId,
        name: &Name,
        now: Timestamp,
    ) -> Result<bool> {
        self.transaction(async |tx| {
            let renamed = diesel::update(organizations::table.find(organization.0))
                .set(organizations::name.eq(name.as_str()))
                .execute(tx)
                .await?;
            if renamed == 1 {
                audit::record_own(tx, now, "organization.renamed", organization.0).await?;
            }
            Ok(renamed == 1)
        })
        .await
    }

    /// Disables a user: its browser tokens are refused, its keys, its calendar feeds and the invitations that it made
    /// are revoked, and its sessions closed. `false` if it was disabled before.
    ///
    /// # Errors
    /// `NOT_FOUND`, `UNAVAILABLE`.
    pub async fn disable_user(&self, user: UserId, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| {
            let inviting: Vec<Uuid> = invitations::table
                .filter(invitations::invited_by.eq(user.0).and(invitations::accepted_by.is_null()))
                .select(invitations::organization_id)
                .distinct()
                .order(invitations::organization_id)
                .load(tx)
                .await?;
            let inviting: Vec<OrganizationId> = inviting.into_iter().map(OrganizationId).collect();
            for organization in &inviting {
                owner::hold(tx, (*organization).into()).await?;
            }
            // Waits for keys that are being made, and makes later ones see the mark.
            let before: Option<Option<OffsetDateTime>> = users::table
                .find(user.0)
                .select(users::disabled_at)
                .for_update()
                .first(tx)
                .await
                .optional()?;
            if before.ok_or_else(Error::not_found)?.is_some() {
                return Ok(false);
            }
            diesel::update(users::table.find(user.0)).set(users::disabled_at.eq(now.0)).execute(tx).await?;
            let live =
                api_keys::table.filter(api_keys::user_id.eq(user.0).and(api_keys::revoked_at.is_null()));
            diesel::update(live).set(api_keys::revoked_at.eq(now.0)).execute(tx).await?;
            calendars::revoke_all(tx, user).await?;
            let open: Vec<Uuid> = session_rows::table
                .filter(session_rows::created_by.eq(user.0).and(session_rows::closed_at.is_null()))
                .order(session_rows::id)
                .select(session_rows::id)
                .load(tx)
                .await?;
            sessions::close_each(tx, open, None, now).await?;
            for organization in inviting {
                invitation_endings::withdraw(tx, organization, user).await?;
            }
            audit::record_own(tx, now, "user.disabled", user.0).await?;
            Ok(true)
        })
        .await
    }

    /// Lets a disabled user sign in again. Its revoked keys stay revoked. `false` if it was not disabled.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn enable_user(&self, user: UserId, now: Timestamp) -> Result<bool> {
        self.transaction(async |tx| {
            let disabled = users::table.find(user.0).filter(users::disabled_at.is_not_null());
            let enabled = diesel::update(disabled)
                .set(users::disabled_at.eq(None::<OffsetDateTime>))
                .execute(tx)
                .await?;
            if enabled == 1 {
                audit::record_own(tx, now, "user.enabled", user.0).await?;
            }
            Ok(enabled == 1)
        })
        .await
    }
}

#[derive(QueryableByName)]
struct ListedUserRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Bool)]
    is_service: bool,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    disabled_at: Option<OffsetDateTime>,
}

impl ListedUserRow {
    fn listed(self) -> ListedUser {
        ListedUser {
            user_id: self.id,
            email: self.email,
            name: self.display_name,
            slug: self.slug,
            is_service: self.is_service,
            created_at: Timestamp::from(self.created_at),
            disabled_at: self.disabled_at.map(Timestamp::from),
        }
    }
}

#[derive(QueryableByName)]
struct ListedOrganizationRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl ListedOrganizationRow {
    fn listed(self) -> ListedOrganization {
        let Self { id, name, slug, created_at } = self;
        ListedOrganization { org_id: id, name, slug, created_at: Timestamp::from(created_at) }
    }
}

#[derive(QueryableByName)]
struct ListedMemberRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    email: String,
    #[diesel(sql_type = Text)]
    display_name: String,
    #[diesel(sql_type = Text)]
    role: String,
}

impl ListedMemberRow {
    fn listed(self) -> ListedMember {
        let Self { id, email, display_name, role } = self;
        ListedMember { user_id: id, email, name: display_name, role }
    }
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
struct ListedKeyRow {
    id: Uuid,
    user_id: Uuid,
    name: String,
    mask: String,
    scopes: Vec<String>,
    created_at: OffsetDateTime,
    expires_at: OffsetDateTime,
    revoked_at: Option<OffsetDateTime>,
}

impl ListedKeyRow {
    fn listed(self) -> ListedKey {
        ListedKey {
            key_id: self.id,
            user_id: self.user_id,
            name: self.name,
            mask: self.mask,
            scopes: self.scopes,
            created_at: Timestamp::from(self.created_at),
            expires_at: Timestamp::from(self.expires_at),
            revoked_at: self.revoked_at.map(Timestamp::from),
        }
    }
}
