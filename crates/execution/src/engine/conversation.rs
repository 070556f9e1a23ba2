//! The host's half of the conversation with a worker: the code, the worker's calls and their answers.
//!
//! A worker's messages count against one budget of bytes before they are read, with the memory that they take once they
//! are parsed, and with the answers that they may get. A worker whose budget is spent is not read until an answer has
//! been sent. A worker that does not read its answers is ended.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::timeout;

use crate::engine::SourceCode;
use crate::frame;
use crate::message::{AnswerHead, Ask, CallAnswer, WorkerMessage};
use crate::zones;

/// Most concurrent calls of a worker. The worker's half allows fewer.
const CALLS_AT_ONCE: usize = 80;
/// Budget of one worker, in bytes: eight concurrent requests with small bodies.
const BUDGET_BYTES: usize = 40 * 1024 * 1024;
/// Memory of a parsed head, for each of its bytes. Most memory is taken by headers with empty names and values.
const PARSED_BYTES: usize = 20;
/// Most bytes of the text of an uncaught error.
const ERROR_MAX_BYTES: usize = 64 * 1024;

/// The end of the code, as its worker reports it.
#[derive(Debug)]
pub(super) enum CodeEnd {
    /// It ended.
    Completed,
    /// It ended with an uncaught error. Contains its text.
    Failed(String),
    /// It exceeded its memory.
    OutOfMemory,
}

/// A conversation with one worker.
pub(super) struct Conversation {
    /// Longest time for which an answer may stay unread.
    unread_max: Duration,
    has_begun: Cell<bool>,
    unread: Notify,
}

/// A call by where it is answered.
enum Call {
    /// Here: the file of a time zone.
    Zone(String),
    /// By the deployment.
    Ask(Ask),
}

/// A call with its number. The permit covers the call and its answer.
struct PendingCall {
    id: u64,
    call: Call,
    room: OwnedSemaphorePermit,
}

impl Conversation {
    pub(super) fn new(unread_max: Duration) -> Self {
        Self { unread_max, has_begun: Cell::new(false), unread: Notify::new() }
    }

    /// True once the worker has confined itself and has been sent the code.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun.get()
    }

    /// Waits until an answer has stayed unread for too long.
    pub(super) async fn unread(&self) {
        self.unread.notified().await;
    }

    /// Sends the code to a worker and answers its calls until its end; `None` if it ends without a message.
    pub(super) async fn hold(
        &self,
        socket: UnixStream,
        program: &SourceCode,
        answer: impl AsyncFn(Ask) -> Result<CallAnswer, String>,
    ) -> Option<CodeEnd> {
        let (mut reader, mut writer) = socket.into_split();
        let budget = Arc::new(Semaphore::new(BUDGET_BYTES));
        let first = receive(&mut reader, &budget).await.ok()??;
        if first.message != (WorkerMessage::Ready {}) {
            return None;
        }
        self.has_begun.set(true);
        // After an error the worker ends alone, or at its time limit.
        frame::send(&mut writer, &program.context, program.source.as_bytes()).await.ok()?;
        let (sender, calls) = mpsc::channel(CALLS_AT_ONCE);
        let (ended, _) = tokio::join!(listen(reader, &budget, sender), self.reply(writer, calls, answer));
        ended.ok().flatten()
    }

    /// Answers a worker's calls, in the order in which answers become ready.
    async fn reply(
        &self,
        mut writer: OwnedWriteHalf,
        mut calls: mpsc::Receiver<PendingCall>,
        answer: impl AsyncFn(Ask) -> Result<CallAnswer, String>,
    ) -> io::Result<()> {
        let answer = &answer;
        let mut pending = FuturesUnordered::new();
        let mut is_open = true;
        while is_open {
            tokio::select! {
                call = calls.recv(), if pending.len() < CALLS_AT_ONCE => match call {
                    Some(PendingCall { id, call, room }) => pending.push(async move {
                        let answered = match call {
                            Call::Zone(name) => zones::file(&name),
                            Call::Ask(ask) => answer(ask).await,
                        };
                        (id, answered, room)
                    }),
                    None => is_open = false,
                },
                Some((id, answered, room)) = pending.next() => {
                    let (answer, error) = match &answered {
                        Ok(answer) => (Some(answer), None),
                        Err(error) => (None, Some(error.as_str())),
                    };
                    let head = AnswerHead { id, answer, error };
                    let body = answer.map(|answer| answer.body.as_slice()).unwrap_or_default();
                    let Ok(sent) = timeout(self.unread_max, frame::send(&mut writer, &head, body)).await else {
                        self.unread.notify_one();
                        return Ok(());
                    };
                    sent?;
                    drop(room);
                }
            }
        }
        Ok(())
    }
}

/// A worker's message with its body. The permit covers both, and the answer.
struct Received {
    message: WorkerMessage,
    body: Vec<u8>,
    room: OwnedSemaphorePermit,
}

/// Receives a worker's messages until its end.
async fn listen(
    mut reader: OwnedReadHalf,
    budget: &Arc<Semaphore>,
    calls: mpsc::Sender<PendingCall>,
) -> io::Result<Option<CodeEnd>> {
    while let Some(Received { message, body, room }) = receive(&mut reader, budget).await? {
        let (id, call) = match message {
            WorkerMessage::Fetch { id, method, url, headers } => {
                (id, Call::Ask(Ask::Fetch { method, url, headers, body }))
            }
            WorkerMessage::Sleep { id, millis } => (id, Call::Ask(Ask::Sleep { millis })),
            WorkerMessage::Zone { id, name } => (id, Call::Zone(name)),
            WorkerMessage::CreateEvaluationRun { id } => (id, Call::Ask(Ask::CreateEvaluationRun)),
            WorkerMessage::Completed {} => return Ok(Some(CodeEnd::Completed)),
            WorkerMessage::OutOfMemory {} => return Ok(Some(CodeEnd::OutOfMemory)),
            WorkerMessage::Failed {} => {
                let text = body.get(..ERROR_MAX_BYTES).unwrap_or(&body);
                return Ok(Some(CodeEnd::Failed(String::from_utf8_lossy(text).into_owned())));
            }
            WorkerMessage::Ready {} => return Err(io::ErrorKind::InvalidData.into()),
        };
        if calls.send(PendingCall { id, call, room }).await.is_err() {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Receives one message, as soon as the budget has room for it; `None` at the end.
async fn receive(reader: &mut OwnedReadHalf, budget: &Arc<Semaphore>) -> io::Result<Option<Received>> {
    let Some(head_length) = frame::receive_head_length(reader).await? else { return Ok(None) };
    let mut room = take(budget, head_length.saturating_mul(PARSED_BYTES)).await?;
    let message = serde_json::from_slice(&frame::exactly(reader, head_length).await?)?;
    let body_length = frame::receive_body_length(reader).await?;
    let answer_length = match &message {
        WorkerMessage::Fetch { .. } => frame::BODY_MAX_BYTES,
        WorkerMessage::Zone { .. } => zones::MAX_BYTES,
        _ => 0,
    };
    room.merge(take(budget, body_length.saturating_add(answer_length)).await?);
    let body = frame::exactly(reader, body_length).await?;
    Ok(Some(Received { message, body, room }))
}

async fn take(budget: &Arc<Semaphore>, bytes: usize) -> io::Result<OwnedSemaphorePermit> {
    let permits = u32::try_from(bytes).map_err(io::Error::other)?;
    Arc::clone(budget).acquire_many_owned(permits).await.map_err(io::Error::other)
}
