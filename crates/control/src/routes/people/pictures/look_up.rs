//! Find out which people have a picture.

use api::people::pictures::{LookUpPictures, LookUpPicturesResponse, PEOPLE_MAX};
use auth::actor::BrowserOnly;
use domain::{Error, Result, Rule};
use store::Me;
use store::people::pictures;
use wire::{Reply, Request};

use crate::app::App;

/// Lists the pictures of those whom the caller knows.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, LookUpPictures>,
) -> Result<Reply<LookUpPicturesResponse>> {
    let people = &request.body.0.user_ids;
    if people.is_empty() {
        return Err(Error::broken("userIds", Rule::MinItems(1)));
    }
    if people.len() > PEOPLE_MAX {
        return Err(Error::broken("userIds", Rule::MaxItems(PEOPLE_MAX)));
    }
    let list = async |tx: &mut _, me: &_| pictures::list(tx, me, people).await;
    let pictures = app.store.read_without_tx(&request.call, &Me, list).await?;
    Ok(Reply::ok(LookUpPicturesResponse { pictures }))
}
