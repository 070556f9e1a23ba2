//! The two services as processes: one of each, or several behind one address.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::proxy;
use crate::folder::Folder;
use crate::http;
use crate::log;
use crate::process::{Spec, Supervisor};
use crate::provision::free_port;
use crate::workspace::Workspace;

const START_LIMIT: Duration = Duration::from_secs(60);
/// Ports of the persistent service: for clients, and for operations.
const CONTROL_PORTS: (u16, u16) = (8080, 9080);
const DATA_PORTS: (u16, u16) = (8081, 9081);

/// Settings of both services.
pub(super) struct Plan<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) folder: &'a Folder,
    /// Folder of the signing keys.
    pub(super) keys: &'a Path,
    pub(super) database_url: &'a str,
    pub(super) redis_url: &'a str,
    /// Processes of each service.
    pub(super) replicas: u8,
    /// True to prefer the ports of the persistent service.
    pub(super) fixed_ports: bool,
}

/// Both services, ready.
pub(super) struct Running {
    pub(super) control: Plane,
    pub(super) data: Plane,
}

/// Addresses of one service.
pub(super) struct Plane {
    pub(super) url: String,
    pub(super) ops_url: String,
}

/// Addresses to serve at. With several replicas the listeners are bound here, for the proxy.
struct Front {
    address: Port,
    ops_address: Port,
}

enum Port {
    Free(u16),
    Bound(u16, TcpListener),
}

/// Content of a service's ready file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listening {
    url: String,
    ops_url: String,
}

/// Starts both services, and waits until all of their processes are ready.
pub(super) fn start(supervisor: &mut Supervisor, plan: &Plan<'_>) -> Result<Running> {
    let control = Front::open(plan, CONTROL_PORTS)?;
    let data = Front::open(plan, DATA_PORTS)?;
    let (control_url, data_url) = (control.address.url(), data.address.url());
    let blobs = plan.folder.private_dir("blobs")?;
    let data_listening = launch(supervisor, plan, "dataplane", &data, |command| {
        command.env("ATELIER_PUBLIC_URL", &data_url);
        // The console uploads from the control plane's origin.
        command.env("ATELIER_ALLOWED_ORIGINS", &control_url);
        command.env("ATELIER_GRANT_PUBLIC_KEYS_FILE", plan.keys.join("grant-public.pem"));
        command.env("ATELIER_BLOB_STORE", format!("file://{}", blobs.display()));
    })?;
    let control_listening = launch(supervisor, plan, "control", &control, |command| {
        command.env("ATELIER_PUBLIC_URL", &control_url);
        command.env("ATELIER_DATA_URL", &data_url);
        command.env("ATELIER_GRANT_KEY_FILE", plan.keys.join("grant-private.pem"));
        command.env("ATELIER_SECRETS_KEY_FILE", plan.keys.join("secrets.key"));
        command.env("ATELIER_DEVELOPMENT_ISSUER_KEY_FILE", plan.keys.join("issuer-private.pem"));
        command.env("ATELIER_SIGN_UP", "anybody");
    })?;
    Ok(Running {
        control: control.join(supervisor, "control", control_listening)?,
        data: data.join(supervisor, "dataplane", data_listening)?,
    })
}

/// Starts the processes of one service. Returns their ready files.
fn launch(
    supervisor: &mut Supervisor,
    plan: &Plan<'_>,
    name: &str,
    front: &Front,
    configure: impl Fn(&mut Command),
) -> Result<Vec<PathBuf>> {
    let logs = plan.folder.private_dir("logs")?;
    let mut ready_files = Vec::new();
    for replica in 1..=plan.replicas {
        let ready_file = plan.folder.path().join(format!("{name}-{replica}.json"));
        // The file of an earlier run would be mistaken for this one's.
        let _absent = fs::remove_file(&ready_file);
        let mut command = Command::new(plan.workspace.binary(name));
        command.arg("serve").current_dir(plan.folder.path());
        command.env("ATELIER_ENVIRONMENT", "development");
        command.env("ATELIER_DATABASE_URL", plan.database_url);
        command.env("ATELIER_REDIS_URL", plan.redis_url);
        command.env("ATELIER_LISTEN", front.address.listen());
        command.env("ATELIER_OPS_LISTEN", front.ops_address.listen());
        command.env("ATELIER_READY_FILE", &ready_file);
        command.env("ATELIER_SHUTDOWN_GRACE_SECS", "3").env("ATELIER_TEST_BOUNDS", "shutdown_notice_secs=0");
        configure(&mut command);
        let log = logs.join(format!("{name}-{replica}.log"));
        supervisor.spawn(Spec::service(format!("{name} {replica}"), command, Some(log)))?;
        ready_files.push(ready_file);
    }
    Ok(ready_files)
}

impl Front {
    fn open(plan: &Plan<'_>, (port, ops_port): (u16, u16)) -> Result<Self> {
        let bound = plan.replicas > 1;
        let open = |preferred| Port::open(plan.fixed_ports.then_some(preferred), bound);
        Ok(Self { address: open(port)?, ops_address: open(ops_port)? })
    }

    /// Waits for the processes, and starts the proxies of several replicas.
    fn join(self, supervisor: &Supervisor, name: &str, ready_files: Vec<PathBuf>) -> Result<Plane> {
        let plane = Plane { url: self.address.url(), ops_url: self.ops_address.url() };
        let (mut replicas, mut ops_replicas) = (Vec::new(), Vec::new());
        for file in ready_files {
            let listening: Listening = supervisor.wait_for(name, START_LIMIT, || {
                fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok())
            })?;
            let readyz = format!("{}/readyz", listening.ops_url);
            supervisor.wait_for(name, START_LIMIT, || (http::status(&readyz) == Some(200)).then_some(()))?;
            replicas.push(address_of(&listening.url)?);
            ops_replicas.push(address_of(&listening.ops_url)?);
        }
        if let (Port::Bound(_, listener), Port::Bound(_, ops_listener)) = (self.address, self.ops_address) {
            proxy::serve(listener, replicas)?;
            proxy::serve(ops_listener, ops_replicas)?;
        }
        Ok(plane)
    }
}

impl Port {
    /// The preferred port if it is free, otherwise any.
    fn open(preferred: Option<u16>, bound: bool) -> Result<Self> {
        let listener = preferred.and_then(|port| {
            let listener = TcpListener::bind(("127.0.0.1", port));
            listener.inspect_err(|error| log(format_args!("port {port}: {error}; taking another"))).ok()
        });
        match (listener, bound) {
            (Some(listener), true) => Self::hold(listener),
            (Some(listener), false) => Ok(Self::Free(listener.local_addr()?.port())),
            (None, true) => Self::hold(TcpListener::bind("127.0.0.1:0")?),
            (None, false) => Ok(Self::Free(free_port()?)),
        }
    }

    fn hold(listener: TcpListener) -> Result<Self> {
        Ok(Self::Bound(listener.local_addr()?.port(), listener))
    }

    /// The address that a process binds.
    fn listen(&self) -> String {
        match self {
            Self::Free(port) => format!("127.0.0.1:{port}"),
            Self::Bound(..) => "127.0.0.1:0".to_owned(),
        }
    }

    fn url(&self) -> String {
        let (Self::Free(port) | Self::Bound(port, _)) = self;
        format!("http://127.0.0.1:{port}")
    }
}

fn address_of(url: &str) -> Result<SocketAddr> {
    let host = url.strip_prefix("http://").unwrap_or(url).trim_end_matches('/');
    host.parse().with_context(|| format!("{url} is not the address of a listener"))
}
