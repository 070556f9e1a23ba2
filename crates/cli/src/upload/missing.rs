//! The folders that the project lacks, made before the files in them.

use api::content::objects::{
    BatchObjects, BatchObjectsRequest, BatchObjectsResponse, GetObject, ObjectOperation, ObjectPath,
};
use client::{Client, Session};
use domain::content::edit::ObjectType;
use domain::content::object::FOLDER_TYPE;
use domain::text::Name;
use sha2::{Digest, Sha256};

use crate::failure::{CommandFailure, CommandResult};
use crate::upload::state::State;
use crate::upload::state::plan_folders::MissingFolder;

/// Folders of one request.
const FOLDERS_PER_REQUEST: usize = 2_000;

/// Makes the folders that the project lacks, parents first, many in one request.
///
/// Idempotency keys are made of what is requested: where another run, here or elsewhere, makes the same folders, the service
/// makes them once. So an anchor is made alone, on which runs with other files below it agree.
pub(super) async fn make_folders(client: &Client, session: &Session, state: &State) -> CommandResult<()> {
    loop {
        let mut missing = state.missing_folders(FOLDERS_PER_REQUEST)?;
        let Some(first) = missing.first() else { return Ok(()) };
        let together = match first.is_anchor {
            true => 1,
            false => missing.iter().take_while(|folder| !folder.is_anchor).count(),
        };
        missing.truncate(together);
        let operations = missing.iter().map(|folder| operation(folder, together > 1, state));
        let request = BatchObjectsRequest { operations: operations.collect::<CommandResult<_>>()? };
        let made = make_once(client, session, &request).await?;
        state.together(|| {
            for (folder, result) in missing.iter().zip(&made.results) {
                state.set_folder_object(folder.number, result.id)?;
            }
            Ok(())
        })?;
    }
}

fn operation(folder: &MissingFolder, is_named: bool, state: &State) -> CommandResult<ObjectOperation> {
    let MissingFolder { number, parent, name, .. } = folder;
    let parent = match state.folder_object(*parent)? {
        Some(object) => object.to_string(),
        None => format!("#f{parent}"),
    };
    let folder_type = ObjectType::parse(FOLDER_TYPE)
        .map_err(|rule| CommandFailure::local("name the type of folders", rule))?;
    Ok(ObjectOperation::Create {
        reference: is_named.then(|| format!("f{number}")),
        name: Name::sanitize(name).ok_or_else(|| CommandFailure::local("name a folder", name))?,
        object_type: folder_type,
        parent: Some(parent),
        data: serde_json::Map::new(),
    })
}

/// Makes folders once. Those that a run has made and somebody has deleted since are made again.
async fn make_once(
    client: &Client,
    session: &Session,
    request: &BatchObjectsRequest,
) -> CommandResult<BatchObjectsResponse> {
    let written =
        serde_json::to_vec(request).map_err(|error| CommandFailure::local("write a request", error))?;
    let mut attempt = 0_u32;
    loop {
        let hash =
            Sha256::new().chain_update(session.project().to_string()).chain_update(attempt.to_le_bytes());
        let key = hex::encode(hash.chain_update(&written).finalize());
        let answer = client
            .call_with(BatchObjects, session.project().clone(), request)
            .idempotency_key(&key)
            .send()
            .await?;
        let first = answer.value.results.first().filter(|_| answer.is_replayed);
        let Some(first) = first else { return Ok(answer.value) };
        match client
            .call(GetObject, ObjectPath { project_id: session.project().clone(), object_id: first.id })
            .await
        {
            Err(error) if error.is_not_found() => attempt += 1,
            Err(error) => return Err(error.into()),
            Ok(_) => return Ok(answer.value),
        }
    }
}
