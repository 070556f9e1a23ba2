//! The audit log: actor, action and target by their ids, written in the transaction of the action.

use auth::actor::Actor;
use domain::Result;
use domain::time::Timestamp;
use uuid::Uuid;

use crate::db::prelude::*;
use crate::db::schema::audit_log;
use crate::resources::store::Tx;

/// Records an action. `actor` is `None` for an operator.
pub(crate) async fn record(
    tx: &mut Tx,
    now: Timestamp,
    actor: Option<&Actor>,
    action: &str,
    target: Uuid,
) -> Result<()> {
    diesel::insert_into(audit_log::table)
        .values((
            audit_log::occurred_at.eq(now.0),
            audit_log::actor_user_id.eq(actor.map(|actor| actor.user.0)),
            audit_log::actor_key_id.eq(actor.and_then(|actor| actor.key()).map(|key| key.0)),
            audit_log::action.eq(action),
            audit_log::target_id.eq(target),
        ))
        .execute(tx)
        .await?;
    Ok(())
}
