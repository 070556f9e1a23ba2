//! Secrets that the processes of a deployment share. Nobody sets them: the first process makes them.

use database::prelude::*;
use database::schema::deployment_secrets;
use domain::{Error, Result};
use uuid::Uuid;

use crate::resources::store::Store;

/// The secret of the messages between processes.
const MESSAGES: &str = "messages";

impl Store {
    /// The key that seals messages between the processes of the deployment.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn message_key(&self) -> Result<[u8; 32]> {
        let connection = self.connection().await?;
        let secret = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes).concat();
        diesel::insert_into(deployment_secrets::table)
            .values((deployment_secrets::name.eq(MESSAGES), deployment_secrets::secret.eq(secret)))
            .on_conflict_do_nothing()
            .execute(&connection)
            .await?;
        let secret: Vec<u8> = deployment_secrets::table
            .find(MESSAGES)
            .select(deployment_secrets::secret)
            .first(&connection)
            .await?;
        secret.try_into().map_err(|_| Error::internal("the key of messages has another length"))
    }
}
