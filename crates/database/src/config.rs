//! Settings of the connection to PostgreSQL, and how one is opened.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use diesel::result::{ConnectionError, ConnectionResult};
use diesel_async::AsyncPgConnection;
use domain::{Error, Result};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres_rustls::MakeRustlsConnect;
use url::Url;

/// Longest time to wait for a connection; past it the database counts as unavailable.
pub const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// PostgreSQL's `lock_timeout`, in seconds.
const LOCK_SECS: u64 = 5;
/// PostgreSQL's `idle_in_transaction_session_timeout`, in seconds. A merge's computation is the longest pause within a
/// transaction.
const IDLE_SECS: u64 = 10;
/// A peer that acknowledges nothing for this long counts as gone. Shorter than [`ACQUIRE_TIMEOUT`]: a request on a lost
/// connection is refused no later than one that gets no connection.
const PEER_TIMEOUT: Duration = Duration::from_secs(4);
/// Silence after which TCP probes the peer.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(2);
/// Time between two probes.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(1);

/// How to reach PostgreSQL.
#[derive(Args, Clone)]
pub struct DatabaseConfig {
    /// `postgres://` URL. `sslmode` of `require`, `verify-ca` or `verify-full` means TLS with a verified certificate;
    /// `sslrootcert` names a PEM file of the authorities to trust instead of the system's.
    #[arg(
        id = "database_url",
        long = "database-url",
        env = "ATELIER_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub url: String,
    /// Most connections to PostgreSQL of this process, beside one for the check of readiness.
    #[arg(
        id = "database_connections",
        long = "database-connections",
        env = "ATELIER_DATABASE_CONNECTIONS",
        default_value_t = 16,
        value_name = "NUMBER"
    )]
    pub max_connections: usize,
    /// Longest that PostgreSQL may work on one statement, in seconds.
    #[arg(
        id = "database_statement_secs",
        long = "database-statement-secs",
        env = "ATELIER_DATABASE_STATEMENT_SECS",
        default_value_t = DatabaseConfig::STATEMENT_SECS,
        value_parser = clap::value_parser!(u64).range(1..=3_600),
        value_name = "SECONDS"
    )]
    pub statement_secs: u64,
}

impl DatabaseConfig {
    /// Default of the statement timeout, in seconds.
    pub const STATEMENT_SECS: u64 = 30;
}

/// A parsed URL: the configuration of tokio-postgres, and TLS, which it does not read from URLs.
pub struct Address {
    postgres: tokio_postgres::Config,
    tls: Option<MakeRustlsConnect>,
}

impl Address {
    pub(crate) fn parse(config: &DatabaseConfig) -> Result<Self> {
        // The URL holds a password: its own text must not get into an error.
        let mut url = Url::parse(&config.url).map_err(Error::internal)?;
        let parameter =
            |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        let wants_tls =
            matches!(parameter("sslmode").as_deref(), Some("require" | "verify-ca" | "verify-full"));
        let authorities = parameter("sslrootcert").map(PathBuf::from);
        let others: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(key, _)| !key.starts_with("ssl"))
            .map(|(k, v)| (k.into(), v.into()))
            .collect();
        url.set_query(None);
        if !others.is_empty() {
            url.query_pairs_mut().extend_pairs(others);
        }
        let mut postgres = tokio_postgres::Config::from_str(url.as_str()).map_err(Error::internal)?;
        // Server-side timeouts are a second line of defence. A connection plans each statement once: writes find their
        // rows by key for all values, and PostgreSQL would plan statements with array parameters on each call. JIT is
        // off: it takes half a second for statements that are estimated as expensive, and ours are shorter than that.
        let options = format!(
            "-c lock_timeout={LOCK_SECS}s -c statement_timeout={}s -c idle_in_transaction_session_timeout={IDLE_SECS}s \
             -c plan_cache_mode=force_generic_plan -c jit=off",
            config.statement_secs
        );
        postgres
            .options(options)
            .connect_timeout(ACQUIRE_TIMEOUT)
            // By default, a vanished peer is noticed after a quarter of an hour, and never by a reader.
            .tcp_user_timeout(PEER_TIMEOUT)
            .keepalives_idle(KEEPALIVE_IDLE)
            .keepalives_interval(KEEPALIVE_INTERVAL);
        if postgres.get_application_name().is_none() {
            postgres.application_name("atelier");
        }
        let tls = if wants_tls {
            postgres.ssl_mode(tokio_postgres::config::SslMode::Require);
            Some(tls(authorities)?)
        } else {
            None
        };
        Ok(Self { postgres, tls })
    }

    /// Opens a connection. Its driver is a task of the current runtime.
    pub async fn connect(&self) -> ConnectionResult<AsyncPgConnection> {
        let bad = |error: tokio_postgres::Error| ConnectionError::BadConnection(error.to_string());
        match self.tls.clone() {
            Some(tls) => {
                let (client, connection) = self.postgres.connect(tls).await.map_err(bad)?;
                AsyncPgConnection::try_from_client_and_connection(client, connection).await
            }
            None => {
                let (client, connection) = self.postgres.connect(tokio_postgres::NoTls).await.map_err(bad)?;
                AsyncPgConnection::try_from_client_and_connection(client, connection).await
            }
        }
    }
}

fn tls(authorities: Option<PathBuf>) -> Result<MakeRustlsConnect> {
    let mut roots = RootCertStore::empty();
    match authorities {
        Some(file) => {
            for certificate in CertificateDer::pem_file_iter(file).map_err(Error::internal)? {
                roots.add(certificate.map_err(Error::internal)?).map_err(Error::internal)?;
            }
        }
        None => {
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
    }
    Ok(MakeRustlsConnect::new(
        rustls::ClientConfig::builder().with_root_certificates(roots).with_no_client_auth(),
    ))
}
