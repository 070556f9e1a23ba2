//! Run code in the service's sandbox, and stream its output.

use std::io::Read;
use std::path::Path;

use api::content::objects::{CreateObject, CreateObjectRequest, DeleteObject, ObjectPath};
use api::work::executions::{CreateExecution, CreateExecutionRequest, ExecutionPath, StopExecution};
use api::work::sessions::SessionPath;
use client::{Client, Session};
use domain::content::edit::ObjectType;
use domain::content::object::CODE_TYPE;
use domain::event::typed::TypedEvent;
use domain::id::{ExecutionId, ObjectId};
use domain::work::execution::{ExecutionFailure, ExecutionInput, ExecutionState, Language};
use futures_util::TryStreamExt;
use serde_json::json;

use crate::arguments::Global;
use crate::arguments::work::Exec;
use crate::commands::objects::parse_name;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::resource::Project;
use crate::stop::StopSignals;

/// The code to run.
enum ExecutedCode {
    /// An object of the project.
    Object(ObjectId),
    /// A local file.
    File(Source),
}

/// A local file of code.
struct Source {
    language: Language,
    text: String,
}

/// The end of a run.
enum ExecutionEnd {
    /// Of the execution.
    Execution(ExecutionState, Option<ExecutionFailure>),
    /// Of the output: it has no reader any more.
    Unread(std::io::Error),
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
    let project = arguments.place.project.find(client, Beginning::of_change(global.json)).await?;
    let code = match source {
        Some(source) => ExecutedCode::File(source),
        None => ExecutedCode::Object(project.object(client, &arguments.place.path).await?),
    };
    // From here on a stop is noticed between requests, so that it leaves neither an object nor a session.
    let mut stop = StopSignals::listen();
    let session = Session::open(client, &project.reference()).await?;
    let ended = match begin(&session, &project, code, input).await {
        Ok(execution) => follow(&session, execution, &mut stop, global).await,
        Err(failure) => Err(failure),
    };
    // The session would lapse; the result is worth more than the failure to close it.
    drop(session.close().await);
    let (state, failure) = match ended? {
        ExecutionEnd::Execution(state, failure) => (state, failure),
        ExecutionEnd::Unread(error) => output::end_unread(error),
    };
    if global.json {
        output::json(&json!({ "event": "ended", "state": state, "failure": failure }));
    }
    match (state, failure) {
        (ExecutionState::Completed, _) => Ok(Exit::Done),
        (ExecutionState::Stopped, _) => Err(CommandFailure::new(Exit::Stopped, "stopped")),
        (_, Some(failure)) => Err(CommandFailure::new(Exit::Refused, failure.message).code(failure.code)),
        (_, None) => Err(CommandFailure::new(Exit::Refused, "the code failed")),
    }
}

/// Begins the execution. An execution keeps the text of its code, so that the object of a file is deleted at once: a
/// program that is killed while the code runs leaves none.
async fn begin(
    session: &Session,
    project: &Project,
    code: ExecutedCode,
    input: ExecutionInput,
) -> CommandResult<ExecutionId> {
    let client = session.client();
    let (object_id, is_temporary) = match code {
        ExecutedCode::Object(object) => (object, false),
        ExecutedCode::File(source) => (create(session, project, source).await?, true),
    };
    let request = CreateExecutionRequest { object_id, input };
    let begun = client
        .call_with(
            CreateExecution,
            SessionPath { project_id: project.record.id.into(), session_id: session.id() },
            &request,
        )
        .await;
    if is_temporary
        && let Err(error) =
            client.call(DeleteObject, ObjectPath { project_id: project.reference(), object_id }).await
    {
        output::note(&format!("The object {object_id} of the code is left in {project}: {error}"));
    }
    Ok(begun?.execution.execution_id)
}

/// Prints the output of an execution until it has ended. A stop of this program stops it, and so does the end of its
/// reader.
async fn follow(
    session: &Session,
    id: ExecutionId,
    stop: &mut StopSignals,
    global: &Global,
) -> CommandResult<ExecutionEnd> {
    let client = session.client();
    let project = session.project().project;
    let mut events = session.events(None);
    loop {
        let event = tokio::select! {
            event = events.try_next() => event?,
            () = stop.received() => {
                let path = ExecutionPath {
                    project_id: project.into(),
                    session_id: session.id(),
                    execution_id: id,
                };
                let stopped = client.call(StopExecution, path).await?.execution;
                return Ok(ExecutionEnd::Execution(stopped.state, stopped.failure));
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
                if let Err(error) = print(&data.text, global) {
                    client
                        .call(
                            StopExecution,
                            ExecutionPath {
                                project_id: project.into(),
                                session_id: session.id(),
                                execution_id: id,
                            },
                        )
                        .await?;
                    return Ok(ExecutionEnd::Unread(error));
                }
            }
            Some(TypedEvent::ExecutionChanged { data, .. }) if data.execution_id == id => match data.state {
                ExecutionState::Queued | ExecutionState::Running => {}
                state => return Ok(ExecutionEnd::Execution(state, data.failure)),
            },
            _ => {}
        }
    }
}

fn print(text: &str, global: &Global) -> std::io::Result<()> {
    if global.json {
        return output::try_json(&json!({ "event": "output", "text": text }));
    }
    output::try_stream(text.as_bytes())
}

/// The object that the code is until its execution has begun.
async fn create(session: &Session, project: &Project, source: Source) -> CommandResult<ObjectId> {
    let name = parse_name(&format!("exec {}", session.id()))?;
    let object_type = ObjectType::parse(CODE_TYPE)
        .map_err(|_| CommandFailure::local("make an object of the code", "its type is refused"))?;
    let data = json!({ "language": source.language.as_str(), "text": source.text });
    let data = data.as_object().cloned().unwrap_or_default();
    let request = CreateObjectRequest { name, object_type, parent: None, data };
    Ok(session.client().call_with(CreateObject, project.reference(), &request).await?.object.id)
}

fn read(file: &Path, language: Option<&str>) -> CommandResult<Source> {
    let failed = |error: std::io::Error| CommandFailure::io(&format!("read {}", file.display()), &error);
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

fn input(text: Option<&str>) -> CommandResult<ExecutionInput> {
    let read = text.map(serde_json::from_str).transpose();
    let read =
        read.map_err(|error| CommandFailure::usage(format!("the input is not a JSON object: {error}")))?;
    Ok(read.unwrap_or_default())
}
