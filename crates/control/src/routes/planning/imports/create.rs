//! Import an export of another tool.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::Read;

use api::planning::imports::{CreateImport, ImportResponse};
use auth::actor::CardWrite;
use domain::content::project::ProjectRef;
use domain::planning::custom_field::{CustomField, FieldStatus};
use domain::planning::import::{IMPORT_MAX_ISSUES, ImportTool};
use domain::{Error, Result, Rule};
use exchange::plan::Plan;
use exchange::plan::own_fields::FieldColumns;
use exchange::settings::ReadOptions;
use exchange::table::Mapping;
use store::planning::custom_fields;
use store::planning::imports::{self, NewImport};
use store::{Project, Tx};
use tokio::sync::Semaphore;
use wire::{Created, FormBody, Reply, Request, aside};

use crate::app::App;
use crate::routes::planning::imports::form::ImportForm;

/// A turn to read a file: a large one takes some hundred megabytes of memory.
static READING: Semaphore = Semaphore::const_new(1);

/// Reads the file and begins the import.
pub async fn handle(
    app: App,
    request: Request<CardWrite, CreateImport, FormBody<ImportForm>>,
) -> Result<Created<ImportResponse>> {
    let call = &request.call;
    let form = &request.body.fields;
    let project = ProjectRef { project: form.project_id.0, branch: None };
    // Who may not import has no file read.
    app.store.find(call, &project).await?;
    let (tool, is_dry_run) = (form.tool.0, form.dry_run.as_ref().is_some_and(|dry_run| dry_run.0));
    let mapping = form.mapping()?;
    let fields = form.field_columns()?;
    let fields = match fields.is_empty() {
        true => FieldColumns::default(),
        false => {
            let list =
                async |tx: &mut Tx, project: &Project<CardWrite>| custom_fields::list(tx, project).await;
            field_columns(fields, &app.store.read(call, &project, list).await?)?
        }
    };
    let zone = form.zone.as_ref().map(|zone| zone.0.clone()).unwrap_or_default();
    let options = ReadOptions { zone, issues_max: IMPORT_MAX_ISSUES };
    let file = form.file.file.reopen().map_err(Error::internal)?;
    // Until the steps are in the database: a plan takes as much memory as its file.
    let _turn = READING.acquire().await.map_err(Error::internal)?;
    let plan = aside::run(move || plan(tool, file, (&mapping, &fields), &options)).await??;
    let organization = request.path.org_id;
    let Plan { items, notes, comments } = plan;
    let new = NewImport { organization, tool, is_dry_run, items, notes, comments };
    let created = app
        .store
        .create(call, &project, async |tx, project| imports::begin(tx, project, call, &new).await)
        .await?;
    app.imports.notify_one();
    Ok(Reply::created(created.map(|import| ImportResponse { import })))
}

/// The steps that a file asks for.
fn plan(
    tool: ImportTool,
    mut file: File,
    (mapping, fields): (&Mapping, &FieldColumns),
    options: &ReadOptions,
) -> Result<Plan> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(Error::internal)?;
    exchange::plan(tool, &bytes, mapping, fields, options).map_err(|error| {
        let message = format!("can't be read: {error}");
        Error::invalid("file", Rule::Format(tool.as_str().to_owned()), message)
    })
}

/// Columns with their custom fields, which requests name by id or name.
fn field_columns(columns: BTreeMap<String, String>, fields: &[CustomField]) -> Result<FieldColumns> {
    let mut named = HashSet::new();
    let columns = columns.into_iter().map(|(column, name)| {
        let refused = |rule| Error::broken(format!("fields.{}", column.replace('\0', "")), rule);
        let called = CustomField::called(fields, &name);
        let mut called = called.into_iter().filter(|field| field.applies_to.has_cards());
        let field = called.next().ok_or_else(|| refused(Rule::Exists))?;
        if field.status != FieldStatus::Active {
            return Err(refused(Rule::State));
        }
        if !named.insert(field.id) {
            return Err(refused(Rule::Duplicate));
        }
        Ok((column, field.clone()))
    });
    Error::all(columns).map(FieldColumns::new)
}
