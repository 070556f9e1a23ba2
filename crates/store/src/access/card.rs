//! Access to a card, through its project.

use auth::actor::Requirement;
use database::prelude::*;
use diesel::sql_types::{Array, Nullable, Uuid as SqlUuid};
use domain::content::project::ProjectRef;
use domain::id::{CardId, ProjectId};
use domain::people::permission::Permission;
use domain::planning::card::CardState;
use domain::{Error, Result};
use futures_util::future::join;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::card::CardStateRow;
use crate::access::{Parent, Target};

const FIND: &str = include_str!("card.sql");
/// Locks cards in the order of their ids.
const FIND_AND_LOCK: &str = include_str!("card_locked.sql");

/// A card as a request names it: within its project.
#[derive(Clone, Debug)]
pub struct CardRef {
    /// The project.
    pub project: ProjectRef,
    /// The card.
    pub card: CardId,
}

/// A card of a project on which the caller may do `P`. If `P` is more than reading, the card's row is locked until the
/// transaction ends, so the state stays current.
#[derive(Debug)]
pub struct Card<P> {
    /// The card's fields and index row.
    pub state: CardState,
    /// Its project.
    pub project: Project<P>,
}

impl<P> Card<P> {
    /// The card's id.
    pub fn id(&self) -> CardId {
        self.state.card.id
    }
}

/// Locks those of `cards` that are in the project, in the order of their ids; returns their states.
pub(crate) async fn lock<P>(
    connection: &Connection,
    project: &Project<P>,
    cards: Vec<Uuid>,
) -> Result<Vec<CardState>> {
    find(connection, FIND_AND_LOCK, cards, Some(project.record.id)).await
}

/// Locks those of `cards` that exist, of any project, in the order of their ids. The caller has decided on access to them.
pub(crate) async fn lock_of_any_project(connection: &Connection, cards: Vec<Uuid>) -> Result<Vec<CardState>> {
    find(connection, FIND_AND_LOCK, cards, None).await
}

/// Those of `cards` that exist, in any order. The caller has decided on access to them.
pub(crate) async fn load(connection: &Connection, cards: Vec<Uuid>) -> Result<Vec<CardState>> {
    find(connection, FIND, cards, None).await
}

async fn find(
    connection: &Connection,
    sql: &'static str,
    cards: Vec<Uuid>,
    project: Option<ProjectId>,
) -> Result<Vec<CardState>> {
    let rows: Vec<CardStateRow> = Statement::new(sql)
        .bind::<Array<SqlUuid>, _>(cards)
        .bind::<Nullable<SqlUuid>, _>(project.map(|project| project.0))
        .load(connection)
        .await?;
    rows.into_iter().map(CardStateRow::state).collect()
}

impl<P: Requirement> Target<P> for CardRef {
    type Witness = Card<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Card<P>> {
        let find = |sql| find(connection, sql, vec![self.card.0], Some(self.project.project));
        let only_reads = matches!(P::PERMISSION, Some(Permission::CardRead | Permission::UsageRead));
        let (project, found) = if only_reads {
            let (project, found) = join(self.project.resolve(connection, call), find(FIND)).await;
            (project?, found)
        } else {
            // Nobody waits for, or blocks, a card of a project on which the call is not permitted.
            (self.project.resolve(connection, call).await?, find(FIND_AND_LOCK).await)
        };
        Ok(Card { state: found?.pop().ok_or_else(Error::not_found)?, project })
    }
}

impl<P: Requirement> Parent<P> for CardRef {
    fn id(&self, _: &Call<P>) -> Result<Uuid> {
        Ok(self.card.0)
    }
}
