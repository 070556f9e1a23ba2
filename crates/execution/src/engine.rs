//! The half that starts workers, takes what they write, and has their messages answered.

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
use sandbox::{Limits, Outcome, Output, Protection, Worker};
use serde_json::{Map, Value};
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};

use crate::frame;
use crate::message::{Answer, Answered, Ask, Ended, Sent};
use crate::python::Interpreter;
use crate::transcript::{Piece, Transcript};
use crate::worker::Task;

/// Most that a program may write, in bytes: more than is kept, so that a chatty one comes to its end.
const WRITTEN_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Address space of the service's program itself, its allocator's reserves among it, in bytes: beside the code's memory,
/// which QuickJS bounds by itself.
const PROGRAM_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Address space of Python's own program, in bytes.
const INTERPRETER_BYTES: u64 = 96 * 1024 * 1024;
/// How much longer than the code may take its process may live. Whatever can looks at the clock by itself and ends in order,
/// with all that it has written; only what can't is ended from without.
const GRACE: Duration = Duration::from_secs(1);
/// How long output is gathered before it is told.
const GATHERED: Duration = Duration::from_millis(150);
/// How much is gathered at most, in bytes.
const GATHERED_BYTES: usize = 16 * 1024;
/// Questions that a worker may have at a time. Its own half keeps to fewer.
const ASKED_AT_ONCE: usize = 80;
/// Bodies of questions that are held at a time, in bytes.
const BODIES_BYTES: usize = 8 * frame::BODY_MAX_BYTES;
/// Longest error of the code that is told, in characters.
const ERROR_MAX_CHARS: usize = 4_000;

/// What programs may use, and what runs them.
#[derive(Debug)]
pub struct Settings {
    /// Time of a program from its start to its end, and its processor time.
    pub time: Duration,
    /// Memory of the code, in bytes.
    pub memory_bytes: u64,
    /// The argument that makes a worker of this program.
    pub argument: &'static str,
    /// The CPython that runs Python, by name or path.
    pub python: OsString,
}

/// Runs programs.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    /// Looked for when it is first needed; why there is none, where there is none.
    python: OnceCell<std::result::Result<Interpreter, String>>,
}

/// A program to be run.
#[derive(Debug)]
pub struct Job {
    /// Its language.
    pub language: Language,
    /// Its text.
    pub source: String,
    /// What it finds as the properties of `atelier`, in camel case.
    pub context: Map<String, Value>,
}

impl Engine {
    /// An engine with these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, python: OnceCell::new() }
    }

    /// Runs a program to its end; returns why it failed, where it did. `say` is told what it writes, one piece after the
    /// other, and `answer` does what it asks for, many things at a time. The program ends with the future, and with the
    /// thread that first polled it.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where no process can be started.
    pub async fn run(
        &self,
        job: &Job,
        say: impl AsyncFn(Piece),
        answer: impl AsyncFn(Ask) -> std::result::Result<Answer, String>,
    ) -> Result<Option<ExecutionFailure>> {
        let worker = match self.worker(job.language).await? {
            Ok(worker) => worker,
            Err(reason) => {
                let message = format!("This deployment can't run {}: {reason}.", job.language);
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
            match select(written, pin!(converse(own, job, answer))).await {
                // It has written all that it may, and will be ended.
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

    /// The worker for a language; or why nothing runs it.
    async fn worker(&self, language: Language) -> Result<std::result::Result<Worker, String>> {
        let Settings { time, memory_bytes, argument, ref python } = self.settings;
        let (beside, becomes) = match language {
            Language::JavaScript => (PROGRAM_BYTES, None),
            Language::Python => match self.python.get_or_init(|| Interpreter::find(python)).await {
                Ok(python) => (INTERPRETER_BYTES, Some(python.program(time))),
                Err(reason) => return Ok(Err(reason.clone())),
            },
        };
        let task = Task { memory_bytes: usize::try_from(memory_bytes).map_err(Error::internal)?, time };
        Ok(Ok(Worker {
            program: Worker::own_program(),
            arguments: vec![argument.into()],
            task: serde_json::to_string(&task).map_err(Error::internal)?,
            limits: Limits {
                time: time.saturating_add(GRACE),
                processor_time: time.saturating_add(GRACE),
                memory_bytes: memory_bytes.saturating_add(beside),
                output_bytes: WRITTEN_MAX_BYTES,
            },
            protection: Protection::Required,
            becomes,
        }))
    }
}

/// Tells what a worker writes, until its end.
async fn transcribe(output: &mut Output, say: impl AsyncFn(Piece)) {
    let mut transcript = Transcript::default();
    let mut bytes = vec![0; GATHERED_BYTES];
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
        if is_due || transcript.waiting_bytes() >= GATHERED_BYTES {
            due = None;
            if let Some(piece) = transcript.take() {
                say(piece).await;
            }
        } else if transcript.waiting_bytes() > 0 {
            due = due.or_else(|| Some(Instant::now() + GATHERED));
        }
    }
    transcript.finish();
    if let Some(piece) = transcript.take() {
        say(piece).await;
    }
}

/// Hands the code to a worker and has what it asks answered, until it says how it ended; `None` where it never did.
async fn converse(
    socket: UnixStream,
    job: &Job,
    answer: impl AsyncFn(Ask) -> std::result::Result<Answer, String>,
) -> Option<Ended> {
    let (reader, mut writer) = socket.into_split();
    // A worker that can't be told or understood ends by itself, or with its time.
    frame::send(&mut writer, &job.context, job.source.as_bytes()).await.ok()?;
    let (asked, asks) = mpsc::channel(ASKED_AT_ONCE);
    let (ended, _) = tokio::join!(listen(reader, asked), reply(writer, asks, answer));
    ended.ok().flatten()
}

/// A question with its number. Its body counts among those that are held until it is answered.
type Asked = (u64, Ask, OwnedSemaphorePermit);

/// Receives what a worker says, until its end.
async fn listen(mut reader: OwnedReadHalf, asked: mpsc::Sender<Asked>) -> io::Result<Option<Ended>> {
    let bodies = Arc::new(Semaphore::new(BODIES_BYTES));
    while let Some(head) = frame::receive_head(&mut reader).await? {
        let length = frame::receive_length(&mut reader).await?;
        let permits = u32::try_from(length).map_err(io::Error::other)?;
        let room = Arc::clone(&bodies).acquire_many_owned(permits).await.map_err(io::Error::other)?;
        let sent_body = frame::exactly(&mut reader, length).await?;
        match serde_json::from_slice(&head)? {
            Sent::Ended(ended) => return Ok(Some(ended)),
            Sent::Ask { id, mut ask } => {
                if let Ask::Fetch { body, .. } = &mut ask {
                    *body = sent_body;
                }
                if asked.send((id, ask, room)).await.is_err() {
                    return Ok(None);
                }
            }
        }
    }
    Ok(None)
}

/// Answers what a worker asks, in the order in which the answers get ready.
async fn reply(
    mut writer: OwnedWriteHalf,
    mut asks: mpsc::Receiver<Asked>,
    answer: impl AsyncFn(Ask) -> std::result::Result<Answer, String>,
) -> io::Result<()> {
    let answer = &answer;
    let mut under_way = FuturesUnordered::new();
    let mut is_open = true;
    while is_open {
        tokio::select! {
            asked = asks.recv(), if under_way.len() < ASKED_AT_ONCE => match asked {
                Some((id, ask, room)) => under_way.push(async move { (id, answer(ask).await, room) }),
                None => is_open = false,
            },
            Some((id, answered, room)) = under_way.next() => {
                let (answer, error) = match &answered {
                    Ok(answer) => (Some(answer), None),
                    Err(error) => (None, Some(error.as_str())),
                };
                let body = answer.map(|answer| answer.body.as_slice()).unwrap_or_default();
                frame::send(&mut writer, &Answered { id, answer, error }, body).await?;
                drop(room);
            }
        }
    }
    Ok(())
}

/// Why a worker's program failed; `None` where it did not.
fn failure(outcome: Outcome<Option<Ended>>) -> Option<ExecutionFailure> {
    let (code, message) = match outcome {
        Outcome::Finished(Some(Ended { ended: None })) => return None,
        Outcome::Finished(Some(Ended { ended: Some(error) })) => {
            // What databases can't hold.
            let error = error.replace('\0', "\u{fffd}");
            (ExecutionFailureCode::UncaughtError, error.chars().take(ERROR_MAX_CHARS).collect())
        }
        Outcome::Finished(None) => (
            ExecutionFailureCode::Crashed,
            "The code ended its process without coming to its end.".to_owned(),
        ),
        Outcome::TimedOut => {
            (ExecutionFailureCode::TimedOut, "The code took more time than it may.".to_owned())
        }
        Outcome::OutOfMemory => {
            (ExecutionFailureCode::OutOfMemory, "The code asked for more memory than it may have.".to_owned())
        }
        Outcome::OutputTooLarge => (
            ExecutionFailureCode::OutputTooLarge,
            format!("The code wrote more than {WRITTEN_MAX_BYTES} bytes."),
        ),
        Outcome::Crashed(crash) => {
            let end = crash.end;
            (ExecutionFailureCode::Crashed, format!("The code's process ended by {end}."))
        }
        Outcome::Unprotected(_) => (
            ExecutionFailureCode::SandboxUnavailable,
            "This deployment can't confine what it runs.".to_owned(),
        ),
    };
    Some(ExecutionFailure { code, message })
}
