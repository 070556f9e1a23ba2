//! Files that are attached to a card. [`Downloads::of_card`](crate::Downloads::of_card) fetches them.

use api::planning::cards::attached_files::AttachmentResponse;
use api::planning::cards::attachments::CreateAttachmentGrant;
use domain::id::{CardId, ProjectId};
use reqwest::Method;
use url::Url;

use crate::body::{SentBytes, Sink};
use crate::connection::{Client, failure};
use crate::error::{RequestError, RequestResult};
use crate::file_form::{FileUpload, file_form};
use crate::grant::{CurrentGrant, Grant, GrantSource};
use crate::retry::Repeat;

/// Attaches files to a card, with a grant for attachments. It is renewed before it ends.
#[derive(Debug)]
pub struct AttachmentUploads {
    client: Client,
    url: Url,
    grant: CurrentGrant,
}

impl AttachmentUploads {
    /// Asks for a grant to attach files to a card of the project.
    ///
    /// # Errors
    /// Those of every request.
    pub async fn open(client: &Client, project: ProjectId, card: CardId) -> RequestResult<Self> {
        let answer = client.call(CreateAttachmentGrant, project).send().await?;
        let grant = Grant::of_answer(&answer, &answer.value.data_plane)?;
        let grant = CurrentGrant::new(client, GrantSource::Attachments(project), grant);
        let url = answer.value.upload_url.replace("{cardId}", &card.to_string());
        let url = url.parse().map_err(|error| client.unexpected(&error))?;
        Ok(Self { client: client.clone(), url, grant })
    }

    /// Attaches a file. The bytes are streamed in constant memory. The stored hash is compared with that of the sent
    /// bytes.
    ///
    /// # Errors
    /// Those of every request; `File`, `FileChanged`, `Damaged`. Nothing is attached then, except with `Damaged`.
    pub async fn attach<S: Sink>(&self, file: &FileUpload, sink: &S) -> RequestResult<AttachmentResponse> {
        let key = file.key.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
        let sent = SentBytes::default();
        let build = |grant: &Grant| {
            let request = file_form(&self.client, (&Method::POST, &self.url), grant, file, (&sent, sink));
            Ok(request.header("idempotency-key", &key))
        };
        let answered = async {
            let response = self.grant.send(Repeat::Safe, build).await?;
            let body = response.bytes().await.map_err(|error| failure(&self.url, &error))?;
            serde_json::from_slice::<AttachmentResponse>(&body)
                .map_err(|error| self.client.unexpected(&error))
        };
        let answered = answered.await;
        if answered.is_err() {
            sent.take_back(sink);
        }
        let attached = answered?;
        // A repeat under the same key may have other bytes: the first ones are attached.
        let is_damaged = sent.hash().is_some_and(|hash| hash != attached.attachment.sha256);
        if is_damaged { Err(RequestError::Damaged { name: file.name.clone() }) } else { Ok(attached) }
    }
}
