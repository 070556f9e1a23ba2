//! The address of PostgreSQL: hosts in order, credentials and TLS, out of a URL.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use domain::{Error, Result};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;
use url::form_urlencoded;

use crate::config::{ACQUIRE_TIMEOUT, DatabaseConfig};

/// PostgreSQL's port.
const PORT: u16 = 5432;
/// Longest time to open a connection to one of several hosts: the check of readiness has two seconds.
const HOST_TIMEOUT: Duration = Duration::from_secs(1);

/// A parsed URL: the configuration of tokio-postgres, and the parts that it does not read from URLs.
pub(crate) struct Address {
    /// One or more, in the order of the URL.
    pub(crate) hosts: Vec<HostAddress>,
    pub(crate) postgres: tokio_postgres::Config,
    pub(crate) tls: Option<MakeRustlsConnect>,
    /// Longest time to open a connection to one host.
    pub(crate) host_timeout: Duration,
}

/// Where one server listens.
#[derive(Clone)]
pub(crate) struct HostAddress {
    pub(crate) host: Host,
    /// Connected to instead of the host's own addresses; the host is then the name in the certificate.
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: u16,
}

impl fmt::Display for HostAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Tcp(name) => write!(f, "{name}:{}", self.port),
            Host::Unix(folder) => write!(f, "{}, port {}", folder.display(), self.port),
        }
    }
}

impl Address {
    /// Reads the URL, which may name several hosts with a port each.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the URL or its certificates can't be used. The URL holds a password, so it's not in the error.
    pub(crate) fn parse(config: &DatabaseConfig) -> Result<Self> {
        let (server, query) = config.url.split_once('?').unwrap_or((&config.url, ""));
        if !server.starts_with("postgres://") && !server.starts_with("postgresql://") {
            return Err(Error::internal("the database's URL is no postgres:// URL"));
        }
        // The last `@` ends the credentials; tokio-postgres takes the first.
        let server = match server.rsplit_once('@') {
            Some((credentials, rest)) => format!("{}@{rest}", credentials.replace('@', "%40")),
            None => server.to_owned(),
        };
        let (mut mode, mut authorities, mut others) = (None, None, Vec::new());
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match form_urlencoded::parse(pair.as_bytes()).next() {
                Some((name, value)) if name == "sslmode" => mode = Some(value.into_owned()),
                Some((name, value)) if name == "sslrootcert" => {
                    authorities = Some(PathBuf::from(value.into_owned()));
                }
                // tokio-postgres refuses those that it doesn't know, also of TLS.
                _ => others.push(pair),
            }
        }
        let others = others.join("&");
        let mut postgres =
            tokio_postgres::Config::from_str(&format!("{server}?{others}")).map_err(Error::internal)?;
        if postgres.get_target_session_attrs() == TargetSessionAttrs::ReadOnly {
            return Err(Error::internal("the service needs a server that takes writes"));
        }
        let tls = match mode.as_deref() {
            None | Some("disable" | "allow" | "prefer") => None,
            Some("require" | "verify-ca" | "verify-full") => Some(tls(authorities)?),
            Some(other) => {
                return Err(Error::internal(format!("sslmode={other} of the database is not known")));
            }
        };
        postgres.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        if postgres.get_application_name().is_none() {
            postgres.application_name("atelier");
        }
        let hosts = hosts(&postgres)?;
        let default_timeout = if hosts.len() > 1 { HOST_TIMEOUT } else { ACQUIRE_TIMEOUT };
        let host_timeout = postgres.get_connect_timeout().copied().unwrap_or(default_timeout);
        Ok(Self { hosts, postgres, tls, host_timeout })
    }
}

/// The hosts with their ports: one port for each, or one for all.
fn hosts(postgres: &tokio_postgres::Config) -> Result<Vec<HostAddress>> {
    let (names, addresses, ports) = (postgres.get_hosts(), postgres.get_hostaddrs(), postgres.get_ports());
    let count = names.len().max(addresses.len());
    let fits = |length: usize| length <= 1 || length == count;
    if count == 0
        || !fits(ports.len())
        || !(names.is_empty() || names.len() == count)
        || !fits(addresses.len())
    {
        return Err(Error::internal("the database's URL has no host, or not one port for each host"));
    }
    let host = |index: usize| {
        let address = addresses.get(index).copied();
        let named = names.get(index).cloned();
        let host = named.or_else(|| address.map(|address| Host::Tcp(address.to_string())))?;
        let port = ports.get(index).or_else(|| ports.first()).copied().unwrap_or(PORT);
        Some(HostAddress { host, address, port })
    };
    Ok((0..count).filter_map(host).collect())
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
