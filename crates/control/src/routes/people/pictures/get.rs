//! Read a person's picture. Its address changes with its bytes, so clients keep it.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use api::operation::Raw;
use api::people::pictures::GetPicture;
use auth::actor::BrowserOnly;
use domain::Result;
use serde_json::{Value, json};
use store::Me;
use store::people::pictures;
use wire::{HandlerAnswer, Request, RequestHead, Schemas};

use crate::app::App;

/// Of an answer that stays the same, for the person who asked.
const FOR_EVER: &str = "private, max-age=31536000, immutable";

/// A picture.
#[derive(Debug)]
pub struct PngAnswer(Vec<u8>);

/// Answers the picture, if somebody has it whom the caller knows.
pub async fn handle(app: App, request: Request<BrowserOnly, GetPicture>) -> Result<PngAnswer> {
    let hash = request.path.picture_hash;
    let read = async |tx: &mut _, me: &_| pictures::read(tx, me, hash).await;
    app.store.read_without_tx(&request.call, &Me, read).await.map(PngAnswer)
}

impl HandlerAnswer for PngAnswer {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        let mut response = HttpResponse::Ok();
        Ok(response
            .insert_header((CONTENT_TYPE, "image/png"))
            .insert_header((CACHE_CONTROL, FOR_EVER))
            .body(self.0))
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ "image/png": { "schema": { "type": "string", "format": "binary" } } });
        vec![(200, json!({ "description": "Success", "content": content }))]
    }
}
