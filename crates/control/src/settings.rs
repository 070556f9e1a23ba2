//! The control plane's settings: environment variables with the prefix `ATELIER_`, or options.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use auth::sign_up::SignUp;
use clap::Args;
use domain::rate::Rate;
use execution::{Engine, Settings};
use link::LinkConfig;
use store::DatabaseConfig;
use url::Url;
use wire::{AddressLimits, DeploymentSettings, RateLimits, ServerConfig};

/// The settings of `control serve`.
#[derive(Args, Clone)]
pub struct ServeSettings {
    #[command(flatten)]
    pub server: ServerConfig,
    #[command(flatten)]
    pub rates: RateSettings,
    #[command(flatten)]
    pub database: DatabaseConfig,
    #[command(flatten)]
    pub redis: LinkConfig,
    #[command(flatten)]
    pub credentials: CredentialSettings,
    #[command(flatten)]
    pub agent: AgentSettings,
    #[command(flatten)]
    pub executions: ExecutionSettings,
    #[command(flatten)]
    pub mail: MailSettings,
    #[command(flatten)]
    pub deployment: DeploymentSettings,
    /// Log filter, as in `info,store=debug`.
    #[arg(long, env = "ATELIER_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,
    /// Public URL of the data plane, which clients get with every session.
    #[arg(long, env = "ATELIER_DATA_URL")]
    pub data_url: Url,
    /// Most projects that a user or an organization may own; a limit of its own takes precedence.
    #[arg(long, env = "ATELIER_PROJECT_LIMIT", default_value_t = 100, value_name = "NUMBER")]
    pub project_limit: u32,
    /// Days for which entries of the audit log are kept. The database refuses to delete younger ones than 30 days.
    #[arg(long, env = "ATELIER_AUDIT_DAYS", default_value_t = 400, value_parser = clap::value_parser!(u32).range(30..=36_500), value_name = "DAYS")]
    pub audit_days: u32,
}

/// The rate limits of this plane. Each limit is `PER_MINUTE/BURST`, as in `600/120`, or `off`.
#[derive(Args, Clone, Copy)]
pub struct RateSettings {
    /// Requests of all callers of this plane together: in a minute, and at once; or `off`.
    #[arg(long, env = "ATELIER_RATE_GLOBAL", default_value = "10000/2000", value_name = "PER_MINUTE/BURST")]
    pub rate_global: Rate,
    /// Requests of one user, by all keys, grants and browser tokens together: in a minute, and at once; or `off`.
    #[arg(long, env = "ATELIER_RATE_USER", default_value = "1200/240", value_name = "PER_MINUTE/BURST")]
    pub rate_user: Rate,
    /// Requests with one API key and the grants that it minted: in a minute, and at once; or `off`.
    #[arg(long, env = "ATELIER_RATE_KEY", default_value = "600/120", value_name = "PER_MINUTE/BURST")]
    pub rate_key: Rate,
    #[command(flatten)]
    pub strangers: AddressLimits,
}

impl RateSettings {
    /// The limits of the control plane. Its bodies are small, so bytes have no limit.
    pub fn limits(self) -> RateLimits {
        let Self { rate_global, rate_user, rate_key, strangers } = self;
        let (global, user, key, bytes) = (rate_global, rate_user, rate_key, Rate(None));
        RateLimits { plane: "control", global, user, key, bytes, strangers }
    }
}

/// Accepted credentials, and the keys of the deployment.
#[derive(Args, Clone)]
pub struct CredentialSettings {
    /// The Ed25519 private key (PKCS#8 PEM) that signs grants. The data plane has its public half alone.
    #[arg(long, env = "ATELIER_GRANT_KEY_FILE")]
    pub grant_key_file: PathBuf,
    /// The key that seals the secret headers of MCP servers: 64 random hexadecimal digits. Without it such headers are
    /// refused.
    #[arg(long, env = "ATELIER_SECRETS_KEY_FILE", value_name = "FILE")]
    pub secrets_key_file: Option<PathBuf>,
    /// The OIDC issuer of browser tokens, exactly as in their `iss`. Its keys and addresses are those of its discovery
    /// document, at `/.well-known/openid-configuration` below it.
    #[arg(long, env = "ATELIER_OIDC_ISSUER", requires = "oidc_audience", value_name = "URL")]
    pub oidc_issuer: Option<String>,
    /// The `aud` of the issuer's tokens for this service.
    #[arg(long, env = "ATELIER_OIDC_AUDIENCE", requires = "oidc_issuer")]
    pub oidc_audience: Option<String>,
    /// The client id of the console at the issuer: a public client that signs in by authorization code with PKCE. Without
    /// it the console has no sign-in by the issuer. Its redirect URL is `/sign-in` of this plane; the issuer must allow
    /// requests of this plane's origin to its `token_endpoint` and `revocation_endpoint`.
    #[arg(long, env = "ATELIER_OIDC_CLIENT_ID", requires = "oidc_issuer", value_name = "TEXT")]
    pub oidc_client_id: Option<String>,
    /// Scopes that the console asks the issuer for. Some issuers give a renewable sign-in for `offline_access`.
    #[arg(long, env = "ATELIER_OIDC_SCOPE", default_value = "openid profile email", value_name = "SCOPES")]
    pub oidc_scope: String,
    /// The people who get an account with their first sign-in, as far as the issuer has verified their address: nobody
    /// (`off`), `anybody`, or those with an address of these domains, separated by commas.
    #[arg(long, env = "ATELIER_SIGN_UP", default_value = "off", value_name = "off|anybody|DOMAINS")]
    pub sign_up: SignUp,
    /// The development issuer's private key (PKCS#8 PEM). Refused unless the environment is `development`.
    #[arg(long, env = "ATELIER_DEVELOPMENT_ISSUER_KEY_FILE")]
    pub development_issuer_key_file: Option<PathBuf>,
}

/// The models of sessions, and their runs.
#[derive(Args, Clone)]
pub struct AgentSettings {
    /// A JSON file `{"models": [{"name", "provider", "protocol": "openai" | "anthropic", "baseUrl", "apiKey", "model",
    /// "maxOutputTokens", "outputLimitField": "max_completion_tokens" | "max_tokens" | "none", "extraFields": {…}, "prices":
    /// {"prompt", "completion", "cacheWrite", "cacheRead"}}]}`, whose prices are credits for a million tokens. The first
    /// model answers where a session names none; without the file nobody does.
    #[arg(long, env = "ATELIER_MODELS_FILE", value_name = "FILE")]
    pub models_file: Option<PathBuf>,
    /// Hosts, by name or address and separated by commas, at which MCP servers of projects may be although they are of a
    /// private network, and without TLS. Otherwise they must be of the public internet, and https.
    #[arg(long, env = "ATELIER_MCP_SERVER_HOSTS", value_delimiter = ',', value_name = "HOST")]
    pub mcp_server_hosts: Vec<String>,
    /// Most runs in progress in this process; set the same for all processes.
    #[arg(long, env = "ATELIER_RUNS", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..), value_name = "NUMBER")]
    pub runs: u32,
}

/// The mail server, which sends invitations to the people they name.
#[derive(Args, Clone)]
pub struct MailSettings {
    /// The mail server: `smtps://USER:PASSWORD@HOST`, or with STARTTLS `smtp://USER:PASSWORD@HOST:587?tls=required`.
    /// Without it no mail is sent. A mail names the public URL.
    #[arg(
        long,
        env = "ATELIER_SMTP_URL",
        hide_env_values = true,
        requires = "mail_from",
        value_name = "URL"
    )]
    pub smtp_url: Option<Url>,
    /// The sender of mails, as in `Atelier <atelier@example.org>`.
    #[arg(long, env = "ATELIER_MAIL_FROM", requires = "smtp_url", value_name = "ADDRESS")]
    pub mail_from: Option<String>,
}

/// The engine of Code objects.
#[derive(Args, Clone)]
pub struct ExecutionSettings {
    /// Most executions that run at a time in this process; others wait. One user has all but one of them at a time.
    #[arg(long, env = "ATELIER_EXECUTIONS", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=256), value_name = "NUMBER")]
    pub executions_at_once: u16,
    /// Memory for the code of an execution, in MiB.
    #[arg(long, env = "ATELIER_EXECUTION_MEMORY_MIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(16..=16384), value_name = "MIB")]
    pub execution_memory_mib: u64,
    /// The CPython that runs Python, by name or path; without one, executions of Python fail.
    #[arg(long, env = "ATELIER_PYTHON", default_value = "python3", value_name = "PROGRAM")]
    pub python: OsString,
}

impl ExecutionSettings {
    /// The engine of these settings, whose code runs for `time` at most. Its workers are this program with `argument`.
    pub fn engine(&self, time: Duration, argument: &'static str) -> Engine {
        Engine::new(Settings {
            time,
            memory_bytes: self.execution_memory_mib * 1024 * 1024,
            argument,
            python: self.python.clone(),
        })
    }
}
