//! The half that starts workers, publishes their output, and answers their calls.

mod conversation;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::time::Duration;

use domain::work::execution::{ExecutionFailure, ExecutionFailureCode, Language, LanguageVersion};
use domain::{Error, Result};
use futures_util::future::{Either, select};
use sandbox::{CrashEnd, Limits, Output, Protection, Worker, WorkerEnd};
use serde_json::value::RawValue;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

use crate::engine::conversation::{CodeEnd, Conversation};
use crate::limits::ProgramLimits;
use crate::mask::masked;
use crate::message::{Ask, CallAnswer};
use crate::python::{self, Interpreter};
use crate::transcript::{OutputPiece, Transcript};

/// Limit of a program's output in bytes. It is above what is kept, so that a verbose program can end normally.
const WRITTEN_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Address space in bytes of the service's program and its allocator, beside the code's memory, which QuickJS limits.
const PROGRAM_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Address space in bytes of the Python interpreter with `asyncio`, and of the stacks of its threads.
const INTERPRETER_BYTES: u64 = 128 * 1024 * 1024;
/// Lifetime of a process beyond the time of its code: for its start, and for its end. Both engines end at the code's time
/// limit and flush their output; this limit kills code that blocks its engine.
const GRACE: Duration = Duration::from_secs(3);
/// Longest delay of output before it is published.
const OUTPUT_DELAY: Duration = Duration::from_millis(150);
/// Most delayed output, in bytes.
const OUTPUT_BUFFER_BYTES: usize = 16 * 1024;
/// Part of a program's time for which an answer to its call may stay unread.
const UNREAD: u32 = 3;
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
    pub context: BTreeMap<String, Box<RawValue>>,
}

impl Engine {
    /// An engine with these settings.
    pub fn new(settings: Settings) -> Self {
        Self { settings, python: OnceCell::new() }
    }

    /// The languages, with the versions of their interpreters.
    pub async fn languages(&self) -> Vec<LanguageVersion> {
        let python = self.python.get_or_init(|| Interpreter::find(&self.settings.python)).await;
        let python = python.as_ref().ok().map(|python| format!("CPython {}", python.version()));
        let javascript = Some("QuickJS, ECMAScript 2023".to_owned());
        [(Language::JavaScript, javascript), (Language::Python, python)]
            .map(|(language, version)| LanguageVersion { language, version })
            .into()
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
        let started = Instant::now();
        let conversation = Conversation::new(self.settings.time / UNREAD);
        let run = worker.run(File::from(OwnedFd::from(theirs)), async |output: &mut Output| {
            let written = pin!(async {
                transcribe(output, say).await;
                output.limit() == 0
            });
            match select(written, pin!(conversation.hold(own, program, answer))).await {
                // It reached its output limit, and will be killed.
                Either::Left((true, _)) => None,
                Either::Left((false, conversation)) => conversation.await,
                Either::Right((ended, written)) => {
                    written.await;
                    ended
                }
            }
        });
        let outcome = tokio::select! {
            outcome = run => outcome?,
            // The worker ends with the dropped future.
            () = conversation.unread() => {
                return Ok(Some(crashed("The process did not read the answers to its calls.")));
            }
        };
        let has_begun = conversation.has_begun();
        Ok(failure(outcome, has_begun, has_begun && started.elapsed() >= self.settings.time))
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
                // Code can start more threads than any library lets it.
                processors: Some(1),
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

/// The failure of a worker's program, if it failed. Once the code has begun, the process's exit code is the code's own;
/// `is_late`: and its time was over.
fn failure(outcome: WorkerEnd<Option<CodeEnd>>, has_begun: bool, is_late: bool) -> Option<ExecutionFailure> {
    let out_of_memory =
        || ExecutionFailure::new(ExecutionFailureCode::OutOfMemory, "The code exceeded its memory limit.");
    let timed_out =
        || ExecutionFailure::new(ExecutionFailureCode::TimedOut, "The code exceeded its time limit.");
    Some(match outcome {
        WorkerEnd::Finished(Some(CodeEnd::Completed)) => return None,
        WorkerEnd::Finished(Some(CodeEnd::Failed(error))) => {
            // PostgreSQL's text has no NUL.
            let error = masked(&error.replace('\0', "\u{fffd}"));
            let message: String = error.chars().take(ERROR_MAX_CHARS).collect();
            ExecutionFailure::new(ExecutionFailureCode::UncaughtError, message)
        }
        WorkerEnd::Finished(Some(CodeEnd::OutOfMemory)) | WorkerEnd::OutOfMemory => out_of_memory(),
        WorkerEnd::Finished(None) => crashed("The process exited before the code ended."),
        WorkerEnd::TimedOut => timed_out(),
        WorkerEnd::Crashed(crash) if is_late && crash.end == CrashEnd::Code(python::TIMED_OUT) => timed_out(),
        WorkerEnd::OutputTooLarge => {
            let message = format!("The code wrote more than {WRITTEN_MAX_BYTES} bytes.");
            ExecutionFailure::new(ExecutionFailureCode::OutputTooLarge, message)
        }
        WorkerEnd::Crashed(crash) => crashed(&format!("The process crashed: {}.", crash.end)),
        WorkerEnd::Unprotected(_) if has_begun => {
            crashed(&format!("The process crashed: {}.", CrashEnd::Code(sandbox::UNPROTECTED.into())))
        }
        WorkerEnd::Unprotected(_) => ExecutionFailure::new(
            ExecutionFailureCode::SandboxUnavailable,
            "This deployment can't confine code, and so does not run it.",
        ),
    })
}

fn crashed(message: &str) -> ExecutionFailure {
    ExecutionFailure::new(ExecutionFailureCode::Crashed, message)
}
