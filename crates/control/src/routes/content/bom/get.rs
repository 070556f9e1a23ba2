//! Read a bill of materials, as JSON or as a table.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use api::content::bom::{BomFormat, GetBom, GetBomQuery, GetBomResponse};
use auth::actor::ProjectRead;
use domain::content::bom::{Bill, BomOptions, bill};
use domain::content::object::CommitHash;
use domain::content::project::ProjectRef;
use domain::error::Location;
use domain::text::Slug;
use domain::time::Timestamp;
use domain::{Error, Result, Rule};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use store::content::bom::{self, BomPlace};
use wire::{HandlerAnswer, Request, RequestHead, Schemas, aside};

use crate::app::App;

/// The media type of tables with a first row of names.
const CSV: &str = "text/csv; charset=utf-8; header=present";
/// The media type of workbooks.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A bill in the requested format.
#[derive(Debug)]
pub enum Answer {
    /// JSON, which is written beside the event loop.
    Json(Box<RawValue>),
    /// A file, and the bill for tools, which get JSON in any format.
    Table(TableFile, Box<GetBomResponse>),
}

/// A bill as a file.
#[derive(Debug)]
pub struct TableFile {
    media_type: &'static str,
    /// Its name, of characters that a header takes as they are.
    name: String,
    bytes: Vec<u8>,
}

/// Counts the components of a branch or a commit.
pub async fn handle(app: App, request: Request<ProjectRead, GetBom>) -> Result<Answer> {
    let GetBomQuery { root, branch, commit, view, by, depth, properties, format } = request.query;
    if commit.is_some() && branch.is_some() {
        return Err(Error::broken("commit", Rule::conflict("branch")).at(Location::Query));
    }
    let ProjectRef { project, branch: of_path } = request.path.project_id;
    let at = ProjectRef { project, branch: branch.or(of_path) };
    let place = BomPlace { commit, root: root.filter(|root| *root != project.into()) };
    let call = &request.call;
    let (input, (slug, branch)) = app
        .store
        .read(call, &at, async |tx, project| {
            let input = bom::read(tx, project, call, place).await?;
            Ok((input, (project.record.project_slug.clone(), project.branch.clone())))
        })
        .await?;
    let options = BomOptions {
        view: view.unwrap_or_default(),
        by: by.unwrap_or_default(),
        depth,
        columns: properties.unwrap_or_default(),
    };
    let (now, format) = (call.now, format.unwrap_or_default());
    let answer = move || {
        let Bill { rows, packages, warnings } = bill(&input, &options);
        let answer = GetBomResponse {
            project_id: project,
            branch: commit.is_none().then_some(branch.name),
            commit_hash: commit.or(branch.head).unwrap_or(CommitHash::ZERO),
            root: place.root,
            view: options.view,
            by: options.by,
            properties: options.columns.iter().map(|column| column.name().to_string()).collect(),
            rows,
            packages,
            warnings,
        };
        Answer::of(answer, format, (&slug, now))
    };
    aside::run(answer).await?
}

impl Answer {
    fn of(bill: GetBomResponse, format: BomFormat, (slug, now): (&Slug, Timestamp)) -> Result<Self> {
        let table = || tables::bom::of(&bill.rows, &bill.properties);
        let (media_type, ending, bytes) = match format {
            BomFormat::Json => return to_raw_value(&bill).map(Self::Json).map_err(Error::internal),
            BomFormat::Csv => (CSV, "csv", table().to_csv()?),
            BomFormat::Xlsx => {
                let table = table();
                if !table.fits_workbook() {
                    return Err(too_many_rows());
                }
                (XLSX, "xlsx", table.to_xlsx(now)?)
            }
        };
        let name = format!("{slug}-bom.{ending}");
        Ok(Self::Table(TableFile { media_type, name, bytes }, Box::new(bill)))
    }
}

fn too_many_rows() -> Error {
    let message = "takes fewer rows: choose `csv`, a root or a depth";
    Error::invalid("format", Rule::State, message).at(Location::Query)
}

impl HandlerAnswer for Answer {
    type Declared = GetBomResponse;

    const IS_JSON: bool = true;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        Ok(match self {
            Self::Json(json) => {
                let json = String::from(Box::<str>::from(json));
                response.insert_header((CONTENT_TYPE, "application/json")).body(json)
            }
            Self::Table(TableFile { media_type, name, bytes }, _) => response
                .insert_header((CONTENT_TYPE, media_type))
                .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
                .body(bytes),
        })
    }

    fn into_json(self) -> Result<Box<RawValue>> {
        match self {
            Self::Json(json) => Ok(json),
            Self::Table(_, bill) => to_raw_value(&bill).map_err(Error::internal),
        }
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({
            "application/json": { "schema": schemas.answer::<GetBomResponse>() },
            "text/csv": { "schema": { "type": "string" } },
            XLSX: { "schema": { "type": "string", "format": "binary" } },
        });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
