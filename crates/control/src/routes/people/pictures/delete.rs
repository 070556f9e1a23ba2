//! Remove the caller's picture.

use api::people::pictures::{DeletePicture, DeletePictureResponse};
use auth::actor::BrowserOnly;
use domain::Result;
use store::Me;
use store::people::pictures;
use wire::{Reply, Request};

use crate::app::App;

/// Removes the picture, if there is one.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, DeletePicture>,
) -> Result<Reply<DeletePictureResponse>> {
    let call = &request.call;
    let delete = async |tx: &mut _, me: &_| pictures::delete(tx, me, call).await;
    let deleted = app.store.mutate(call, &Me, delete).await?;
    Ok(Reply::ok(DeletePictureResponse { deleted }))
}
