//! The half that starts workers, publishes their output, and answers their calls.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use domain::execution::{ExecutionFailure, ExecutionFailureCode, Language};
use domain::{Error, Result};
use futures_util::StreamExt;
use futures_util::future::{Either, select};
use futures_util::stream::FuturesUnordered;
use sandbox::{Limits, Output, Protection, Worker, WorkerEnd};
use serde_json::{Map, Value};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};

use crate::frame;
use crate::limits::ProgramLimits;
use crate::message::{AnswerHead, Ask, CallAnswer, Ended, WorkerMessage};
use crate::python::Interpreter;
use crate::transcript::{OutputPiece, Transcript};

/// Limit of a program's output in bytes. It is above what is kept, so that a verbose program can end normally.
const WRITTEN_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Address space in bytes of the service's program and its allocator, beside the code's memory, which QuickJS limits.
const PROGRAM_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Address space in bytes of the Python interpreter.
const INTERPRETER_BYTES: u64 = 96 * 1024 * 1024;
/// Lifetime of a process beyond the time of its code. Both engines end at the code's time limit and flush their output;
/// this limit kills code that blocks its engine.
const GRACE: Duration = Duration::from_secs(1);
/// Longest delay of output before it is published.
const OUTPUT_DELAY: Duration = Duration::from_millis(150);
/// Most delayed output, in bytes.
const OUTPUT_BUFFER_BYTES: usize = 16 * 1024;
/// Most concurrent calls of a worker. The worker's half allows fewer.
const CALLS_AT_ONCE: usize = 80;
/// Most bytes of buffered bodies of calls.
const BODIES_BYTES: usize = 8 * frame::BODY_MAX_BYTES;
/// Most characters of the code's error.
const ERROR_MAX_CHARS: usize = 4_000;

/// Limits of programs, and their interpreters.
#[derive(Debug)]
pub struct Settings {
    /// Elapsed time and processor time of a program.
    pub time: Duration,
    /// Memory of the code, in bytes.
    pub memory_bytes: u64,
    /// Command-line argument that makes this program a worker.
    pub argument: &'static str,
    /// CPython, by name or path.
    pub python: OsString,
}

/// Runs programs.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    /// Found at first use; an error has the reason of its absence.
    python: OnceCell<std::result::Result<Interpreter, String>>,
}

/// A program with its context.
#[derive(Debug)]
pub struct SourceCode {
    /// Language of the source.
    pub language: Language,
    /// Source text.
    pub source: String,
    /// Properties of the object `atelier`, in camel case.
    pub context: Map<String, Value>,
}

impl Engine {
    /// An engine with these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, python: OnceCell::new() }
    }

    /// Runs a program to its end; returns its failure, if any. `say` receives its output piece by piece; `answer` handles
    /// its calls concurrently. The program ends with this future, and with the thread that first polls it.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if no process can be started.
    pub async fn run(
        &self,
        program: &SourceCode,
        say: impl AsyncFn(OutputPiece),
        answer: impl AsyncFn(Ask) -> std::result::Result<CallAnswer, String>,
    ) -> Result<Option<ExecutionFailure>> {
        let worker = match self.worker(program.language).await? {
            Ok(worker) => worker,
            Err(reason) => {
                let message = format!("This deployment can't run {}: {reason}.", program.language);
                return Ok(Some(ExecutionFailure::new(ExecutionFailureCode::LanguageUnavailable, message)));
            }
        };
        let (own, theirs) = std::os::unix::net::UnixStream::pair().map_err(Error::internal)?;
        own.set_nonblocking(true).map_err(Error::internal)?;
        let own = UnixStream::from_std(own).map_err(Error::internal)?;
        let run = worker.run(File::from(OwnedFd::from(theirs)), async |output: &mut Output| {
            let written = pin!(async {
                transcribe(output, say).await;
                output.limit() == 0
            });
            match select(written, pin!(converse(own, program, answer))).await {
                // It reached its output limit, and will be killed.
                Either::Left((true, _)) => None,
                Either::Left((false, conversation)) => conversation.await,
                Either::Right((ended, written)) => {
                    written.await;
                    ended
                }
            }
        });
        Ok(failure(run.await?))
    }

    /// The worker for a language, or the reason of its absence.
    async fn worker(&self, language: Language) -> Result<std::result::Result<Worker, String>> {
        let Settings { time, memory_bytes, argument, ref python } = self.settings;
        let (beside, foreign) = match language {
            Language::JavaScript => (PROGRAM_BYTES, None),
            Language::Python => match self.python.get_or_init(|| Interpreter::find(python)).await {
                Ok(python) => (INTERPRETER_BYTES, Some(python.program(time))),
                Err(reason) => return Ok(Err(reason.clone())),
            },
        };
        let limits =
            ProgramLimits { memory_bytes: usize::try_from(memory_bytes).map_err(Error::internal)?, time };
        Ok(Ok(Worker {
            program: Worker::own_program(),
            arguments: vec![argument.into()],
            task: serde_json::to_string(&limits).map_err(Error::internal)?,
            limits: Limits {
                time: time.saturating_add(GRACE),
                processor_time: time.saturating_add(GRACE),
                memory_bytes: memory_bytes.saturating_add(beside),
                output_bytes: WRITTEN_MAX_BYTES,
            },
            protection: Protection::Required,
            foreign,
        }))
    }
}

/// Publishes a worker's output until its end.
async fn transcribe(output: &mut Output, say: impl AsyncFn(OutputPiece)) {
    let mut transcript = Transcript::default();
    let mut bytes = vec![0; OUTPUT_BUFFER_BYTES];
    let mut due: Option<Instant> = None;
    loop {
        let read = match due {
            Some(due) => timeout_at(due, output.read(&mut bytes)).await,
            None => Ok(output.read(&mut bytes).await),
        };
        match read {
            Ok(Ok(length @ 1..)) => transcript.write(bytes.get(..length).unwrap_or_default()),
            Ok(Ok(0) | Err(_)) => break,
            Err(_) => {}
        }
        let is_due = due.is_some_and(|due| due <= Instant::now());
        if is_due || transcript.waiting_bytes() >= OUTPUT_BUFFER_BYTES {
            due = None;
            if let Some(piece) = transcript.take() {
                say(piece).await;
            }
        } else if transcript.waiting_bytes() > 0 {
            due = due.or_else(|| Some(Instant::now() + OUTPUT_DELAY));
        }
    }
    transcript.finish();
    if let Some(piece) = transcript.take() {
        say(piece).await;
    }
}

/// Sends the code to a worker and answers its calls until its end; `None` if it ends without a message.
async fn converse(
    socket: UnixStream,
    program: &SourceCode,
    answer: impl AsyncFn(Ask) -> std::result::Result<CallAnswer, String>,
) -> Option<Ended> {
    let (reader, mut writer) = socket.into_split();
    // After an error the worker ends alone, or at its time limit.
    frame::send(&mut writer, &program.context, program.source.as_bytes()).await.ok()?;
    let (sender, calls) = mpsc::channel(CALLS_AT_ONCE);
    let (ended, _) = tokio::join!(listen(reader, sender), reply(writer, calls, answer));
    ended.ok().flatten()
}

/// A call with its number. The permit covers the buffered body until the call is answered.
type PendingCall = (u64, Ask, OwnedSemaphorePermit);

/// Receives a worker's messages until its end.
async fn listen(mut reader: OwnedReadHalf, calls: mpsc::Sender<PendingCall>) -> io::Result<Option<Ended>> {
    let bodies = Arc::new(Semaphore::new(BODIES_BYTES));
    while let Some(head) = frame::receive_head(&mut reader).await? {
        let length = frame::receive_length(&mut reader).await?;
        let permits = u32::try_from(length).map_err(io::Error::other)?;
        let room = Arc::clone(&bodies).acquire_many_owned(permits).await.map_err(io::Error::other)?;
        let sent_body = frame::exactly(&mut reader, length).await?;
        match serde_json::from_slice(&head)? {
            WorkerMessage::Ended(ended) => return Ok(Some(ended)),
            WorkerMessage::Ask { id, mut ask } => {
                if let Ask::Fetch { body, .. } = &mut ask {
                    *body = sent_body;
                }
                if calls.send((id, ask, room)).await.is_err() {
                    return Ok(None);
                }
            }
        }
    }
    Ok(None)
}

/// Answers a worker's calls, in the order in which answers become ready.
async fn reply(
    mut writer: OwnedWriteHalf,
    mut calls: mpsc::Receiver<PendingCall>,
    answer: impl AsyncFn(Ask) -> std::result::Result<CallAnswer, String>,
) -> io::Result<()> {
    let answer = &answer;
    let mut pending = FuturesUnordered::new();
    let mut is_open = true;
    while is_open {
        tokio::select! {
            call = calls.recv(), if pending.len() < CALLS_AT_ONCE => match call {
                Some((id, ask, room)) => pending.push(async move { (id, answer(ask).await, room) }),
                None => is_open = false,
            },
            Some((id, answered, room)) = pending.next() => {
                let (answer, error) = match &answered {
                    Ok(answer) => (Some(answer), None),
                    Err(error) => (None, Some(error.as_str())),
                };
                let body = answer.map(|answer| answer.body.as_slice()).unwrap_or_default();
                frame::send(&mut writer, &AnswerHead { id, answer, error }, body).await?;
                drop(room);
            }
        }
    }
    Ok(())
}

/// The failure of a worker's program, if it failed.
fn failure(outcome: WorkerEnd<Option<Ended>>) -> Option<ExecutionFailure> {
    let (code, message) = match outcome {
        WorkerEnd::Finished(Some(Ended { ended: None })) => return None,
        WorkerEnd::Finished(Some(Ended { ended: Some(error) })) => {
            // PostgreSQL's text has no NUL.
            let error = error.replace('\0', "\u{fffd}");
            (ExecutionFailureCode::UncaughtError, error.chars().take(ERROR_MAX_CHARS).collect())
        }
        WorkerEnd::Finished(None) => {
            (ExecutionFailureCode::Crashed, "The process exited before the code ended.".to_owned())
        }
        WorkerEnd::TimedOut => {
            (ExecutionFailureCode::TimedOut, "The code exceeded its time limit.".to_owned())
        }
        WorkerEnd::OutOfMemory => {
            (ExecutionFailureCode::OutOfMemory, "The code exceeded its memory limit.".to_owned())
        }
        WorkerEnd::OutputTooLarge => (
            ExecutionFailureCode::OutputTooLarge,
            format!("The code wrote more than {WRITTEN_MAX_BYTES} bytes."),
        ),
        WorkerEnd::Crashed(crash) => {
            let end = crash.end;
            (ExecutionFailureCode::Crashed, format!("The process crashed: {end}."))
        }
        WorkerEnd::Unprotected(_) => (
            ExecutionFailureCode::SandboxUnavailable,
            "This deployment can't confine code, and so does not run it.".to_owned(),
        ),
    };
    Some(ExecutionFailure { code, message })
}
