//! Attaching a stored file to a card, after an upload in one piece or in several.

use auth::actor::{ActorGrant, CardWrite};
use domain::Result;
use domain::content::upload::NewFile;
use store::planning::cards::attachments::AddedAttachment;
use store::{Call, Outcome};

use crate::app::App;

/// Attaches a file by `add`, a transaction that decides about the user's role. The bytes count to the owner from then
/// on; the blob is removed if the project has the bytes already. On a failure it stays.
///
/// # Errors
/// `LIMIT_REACHED`; `UNAUTHENTICATED` if the grant has ended; those of `add`.
pub async fn keep_attached(
    app: &App,
    call: &Call<CardWrite>,
    grant: &ActorGrant,
    file: &NewFile,
    add: impl AsyncFnOnce() -> Result<Outcome<AddedAttachment>>,
) -> Result<Outcome<AddedAttachment>> {
    let reservation = app.stored_bytes.reserve(&app.store, grant.project, file.size).await?;
    // The last word about the grant: the transaction itself decides about the user's role.
    app.store.check_grant(call.actor.user, grant).await?;
    let added = add().await?;
    if added.value.blob_key == file.blob_key {
        reservation.keep();
    } else {
        app.blobs.remove_unneeded(std::slice::from_ref(&file.blob_key)).await;
    }
    Ok(added)
}
