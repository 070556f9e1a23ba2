//! The work on imports in progress.

use auth::actor::{Actor, ActorCredential, CardWrite};
use database::decode;
use database::prelude::*;
use database::schema::{import_items, imports};
use domain::content::project::ProjectRef;
use domain::id::{ImportId, ProjectId, UserId};
use domain::people::permission::Permissions;
use domain::planning::import::{
    ImportItem, ImportNote, ImportState, ImportTool, ImportedCard, ImportedRelation,
};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde_json::Value;

use crate::access::Target;
use crate::access::call::{Call, CallContext};
use crate::access::project::Project;
use crate::resources::planning::cards::relations::{self, RelationRef};
use crate::resources::planning::imports::cards::{self, MadeCards};
use crate::resources::planning::imports::{ImportRow, count, insert_notes};
use crate::resources::store::{Store, Tx};

/// Steps of one transaction: it holds locks of the project, which others wait for.
const STEPS_AT_ONCE: i64 = 200;
/// Imports that a process looks at, in case others hold the first ones.
const LOOKED_AT: i64 = 20;
/// Failures that end with another attempt: another request was in the way, or the database was away.
const PASSING: [Code; 4] =
    [Code::Unavailable, Code::TagNameTaken, Code::AssigneeNotMember, Code::CardHistoryConflict];

impl Store {
    /// Does the next steps of an import in progress, one with few left first; false if nothing waits, or other processes are
    /// at work on all of it. One that can't go on fails.
    ///
    /// # Errors
    /// `UNAVAILABLE`, and failures that pass.
    pub async fn advance_import(&self, now: Timestamp) -> Result<bool> {
        let waiting: Vec<ImportRow> = imports::table
            .filter(imports::state.eq(ImportState::Running.as_str()))
            .order((imports::total - imports::done, imports::id))
            .limit(LOOKED_AT)
            .select(ImportRow::as_select())
            .load(&self.connection().await?)
            .await?;
        for import in waiting {
            match self.advance(&import, now).await {
                Ok(false) => {}
                Err(error) if !PASSING.contains(&error.code) => {
                    tracing::warn!(
                        import = %ImportId(import.id), "error.chain" = error.chain(), "an import failed"
                    );
                    self.fail(ImportId(import.id), error.code, now).await?;
                    return Ok(true);
                }
                advanced => return advanced,
            }
        }
        Ok(false)
    }

    /// Does the next steps of this import; false if another process holds it, or it has ended.
    async fn advance(&self, import: &ImportRow, now: Timestamp) -> Result<bool> {
        let actor = match import.key() {
            Some(key) => self.find_actor_by_key_id(key, now).await?.ok_or_else(Error::unauthenticated)?,
            None => Actor {
                user: UserId(import.user_id),
                credential: ActorCredential::Job,
                ceiling: Permissions::all(),
                confinement: None,
                acting_in: None,
            },
        };
        let request_id = import.id.to_string();
        let call: Call<CardWrite> =
            Call::authorise(actor, CallContext { now, request_id, idempotency: None, trail: None })?;
        let project = ProjectRef { project: ProjectId(import.project_id), branch: None };
        self.transaction(async |tx| {
            let held: Option<ImportRow> = imports::table
                .find(import.id)
                .filter(imports::state.eq(ImportState::Running.as_str()))
                .select(ImportRow::as_select())
                .for_update()
                .skip_locked()
                .first(tx)
                .await
                .optional()?;
            let Some(held) = held else { return Ok(false) };
            let project = project.resolve(tx, &call).await?;
            step(tx, &project, &call, &held).await?;
            Ok(true)
        })
        .await
    }

    async fn fail(&self, import: ImportId, code: Code, now: Timestamp) -> Result<()> {
        let code = decode::word(code)?;
        self.transaction(async |tx| {
            diesel::update(imports::table.find(import.0))
                .filter(imports::state.eq(ImportState::Running.as_str()))
                .set((
                    imports::state.eq(ImportState::Failed.as_str()),
                    imports::failure.eq(&code),
                    imports::finished_at.eq(now.0),
                ))
                .execute(tx)
                .await?;
            diesel::delete(import_items::table.filter(import_items::import_id.eq(import.0)))
                .execute(tx)
                .await?;
            Ok(())
        })
        .await
    }
}

/// Does the next steps of a held import, which need nothing of each other, and ends it with the last ones.
async fn step(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    import: &ImportRow,
) -> Result<()> {
    let rows: Vec<(i32, Value)> = import_items::table
        .filter(import_items::import_id.eq(import.id).and(import_items::position.gt(import.done)))
        .order(import_items::position)
        .limit(STEPS_AT_ONCE)
        .select((import_items::level, import_items::item))
        .load(tx)
        .await?;
    let level = rows.iter().map(|(level, _)| *level).next();
    let items = rows
        .into_iter()
        .take_while(|(next, _)| Some(*next) == level)
        .map(|(_, item)| serde_json::from_value::<ImportItem>(item).map_err(Error::internal));
    let items: Vec<ImportItem> = items.collect::<Result<_>>()?;
    let new: Vec<&ImportedCard> = items
        .iter()
        .filter_map(|item| match item {
            ImportItem::Card(card) => Some(&**card),
            ImportItem::Relation(_) => None,
        })
        .collect();
    let tool: ImportTool = decode::text(&import.tool)?;
    let MadeCards { created, existing, mut notes } = cards::make(tx, project, call, tool, &new).await?;
    for item in &items {
        if let ImportItem::Relation(relation) = item {
            notes.extend(relate(tx, project, call, tool, relation).await?);
        }
    }
    insert_notes(tx, ImportId(import.id), import.notes, &notes).await?;
    let done = import.done.saturating_add(count(items.len())?);
    let is_last = done >= import.total;
    let state = if is_last { ImportState::Finished } else { ImportState::Running };
    diesel::delete(import_items::table.filter(import_items::import_id.eq(import.id)))
        .filter(import_items::position.le(done))
        .execute(tx)
        .await?;
    diesel::update(imports::table.find(import.id))
        .set((
            imports::done.eq(done),
            imports::created.eq(imports::created + count(created)?),
            imports::existing.eq(imports::existing + count(existing)?),
            imports::notes.eq(imports::notes + count(notes.len())?),
            imports::state.eq(state.as_str()),
            imports::finished_at.eq(is_last.then_some(call.now.0)),
        ))
        .execute(tx)
        .await?;
    Ok(())
}

/// Relates two cards; a note if they can't be.
async fn relate(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    tool: ImportTool,
    relation: &ImportedRelation,
) -> Result<Option<ImportNote>> {
    let ImportedRelation { from, kind, to } = relation;
    let known = cards::by_source(tx, project, tool, vec![from, to]).await?;
    let id = |source: &String| known.get(source).copied();
    let related = match (id(from), id(to)) {
        (Some(card), Some(other)) => {
            let at = RelationRef { card, other };
            relations::add(tx, project, call, (at, *kind), None).await.map(drop)
        }
        _ => Err(Error::not_found()),
    };
    let reason = match related {
        Ok(()) => return Ok(None),
        Err(error) if error.code == Code::NotFound => "the other card was deleted here; left out",
        Err(error) if error.code == Code::LimitReached => "one of the cards has 100 relations; left out",
        Err(error) => return Err(error),
    };
    Ok(Some(ImportNote {
        line: None,
        issue: Some(from.clone()),
        field: kind.as_str().to_owned(),
        value: to.clone(),
        reason: reason.to_owned(),
    }))
}
