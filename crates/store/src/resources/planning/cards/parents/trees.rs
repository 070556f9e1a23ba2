//! Locks of trees of cards. A tree may reach over all projects of an owner, so a change in one project could make a cycle
//! together with a change in another one.
//!
//! Who changes a parent holds the counter of the card's project, then the owner's trees: alone, if the tree may reach over
//! several projects; else shared with changes in other projects, which then touch other trees.

use std::collections::BTreeMap;

use auth::actor::CardWrite;
use database::prelude::*;
use diesel::sql_types::{Array, Bool, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, OwnerId};
use domain::planning::relation::FarParent;
use uuid::Uuid;

use super::absent;
use crate::access::project::Project;
use crate::resources::planning::cards::keys;
use crate::resources::store::Tx;

/// Names these locks among others.
const TREES: &str = "card-trees";

/// Until the transaction ends, no card of a tree that a card of the project may belong to gets another parent. Refuses parents of
/// another owner's projects.
pub(super) async fn hold(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    far: &BTreeMap<CardId, FarParent>,
) -> Result<()> {
    let id = project.record.id;
    // Else another request might move the parent to a lower level meanwhile.
    keys::hold_counter(tx, id).await?;
    let projects: Vec<Uuid> = far.values().map(|parent| parent.project.0).chain([id.0]).collect();
    let mut held: Option<(Uuid, bool)> = None;
    // Read again once the lock is held: before it, another project may have become related, or a transfer may have ended.
    loop {
        let reach: ReachRow = Statement::new(include_str!("reach.sql"))
            .bind::<SqlUuid, _>(id.0)
            .bind::<Array<SqlUuid>, _>(&projects)
            .get_result(tx)
            .await?;
        let is_alone = !far.is_empty() || reach.is_related;
        let owner = match reach.owner_ids.as_slice() {
            [owner] => *owner,
            _ => return Err(absent()),
        };
        if held.is_some_and(|(of, was_alone)| of == owner && (was_alone || !is_alone)) {
            return Ok(());
        }
        hold_owner(tx, owner, is_alone).await?;
        held = Some((owner, is_alone));
    }
}

/// Until the transaction ends, no card of an owner gets a parent in another project, or one in such a tree.
pub(super) async fn hold_all(tx: &mut Tx, owner: OwnerId) -> Result<()> {
    hold_owner(tx, owner.0, true).await
}

async fn hold_owner(tx: &mut Tx, owner: Uuid, is_alone: bool) -> Result<()> {
    let sql = match is_alone {
        true => "select pg_advisory_xact_lock(hashtext($1), hashtext($2))",
        false => "select pg_advisory_xact_lock_shared(hashtext($1), hashtext($2))",
    };
    Statement::new(sql).bind::<Text, _>(TREES).bind::<Text, _>(owner.to_string()).execute(tx).await?;
    Ok(())
}

#[derive(QueryableByName)]
struct ReachRow {
    #[diesel(sql_type = Bool)]
    is_related: bool,
    #[diesel(sql_type = Array<SqlUuid>)]
    owner_ids: Vec<Uuid>,
}
