//! Keys of projects, `GEAR`, with which the keys of their cards begin. Each is one project's within its owner. Earlier ones go
//! on naming the project's cards, and those of a deleted project are kept for 90 days: texts that name cards outlive them.

use database::decode;
use database::prelude::*;
use database::schema::{owners, project_keys, projects};
use diesel::sql_types::{Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{OwnerId, ProjectId};
use domain::key::ProjectKey;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Code, Error, Result, Rule};
use uuid::Uuid;

use crate::resources::kept_addresses::KEPT_SECS;
use crate::resources::store::{Store, Tx};

/// Projects that get their keys in one transaction.
const BATCH: i64 = 100;

/// Gives a project the key that its creator wants, or one that suits its name.
///
/// # Errors
/// `PROJECT_KEY_TAKEN` for a wanted key that another project has.
pub(super) async fn choose(
    tx: &mut Tx,
    (owner, project): (OwnerId, ProjectId),
    name: &Name,
    wanted: Option<&ProjectKey>,
    now: Timestamp,
) -> Result<ProjectKey> {
    if let Some(wanted) = wanted {
        claim(tx, (owner, project), wanted, now).await?;
        return Ok(wanted.clone());
    }
    let candidates = ProjectKey::candidates(name.as_str());
    if let [best, ..] = candidates.as_slice()
        && is_claimed(tx, (owner, project), best, now).await?
    {
        return Ok(best.clone());
    }
    let taken: Vec<String> = project_keys::table
        .filter(project_keys::owner_id.eq(owner.0))
        .filter(project_keys::key.eq_any(candidates.iter().map(ProjectKey::as_str)))
        .select(project_keys::key)
        .load(tx)
        .await?;
    let free = candidates.into_iter().find(|key| !taken.iter().any(|taken| taken == key.as_str()));
    let key = free.unwrap_or_else(|| ProjectKey::from_bits(project.0.as_u128()));
    claim(tx, (owner, project), &key, now).await?;
    Ok(key)
}

/// Gives a project this key.
///
/// # Errors
/// `PROJECT_KEY_TAKEN` if another project has it, or lately had it.
pub(super) async fn claim(
    tx: &mut Tx,
    at: (OwnerId, ProjectId),
    key: &ProjectKey,
    now: Timestamp,
) -> Result<()> {
    if is_claimed(tx, at, key, now).await? {
        return Ok(());
    }
    let message = "belongs, or lately belonged, to another project of the owner";
    Err(Error::invalid("key", Rule::Unique, message).under(Code::ProjectKeyTaken))
}

async fn is_claimed(
    tx: &mut Tx,
    (owner, project): (OwnerId, ProjectId),
    key: &ProjectKey,
    now: Timestamp,
) -> Result<bool> {
    let written = Statement::new(include_str!("keys/claim.sql"))
        .bind::<SqlUuid, _>(owner.0)
        .bind::<Text, _>(key.as_str())
        .bind::<SqlUuid, _>(project.0)
        .bind::<Timestamptz, _>(now.0)
        .execute(tx)
        .await?;
    Ok(written == 1)
}

/// Takes a project's keys to its new owner, as far as they are free there; returns the present one, which may be another.
/// Those at the former owner stay the project's, which may come back.
///
/// # Errors
/// `UNAVAILABLE`.
pub(super) async fn take_along(
    tx: &mut Tx,
    (owner, project): (OwnerId, ProjectId),
    name: &Name,
    now: Timestamp,
) -> Result<ProjectKey> {
    let (former, present): (Vec<String>, Option<String>) = (
        project_keys::table
            .filter(project_keys::project_id.eq(project.0))
            .order(project_keys::key)
            .select(project_keys::key)
            .load(tx)
            .await?,
        projects::table.find(project.0).select(projects::key).first(tx).await?,
    );
    // The present one last: each that is claimed becomes the project's key.
    let later = former.iter().filter(|key| Some(*key) != present.as_ref()).chain(&present);
    let mut is_present = false;
    for key in later {
        is_present = is_claimed(tx, (owner, project), &decode::parse(key)?, now).await?;
    }
    match present {
        Some(key) if is_present => decode::parse(&key),
        _ => choose(tx, (owner, project), name, None, now).await,
    }
}

/// Keeps the keys of a project that is to be deleted.
///
/// # Errors
/// `UNAVAILABLE`.
pub(super) async fn keep(tx: &mut Tx, project: ProjectId, now: Timestamp) -> Result<()> {
    diesel::update(project_keys::table.filter(project_keys::project_id.eq(project.0)))
        .set(project_keys::kept_until.eq(now.plus_seconds(KEPT_SECS).0))
        .execute(tx)
        .await?;
    Ok(())
}

impl Store {
    /// Gives keys to the next projects that have none, as those have that an older service made; returns their number.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn choose_project_keys(&self, now: Timestamp) -> Result<usize> {
        self.transaction(async |tx| {
            let without: Vec<(Uuid, Uuid, String)> = projects::table
                .filter(projects::key.is_null())
                .order(projects::id)
                .limit(BATCH)
                .select((projects::id, projects::owner_id, projects::name))
                .for_no_key_update()
                .skip_locked()
                .load(tx)
                .await?;
            for (project, owner, name) in &without {
                let at = (OwnerId(*owner), ProjectId(*project));
                choose(tx, at, &decode::name(name)?, None, now).await?;
            }
            Ok(without.len())
        })
        .await
    }
}

/// Locks an owner, so that no project of it gets a key meanwhile.
///
/// # Errors
/// `NOT_FOUND` if it is gone.
pub(super) async fn hold_owner(tx: &mut Tx, owner: OwnerId) -> Result<()> {
    let held: Option<Uuid> =
        owners::table.find(owner.0).select(owners::id).for_no_key_update().first(tx).await.optional()?;
    held.map(drop).ok_or_else(Error::not_found)
}
