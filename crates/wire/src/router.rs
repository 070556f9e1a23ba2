//! From a request's path to the endpoints that it leads to.

use std::io;
use std::sync::Arc;

use crate::dispatch::Resource;

/// The paths of a plane. Where two fit a request, the one with the literal segment means it.
pub(crate) struct Router<App> {
    paths: matchit::Router<Arc<Resource<App>>>,
    unknown: Arc<Resource<App>>,
}

/// The parameters of a path by name; percent-encoded.
pub(crate) type PathParameters = Vec<(String, String)>;

impl<App> Router<App> {
    /// A router to `resources` by their paths, and to `unknown` by any other.
    ///
    /// # Errors
    /// Where two paths are the same but for the names of their parameters.
    pub(crate) fn new(
        resources: impl IntoIterator<Item = (&'static str, Resource<App>)>,
        unknown: Resource<App>,
    ) -> io::Result<Self> {
        let mut paths = matchit::Router::new();
        for (path, resource) in resources {
            paths.insert(path, Arc::new(resource)).map_err(io::Error::other)?;
        }
        Ok(Self { paths, unknown: Arc::new(unknown) })
    }

    /// What a path leads to.
    pub(crate) fn find(&self, path: &str) -> (Arc<Resource<App>>, PathParameters) {
        match self.paths.at(path) {
            Ok(found) => {
                let parameters = found.params.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
                (Arc::clone(found.value), parameters.collect())
            }
            Err(_unknown) => (Arc::clone(&self.unknown), Vec::new()),
        }
    }
}
