//! Previews of files, and the files that were made for them. All of it can be made again: rows and blobs may be dropped
//! at any time.
//!
//! A preview belongs to a file of a project, by its hash, and to a version of its maker. A process makes it under a lease.

use auth::actor::ProjectRead;
use database::prelude::*;
use database::schema::{derived_files, files, previews};
use diesel::dsl::sql;
use diesel::sql_types::{Array, BigInt, Binary, Bool, Integer, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::compare::Point;
use domain::content::object::{CommitHash, FileRef, Sha256Hash};
use domain::content::preview::{DerivedFile, DerivedFormat, Preview, PreviewShape};
use domain::content::replacement::FileObjects;
use domain::event::change::ChangeData;
use domain::event::change::data::PreviewEventData;
use domain::id::{ObjectId, ProjectId};
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::Value;
use time::OffsetDateTime;

use crate::access::project::{Branch, Project};
use crate::resources::branch_objects;
use crate::resources::content::{compare, file_objects};
use crate::resources::outbox::{ChangeOrigin, NewChangeEvent};
use crate::resources::store::{Store, Tx};
use crate::resources::stored_files::StoredFile;

/// A file that an object owns, or of which it is a part.
pub struct ShownFile {
    /// The file.
    pub stored: StoredFile,
    /// The object that owns it.
    pub owner: ObjectId,
    /// Its type.
    pub object_type: String,
    /// Its objects on the branch; `None` if they were not asked for.
    pub objects: Option<FileObjects>,
}

/// The right to make a preview, under a lease of 60 seconds.
#[derive(Clone, Debug)]
pub struct PreviewClaim {
    /// The project.
    pub project: ProjectId,
    /// The file.
    pub sha256: Sha256Hash,
    /// Number of processes that have begun it, this one included.
    pub attempts: i32,
    maker: i32,
}

/// The part of a preview that is made so far.
#[derive(Clone, Debug, Default)]
pub struct PreviewProgress {
    /// Facts about the shape.
    pub shape: Option<PreviewShape>,
    /// Why it shows nothing, or not all.
    pub failure: Option<String>,
    /// New files.
    pub files: Vec<DerivedFile>,
    /// True if nothing more will be made.
    pub is_finished: bool,
}

/// The file of an object, or that of which it is a part, on the branch or in a commit; `None` if it has none. With
/// `with_objects`, or for a part, it comes with all of its objects.
///
/// # Errors
/// `NOT_FOUND` if the project has no such commit, or no such object there; `UNAVAILABLE`.
pub async fn find(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    object: ObjectId,
    commit: Option<CommitHash>,
    with_objects: bool,
) -> Result<Option<ShownFile>> {
    let id = project.record.id;
    let branch = match commit {
        None => project.branch.clone(),
        Some(commit) => {
            let at = compare::resolve(tx, project, &Point::Commit(commit)).await?;
            Branch::without_changes(project.branch.name.clone(), at)
        }
    };
    let mut owner = Some(branch_objects::find(tx, id, &branch, object).await?.ok_or_else(Error::not_found)?);
    while let Some(part) = owner.take_if(|object| object.file.is_none() && object.is_converted_part()) {
        owner = branch_objects::find(tx, id, &branch, part.parent).await?;
    }
    let Some(owner) = owner else { return Ok(None) };
    let Some(file) = owner.file else { return Ok(None) };
    let (blob_key, stored_at): (String, OffsetDateTime) = files::table
        .find((id.0, file.sha256.0.as_slice()))
        .select((files::blob_key, files::created_at))
        .first(tx)
        .await?;
    let objects = match with_objects || owner.id != object {
        true => file_objects::load(tx, id, &branch, owner.id).await?,
        false => None,
    };
    let stored = StoredFile { name: owner.name, file, blob_key, stored_at: stored_at.into() };
    Ok(Some(ShownFile { stored, owner: owner.id, object_type: owner.object_type, objects }))
}

impl Store {
    /// The preview of a file that was found by a witness, made by this version of the maker; `None` if it is still to be
    /// made, or if the process that made it has ended.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn preview(&self, project: ProjectId, file: &FileRef, maker: i32) -> Result<Option<Preview>> {
        let lives = sql::<Bool>("lease_until > clock_timestamp()");
        let is_used = sql::<Bool>("used_at > clock_timestamp() - interval '1 hour'");
        let has_picture = sql::<Bool>(
            "exists (select from derived_files d where d.project_id = previews.project_id \
             and d.sha256 = previews.sha256 and d.part = 0 and d.format = 'small-picture')",
        );
        let found: Option<PreviewRow> = previews::table
            .find((project.0, file.sha256.0.as_slice()))
            .filter(previews::maker.eq(maker))
            .select((previews::shape, previews::failure, previews::finished_at, has_picture, lives, is_used))
            .first(&self.connection().await?)
            .await
            .optional()?;
        let Some(PreviewRow { shape, failure, finished_at, has_picture, lives, is_used }) = found else {
            return Ok(None);
        };
        let shape = shape.map(serde_json::from_value).transpose().map_err(Error::internal)?;
        let preview = Preview { shape, has_picture, failure, is_finished: finished_at.is_some(), is_used };
        Ok((preview.is_finished || lives).then_some(preview))
    }

    /// A file that was made of another one, which was found by a witness.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn derived_file(
        &self,
        project: ProjectId,
        file: &FileRef,
        (part, format): (u32, DerivedFormat),
    ) -> Result<Option<DerivedFile>> {
        let number = i32::try_from(part).map_err(Error::internal)?;
        let found: Option<(String, i64, Vec<u8>)> = derived_files::table
            .find((project.0, file.sha256.0.as_slice(), number, format.as_str()))
            .select((derived_files::blob_key, derived_files::size_bytes, derived_files::content_sha256))
            .first(&self.connection().await?)
            .await
            .optional()?;
        let derived = |(blob_key, size, hash): (String, i64, Vec<u8>)| {
            let size_bytes = u64::try_from(size).map_err(Error::internal)?;
            let sha256 = Sha256Hash(hash.as_slice().try_into().map_err(Error::internal)?);
            Ok(DerivedFile { part, format, blob_key, size_bytes, sha256 })
        };
        found.map(derived).transpose()
    }

    /// Notes that a preview was looked at.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn touch_preview(&self, project: ProjectId, sha256: Sha256Hash) -> Result<()> {
        let now = sql::<Timestamptz>("clock_timestamp()");
        diesel::update(previews::table.find((project.0, sha256.0.as_slice())))
            .set(previews::used_at.eq(now))
            .execute(&self.connection().await?)
            .await?;
        Ok(())
    }

    /// Claims the making of a preview; `None` if it is made, or being made, or the file is gone.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn claim_preview(
        &self,
        project: ProjectId,
        sha256: Sha256Hash,
        maker: i32,
    ) -> Result<Option<PreviewClaim>> {
        let statement = Statement::new(include_str!("previews/claim.sql"))
            .bind::<SqlUuid, _>(project.0)
            .bind::<Binary, _>(sha256.0.to_vec())
            .bind::<Integer, _>(maker);
        let rows: Vec<ClaimedRow> = statement.load(&self.connection().await?).await?;
        let claim = |row: ClaimedRow| PreviewClaim { project, sha256, attempts: row.attempts, maker };
        Ok(rows.into_iter().next().map(claim))
    }

    /// Renews the lease; `false` if another process has taken it over, or the file is gone.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn renew_preview(&self, claim: &PreviewClaim) -> Result<bool> {
        let until = sql::<Timestamptz>("clock_timestamp() + interval '60 seconds'");
        let renewed = diesel::update(
            previews::table
                .find((claim.project.0, claim.sha256.0.as_slice()))
                .filter(previews::maker.eq(claim.maker).and(previews::attempts.eq(claim.attempts))),
        )
        .set(previews::lease_until.eq(until));
        Ok(renewed.execute(&self.connection().await?).await? == 1)
    }

    /// Forgets a preview that could not be made for a reason that isn't the file's. It is begun by the next who asks.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn forget_preview(&self, claim: &PreviewClaim) -> Result<()> {
        diesel::delete(
            previews::table
                .find((claim.project.0, claim.sha256.0.as_slice()))
                .filter(previews::maker.eq(claim.maker).and(previews::attempts.eq(claim.attempts))),
        )
        .execute(&self.connection().await?)
        .await?;
        Ok(())
    }

    /// Keeps what was made of a preview, with an event when it is finished. Returns the blobs that nothing refers to now:
    /// those of the files if the claim is lost.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn keep_preview(
        &self,
        claim: &PreviewClaim,
        made: &PreviewProgress,
        now: Timestamp,
    ) -> Result<Vec<String>> {
        let shape = made.shape.as_ref().map(serde_json::to_value).transpose().map_err(Error::internal)?;
        let replaced = self
            .transaction(async |tx| {
                let finished_at = made.is_finished.then_some(now.0);
                let kept = diesel::update(
                    previews::table
                        .find((claim.project.0, claim.sha256.0.as_slice()))
                        .filter(previews::maker.eq(claim.maker).and(previews::attempts.eq(claim.attempts))),
                )
                .set((
                    previews::shape.eq(&shape),
                    previews::failure.eq(&made.failure),
                    previews::finished_at.eq(finished_at),
                ))
                .execute(tx)
                .await?;
                if kept == 0 {
                    return Ok(None);
                }
                if made.is_finished {
                    let data = PreviewEventData { sha256: claim.sha256 };
                    let change = ChangeData::PreviewFinished(data);
                    let origin = ChangeOrigin::of(None, now);
                    tx.publish(NewChangeEvent::of_project(origin, claim.project, change));
                }
                keep_files(tx, claim.project, claim.sha256, &made.files).await.map(Some)
            })
            .await?;
        Ok(replaced.unwrap_or_else(|| made.files.iter().map(|file| file.blob_key.clone()).collect()))
    }

    /// Keeps more files of a preview. Returns the blobs that nothing refers to now: theirs if the preview is gone.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn keep_derived_files(
        &self,
        project: ProjectId,
        sha256: Sha256Hash,
        files: &[DerivedFile],
    ) -> Result<Vec<String>> {
        let kept = self
            .transaction(async |tx| {
                let held: Option<i32> = previews::table
                    .find((project.0, sha256.0.as_slice()))
                    .select(previews::attempts)
                    .for_key_share()
                    .first(tx)
                    .await
                    .optional()?;
                match held {
                    Some(_) => keep_files(tx, project, sha256, files).await.map(Some),
                    None => Ok(None),
                }
            })
            .await?;
        Ok(kept.unwrap_or_else(|| files.iter().map(|file| file.blob_key.clone()).collect()))
    }

    /// Drops the previews that nobody has looked at since `unused_since`, and those beyond `bytes_max`; returns their
    /// number.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn drop_previews(&self, unused_since: Timestamp, bytes_max: u64) -> Result<u64> {
        let statement = Statement::new(include_str!("previews/drop.sql"))
            .bind::<Timestamptz, _>(unused_since.0)
            .bind::<BigInt, _>(i64::try_from(bytes_max).unwrap_or(i64::MAX));
        let row: DroppedRow = statement.get_result(&self.connection().await?).await?;
        u64::try_from(row.dropped).map_err(Error::internal)
    }
}

/// Keeps files of a preview; returns the blobs that they replace.
async fn keep_files(
    tx: &mut Tx,
    project: ProjectId,
    sha256: Sha256Hash,
    made: &[DerivedFile],
) -> Result<Vec<String>> {
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let parts: Result<Vec<i32>, _> = made.iter().map(|file| i32::try_from(file.part)).collect();
    let sizes: Result<Vec<i64>, _> = made.iter().map(|file| i64::try_from(file.size_bytes)).collect();
    let formats: Vec<&str> = made.iter().map(|file| file.format.as_str()).collect();
    let keys: Vec<&str> = made.iter().map(|file| file.blob_key.as_str()).collect();
    let hashes: Vec<&[u8]> = made.iter().map(|file| file.sha256.0.as_slice()).collect();
    let rows: Vec<ReplacedRow> = Statement::new(include_str!("previews/keep.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Binary, _>(sha256.0.to_vec())
        .bind::<Array<Integer>, _>(parts.map_err(Error::internal)?)
        .bind::<Array<Text>, _>(formats)
        .bind::<Array<Text>, _>(keys)
        .bind::<Array<BigInt>, _>(sizes.map_err(Error::internal)?)
        .bind::<Array<Binary>, _>(hashes)
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|row| row.blob_key).collect())
}

#[derive(Queryable)]
struct PreviewRow {
    shape: Option<Value>,
    failure: Option<String>,
    finished_at: Option<OffsetDateTime>,
    has_picture: bool,
    /// True if its lease goes on.
    lives: bool,
    is_used: bool,
}

#[derive(QueryableByName)]
struct ClaimedRow {
    #[diesel(sql_type = Integer)]
    attempts: i32,
}

#[derive(QueryableByName)]
struct ReplacedRow {
    #[diesel(sql_type = Text)]
    blob_key: String,
}

#[derive(QueryableByName)]
struct DroppedRow {
    #[diesel(sql_type = BigInt)]
    dropped: i64,
}
