//! A database for one test: a copy of the migrated template, dropped at the end.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::time::{Duration, Instant};

use tokio_postgres::{Client, Config, NoTls};
use uuid::Uuid;

use crate::environment;

/// Longest wait for another connection to block on a lock.
const LOCK_WAIT: Duration = Duration::from_secs(20);

/// A database that is dropped with the value, even while clients are connected.
pub struct Database {
    server_url: String,
    name: String,
    /// False if another process drops it.
    is_own: bool,
}

impl Database {
    /// Creates a migrated database without rows.
    pub async fn create() -> Self {
        Self::on_server(environment::database_url(), &environment::template()).await
    }

    /// Creates a database without a schema.
    pub async fn create_empty() -> Self {
        Self::on_server(environment::database_url(), "template0").await
    }

    /// Creates a database on another server, copied from `template` there.
    pub async fn on_server(server_url: String, template: &str) -> Self {
        let name = format!("test_{}", Uuid::new_v4().simple());
        connect(&server_url)
            .await
            // Files are copied at half the cost of writing them through the log.
            .batch_execute(&format!("create database {name} template \"{template}\" strategy file_copy"))
            .await
            .unwrap();
        Self { server_url, name, is_own: true }
    }

    /// A database that another process created, and drops.
    pub(crate) fn elsewhere(url: &str) -> Self {
        let (server, name) = url.rsplit_once('/').unwrap();
        Self { server_url: format!("{server}/postgres"), name: name.to_owned(), is_own: false }
    }

    /// The database's URL.
    pub fn url(&self) -> String {
        replace_database(&self.server_url, &self.name)
    }

    /// Opens a connection to it.
    pub async fn connect(&self) -> Client {
        connect(&self.url()).await
    }

    /// Waits until a connection to this database blocks on a lock. Tests hold a service at a known point of its
    /// transaction this way.
    pub async fn wait_for_blocked(&self, count: i64) {
        self.wait_for("wait_event_type = 'Lock'", count).await;
    }

    /// Waits until `count` connections of this database match `condition`, a predicate on
    /// `pg_stat_activity`.
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

    /// Waits until no connection of this database runs anything: the work of a killed process is then committed or
    /// rolled back.
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

    /// Waits until each change of a card that was written so far is in the feed of its project. On a shared deployment an
    /// older change of another test may still be on its way to its commit, and feeds end before it.
    pub async fn wait_for_feeds(&self) {
        let client = self.connect().await;
        let query = "select last_value from card_history_sequence";
        let written: i64 = client.query_one(query, &[]).await.unwrap().get(0);
        let deadline = Instant::now() + LOCK_WAIT;
        loop {
            let complete: i64 = client.query_one("select card_history_horizon()", &[]).await.unwrap().get(0);
            if complete >= written {
                return;
            }
            assert!(Instant::now() < deadline, "feeds end at {complete} of {written}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The single integer returned by a query.
    pub async fn count(&self, query: &str) -> i64 {
        self.connect().await.query_one(query, &[]).await.unwrap().get(0)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if !self.is_own {
            return;
        }
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

/// Runs a future to completion where no runtime can be awaited, for example in `drop`.
pub(crate) fn block_on<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    let thread = std::thread::spawn(move || {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    });
    match thread.join() {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Opens a connection to the database at `url`.
pub async fn connect(url: &str) -> Client {
    try_connect(url).await.unwrap()
}

async fn try_connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let mut config: Config = url.parse()?;
    config.connect_timeout(Duration::from_secs(5)).application_name("test");
    let (client, connection) = config.connect(NoTls).await?;
    tokio::spawn(async move {
        // The user of the client sees the failure.
        let _ended = connection.await;
    });
    Ok(client)
}

fn replace_database(url: &str, name: &str) -> String {
    let (server, _) = url.rsplit_once('/').unwrap();
    format!("{server}/{name}")
}
