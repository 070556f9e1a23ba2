//! The schema's migrations, embedded in the binary and run by one process at a time.

use std::time::Duration;

use diesel::migration::{Migration, MigrationSource, MigrationVersion};
use diesel::pg::Pg;
use diesel::sql_types::{Bool, Text};
use diesel::{QueryableByName, sql_query};
use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use domain::{Error, Result};
use tokio::time::sleep;

use crate::database::Database;
use crate::error::SqlError;
use crate::query::RunQueryDsl;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");
/// Limits the wait of each step for the locks of its tables: requests queue behind it. A step may take long itself.
const PREPARE: &str = "set statement_timeout = 0; set lock_timeout = '2s'";
/// The lock of migrating processes, which PostgreSQL releases with the connection. It isn't waited for in PostgreSQL: an
/// index that is built concurrently waits for every statement that began before it.
const TRY_LOCK: &str = "select pg_try_advisory_lock(181273060) as is_locked";
/// Pause before the lock is tried again.
const LOCK_PAUSE: Duration = Duration::from_millis(100);

type MigrationError = Box<dyn std::error::Error + Send + Sync>;

impl Database {
    /// Brings the schema up to this binary's version; returns the versions that were applied. Concurrent calls wait and
    /// then find nothing to do. Needs a multi-threaded runtime.
    ///
    /// # Errors
    /// `UNAVAILABLE`; `INTERNAL_ERROR` if a migration fails and is rolled back.
    pub async fn migrate(&self) -> Result<Vec<String>> {
        self.migrating(|harness| Ok(names(harness.run_pending_migrations(MIGRATIONS)?))).await
    }

    /// Reverts every migration, and with it every row.
    ///
    /// # Errors
    /// As [`Database::migrate`].
    pub async fn revert_migrations(&self) -> Result<Vec<String>> {
        self.migrating(|harness| Ok(names(harness.revert_all_migrations(MIGRATIONS)?))).await
    }

    /// Checks that the schema has everything that this binary needs. It may have more: an older binary keeps running on
    /// the next one's schema.
    ///
    /// # Errors
    /// `UNAVAILABLE` if it lacks a migration.
    pub async fn check_schema(&self) -> Result<()> {
        let statement = sql_query("select version::text as version from __diesel_schema_migrations");
        let applied = statement.load(&self.connect().await?).await;
        // The table is missing before the first migration.
        let applied: Vec<Version> = applied.map_err(|error| Error::unavailable(Error::from(error)))?;
        let needed: Vec<Box<dyn Migration<Pg>>> = MIGRATIONS.migrations().map_err(Error::internal)?;
        let missing = needed.iter().map(|migration| migration.name().version().to_string());
        let missing: Vec<String> =
            missing.filter(|version| !applied.iter().any(|applied| applied.version == *version)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(Error::unavailable(format!(
            "the schema lacks the migrations {}: run `control migrate`",
            missing.join(", ")
        )))
    }

    async fn migrating<R>(
        &self,
        work: impl FnOnce(&mut AsyncMigrationHarness<AsyncPgConnection>) -> Result<R, MigrationError>,
    ) -> Result<R> {
        // Out of the pool, so that the connection ends here, and the lock with it.
        let mut connection = self.connect().await?.into_postgres()?;
        connection.batch_execute(PREPARE).await.map_err(SqlError::from)?;
        loop {
            let tried = diesel_async::RunQueryDsl::get_result(sql_query(TRY_LOCK), &mut connection);
            let tried: TriedLock = tried.await.map_err(SqlError::from)?;
            if tried.is_locked {
                break;
            }
            sleep(LOCK_PAUSE).await;
        }
        work(&mut AsyncMigrationHarness::new(connection)).map_err(Error::internal)
    }
}

#[derive(QueryableByName)]
struct TriedLock {
    #[diesel(sql_type = Bool)]
    is_locked: bool,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

fn names(versions: Vec<MigrationVersion<'_>>) -> Vec<String> {
    versions.iter().map(ToString::to_string).collect()
}
