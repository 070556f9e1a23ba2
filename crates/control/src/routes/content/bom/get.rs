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

/// The media type of workbooks.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A bill in the requested format.
#[derive(Debug)]
pub struct Answer {
    json: Box<RawValue>,
    table: Option<TableFile>,
}

/// A bill as a file.
#[derive(Debug)]
struct TableFile {
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
        Answer::of(&answer, format, (&slug, now))
    };
    aside::run(answer).await?
}

impl Answer {
    fn of(bill: &GetBomResponse, format: BomFormat, (slug, now): (&Slug, Timestamp)) -> Result<Self> {
        let named = |media_type, extension, bytes| TableFile {
            media_type,
            name: format!("{slug}-bom.{extension}"),
            bytes,
        };
        let table = || tables::bom::of(&bill.rows, &bill.properties);
        let table = match format {
            BomFormat::Json => None,
            BomFormat::Csv => {
                Some(named("text/csv; charset=utf-8; header=present", "csv", table().to_csv()?))
            }
            BomFormat::Xlsx => Some(named(XLSX, "xlsx", table().to_xlsx(now)?)),
        };
        Ok(Self { json: to_raw_value(bill).map_err(Error::internal)?, table })
    }
}

impl HandlerAnswer for Answer {
    type Declared = GetBomResponse;

    const IS_JSON: bool = true;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        Ok(match self.table {
            None => {
                let json = Box::<str>::from(self.json);
                response.insert_header((CONTENT_TYPE, "application/json")).body(String::from(json))
            }
            Some(TableFile { media_type, name, bytes }) => response
                .insert_header((CONTENT_TYPE, media_type))
                .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")))
                .body(bytes),
        })
    }

    /// Tools get JSON in any format.
    fn into_json(self) -> Result<Box<RawValue>> {
        Ok(self.json)
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
