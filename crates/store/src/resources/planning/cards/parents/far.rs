//! Parents of other projects. A reader must see both cards, so the rows of the history that tell of them move no head
//! (docs/design/history.md).

use std::collections::{BTreeMap, BTreeSet};

use auth::actor::{CardWrite, Requirement};
use database::prelude::*;
use database::schema::far_parents;
use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, OwnerId, ProjectId};
use domain::planning::history::{FieldChanges, HistoryKind, PARENT};
use domain::planning::relation::FarParent;
use uuid::Uuid;

use super::trees;
use crate::access::call::Call;
use crate::access::card::Card;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::store::Tx;

/// The change of a card's parent.
#[derive(Clone, Copy, Debug)]
pub(in crate::resources::planning::cards) struct ParentChange {
    /// The parent of the card's own project.
    pub(super) near: Option<CardId>,
    /// The parent of another project until now.
    pub(super) before: Option<FarParent>,
    /// True if the caller sees that one.
    pub(super) is_seen: bool,
    /// The parent of another project from now on.
    pub(super) after: Option<FarParent>,
}

impl ParentChange {
    /// The parent of the card's own project.
    pub(in crate::resources::planning::cards) fn near(&self) -> Option<CardId> {
        self.near
    }

    /// The parent of another project.
    pub(in crate::resources::planning::cards) fn far(&self) -> Option<FarParent> {
        self.after
    }

    /// The rows of the history about parents of other projects, as far as the caller sees them.
    pub(in crate::resources::planning::cards) fn seen_entries(&self, card: CardId) -> Vec<Entry> {
        match self.before == self.after {
            true => Vec::new(),
            false => entries(card, self.before.filter(|_| self.is_seen), self.after),
        }
    }

    /// Writes the parent of another project with its history.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub(in crate::resources::planning::cards) async fn write(
        &self,
        tx: &mut Tx,
        card: &Card<CardWrite>,
        call: &Call<CardWrite>,
    ) -> Result<()> {
        if self.before == self.after {
            return Ok(());
        }
        let (id, project) = (card.id(), card.project.record.id);
        if self.before.is_some() {
            diesel::delete(far_parents::table.find(id.0)).execute(tx).await?;
        }
        if let Some(after) = self.after {
            insert(tx, project, &[(id, after)]).await?;
        }
        history::append(tx, call, project, &entries(id, self.before, self.after)).await?;
        Ok(())
    }
}

/// The parent of a card in another project.
pub(super) async fn of(tx: &mut Tx, card: CardId) -> Result<Option<FarParent>> {
    let rows: Vec<FarParentRow> =
        Statement::new(include_str!("far_parent.sql")).bind::<SqlUuid, _>(card.0).load(tx).await?;
    let row = rows.into_iter().next();
    Ok(row.map(|row| FarParent { card: CardId(row.id), project: ProjectId(row.project_id) }))
}

/// Writes the parents in other projects of new cards of a project, with their history.
pub(in crate::resources::planning::cards) async fn write_new(
    tx: &mut Tx,
    call: &Call<CardWrite>,
    project: ProjectId,
    new: &[(CardId, FarParent)],
) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    insert(tx, project, new).await?;
    let entries: Vec<Entry> =
        new.iter().flat_map(|(card, parent)| entries(*card, None, Some(*parent))).collect();
    history::append(tx, call, project, &entries).await?;
    Ok(())
}

/// Ends the parents in other projects of locked cards of any projects, each with a row of its history.
pub(super) async fn end<P: Requirement>(tx: &mut Tx, call: &Call<P>, locked: Vec<Uuid>) -> Result<()> {
    if locked.is_empty() {
        return Ok(());
    }
    let ended: Vec<EndedRow> =
        Statement::new(include_str!("detach.sql")).bind::<Array<SqlUuid>, _>(locked).load(tx).await?;
    let mut by_project: BTreeMap<ProjectId, Vec<Entry>> = BTreeMap::new();
    for row in ended {
        let parent = FarParent { card: CardId(row.parent_id), project: ProjectId(row.parent_project_id) };
        let rows = by_project.entry(ProjectId(row.project_id)).or_default();
        rows.extend(entries(CardId(row.card_id), Some(parent), None));
    }
    for (project, entries) in by_project {
        history::append(tx, call, project, &entries).await?;
    }
    Ok(())
}

/// Keeps the cards of an owner from getting parents in other projects until the transaction ends. Taken before the project's row.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn hold(tx: &mut Tx, owner: OwnerId) -> Result<()> {
    trees::hold_all(tx, owner).await
}

/// Ends the parents that cards of a project have in others, and those that cards of others have in it. Its owner's trees are
/// [held](hold).
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn detach<P: Requirement>(tx: &mut Tx, call: &Call<P>, project: ProjectId) -> Result<()> {
    let locked: Vec<LeavingRow> =
        Statement::new(include_str!("leaving.sql")).bind::<SqlUuid, _>(project.0).load(tx).await?;
    end(tx, call, locked.into_iter().map(|row| row.id).collect()).await
}

async fn insert(tx: &mut Tx, project: ProjectId, new: &[(CardId, FarParent)]) -> Result<()> {
    let rows: Vec<_> = new
        .iter()
        .map(|(card, parent)| (far_parents::card_id.eq(card.0), far_parents::parent_id.eq(parent.card.0)))
        .collect();
    diesel::insert_into(far_parents::table).values(rows).execute(tx).await?;
    let others: BTreeSet<ProjectId> = new.iter().map(|(_, parent)| parent.project).collect();
    for other in others {
        Statement::new(include_str!("../relations/relate_projects.sql"))
            .bind::<SqlUuid, _>(project.0)
            .bind::<SqlUuid, _>(other.0)
            .execute(tx)
            .await?;
    }
    Ok(())
}

/// The rows of a card's history: the end of a parent, and another one.
fn entries(card: CardId, before: Option<FarParent>, after: Option<FarParent>) -> Vec<Entry> {
    let ended = before.map(|parent| {
        Entry::new(card, HistoryKind::Unlinked, FieldChanges::of_element(PARENT, Some(parent), None))
    });
    let begun = after.map(|parent| {
        Entry::new(card, HistoryKind::Linked, FieldChanges::of_element(PARENT, None, Some(parent)))
    });
    ended.into_iter().chain(begun).collect()
}

#[derive(QueryableByName)]
struct FarParentRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
}

#[derive(QueryableByName)]
struct EndedRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    project_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    parent_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    parent_project_id: Uuid,
}

#[derive(QueryableByName)]
struct LeavingRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}
