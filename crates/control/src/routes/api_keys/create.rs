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
use wire::{Created, Json, NoPath, NoQuery, Request};

use crate::app::App;
use crate::routes::api_keys::{IssuedKey, show_once};

/// Life of a key that names no expiry, in seconds: 90 days.
const DEFAULT_LIFETIME_SECS: i64 = 90 * 24 * 60 * 60;
/// Longest life of a key, in seconds: 365 days.
const MAX_LIFETIME_SECS: i64 = 365 * 24 * 60 * 60;
/// Most entries of a confinement list.
const CONFINEMENT_MAX: usize = 100;

/// A key to issue.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "CreateApiKeyRequest")]
pub struct Body {
    /// Name, for people.
    name: Name,
    /// What it is for.
    #[schemars(length(min = 1))]
    scopes: Vec<Scope>,
    /// When it expires; in 90 days unless said, in 365 at most.
    expires_at: Option<Timestamp>,
    /// The projects that it is confined to.
    #[schemars(length(max = 100))]
    project_ids: Option<Vec<ProjectId>>,
    /// The organizations that it is confined to, with all that they own.
    #[schemars(length(max = 100))]
    org_ids: Option<Vec<OrganizationId>>,
    /// Issue a test key, `svc_ak_test_...`.
    test: Option<bool>,
}

/// Issues a key. It is shown once; a repeat under the same idempotency key answers the same record with a fresh
/// key in place of the first, which then no longer works.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, NoPath, NoQuery, Json<Body>>,
) -> Result<Created<IssuedKey>> {
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
