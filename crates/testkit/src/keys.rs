//! Keys of test deployments.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use tempfile::TempDir;

use crate::environment;

/// Names of the key files of a deployment.
pub(crate) const KEY_FILES: [&str; 4] =
    ["grant-private.pem", "grant-public.pem", "issuer-private.pem", "issuer-public.pem"];

/// A sealing key for tests only.
pub(crate) const SECRETS_KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n";

/// The key files: those of the shared deployment, or new ones without it, because their content does not matter.
pub(crate) fn keys() -> Arc<Vec<String>> {
    static KEYS: OnceLock<Arc<Vec<String>>> = OnceLock::new();
    let read = |folder: &Path| KEY_FILES.map(|name| fs::read_to_string(folder.join(name)).unwrap()).to_vec();
    let make = || {
        let shared = environment::deployment();
        let folder = shared.as_ref().and_then(|described| described.get("folder")?.as_str());
        Arc::new(folder.map_or_else(|| read(generate().path()), |folder| read(Path::new(folder))))
    };
    Arc::clone(KEYS.get_or_init(make))
}

fn generate() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["grant", "issuer"] {
        let mut generate = Command::new(environment::program("control"));
        generate
            .args(["admin", "signing-key", "generate", "--json", "--name", name, "--out"])
            .arg(folder.path());
        let output = generate.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    folder
}
