//! Imports of cards: a form with an export.

use api::operation::{Operation, Plane};
use api::people::organizations::OrganizationPath;
use api::planning::imports::{CreateImport, ImportResponse};
use bytes::Bytes;
use domain::id::{OrganizationId, ProjectId};
use domain::planning::import::{ImportRecord, ImportTool};
use futures_util::FutureExt;
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use uuid::Uuid;

use crate::address::joined;
use crate::connection::{Client, failure};
use crate::error::RequestResult;
use crate::retry::Repeat;

/// An export to import.
#[derive(Clone, Debug)]
pub struct Export {
    /// The tool that wrote it.
    pub tool: ImportTool,
    /// The project that gets the cards.
    pub project: ProjectId,
    /// The name of its file.
    pub name: String,
    /// Its bytes.
    pub bytes: Bytes,
    /// Time zone of the person who exported; UTC by default.
    pub zone: Option<String>,
    /// The meanings of a table's columns, as JSON.
    pub columns: Option<String>,
    /// Custom fields for columns or fields of the file, as JSON.
    pub fields: Option<String>,
    /// True for a trial.
    pub is_dry_run: bool,
}

impl Client {
    /// Begins an import into a project of an organization. A repeat after a lost answer begins no second one.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn import(&self, organization: OrganizationId, export: &Export) -> RequestResult<ImportRecord> {
        let path = CreateImport::DECLARATION.path_with(&OrganizationPath { org_id: organization });
        let url = joined(self.url(), &path)?;
        let key = Uuid::new_v4().to_string();
        let build = || {
            let request = self.authorized(Method::POST, url.clone()).multipart(form(export));
            let size_bytes = u64::try_from(export.bytes.len()).unwrap_or(u64::MAX);
            let request = request.header("idempotency-key", &key).timeout(self.time_for(size_bytes));
            std::future::ready(Ok(request)).boxed()
        };
        let response = self.send(Plane::Control, Repeat::Safe, build).await?;
        let body = response.bytes().await.map_err(|error| failure(self.url(), &error))?;
        let answer: ImportResponse =
            serde_json::from_slice(&body).map_err(|error| self.unexpected(&error))?;
        Ok(answer.import)
    }
}

fn form(export: &Export) -> Form {
    let file = Part::stream(export.bytes.clone()).file_name(export.name.clone());
    let mut form = Form::new()
        .text("tool", export.tool.as_str())
        .text("projectId", export.project.to_string())
        .text("dryRun", export.is_dry_run.to_string());
    let others = [("zone", &export.zone), ("columns", &export.columns), ("fields", &export.fields)];
    for (name, value) in others {
        if let Some(value) = value {
            form = form.text(name, value.clone());
        }
    }
    form.part("file", file)
}
