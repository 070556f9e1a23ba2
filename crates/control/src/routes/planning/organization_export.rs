//! Export an organization as NDJSON: the exports of its projects, one after the other.

use api::planning::imports::ExportOrganization;
use auth::actor::CardRead;
use bytes::Bytes;
use domain::Result;
use domain::content::project::ProjectRef;
use domain::id::ProjectId;
use domain::planning::organization_export::{
    ORGANIZATION_EXPORT_FORMAT, ORGANIZATION_EXPORT_VERSION, OrganizationExportEnd, OrganizationExportHead,
    OrganizationExportLine,
};
use futures_util::StreamExt;
use futures_util::stream;
use store::planning::organization_export;
use store::{Call, OrganizationExport, OrganizationExportRef, Tx};
use wire::{Endpoint, Request, endpoint};

use crate::app::App;
use crate::routes::planning::project_export::lines::{CountedLines, NdjsonFile, PendingLines, written};

/// The projects that are still to be read.
struct PendingProjects {
    app: App,
    call: Call<CardRead>,
    at: OrganizationExportRef,
    /// The project that is being read.
    current: Option<PendingLines>,
    /// The last project.
    last: Option<ProjectId>,
    projects: u64,
    counted: CountedLines,
}

/// The endpoint of exports of organizations.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(handle)]
}

/// Streams the lines. The caller's role is asked again before each project.
pub async fn handle(app: App, request: Request<CardRead, ExportOrganization>) -> Result<NdjsonFile> {
    let (call, at) = (request.call, OrganizationExportRef(request.path.org_id));
    let organization = app.store.find(&call, &at).await?.organization;
    let name = organization.slug.clone();
    let head = OrganizationExportLine::Organization(OrganizationExportHead {
        format: ORGANIZATION_EXPORT_FORMAT.to_owned(),
        version: ORGANIZATION_EXPORT_VERSION,
        organization,
    });
    let head = written(&[head])?;
    let mut counted = CountedLines::default();
    counted.add(&head, 1)?;
    let rest = PendingProjects { app, call, at, current: None, last: None, projects: 0, counted };
    let pages = stream::try_unfold(Some(rest), async |rest| match rest {
        Some(rest) => rest.next().await.map(Some),
        None => Ok(None),
    });
    let begin = stream::iter([Ok(Bytes::from(head))]);
    Ok(NdjsonFile { name, stream: begin.chain(pages).boxed_local() })
}

impl PendingProjects {
    /// The next lines, and what follows them.
    async fn next(mut self) -> Result<(Bytes, Option<Self>)> {
        let current = match self.current.take() {
            Some(current) => current,
            None => match self.next_project().await? {
                Some(project) => {
                    let at = ProjectRef { project, branch: None };
                    self.projects = self.projects.saturating_add(1);
                    self.last = Some(project);
                    PendingLines::begin(self.app.clone(), self.call.also()?, at).await?
                }
                None => return Ok((self.end()?, None)),
            },
        };
        let (bytes, rest) = current.next().await?;
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        self.counted.add(&bytes, lines)?;
        self.current = rest;
        Ok((bytes, Some(self)))
    }

    async fn next_project(&self) -> Result<Option<ProjectId>> {
        let next = async |tx: &mut Tx, export: &OrganizationExport| {
            organization_export::next_project(tx, export, &self.call, self.last).await
        };
        self.app.store.read(&self.call, &self.at, next).await
    }

    /// The last line.
    fn end(self) -> Result<Bytes> {
        let (lines, sha256) = self.counted.end();
        let end = OrganizationExportEnd { projects: self.projects, lines, sha256 };
        Ok(written(&[OrganizationExportLine::OrganizationEnd(end)])?.into())
    }
}
