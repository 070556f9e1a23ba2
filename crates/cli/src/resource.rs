//! Names of resources on the command line: `gearbox`, `ada/gearbox`, an id, a unique beginning of either; with a branch,
//! `gearbox--feature`; with a path in the tree, `gearbox:/Model/Shaft`, or an object's id, `gearbox:/0198c5f0-…`.

use std::collections::HashMap;
use std::str::FromStr;

use api::content::branches::{BranchPath, GetBranch};
use api::content::commits::{CommitPath, GetCommit};
use api::content::objects::{GetObject, ListObjects, ListObjectsQuery, ObjectPath};
use api::content::projects::{GetProject, GetTreeQuery, ListProjects, ListProjectsQuery};
use client::{Client, RequestError};
use domain::Code;
use domain::content::compare::Point;
use domain::content::object::{Object, TreeNode};
use domain::content::project::{BranchName, ProjectRecord, ProjectRef};
use domain::id::{ObjectId, ProjectId};
use domain::text::{Name, Slug};
use futures_util::TryStreamExt;

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, several};
use crate::shell::quoted;

/// The way to the projects there are.
const LIST: &str = "See what there is: atelier projects";
/// Objects at one path that are read; a refusal lists fewer.
const CANDIDATES: u32 = 10;

/// A project as it was typed, with a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProjectArgument {
    owner: Option<String>,
    project: String,
    branch: Option<BranchName>,
}

/// A place in a project's tree as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlaceArgument {
    /// The project.
    pub(crate) project: ProjectArgument,
    /// The names from the root to the object; empty for the root.
    pub(crate) path: Vec<Name>,
    /// True if a path was typed, also that of the root: `gearbox:/`.
    pub(crate) has_path: bool,
}

/// A project that was found, at a branch.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    /// The project.
    pub(crate) record: ProjectRecord,
    /// The branch.
    pub(crate) branch: BranchName,
}

impl FromStr for ProjectArgument {
    type Err = String;

    fn from_str(text: &str) -> CommandResult<Self, String> {
        let (name, branch) = match text.split_once("--") {
            Some((name, branch)) => {
                (name, Some(branch.parse().map_err(|_| format!("\"{branch}\" is not a branch"))?))
            }
            None => (text, None),
        };
        let (owner, project) = match name.split_once('/') {
            Some((owner, project)) => (Some(owner.to_owned()), project),
            None => (None, name),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['/', ':']);
        if !is_name(project) || !owner.as_deref().is_none_or(is_name) {
            return Err("expected a project: gearbox, ada/gearbox, or an id".to_owned());
        }
        Ok(Self { owner, project: project.to_owned(), branch })
    }
}

impl FromStr for PlaceArgument {
    type Err = String;

    fn from_str(text: &str) -> CommandResult<Self, String> {
        let (project, path, has_path) = match text.split_once(':') {
            Some((project, path)) => (project, path, true),
            None => (text, "", false),
        };
        let names = path.split('/').filter(|name| !name.is_empty());
        let path = names
            .map(|name| Name::sanitize(name).ok_or_else(|| format!("\"{name}\" is not a name of an object")))
            .collect::<CommandResult<_, _>>()?;
        Ok(Self { project: project.parse()?, path, has_path })
    }
}

impl ProjectArgument {
    /// The project that is meant.
    pub(crate) async fn find(&self, client: &Client, beginning: Beginning) -> CommandResult<Project> {
        let record = match self.project.parse::<ProjectId>() {
            Ok(project) => {
                match client.call(GetProject, ProjectRef { project, branch: None }.clone()).await {
                    Ok(read) => read.project,
                    Err(error) => {
                        let is_absent = error.is_not_found();
                        let failure = CommandFailure::from(error);
                        return Err(if is_absent { failure.next(LIST) } else { failure });
                    }
                }
            }
            Err(_) => self.find_by_name(client, beginning).await?,
        };
        let branch = self.branch.clone().unwrap_or_else(|| record.default_branch.clone());
        let project = Project { record, branch };
        if project.branch != project.record.default_branch {
            // Every later answer of an absent branch would look like that of an absent project.
            if let Err(error) = client
                .call(
                    GetBranch,
                    BranchPath { project_id: project.record.id.into(), branch: project.branch.clone() },
                )
                .await
            {
                let branch = Point::Branch(project.branch.clone());
                return Err(project.unless_missing(client, error, &[branch]).await);
            }
        }
        Ok(project)
    }

    fn is_of_owner(&self, record: &ProjectRecord) -> bool {
        self.owner.as_ref().is_none_or(|owner| record.owner_slug.as_str() == owner)
    }

    async fn find_by_name(&self, client: &Client, beginning: Beginning) -> CommandResult<ProjectRecord> {
        let mut similar = Vec::new();
        let mut exact = Vec::new();
        if let Ok(slug) = Slug::parse("project", &self.project) {
            // One request, however many projects there are. A beginning of a name makes this program read all of them.
            let query = ListProjectsQuery { slug: Some(slug.to_string()), ..ListProjectsQuery::default() };
            let named: Vec<ProjectRecord> =
                client.call(ListProjects, ()).query(&query).rows().try_collect().await?;
            exact.extend(named.into_iter().filter(|record| self.is_of_owner(record)));
            if let [record] = exact.as_slice() {
                return Ok(record.clone());
            }
            exact.clear();
        }
        let mut named = Vec::new();
        let lower = self.project.to_lowercase();
        let mut is_path = false;
        let mut rows = client.call(ListProjects, ()).rows();
        while let Some(record) = rows.try_next().await? {
            is_path |= self.owner.as_deref() == Some(record.project_slug.as_str());
            if !self.is_of_owner(&record) {
                continue;
            }
            if record.project_slug.as_str() == self.project {
                exact.push(record);
            } else if record.name.as_str().to_lowercase() == lower {
                named.push(record);
            } else if record.project_slug.as_str().starts_with(&self.project)
                || record.id.to_string().starts_with(&self.project)
            {
                similar.push(record);
            }
        }
        let is_whole = !exact.is_empty() || !named.is_empty();
        let slug = |record: &ProjectRecord| format!("{}/{}", record.owner_slug, record.project_slug);
        let mut found = [exact, named, similar].into_iter().find(|rows| !rows.is_empty()).unwrap_or_default();
        match (found.pop(), found.as_slice()) {
            (Some(record), []) => {
                if !is_whole {
                    beginning.confirm("project", &self.project, &slug(&record))?;
                }
                Ok(record)
            }
            (None, _) => {
                let failure = CommandFailure::new(Exit::NotFound, format!("no project \"{}\"", self.project));
                Err(failure.next(match self.owner.as_deref().filter(|_| is_path) {
                    Some(project) => {
                        let place = format!("{project}:/{}", self.project);
                        format!("A path in a project follows a colon: {}", quoted(&place))
                    }
                    None => LIST.to_owned(),
                }))
            }
            (Some(last), others) => {
                let mut slugs: Vec<String> = others.iter().chain([&last]).map(slug).collect();
                slugs.sort();
                let message = format!("\"{}\" may be any of {}", self.project, slugs.join(", "));
                let is_one_slug = others.iter().all(|record| record.project_slug == last.project_slug);
                let next = if is_one_slug { "Name its owner, too" } else { "Name more of it, or its id" };
                Err(CommandFailure::usage(message).next(next))
            }
        }
    }
}

/// The caller's projects by id, as the command line names them.
pub(crate) async fn project_slugs(client: &Client) -> CommandResult<HashMap<ProjectId, String>> {
    let mut slugs = HashMap::new();
    let mut projects = client.call(ListProjects, ()).rows();
    while let Some(project) = projects.try_next().await? {
        slugs.insert(project.id, format!("{}/{}", project.owner_slug, project.project_slug));
    }
    Ok(slugs)
}

impl Project {
    /// The project at its branch, as a suggested command names it.
    pub(crate) fn argument(&self) -> String {
        quoted(&self.to_string()).into_owned()
    }

    /// The object at a path of the project, as a suggested command names it.
    pub(crate) fn place(&self, path: &str) -> String {
        quoted(&format!("{self}:/{path}")).into_owned()
    }

    /// The project at its branch, as paths of requests name it.
    pub(crate) fn reference(&self) -> ProjectRef {
        ProjectRef { project: self.record.id, branch: Some(self.branch.clone()) }
    }

    /// The failure of a request that names branches and commits: the first that is missing, if that is the reason.
    pub(crate) async fn unless_missing(
        &self,
        client: &Client,
        error: RequestError,
        points: &[Point],
    ) -> CommandFailure {
        let may_be_missing = error.is_not_found() || error.code() == Some(Code::InvalidRequest);
        for point in points.iter().filter(|_| may_be_missing) {
            let (kind, found) = match point {
                Point::Branch(branch) => (
                    "branch",
                    client
                        .call(
                            GetBranch,
                            BranchPath { project_id: self.record.id.into(), branch: branch.clone() },
                        )
                        .await
                        .err(),
                ),
                Point::Commit(commit) => (
                    "commit",
                    client
                        .call(GetCommit, CommitPath { project_id: self.record.id.into(), hash: *commit })
                        .await
                        .err(),
                ),
            };
            if found.is_some_and(|error| error.is_not_found()) {
                let slug = &self.record.project_slug;
                return CommandFailure::new(Exit::NotFound, format!("{slug} has no {kind} \"{point}\""))
                    .next(format!("See what there is: atelier branches list {slug}"));
            }
        }
        error.into()
    }

    /// The object at a path, and the number of names that were found: fewer than there are if there is no such object.
    pub(crate) async fn descend(&self, client: &Client, path: &[Name]) -> CommandResult<(ObjectId, usize)> {
        let root = ObjectId::from(self.record.id);
        if path.is_empty() {
            return Ok((root, 0));
        }
        let query = GetTreeQuery { root: None, depth: Some(path.len()), object_type: None, q: None };
        let mut nodes = client.tree_nodes(&self.reference(), &query);
        let mut levels = HashMap::from([(root, 0_usize)]);
        let mut deepest = (root, 0);
        while let Some(TreeNode { id, name, parent, .. }) = nodes.try_next().await? {
            let Some(level) = levels.get(&parent).copied() else { continue };
            if path.get(level) != Some(&name) {
                continue;
            }
            levels.insert(id, level + 1);
            if level + 1 > deepest.1 {
                deepest = (id, level + 1);
            }
        }
        Ok(deepest)
    }

    /// The only object at a path, if any. A path that ends with an object's id names that object.
    pub(crate) async fn find(&self, client: &Client, path: &[Name]) -> CommandResult<Option<Object>> {
        let Some(last) = path.last() else { return Ok(None) };
        // The service finds it in its own tree; of a large one only these objects are sent.
        let text = path.iter().map(Name::as_str).collect::<Vec<_>>().join("/");
        let query = ListObjectsQuery {
            path: Some(text.clone()),
            limit: Some(CANDIDATES.into()),
            ..ListObjectsQuery::default()
        };
        let mut found = client.call(ListObjects, self.reference()).query(&query).await?.objects;
        if found.len() > 1 {
            let key = |object: &Object| (object.id.to_string(), object.name.to_string());
            return Err(several(&format!("/{text}"), found.iter().map(key)).next(format!(
                "Name its id: {}",
                self.place(&found.first().map_or_else(String::new, |object| object.id.to_string()))
            )));
        }
        if let Some(object) = found.pop() {
            return Ok(Some(object));
        }
        let Ok(id) = last.as_str().parse() else { return Ok(None) };
        match client.call(GetObject, ObjectPath { project_id: self.reference(), object_id: id }).await {
            Ok(answer) => Ok(Some(answer.object)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The object at a path.
    pub(crate) async fn object(&self, client: &Client, path: &[Name]) -> CommandResult<ObjectId> {
        if let Some(object) = self.find(client, path).await? {
            return Ok(object.id);
        }
        let (object, found) = self.descend(client, path).await?;
        match path.get(found) {
            None => Ok(object),
            Some(missing) => {
                Err(CommandFailure::new(Exit::NotFound, format!("no object \"{missing}\" in {self}"))
                    .next(format!("See what there is: atelier tree {}", self.argument())))
            }
        }
    }
}

impl std::fmt::Display for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.record.project_slug)?;
        if self.branch == self.record.default_branch { Ok(()) } else { write!(f, "--{}", self.branch) }
    }
}

#[cfg(test)]
mod tests {
    use super::{PlaceArgument, ProjectArgument};

    #[test]
    fn projects_are_named_with_owner_and_branch() {
        let read: ProjectArgument = "ada/gearbox--feature/teeth".parse().unwrap();
        assert_eq!((read.owner.as_deref(), read.project.as_str()), (Some("ada"), "gearbox"));
        assert_eq!(read.branch.unwrap().as_str(), "feature/teeth");
        for bad in ["", "/gearbox", "ada/", "a/b/c", "a--", "a--..", "a:b"] {
            assert!(bad.parse::<ProjectArgument>().is_err(), "{bad}");
        }
    }

    #[test]
    fn places_are_paths_below_a_project() {
        let path = |text: &str| {
            let read: PlaceArgument = text.parse().unwrap();
            read.path.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(path("gearbox:/Model/Shaft"), ["Model", "Shaft"]);
        assert_eq!(path("gearbox:Model//Shaft/"), ["Model", "Shaft"]);
        assert!(path("gearbox").is_empty() && path("gearbox:/").is_empty());
        let has_path = |text: &str| text.parse::<PlaceArgument>().unwrap().has_path;
        assert_eq!(["gearbox", "gearbox:/"].map(has_path), [false, true]);
        assert!("gearbox:/\u{200b}".parse::<PlaceArgument>().is_err());
    }
}
