//! The files of the console, embedded in the binary, and the manifest of their build.

use std::collections::BTreeMap;

use bytes::Bytes;
use rust_embed::RustEmbed;
use serde::Deserialize;

use crate::{FILES, File};

/// The build's list of the files that the page names.
const MANIFEST: &str = "manifest.json";

/// `dist`, which the build of the TypeScript makes. Without it there are no files.
#[derive(RustEmbed)]
#[folder = "dist"]
#[allow_missing = true]
struct Dist;

/// The files that the page names. Their names hold hashes of their content.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Manifest {
    /// The first module.
    pub(crate) main: String,
    /// The modules that are loaded with it.
    pub(crate) modules: Vec<String>,
    /// The modules of pages, by their source below `pages/`.
    #[cfg(test)]
    pub(crate) pages: BTreeMap<String, String>,
    /// The style sheet.
    pub(crate) style: String,
    /// The icons of the interface.
    pub(crate) icons: String,
    /// The icon of the tab.
    pub(crate) icon: String,
}

/// The manifest, unless the binary was built without `dist`.
pub(crate) fn manifest() -> Option<Manifest> {
    serde_json::from_slice(&Dist::get(MANIFEST)?.data).ok()
}

/// The hash of the manifest, which tells this build from any other. In a debug build the files are read from the folder
/// as they are now.
pub(crate) fn build() -> Option<[u8; 32]> {
    Some(Dist::get(MANIFEST)?.metadata.sha256_hash())
}

/// All files by path.
pub(crate) fn all() -> BTreeMap<String, File> {
    let names = Dist::iter().filter(|name| name != MANIFEST);
    let file = |name: &str| {
        let body = Bytes::from(Dist::get(name)?.data.into_owned());
        Some((path(name), File { media_type: media_type(name), body }))
    };
    names.filter_map(|name| file(&name)).collect()
}

/// The path of a file.
pub(crate) fn path(name: &str) -> String {
    format!("{FILES}/{name}")
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
