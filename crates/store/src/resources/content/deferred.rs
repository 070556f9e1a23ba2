//! Deferred conversions: files whose conversion found no place in time. Their object is in the tree and says that it is
//! pending. A process takes such a file under a lease, converts it, and writes its objects in one transaction.
//!
//! A deferred conversion belongs to its branch: it is done after its session was closed, and not after its object was
//! deleted or changed to be something else.

use std::collections::HashSet;

use database::decode;
use database::prelude::*;
use database::schema::{applied_uploads, branches, deferred_conversions, projects, sessions};
use diesel::sql_types::{BigInt, Binary, Integer, Text, Timestamptz, Uuid as SqlUuid};
use domain::content::object::{Object, Sha256Hash};
use domain::content::upload::{NewFile, ObjectMap};
use domain::id::{ObjectId, ProjectId, SessionId, UploadId, UserId};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde_json::json;
use uuid::Uuid;

use crate::access::project::Branch;
use crate::resources::content::file_objects;
use crate::resources::content::notifications::publish;
use crate::resources::content::objects::ChangeContext;
use crate::resources::outbox::ChangeOrigin;
use crate::resources::store::{Store, Tx};
use crate::resources::stored_files;
use crate::resources::work::session_events;

/// A file to convert, under a lease of 60 seconds.
#[derive(Clone, Debug)]
pub struct DeferredConversion {
    branch: Uuid,
    session: SessionId,
    /// The object that owns the file.
    pub object: ObjectId,
    /// Its project.
    pub project: ProjectId,
    /// The user who uploaded the file.
    pub user: UserId,
    /// The upload.
    pub upload: UploadId,
    /// The client's name of the file.
    pub name: Name,
    /// Number of processes that have taken it, this one included.
    pub attempts: i32,
    /// The file.
    pub sha256: Sha256Hash,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Its place in the object store.
    pub blob_key: String,
}

/// The objects of a converted file.
#[derive(Clone, Debug)]
pub struct ConvertedFile {
    /// The objects, parents before children. The first owns the file, and has the id of the object that was pending.
    pub objects: Vec<Object>,
    /// The files that they own.
    pub files: Vec<NewFile>,
}

/// The outcome of a finished conversion.
#[derive(Clone, Debug)]
pub struct FinishedConversion {
    /// The session that has a new event.
    pub told: Option<SessionId>,
    /// Blobs that the project doesn't refer to.
    pub unneeded_blobs: Vec<String>,
}

impl Store {
    /// Takes a file that waits for its conversion, in turn by user and project; `None` if no file waits. `salt` chooses
    /// among users.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn take_deferred_conversion(&self, salt: Uuid) -> Result<Option<DeferredConversion>> {
        let statement = Statement::new(include_str!("deferred/claim.sql")).bind::<Text, _>(salt.to_string());
        let rows: Vec<DeferredRow> = statement.load(&self.connection().await?).await?;
        rows.into_iter().next().map(DeferredRow::conversion).transpose()
    }

    /// Renews the lease; `false` if another process has taken the file.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn renew_deferred_conversion(&self, taken: &DeferredConversion) -> Result<bool> {
        let until = diesel::dsl::sql::<Timestamptz>("clock_timestamp() + interval '60 seconds'");
        let renewed = diesel::update(
            deferred_conversions::table
                .find((taken.branch, taken.object.0))
                .filter(deferred_conversions::upload_id.eq(taken.upload.0))
                .filter(deferred_conversions::attempts.eq(taken.attempts)),
        )
        .set(deferred_conversions::lease_until.eq(until));
        Ok(renewed.execute(&self.connection().await?).await? == 1)
    }

    /// Gives a file back that found no place again. It doesn't count as an attempt.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn give_back_deferred_conversion(&self, taken: &DeferredConversion) -> Result<()> {
        let now = diesel::dsl::sql::<Timestamptz>("clock_timestamp()");
        let given_back = diesel::update(
            deferred_conversions::table
                .find((taken.branch, taken.object.0))
                .filter(deferred_conversions::upload_id.eq(taken.upload.0))
                .filter(deferred_conversions::attempts.eq(taken.attempts)),
        )
        .set((
            deferred_conversions::lease_until.eq(now),
            deferred_conversions::attempts.eq(taken.attempts - 1),
        ));
        given_back.execute(&self.connection().await?).await?;
        Ok(())
    }

    /// Writes the objects of a converted file, with an event for the session if it is open. Nothing is written if another
    /// process has taken the file, or the object is not pending any more.
    ///
    /// # Errors
    /// `BRANCH_CONFLICT` if the branch would hold too much; `UNAVAILABLE`.
    pub async fn finish_deferred_conversion(
        &self,
        taken: &DeferredConversion,
        converted: &ConvertedFile,
        now: Timestamp,
    ) -> Result<FinishedConversion> {
        let written = self.transaction(async |tx| write(tx, taken, converted, now).await).await?;
        let Written { told, kept, released } = written.unwrap_or_default();
        let keys = converted.files.iter().map(|file| &file.blob_key);
        let unneeded_blobs = keys.filter(|key| !kept.contains(*key)).cloned().chain(released).collect();
        Ok(FinishedConversion { told, unneeded_blobs })
    }
}

/// The part of a finished conversion's outcome that its transaction knows.
#[derive(Default)]
struct Written {
    told: Option<SessionId>,
    /// The blobs that the project refers to.
    kept: HashSet<String>,
    /// The blobs of files that it doesn't refer to any more.
    released: Vec<String>,
}

/// Writes a converted file; `None` if nothing is to be written.
async fn write(
    tx: &mut Tx,
    taken: &DeferredConversion,
    converted: &ConvertedFile,
    now: Timestamp,
) -> Result<Option<Written>> {
    // The order of locks: project, session, branch.
    let held: Option<Uuid> = projects::table
        .find(taken.project.0)
        .select(projects::id)
        .for_key_share()
        .first(tx)
        .await
        .optional()?;
    if held.is_none() {
        return Ok(None);
    }
    let open: Option<Uuid> = sessions::table
        .find(taken.session.0)
        .filter(sessions::closed_at.is_null())
        .select(sessions::id)
        .for_share()
        .first(tx)
        .await
        .optional()?;
    let Some(branch) = lock_branch(tx, taken.branch).await? else { return Ok(None) };
    if diesel::delete(
        deferred_conversions::table
            .find((taken.branch, taken.object.0))
            .filter(deferred_conversions::upload_id.eq(taken.upload.0))
            .filter(deferred_conversions::attempts.eq(taken.attempts)),
    )
    .execute(tx)
    .await?
        == 0
    {
        return Ok(None);
    }
    let Some(objects) = file_objects::load(tx, taken.project, &branch, taken.object).await? else {
        return Ok(None);
    };
    let owned = objects.owner.now.file.as_ref().map(|file| file.sha256);
    if !objects.owner.now.is_conversion_pending() || owned != Some(taken.sha256) {
        return Ok(None);
    }
    let replaced = objects.replace(&converted.objects)?;
    let change = ChangeContext { branch: taken.branch, user: taken.user, now };
    let kept = stored_files::insert(tx, taken.project, &converted.files, now).await?;
    let released = file_objects::write(&replaced, tx, taken.project, &change).await?;
    let map: ObjectMap = replaced.objects.iter().collect();
    diesel::update(applied_uploads::table.find(taken.upload.0))
        // The summary of a replacement stays.
        .set(applied_uploads::objects.eq(applied_uploads::objects.concat(json!({ "object": map.object }))))
        .execute(tx)
        .await?;
    let told = open.map(|_| taken.session);
    let event = file_objects::event(&replaced, None).event(&branch.name);
    publish(tx, ChangeOrigin::of(None, now), taken.project, &event)?;
    if told.is_some() {
        session_events::append(tx, taken.session, now, &event).await?;
    }
    Ok(Some(Written { told, kept, released }))
}

async fn lock_branch(tx: &mut Tx, id: Uuid) -> Result<Option<Branch>> {
    let locked: Option<(String, Option<Vec<u8>>, i64)> = diesel::update(branches::table.find(id))
        .set((branches::revision.eq(branches::revision + 1), branches::changed_at.eq(diesel::dsl::now)))
        .returning((branches::name, branches::head, branches::revision))
        .get_result(tx)
        .await
        .optional()?;
    let branch = |(name, head, revision): (String, Option<Vec<u8>>, i64)| {
        let head = head.as_deref().map(decode::commit_hash).transpose()?;
        Ok(Branch { id, name: decode::parse(&name)?, head, revision })
    };
    locked.map(branch).transpose()
}

#[derive(QueryableByName)]
struct DeferredRow {
    #[diesel(sql_type = SqlUuid)]
    branch_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    session_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    user_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    upload_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Integer)]
    attempts: i32,
    #[diesel(sql_type = Binary)]
    sha256: Vec<u8>,
    #[diesel(sql_type = BigInt)]
    size_bytes: i64,
    #[diesel(sql_type = Text)]
    blob_key: String,
}

impl DeferredRow {
    fn conversion(self) -> Result<DeferredConversion> {
        Ok(DeferredConversion {
            branch: self.branch_id,
            session: SessionId(self.session_id),
            object: ObjectId(self.object_id),
            project: ProjectId(self.project_id),
            user: UserId(self.user_id),
            upload: UploadId(self.upload_id),
            name: decode::name(&self.name)?,
            attempts: self.attempts,
            sha256: Sha256Hash(self.sha256.try_into().map_err(|_| Error::internal("a hash has 32 bytes"))?),
            size_bytes: u64::try_from(self.size_bytes).map_err(Error::internal)?,
            blob_key: self.blob_key,
        })
    }
}
