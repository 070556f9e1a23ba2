//! Deferred conversions: files whose conversion found no place in time. Their object is in the tree and says that it is
//! pending. A process takes such a file under a lease, converts it, and writes its objects in one transaction.
//!
//! A deferred conversion belongs to its branch: it is done after its session was closed, and not after its object was
//! deleted or changed to be something else.

use std::collections::{BTreeMap, HashSet};

use diesel::sql_types::{Array, BigInt, Binary, Integer, Text, Timestamptz, Uuid as SqlUuid};
use domain::event::{EventType, NewEvent};
use domain::id::{ObjectId, ProjectId, SessionId, UploadId, UserId};
use domain::object::{CONVERSION, FileRef, Object, Sha256Hash};
use domain::project::BranchName;
use domain::text::Name;
use domain::time::Timestamp;
use domain::upload::{NewFile, ObjectMap};
use domain::{Error, Result};
use serde_json::json;
use uuid::Uuid;

use crate::access::project::Branch;
use crate::db::decode;
use crate::db::prelude::*;
use crate::db::schema::{applied_uploads, branches, deferred_conversions, projects, sessions};
use crate::resources::content::attachments::NAMED_IN_EVENT;
use crate::resources::content::objects::draft::{self, NewState};
use crate::resources::content::objects::{self, BranchObject, ChangeContext};
use crate::resources::session_events;
use crate::resources::store::{Store, Tx};

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
    /// The owner of the file, with the id and the parent of the object that was pending.
    pub root: Object,
    /// The objects below it, parents before children.
    pub others: Vec<Object>,
    /// The files that they own.
    pub files: Vec<NewFile>,
}

/// The outcome of a finished conversion.
#[derive(Clone, Debug)]
pub struct FinishedConversion {
    /// The session that has a new event.
    pub told: Option<SessionId>,
    /// Blobs of its files that the project doesn't refer to.
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
        let Written { told, kept } = written.unwrap_or_default();
        let keys = converted.files.iter().map(|file| &file.blob_key);
        let unneeded_blobs = keys.filter(|key| !kept.contains(*key)).cloned().collect();
        Ok(FinishedConversion { told, unneeded_blobs })
    }
}

/// The part of a finished conversion's outcome that its transaction knows.
#[derive(Default)]
struct Written {
    told: Option<SessionId>,
    /// The blobs that the project refers to.
    kept: HashSet<String>,
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
            .filter(deferred_conversions::attempts.eq(taken.attempts)),
    )
    .execute(tx)
    .await?
        == 0
    {
        return Ok(None);
    }
    let found = objects::find_all(tx, taken.project, &branch, HashSet::from([taken.object])).await?;
    let (now_is, head) = match found.into_values().next() {
        Some(BranchObject::Uncommitted(Some(object))) => (object, None),
        Some(BranchObject::Committed(object)) => (object.clone(), Some(object)),
        Some(BranchObject::Uncommitted(None)) | None => return Ok(None),
    };
    let Some(root) = merged(now_is, &converted.root) else { return Ok(None) };
    let change = ChangeContext { branch: taken.branch, user: taken.user, now };
    let json = |object: &Object| serde_json::to_value(object).map_err(Error::internal);
    let head = head.as_ref().map(json).transpose()?;
    let state = NewState { object: root.id, record: Some(json(&root)?), head };
    let kept = insert_files(tx, taken.project, &converted.files, now).await?;
    draft::write(tx, &change, vec![state]).await?;
    objects::add(tx, &change, &converted.others).await?;
    let map: ObjectMap = std::iter::once(&root).chain(&converted.others).collect();
    diesel::update(applied_uploads::table.find(taken.upload.0))
        .set(applied_uploads::objects.eq(serde_json::to_value(&map).map_err(Error::internal)?))
        .execute(tx)
        .await?;
    let told = open.map(|_| taken.session);
    if told.is_some() {
        let event = event(&branch.name, root.id, &converted.others);
        session_events::append(tx, taken.session, now, &event).await?;
    }
    Ok(Some(Written { told, kept }))
}

/// The converted object, with what users have changed since; `None` if it is not pending any more.
fn merged(now_is: Object, converted: &Object) -> Option<Object> {
    let owned = |object: &Object| object.file.as_ref().map(|file| file.sha256);
    let is_pending = now_is.is_conversion_pending() && owned(&now_is) == owned(converted);
    is_pending.then(|| {
        let mut data = now_is.data;
        data.remove(CONVERSION);
        data.extend(converted.data.clone());
        Object {
            object_type: converted.object_type.clone(),
            kind: converted.kind,
            file: now_is
                .file
                .zip(converted.file.clone())
                .map(|(file, converted)| FileRef { mime_type: converted.mime_type, ..file }),
            data,
            ..now_is
        }
    })
}

async fn lock_branch(tx: &mut Tx, id: Uuid) -> Result<Option<Branch>> {
    let locked: Option<(String, Option<Vec<u8>>, i64)> = diesel::update(branches::table.find(id))
        .set(branches::revision.eq(branches::revision + 1))
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

/// Returns the blobs that the project refers to for these files.
async fn insert_files(
    tx: &mut Tx,
    project: ProjectId,
    files: &[NewFile],
    now: Timestamp,
) -> Result<HashSet<String>> {
    // A statement can't insert a row twice. Pages may have the same image.
    let distinct: BTreeMap<&[u8], &NewFile> =
        files.iter().rev().map(|file| (file.sha256.0.as_slice(), file)).collect();
    if distinct.is_empty() {
        return Ok(HashSet::new());
    }
    let sizes: Result<Vec<i64>, _> = distinct.values().map(|file| i64::try_from(file.size)).collect();
    let keys: Vec<&str> = distinct.values().map(|file| file.blob_key.as_str()).collect();
    let rows: Vec<KeptBlobRow> = Statement::new(include_str!("deferred/insert_files.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(distinct.keys().copied().collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(sizes.map_err(Error::internal)?)
        .bind::<Array<Text>, _>(keys)
        .bind::<Timestamptz, _>(now.0)
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|row| row.blob_key).collect())
}

/// The event of a file that was converted.
fn event(branch: &BranchName, root: ObjectId, others: &[Object]) -> NewEvent {
    let named: Vec<ObjectId> = others.iter().take(NAMED_IN_EVENT).map(|object| object.id).collect();
    let mut data = json!({ "branch": branch, "changedCount": 1, "changed": [root] });
    if let (Some(fields), false) = (data.as_object_mut(), named.is_empty()) {
        fields.insert("addedCount".to_owned(), json!(others.len()));
        fields.insert("added".to_owned(), json!(named));
    }
    NewEvent { kind: EventType::ObjectsChanged, data }
}

#[derive(QueryableByName)]
struct KeptBlobRow {
    #[diesel(sql_type = Text)]
    blob_key: String,
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
