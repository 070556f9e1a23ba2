//! The program `atelier`: uploads of many files and of a large one, beside the bench's own client, which sends one file in a
//! request. A delaying proxy stands for a network.

mod proxy;

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail, ensure};

use self::proxy::Proxies;
use super::upload::Body;
use crate::client::{Client, Request};
use crate::load::{median, medians};
use crate::process::output;
use crate::stack::{Session, Stack};
use crate::table::{Bound, Row};
use crate::{log, rclone};

/// Small files, the size of each, and the clients of the yardstick.
const FILES: usize = 10_000;
const FILE_BYTES: usize = 10_000;
const CLIENTS: usize = 8;
const FILES_PER_FOLDER: usize = 100;
/// Files of the yardstick on the slow network, one request at a time.
const FILES_ONE_BY_ONE: usize = 100;
const ROUND_TRIP: Duration = Duration::from_millis(30);
/// Unchanged files of a second run, and files of a dry run.
const UNCHANGED: usize = 100_000;
const CONSIDERED: usize = 1_000_000;
const LARGE_FILE: &str = "large.bin";
const LARGE_BYTES: usize = 2 * 1024 * 1024 * 1024;
const BLOCK_BYTES: usize = 1024 * 1024;
const ROUNDS: usize = 3;
const STARTS: usize = 15;

/// The rows of the command line.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let bench = Bench { stack, folder: stack.scratch.join("command-line"), runs: AtomicUsize::new(0) };
    let small = bench.folder.join("small");
    write_files(&small, FILES, FILE_BYTES)?;
    let mut rows = Vec::new();
    let [service, yardstick] = medians(
        ROUNDS,
        [&mut |_| bench.upload_rate(&small, FILES, None), &mut |round| {
            bench.client_rate(CLIENTS, FILES, round)
        }],
    )?;
    let row = |name: &str, unit, service, yardstick, required, note| {
        // The group takes minutes.
        log(format_args!("{}: {service:.1} {unit}, beside {yardstick:?}", name.trim()));
        Row { name: name.to_owned(), unit, service, yardstick, required, aim: None, note }
    };
    let ratio = |least| Some(Bound::Ratio(least));
    rows.push(row(
        "atelier upload, 10,000 files of 10 kB",
        "/s",
        service,
        Some(yardstick),
        ratio(0.9),
        "8 clients, a file in a request",
    ));
    match rclone::copy_seconds(&small, &bench.folder, CLIENTS)? {
        None => log("rclone is not installed: nothing is measured beside it"),
        Some(seconds) => rows.push(row(
            "  beside rclone",
            "/s",
            service,
            Some(f64::from(u32::try_from(FILES)?) / seconds),
            None,
            "rclone copy to rclone serve webdav, 8 transfers",
        )),
    }

    let proxies = Proxies::start(&stack.ready.control_url, &stack.ready.data_url, ROUND_TRIP / 2)?;
    let [service, yardstick] = medians(
        1,
        [&mut |_| bench.upload_rate(&small, FILES, Some(&proxies)), &mut |_| bench.one_by_one_rate(&proxies)],
    )?;
    rows.push(row(
        "  with 30 ms of delay",
        "/s",
        service,
        Some(yardstick),
        ratio(5.0),
        "one request at a time",
    ));
    rows.push(row("  start to first request", "ms", bench.start_ms()?, None, Some(Bound::Below(50.0)), ""));

    let large = bench.folder.join("large");
    fs::create_dir_all(&large)?;
    write_large(&large.join(LARGE_FILE))?;
    let [service, yardstick] =
        medians(ROUNDS, [&mut |_| bench.large_rate(&large), &mut |round| bench.client_large_rate(round)])?;
    rows.push(row("  one file of 2 GiB", "MB/s", service, Some(yardstick), ratio(0.95), "one request"));
    if output("curl", Command::new("curl").arg("--version")).is_ok() {
        let [service, curl] = medians(
            ROUNDS,
            [&mut |_| bench.large_rate(&large), &mut |_| bench.curl_large_rate(&large.join(LARGE_FILE))],
        )?;
        rows.push(row(
            "  the same, beside curl",
            "MB/s",
            service,
            Some(curl),
            None,
            "curl with the same file",
        ));
    }
    fs::remove_dir_all(&large)?;

    let many = bench.folder.join("many");
    write_files(&many, UNCHANGED, 10)?;
    let project = stack.session()?.project;
    let mut first = bench.upload(&many, &project, &stack.ready.control_url);
    bench.run(&mut first)?;
    let counting = Proxies::start(&stack.ready.control_url, &stack.ready.data_url, Duration::ZERO)?;
    let mut second = bench.upload(&many, &project, counting.control_url());
    let begun = Instant::now();
    let run = bench.run(&mut second)?;
    ensure!(run.output.contains("100,000 unchanged"), "{}", run.output);
    let requests = f64::from(u32::try_from(counting.requests())?);
    let below = |limit| Some(Bound::Below(limit));
    rows.push(row("  requests of a second run, 100,000 files", "", requests, None, below(200.0), ""));
    rows.push(row("    its time", "s", begun.elapsed().as_secs_f64(), None, None, ""));
    rows.push(row("    its peak memory", "MiB", run.peak_mib, None, below(64.0), ""));
    fs::remove_dir_all(&many)?;

    let considered = bench.folder.join("considered");
    write_files(&considered, CONSIDERED, 0)?;
    let project = stack.session()?.project;
    let mut dry = bench.upload(&considered, &project, &stack.ready.control_url);
    dry.arg("--dry-run");
    let run = bench.run(&mut dry)?;
    rows.push(row("  peak memory, 1,000,000 files considered", "MiB", run.peak_mib, None, below(64.0), ""));
    fs::remove_dir_all(&bench.folder)?;
    Ok(rows)
}

/// The program with its files.
struct Bench<'a> {
    stack: &'a Stack,
    folder: PathBuf,
    /// Number of runs, each with a state of its own.
    runs: AtomicUsize,
}

/// A run to its end.
struct Run {
    time: Duration,
    peak_mib: f64,
    output: String,
}

impl Bench<'_> {
    fn command(&self, home: &Path, control_url: &str) -> Command {
        let mut command = Command::new(self.stack.program("atelier"));
        command.env_clear().env("HOME", home).env("NO_PROXY", "127.0.0.1");
        command.env("ATELIER_URL", control_url).env("ATELIER_KEY", &self.stack.ready.api_key);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    fn upload(&self, files: &Path, project: &str, control_url: &str) -> Command {
        let mut command = self.command(&self.folder.join("home"), control_url);
        command.arg("upload").arg(files).args(["--to", &format!("{project}:/Model")]);
        command
    }

    /// Runs a command to its end, and follows its memory.
    fn run(&self, command: &mut Command) -> Result<Run> {
        let begun = Instant::now();
        let mut child = command.spawn().context("start atelier")?;
        let mut stderr = child.stderr.take().context("no output")?;
        let reading = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).map(|_| text)
        });
        let peak_mib = follow_memory(&mut child)?;
        let time = begun.elapsed();
        let output = reading.join().map_err(|_| anyhow!("a reader panicked"))??;
        ensure!(child.wait()?.success(), "atelier failed:\n{output}");
        Ok(Run { time, peak_mib, output })
    }

    /// Files a second into a new project.
    fn upload_rate(&self, files: &Path, number: usize, proxies: Option<&Proxies>) -> Result<f64> {
        let home = self.folder.join(format!("home-{}", self.runs.fetch_add(1, Ordering::Relaxed)));
        let control_url = proxies.map_or(self.stack.ready.control_url.as_str(), Proxies::control_url);
        let mut upload = self.upload(files, &self.stack.session()?.project, control_url);
        let run = self.run(upload.env("HOME", home))?;
        Ok(f64::from(u32::try_from(number)?) / run.time.as_secs_f64())
    }

    /// Files a second of the bench's own clients, through one session.
    fn client_rate(&self, clients: usize, files: usize, round: usize) -> Result<f64> {
        let session = self.stack.session()?;
        let next = Arc::new(AtomicUsize::new(0));
        let begun = Instant::now();
        std::thread::scope(|scope| {
            let send = || -> Result<()> {
                let mut client = Client::connect(&self.stack.ready.data_url)?;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= files {
                        return Ok(());
                    }
                    send_small(&mut client, &session, round * files + number)?;
                }
            };
            let running: Vec<_> = (0..clients).map(|_| scope.spawn(send)).collect();
            running
                .into_iter()
                .try_for_each(|client| client.join().map_err(|_| anyhow!("a client panicked"))?)
        })?;
        Ok(f64::from(u32::try_from(files)?) / begun.elapsed().as_secs_f64())
    }

    fn one_by_one_rate(&self, proxies: &Proxies) -> Result<f64> {
        let session = self.stack.session()?;
        let mut client = Client::connect(proxies.data_url())?;
        let begun = Instant::now();
        for number in 0..FILES_ONE_BY_ONE {
            send_small(&mut client, &session, number)?;
        }
        Ok(f64::from(u32::try_from(FILES_ONE_BY_ONE)?) / begun.elapsed().as_secs_f64())
    }

    /// Milliseconds from the start of the program to its first connection.
    fn start_ms(&self) -> Result<f64> {
        let mut times = Vec::new();
        for _ in 0..STARTS {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let url = format!("http://{}", listener.local_addr()?);
            let mut command = self.command(&self.folder.join("home"), &url);
            let begun = Instant::now();
            let mut child = command.arg("whoami").stderr(Stdio::null()).spawn()?;
            let connection = listener.accept()?;
            times.push(begun.elapsed().as_secs_f64() * 1e3);
            child.kill()?;
            child.wait()?;
            drop(connection);
        }
        Ok(median(times))
    }

    fn large_rate(&self, folder: &Path) -> Result<f64> {
        let home = self.folder.join(format!("home-{}", self.runs.fetch_add(1, Ordering::Relaxed)));
        let session = self.stack.session()?;
        let mut upload = self.upload(folder, &session.project, &self.stack.ready.control_url);
        let run = self.run(upload.env("HOME", home))?;
        self.remove_blobs(&session)?;
        Ok(megabytes()? / run.time.as_secs_f64())
    }

    fn client_large_rate(&self, round: usize) -> Result<f64> {
        let session = self.stack.session()?;
        let body = Body::new(BLOCK_BYTES, LARGE_BYTES / BLOCK_BYTES, round + 1);
        let Session { upload_path: path, grant: bearer, .. } = &session;
        let mut client = Client::connect(&self.stack.ready.data_url)?;
        let request = Request { method: "POST", path, bearer, headers: &[Body::header()] };
        let begun = Instant::now();
        client.send_pieces(&request, body.length(), body.pieces())?.expect(200)?;
        let rate = megabytes()? / begun.elapsed().as_secs_f64();
        self.remove_blobs(&session)?;
        Ok(rate)
    }

    /// curl reads the file, as the program does, and sends it in one request, as the bench's client does.
    fn curl_large_rate(&self, file: &Path) -> Result<f64> {
        let session = self.stack.session()?;
        let headers = self.folder.join("headers");
        fs::write(&headers, format!("authorization: Bearer {}\nexpect:\n", session.grant))?;
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--fail", "--noproxy", "*", "--output", "/dev/null"]);
        curl.arg("--header").arg(format!("@{}", headers.display()));
        curl.arg("--form").arg(format!("file=@{}", file.display()));
        curl.arg(format!("{}{}", self.stack.ready.data_url, session.upload_path));
        let begun = Instant::now();
        output("curl", &mut curl)?;
        let rate = megabytes()? / begun.elapsed().as_secs_f64();
        self.remove_blobs(&session)?;
        Ok(rate)
    }

    /// Each contestant finds the disk equally empty.
    fn remove_blobs(&self, session: &Session) -> Result<()> {
        let blobs = self.stack.service_folder.join("blobs").join("blobs").join(&session.project);
        Ok(fs::remove_dir_all(blobs)?)
    }
}

fn send_small(client: &mut Client, session: &Session, number: usize) -> Result<()> {
    let body = Body::new(FILE_BYTES, 1, number);
    let whole = body.pieces().collect::<Vec<_>>().concat();
    let Session { upload_path: path, grant: bearer, .. } = session;
    let request = Request { method: "POST", path, bearer, headers: &[Body::header()] };
    client.send(&request, &whole)?.expect(200).map(drop)
}

/// The peak of a child's memory in MiB, when it has ended.
fn follow_memory(child: &mut Child) -> Result<f64> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0;
    while child.try_wait()?.is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let kib = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kib) = kib.and_then(|kib| kib.trim().trim_end_matches(" kB").parse::<f64>().ok()) {
            peak = kib / 1024.0;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(peak)
}

fn write_files(folder: &Path, number: usize, bytes: usize) -> Result<()> {
    for file in 0..number {
        let below = folder.join(format!("folder-{}", file / FILES_PER_FOLDER));
        if file % FILES_PER_FOLDER == 0 {
            fs::create_dir_all(&below)?;
        }
        let body = Body::new(bytes.max(1), 1, file + 1);
        let content = body.pieces().nth(1).context("no block")?;
        fs::write(below.join(format!("{file}.dat")), content.get(..bytes).unwrap_or_default())?;
    }
    Ok(())
}

fn write_large(path: &Path) -> Result<()> {
    let body = Body::new(BLOCK_BYTES, LARGE_BYTES / BLOCK_BYTES, 99);
    let mut file = fs::File::create(path)?;
    let blocks = body.pieces().skip(1).take(LARGE_BYTES / BLOCK_BYTES);
    for block in blocks {
        std::io::Write::write_all(&mut file, block)?;
    }
    if file.metadata()?.len() != u64::try_from(LARGE_BYTES)? {
        bail!("{} is not whole", path.display());
    }
    Ok(file.sync_all()?)
}

fn megabytes() -> Result<f64> {
    Ok(f64::from(u32::try_from(LARGE_BYTES / 1_000_000)?))
}
