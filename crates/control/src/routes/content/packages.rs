//! Public packages of a project.

pub mod get;
pub mod list;
pub mod publish;
pub mod withdraw;

use domain::content::package::Package;
use wire::{Endpoint, endpoint};

use crate::app::App;

/// The endpoints of packages.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(list::handle), endpoint(get::handle), endpoint(publish::handle), endpoint(withdraw::handle)]
}

/// The state that a package's `ETag` stands for: the package, and the commit whose content is read.
type PackageState<'a> = (&'a Package, &'a str);

/// The state of a package that is read at the commit of its publication.
fn current(package: &Package) -> PackageState<'_> {
    (package, &package.commit_hash)
}
