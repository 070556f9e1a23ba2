//! The files of the console, embedded in the binary.

use std::collections::BTreeMap;

use bytes::Bytes;
use rust_embed::RustEmbed;
use sha2::{Digest, Sha256};

use crate::{FILES, File};

/// Digits of the hash in the paths.
const HASH_DIGITS: usize = 12;

#[derive(RustEmbed)]
#[folder = "assets"]
struct Assets;

/// The path above all files, and the files by path.
pub(crate) fn all() -> (String, BTreeMap<String, File>) {
    let mut files: Vec<(String, Bytes)> = Assets::iter()
        .filter_map(|name| Some((name.to_string(), Bytes::from(Assets::get(&name)?.data.into_owned()))))
        .collect();
    files.sort();
    let mut digest = Sha256::new();
    for (name, body) in &files {
        digest.update(name);
        digest.update([0]);
        digest.update(Sha256::digest(body));
    }
    let hash: String = hex::encode(digest.finalize()).chars().take(HASH_DIGITS).collect();
    let base = format!("{FILES}/{hash}");
    let files = files.into_iter().map(|(name, body)| {
        let media_type = media_type(&name);
        (format!("{base}/{name}"), File { media_type, body })
    });
    let files = files.collect();
    (base, files)
}

fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}
