//! Public packages: what a project offers others to include.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{ObjectId, ProjectId};
use crate::object::CommitHash;
use crate::project::BranchName;
use crate::text::{Description, Name};
use crate::time::Timestamp;

/// A package that a project has published (contract, section 7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Package {
    /// The object that was published.
    pub id: ObjectId,
    /// Its name.
    pub name: Name,
    /// Its description; empty where none was given.
    pub description: Description,
    /// The branch on which it is published.
    pub branch: BranchName,
    /// The commit at which it was published.
    #[schemars(regex(pattern = "^[0-9a-f]{40}$"))]
    pub commit_hash: String,
    /// Number of its objects, itself included.
    pub object_count: u64,
    /// When it was last published.
    pub updated_at: Timestamp,
    /// What another project includes it by.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// How a request names a package: `{projectId}/{packageId}`, or `{projectId}/{packageId}@{commitHash}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackageRef {
    /// The project that published it.
    pub project: ProjectId,
    /// The object that was published.
    pub package: ObjectId,
    /// A commit at which it was published; as it is now where none is named.
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

impl<'de> Deserialize<'de> for PackageRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A text that names no package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be `{{projectId}}/{{packageId}}`, with `@{{commitHash}}` where a commit is meant")]
pub struct InvalidPackageRef;

/// A package of another project as an object includes it: by reference, pinned to a commit that was published. It
/// says nothing of the package that a reader who can't reach its project may not know.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Include {
    /// The project that published it.
    pub project_id: ProjectId,
    /// The object that was published.
    pub package_id: ObjectId,
    /// The commit that it is pinned to.
    pub commit_hash: CommitHash,
}

/// An object that includes a package, as a reader of its project sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IncludeRecord {
    /// The object.
    pub id: ObjectId,
    /// Its name, which is the including project's own.
    pub name: Name,
    /// The object that it hangs under.
    pub parent: ObjectId,
    /// The package and its pin.
    pub include: Include,
    /// Whether the reader reaches the package: not where it was withdrawn or deleted, and not where the reader does
    /// not reach its project. Which of these it is, nobody is told.
    pub available: bool,
    /// The package as it is published now, which may be at another commit; absent where it is not available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Package>,
}

#[cfg(test)]
mod tests {
    use super::PackageRef;

    #[test]
    fn a_reference_reads_what_it_writes() {
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
