//! The work on imports in progress.

use std::time::Duration;

use auth::actor::{Actor, ActorCredential, CardWrite};
use database::decode;
use database::prelude::*;
use database::schema::{import_items, imports, users};
use domain::content::project::ProjectRef;
use domain::id::{ImportId, OrganizationId, ProjectId, UserId};
use domain::people::permission::Permissions;
use domain::planning::import::{
    ImportItem, ImportNote, ImportState, ImportTool, ImportedCard, ImportedRelation,
};
use domain::time::Timestamp;
use domain::{Code, Error, Result};
use serde_json::Value;
use time::OffsetDateTime;
use tokio::time::sleep;

use crate::access::Target;
use crate::access::call::{Call, CallContext};
use crate::access::project::Project;
use crate::resources::planning::cards::relations::{self, RelationRef};
use crate::resources::planning::imports::cards::{self, MadeCards};
use crate::resources::planning::imports::{
    ImportRow, boards, count, definitions, insert_notes, placements, sprints,
};
use crate::resources::store::{Store, Tx};

/// Steps of one transaction: it holds locks of the project, which others wait for.
const STEPS_AT_ONCE: i64 = 200;
/// Comments and lines of checklists of one transaction, unless one card has more.
const PARTS_AT_ONCE: usize = 2_000;
/// Imports that a process works on in turns.
const TURNS: i64 = 20;
/// Attempts at the same steps. They may be what ends the process, or a lock that never comes.
const ATTEMPTS_MAX: i32 = 20;
/// Pause after an attempt that failed.
const PAUSE: Duration = Duration::from_millis(500);
/// Failures that end with another attempt: another request was in the way, or the database was away.
const PASSING: [Code; 4] =
    [Code::Unavailable, Code::TagNameTaken, Code::FieldNameTaken, Code::AssigneeNotMember];

impl Store {
    /// Does the next steps of each import in progress; false if nothing waits, or nothing of it could be done now. One that
    /// can't go on fails.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn advance_import(&self, now: Timestamp) -> Result<bool> {
        let waiting: Vec<ImportRow> = imports::table
            .filter(imports::state.eq(ImportState::Running.as_str()))
            .order((imports::attempts, imports::id))
            .limit(TURNS)
            .select(ImportRow::as_select())
            .load(&self.connection().await?)
            .await?;
        let mut has_advanced = false;
        for import in waiting {
            match self.advance(&import, now).await {
                Ok(advanced) => has_advanced |= advanced,
                Err(error) if PASSING.contains(&error.code) && import.attempts < ATTEMPTS_MAX => {
                    tracing::info!(import = %ImportId(import.id), "error.chain" = error.chain(), "an import waits");
                    sleep(PAUSE).await;
                }
                Err(error) => {
                    tracing::warn!(
                        import = %ImportId(import.id), "error.chain" = error.chain(), "an import failed"
                    );
                    self.fail(ImportId(import.id), error.code, now).await?;
                }
            }
        }
        Ok(has_advanced)
    }

    /// Does the next steps of this import; false if another process holds it, or it has ended.
    async fn advance(&self, import: &ImportRow, now: Timestamp) -> Result<bool> {
        let actor = match import.key() {
            Some(key) => self.find_actor_by_key_id(key, now).await?.ok_or_else(Error::unauthenticated)?,
            None if self.is_disabled(UserId(import.user_id)).await? => return Err(Error::unauthenticated()),
            None => Actor {
                user: UserId(import.user_id),
                credential: ActorCredential::Job,
                ceiling: Permissions::all(),
                confinement: None,
                acting_in: None,
            },
        };
        if !self.begin_attempt(import).await? {
            return Ok(false);
        }
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
            if project.record.owner_id != OrganizationId(held.organization_id).into() {
                return Err(Error::not_found());
            }
            step(tx, &project, &call, &held).await?;
            Ok(true)
        })
        .await
    }

    /// Counts an attempt, which outlives a process that dies of it; false if another process holds the import.
    async fn begin_attempt(&self, import: &ImportRow) -> Result<bool> {
        let id = import.id;
        let begun = self.transaction(async |tx| {
            let held: Option<i32> = imports::table
                .find(id)
                .filter(imports::state.eq(ImportState::Running.as_str()))
                .select(imports::attempts)
                .for_update()
                .skip_locked()
                .first(tx)
                .await
                .optional()?;
            let Some(attempts) = held else { return Ok(None) };
            let next = attempts.saturating_add(1);
            diesel::update(imports::table.find(id)).set(imports::attempts.eq(next)).execute(tx).await?;
            Ok(Some(next))
        });
        match begun.await? {
            Some(attempts) if attempts > ATTEMPTS_MAX => {
                Err(Error::internal("an import has ended each attempt"))
            }
            begun => Ok(begun.is_some()),
        }
    }

    async fn is_disabled(&self, user: UserId) -> Result<bool> {
        let disabled: Option<Option<OffsetDateTime>> = users::table
            .find(user.0)
            .select(users::disabled_at)
            .first(&self.connection().await?)
            .await
            .optional()?;
        Ok(disabled.is_none_or(|disabled| disabled.is_some()))
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
    let mut parts = 0_usize;
    let mut light = Vec::new();
    for item in items {
        let item = item?;
        parts = parts.saturating_add(weight(&item));
        if parts > PARTS_AT_ONCE && !light.is_empty() {
            break;
        }
        light.push(item);
    }
    let items = light;
    let new: Vec<&ImportedCard> = items
        .iter()
        .filter_map(|item| match item {
            ImportItem::Card(card) => Some(&**card),
            ImportItem::Field(_)
            | ImportItem::Tag(_)
            | ImportItem::Relation(_)
            | ImportItem::Team(_)
            | ImportItem::Sprint(_)
            | ImportItem::Placement(_)
            | ImportItem::SprintState(_) => None,
        })
        .collect();
    let tool: ImportTool = decode::text(&import.tool)?;
    let mut notes = definitions::define(tx, project, call, &items).await?;
    let MadeCards { created, existing, notes: of_cards } = cards::make(tx, project, call, tool, &new).await?;
    notes.extend(of_cards);
    for item in &items {
        if let ImportItem::Relation(relation) = item {
            notes.extend(relate(tx, project, call, tool, relation).await?);
        }
    }
    notes.extend(make_boards(tx, project, call, (OrganizationId(import.organization_id), &items)).await?);
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
            imports::attempts.eq(0),
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

/// The rows of a step beside its card. A team and a sprint have a transaction of their own: they hold boards, which two
/// imports may need in different orders.
fn weight(item: &ImportItem) -> usize {
    match item {
        ImportItem::Card(card) => card.comments.len().saturating_add(card.checklist.len()),
        ImportItem::Field(_) | ImportItem::Tag(_) | ImportItem::Relation(_) | ImportItem::Placement(_) => 0,
        ImportItem::Team(_) | ImportItem::Sprint(_) | ImportItem::SprintState(_) => {
            PARTS_AT_ONCE.saturating_add(1)
        }
    }
}

/// Makes the parts of boards among the items. All places of a step are on one board.
async fn make_boards(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    (organization, items): (OrganizationId, &[ImportItem]),
) -> Result<Vec<ImportNote>> {
    let (mut notes, mut places) = (Vec::new(), Vec::new());
    for item in items {
        match item {
            ImportItem::Team(team) => {
                notes.extend(boards::make(tx, project, call, (organization, team)).await?);
            }
            ImportItem::Sprint(sprint) => {
                notes.extend(sprints::make(tx, call, (organization, sprint)).await?);
            }
            ImportItem::SprintState(sprint) => {
                notes.extend(sprints::settle(tx, call, (organization, sprint)).await?);
            }
            ImportItem::Placement(place) => places.push(place),
            ImportItem::Field(_) | ImportItem::Tag(_) | ImportItem::Card(_) | ImportItem::Relation(_) => {}
        }
    }
    notes.extend(placements::place(tx, project, call, (organization, &places)).await?);
    Ok(notes)
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
