//! Changes by which readers may have lost access to what they hold open. Triggers note those of memberships, of the
//! visibility of projects and teams, and of accounts; the end of a browser token is noted with it.

use database::prelude::*;
use database::schema::access_changes;
use diesel::sql_types::BigInt;
use domain::Result;
use domain::id::UserId;
use uuid::Uuid;

use crate::resources::store::{Store, Tx};

/// Notes that a credential of a user has ended.
///
/// # Errors
/// `UNAVAILABLE`.
pub(crate) async fn note(tx: &mut Tx, user: UserId) -> Result<()> {
    diesel::insert_into(access_changes::table)
        .values(access_changes::subject_id.eq(user.0))
        .execute(tx)
        .await?;
    Ok(())
}

impl Store {
    /// The changes of the last seconds, by number: the users, projects and teams. A change may appear later than the ones
    /// after it, as long as its transaction took.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn access_changes_of_last(&self, seconds: i64) -> Result<Vec<(i64, Uuid)>> {
        let rows: Vec<AccessChangeRow> = Statement::new(include_str!("access_changes/recent.sql"))
            .bind::<BigInt, _>(seconds)
            .load(&self.connection().await?)
            .await?;
        Ok(rows.into_iter().map(|row| (row.id, row.subject_id)).collect())
    }

    /// Deletes the changes that are more than an hour old; returns their number.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn delete_old_access_changes(&self) -> Result<usize> {
        let statement = Statement::new(include_str!("access_changes/delete_old.sql"));
        Ok(statement.execute(&self.connection().await?).await?)
    }
}

#[derive(QueryableByName)]
struct AccessChangeRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    subject_id: Uuid,
}
