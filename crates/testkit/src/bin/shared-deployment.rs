//! The deployment that the tests of a run share. It writes its addresses to the file of its argument, runs until
//! standard input closes, and fails unless the invariants hold over all that the tests did.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use testkit::deployment::{Deployment, Options};

#[tokio::main]
async fn main() {
    let file = PathBuf::from(std::env::args_os().nth(1).unwrap());
    let environment = vec![("ATELIER_SIGN_UP", "anybody".to_owned())];
    let deployment = Deployment::with(Options { environment, ..Options::default() }).await;
    let part = file.with_extension("part");
    fs::write(&part, deployment.description().to_string()).unwrap();
    fs::rename(&part, &file).unwrap();
    let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    ended.await.unwrap().unwrap();
    drop(deployment);
}
