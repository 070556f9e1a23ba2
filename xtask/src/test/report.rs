//! Texts of a run: a failing test's output alone and whole, the slowest tests, and the time by program.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Duration;

use crate::log;
use crate::test::programs::Test;

/// Lines that a test prints if something that it needs is not on the machine.
const SKIPPED: &str = "NOT TESTED";
const SLOWEST: usize = 20;

/// The end of a test.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// The test.
    pub(crate) test: Test,
    /// From its start to its end.
    pub(crate) took: Duration,
    /// True if it passed.
    pub(crate) passed: bool,
    /// All that it printed.
    pub(crate) said: String,
}

/// The end of all tests.
pub(crate) struct Run {
    /// Of each test.
    pub(crate) outcomes: Vec<Outcome>,
    /// The words of the shared deployment, unless its invariants hold.
    pub(crate) broken_invariant: Option<String>,
    /// Duration of the whole.
    pub(crate) took: Duration,
}

impl Run {
    /// True if nothing failed.
    pub(crate) fn passed(&self) -> bool {
        self.broken_invariant.is_none() && self.outcomes.iter().all(|outcome| outcome.passed)
    }

    fn failed(&self) -> impl Iterator<Item = &Outcome> {
        self.outcomes.iter().filter(|outcome| !outcome.passed)
    }

    /// The closing line of one run.
    fn closing(&self) -> String {
        let failed = self.failed().count() + usize::from(self.broken_invariant.is_some());
        let passed = self.outcomes.iter().filter(|outcome| outcome.passed).count();
        format!("{passed} passed, {failed} failed")
    }
}

/// Tells the end of one test while others run.
pub(crate) fn outcome(outcome: &Outcome) {
    if !outcome.passed {
        log(format_args!("FAILED {}", outcome.test.path()));
    } else if std::io::stderr().is_terminal() {
        log(format_args!("{:6.1} s {}", outcome.took.as_secs_f64(), outcome.test.path()));
    }
}

/// Tells the end of a run.
pub(crate) fn run(run: &Run) {
    for outcome in run.failed() {
        println!("\n---- {} ({:.1} s)\n{}", outcome.test.path(), outcome.took.as_secs_f64(), outcome.said);
    }
    if let Some(said) = &run.broken_invariant {
        println!("\n---- the shared deployment\n{said}");
    }
    for outcome in &run.outcomes {
        for line in outcome.said.lines().filter(|line| line.starts_with(SKIPPED)) {
            println!("{}: {line}", outcome.test.path());
        }
    }
    println!("\nseconds  the slowest tests");
    let mut slowest: Vec<&Outcome> = run.outcomes.iter().collect();
    slowest.sort_by_key(|outcome| std::cmp::Reverse(outcome.took));
    for outcome in slowest.iter().take(SLOWEST) {
        println!("{:7.1}  {}", outcome.took.as_secs_f64(), outcome.test.path());
    }
    println!("\nseconds  tests  program");
    let mut programs: BTreeMap<String, (Duration, usize)> = BTreeMap::new();
    for outcome in &run.outcomes {
        let program = &outcome.test.program;
        let (took, count) = programs.entry(format!("{}::{}", program.package, program.name)).or_default();
        *took = took.saturating_add(outcome.took);
        *count += 1;
    }
    let mut programs: Vec<_> = programs.into_iter().collect();
    programs.sort_by_key(|(_, (took, _))| std::cmp::Reverse(*took));
    for (name, (took, count)) in &programs {
        println!("{:7.1}  {count:5}  {name}", took.as_secs_f64());
    }
    println!("\nin {:.0} s:\n{}", run.took.as_secs_f64(), run.closing());
}

/// Tells the ends of repeated runs.
pub(crate) fn runs(runs: &[Run]) {
    println!();
    for (run, number) in runs.iter().zip(1_u32..) {
        println!("run {number}: {:.0} s, {}", run.took.as_secs_f64(), run.closing());
        run.failed().for_each(|outcome| println!("    {}", outcome.test.path()));
    }
    let failed = runs.iter().filter(|run| !run.passed()).count();
    println!("{} passed, {failed} failed", runs.len().saturating_sub(failed));
}
