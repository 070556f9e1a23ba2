//! Opens connections: to the first host that takes writes, within a bound for each, with the settings that every
//! statement relies on.
//!
//! The settings travel with the start of a connection (`options`). A pooler of transactions refuses or ignores them,
//! because its connections are shared; then the role must have them, and the pooler must rename prepared statements.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use diesel_async::AsyncPgConnection;
use domain::{Error, Result};
use tokio::time::timeout;
use tokio_postgres::{Client, Config, SimpleQueryMessage};

use crate::address::{Address, HostAddress};
use crate::config::DatabaseConfig;
use crate::start::{Driver, StartError, start};

/// PostgreSQL's `lock_timeout`, in seconds.
const LOCK_SECS: u64 = 5;
/// PostgreSQL's `idle_in_transaction_session_timeout`, in seconds. A merge's computation is the longest pause within a
/// transaction.
const IDLE_SECS: u64 = 10;
/// A setting of our own, which a connection lacks if a pooler drops the options of its start.
const DIRECT: &str = "atelier.direct";
const READ_ONLY: &str = "transaction_read_only";
/// Counts prepared statements under tokio-postgres' names: there is one, unless a pooler renames them.
const COUNT_NOT_RENAMED: &str = "select count(*) from pg_prepared_statements where name ~ '^s[0-9]+$'";

/// An open connection. Dropped, it is closed at once, also if a statement is unanswered.
pub(crate) struct OpenConnection {
    pub(crate) postgres: AsyncPgConnection,
    pub(crate) driver: Driver,
}

/// Opens connections to one address.
pub(crate) struct Opener {
    address: Address,
    /// Settings that statements rely on, with their values as `pg_settings` shows them.
    settings: [(&'static str, String); 5],
    /// The address's configuration with the settings as `options`.
    with_options: Config,
    /// The last host that took writes.
    first: AtomicUsize,
    /// A pooler has refused the options.
    refuses_options: AtomicBool,
}

/// The outcome of opening a connection to one host.
enum Opened {
    Writable(OpenConnection),
    ReadOnly(OpenConnection),
}

impl Opener {
    /// Reads the address; connects to nothing.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the URL or its certificates can't be used.
    pub(crate) fn new(config: &DatabaseConfig) -> Result<Self> {
        let address = Address::parse(config)?;
        let millis = |secs: u64| (1_000 * secs).to_string();
        // Server-side timeouts are a second line of defence. A connection plans each statement once: writes find their
        // rows by key for all values, and PostgreSQL would plan statements with array parameters on each call. JIT is
        // off: it takes half a second for statements that are estimated as expensive, and ours are shorter than that.
        let settings = [
            ("lock_timeout", millis(LOCK_SECS)),
            ("statement_timeout", millis(config.statement_secs)),
            ("idle_in_transaction_session_timeout", millis(IDLE_SECS)),
            ("plan_cache_mode", "force_generic_plan".to_owned()),
            ("jit", "off".to_owned()),
        ];
        // The URL's own options come first, so that ours stand.
        let own = address.postgres.get_options().unwrap_or_default();
        let ours: String = settings.iter().map(|(name, value)| format!(" -c {name}={value}")).collect();
        let mut with_options = address.postgres.clone();
        with_options.options(format!("{own}{ours} -c {DIRECT}=on").trim_start());
        let (first, refuses_options) = (AtomicUsize::new(0), AtomicBool::new(false));
        Ok(Self { address, settings, with_options, first, refuses_options })
    }

    /// Opens a connection, whose driver is a task of the current runtime. If no host takes writes, one that can be read.
    /// Each host has its time.
    ///
    /// # Errors
    /// `UNAVAILABLE`, with the reason of each host.
    pub(crate) async fn open(&self) -> Result<OpenConnection> {
        let hosts = &self.address.hosts;
        let (mut reasons, mut readable) = (Vec::new(), None);
        let first = self.first.load(Ordering::Relaxed);
        for (index, host) in hosts.iter().enumerate().cycle().skip(first).take(hosts.len()) {
            let reason = match timeout(self.address.host_timeout, self.open_at(host)).await {
                Ok(Ok(Opened::Writable(connection))) => {
                    self.first.store(index, Ordering::Relaxed);
                    return Ok(connection);
                }
                Ok(Ok(Opened::ReadOnly(connection))) => {
                    readable.get_or_insert(connection);
                    continue;
                }
                Ok(Err(error)) => error.reason,
                Err(_) => "no connection in time".to_owned(),
            };
            reasons.push(format!("PostgreSQL at {host}: {reason}"));
        }
        readable.ok_or_else(|| Error::unavailable(reasons.join("; ")))
    }

    async fn open_at(&self, host: &HostAddress) -> Result<Opened, StartError> {
        if !self.refuses_options.load(Ordering::Relaxed) {
            match start(host, self.address.tls.clone(), &self.with_options).await {
                Err(error) if error.is_protocol_violation => {
                    self.refuses_options.store(true, Ordering::Relaxed);
                }
                started => return self.check(started?).await,
            }
        }
        let started = start(host, self.address.tls.clone(), &self.address.postgres).await?;
        self.check(started).await
    }

    /// Checks that a connection has the settings, from the options or from its role.
    async fn check(&self, (client, driver): (Client, Driver)) -> Result<Opened, StartError> {
        let names: Vec<_> = self.settings.iter().map(|(name, _)| format!("'{name}'")).collect();
        let query = format!(
            "select name, setting from pg_settings where name in ({}); \
             select '{READ_ONLY}', current_setting('{READ_ONLY}'); \
             select '{DIRECT}', current_setting('{DIRECT}', true)",
            names.join(", ")
        );
        let answer = client.simple_query(&query).await?;
        let value = |name: &str| {
            answer.iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) if row.get(0) == Some(name) => row.get(1),
                _ => None,
            })
        };
        let missing: Vec<_> = self
            .settings
            .iter()
            .filter(|(name, wanted)| value(name) != Some(wanted))
            .map(|(name, wanted)| format!("{name} = '{wanted}'"))
            .collect();
        if !missing.is_empty() {
            return Err(StartError::new(format!(
                "a pooler drops the options of connections; set them by `alter role ... set`: {}",
                missing.join(", ")
            )));
        }
        if value(DIRECT) != Some("on") && !renames_statements(&client).await {
            return Err(StartError::new(
                "the pooler doesn't keep prepared statements apart: it must be PgBouncer 1.21 or later, with \
                 pool_mode = transaction and max_prepared_statements above 0",
            ));
        }
        let is_read_only = value(READ_ONLY) == Some("on");
        let postgres = AsyncPgConnection::try_from(client).await.map_err(|error| StartError::of(&error))?;
        let connection = OpenConnection { postgres, driver };
        Ok(if is_read_only { Opened::ReadOnly(connection) } else { Opened::Writable(connection) })
    }
}

/// `true` if the pooler gives prepared statements names of its own, under which each of its connections knows them.
async fn renames_statements(client: &Client) -> bool {
    let count = async {
        let statement = client.prepare(COUNT_NOT_RENAMED).await?;
        client.query_one(&statement, &[]).await?.try_get::<_, i64>(0)
    };
    // Without renaming, the statement may be unknown to the connection that runs it.
    count.await.is_ok_and(|count| count == 0)
}
