//! Attach files to cards, list, download and remove them.

use std::path::{Path, absolute};

use api::planning::cards::CardPath;
use api::planning::cards::attached_files::AttachmentResponse;
use api::planning::cards::attachments::{AttachmentPath, DeleteAttachment, ListAttachments};
use client::{AttachmentUploads, Client, Downloads, FileBody, FileState, FileUpload, RequestResult, Sink};
use domain::content::upload::FILE_MAX_BYTES;
use domain::id::CardId;
use domain::planning::attachment::CardAttachment;
use sha2::{Digest, Sha256};

use crate::arguments::Global;
use crate::arguments::cards::CardArgument;
use crate::arguments::cards::attachments::{Attach, AttachmentArgument, DownloadAttached};
use crate::commands::cards::find;
use crate::commands::download::check_place;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::local_file::LocalName;
use crate::naming::{Beginning, RowName};
use crate::output::{self, Loudness, outcome, size};
use crate::progress::{Direction, Progress};
use crate::resource::Project;
use crate::stop::stopped;

/// Size from which on a file goes in pieces, in bytes.
const LARGE_BYTES: u64 = 8 * 1024 * 1024;

/// Attaches files to a card, one after the other. The first failure ends the run; what is attached by then stays.
pub(super) async fn attach(client: &Client, arguments: Attach, global: &Global) -> CommandResult<Exit> {
    let Attach { card, files, messages } = arguments;
    let loudness = messages.loudness();
    let mut uploads = Vec::with_capacity(files.len());
    for path in &files {
        uploads.push(upload(path).await?);
    }
    let (project, id) = find(client, &card, Beginning::of_change(global.json)).await?;
    let attaching = AttachmentUploads::open(client, project.record.id, id).await?;
    for file in &uploads {
        send(&attaching, (id, file), loudness, global).await?;
    }
    Ok(Exit::Done)
}

/// A local file, before anything is sent.
async fn upload(path: &Path) -> CommandResult<FileUpload> {
    if path.metadata().is_ok_and(|looked| !looked.is_file()) {
        return Err(CommandFailure::usage(format!("{} is not a file", path.display())));
    }
    let body = FileBody::path(path).await?;
    if body.size_bytes() > FILE_MAX_BYTES {
        let message = format!("{} is larger than the 2 GiB that the service takes", path.display());
        return Err(CommandFailure::new(Exit::Refused, message));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(FileUpload { name, body, key: None })
}

async fn send(
    attaching: &AttachmentUploads,
    (card, file): (CardId, &FileUpload),
    loudness: Loudness,
    global: &Global,
) -> CommandResult<()> {
    let bytes = file.body.size_bytes();
    let (progress, reports) = Progress::start(Direction::Attach, (1, bytes), loudness, global.json);
    let sink = progress.file(&file.name, bytes);
    let attached = tokio::select! {
        biased;
        () = stopped() => {
            let stopped = CommandFailure::new(Exit::Stopped, "stopped");
            Err(if bytes > LARGE_BYTES { stopped.next("Run the same command to go on") } else { stopped })
        }
        attached = transfer(attaching, (card, file), &sink) => attached.map_err(CommandFailure::from),
    };
    drop(reports);
    progress.clear();
    let attached = attached?;
    if global.json {
        output::json(&attached);
    } else {
        loudness.note(&format!("Attached {}  {}", attached.attachment.name, size(bytes)));
    }
    Ok(())
}

/// Sends a large file in pieces, with which the same command goes on after a break, and another one at once.
async fn transfer<S: Sink>(
    attaching: &AttachmentUploads,
    (card, file): (CardId, &FileUpload),
    sink: &S,
) -> RequestResult<AttachmentResponse> {
    match &file.body {
        FileBody::Path(state) if state.size_bytes > LARGE_BYTES => {
            attaching.attach_in_pieces((file.name.as_str(), state), &key(card, state), sink).await
        }
        FileBody::Path(_) | FileBody::Bytes(_) => attaching.attach(file, sink).await,
    }
}

/// The idempotency key of a file in pieces. Another run has the same one, as long as the file is as it was.
fn key(card: CardId, file: &FileState) -> String {
    let path = absolute(&file.path).unwrap_or_else(|_| file.path.clone());
    let mut hash = Sha256::new();
    hash.update(format!("{card} {} {:?} ", file.size_bytes, file.modified));
    hash.update(path.as_os_str().as_encoded_bytes());
    hex::encode(hash.finalize())
}

/// Prints a card's attachments.
pub(super) async fn list(client: &Client, card: &CardArgument, global: &Global) -> CommandResult<Exit> {
    let (project, id) = find(client, card, Beginning::Taken).await?;
    let attachments = of_card(client, &project, id).await?;
    if global.json {
        attachments.iter().for_each(output::json);
        return Ok(Exit::Done);
    }
    let rows: Vec<[String; 4]> = attachments.into_iter().map(cells).collect();
    output::print_table(["NAME", "SIZE", "BY", "AT"], &rows, "No attachments.");
    Ok(Exit::Done)
}

/// Writes an attachment to a file.
pub(super) async fn download(
    client: &Client,
    arguments: DownloadAttached,
    global: &Global,
) -> CommandResult<Exit> {
    let DownloadAttached { attached, output: place, force, messages } = arguments;
    let (project, card, attachment) = one(client, &attached, Beginning::Taken).await?;
    let (file, loudness) = (attachment.file(), messages.loudness());
    let path = place.unwrap_or_else(|| LocalName::of_file(&attachment.name, &file).name.into());
    check_place(&path, force)?;
    let downloads = Downloads::of_card(client, project.record.id, card).await?;
    let (progress, reports) = Progress::start(Direction::Down, (1, file.size), loudness, global.json);
    let sink = progress.file(attachment.name.as_str(), file.size);
    let fetched = tokio::select! {
        // First, so that a stop is caught before there is a part of the file.
        biased;
        () = stopped() => {
            Err(CommandFailure::new(Exit::Stopped, "stopped").next("Run the same command to go on"))
        }
        fetched = downloads.fetch_attachment(&attachment, &path, &sink) => {
            fetched.map_err(|error| CommandFailure::download(&path, error))
        }
    };
    drop(reports);
    progress.clear();
    fetched?;
    if global.json {
        let (id, hash) = (attachment.id, file.sha256);
        output::json(
            &serde_json::json!({ "attachmentId": id, "path": path, "sha256": hash, "size": file.size }),
        );
    } else {
        loudness.note(&format!("{}  {}", path.display(), size(file.size)));
    }
    Ok(Exit::Done)
}

/// Removes an attachment.
pub(super) async fn detach(
    client: &Client,
    attached: &AttachmentArgument,
    global: &Global,
) -> CommandResult<Exit> {
    let (project, card, attachment) = one(client, attached, Beginning::of_change(global.json)).await?;
    let path = AttachmentPath {
        project_id: project.record.id.into(),
        card_id: card.into(),
        attachment_id: attachment.id,
    };
    let answer = client.call(DeleteAttachment, path).await?;
    outcome(&answer, &format!("Removed {}.", attachment.name), global.json);
    Ok(Exit::Done)
}

/// The attachment that is meant.
async fn one(
    client: &Client,
    attached: &AttachmentArgument,
    beginning: Beginning,
) -> CommandResult<(Project, CardId, CardAttachment)> {
    let (project, card) = find(client, &attached.card, beginning).await?;
    let list = format!("atelier cards attachments {} {card}", project.argument());
    let wanted = RowName { kind: "attachment", text: &attached.attachment, list: &list, beginning };
    let attachments = of_card(client, &project, card).await?;
    let key = |attachment: &CardAttachment| (attachment.id.to_string(), attachment.name.to_string());
    Ok((project, card, wanted.among(attachments, key)?))
}

async fn of_card(client: &Client, project: &Project, card: CardId) -> CommandResult<Vec<CardAttachment>> {
    let path = CardPath { project_id: project.record.id.into(), card_id: card.into() };
    Ok(client.call(ListAttachments, path).await?.attachments)
}

fn cells(attachment: CardAttachment) -> [String; 4] {
    [
        attachment.name.to_string(),
        size(attachment.size),
        attachment.author_display_name,
        output::minute(attachment.created_at),
    ]
}

/// The line of an attachment among the facts of its card.
pub(super) fn line(attachment: &CardAttachment) -> String {
    format!("attached  {}  {}", attachment.name, size(attachment.size))
}
