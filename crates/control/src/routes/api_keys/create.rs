//! Issue an API key to the calling user.

use auth::actor::{BrowserOnly, Confinement};
use auth::api_key::Mode;
use auth::permission::Scope;
use domain::id::{OrganizationId, ProjectId};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::Deserialize;
use store::Me;
use store::api_keys::{self, NewApiKey};
use wire::{Json, NoPath, NoQuery, Request, TaggedCreated};

use crate::app::App;
use crate::routes::api_keys::{IssuedKey, show_once};

/// Default lifetime of a key, in seconds: 90 days.
const DEFAULT_LIFETIME_SECS: i64 = 90 * 24 * 60 * 60;
/// Maximum lifetime of a key, in seconds: 365 days.
const MAX_LIFETIME_SECS: i64 = 365 * 24 * 60 * 60;
/// Maximum number of entries in a confinement list.
const CONFINEMENT_MAX: usize = 100;

/// A key to issue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateApiKeyRequest")]
pub struct Body {
    /// Display name.
    name: Name,
    /// Purpose of the key.
    #[schemars(length(min = 1))]
    scopes: Vec<Scope>,
    /// Expiry, at most 365 days ahead. Defaults to 90 days.
    expires_at: Option<Timestamp>,
    /// The projects to which the key is confined.
    #[schemars(length(max = 100))]
    project_ids: Option<Vec<ProjectId>>,
    /// The organizations to which the key is confined, with everything they own.
    #[schemars(length(max = 100))]
    org_ids: Option<Vec<OrganizationId>>,
    /// True for a test key, `svc_ak_test_...`.
    test: Option<bool>,
}

/// Issues a key, which is shown only once. A repeat under the same idempotency key answers the same record with a new
/// secret and invalidates the first.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, NoPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<IssuedKey>> {
    let call = &request.call;
    let new = request.body.0.validate(call.now)?;
    let made = app.store.create(call, &Me, async |tx, me| api_keys::create(tx, me, call, &new).await).await?;
    show_once(&app, call, made).await
}

impl Body {
    fn validate(self, now: Timestamp) -> Result<NewApiKey> {
        if self.scopes.is_empty() {
            return Err(Error::invalid("scopes", "minItems", "must name a scope"));
        }
        let expires_at = self.expires_at.unwrap_or_else(|| now.plus_seconds(DEFAULT_LIFETIME_SECS));
        if expires_at <= now || expires_at > now.plus_seconds(MAX_LIFETIME_SECS) {
            return Err(Error::invalid("expiresAt", "range", "must lie within the next 365 days"));
        }
        let mut scopes = self.scopes;
        scopes.sort();
        scopes.dedup();
        Ok(NewApiKey {
            mode: if self.test.unwrap_or_default() { Mode::Test } else { Mode::Live },
            name: self.name,
            scopes,
            expires_at,
            confinement: confinement(self.project_ids, self.org_ids)?,
        })
    }
}

fn confinement(
    projects: Option<Vec<ProjectId>>,
    organizations: Option<Vec<OrganizationId>>,
) -> Result<Option<Confinement>> {
    let too_many = |length: usize| length > CONFINEMENT_MAX;
    if too_many(projects.as_ref().map_or(0, Vec::len)) || too_many(organizations.as_ref().map_or(0, Vec::len))
    {
        return Err(Error::invalid(
            "",
            "maxItems",
            format!("a key is confined to {CONFINEMENT_MAX} ids at most"),
        ));
    }
    if projects.is_none() && organizations.is_none() {
        return Ok(None);
    }
    Ok(Some(Confinement {
        projects: projects.unwrap_or_default(),
        organizations: organizations.unwrap_or_default(),
    }))
}
