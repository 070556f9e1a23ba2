//! The files that every page loads. Their names hold a hash of their content, so browsers keep them for ever.

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::Page;

/// Digits of a hash in a name.
const HASH_DIGITS: usize = 12;

/// The paths of the files, as templates refer to them.
#[derive(Clone, Debug)]
pub(crate) struct Assets {
    pub(crate) style: String,
    pub(crate) theme: String,
    pub(crate) script: String,
    pub(crate) icon: String,
    pub(crate) search: String,
}

impl Assets {
    /// The paths, and the files by path. `search` is the index of the search.
    pub(crate) fn new(search: &str) -> (Self, Vec<(String, Page)>) {
        let mut files = Vec::new();
        let mut add = |name: &str, suffix: &str, media_type: &'static str, content: &str| {
            let hash: String = hex::encode(Sha256::digest(content)).chars().take(HASH_DIGITS).collect();
            let path = format!("/docs/assets/{name}-{hash}.{suffix}");
            let body = Bytes::copy_from_slice(content.as_bytes());
            files.push((path.clone(), Page { media_type, body, is_immutable: true }));
            path
        };
        let assets = Self {
            style: add("site", "css", "text/css; charset=utf-8", include_str!("../assets/site.css")),
            theme: add("theme", "js", "text/javascript; charset=utf-8", include_str!("../assets/theme.js")),
            script: add("site", "js", "text/javascript; charset=utf-8", include_str!("../assets/site.js")),
            icon: add("icon", "svg", "image/svg+xml", include_str!("../assets/icon.svg")),
            search: add("search", "json", "application/json", search),
        };
        (assets, files)
    }
}
