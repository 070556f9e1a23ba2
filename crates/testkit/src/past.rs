//! Time that passes for cards and boards: what has happened moves back, so that no test waits for the clock.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use crate::database::Database;

/// Lets an hour pass.
pub async fn let_an_hour_pass(database: &Database) {
    let back = "- interval '1 hour'";
    let kept = ["board_layouts", "column_renumberings", "card_tag_versions"];
    let kept = kept.map(|table| format!("update {table} set occurred_at = occurred_at {back};")).concat();
    let statements = format!(
        "alter table card_history disable trigger card_history_append_only;
         update card_history set occurred_at = occurred_at {back};
         alter table card_history enable trigger card_history_append_only;
         update teams set created_at = created_at {back};
         {kept}"
    );
    database.connect().await.batch_execute(&statements).await.unwrap();
}
