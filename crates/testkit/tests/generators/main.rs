//! Other people's tools on the OpenAPI documents: linters, schemathesis, and generators of clients that then do the
//! main job. They come from npm and PyPI; without a registry the tests print that they are skipped.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod clients;
mod linters;
mod schemathesis;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};
use testkit::environment::program;

/// The planes, as their documents are named.
const PLANES: [(&str, &str); 2] = [("control", "control"), ("data", "dataplane")];

/// A folder for packages, kept between runs.
fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("generators").join(name)
}

/// Writes the documents into `folder`, as `control.json` and `data.json`.
fn write_documents(folder: &Path) {
    for (plane, binary) in PLANES {
        let printed = Command::new(program(binary)).arg("openapi").output().unwrap();
        assert!(printed.status.success(), "{binary} openapi");
        fs::write(folder.join(format!("{plane}.json")), printed.stdout).unwrap();
    }
}

/// How clients are made.
const STEPS: &str = include_str!("clients.rs");

/// Generates and compiles a client by `make`, unless `folder` holds one of the same documents, steps and `sources`:
/// packages, settings and programs. That takes most of a minute of two cores.
fn keep_client(folder: &Path, sources: &[&str], make: impl FnOnce()) {
    write_documents(folder);
    let mut hash = Sha256::new();
    for (plane, _) in PLANES {
        hash.update(fs::read(folder.join(format!("{plane}.json"))).unwrap());
    }
    // The count separates the sources.
    [STEPS].iter().chain(sources).for_each(|source| hash.update(format!("{}:{source}", source.len())));
    let (hash, mark) = (hex::encode(hash.finalize()), folder.join("made-of"));
    if fs::read_to_string(&mark).is_ok_and(|made_of| made_of == hash) {
        return;
    }
    let _absent = fs::remove_file(&mark);
    make();
    fs::write(&mark, hash).unwrap();
}

/// Runs a program to its end in `folder`; its output, which the failure shows, too.
fn run(folder: &Path, program: impl AsRef<Path>, arguments: &[&str]) -> String {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).current_dir(folder);
    for proxy in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        command.env_remove(proxy);
    }
    let done = command.output().unwrap();
    let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(done.status.success(), "{} {arguments:?}:\n{said}", program.as_ref().display());
    said
}
