//! Show a project or an object: its page in the browser, or its picture in the terminal.

use std::io::IsTerminal;

use api::content::previews::ThumbnailSize;
use client::Client;
use domain::id::ObjectId;
use serde_json::json;
use url::Url;

use crate::arguments::Global;
use crate::arguments::transfer::View;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::Project;
use crate::terminal_picture::PictureProtocol;

/// Opens the page, prints its address, or draws the picture.
pub(crate) async fn run(client: &Client, arguments: View, global: &Global) -> CommandResult<Exit> {
    let View { place, print_url, terminal } = arguments;
    let project = place.project.find(client, Beginning::Taken).await?;
    let object = match place.path.is_empty() {
        true => None,
        false => Some(project.object(client, &place.path).await?),
    };
    let url = page(client.url(), &project, object);
    if global.json {
        output::json(&json!({ "projectId": project.record.id, "objectId": object, "url": url.as_str() }));
        return Ok(Exit::Done);
    }
    if let Some(protocol) = terminal {
        let object = object.ok_or_else(|| {
            CommandFailure::usage("a project has no picture")
                .next(format!("Name an object: atelier view {} --terminal", project.place("Model/Shaft")))
        })?;
        return draw(client, &project, object, protocol).await;
    }
    if print_url {
        output::print(url.as_str());
        return Ok(Exit::Done);
    }
    output::note(&format!("Open {url}"));
    // A machine without a browser shows the address alone.
    drop(open::that_detached(url.as_str()));
    Ok(Exit::Done)
}

/// The address of a page of the console.
fn page(service: &Url, project: &Project, object: Option<ObjectId>) -> Url {
    let mut url = service.clone();
    url.set_path(&format!("/projects/{}", project.record.id));
    let parameters = [
        ("branch", (project.branch != project.record.default_branch).then(|| project.branch.to_string())),
        ("object", object.map(|object| object.to_string())),
    ];
    for (name, value) in parameters {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, &value);
        }
    }
    url
}

/// Draws the picture of an object. `named` is the terminal's way that was asked for; without it the terminal's own.
async fn draw(
    client: &Client,
    project: &Project,
    object: ObjectId,
    named: Option<PictureProtocol>,
) -> CommandResult<Exit> {
    let protocol = match named {
        Some(protocol) => protocol,
        None => detected()?,
    };
    let size = match protocol {
        // Sixels are pixels, and the others are fitted.
        PictureProtocol::Sixel => ThumbnailSize::Small,
        PictureProtocol::Kitty | PictureProtocol::Iterm2 => ThumbnailSize::Large,
    };
    let read = client.picture(&project.reference(), object, size).await.map_err(|error| {
        match error.answer().is_some_and(|answer| answer.status == 503) {
            true => CommandFailure::new(Exit::Refused, "the picture is still being drawn")
                .next("Run the same command in a moment"),
            false => error.into(),
        }
    })?;
    let Some(png) = read else {
        let failure = CommandFailure::new(Exit::NotFound, "there is no picture of this object");
        return Err(
            failure.next(format!("Open its page: atelier view {}", project.place(&object.to_string())))
        );
    };
    let sequence =
        protocol.sequence(&png).map_err(|error| CommandFailure::local("read the picture", error))?;
    output::raw(&sequence);
    Ok(Exit::Done)
}

/// The way in which this terminal draws pictures.
fn detected() -> CommandResult<PictureProtocol> {
    if !std::io::stdout().is_terminal() {
        return Err(CommandFailure::usage("standard output is not a terminal")
            .next("Name the way of drawing, for example --terminal=kitty"));
    }
    PictureProtocol::of_terminal(|name| std::env::var(name).ok()).ok_or_else(|| {
        CommandFailure::new(Exit::Refused, "this terminal is not known to draw pictures")
            .next("If it does, name the way: --terminal=kitty, --terminal=iterm2 or --terminal=sixel")
    })
}
