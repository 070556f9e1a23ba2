//! Projects as Git repositories for Git clients: clone, fetch, and files by Git LFS. Read-only: a push is refused,
//! and the other operations change content.

pub mod lfs_batch;
pub mod protocol;
pub mod references;
pub mod upload_pack;

use api::content::git::{
    ADDRESS, BatchLfs, BatchLfsByName, FetchGit, FetchGitByName, GetGitReferences, GetGitReferencesByName,
    RepositoryById, RepositoryByName, SUFFIX,
};
use api::operation::Operation;
use auth::actor::ProjectRead;
use domain::content::project::{ProjectName, ProjectRecord, ProjectRef};
use domain::{Code, Error, Result};
use store::Call;
use wire::{Endpoint, Protocol, endpoint};

use crate::app::App;
use crate::routes::content::git::protocol::GIT;

/// The endpoints of repositories: each by the project's id, and by its name.
pub fn endpoints() -> Vec<Endpoint<App>> {
    let endpoints = [
        endpoint(references::handle::<GetGitReferences>),
        endpoint(upload_pack::handle::<FetchGit>),
        endpoint(lfs_batch::handle::<BatchLfs>),
        endpoint(references::handle::<GetGitReferencesByName>),
        endpoint(upload_pack::handle::<FetchGitByName>),
        endpoint(lfs_batch::handle::<BatchLfsByName>),
    ];
    endpoints.into_iter().map(|endpoint| endpoint.speaks(&GIT)).collect()
}

/// The clients of unknown paths of repositories, for example of the locks of Git LFS: they show a message at the top.
pub static UNKNOWN: [(&str, &Protocol); 1] = [(ADDRESS, &GIT)];
/// The message that refuses a push.
const READ_ONLY: &str = "this repository is read-only: change the project through its API";

/// The path of an operation on a repository.
pub trait RepositoryPath {
    /// The project that the path names.
    ///
    /// # Errors
    /// `NOT_FOUND` if it is absent or hidden.
    fn project(&self, app: &App, call: &Call<ProjectRead>) -> impl Future<Output = Result<ProjectRef>>;

    /// The present address of the references, if the path has one from which the project moved away.
    fn moved_to(&self, project: &ProjectRecord) -> Option<String>;
}

impl RepositoryPath for RepositoryById {
    async fn project(&self, _: &App, _: &Call<ProjectRead>) -> Result<ProjectRef> {
        Ok(self.project_id.clone())
    }

    fn moved_to(&self, _: &ProjectRecord) -> Option<String> {
        None
    }
}

impl RepositoryPath for RepositoryByName {
    async fn project(&self, app: &App, call: &Call<ProjectRead>) -> Result<ProjectRef> {
        let project = self.project_slug.strip_suffix(SUFFIX).unwrap_or(&self.project_slug);
        let named = ProjectName::parse(&self.owner_slug, project).ok_or_else(Error::not_found)?;
        match app.store.find(call, &named).await {
            Ok(project) => Ok(ProjectRef { project: project.record.id, branch: named.branch }),
            Err(error) if error.code == Code::NotFound => app.store.find_moved(call, &named).await,
            Err(error) => Err(error),
        }
    }

    fn moved_to(&self, project: &ProjectRecord) -> Option<String> {
        let named = self.project_slug.strip_suffix(SUFFIX).unwrap_or(&self.project_slug);
        let (slug, branch) = named.split_once("--").unwrap_or((named, ""));
        let ProjectRecord { owner_slug, project_slug, .. } = project;
        let has_moved = self.owner_slug != owner_slug.as_str() || slug != project_slug.as_str();
        let branch = if branch.is_empty() { String::new() } else { format!("--{branch}") };
        has_moved.then(|| {
            GetGitReferencesByName::DECLARATION.path_with(&Self {
                owner_slug: owner_slug.to_string(),
                project_slug: format!("{project_slug}{branch}{SUFFIX}"),
            })
        })
    }
}
