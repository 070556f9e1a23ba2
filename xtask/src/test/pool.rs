//! Runs tests side by side, each as a process of its own. The pool is a process itself, so that an interrupt ends it with
//! all its tests as one group.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use nix::unistd::Pid;

use crate::process_table::kill_tree;
use crate::test::programs::Test;
use crate::test::record::Record;
use crate::test::report::{self, Outcome, Run};
use crate::test::shared::Shared;

/// After this a test is killed: it waits for something that will not come.
const LIMIT: Duration = Duration::from_secs(600);
const POLL: Duration = Duration::from_millis(2);

/// Arguments of the hidden subcommand.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The tests, as JSON
    #[arg(long)]
    tests: PathBuf,
    /// The folder of records
    #[arg(long)]
    record: PathBuf,
    #[arg(long)]
    jobs: Option<usize>,
    #[arg(long)]
    repeat: u32,
    #[arg(long)]
    under_load: bool,
}

/// Tests that wait, in order of their start, and slots that are free.
struct Queue {
    waiting: Vec<Test>,
    slots: usize,
    free: usize,
    /// True while a test has a browser.
    browsing: bool,
}

impl Queue {
    /// Slow ones first, so that none is left alone at the end; before them those that wait for each other.
    fn new(mut waiting: Vec<Test>, slots: usize, record: &Record) -> Self {
        waiting.sort_by_key(|test| {
            let needs = test.needs();
            std::cmp::Reverse((needs.machine, needs.browser, record.expected(&test.path())))
        });
        Self { waiting, slots, free: slots, browsing: false }
    }

    /// The first test that can run beside those that do; [`Queue::give_back`] tells its end.
    fn take(&mut self) -> Option<Test> {
        let fits = |test: &Test| {
            let needs = test.needs();
            needs.slots(self.slots) <= self.free && !(needs.browser && self.browsing)
        };
        let test = self.waiting.remove(self.waiting.iter().position(fits)?);
        self.free = self.free.saturating_sub(test.needs().slots(self.slots));
        self.browsing |= test.needs().browser;
        Some(test)
    }

    fn give_back(&mut self, test: &Test) {
        self.free = self.free.saturating_add(test.needs().slots(self.slots));
        self.browsing &= !test.needs().browser;
    }
}

/// Runs all tests, as often as asked.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let tests: Vec<Test> = serde_json::from_slice(&fs::read(&args.tests)?)?;
    let cores = std::thread::available_parallelism()?.get();
    let slots = args.jobs.unwrap_or(cores.saturating_mul(2));
    let _load = args.under_load.then(|| Load::start(cores)).transpose()?;
    let mut runs = Vec::new();
    for _ in 0..args.repeat {
        let record = Record::in_folder(&args.record)?;
        let run = one_run(&tests, slots, &args.record, record)?;
        report::run(&run);
        runs.push(run);
    }
    if runs.len() > 1 {
        report::runs(&runs);
    }
    Ok(if runs.iter().all(Run::passed) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn one_run(tests: &[Test], slots: usize, folder: &Path, mut record: Record) -> Result<Run> {
    let begin = Instant::now();
    let outputs = folder.join("output");
    if outputs.exists() {
        fs::remove_dir_all(&outputs)?;
    }
    fs::create_dir_all(&outputs)?;
    let is_used = tests.iter().any(|test| test.program.package == "testkit" && !test.program.is_unit);
    let shared = if is_used { Some(Shared::start(&std::env::temp_dir())?) } else { None };
    let deployment = shared.as_ref().map(|shared| shared.description.as_path());
    let queue = (Mutex::new(Queue::new(tests.to_vec(), slots, &record)), Condvar::new());
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..slots {
            scope.spawn(|| {
                while let Some(test) = next(&queue) {
                    let outcome = execute(&test, &outputs, deployment);
                    report::outcome(&outcome);
                    lock(&outcomes).push(outcome);
                    lock(&queue.0).give_back(&test);
                    queue.1.notify_all();
                }
            });
        }
    });
    let broken_invariant = shared.map(Shared::end).transpose()?.flatten();
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    for outcome in &outcomes {
        record.add(&outcome.test.path(), outcome.took, outcome.passed);
    }
    record.write(folder)?;
    Ok(Run { outcomes, broken_invariant, took: begin.elapsed() })
}

/// Waits for a test that can run; `None` when no test is left.
fn next((state, freed): &(Mutex<Queue>, Condvar)) -> Option<Test> {
    let mut state = lock(state);
    while !state.waiting.is_empty() {
        if let Some(test) = state.take() {
            return Some(test);
        }
        state = freed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
    None
}

/// Runs one test to its end. One that can't be run has failed, and says why; the others go on.
fn execute(test: &Test, outputs: &Path, deployment: Option<&Path>) -> Outcome {
    let begin = Instant::now();
    let ended = attempt(test, outputs, deployment);
    let (passed, said) = ended.unwrap_or_else(|error| (false, format!("it was not run: {error:#}\n")));
    Outcome { test: test.clone(), took: begin.elapsed(), passed, said }
}

/// Runs a test: true if it passed, and all that it printed.
fn attempt(test: &Test, outputs: &Path, deployment: Option<&Path>) -> Result<(bool, String)> {
    let output = outputs.join(test.path().replace("::", "-"));
    let file = File::create(&output).with_context(|| format!("create {}", output.display()))?;
    let begin = Instant::now();
    let mut child = Command::new(&test.program.path)
        .args(["--exact", &test.name, "--nocapture"])
        .current_dir(&test.program.folder)
        .env("CARGO_MANIFEST_DIR", &test.program.folder)
        .envs(deployment.map(|path| ("ATELIER_TEST_DEPLOYMENT", path)))
        // CI's builds are clippy's, without warnings; what tests build is not ours.
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file)
        .spawn()
        .with_context(|| format!("start {}", test.program.path.display()))?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if begin.elapsed() > LIMIT {
            kill_tree(Pid::from_raw(child.id().cast_signed()));
            child.wait()?;
            break None;
        }
        std::thread::sleep(POLL);
    };
    let mut said = String::from_utf8_lossy(&fs::read(&output)?).into_owned();
    if status.is_none() {
        said.push_str(&format!("\nkilled: it did not end within {} s\n", LIMIT.as_secs()));
    }
    let passed = status.is_some_and(|status| status.success());
    if passed {
        fs::remove_file(&output)?;
    }
    Ok((passed, said))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Processes that do nothing but keep cores busy.
struct Load(Vec<std::process::Child>);

impl Load {
    fn start(cores: usize) -> Result<Self> {
        let busy = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().context("start sh");
        Ok(Self((0..cores).map(|_| busy()).collect::<Result<_>>()?))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _gone = child.kill();
            let _status = child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::time::Duration;

    use super::Queue;
    use crate::test::programs::{Program, Test};
    use crate::test::record::Record;

    fn test(path: &str) -> Test {
        let (package, rest) = path.split_once("::").unwrap();
        let (program, name) = rest.split_once("::").unwrap();
        let (package, name_of_program) = (package.to_owned(), program.to_owned());
        let (path, folder) = (PathBuf::new(), PathBuf::new());
        let program = Program { package, name: name_of_program, is_unit: false, path, folder };
        Test { program: Arc::new(program), name: name.to_owned() }
    }

    fn queue(paths: &[&str], seconds: &[(&str, u64)]) -> Queue {
        let mut record = Record::default();
        for (path, seconds) in seconds {
            record.add(path, Duration::from_secs(*seconds), true);
        }
        Queue::new(paths.iter().map(|path| test(path)).collect(), 4, &record)
    }

    fn take(queue: &mut Queue) -> Option<String> {
        queue.take().map(|test| test.path())
    }

    #[test]
    fn slow_tests_begin_first() {
        let mut queue =
            queue(&["a::b::short", "a::b::long", "a::b::new"], &[("a::b::short", 0), ("a::b::long", 9)]);
        assert_eq!(take(&mut queue).as_deref(), Some("a::b::long"));
        assert_eq!(take(&mut queue).as_deref(), Some("a::b::new"));
        assert_eq!(take(&mut queue).as_deref(), Some("a::b::short"));
        assert_eq!(take(&mut queue), None);
    }

    #[test]
    fn one_browser_runs_at_a_time_beside_others() {
        let (one, other) = ("testkit::console::one", "testkit::console::other");
        let mut queue = queue(&["a::b::c", one, other], &[(one, 9)]);
        assert_eq!(take(&mut queue).as_deref(), Some(one));
        assert_eq!(take(&mut queue).as_deref(), Some("a::b::c"));
        assert_eq!(take(&mut queue), None);
        queue.give_back(&test(one));
        assert_eq!(take(&mut queue).as_deref(), Some(other));
    }

    #[test]
    fn what_needs_the_machine_runs_alone() {
        let large = "testkit::planes::large_uploads::two_gib";
        let mut queue = queue(&["a::b::c", large], &[("a::b::c", 9)]);
        assert_eq!(take(&mut queue).as_deref(), Some(large));
        assert_eq!(take(&mut queue), None);
        queue.give_back(&test(large));
        assert_eq!(take(&mut queue).as_deref(), Some("a::b::c"));
    }

    #[test]
    fn no_more_tests_run_than_there_are_slots() {
        let mut queue = queue(&["a::b::1", "a::b::2", "a::b::3", "a::b::4", "a::b::5"], &[]);
        assert_eq!((0..5).filter_map(|_| take(&mut queue)).count(), 4);
    }
}
