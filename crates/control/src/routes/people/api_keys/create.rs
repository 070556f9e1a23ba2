//! Issue an API key to the calling user.

use api::people::api_keys::{CreateApiKey, CreateApiKeyRequest, IssuedKey};
use auth::actor::{BrowserOnly, Confinement};
use auth::api_key::Mode;
use domain::id::{OrganizationId, ProjectId};
use domain::people::permission::Scope;
use domain::text::Name;
use domain::time::{DateOrTime, Timestamp};
use domain::{Error, Result, Rule};
use store::Me;
use store::people::api_keys::{self, NewApiKey};
use wire::{Request, TaggedCreated};

use crate::app::App;
use crate::routes::people::api_keys::show_once;

/// Default lifetime of a key, in seconds: 90 days.
const DEFAULT_LIFETIME_SECS: i64 = 90 * 24 * 60 * 60;
/// Maximum lifetime of a key, in seconds: 365 days.
const MAX_LIFETIME_SECS: i64 = 365 * 24 * 60 * 60;
/// Maximum number of entries in a confinement list.
const CONFINEMENT_MAX: usize = 100;

/// Issues a key, which is shown only once. A repeat under the same idempotency key answers the same record with a new
/// secret and invalidates the first.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, CreateApiKey>,
) -> Result<TaggedCreated<IssuedKey>> {
    let call = &request.call;
    let new = validate(request.body.0, call.now)?;
    let create =
        async |tx: &mut _, me: &_| api_keys::create(tx, me, call, &new, app.bounds.api_keys_per_user).await;
    let made = app.store.create(call, &Me, create).await?;
    show_once(&app, call, made).await
}

/// The terms of a new key that its issuer chooses.
pub struct KeyTerms {
    /// Display name.
    pub name: Name,
    /// Purpose of the key.
    pub scopes: Vec<Scope>,
    /// Expiry; `None`: 90 days.
    pub expires_at: Option<DateOrTime>,
    /// True for a test key.
    pub test: Option<bool>,
    /// The projects and organizations that it is confined to.
    pub confinement: Option<Confinement>,
}

/// Validates the terms of a new key.
///
/// # Errors
/// `INVALID_REQUEST`.
pub fn new_key(terms: KeyTerms, now: Timestamp) -> Result<NewApiKey> {
    let expires_at = terms.expires_at.map(DateOrTime::end);
    let expires_at = expires_at.unwrap_or_else(|| now.plus_seconds(DEFAULT_LIFETIME_SECS));
    let latest = now.plus_seconds(MAX_LIFETIME_SECS);
    let confined = terms.confinement.as_ref();
    let projects = confined.map_or(0, |to| to.projects.len());
    let organizations = confined.map_or(0, |to| to.organizations.len());
    let checks = [
        (terms.scopes.is_empty(), "scopes", Rule::MinItems(1)),
        (expires_at <= now, "expiresAt", Rule::NotBefore(now.to_string())),
        (expires_at > latest, "expiresAt", Rule::NotAfter(latest.to_string())),
        (projects > CONFINEMENT_MAX, "projectIds", Rule::MaxItems(CONFINEMENT_MAX)),
        (organizations > CONFINEMENT_MAX, "orgIds", Rule::MaxItems(CONFINEMENT_MAX)),
    ];
    let broken = checks.into_iter().filter(|(is_broken, ..)| *is_broken);
    Error::all(broken.map(|(_, field, rule)| Err::<(), _>(Error::broken(field, rule))))?;
    let mut scopes = terms.scopes;
    scopes.sort();
    scopes.dedup();
    let mode = if terms.test.unwrap_or_default() { Mode::Test } else { Mode::Live };
    Ok(NewApiKey {
        mode,
        name: terms.name,
        scopes,
        expires_at,
        confinement: terms.confinement,
        created_by: None,
    })
}

fn validate(body: CreateApiKeyRequest, now: Timestamp) -> Result<NewApiKey> {
    let CreateApiKeyRequest { name, scopes, expires_at, project_ids, org_ids, test } = body;
    let confinement = confinement(project_ids, org_ids);
    new_key(KeyTerms { name, scopes, expires_at, test, confinement }, now)
}

fn confinement(
    projects: Option<Vec<ProjectId>>,
    organizations: Option<Vec<OrganizationId>>,
) -> Option<Confinement> {
    if projects.is_none() && organizations.is_none() {
        return None;
    }
    Some(Confinement {
        projects: projects.unwrap_or_default(),
        organizations: organizations.unwrap_or_default(),
    })
}
