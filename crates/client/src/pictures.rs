//! Pictures of objects, which the data plane draws.

use api::content::downloads::CreateDownloadGrant;
use api::content::previews::ThumbnailSize;
use api::operation::Plane;
use bytes::Bytes;
use domain::content::project::ProjectRef;
use domain::id::ObjectId;
use futures_util::FutureExt;
use reqwest::Method;
use url::Url;

use crate::connection::{Client, failure};
use crate::error::RequestResult;
use crate::grant::Grant;
use crate::retry::Repeat;

impl Client {
    /// A picture of an object as PNG; `None` if there is nothing to see of it.
    ///
    /// # Errors
    /// Those of every request; one with status 503 while the picture is being drawn.
    pub async fn picture(
        &self,
        project: &ProjectRef,
        object: ObjectId,
        size: ThumbnailSize,
    ) -> RequestResult<Option<Bytes>> {
        let answer = self.call(CreateDownloadGrant, project.clone()).send().await?;
        let grant = Grant::of_answer(&answer, &answer.value.data_plane)?;
        let address = answer.value.thumbnail_url.replace("{objectId}", &object.to_string());
        let mut url: Url = address.parse().map_err(|error| self.unexpected(&error))?;
        let pixels = match size {
            ThumbnailSize::Small => "256",
            ThumbnailSize::Large => "1024",
        };
        url.query_pairs_mut().append_pair("size", pixels);
        let sent = self.send(Plane::Data, Repeat::Safe, || {
            let request = self.with_grant(Method::GET, url.clone(), &grant.token);
            std::future::ready(Ok(request)).boxed()
        });
        match sent.await {
            Ok(response) => response.bytes().await.map(Some).map_err(|error| failure(&url, &error)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
