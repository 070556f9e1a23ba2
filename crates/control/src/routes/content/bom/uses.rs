//! List where a part, an assembly or a package is used: project by project, in the order of the caller's list.

use api::content::bom::{ListObjectUses, ListUses, ListUsesResponse, UsingProject};
use auth::actor::ProjectRead;
use domain::content::project::{ProjectOrder, ProjectPosition, ProjectRecord, ProjectRef};
use domain::content::uses::{UseTarget, uses};
use domain::error::Location;
use domain::id::ProjectId;
use domain::page::PageMeta;
use domain::{Code, Error, Result, Rule};
use serde::{Deserialize, Serialize};
use store::content::projects::{self, ProjectFilter};
use store::content::uses::{self as search, SearchableProject};
use store::{Call, Me};
use wire::{Reply, Request, aside};

use crate::app::App;
use crate::routes::page::PageRequest;

/// Objects after which a page ends, so that it is answered in seconds.
const PAGE_OBJECTS: usize = 300_000;
/// Longest text of a part, in characters.
const PART_MAX_CHARS: usize = 200;

/// The position of a page: after the path's own project, and after this one in the list.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct UsesPosition {
    after: Option<ProjectPosition>,
}

/// Lists the uses of what an object stands for.
pub async fn of_object(
    app: App,
    request: Request<ProjectRead, ListObjectUses>,
) -> Result<Reply<ListUsesResponse>> {
    let Request { call, path, query, .. } = request;
    let (by, at) = (query.by.unwrap_or_default(), &path.project_id);
    let list = ("objectUses", at, path.object_id, by);
    let page: PageRequest<_, UsesPosition> =
        PageRequest::open(&app.cursors, list, query.limit, query.cursor)?;
    let target = app
        .store
        .read(&call, at, async |tx, project| search::target(tx, project, path.object_id, by).await)
        .await?;
    let mut found = Found::default();
    let Some(target) = target else { return Ok(Reply::ok(found.answer(page.meta(None)?))) };
    if page.from.is_none() {
        Box::pin(found.search(&app, &call, at, &target)).await?;
    }
    // A session's agent keeps to its project.
    let next = match call.actor.acting_in {
        Some(_) => None,
        None => {
            Box::pin(found.search_list(&app, &call, (&target, Some(at), page.size()?), page.from)).await?
        }
    };
    Ok(Reply::ok(found.answer(page.meta(next.as_ref())?)))
}

/// Lists the uses of a part by a text.
pub async fn of_part(app: App, request: Request<ProjectRead, ListUses>) -> Result<Reply<ListUsesResponse>> {
    let Request { call, query, .. } = request;
    if query.part.is_empty() {
        return Err(Error::broken("part", Rule::MinLength(1)).at(Location::Query));
    }
    if query.part.chars().nth(PART_MAX_CHARS).is_some() {
        return Err(Error::broken("part", Rule::MaxLength(PART_MAX_CHARS)).at(Location::Query));
    }
    let list = ("uses", &query.part);
    let page: PageRequest<_, UsesPosition> =
        PageRequest::open(&app.cursors, list, query.limit, query.cursor)?;
    let (mut found, target) = (Found::default(), UseTarget::called(&query.part));
    let next = Box::pin(found.search_list(&app, &call, (&target, None, page.size()?), page.from)).await?;
    Ok(Reply::ok(found.answer(page.meta(next.as_ref())?)))
}

/// The result of a page.
#[derive(Default)]
struct Found {
    projects: Vec<UsingProject>,
    searched_count: usize,
    not_searched: Vec<ProjectId>,
    /// Objects of the searched trees.
    objects: usize,
}

impl Found {
    /// Searches the projects of the caller's list after a position, `most` of them; returns the position after the last
    /// one, if there are more. `own` was searched before.
    async fn search_list(
        &mut self,
        app: &App,
        call: &Call<ProjectRead>,
        (target, own, most): (&UseTarget, Option<&ProjectRef>, usize),
        from: Option<UsesPosition>,
    ) -> Result<Option<UsesPosition>> {
        let rows = u32::try_from(most).map_err(Error::internal)? + 1;
        let filter = ProjectFilter {
            owner: None,
            slug: None,
            q: None,
            order: ProjectOrder::Newest,
            after: from.and_then(|from| from.after),
            rows,
        };
        let listed = app.store.read(call, &Me, async |tx, me| projects::list(tx, me, &filter).await).await?;
        for (number, record) in listed.iter().enumerate() {
            if number >= most || self.objects >= PAGE_OBJECTS {
                let last = number.checked_sub(1).and_then(|last| listed.get(last));
                let after = last.map(ProjectRecord::position).or(filter.after);
                return Ok(Some(UsesPosition { after }));
            }
            if own.is_some_and(|own| own.project == record.id) {
                continue;
            }
            let at = ProjectRef { project: record.id, branch: None };
            // Boxed, as below: the futures of a search, one in the other, would not fit the stack of a debug build.
            match Box::pin(self.search(app, call, &at, target)).await {
                // Deleted or taken away since it was listed.
                Err(error) if error.code == Code::NotFound => {}
                searched => searched?,
            }
        }
        Ok(None)
    }

    /// Searches a project.
    async fn search(
        &mut self,
        app: &App,
        call: &Call<ProjectRead>,
        at: &ProjectRef,
        target: &UseTarget,
    ) -> Result<()> {
        let read = app
            .store
            .read(call, at, async |tx, project| {
                let tree = search::of_project(tx, project, target).await?;
                Ok((tree, project.record.name.clone(), project.branch.name.clone()))
            })
            .await;
        let (tree, name, branch) = match read {
            Err(error) if error.code == Code::BranchConflict => {
                self.not_searched.push(at.project);
                return Ok(());
            }
            read => read?,
        };
        let source = match tree {
            SearchableProject::TooLarge => {
                self.not_searched.push(at.project);
                return Ok(());
            }
            SearchableProject::WithoutUses => {
                self.searched_count += 1;
                return Ok(());
            }
            SearchableProject::Tree(source) => source,
        };
        self.searched_count += 1;
        self.objects += source.nodes().len();
        let target = target.clone();
        let (uses, has_more_uses) = aside::run(move || uses(&source, &target)).await?;
        if !uses.is_empty() {
            self.projects.push(UsingProject { project_id: at.project, name, branch, uses, has_more_uses });
        }
        Ok(())
    }

    fn answer(self, meta: PageMeta) -> ListUsesResponse {
        let Self { projects, searched_count, not_searched, .. } = self;
        ListUsesResponse { projects, searched_count, not_searched, meta }
    }
}
