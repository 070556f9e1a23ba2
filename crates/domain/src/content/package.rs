//! Packages that a project publishes for other projects to include.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::object::{CommitHash, Include};
use crate::content::project::BranchName;
use crate::id::{ObjectId, ProjectId};
use crate::text::{Description, Name};
use crate::time::Timestamp;

/// A published package.
// docs/api.md, section 7
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    /// The published object.
    pub id: ObjectId,
    /// Its name.
    pub name: Name,
    /// Description; may be empty.
    pub description: Description,
    /// The branch on which it is published.
    pub branch: BranchName,
    /// The commit at which it was published.
    #[schemars(regex(pattern = "^[0-9a-f]{40}$"))]
    pub commit_hash: String,
    /// Number of its objects, including itself.
    pub object_count: u64,
    /// Time of the last publication.
    pub updated_at: Timestamp,
    /// Its reference for includes: `{projectId}/{packageId}@{commitHash}`.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// A reference to a package: `{projectId}/{packageId}`, or `{projectId}/{packageId}@{commitHash}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageRef {
    /// The publishing project.
    pub project: ProjectId,
    /// The published object.
    pub package: ObjectId,
    /// A published version; `None` for the current one.
    pub commit: Option<CommitHash>,
}

impl fmt::Display for PackageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.package)?;
        self.commit.iter().try_for_each(|commit| write!(f, "@{commit}"))
    }
}

impl FromStr for PackageRef {
    type Err = InvalidPackageRef;

    fn from_str(text: &str) -> Result<Self, InvalidPackageRef> {
        let (project, rest) = text.split_once('/').ok_or(InvalidPackageRef)?;
        let (package, commit) = match rest.split_once('@') {
            Some((package, commit)) => (package, Some(commit.parse().map_err(|_| InvalidPackageRef)?)),
            None => (rest, None),
        };
        let project = project.parse().map_err(|_| InvalidPackageRef)?;
        Ok(Self { project, package: package.parse().map_err(|_| InvalidPackageRef)?, commit })
    }
}

impl Serialize for PackageRef {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PackageRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The text is not a reference to a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `{{projectId}}/{{packageId}}`, with `@{{commitHash}}` where a commit is meant")]
pub struct InvalidPackageRef;

/// An object that includes a package, as readers of its project see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncludeRecord {
    /// The object.
    pub id: ObjectId,
    /// Name, given by the including project.
    pub name: Name,
    /// Parent in the tree.
    pub parent: ObjectId,
    /// The package and its pin.
    pub include: Include,
    /// False if the package was withdrawn or deleted, or the reader can't reach its project; which of these isn't told.
    pub available: bool,
    /// The package's current version, which may be at another commit; absent if unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Package>,
}

#[cfg(test)]
mod tests {
    use super::PackageRef;

    #[test]
    fn a_package_reference_round_trips_as_text() {
        const ID: &str = "0198c5f0-0000-7000-8000-000000000001";
        const COMMIT: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        for good in [format!("{ID}/{ID}"), format!("{ID}/{ID}@{COMMIT}")] {
            assert_eq!(good.parse::<PackageRef>().unwrap().to_string(), good);
        }
        for bad in
            ["", ID, &format!("{ID}/"), &format!("{ID}/{ID}@"), &format!("{ID}/{ID}@main"), &format!("/{ID}")]
        {
            assert!(bad.parse::<PackageRef>().is_err(), "{bad}");
        }
    }
}
