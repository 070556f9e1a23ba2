//! Imports of cards from other tools: begun by a request, done step by step by any control process, as their author.
//!
//! A step is a transaction that holds the import's row: a process that dies leaves nothing half done, and the next one goes on
//! at once. The author's rights are asked again in each step.

mod boards;
mod cards;
mod definitions;
mod exact;
mod notes;
mod parts;
mod people;
mod placements;
mod sprints;
mod steps;
mod tags;
mod values;

use auth::actor::{CardRead, CardWrite};
use database::decode;
use database::prelude::*;
use database::schema::{card_sources, import_notes, imports};
use diesel::sql_types::{Array, Integer, Jsonb, Uuid as SqlUuid};
use domain::id::{ApiKeyId, ImportId, OrganizationId, ProjectId, UserId};
use domain::planning::import::{ImportCounts, ImportItem, ImportNote, ImportRecord, ImportState, ImportTool};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::import::{OwnImport, OwnImports};
use crate::access::project::Project;
use crate::resources::store::Tx;

/// Rows that are written by one statement.
const ROWS_AT_ONCE: usize = 2_000;

/// An import to begin.
#[derive(Debug)]
pub struct NewImport {
    /// The organization, which owns the project.
    pub organization: OrganizationId,
    /// The tool that wrote the file.
    pub tool: ImportTool,
    /// True for a trial.
    pub is_dry_run: bool,
    /// The steps, each with its level.
    pub items: Vec<(usize, ImportItem)>,
    /// Values that aren't as in the file.
    pub notes: Vec<ImportNote>,
    /// Number of comments of the issues.
    pub comments: usize,
}

/// Begins an import into a project. A trial ends at once. Boards that the caller may not make are left out.
///
/// # Errors
/// `NOT_FOUND` if the organization doesn't own the project.
pub async fn begin(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &NewImport,
) -> Result<ImportRecord> {
    if project.record.owner_id != new.organization.into() {
        return Err(Error::not_found());
    }
    let (items, of_boards) = boards::permitted(tx, call, new).await?;
    let id = ImportId::new(call.now);
    let cards: Vec<&str> = new.items.iter().filter_map(|(_, item)| source_id(item)).collect();
    let existing: i64 = card_sources::table
        .filter(card_sources::project_id.eq(project.record.id.0))
        .filter(card_sources::tool.eq(new.tool.as_str()))
        .filter(card_sources::source_id.eq_any(&cards))
        .count()
        .get_result(tx)
        .await?;
    let steps =
        |is_kind: fn(&ImportItem) -> bool| count(new.items.iter().filter(|(_, item)| is_kind(item)).count());
    let (existing, issues) = (count(existing)?, count(cards.len())?);
    let state = if new.is_dry_run { ImportState::Finished } else { ImportState::Running };
    let total = count(items.len())?;
    let row = ImportRow {
        id: id.0,
        organization_id: new.organization.0,
        project_id: project.record.id.0,
        user_id: call.actor.user.0,
        api_key_id: call.actor.key().map(|key| key.0),
        tool: new.tool.as_str().to_owned(),
        is_dry_run: new.is_dry_run,
        state: state.as_str().to_owned(),
        failure: None,
        issues,
        relations: steps(|item| matches!(item, ImportItem::Relation(_)))?,
        comments: count(new.comments)?,
        created: if new.is_dry_run { issues.saturating_sub(existing) } else { 0 },
        existing: if new.is_dry_run { existing } else { 0 },
        done: if new.is_dry_run { total } else { 0 },
        total,
        notes: count(new.notes.len().saturating_add(of_boards.len()))?,
        attempts: 0,
        created_at: call.now.0,
        finished_at: new.is_dry_run.then_some(call.now.0),
        boards: steps(|item| matches!(item, ImportItem::Team(_)))?,
        sprints: steps(|item| matches!(item, ImportItem::Sprint(_)))?,
    };
    diesel::insert_into(imports::table).values(&row).execute(tx).await?;
    if !new.is_dry_run {
        exact::reserve_numbers(tx, project, &new.items).await?;
        insert_items(tx, id, &items).await?;
    }
    insert_notes(tx, id, 0, &new.notes).await?;
    insert_notes(tx, id, count(new.notes.len())?, &of_boards).await?;
    row.record()
}

/// The caller's imports in an organization after `after`, the newest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(
    tx: &mut Tx,
    call: &Call<CardRead>,
    own: &OwnImports,
    after: Option<ImportId>,
    rows: u32,
) -> Result<Vec<ImportRecord>> {
    let mut query = imports::table
        .filter(imports::organization_id.eq(own.organization.0).and(imports::user_id.eq(call.actor.user.0)))
        .order(imports::id.desc())
        .limit(i64::from(rows))
        .select(ImportRow::as_select())
        .into_boxed();
    if let Some(after) = after {
        query = query.filter(imports::id.lt(after.0));
    }
    let rows: Vec<ImportRow> = query.load(tx).await?;
    rows.into_iter().map(ImportRow::record).collect()
}

/// An import.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get(tx: &mut Tx, import: &OwnImport) -> Result<ImportRecord> {
    let row: ImportRow = imports::table.find(import.id.0).select(ImportRow::as_select()).first(tx).await?;
    row.record()
}

/// An import's notes after number `after`, each with its number from 1.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn notes(tx: &mut Tx, import: &OwnImport, after: u32, rows: u32) -> Result<Vec<(u32, ImportNote)>> {
    let after = i32::try_from(after).unwrap_or(i32::MAX);
    let rows: Vec<(i32, Value)> = import_notes::table
        .filter(import_notes::import_id.eq(import.id.0).and(import_notes::position.gt(after)))
        .order(import_notes::position)
        .limit(i64::from(rows))
        .select((import_notes::position, import_notes::note))
        .load(tx)
        .await?;
    let read = |(position, note): (i32, Value)| {
        Ok((number(position)?, serde_json::from_value(note).map_err(Error::internal)?))
    };
    rows.into_iter().map(read).collect()
}

async fn insert_items(tx: &mut Tx, import: ImportId, items: &[&(usize, ImportItem)]) -> Result<()> {
    let mut first = 1;
    for chunk in items.chunks(ROWS_AT_ONCE) {
        let values: Result<Vec<Value>> =
            chunk.iter().map(|(_, item)| serde_json::to_value(item).map_err(Error::internal)).collect();
        let levels: Result<Vec<i32>> = chunk.iter().map(|(level, _)| count(*level)).collect();
        Statement::new(include_str!("imports/insert_items.sql"))
            .bind::<SqlUuid, _>(import.0)
            .bind::<Integer, _>(first)
            .bind::<Array<Integer>, _>(levels?)
            .bind::<Array<Jsonb>, _>(values?)
            .execute(tx)
            .await?;
        first += count(chunk.len())?;
    }
    Ok(())
}

/// Adds notes behind the first `known` ones.
async fn insert_notes(tx: &mut Tx, import: ImportId, known: i32, notes: &[ImportNote]) -> Result<()> {
    let mut first = known.saturating_add(1);
    for chunk in notes.chunks(ROWS_AT_ONCE) {
        let values: Vec<Value> = chunk.iter().map(|note| json!(note)).collect();
        Statement::new(include_str!("imports/insert_notes.sql"))
            .bind::<SqlUuid, _>(import.0)
            .bind::<Integer, _>(first)
            .bind::<Array<Jsonb>, _>(values)
            .execute(tx)
            .await?;
        first += count(chunk.len())?;
    }
    Ok(())
}

fn source_id(item: &ImportItem) -> Option<&str> {
    match item {
        ImportItem::Card(card) => Some(&card.source_id),
        ImportItem::Field(_)
        | ImportItem::Tag(_)
        | ImportItem::Relation(_)
        | ImportItem::Team(_)
        | ImportItem::Sprint(_)
        | ImportItem::Placement(_)
        | ImportItem::SprintState(_) => None,
    }
}

fn count(count: impl TryInto<i32>) -> Result<i32> {
    count.try_into().map_err(|_| Error::internal("an import has more steps than can be counted"))
}

fn number(count: i32) -> Result<u32> {
    u32::try_from(count).map_err(Error::internal)
}

/// A row of `imports`.
#[derive(Insertable, Queryable, Selectable)]
#[diesel(table_name = imports)]
struct ImportRow {
    id: Uuid,
    organization_id: Uuid,
    project_id: Uuid,
    user_id: Uuid,
    api_key_id: Option<Uuid>,
    tool: String,
    is_dry_run: bool,
    state: String,
    failure: Option<String>,
    issues: i32,
    relations: i32,
    comments: i32,
    created: i32,
    existing: i32,
    done: i32,
    total: i32,
    notes: i32,
    attempts: i32,
    created_at: OffsetDateTime,
    finished_at: Option<OffsetDateTime>,
    boards: i32,
    sprints: i32,
}

impl ImportRow {
    fn record(self) -> Result<ImportRecord> {
        Ok(ImportRecord {
            id: ImportId(self.id),
            org_id: OrganizationId(self.organization_id),
            project_id: ProjectId(self.project_id),
            created_by: UserId(self.user_id),
            tool: decode::text(&self.tool)?,
            is_dry_run: self.is_dry_run,
            state: decode::text(&self.state)?,
            failure: self.failure.as_deref().map(decode::text::<Code>).transpose()?,
            counts: ImportCounts {
                issues: number(self.issues)?,
                relations: number(self.relations)?,
                comments: number(self.comments)?,
                boards: number(self.boards)?,
                sprints: number(self.sprints)?,
                created: number(self.created)?,
                existing: number(self.existing)?,
            },
            done: number(self.done)?,
            total: number(self.total)?,
            note_count: number(self.notes)?,
            created_at: Timestamp::from(self.created_at),
            finished_at: self.finished_at.map(Timestamp::from),
        })
    }

    fn key(&self) -> Option<ApiKeyId> {
        self.api_key_id.map(ApiKeyId)
    }
}
