//! JavaScript, by QuickJS within the worker. The engine knows no files, no network and no processes; what it adds to the
//! language is `prelude.js`, and leads to the host.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::rc::Rc;
use std::time::Instant;

use rquickjs::context::EvalOptions;
use rquickjs::{
    CatchResultExt, CaughtError, Context, Ctx, Exception, Function, Promise, Runtime, TypedArray, Value,
};

use crate::frame;
use crate::message::Ended;
use crate::worker::Task;

/// Room of the code's calls of its own functions, in bytes: beyond it an error is raised. The thread's own is 8 MiB.
const STACK_BYTES: usize = 1024 * 1024;
/// What QuickJS says where it is refused memory.
const OUT_OF_MEMORY: &str = "out of memory";
/// The name of the code in what errors say.
const FILE_NAME: &str = "code.js";
const PRELUDE: &str = include_str!("javascript/prelude.js");

/// How a program came to its end.
enum End {
    /// By itself, or by an error that it did not handle.
    Own(Option<String>),
    /// It asked for more memory than it may have.
    OutOfMemory,
    /// It took more time than it may.
    TimedOut,
    /// Its host has gone.
    Alone(io::Error),
}

/// Runs the program that comes through `host`, which is both ways, to its end. What it writes goes to `output`.
///
/// # Errors
/// [`io::ErrorKind::OutOfMemory`], [`io::ErrorKind::TimedOut`]; whatever talking to the host fails with.
pub(crate) fn run(host: File, output: BufWriter<File>, task: Task) -> io::Result<()> {
    let Task { memory_bytes, time } = task;
    let (context, source) = frame::read(&mut &host)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let end = Instant::now() + time;
    let ways = Rc::new(Ways { host, output: RefCell::new(output), waiting: Cell::new(0), end });
    let end = {
        let runtime = Runtime::new().map_err(io::Error::other)?;
        runtime.set_memory_limit(memory_bytes);
        runtime.set_max_stack_size(STACK_BYTES);
        // The engine asks every now and then, also while it matches regular expressions; no code can catch what follows.
        runtime.set_interrupt_handler(Some(Box::new(move || Instant::now() >= end)));
        let javascript = Context::full(&runtime).map_err(io::Error::other)?;
        javascript.with(|ctx| {
            let begun = begin(&ctx, &ways, &context, source).catch(&ctx);
            let ended = match begun {
                Ok((answer, program)) => follow(&ctx, &ways, &answer, &program),
                Err(error) => caught(error),
            };
            // Whatever it ended by: it came too late.
            if ways.is_over() { End::TimedOut } else { ended }
        })
    };
    match end {
        End::Own(ended) => frame::write(&mut &ways.host, &serde_json::to_vec(&Ended { ended })?, &[]),
        End::OutOfMemory => Err(io::ErrorKind::OutOfMemory.into()),
        End::TimedOut => Err(io::ErrorKind::TimedOut.into()),
        End::Alone(error) => Err(error),
    }
}

/// The ways out of the engine.
struct Ways {
    /// To the host and from it.
    host: File,
    output: RefCell<BufWriter<File>>,
    /// Questions that are not answered yet.
    waiting: Cell<usize>,
    /// When the program's time is over.
    end: Instant,
}

impl Ways {
    fn is_over(&self) -> bool {
        Instant::now() >= self.end
    }
}

/// Begins the program; returns what takes the host's answers, and the promise of the program's end.
fn begin<'js>(
    ctx: &Ctx<'js>,
    ways: &Rc<Ways>,
    context: &[u8],
    source: Vec<u8>,
) -> rquickjs::Result<(Function<'js>, Promise<'js>)> {
    let ask = {
        let ways = Rc::clone(ways);
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, head: String, body: String| {
            let body = bytes(&body);
            if body.len() > frame::BODY_MAX_BYTES {
                let most = frame::BODY_MAX_BYTES;
                return Err(Exception::throw_range(&ctx, &format!("a body has at most {most} bytes")));
            }
            ways.waiting.set(ways.waiting.get().saturating_add(1));
            let sent = frame::write(&mut &ways.host, head.as_bytes(), &body);
            sent.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
        })?
    };
    let print = {
        let ways = Rc::clone(ways);
        Function::new(ctx.clone(), move |ctx: Ctx<'js>, text: String| {
            let mut output = ways.output.borrow_mut();
            let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
            written.map_err(|error| Exception::throw_message(&ctx, &error.to_string()))
        })?
    };
    let encode =
        Function::new(ctx.clone(), |ctx: Ctx<'js>, text: String| TypedArray::new(ctx, text.into_bytes()))?;
    let decode =
        Function::new(ctx.clone(), |text: String| String::from_utf8_lossy(&bytes(&text)).into_owned())?;
    let prelude: Function<'js> = ctx.eval(PRELUDE)?;
    let answer = prelude.call((ask, print, encode, decode, ctx.json_parse(context)?))?;
    let mut options = EvalOptions::default();
    options.strict = false;
    options.promise = true;
    options.filename = Some(FILE_NAME.to_owned());
    Ok((answer, ctx.eval_with_options(source, options)?))
}

/// Lets the program go on until it has ended and nothing that it began is under way.
fn follow<'js>(ctx: &Ctx<'js>, ways: &Ways, answer: &Function<'js>, program: &Promise<'js>) -> End {
    loop {
        while !ways.is_over() && ctx.execute_pending_job() {}
        if ways.is_over() {
            return End::TimedOut;
        }
        match program.result::<Value<'js>>().map(|ended| ended.catch(ctx)) {
            Some(Err(error)) => return caught(error),
            Some(Ok(_)) if ways.waiting.get() == 0 => return End::Own(None),
            None if ways.waiting.get() == 0 => {
                return End::Own(Some("The code waits for something that will never come.".to_owned()));
            }
            Some(Ok(_)) | None => {}
        }
        let (head, body) = match frame::read(&mut &ways.host) {
            Ok(Some(message)) => message,
            Ok(None) => return End::Alone(io::ErrorKind::UnexpectedEof.into()),
            Err(error) => return End::Alone(error),
        };
        ways.waiting.set(ways.waiting.get().saturating_sub(1));
        let head = String::from_utf8_lossy(&head).into_owned();
        let taken = TypedArray::new(ctx.clone(), body).and_then(|body| answer.call::<_, ()>((head, body)));
        if let Err(error) = taken.catch(ctx) {
            return caught(error);
        }
    }
}

/// Bytes as they come out of the engine: a character for each, as no slice of its memory may be looked at in safe code.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|character| u8::try_from(character).unwrap_or(b'?')).collect()
}

/// The end that an error makes which the program did not handle.
fn caught(error: CaughtError<'_>) -> End {
    let text = match &error {
        CaughtError::Exception(exception) => {
            let message = exception.message().unwrap_or_default();
            if message == OUT_OF_MEMORY {
                return End::OutOfMemory;
            }
            let name: Option<String> = exception.as_object().get("name").ok();
            let stack = exception.stack().unwrap_or_default();
            format!("{}: {message}\n{stack}", name.as_deref().unwrap_or("Error"))
        }
        // Refused memory for the error itself.
        CaughtError::Value(value) if value.is_null() => return End::OutOfMemory,
        CaughtError::Value(value) => {
            let text: Option<String> = value.as_string().and_then(|text| text.to_string().ok());
            text.unwrap_or_else(|| format!("{value:?}"))
        }
        CaughtError::Error(error) => error.to_string(),
    };
    End::Own(Some(text.trim_end().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::{self, BufWriter};
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::run;
    use crate::frame;
    use crate::worker::Task;

    /// Runs a program that may take 100 ms; returns what it ended with, and what it wrote.
    fn outcome(source: &str) -> (io::Result<()>, String) {
        let (mut host, worker) = UnixStream::pair().unwrap();
        frame::write(&mut host, b"{}", source.as_bytes()).unwrap();
        let written = tempfile::NamedTempFile::new().unwrap();
        let output = BufWriter::new(written.reopen().unwrap());
        let task = Task { memory_bytes: 16 * 1024 * 1024, time: Duration::from_millis(100) };
        let ended = run(File::from(OwnedFd::from(worker)), output, task);
        (ended, fs::read_to_string(written.path()).unwrap())
    }

    #[test]
    fn code_without_end_is_interrupted_by_its_engine_and_can_do_nothing_about_it() {
        for code in [
            "for (;;);",
            "for (;;) await null;",
            "for (;;) try { for (;;); } catch { } finally { for (;;); }",
            "/(a+)+$/.test('a'.repeat(64) + 'b')",
        ] {
            let (ended, written) = outcome(&format!("console.log('here'); {code}"));
            assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut, "{code}");
            assert_eq!(written, "here\n", "{code}");
        }
        let (ended, written) = outcome("console.log('done')");
        assert!(ended.is_ok());
        assert_eq!(written, "done\n");
    }
}
