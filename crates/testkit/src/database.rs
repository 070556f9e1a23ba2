//! A database of a test's own: a copy of the migrated template, dropped at the end.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::time::{Duration, Instant};

use tokio_postgres::{Client, Config, NoTls};
use uuid::Uuid;

use crate::environment;

/// Longest time until another connection is seen to wait for a lock.
const LOCK_WAIT: Duration = Duration::from_secs(20);

/// A database that is dropped with the value, whoever is still connected.
pub struct Database {
    server_url: String,
    name: String,
}

impl Database {
    /// A migrated database without a row.
    pub async fn create() -> Self {
        Self::on_server(environment::database_url(), &environment::template()).await
    }

    /// A database without a schema.
    pub async fn create_empty() -> Self {
        Self::on_server(environment::database_url(), "template0").await
    }

    /// A database on another server than the one that tests share, copied from `template` there.
    pub async fn on_server(server_url: String, template: &str) -> Self {
        let name = format!("test_{}", Uuid::new_v4().simple());
        connect(&server_url)
            .await
            .batch_execute(&format!("create database {name} template \"{template}\""))
            .await
            .unwrap();
        Self { server_url, name }
    }

    /// Its URL.
    pub fn url(&self) -> String {
        replace_database(&self.server_url, &self.name)
    }

    /// A connection to it.
    pub async fn connect(&self) -> Client {
        connect(&self.url()).await
    }

    /// Waits until some connection to this database waits for a lock, as a service does that is held at a known
    /// point of its transaction.
    pub async fn wait_for_blocked(&self, count: i64) {
        self.wait_for("wait_event_type = 'Lock'", count).await;
    }

    /// Waits until `count` connections of this database are in the state that `condition` on `pg_stat_activity`
    /// describes.
    pub async fn wait_for(&self, condition: &str, count: i64) {
        let client = self.connect().await;
        let query = format!(
            "select count(*) from pg_stat_activity \
             where datname = current_database() and pid <> pg_backend_pid() and {condition}"
        );
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            let found: i64 = client.query_one(&query, &[]).await.unwrap().get(0);
            if found >= count {
                return;
            }
            assert!(Instant::now() < deadline, "{found} of {count} connections: {condition}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until no connection of this database has anything under way: the work of a killed process has been
    /// committed or rolled back.
    pub async fn wait_for_quiet(&self) {
        let client = self.connect().await;
        let query = "select count(*) from pg_stat_activity where datname = current_database() \
                     and pid <> pg_backend_pid() and state <> 'idle'";
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            let busy: i64 = client.query_one(query, &[]).await.unwrap().get(0);
            if busy == 0 {
                return;
            }
            assert!(Instant::now() < deadline, "{busy} connections stay busy");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The single integer that a query gives.
    pub async fn count(&self, query: &str) -> i64 {
        self.connect().await.query_one(query, &[]).await.unwrap().get(0)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let (url, name) = (self.server_url.clone(), self.name.clone());
        block_on(async move {
            // A private server may have been killed for good.
            if let Ok(client) = try_connect(&url).await {
                let dropped =
                    client.batch_execute(&format!("drop database if exists {name} with (force)")).await;
                if let Err(error) = dropped {
                    eprintln!("{name} was not dropped: {error}");
                }
            }
        });
    }
}

/// Runs a future to its end from where no runtime can be waited for, as in `drop`.
pub(crate) fn block_on<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    let thread = std::thread::spawn(move || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    });
    match thread.join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// A connection to the database that `url` names.
pub async fn connect(url: &str) -> Client {
    try_connect(url).await.unwrap()
}

async fn try_connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let mut config: Config = url.parse()?;
    config.connect_timeout(Duration::from_secs(5)).application_name("test");
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(async move {
        // Whoever uses the client sees the failure.
        let _ended = connection.await;
    });
    Ok(client)
}

fn replace_database(url: &str, name: &str) -> String {
    let (server, _) = url.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}
