//! Run code in the service's sandbox, and stream its output.

use std::io::Read;
use std::path::Path;

use api::executions::CreateExecutionRequest;
use api::objects::CreateObjectRequest;
use client::{Client, Session};
use domain::edit::ObjectType;
use domain::event::typed::TypedEvent;
use domain::execution::{ExecutionFailure, ExecutionState, Language};
use domain::id::ObjectId;
use domain::object::CODE_TYPE;
use futures_util::TryStreamExt;
use serde_json::{Map, Value, json};

use crate::arguments::Global;
use crate::arguments::work::Exec;
use crate::commands::objects::parse_name;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;
use crate::resource::Project;

/// A local file of code.
struct Source {
    language: Language,
    text: String,
}

/// Runs the code of a file or of an object.
pub(crate) async fn run(client: &Client, arguments: Exec, global: &Global) -> CommandResult<Exit> {
    let input = input(arguments.input.as_deref())?;
    let source = match (&arguments.file, arguments.place.path.is_empty()) {
        (Some(file), true) => Some(read(file, arguments.language.as_deref())?),
        (None, false) => None,
        (None, true) => {
            return Err(CommandFailure::usage("the code is missing")
                .next("Name a file, or the place of a Code object: atelier exec gearbox mass.py"));
        }
        (Some(_), false) => {
            return Err(CommandFailure::usage("a file runs on a project, without a path in it"));
        }
    };
    let project = arguments.place.project.find(client).await?;
    let existing = match source {
        Some(_) => None,
        None => Some(project.object(client, &arguments.place.path).await?),
    };
    let session = Session::open(client, &project.reference()).await?;
    let ended = execute(&session, &project, source, existing, input, global).await;
    // The session would lapse; the result is worth more than the failure to close it.
    drop(session.close().await);
    ended
}

async fn execute(
    session: &Session,
    project: &Project,
    source: Option<Source>,
    existing: Option<ObjectId>,
    input: Map<String, Value>,
    global: &Global,
) -> CommandResult<Exit> {
    let client = session.client();
    let (object_id, is_temporary) = match (source, existing) {
        (Some(source), _) => (create(session, project, source).await?, true),
        (None, Some(object)) => (object, false),
        (None, None) => return Err(CommandFailure::usage("the code is missing")),
    };
    let request = CreateExecutionRequest { object_id, input };
    let begun = client.create_execution(&project.record.id, &session.id(), &request).await;
    let ended = match begun {
        Ok(begun) => follow(session, begun.execution.execution_id, global).await,
        Err(error) => Err(error.into()),
    };
    if is_temporary {
        let deleted = client.delete_object(&project.reference(), &object_id).await;
        if let Err(error) = deleted {
            output::note(&format!("The object {object_id} of the code is left in {project}: {error}"));
        }
    }
    let (state, failure) = ended?;
    if global.json {
        output::json(&json!({ "event": "ended", "state": state, "failure": failure }));
    }
    match (state, failure) {
        (ExecutionState::Completed, _) => Ok(Exit::Done),
        (ExecutionState::Stopped, _) => Err(CommandFailure::new(Exit::Stopped, "stopped")),
        (_, Some(failure)) => Err(CommandFailure::new(Exit::Refused, failure.message)),
        (_, None) => Err(CommandFailure::new(Exit::Refused, "the code failed")),
    }
}

/// Prints the output of an execution until it has ended. Ctrl-C stops it.
async fn follow(
    session: &Session,
    id: domain::id::ExecutionId,
    global: &Global,
) -> CommandResult<(ExecutionState, Option<ExecutionFailure>)> {
    let client = session.client();
    let project = session.project().project;
    let mut events = session.events(None);
    loop {
        let event = tokio::select! {
            event = events.try_next() => event?,
            _ = tokio::signal::ctrl_c() => {
                let stopped = client.stop_execution(&project, &session.id(), &id).await?.execution;
                return Ok((stopped.state, stopped.failure));
            }
        };
        let Some(event) = event else {
            return Err(CommandFailure::new(
                Exit::Refused,
                "the session was closed before the code had ended",
            ));
        };
        match event.typed() {
            Some(TypedEvent::ExecutionOutput { data, .. }) if data.execution_id == id => {
                print(&data.text, global);
            }
            Some(TypedEvent::ExecutionChanged { data, .. }) if data.execution_id == id => match data.state {
                ExecutionState::Queued | ExecutionState::Running => {}
                state => return Ok((state, data.failure)),
            },
            _ => {}
        }
    }
}

fn print(text: &str, global: &Global) {
    if global.json {
        return output::json(&json!({ "event": "output", "text": text }));
    }
    output::stream(text.as_bytes());
}

/// The object that the code is for the time of its run.
async fn create(session: &Session, project: &Project, source: Source) -> CommandResult<ObjectId> {
    let name = parse_name(&format!("exec {}", session.id()))?;
    let object_type = ObjectType::parse(CODE_TYPE)
        .map_err(|_| CommandFailure::local("make an object of the code", "its type is refused"))?;
    let data = json!({ "language": source.language.as_str(), "text": source.text });
    let data = data.as_object().cloned().unwrap_or_default();
    let request = CreateObjectRequest { name, object_type, parent: None, data };
    Ok(session.client().create_object(&project.reference(), &request).await?.object.id)
}

fn read(file: &Path, language: Option<&str>) -> CommandResult<Source> {
    let failed = |error: std::io::Error| CommandFailure::local(&format!("read {}", file.display()), error);
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let named = language.unwrap_or(match extension {
        "py" => "python",
        "js" | "mjs" => "javascript",
        other => other,
    });
    let language = Language::named(named).ok_or_else(|| {
        CommandFailure::usage(format!("the language of {} is unknown", file.display()))
            .next("Name it: --language python or --language javascript")
    })?;
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).map_err(failed)?;
    } else {
        text = std::fs::read_to_string(file).map_err(failed)?;
    }
    Ok(Source { language, text })
}

fn input(text: Option<&str>) -> CommandResult<Map<String, Value>> {
    let read = text.map(serde_json::from_str).transpose();
    let read =
        read.map_err(|error| CommandFailure::usage(format!("the input is not a JSON object: {error}")))?;
    Ok(read.unwrap_or_default())
}
