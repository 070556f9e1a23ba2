//! Projects as Git repositories for Git clients: clone, fetch, and files by Git LFS. Read-only: a push is refused,
//! and the other operations change content.

pub mod lfs_batch;
pub mod protocol;
pub mod references;
pub mod upload_pack;

use std::str::FromStr;

use auth::actor::ProjectRead;
use domain::project::{ProjectName, ProjectRecord, ProjectRef};
use domain::{Code, Error, Result};
use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::Error as _;
use store::Call;
use wire::{Endpoint, Header, Protocol, Resource, get, post};

use crate::app::App;
use crate::credentials::grants::SEGMENT;
use crate::routes::git::protocol::GIT;

/// The header with the version of Git's protocol.
const GIT_PROTOCOL: Header = ("Git-Protocol", "The version of Git's protocol: `version=2`, or an older one.");

/// The endpoints of repositories: each by the project's id, and by its name.
pub fn endpoints() -> Vec<Endpoint<App>> {
    let by_id = Resource::at("/git/{projectId}").with([
        get("/info/refs", "getGitReferences", "Begin a clone, a fetch or a push", references::handle::<ById>)
            .speaks(&GIT)
            .reads(&[GIT_PROTOCOL])
            .not_a_tool("only for Git clients"),
        post("/git-upload-pack", "fetchGit", "Clone or fetch", upload_pack::handle::<ById>)
            .speaks(&GIT)
            .reads(&[GIT_PROTOCOL])
            .only_reads()
            .not_a_tool("only for Git clients"),
        post("/info/lfs/objects/batch", "batchLfs", "Find the files of a clone", lfs_batch::handle::<ById>)
            .speaks(&GIT)
            .shows_secret()
            .only_reads()
            .not_a_tool("only for Git clients"),
    ]);
    let by_name = Resource::at("/git/{ownerSlug}/{projectSlug}").with([
        get(
            "/info/refs",
            "getGitReferencesByName",
            "Begin a clone, a fetch or a push, by the project's name",
            references::handle::<ByName>,
        )
        .speaks(&GIT)
        .reads(&[GIT_PROTOCOL])
        .not_a_tool("only for Git clients"),
        post(
            "/git-upload-pack",
            "fetchGitByName",
            "Clone or fetch by the project's name",
            upload_pack::handle::<ByName>,
        )
        .speaks(&GIT)
        .reads(&[GIT_PROTOCOL])
        .only_reads()
        .not_a_tool("only for Git clients"),
        post(
            "/info/lfs/objects/batch",
            "batchLfsByName",
            "Find the files of a clone by the project's name",
            lfs_batch::handle::<ByName>,
        )
        .speaks(&GIT)
        .shows_secret()
        .only_reads()
        .not_a_tool("only for Git clients"),
    ]);
    by_id.into_iter().chain(by_name).collect()
}

/// The beginning of all addresses of repositories.
pub const ADDRESS: &str = "/git/";
/// The clients of unknown paths of repositories, for example of the locks of Git LFS: they show a message at the top.
pub static UNKNOWN: [(&str, &Protocol); 1] = [(ADDRESS, &GIT)];
/// Optional suffix of a repository's URL.
pub const SUFFIX: &str = ".git";
/// The message that refuses a push.
const READ_ONLY: &str = "this repository is read-only: change the project through its API";

/// The path of an operation on a repository.
pub trait RepositoryPath {
    /// The project that the path names.
    ///
    /// # Errors
    /// `NOT_FOUND` if it is absent or hidden.
    fn project(&self, app: &App, call: &Call<ProjectRead>) -> impl Future<Output = Result<ProjectRef>>;

    /// The repository's present address, if the path has one from which the project moved away.
    fn moved_to(&self, project: &ProjectRecord) -> Option<String>;
}

/// A repository by its project's id.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RepositoryById")]
pub struct ById {
    /// The project, or `{projectId}--{branchName}` to clone at that branch; optionally followed by `.git`.
    #[serde(deserialize_with = "repository")]
    #[schemars(with = "String")]
    project_id: ProjectRef,
}

/// A repository by its project's name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "RepositoryByName")]
pub struct ByName {
    /// The `ownerSlug` of the project.
    owner_slug: String,
    /// The `projectSlug`, or `{projectSlug}--{branchName}` to clone at that branch; optionally followed by `.git`.
    project_slug: String,
}

impl RepositoryPath for ById {
    async fn project(&self, _: &App, _: &Call<ProjectRead>) -> Result<ProjectRef> {
        Ok(self.project_id.clone())
    }

    fn moved_to(&self, _: &ProjectRecord) -> Option<String> {
        None
    }
}

impl RepositoryPath for ByName {
    async fn project(&self, app: &App, call: &Call<ProjectRead>) -> Result<ProjectRef> {
        let project = self.project_slug.strip_suffix(SUFFIX).unwrap_or(&self.project_slug);
        let named = ProjectName::parse(&self.owner_slug, project).ok_or_else(Error::not_found)?;
        match app.store.read(call, &named, async |_, project| Ok(project.record.id)).await {
            Ok(id) => Ok(ProjectRef { project: id, branch: named.branch }),
            Err(error) if error.code == Code::NotFound => app.store.find_moved(call, &named).await,
            Err(error) => Err(error),
        }
    }

    fn moved_to(&self, project: &ProjectRecord) -> Option<String> {
        let named = self.project_slug.strip_suffix(SUFFIX).unwrap_or(&self.project_slug);
        let (slug, branch) = named.split_once("--").unwrap_or((named, ""));
        let ProjectRecord { owner_slug, project_slug, .. } = project;
        let has_moved = self.owner_slug != owner_slug.as_str() || slug != project_slug.as_str();
        has_moved.then(|| match branch {
            "" => format!("/git/{owner_slug}/{project_slug}{SUFFIX}"),
            branch => {
                let branch = utf8_percent_encode(branch, SEGMENT);
                format!("/git/{owner_slug}/{project_slug}--{branch}{SUFFIX}")
            }
        })
    }
}

fn repository<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ProjectRef, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    let name = text.strip_suffix(SUFFIX).unwrap_or(&text);
    ProjectRef::from_str(name).map_err(D::Error::custom)
}
