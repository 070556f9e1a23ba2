//! Finds the target of a request by its path.

use std::io;
use std::sync::Arc;

use crate::table::unchecked_request::PathParameters;

/// Maps paths to targets of type `T`. A literal segment takes precedence over a placeholder.
pub(crate) struct Router<T> {
    paths: matchit::Router<Arc<T>>,
    unknown: Arc<T>,
}

impl<T> Router<T> {
    /// A router to `targets` by their paths, and to `unknown` for any other path.
    ///
    /// # Errors
    /// Two paths differ only in the names of their parameters.
    pub(crate) fn new(targets: impl IntoIterator<Item = (String, T)>, unknown: T) -> io::Result<Self> {
        let mut paths = matchit::Router::new();
        for (path, target) in targets {
            paths.insert(path, Arc::new(target)).map_err(io::Error::other)?;
        }
        Ok(Self { paths, unknown: Arc::new(unknown) })
    }

    /// The target of a path, with the path's parameters. An unknown path is its own parameter.
    pub(crate) fn find(&self, path: &str) -> (Arc<T>, PathParameters) {
        match self.paths.at(path) {
            Ok(found) => {
                let parameters = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
                (Arc::clone(found.value), parameters.collect())
            }
            Err(_) => (Arc::clone(&self.unknown), vec![("path".to_owned(), path.to_owned())]),
        }
    }
}
