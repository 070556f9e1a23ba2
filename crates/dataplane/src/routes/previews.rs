//! Previews of files: facts, pictures, and shapes in other formats.

use std::time::Duration;

use actix_web::http::header::{CACHE_CONTROL, HeaderValue};
use api::content::previews::{
    ModelFormat, PreviewPath, PreviewResponse, ReadDerivedFile, ReadPreview, ReadThumbnail, ShownShape,
    ThumbnailSize,
};
use api::planning::cards::attached_files::ReadAttachmentThumbnail;
use auth::actor::{CardRead, ProjectRead};
use bytes::BytesMut;
use domain::content::object::{CommitHash, Extension, FILE_TYPE, FileRef, Sha256Hash};
use domain::content::preview::{
    DerivedFile, DerivedFormat, Preview, PreviewKind, PreviewMeasures, PreviewStatus,
};
use domain::content::project::ProjectRef;
use domain::id::{ObjectId, ProjectId, UserId};
use domain::{Error, Result};
use futures_util::TryStreamExt;
use import::Conversion;
use store::StoredFile;
use store::content::previews::{self, ShownFile};
use store::planning::cards::attachments;
use store::{Call, CardRef};
use tokio::task::spawn_blocking;
use wire::{Download, Reply, Request, RequestHead};

use crate::app::{self, App};
use crate::attach;
use crate::blobs::{BlobKey, Blobs};
use crate::convert::ConversionResult;
use crate::grant_end::while_readable;
use crate::preview::{PreviewFile, busy};
use crate::routes::download::send;

/// Longest wait of a question for facts. Most files are drawn by then.
const PREVIEW_WAIT: Duration = Duration::from_millis(400);
/// Longest wait for a picture or a file.
const FILE_WAIT: Duration = Duration::from_secs(10);
/// Of an answer that stays the same.
const FOR_EVER: &str = "private, max-age=31536000, immutable";

/// Answers the state of a preview, with the objects that it shows.
///
/// # Errors
/// `NOT_FOUND`, `UNAVAILABLE`.
pub async fn preview(app: App, request: Request<ProjectRead, ReadPreview>) -> Result<Reply<PreviewResponse>> {
    let Request { call, path, query, .. } = request;
    let Some((shown, file)) = find(&app, &call, &path, query.commit, true).await? else {
        let answer = PreviewResponse { sha256: None, status: PreviewStatus::None, reason: None, shape: None };
        return Ok(Reply::ok(answer));
    };
    let found = app.previews.wait(&file, PREVIEW_WAIT, |_| false).await?;
    touch(&app, &file, found.as_ref());
    let status = found.as_ref().map_or(PreviewStatus::Making, Preview::status);
    let (shape, reason) = found.map_or((None, None), |found| (found.shape, found.failure));
    let shape = match shape {
        None => None,
        Some(facts) => {
            let glb = app.store.derived_file(file.project, &file.file, (0, DerivedFormat::Glb)).await?;
            let is_part = shown.owner != path.object_id;
            let objects = numbered(&app, shown, &file).await?;
            let part = objects.iter().position(|id| is_part && *id == Some(path.object_id));
            let PreviewMeasures { bounds, area, volume, centre } = facts.measures;
            Some(ShownShape {
                size_bytes: glb.map_or(0, |glb| glb.size_bytes),
                objects,
                unit: facts.unit,
                bounds,
                area,
                volume,
                centre,
                part: match part {
                    Some(number) => measures_of(&app, &file, number).await?,
                    None => None,
                },
                faces: facts.faces,
                triangles: facts.triangles,
            })
        }
    };
    Ok(Reply::ok(PreviewResponse { sha256: Some(file.file.sha256), status, reason, shape }))
}

/// Sends a picture.
///
/// # Errors
/// `NOT_FOUND`, `UNAVAILABLE`.
pub async fn thumbnail(app: App, request: Request<ProjectRead, ReadThumbnail>) -> Result<Download> {
    let Request { call, path, query, head, .. } = request;
    let format = picture_of(query.size);
    derived(app, call, &head, &path, Wanted { format, commit: query.commit, sha256: query.sha256 }).await
}

/// Sends a shape in another format.
///
/// # Errors
/// `NOT_FOUND`, `UNAVAILABLE`.
pub async fn model(app: App, request: Request<ProjectRead, ReadDerivedFile>) -> Result<Download> {
    let Request { call, path, query, head, .. } = request;
    let format = match path.format {
        ModelFormat::Glb => DerivedFormat::Glb,
        ModelFormat::Stl => DerivedFormat::Stl,
    };
    let path = PreviewPath { project_id: path.project_id, object_id: path.object_id };
    derived(app, call, &head, &path, Wanted { format, commit: query.commit, sha256: query.sha256 }).await
}

/// The derived file that a request wants.
struct Wanted {
    format: DerivedFormat,
    commit: Option<CommitHash>,
    sha256: Option<Sha256Hash>,
}

async fn derived(
    app: App,
    call: Call<ProjectRead>,
    head: &RequestHead,
    path: &PreviewPath,
    wanted: Wanted,
) -> Result<Download> {
    let at = readable(&call, path)?;
    let found = find(&app, &call, path, wanted.commit, false).await?;
    let (shown, file) = found.ok_or_else(Error::not_found)?;
    if wanted.sha256.is_some_and(|expected| expected != file.file.sha256) {
        return Err(Error::not_found());
    }
    let is_picture = matches!(wanted.format, DerivedFormat::SmallPicture | DerivedFormat::LargePicture);
    if file.kind != PreviewKind::Shape && !is_picture {
        return Err(Error::not_found());
    }
    let preview = seen(&app, &file, wanted.format).await?;
    let (object, is_part, stored) = (path.object_id, shown.owner != path.object_id, shown.stored.clone());
    let part = match is_part {
        true => numbered(&app, shown, &file).await?.iter().position(|id| *id == Some(object)),
        false => Some(0),
    };
    let part = u32::try_from(part.ok_or_else(Error::not_found)?).map_err(Error::internal)?;
    let derived = app.previews.derived(&file, (part, wanted.format), FILE_WAIT).await?;
    let derived = derived.ok_or_else(Error::not_found)?;
    let answer = send(app.blobs.clone(), head, as_stored(stored, derived)).await?;
    let mut answer = while_readable(answer, app.store, call, at);
    if wanted.sha256.is_some() && preview.is_finished {
        answer.0.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static(FOR_EVER));
    }
    Ok(answer)
}

/// Sends a picture of a card's attachment.
///
/// # Errors
/// `NOT_FOUND`, `UNAVAILABLE`.
pub async fn attachment(app: App, request: Request<CardRead, ReadAttachmentThumbnail>) -> Result<Download> {
    let Request { call, path, query, head, .. } = request;
    let project = app::readable_project(app::presented_grant(&call.actor)?, &path.project_id)?;
    let at = CardRef { project, card: path.card_id };
    let read = async |tx: &mut _, card: &_| attachments::file(tx, card, path.attachment_id).await;
    let stored = app.store.read(&call, &at, read).await?;
    let kind = PreviewKind::of(FILE_TYPE, &stored.file).ok_or_else(Error::not_found)?;
    let file = preview_file(&stored, at.project.project, call.actor.user, kind)?;
    let format = picture_of(query.size);
    seen(&app, &file, format).await?;
    let derived = app.previews.derived(&file, (0, format), FILE_WAIT).await?;
    let derived = derived.ok_or_else(Error::not_found)?;
    let answer = send(app.blobs.clone(), &head, as_stored(stored, derived)).await?;
    Ok(while_readable(answer, app.store, call, at))
}

/// The preview of a file, once the wanted part of it can be sent.
///
/// # Errors
/// `NOT_FOUND` if there is nothing to see in it; `UNAVAILABLE`, also while it is drawn.
async fn seen(app: &App, file: &PreviewFile, wanted: DerivedFormat) -> Result<Preview> {
    // The edges are enough for nothing but the viewer, which comes back for the faces.
    let is_glb = wanted == DerivedFormat::Glb;
    let preview = app.previews.wait(file, FILE_WAIT, |preview| is_glb && preview.shape.is_some()).await?;
    touch(app, file, preview.as_ref());
    let preview = preview.filter(|preview| preview.is_finished || is_glb).ok_or_else(busy)?;
    match preview.is_seen() {
        true => Ok(preview),
        false if preview.is_finished => Err(Error::not_found()),
        false => Err(busy()),
    }
}

fn picture_of(size: Option<ThumbnailSize>) -> DerivedFormat {
    match size.unwrap_or(ThumbnailSize::Small) {
        ThumbnailSize::Small => DerivedFormat::SmallPicture,
        ThumbnailSize::Large => DerivedFormat::LargePicture,
    }
}

/// The branch that the caller's grant reads.
fn readable(call: &Call<ProjectRead>, path: &PreviewPath) -> Result<ProjectRef> {
    app::readable_project(app::presented_grant(&call.actor)?, &path.project_id)
}

/// The file that an object shows; `None` if it is of a kind that isn't shown.
async fn find(
    app: &App,
    call: &Call<ProjectRead>,
    path: &PreviewPath,
    commit: Option<CommitHash>,
    with_objects: bool,
) -> Result<Option<(ShownFile, PreviewFile)>> {
    let at = readable(call, path)?;
    let object: ObjectId = path.object_id;
    let found = app
        .store
        .read(call, &at, async |tx, project| previews::find(tx, project, object, commit, with_objects).await)
        .await?;
    let Some(shown) = found else { return Ok(None) };
    let kind = PreviewKind::of(&shown.object_type, &shown.stored.file);
    // A page without an image isn't the document's first one.
    let is_own = |kind: &PreviewKind| *kind == PreviewKind::Shape || shown.owner == object;
    let Some(kind) = kind.filter(is_own) else { return Ok(None) };
    let file = preview_file(&shown.stored, at.project, call.actor.user, kind)?;
    Ok(Some((shown, file)))
}

/// A stored file, to be shown in this way.
fn preview_file(
    stored: &StoredFile,
    project: ProjectId,
    user: UserId,
    kind: PreviewKind,
) -> Result<PreviewFile> {
    let StoredFile { name, file, blob_key, .. } = stored;
    let blob = blob_key.parse().map_err(Error::internal)?;
    let name = file.name.clone().unwrap_or_else(|| name.clone());
    Ok(PreviewFile { project, user, name, file: file.clone(), kind, blob })
}

/// Notes that somebody looks at a preview, to the hour, and without delay of the answer.
fn touch(app: &App, file: &PreviewFile, preview: Option<&Preview>) {
    if preview.is_none_or(|preview| preview.is_used) {
        return;
    }
    let (store, project, sha256) = (app.store.clone(), file.project, file.file.sha256);
    tokio::spawn(async move {
        if let Err(error) = store.touch_preview(project, sha256).await {
            tracing::debug!("error.chain" = error.chain(), "the use of a preview is not noted");
        }
    });
}

/// The ids of a file's objects by the numbers that its preview has for them: those of the objects that a replacement by the
/// same file would keep.
async fn numbered(app: &App, shown: ShownFile, file: &PreviewFile) -> Result<Vec<Option<ObjectId>>> {
    let Some(objects) = shown.objects else { return Ok(vec![Some(shown.owner)]) };
    let outline = app.store.derived_file(file.project, &file.file, (0, DerivedFormat::Outline)).await?;
    let Some(outline) = outline else { return Ok(vec![Some(shown.owner)]) };
    let json = read(&app.blobs, &outline).await?;
    let owned = file.file.clone();
    let now = app.clock.now();
    let numbered = spawn_blocking(move || {
        let conversion: Conversion = serde_json::from_slice(&json).map_err(Error::internal)?;
        let (media_type, drafts) = conversion.into_parts();
        let mut ids: Vec<ObjectId> = drafts.iter().map(|_| ObjectId::new(now)).collect();
        ids.sort_unstable();
        let converted = ConversionResult { media_type, drafts, images: Vec::new(), is_deferred: false };
        let parent = objects.owner.now.parent;
        let (drafts, _) = attach::objects(converted, &ids, owned, parent)?;
        let replaced = objects.replace(&drafts)?;
        let added = |id: &ObjectId| ids.binary_search(id).is_ok();
        Ok(replaced.objects.iter().map(|object| Some(object.id).filter(|id| !added(id))).collect())
    });
    numbered.await.map_err(Error::internal)?
}

/// The measures of the part with this number; `None` until they are made.
async fn measures_of(app: &App, file: &PreviewFile, number: usize) -> Result<Option<PreviewMeasures>> {
    let found = app.store.derived_file(file.project, &file.file, (0, DerivedFormat::Measures)).await?;
    let Some(found) = found else { return Ok(None) };
    let json = read(&app.blobs, &found).await?;
    let measures = spawn_blocking(move || {
        let all: Vec<PreviewMeasures> = serde_json::from_slice(&json).map_err(Error::internal)?;
        Ok(all.get(number).copied())
    });
    measures.await.map_err(Error::internal)?
}

/// The bytes of a file that fits in memory.
async fn read(blobs: &Blobs, file: &DerivedFile) -> Result<BytesMut> {
    let key: BlobKey = file.blob_key.parse().map_err(Error::internal)?;
    let bytes = blobs.read(key, 0..file.size_bytes).await?;
    bytes
        .try_fold(BytesMut::new(), async |mut all, bytes| {
            all.extend_from_slice(&bytes);
            Ok(all)
        })
        .await
}

/// A derived file as a download, under the name of the file that it was made of.
fn as_stored(of: StoredFile, derived: DerivedFile) -> StoredFile {
    let format = derived.format;
    StoredFile {
        file: FileRef {
            sha256: derived.sha256,
            size: derived.size_bytes,
            mime_type: format.media_type().to_owned(),
            extension: Extension::of_file_name(format.file_name()),
            name: None,
        },
        blob_key: derived.blob_key,
        ..of
    }
}
