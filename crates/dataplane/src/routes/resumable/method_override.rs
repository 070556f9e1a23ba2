//! PATCH and DELETE for clients behind a proxy that blocks these methods.

use api::content::uploads::resumable::OverrideResumableUpload;
use auth::actor::ProjectWrite;
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
use store::{Call, ResumableUploadRef};
use wire::{OffsetBytes, Request, RequestHead};

use crate::app::{self, App};
use crate::resumable::destination::UploadPermission;
use crate::routes::resumable::append::append;
use crate::routes::resumable::delete::delete;
use crate::routes::resumable::{NoContent, WithHeaders, target};

/// Does the work of the method in the header.
///
/// # Errors
/// Those of [`override_method`].
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, OverrideResumableUpload, Option<OffsetBytes>>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, body, head, .. } = request;
    let at = target(&path, app::presented_grant(&call.actor)?)?;
    override_method(&app, &call, &at, &head, body).await
}

/// Does the work of the method in the header on an upload, of any destination.
///
/// # Errors
/// `INVALID_REQUEST` for any other method; those of the method.
pub(in crate::routes) async fn override_method<P: UploadPermission>(
    app: &App,
    call: &Call<P>,
    at: &ResumableUploadRef,
    head: &RequestHead,
    body: Option<OffsetBytes>,
) -> Result<WithHeaders<NoContent>> {
    match (head.header("X-HTTP-Method-Override"), body) {
        (Some("PATCH"), Some(body)) => append(app, call, at, head, body).await,
        (Some("PATCH"), None) => Err(Error::new(
            Code::UnsupportedMediaType,
            "The body's media type must be `application/offset+octet-stream`.",
        )),
        (Some("DELETE"), _) => delete(app, call, at, head).await,
        _ => Err(Error::broken("X-HTTP-Method-Override", Rule::Enum(vec!["PATCH".into(), "DELETE".into()]))
            .at(Location::Header)),
    }
}
