//! Set the caller's picture. What was sent is drawn again by a confined process, and dropped.

use api::people::pictures::{PictureResponse, PutPicture};
use auth::actor::BrowserOnly;
use domain::content::object::Sha256Hash;
use domain::{Error, Result};
use sha2::{Digest, Sha256};
use store::Me;
use store::people::pictures;
use wire::{FormBody, Reply, Request};

use super::form::PictureForm;
use crate::app::App;
use crate::portrait;

/// Draws the image, and keeps the drawing.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, PutPicture, FormBody<PictureForm>>,
) -> Result<Reply<PictureResponse>> {
    let Request { call, body, .. } = request;
    let file = body.fields.file.file.reopen().map_err(Error::internal)?;
    // The next form may come.
    drop(body);
    let png = portrait::draw(file).await?;
    let sha256 = Sha256Hash(Sha256::digest(&png).into());
    let set = async |tx: &mut _, me: &_| pictures::set(tx, me, &call, &png, sha256).await;
    let picture = app.store.mutate(&call, &Me, set).await?;
    Ok(Reply::ok(PictureResponse { picture }))
}
