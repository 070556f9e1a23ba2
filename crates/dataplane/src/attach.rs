//! Lets an upload whose bytes are stored join its project's tree, exactly once.
//!
//! The host of the session's live connection applies it, so that the session sees it; where there is none, or it
//! does not answer, this process applies the same change itself. Whoever comes second finds it applied.

use std::time::Duration;

use domain::Result;
use domain::session::ConnectionId;
use domain::time::Timestamp;
use domain::upload::Attached;
use domain::upload::ObjectMap;
use store::uploads::FinishedUpload;

use crate::app::App;
use crate::blobs::BlobKey;

/// Longest wait for a session's host.
const HOST_WAIT: Duration = Duration::from_secs(2);

/// Applies an upload, through the live connection where one is named, and returns what it created. A blob that the
/// project turns out not to need, as it has the same bytes already, is removed; one whose upload fails is left to
/// the sweep, as the host may yet apply what it was asked.
///
/// # Errors
/// `UNAUTHENTICATED` where the session was closed meanwhile; `NOT_FOUND` where project or parent are gone;
/// `UNAVAILABLE` where the database is: the upload may then be repeated.
pub async fn attach(
    app: &App,
    upload: &FinishedUpload,
    live: Option<&ConnectionId>,
    blob: BlobKey,
) -> Result<ObjectMap> {
    let by_host: Option<Attached> = match live {
        Some(connection) => app.link.attach(connection, upload, HOST_WAIT).await?,
        None => None,
    };
    let attached = match by_host {
        Some(attached) => attached,
        None => app.store.attach(upload, Timestamp::now()).await?,
    };
    if !attached.keeps_blob
        && let Err(error) = app.blobs.delete(blob).await
    {
        tracing::warn!(%blob, %error, "a second copy of a file is left to the sweep");
    }
    Ok(attached.map)
}
