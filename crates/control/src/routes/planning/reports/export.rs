//! Export the days of a project's flow report as a table.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use api::operation::Raw;
use api::planning::reports::ExportFlowReport;
use auth::actor::CardRead;
use domain::Result;
use domain::error::Location;
use domain::text::Slug;
use serde_json::{Value, json};
use store::planning::reports::flow;
use wire::{HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::planning::reports::choices;

/// The media type of tables with a first row of names.
const CSV: &str = "text/csv; charset=utf-8; header=present";

/// The table.
#[derive(Debug)]
pub struct Answer {
    slug: Slug,
    csv: Vec<u8>,
}

/// Answers a row for each day.
pub async fn handle(app: App, request: Request<CardRead, ExportFlowReport>) -> Result<Answer> {
    let (call, query) = (&request.call, choices(request.query));
    let found = app
        .store
        .read(call, &request.path.project_id, async |tx, project| {
            let report = flow::read(tx, project, call, &query).await?;
            Ok((project.record.project_slug.clone(), report))
        })
        .await;
    let (slug, report) = found.map_err(|error| error.or_at(Location::Query))?;
    Ok(Answer { slug, csv: tables::flow::of(&report).to_csv()? })
}

impl HandlerAnswer for Answer {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let name = format!("attachment; filename=\"{}-flow.csv\"", self.slug);
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, CSV)).insert_header((CONTENT_DISPOSITION, name));
        Ok(response.body(self.csv))
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ "text/csv": { "schema": { "type": "string" } } });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
