//! Files that are attached to a card. [`Downloads::of_card`](crate::Downloads::of_card) fetches them.

use std::sync::Arc;

use api::planning::cards::attached_files::AttachmentResponse;
use api::planning::cards::attachment_uploads::AttachmentUploadResponse;
use api::planning::cards::attachments::CreateAttachmentGrant;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::Code;
use domain::id::{CardId, ProjectId};
use reqwest::Method;
use url::Url;

use crate::body::{FileState, SentBytes, Sink};
use crate::connection::{Client, failure};
use crate::error::{RequestError, RequestResult};
use crate::file_form::{FileUpload, file_form};
use crate::grant::{CurrentGrant, Grant, GrantSource};
use crate::pieces::{FirstRequest, Pieces};
use crate::retry::Repeat;

/// Attaches files to a card, with a grant for attachments. It is renewed before it ends.
#[derive(Debug)]
pub struct AttachmentUploads {
    client: Client,
    url: Url,
    pieces_url: Url,
    grant: Arc<CurrentGrant>,
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
        let url = |template: &str| {
            let url = template.replace("{cardId}", &card.to_string());
            url.parse().map_err(|error| client.unexpected(&error))
        };
        Ok(Self {
            client: client.clone(),
            url: url(&answer.value.upload_url)?,
            pieces_url: url(&answer.value.resumable_url)?,
            grant: Arc::new(grant),
        })
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

    /// Attaches a file on disk in pieces. After a break a call with the same key goes on with what has arrived. Once a
    /// file is attached, its key attaches another.
    ///
    /// # Errors
    /// Those of every request; `File`, `FileChanged`, `Damaged`. Nothing is attached then, except with `Damaged`.
    pub async fn attach_in_pieces<S: Sink>(
        &self,
        (name, file): (&str, &FileState),
        key: &str,
        sink: &S,
    ) -> RequestResult<AttachmentResponse> {
        let metadata = format!("filename {}", STANDARD.encode(name));
        let beginning = FirstRequest { name, metadata: &metadata, size_bytes: file.size_bytes, key };
        let begun =
            Pieces::<AttachmentUploadResponse>::begin(&self.client, &self.grant, &self.pieces_url, beginning);
        let pieces = begun.await?;
        let sent = pieces.send(file, sink).await;
        let is_over = match &sent {
            Ok(_) | Err(RequestError::Damaged { .. } | RequestError::FileChanged { .. }) => true,
            // The service keeps such a refusal, and a repeat would meet it again.
            Err(error) => matches!(error.code(), Some(Code::Forbidden | Code::NotFound)),
        };
        if is_over {
            // Not cancelled, it expires; the outcome is known.
            drop(pieces.cancel().await);
        }
        sent
    }
}
