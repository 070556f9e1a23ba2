//! JavaScript by QuickJS in the worker. The engine has no files, network or processes; `prelude.js` adds calls to the
//! host.

mod globals;
mod memory;
mod rejections;

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;
use std::time::Instant;

use rquickjs::context::EvalOptions;
use rquickjs::{
    Array, CatchResultExt, CaughtError, Context, Ctx, Exception, Function, Module, Promise, Runtime,
    TypedArray, Value, convert::List,
};

use crate::frame;
use crate::javascript::globals::Globals;
use crate::javascript::memory::EngineMemory;
use crate::javascript::rejections::Rejections;
use crate::limits::ProgramLimits;
use crate::message::WorkerMessage;

/// Stack of the code in bytes; an overflow raises an error. The thread has 8 MiB.
const STACK_BYTES: usize = 1024 * 1024;
/// QuickJS' message after a refused allocation.
const OUT_OF_MEMORY: &str = "out of memory";
/// Name of the code in error messages.
const FILE_NAME: &str = "code.js";
const PRELUDE: &str = include_str!("javascript/prelude.js");

/// The end of a program.
enum ProgramEnd {
    /// It completed.
    Completed,
    /// It ended with an uncaught error. Contains its text.
    Failed(String),
    /// It exceeded its memory.
    OutOfMemory,
    /// It exceeded its time.
    TimedOut,
    /// The connection to the host failed.
    HostLost(io::Error),
}

/// Runs the program that the socket `host` sends, and writes its output to `output`.
///
/// # Errors
/// [`io::ErrorKind::TimedOut`], and errors of the socket.
pub(crate) fn run(host: File, output: BufWriter<File>, limits: ProgramLimits) -> io::Result<()> {
    let ProgramLimits { memory_bytes, time } = limits;
    send(&host, &WorkerMessage::Ready {}, &[])?;
    let (context, source) = frame::read(&mut &host)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let end = Instant::now() + time;
    let lacked_memory = Rc::new(Cell::new(false));
    let channels = Rc::new(Channels {
        host,
        output: RefCell::new(output),
        waiting: Cell::new(0),
        lacked_memory: Rc::clone(&lacked_memory),
        end,
    });
    let end = {
        let memory = EngineMemory::new(memory_bytes, lacked_memory);
        let runtime = Runtime::new_with_alloc(memory).map_err(io::Error::other)?;
        let rejections = Rejections::default();
        rejections.follow(&runtime);
        runtime.set_max_stack_size(STACK_BYTES);
        // The engine calls it regularly, even inside regular expressions. Code can't catch the interruption.
        runtime.set_interrupt_handler(Some(Box::new(move || Instant::now() >= end)));
        let javascript = Context::full(&runtime).map_err(io::Error::other)?;
        javascript.with(|ctx| {
            let ended = match Prelude::load(&ctx, &channels, &context).catch(&ctx) {
                Ok(prelude) => {
                    rejections.tell(&ctx, prelude.rejected.clone());
                    run_to_end(&ctx, &channels, &prelude, source)
                }
                Err(error) => uncaught(error, &channels, None),
            };
            rejections.end();
            // Any end after the time limit is a timeout.
            if channels.is_over() { ProgramEnd::TimedOut } else { ended }
        })
    };
    match end {
        ProgramEnd::Completed => send(&channels.host, &WorkerMessage::Completed {}, &[]),
        ProgramEnd::Failed(error) => {
            let sent = error.get(..error.floor_char_boundary(frame::BODY_MAX_BYTES)).unwrap_or_default();
            send(&channels.host, &WorkerMessage::Failed {}, sent.as_bytes())
        }
        ProgramEnd::OutOfMemory => send(&channels.host, &WorkerMessage::OutOfMemory {}, &[]),
        ProgramEnd::TimedOut => Err(io::ErrorKind::TimedOut.into()),
        ProgramEnd::HostLost(error) => Err(error),
    }
}

/// Sends a message to the host.
fn send(mut host: &File, message: &WorkerMessage, body: &[u8]) -> io::Result<()> {
    frame::write(&mut host, &serde_json::to_vec(message)?, body)
}

/// The engine's channels to the outside.
struct Channels {
    /// Socket to the host.
    host: File,
    output: RefCell<BufWriter<File>>,
    /// Number of unanswered calls.
    waiting: Cell<usize>,
    /// True once the engine was refused memory.
    lacked_memory: Rc<Cell<bool>>,
    /// Time limit of the program.
    end: Instant,
}

impl Channels {
    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }
}

/// The functions of `prelude.js` that the host's side calls.
struct Prelude<'js> {
    /// Takes an answer of the host.
    receive: Function<'js>,
    /// The text of an uncaught error.
    describe: Function<'js>,
    /// Takes a promise that has failed, or was handled after that.
    rejected: Function<'js>,
    /// The reason of the first promise that has failed unseen, in a list.
    unseen: Function<'js>,
}

impl<'js> Prelude<'js> {
    /// Adds the globals of `prelude.js`.
    fn load(ctx: &Ctx<'js>, channels: &Rc<Channels>, context: &[u8]) -> rquickjs::Result<Self> {
        let ask = {
            let channels = Rc::clone(channels);
            Function::new(ctx.clone(), move |ctx: Ctx<'js>, head: String, body: String| {
                let body = bytes(&body);
                if head.len() > frame::CALL_HEAD_MAX_BYTES {
                    let most = frame::CALL_HEAD_MAX_BYTES;
                    let message = format!("a call has at most {most} bytes of URL and headers");
                    return Err(Exception::throw_range(&ctx, &message));
                }
                if body.len() > frame::BODY_MAX_BYTES {
                    let most = frame::BODY_MAX_BYTES;
                    return Err(Exception::throw_range(&ctx, &format!("a body has at most {most} bytes")));
                }
                channels.waiting.set(channels.waiting.get().saturating_add(1));
                let sent = frame::write(&mut &channels.host, head.as_bytes(), &body);
                sent.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
            })?
        };
        let print = {
            let channels = Rc::clone(channels);
            Function::new(ctx.clone(), move |ctx: Ctx<'js>, text: String| {
                let mut output = channels.output.borrow_mut();
                let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
                written.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
            })?
        };
        let encode = Function::new(ctx.clone(), |ctx: Ctx<'js>, text: String| {
            TypedArray::new(ctx, text.into_bytes())
        })?;
        let decode =
            Function::new(ctx.clone(), |text: String| String::from_utf8_lossy(&bytes(&text)).into_owned())?;
        let Globals { added, inspect } = Globals::load(ctx, print)?;
        let prelude: Function<'js> = ctx.eval(PRELUDE)?;
        let loaded = prelude.call((ask, encode, decode, added, inspect, ctx.json_parse(context)?));
        let List((receive, describe, rejected, unseen)) = loaded?;
        Ok(Self { receive, describe, rejected, unseen })
    }

    /// The error of the first promise that has failed, and that nothing has handled.
    fn unseen(&self, ctx: &Ctx<'js>) -> Option<CaughtError<'js>> {
        let reasons: Array<'js> = match self.unseen.call(()).catch(ctx) {
            Ok(reasons) => reasons,
            Err(error) => return Some(error),
        };
        let reason: Value<'js> = reasons.iter().next()?.ok()?;
        Some(match Exception::from_value(reason.clone()) {
            Ok(exception) => CaughtError::Exception(exception),
            Err(_) => CaughtError::Value(reason),
        })
    }
}

/// Starts the program; returns the promise of its end. Code with `import` or `export` is a module.
fn start<'js>(ctx: &Ctx<'js>, source: Vec<u8>) -> rquickjs::Result<Promise<'js>> {
    if is_module(&source) {
        return Module::evaluate(ctx.clone(), FILE_NAME, source);
    }
    let mut options = EvalOptions::default();
    options.strict = false;
    options.promise = true;
    options.filename = Some(FILE_NAME.to_owned());
    ctx.eval_with_options(source, options)
}

/// True if a line begins with `import` or `export`, as declarations of a module do.
fn is_module(source: &[u8]) -> bool {
    let text = String::from_utf8_lossy(source);
    text.lines().any(|line| {
        let line = line.trim_start();
        let rest = line.strip_prefix("import").or_else(|| line.strip_prefix("export"));
        rest.is_some_and(|rest| rest.starts_with([' ', '\t', '{', '*', '"', '\'']))
    })
}

/// Runs the program until it has ended and has no pending calls.
fn run_to_end<'js>(
    ctx: &Ctx<'js>,
    channels: &Channels,
    prelude: &Prelude<'js>,
    source: Vec<u8>,
) -> ProgramEnd {
    let program = match start(ctx, source).catch(ctx) {
        Ok(program) => program,
        Err(error) => return uncaught(error, channels, Some(prelude)),
    };
    loop {
        while !channels.is_over() && ctx.execute_pending_job() {}
        if channels.is_over() {
            return ProgramEnd::TimedOut;
        }
        let ended = match program.result::<Value<'js>>().map(|ended| ended.catch(ctx)) {
            Some(Err(error)) => return uncaught(error, channels, Some(prelude)),
            ended => ended,
        };
        if channels.waiting.get() == 0 {
            // Nothing can handle it any more.
            return match (prelude.unseen(ctx), ended) {
                (Some(error), _) => uncaught(error, channels, Some(prelude)),
                (None, Some(_)) => ProgramEnd::Completed,
                (None, None) => {
                    ProgramEnd::Failed("The code waits for something that will never come.".to_owned())
                }
            };
        }
        let (head, body) = match frame::read(&mut &channels.host) {
            Ok(Some(message)) => message,
            Ok(None) => return ProgramEnd::HostLost(io::ErrorKind::UnexpectedEof.into()),
            Err(error) => return ProgramEnd::HostLost(error),
        };
        channels.waiting.set(channels.waiting.get().saturating_sub(1));
        let head = String::from_utf8_lossy(&head).into_owned();
        let taken =
            TypedArray::new(ctx.clone(), body).and_then(|body| prelude.receive.call::<_, ()>((head, body)));
        if let Err(error) = taken.catch(ctx) {
            return uncaught(error, channels, Some(prelude));
        }
    }
}

/// Bytes from the engine, one for each character: safe code can't borrow the engine's memory.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(character).unwrap_or(b'?')).collect()
}

/// The end of a program by an uncaught error.
fn uncaught<'js>(error: CaughtError<'js>, channels: &Channels, prelude: Option<&Prelude<'js>>) -> ProgramEnd {
    let lacked_memory = channels.lacked_memory.get();
    let thrown = match error {
        CaughtError::Exception(exception)
            if lacked_memory && exception.message().as_deref() == Some(OUT_OF_MEMORY) =>
        {
            return ProgramEnd::OutOfMemory;
        }
        // The engine had no memory for the error object.
        CaughtError::Value(value) if lacked_memory && value.is_null() => return ProgramEnd::OutOfMemory,
        CaughtError::Exception(exception) => exception.into_value(),
        CaughtError::Value(value) => value,
        CaughtError::Error(error) => return ProgramEnd::Failed(error.to_string()),
    };
    let text: Option<String> = prelude.and_then(|prelude| prelude.describe.call((thrown,)).ok());
    ProgramEnd::Failed(text.unwrap_or_else(|| "The code threw a value that can't be shown.".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::{self, BufWriter};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::thread;
    use std::time::Duration;

    use serde_json::Value;

    use super::run;
    use crate::frame;
    use crate::limits::ProgramLimits;

    /// Runs a program with a limit of time; returns its result, its output, and its messages to the host. Its timers end at
    /// once, and other calls are refused.
    fn run_for(millis: u64, source: &str) -> (io::Result<()>, String, Vec<String>) {
        let (mut host, worker) = UnixStream::pair().unwrap();
        frame::write(&mut host, b"{}", source.as_bytes()).unwrap();
        let mut answers = host.try_clone().unwrap();
        let messages = thread::spawn(move || {
            let mut messages = Vec::new();
            while let Ok(Some((head, body))) = frame::read(&mut host) {
                let message: Value = serde_json::from_slice(&head).unwrap();
                if let Some(id) = message.get("id") {
                    let error = if message["kind"] == "sleep" { "" } else { "refused" };
                    let answer = serde_json::json!({ "id": id, "error": error }).to_string();
                    frame::write(&mut answers, answer.as_bytes(), b"").unwrap();
                }
                messages.push(format!(
                    "{} {}",
                    message["kind"].as_str().unwrap(),
                    String::from_utf8(body).unwrap()
                ));
            }
            messages
        });
        let written = tempfile::NamedTempFile::new().unwrap();
        let output = BufWriter::new(written.reopen().unwrap());
        let limits = ProgramLimits { memory_bytes: 16 * 1024 * 1024, time: Duration::from_millis(millis) };
        let ended = run(File::from(OwnedFd::from(worker)), output, limits);
        (ended, fs::read_to_string(written.path()).unwrap(), messages.join().unwrap())
    }

    #[test]
    fn endless_code_is_interrupted_by_its_engine_and_cannot_prevent_it() {
        for code in [
            "for (;;);",
            "for (;;) await null;",
            "for (;;) try { for (;;); } catch { } finally { for (;;); }",
            "/(a+)+$/.test('a'.repeat(64) + 'b')",
        ] {
            let (ended, written, _) = run_for(100, &format!("console.log('here'); {code}"));
            assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut, "{code}");
            assert_eq!(written, "here\n", "{code}");
        }
    }

    /// The last message of a program to the host.
    fn end(source: &str) -> String {
        let (_, _, mut messages) = run_for(60_000, source);
        messages.pop().unwrap()
    }

    #[test]
    fn a_promise_that_fails_unseen_fails_the_code_and_one_that_is_handled_later_does_not() {
        for code in [
            "async function main() { throw new RangeError('no') } main();",
            "setTimeout(() => { throw new RangeError('no') }, 1); await 1",
            "setTimeout(async () => { throw new RangeError('no') }, 1)",
            "Promise.resolve().then(() => { throw new RangeError('no') })",
            "new Promise((_, fail) => fail(new RangeError('no'))); await new Promise(() => {})",
            "Promise.all([Promise.reject(new RangeError('no')), 1])",
            "Promise.reject(new RangeError('no')).finally(() => 1)",
            "(async () => { for await (const a of [Promise.reject(new RangeError('no'))]); })()",
        ] {
            let ended = end(code);
            assert!(
                ended.starts_with("failed RangeError: no\n") && ended.contains("code.js:1"),
                "{code}: {ended}"
            );
        }
        for (code, said) in [
            ("fetch('http://a/')", "failed TypeError: refused"),
            ("atelier.createEvaluationRun()", "failed TypeError: refused"),
            ("Promise.reject('a text')", "failed a text"),
            ("Promise.reject(undefined)", "failed undefined"),
            ("Promise.reject(null)", "failed null"),
            ("throw null", "failed null"),
            ("throw new Error('out of memory')", "failed Error: out of memory"),
        ] {
            assert!(end(code).starts_with(said), "{code}: {}", end(code));
        }
        for code in [
            "const later = Promise.reject(new Error('no')); await null; await later.catch(() => 1)",
            "const later = (async () => { throw 1 })(); await new Promise((go) => Promise.resolve().then(go)); later.catch(() => 1)",
            "await Promise.allSettled([Promise.reject(1), fetch('http://a/')])",
            "try { await Promise.reject(1) } catch { }",
            "fetch('http://a/').then(() => 1, () => 2)",
            "setTimeout(() => 1, 1).length",
        ] {
            assert_eq!(end(code), "completed ", "{code}");
        }
    }

    #[test]
    fn code_without_memory_is_told_from_code_that_throws() {
        for code in [
            "const all = []; for (;;) all.push({});",
            "new Uint8Array(1e9)",
            "(async () => { const all = []; for (;;) all.push([{}]); })()",
        ] {
            assert_eq!(end(code), "outOfMemory ", "{code}");
        }
    }
}
