//! Cards by their keys, and the numbers of cards that are older than keys.

use database::prelude::*;
use database::schema::{card_counters, cards};
use diesel::sql_types::{Array, BigInt, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, OrganizationId, ProjectId};
use domain::key::{CardIds, CardKey, CardName};
use uuid::Uuid;

use crate::resources::store::{Store, Tx};

/// Those of an owner's cards that a request may name by their keys.
#[derive(Clone, Copy, Debug)]
pub enum KeyScope {
    /// The cards of the owner of a project.
    Project(ProjectId),
    /// The cards of an organization.
    Organization(OrganizationId),
}

impl KeyScope {
    fn id(self) -> Uuid {
        match self {
            Self::Project(project) => project.0,
            Self::Organization(organization) => organization.0,
        }
    }
}

impl Store {
    /// The ids of the cards that a request names. Access to them is decided where they are used.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn card_ids<'a>(
        &self,
        scope: KeyScope,
        names: impl IntoIterator<Item = &'a CardName>,
    ) -> Result<CardIds> {
        let keys: Vec<&CardKey> = names
            .into_iter()
            .filter_map(|name| match name {
                CardName::Id(_) => None,
                CardName::Key(key) => Some(key),
            })
            .collect();
        if keys.is_empty() {
            return Ok(CardIds::default());
        }
        find(&self.connection().await?, scope, &keys).await
    }

    /// Numbers the cards of the next project that has cards without a number, as those have that an older service made;
    /// returns the number of cards.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn number_cards(&self) -> Result<usize> {
        self.transaction(async |tx| {
            let project: Option<Uuid> = cards::table
                .filter(cards::number.is_null())
                .select(cards::project_id)
                .first(tx)
                .await
                .optional()?;
            let Some(project) = project else { return Ok(0) };
            hold_counter(tx, ProjectId(project)).await?;
            let numbered = Statement::new(include_str!("keys/number.sql"))
                .bind::<SqlUuid, _>(project)
                .execute(tx)
                .await?;
            Ok(numbered)
        })
        .await
    }
}

/// The ids of the cards that have these keys.
pub(super) async fn find(connection: &Connection, scope: KeyScope, keys: &[&CardKey]) -> Result<CardIds> {
    let found: Vec<CardOfKeyRow> = Statement::new(include_str!("keys/find.sql"))
        .bind::<SqlUuid, _>(scope.id())
        .bind::<Array<Text>, _>(keys.iter().map(|key| key.project.as_str()).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(keys.iter().map(|key| key.number).collect::<Vec<_>>())
        .load(connection)
        .await?;
    let found = found.into_iter().filter_map(|row| {
        let key = usize::try_from(row.position).ok().and_then(|at| keys.get(at.checked_sub(1)?))?;
        Some(((*key).clone(), CardId(row.id)))
    });
    Ok(found.collect())
}

/// Locks the numbers of a project's cards. Until the transaction ends, the project gets no card, and no card of it another
/// parent.
///
/// # Errors
/// `UNAVAILABLE`.
pub(in crate::resources::planning) async fn hold_counter(tx: &mut Tx, project: ProjectId) -> Result<()> {
    if !is_held(tx, project).await? {
        Statement::new(include_str!("keys/counter.sql")).bind::<SqlUuid, _>(project.0).execute(tx).await?;
        is_held(tx, project).await?;
    }
    Ok(())
}

/// Locks the counter; false if the project has none yet.
async fn is_held(tx: &mut Tx, project: ProjectId) -> Result<bool> {
    let last: Option<i64> = card_counters::table
        .find(project.0)
        .select(card_counters::last_number)
        .for_update()
        .first(tx)
        .await
        .optional()?;
    Ok(last.is_some())
}

#[derive(QueryableByName)]
struct CardOfKeyRow {
    #[diesel(sql_type = BigInt)]
    position: i64,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}
