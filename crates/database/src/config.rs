//! Settings of the connection to PostgreSQL.

use std::time::Duration;

use clap::Args;

/// Longest time to wait for a connection; past it the database counts as unavailable.
pub const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// How to reach PostgreSQL.
#[derive(Args, Clone)]
pub struct DatabaseConfig {
    /// `postgres://` URL. `sslmode` of `require`, `verify-ca` or `verify-full` means TLS with a verified certificate;
    /// `sslrootcert` names a PEM file of the authorities to trust instead of the system's. Several hosts
    /// (`host:5432,other:5432`) are tried in their order, and the first that takes writes is used.
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
    #[arg(skip = DatabaseConfig::STATEMENT_SECS)]
    pub statement_secs: u64,
}

impl DatabaseConfig {
    /// Default of the statement timeout, in seconds.
    pub const STATEMENT_SECS: u64 = 30;
}
