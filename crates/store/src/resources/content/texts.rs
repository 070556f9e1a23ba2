//! The index of objects' texts. Changes of branches are noted with them, by triggers, and indexed later, beside
//! requests: an upload doesn't wait for it.
//!
//! The index only proposes. It has a row for each text that an object has had on any branch, and a search compares the
//! object as its branch has it (docs/design/search.md).

use std::collections::{BTreeMap, BTreeSet};

use database::decode;
use database::prelude::*;
use database::schema::{branches, projects, text_changes};
use diesel::sql_types::{Array, BigInt, Binary, Jsonb, Nullable, Text, Uuid as SqlUuid};
use domain::content::object::{CommitHash, Object};
use domain::content::object_text::ObjectText;
use domain::id::{ObjectId, ProjectId};
use domain::search::grams;
use domain::{Code, Error, Result};
use futures_util::TryStreamExt;
use git::{ObjectRecord, Walk};
use serde_json::Value;
use uuid::Uuid;

use crate::resources::content::tree;
use crate::resources::git_objects;
use crate::resources::store::{Store, Tx};

/// Most objects that one transaction indexes.
const BATCH_OBJECTS: usize = 200;

/// An object that may hold a search's terms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextHit {
    pub(crate) position: TextPosition,
    /// The text that was found.
    pub(crate) sha256: [u8; 32],
}

/// A position in the texts of a project, in the order in which they were indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextPosition {
    pub(crate) text: i64,
    pub(crate) object: ObjectId,
}

impl Store {
    /// Indexes the texts of the next changed objects; false if no change waits. Concurrent calls take others.
    ///
    /// # Errors
    /// `UNAVAILABLE`; `INTERNAL_ERROR` if the content is corrupt. The change is tried again after all others then.
    pub async fn index_texts(&self) -> Result<bool> {
        let indexed = self.transaction(async |tx| Box::pin(index(tx)).await).await;
        if indexed.as_ref().is_err_and(|error| error.code == Code::InternalError) {
            let connection = self.connection().await?;
            Statement::new(include_str!("texts/defer.sql")).execute(&connection).await?;
        }
        indexed
    }
}

/// Notes objects of a branch whose texts are to be indexed. Triggers note those of working changes.
pub(crate) async fn note(tx: &mut Tx, branch: Uuid, objects: impl Iterator<Item = ObjectId>) -> Result<()> {
    let objects: Vec<Uuid> = objects.map(|id| id.0).collect();
    if objects.is_empty() {
        return Ok(());
    }
    diesel::insert_into(text_changes::table)
        .values((text_changes::branch_id.eq(branch), text_changes::object_ids.eq(objects)))
        .execute(tx)
        .await?;
    Ok(())
}

/// The next objects of a project, after `from`, that may hold all keys of terms, on any branch.
pub(crate) async fn find(
    tx: &mut Tx,
    project: ProjectId,
    keys: &[i64],
    from: TextPosition,
    rows: i64,
) -> Result<Vec<TextHit>> {
    let keys: Vec<i64> = keys.iter().copied().chain([project_key(project)]).collect();
    // The best plan depends on the words: rare ones are found by the index alone.
    Statement::new("set local plan_cache_mode = force_custom_plan").execute(tx).await?;
    let rows: Vec<TextHitRow> = Statement::new(include_str!("texts/find.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<BigInt>, _>(keys)
        .bind::<BigInt, _>(from.text)
        .bind::<SqlUuid, _>(from.object.0)
        .bind::<BigInt, _>(rows)
        .load(tx)
        .await?;
    rows.into_iter().map(TextHitRow::hit).collect()
}

/// The key that all texts of a project have. Those of characters are positive.
fn project_key(project: ProjectId) -> i64 {
    let (_, low) = project.0.as_u64_pair();
    low.cast_signed() | i64::MIN
}

async fn index(tx: &mut Tx) -> Result<bool> {
    let next: Option<NextBranchRow> =
        Statement::new(include_str!("texts/next_branch.sql")).get_result(tx).await.optional()?;
    let Some(NextBranchRow { id: branch, project_id }) = next else { return Ok(false) };
    let changes: Vec<TextChangeRow> =
        Statement::new(include_str!("texts/take.sql")).bind::<SqlUuid, _>(branch).load(tx).await?;
    let objects = taken(tx, branch, ProjectId(project_id), changes).await?;
    let texts = texts_of(tx, branch, ProjectId(project_id), &objects).await?;
    write(tx, ProjectId(project_id), &texts).await?;
    Ok(true)
}

/// Takes objects of changes, and removes or shortens the changes by them.
async fn taken(
    tx: &mut Tx,
    branch: Uuid,
    project: ProjectId,
    changes: Vec<TextChangeRow>,
) -> Result<BTreeSet<ObjectId>> {
    let (mut objects, mut done) = (BTreeSet::new(), Vec::new());
    for TextChangeRow { id, object_ids, after_object_id } in changes {
        let left = BATCH_OBJECTS.saturating_sub(objects.len());
        if left == 0 {
            break;
        }
        let row = diesel::update(text_changes::table.find(id));
        match object_ids {
            Some(mut ids) => {
                let rest = ids.split_off(ids.len().min(left));
                objects.extend(ids.into_iter().map(ObjectId));
                if !rest.is_empty() {
                    row.set(text_changes::object_ids.eq(rest)).execute(tx).await?;
                    break;
                }
            }
            None => {
                let after = ObjectId(after_object_id.unwrap_or_default());
                let next = objects_after(tx, branch, project, after).await?;
                let last = next.last().copied();
                objects.extend(next);
                if let Some(last) = last {
                    row.set(text_changes::after_object_id.eq(last.0)).execute(tx).await?;
                    break;
                }
            }
        }
        done.push(id);
    }
    diesel::delete(text_changes::table.filter(text_changes::id.eq_any(done))).execute(tx).await?;
    Ok(objects)
}

/// The next objects of a branch in the order of their ids, those of its head and those of its working changes.
async fn objects_after(
    tx: &mut Tx,
    branch: Uuid,
    project: ProjectId,
    after: ObjectId,
) -> Result<BTreeSet<ObjectId>> {
    let most = i64::try_from(BATCH_OBJECTS).map_err(Error::internal)?;
    let changed: Vec<ObjectIdRow> = Statement::new(include_str!("texts/changed.sql"))
        .bind::<SqlUuid, _>(branch)
        .bind::<SqlUuid, _>(after.0)
        .bind::<BigInt, _>(most)
        .load(tx)
        .await?;
    let head = head(tx, branch).await?;
    let snapshot = tree::committed(tx, project, head).await?;
    let mut committed: Vec<ObjectId> =
        snapshot.tree.tree.iter().map(|node| node.id).filter(|id| *id > after).collect();
    if committed.len() > BATCH_OBJECTS {
        committed.select_nth_unstable(BATCH_OBJECTS);
        committed.truncate(BATCH_OBJECTS);
    }
    let all: BTreeSet<ObjectId> =
        committed.into_iter().chain(changed.into_iter().map(|row| ObjectId(row.object_id))).collect();
    Ok(all.into_iter().take(BATCH_OBJECTS).collect())
}

/// The keys of distinct texts, and the objects that have them.
#[derive(Default)]
struct TextBatch {
    grams: BTreeMap<[u8; 32], String>,
    objects: Vec<(ObjectId, [u8; 32])>,
}

impl TextBatch {
    fn add(&mut self, object: &Object, project: i64) {
        let text = ObjectText::of(object);
        let Some(sha256) = text.sha256() else { return };
        self.grams.entry(sha256).or_insert_with(|| {
            let keys = grams::of_text(text.folded()).into_iter().chain([project]);
            format!("{{{}}}", keys.map(|key| key.to_string()).collect::<Vec<_>>().join(","))
        });
        self.objects.push((object.id, sha256));
    }
}

/// The texts of those of these objects that the branch has. One at a time is in memory.
async fn texts_of(
    tx: &mut Tx,
    branch: Uuid,
    project: ProjectId,
    objects: &BTreeSet<ObjectId>,
) -> Result<TextBatch> {
    let (mut texts, mut left) = (TextBatch::default(), objects.clone());
    let key = project_key(project);
    let mut rows = Statement::new(include_str!("../branch_objects/find_changed.sql"))
        .bind::<SqlUuid, _>(branch)
        .bind::<Array<SqlUuid>, _>(objects.iter().map(|id| id.0).collect::<Vec<_>>())
        .load_stream::<ChangedObjectRow, _>(tx)
        .await?;
    while let Some(ChangedObjectRow { object_id, record }) = rows.try_next().await? {
        left.remove(&ObjectId(object_id));
        let object: Option<Object> =
            record.map(serde_json::from_value).transpose().map_err(Error::internal)?;
        object.iter().for_each(|object| texts.add(object, key));
    }
    drop(rows);
    // After the working changes: a commit in between has moved them into the head that is read now.
    let Some(head) = head(tx, branch).await?.filter(|_| !left.is_empty()) else { return Ok(texts) };
    let read = |record: &ObjectRecord| {
        texts.add(&record.object()?, key);
        Ok(())
    };
    git_objects::walk(tx, project, Walk::only(head, left), read).await?;
    Ok(texts)
}

async fn head(tx: &mut Tx, branch: Uuid) -> Result<Option<CommitHash>> {
    let head: Option<Option<Vec<u8>>> =
        branches::table.find(branch).select(branches::head).first(tx).await.optional()?;
    head.flatten().as_deref().map(decode::commit_hash).transpose()
}

async fn write(tx: &mut Tx, project: ProjectId, texts: &TextBatch) -> Result<()> {
    if texts.objects.is_empty() {
        return Ok(());
    }
    // A deletion of the project waits, or has happened: then there is nothing to write.
    let held: Option<Uuid> = projects::table
        .find(project.0)
        .select(projects::id)
        .for_key_share()
        .skip_locked()
        .first(tx)
        .await
        .optional()?;
    if held.is_none() {
        return Err(Error::unavailable("the project is being deleted"));
    }
    let (hashes, grams): (Vec<&[u8]>, Vec<&str>) =
        texts.grams.iter().map(|(hash, grams)| (hash.as_slice(), grams.as_str())).unzip();
    Statement::new(include_str!("texts/insert.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(hashes)
        .bind::<Array<Text>, _>(grams)
        .execute(tx)
        .await?;
    let (hashes, objects): (Vec<&[u8]>, Vec<Uuid>) =
        texts.objects.iter().map(|(object, hash)| (hash.as_slice(), object.0)).unzip();
    Statement::new(include_str!("texts/link.sql"))
        .bind::<SqlUuid, _>(project.0)
        .bind::<Array<Binary>, _>(hashes)
        .bind::<Array<SqlUuid>, _>(objects)
        .execute(tx)
        .await?;
    Ok(())
}

#[derive(QueryableByName)]
struct NextBranchRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
}

#[derive(QueryableByName)]
struct TextChangeRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Nullable<Array<SqlUuid>>)]
    object_ids: Option<Vec<Uuid>>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    after_object_id: Option<Uuid>,
}

#[derive(QueryableByName)]
struct ObjectIdRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
}

#[derive(QueryableByName)]
struct ChangedObjectRow {
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Nullable<Jsonb>)]
    record: Option<Value>,
}

#[derive(QueryableByName)]
struct TextHitRow {
    #[diesel(sql_type = BigInt)]
    text_id: i64,
    #[diesel(sql_type = SqlUuid)]
    object_id: Uuid,
    #[diesel(sql_type = Binary)]
    sha256: Vec<u8>,
}

impl TextHitRow {
    fn hit(self) -> Result<TextHit> {
        let Self { text_id, object_id, sha256 } = self;
        let sha256 = sha256.try_into().map_err(|_| Error::internal("a text's hash is not 32 bytes"))?;
        Ok(TextHit { position: TextPosition { text: text_id, object: ObjectId(object_id) }, sha256 })
    }
}
