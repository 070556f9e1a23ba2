//! PATCH and DELETE for clients behind a proxy that blocks these methods.

use api::content::uploads::resumable::OverrideResumableUpload;
use auth::actor::ProjectWrite;
use domain::error::Location;
use domain::{Code, Error, Result, Rule};
use wire::{OffsetBytes, Request};

use crate::app::App;
use crate::routes::resumable::append::append;
use crate::routes::resumable::delete::delete;
use crate::routes::resumable::{NoContent, WithHeaders};

/// Does the work of the method in the header.
///
/// # Errors
/// `INVALID_REQUEST` for any other method; those of the method.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, OverrideResumableUpload, Option<OffsetBytes>>,
) -> Result<WithHeaders<NoContent>> {
    let Request { call, path, body, head, .. } = request;
    match (head.header("X-HTTP-Method-Override"), body) {
        (Some("PATCH"), Some(body)) => append(&app, &call, &path, &head, body).await,
        (Some("PATCH"), None) => Err(Error::new(
            Code::UnsupportedMediaType,
            "The body's media type must be `application/offset+octet-stream`.",
        )),
        (Some("DELETE"), _) => delete(&app, &call, &path, &head).await,
        _ => Err(Error::broken("X-HTTP-Method-Override", Rule::Enum(vec!["PATCH".into(), "DELETE".into()]))
            .at(Location::Header)),
    }
}
