//! Export a project's cards as a table.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use api::operation::Raw;
use api::planning::cards::{ExportCards, ListCardsQuery};
use auth::actor::CardRead;
use bytes::Bytes;
use domain::Result;
use domain::content::project::ProjectRef;
use domain::planning::card::{CardOrder, CardPosition};
use domain::planning::custom_field::CustomField;
use domain::text::Slug;
use futures_util::StreamExt;
use futures_util::stream::{self, LocalBoxStream};
use serde_json::{Value, json};
use store::Call;
use store::planning::cards::export::{self, NamedCard};
use store::planning::cards::filter::CardFilter;
use store::planning::custom_fields;
use tables::cards::CardRow;
use wire::{HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;
use crate::routes::planning::card_names;
use crate::routes::planning::cards::list::{filter, named};
use crate::routes::planning::cards::sort;

/// The media type of tables with a first row of names.
const CSV: &str = "text/csv; charset=utf-8; header=present";
/// Cards that are read at once.
const PAGE_ROWS: u32 = 500;

/// The table, as it is read.
pub struct Answer {
    slug: Slug,
    stream: LocalBoxStream<'static, Result<Bytes>>,
}

/// The cards that are still to be read.
struct Rest {
    app: App,
    call: Call<CardRead>,
    at: ProjectRef,
    fields: Vec<CustomField>,
    filter: CardFilter,
    after: Option<CardPosition>,
}

/// Streams the cards page by page, each read in a transaction of its own. A card whose place in the order changes meanwhile
/// may be missing or occur twice.
pub async fn handle(app: App, request: Request<CardRead, ExportCards>) -> Result<Answer> {
    let query: ListCardsQuery = request.query.into();
    let at = request.path.project_id;
    let ids = card_names::of_project(&app, &at, named(&query)).await?;
    let by_field = sort::of_project(&app, &request.call, &at, query.sort.as_ref()).await?;
    let filter = filter(query, request.call.actor.user, CardOrder::default(), &ids)?;
    let filter = CardFilter { by_field, ..filter };
    let head = async |tx: &mut store::Tx, project: &store::Project<CardRead>| {
        let mut fields = custom_fields::list(tx, project).await?;
        fields.retain(|field| field.applies_to.has_cards());
        Ok((project.record.project_slug.clone(), fields))
    };
    let (slug, fields) = app.store.read(&request.call, &at, head).await?;
    let head = tables::cards::of(&fields, &[]).to_csv()?;
    let rest = Rest { app, call: request.call, at, fields, filter, after: None };
    // What is wrong with the request is answered before the table begins.
    let (first, rest) = rest.next().await?.unwrap_or_default();
    let pages = stream::try_unfold(rest, async |rest| match rest {
        Some(rest) => rest.next().await,
        None => Ok(None),
    });
    let begin = stream::iter([Ok(Bytes::from(head)), Ok(first)]);
    Ok(Answer { slug, stream: begin.chain(pages).boxed_local() })
}

impl Rest {
    /// The next page, and what follows it.
    async fn next(self) -> Result<Option<(Bytes, Option<Self>)>> {
        let Self { app, call, at, fields, filter, after } = self;
        let page = async |tx: &mut _, project: &_| {
            export::page(tx, project, &call, &fields, &filter, (after.clone(), PAGE_ROWS)).await
        };
        let cards = app.store.read(&call, &at, page).await?;
        let Some(last) = cards.last().map(|card| filter.position(card.shown.card())) else {
            return Ok(None);
        };
        let is_last = u32::try_from(cards.len()).is_ok_and(|read| read < PAGE_ROWS);
        let rows = Bytes::from(rows(&fields, &cards)?);
        Ok(Some((rows, (!is_last).then_some(Self { app, call, at, fields, filter, after: Some(last) }))))
    }
}

fn rows(fields: &[CustomField], cards: &[NamedCard]) -> Result<Vec<u8>> {
    let index: Vec<_> = cards.iter().map(|card| card.shown.index_card()).collect();
    let rows = cards.iter().zip(&index).map(|(card, index)| CardRow {
        card: card.shown.card(),
        index,
        parent: card.parent.as_ref(),
        assignees: &card.assignees,
        tags: &card.tags,
        users: &card.users,
    });
    tables::cards::of(fields, &rows.collect::<Vec<_>>()).to_csv_rows()
}

impl HandlerAnswer for Answer {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let name = format!("attachment; filename=\"{}-cards.csv\"", self.slug);
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, CSV)).insert_header((CONTENT_DISPOSITION, name));
        Ok(response.streaming(self.stream))
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ "text/csv": { "schema": { "type": "string" } } });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
