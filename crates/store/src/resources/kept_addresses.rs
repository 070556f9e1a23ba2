//! Names in addresses that were given up by a deletion or a move. For 90 days nobody else gets them, and a moved project
//! is found by its old one: addresses of clones outlive what they named.

use auth::actor::ProjectRead;
use database::prelude::*;
use database::schema::kept_addresses;
use domain::Result;
use domain::content::project::{ProjectName, ProjectRef};
use domain::id::ProjectId;
use domain::text::Slug;
use domain::time::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::resources::store::{Store, Tx};

/// How long a name is kept, in seconds: 90 days.
pub(crate) const KEPT_SECS: i64 = 90 * 24 * 60 * 60;
/// The name of a project in the address of its owner alone.
const OWN: &str = "";

/// A name that is given up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GivenUpAddress<'a> {
    /// The owner's name.
    pub owner: &'a Slug,
    /// The project's name; `None` for the owner's own.
    pub project: Option<&'a Slug>,
    /// The project that moves away; `None` for what is deleted.
    pub moved: Option<ProjectId>,
}

/// Keeps a name.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn keep(tx: &mut Tx, address: GivenUpAddress<'_>, now: Timestamp) -> Result<()> {
    let GivenUpAddress { owner, project, moved } = address;
    let kept = (
        kept_addresses::project_id.eq(moved.map(|project| project.0)),
        kept_addresses::kept_until.eq(now.plus_seconds(KEPT_SECS).0),
    );
    diesel::insert_into(kept_addresses::table)
        .values((
            kept_addresses::owner_slug.eq(owner.as_str()),
            kept_addresses::project_slug.eq(project.map_or(OWN, Slug::as_str)),
            kept,
        ))
        .on_conflict((kept_addresses::owner_slug, kept_addresses::project_slug))
        .do_update()
        .set(kept)
        .execute(tx)
        .await?;
    Ok(())
}

/// True if the name of an owner was given up, and is kept.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn is_kept(tx: &mut Tx, owner: &Slug, now: Timestamp) -> Result<bool> {
    let kept = kept_addresses::table
        .find((owner.as_str(), OWN))
        .filter(kept_addresses::kept_until.gt(now.0))
        .select(kept_addresses::kept_until);
    let kept: Option<OffsetDateTime> = kept.first(tx).await.optional()?;
    Ok(kept.is_some())
}

/// Those of an owner's names of projects that are kept for others than `project`.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn kept_of(
    tx: &mut Tx,
    owner: &Slug,
    names: &[Slug],
    project: ProjectId,
    now: Timestamp,
) -> Result<Vec<String>> {
    let names: Vec<&str> = names.iter().map(Slug::as_str).collect();
    let kept = kept_addresses::table
        .filter(kept_addresses::owner_slug.eq(owner.as_str()).and(kept_addresses::project_slug.eq_any(names)))
        .filter(kept_addresses::kept_until.gt(now.0))
        .filter(kept_addresses::project_id.is_null().or(kept_addresses::project_id.ne(project.0)))
        .select(kept_addresses::project_slug);
    Ok(kept.load(tx).await?)
}

impl Store {
    /// The project that moved away from a name in the last 90 days, if the caller may read it.
    ///
    /// # Errors
    /// `NOT_FOUND`; `UNAVAILABLE`.
    pub async fn find_moved(&self, call: &Call<ProjectRead>, name: &ProjectName) -> Result<ProjectRef> {
        let kept = kept_addresses::table
            .find((name.owner.as_str(), name.project.as_str()))
            .filter(kept_addresses::kept_until.gt(call.now.0))
            .select(kept_addresses::project_id);
        let moved: Option<Option<Uuid>> = kept.first(&self.connection().await?).await.optional()?;
        let project = moved.flatten().map(ProjectId).ok_or_else(domain::Error::not_found)?;
        let at = ProjectRef { project, branch: name.branch.clone() };
        self.read(call, &at, async |_, _| Ok(())).await?;
        Ok(at)
    }

    /// Deletes the names that were kept long enough; returns their number.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_kept_addresses(&self, now: Timestamp) -> Result<usize> {
        let over = kept_addresses::table.filter(kept_addresses::kept_until.le(now.0));
        Ok(diesel::delete(over).execute(&self.connection().await?).await?)
    }
}
