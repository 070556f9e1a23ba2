//! Imports of the console's modules, by their text.
//!
//! A browser learns of an import when it has read the module that has it. The page names all of the first ones, so that
//! a slow connection waits for one round trip instead of one for each level.

use std::collections::{BTreeMap, BTreeSet};

use url::Url;

use crate::File;

/// The beginning of a static import's path in the text of a module.
pub(crate) const STATIC: &str = "from \"";

/// The paths of all modules that are loaded with the module at `path`, without that one.
pub(crate) fn loaded_with(files: &BTreeMap<String, File>, path: &str) -> BTreeSet<String> {
    let mut loaded = BTreeSet::new();
    let mut found = direct(files, path, STATIC);
    while let Some(next) = found.pop() {
        if next != path && !loaded.contains(&next) {
            found.extend(direct(files, &next, STATIC));
            loaded.insert(next);
        }
    }
    loaded
}

/// The paths that follow each `way` of importing in the module at `path`.
pub(crate) fn direct(files: &BTreeMap<String, File>, path: &str, way: &str) -> Vec<String> {
    // Any origin: paths alone are resolved.
    let Ok(module) = Url::parse(&format!("http://console{path}")) else { return Vec::new() };
    let text = files.get(path).map(|file| String::from_utf8_lossy(&file.body)).unwrap_or_default();
    let targets = text.split(way).skip(1).filter_map(|part| part.split('"').next());
    let targets = targets.filter(|target| target.starts_with('.'));
    targets.filter_map(|target| Some(module.join(target).ok()?.path().to_owned())).collect()
}
