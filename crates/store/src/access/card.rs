//! Access to a card, through its project.

use std::sync::LazyLock;

use auth::actor::Requirement;
use database::prelude::*;
use diesel::sql_types::{Array, Uuid as SqlUuid};
use domain::card::CardState;
use domain::id::CardId;
use domain::permission::Permission;
use domain::project::ProjectRef;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::rows::card::{CardStateRow, select_statement};
use crate::access::{Parent, Target};

static FIND: LazyLock<String> = LazyLock::new(|| select_statement(include_str!("card.sql")));
/// Locks cards in the order of their ids.
static FIND_AND_LOCK: LazyLock<String> =
    LazyLock::new(|| select_statement(concat!(include_str!("card.sql"), "order by c.id for update of c, i")));

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
    let rows: Vec<CardStateRow> = Statement::new(FIND_AND_LOCK.as_str())
        .bind::<Array<SqlUuid>, _>(cards)
        .bind::<SqlUuid, _>(project.record.id.0)
        .load(connection)
        .await?;
    rows.into_iter().map(CardStateRow::state).collect()
}

impl<P: Requirement> Target<P> for CardRef {
    type Witness = Card<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Card<P>> {
        let project = self.project.resolve(connection, call).await?;
        let only_reads = matches!(P::PERMISSION, Some(Permission::CardRead | Permission::UsageRead));
        let find = if only_reads { &FIND } else { &FIND_AND_LOCK };
        let rows: Vec<CardStateRow> = Statement::new(find.as_str())
            .bind::<Array<SqlUuid>, _>([self.card.0].as_slice())
            .bind::<SqlUuid, _>(project.record.id.0)
            .load(connection)
            .await?;
        let row = rows.into_iter().next().ok_or_else(Error::not_found)?;
        Ok(Card { state: row.state()?, project })
    }
}

impl<P: Requirement> Parent<P> for CardRef {
    fn id(&self, _: &Call<P>) -> Result<Uuid> {
        Ok(self.card.0)
    }
}
