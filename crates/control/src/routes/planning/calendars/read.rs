//! Read the calendar of a feed, by the secret in its address.

use actix_web::HttpResponse;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, REFERRER_POLICY};
use api::operation::Raw;
use api::planning::calendars::GetCalendar;
use auth::actor::CardRead;
use auth::calendar_secret::CalendarSecret;
use bytes::Bytes;
use domain::planning::calendar;
use domain::{Error, Result};
use serde_json::{Value, json};
use store::planning::calendars::content;
use store::{Call, Me};
use wire::{CapabilityRequest, ETag, HandlerAnswer, RequestHead, Schemas, aside};

use crate::app::App;

/// The media type of iCalendar.
const ICALENDAR: &str = "text/calendar; charset=utf-8";
/// Size of an entry, in bytes.
const ENTRY_BYTES: usize = 512;

/// A calendar, with its strong `ETag`.
#[derive(Debug)]
pub struct Answer {
    file: Bytes,
    tag: ETag,
}

/// Answers what the feed's user may read now. Unknown, revoked and malformed secrets are answered alike.
pub async fn handle(app: App, request: CapabilityRequest<GetCalendar>) -> Result<Answer> {
    let CapabilityRequest { path, context, public_url, .. } = request;
    let secret = CalendarSecret::parse(path.feed_secret.reveal()).ok_or_else(Error::not_found)?;
    let found = app.store.find_calendar_feed(&secret.hash(), context.now).await?;
    let feed = found.ok_or_else(Error::not_found)?;
    let call: Call<CardRead> = Call::authorise(feed.actor(), context)?;
    let read = async |tx: &mut _, user: &_| content::of(tx, user, &call, &feed).await;
    let content = app.store.read(&call, &Me, read).await?;
    let size = (content.cards.len() + content.sprints.len()) * ENTRY_BYTES;
    let write = move || calendar::file(&feed.record.name, &content, &public_url);
    let file = Bytes::from(aside::run_if_long(size, write).await?);
    Ok(Answer { tag: ETag::of_bytes(&file), file })
}

impl HandlerAnswer for Answer {
    type Declared = Raw;

    const HAS_ETAG: bool = true;

    fn into_response(self, head: &RequestHead) -> Result<HttpResponse> {
        head.require_expected(&self.tag)?;
        let mut response = match head.has_current(&self.tag) {
            true => HttpResponse::NotModified().finish(),
            false => HttpResponse::Ok().insert_header((CONTENT_TYPE, ICALENDAR)).body(self.file),
        };
        let headers = response.headers_mut();
        headers.insert(ETAG, self.tag.as_str().parse().map_err(Error::internal)?);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        // The address of a calendar is a secret, of which no other site learns.
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        Ok(response)
    }

    fn describe(_: &mut Schemas) -> Vec<(u16, Value)> {
        let content = json!({ "text/calendar": { "schema": { "type": "string" } } });
        let headers = json!({ "ETag": { "$ref": "#/components/headers/ETag" } });
        vec![
            (200, json!({ "description": "Success", "headers": headers, "content": content })),
            (304, json!({ "description": "The client has the current state already" })),
        ]
    }
}
