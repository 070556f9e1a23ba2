//! Handlers on the content of projects: objects, files, branches, commits, packages.

pub(super) mod bom;
pub(super) mod branches;
pub(super) mod changes;
pub(super) mod commits;
pub(super) mod compare;
pub(super) mod download_grants;
pub(super) mod files;
pub(super) mod git;
pub(super) mod includes;
pub(super) mod merges;
pub(super) mod objects;
pub(super) mod packages;
pub(super) mod projects;

use wire::Endpoint;

use crate::app::App;

/// These handlers, in the order of a session's tools within a toolbox.
pub(super) fn endpoints() -> Vec<Endpoint<App>> {
    [
        projects::endpoints(),
        changes::endpoints(),
        objects::endpoints(),
        branches::endpoints(),
        commits::endpoints(),
        merges::endpoints(),
        compare::endpoints(),
        packages::endpoints(),
        includes::endpoints(),
        bom::endpoints(),
        files::endpoints(),
        download_grants::endpoints(),
        git::endpoints(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
