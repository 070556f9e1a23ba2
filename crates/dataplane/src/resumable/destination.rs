//! Trees and cards: the places to which a complete upload in pieces is attached.

use auth::actor::{CardWrite, ProjectWrite, Requirement};
use domain::content::upload::{NewFile, ObjectMap};
use domain::{Error, Result};
use store::content::resumable::{UploadDestination, card_uploads};
use store::planning::cards::attachments::NewCardAttachment;
use store::{CardRef, Outcome};

use crate::attach::cards::keep_attached;
use crate::attach::{StoredUpload, UploadContent, attach};
use crate::blobs::StoredBlob;
use crate::convert::read_head;
use crate::resumable::Turn;
use crate::resumable::headers::Metadata;
use crate::uploaded_name::UploadedName;

/// The permission that an upload takes. It tells the destination.
pub trait UploadPermission: Requirement + Sized {
    /// Attaches the stored file of a turn's upload, at most once. A refusal keeps its bytes. Returns the objects that
    /// it became in a tree.
    ///
    /// # Errors
    /// Those of attaching; `UPLOAD_IN_PROGRESS` if another request has taken the turn over.
    fn attach(turn: &Turn<'_, Self>, stored: StoredBlob) -> impl Future<Output = Result<Option<ObjectMap>>>;
}

impl UploadPermission for ProjectWrite {
    async fn attach(turn: &Turn<'_, Self>, stored: StoredBlob) -> Result<Option<ObjectMap>> {
        let record = &turn.record;
        let UploadDestination::Tree { parent, .. } = &record.destination else {
            return Err(Error::internal("an upload to a card is attached to a tree"));
        };
        let name = UploadedName::of_client(Some(record.name.as_str()))?;
        let file = UploadContent { id: record.id, blob: turn.blob(), stored, head: None, name };
        let upload = StoredUpload {
            replaces: Metadata::parse(&record.metadata)?.replaces.map(|(_, replacement)| replacement),
            is_resumable: true,
            ..StoredUpload::new(turn.call, turn.grant, file, *parent)
        };
        Ok(Some(attach(turn.app, upload).await?.value))
    }
}

impl UploadPermission for CardWrite {
    async fn attach(turn: &Turn<'_, Self>, stored: StoredBlob) -> Result<Option<ObjectMap>> {
        let record = &turn.record;
        let UploadDestination::Card(card) = record.destination else {
            return Err(Error::internal("an upload to a tree is attached to a card"));
        };
        let blob = turn.blob();
        let head = read_head(&turn.app.blobs, blob, stored.size_bytes).await?;
        let new = NewCardAttachment {
            media_type: import::media_type(&record.name, &head),
            name: record.name.clone(),
            file: NewFile { sha256: stored.sha256, size: stored.size_bytes, blob_key: blob.to_string() },
        };
        let at = CardRef { project: turn.at.project.clone(), card };
        let add = async || {
            let attach = async |tx: &mut store::Tx, card: &store::Card<Self>| {
                card_uploads::attach(tx, card, turn.call, (record.id, turn.writer), &new).await
            };
            let value = turn.app.store.mutate(turn.call, &at, attach).await?;
            Ok::<_, Error>(Outcome { value, replayed: false })
        };
        keep_attached(turn.app, turn.call, turn.grant, &new.file, add).await?;
        Ok(None)
    }
}
