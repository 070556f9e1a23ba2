//! How the processes of a deployment are started.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::path::Path;

use crate::environment;
use crate::process::Recipe;

/// The environment with its bounds as the one setting that changes them.
pub(super) fn with_bounds(environment: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    let is_bound =
        |(name, _): &(&'static str, String)| name.starts_with(|first: char| first.is_ascii_lowercase());
    let (bounds, mut settings): (Vec<_>, Vec<_>) = environment.into_iter().partition(is_bound);
    let bounds: Vec<String> = bounds.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    settings.push(("ATELIER_TEST_BOUNDS", bounds.join(",")));
    settings
}

/// The start of a replica of a service, which logs to the folder.
pub(super) fn recipe(
    folder: &Path,
    name: &str,
    replica: usize,
    environment: &[(&'static str, String)],
) -> Recipe {
    let log = folder.join(format!("{name}-{replica}.log"));
    let own = [
        ("ATELIER_PUBLIC_URL", format!("http://{name}.test")),
        ("ATELIER_READY_FILE", log.with_extension("json").to_str().unwrap().to_owned()),
    ];
    let all = own.into_iter().chain(environment.iter().cloned());
    Recipe {
        name: format!("{name} {replica}"),
        program: environment::program(name),
        arguments: vec!["serve".to_owned()],
        environment: all.map(|(key, value)| (key.to_owned(), value)).collect(),
        run_as: None,
        log,
    }
}
