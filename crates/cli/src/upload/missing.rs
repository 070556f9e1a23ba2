//! The folders that the project lacks, made before the files in them.

use api::objects::{BatchObjectsRequest, BatchObjectsResponse, ObjectOperation};
use client::{Client, Session};
use domain::edit::ObjectType;
use domain::object::FOLDER_TYPE;
use domain::text::Name;

use crate::failure::{CommandFailure, CommandResult};
use crate::upload::state::State;
use crate::upload::state::plan_folders::MissingFolder;

/// Folders of one request.
const FOLDERS_PER_REQUEST: usize = 2_000;

/// Makes the folders that the project lacks, parents first, many in one request.
pub(super) async fn make_folders(client: &Client, session: &Session, state: &State) -> CommandResult<()> {
    let folder_type = || {
        ObjectType::parse(FOLDER_TYPE).map_err(|rule| CommandFailure::local("name the type of folders", rule))
    };
    loop {
        let missing = state.missing_folders(FOLDERS_PER_REQUEST)?;
        if missing.is_empty() {
            return Ok(());
        }
        let mut operations = Vec::new();
        let mut names = vec!["folders".to_owned()];
        for MissingFolder { number, parent, name } in &missing {
            let parent = match state.folder_object(*parent)? {
                Some(object) => object.to_string(),
                None => format!("#f{parent}"),
            };
            names.push(format!("{parent}/{name}"));
            operations.push(ObjectOperation::Create {
                reference: Some(format!("f{number}")),
                name: Name::sanitize(name).ok_or_else(|| CommandFailure::local("name a folder", name))?,
                object_type: folder_type()?,
                parent: Some(parent),
                data: serde_json::Map::new(),
            });
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let request = BatchObjectsRequest { operations };
        let made = make_once(client, session, &request, |attempt| {
            state.key(&[names.as_slice(), &[attempt]].concat())
        });
        let made = made.await?;
        state.together(|| {
            for (folder, result) in missing.iter().zip(&made.results) {
                state.set_folder_object(folder.number, result.id)?;
            }
            Ok(())
        })?;
    }
}

/// Makes folders once for a key. Those that a stopped run has made and somebody has deleted since are made again.
async fn make_once(
    client: &Client,
    session: &Session,
    request: &BatchObjectsRequest,
    key: impl Fn(&str) -> String,
) -> CommandResult<BatchObjectsResponse> {
    let mut attempt = 0_u32;
    loop {
        let call =
            client.batch_objects(session.project(), request).idempotency_key(&key(&attempt.to_string()));
        let answer = call.send().await?;
        let first = answer.value.results.first().filter(|_| answer.is_replayed);
        let Some(first) = first else { return Ok(answer.value) };
        match client.get_object(session.project(), &first.id).await {
            Err(error) if error.is_not_found() => attempt += 1,
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(answer.value),
        }
    }
}
