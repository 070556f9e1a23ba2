//! Confinement of the calling process, which it can't undo.
//!
//! Two independent layers: Landlock refuses every path, every TCP port and signals to other processes; seccomp refuses the
//! system calls for these. Limits on resources come first, because seccomp refuses to set them.

mod system_calls;

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use nix::errno::Errno;
use nix::libc;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::{Pid, getpid};
use seccompiler::{BpfProgram, sock_filter};

use crate::limits::Limits;
use crate::terms::Terms;

/// Most open files of a worker. It starts with five.
const OPEN_FILES: u64 = 16;
/// How far a worker stands behind the service, as `nice` counts: a third of its weight. Requests go first, and on a busy
/// machine the work still ends in its time.
pub const NICENESS: i32 = 5;

/// Confines the calling thread and its future threads.
///
/// # Errors
/// A message on the layer that isn't enforced. On `unprotected` terms only limits on resources can fail.
pub(crate) fn confine(terms: &Terms) -> Result<(), String> {
    limit(&terms.limits).map_err(|error| format!("limits on resources can't be set: {error}"))?;
    stand_behind().map_err(|error| format!("the priority can't be lowered: {error}"))?;
    // Other processes of the same user can't read its memory.
    prctl::set_dumpable(false).map_err(|error| format!("set_dumpable: {error}"))?;
    let confined = restrict_paths(&[]).and_then(|()| {
        system_calls::refuse_others().map_err(|error| format!("seccomp is not enforced: {error}"))
    });
    if terms.unprotected { Ok(()) } else { confined }
}

/// Confines the calling thread as [`confine`] does, except for three things: it may read and run these files, and the
/// program that it becomes must lower its priority, once it has started, and install the filters of system calls.
///
/// # Errors
/// See [`confine`].
pub(crate) fn confine_to_files(terms: &Terms, files: &[PathBuf]) -> Result<(), String> {
    // Before the limits: a rule needs an open file for each path.
    let confined = restrict_paths(files);
    limit(&terms.limits).map_err(|error| format!("limits on resources can't be set: {error}"))?;
    if terms.unprotected { Ok(()) } else { confined }
}

/// The filters of system calls as text, for the program that a worker becomes.
///
/// # Errors
/// The architecture is unknown.
pub(crate) fn filters_as_text() -> Result<String, seccompiler::Error> {
    let filters = system_calls::filters()?;
    let text = |filter: &BpfProgram| -> String {
        let instruction = |one: &sock_filter| {
            let [code, next] = [one.code.to_le_bytes(), [one.jt, one.jf]];
            code.into_iter()
                .chain(next)
                .chain(one.k.to_le_bytes())
                .map(|byte| format!("{byte:02x}"))
                .collect()
        };
        filter.iter().map(instruction).collect::<Vec<String>>().concat()
    };
    Ok(filters.iter().map(text).collect::<Vec<String>>().join(","))
}

/// Lowers the priority of the calling thread and its future threads.
#[expect(unsafe_code, reason = "the system call has no safe function")]
fn stand_behind() -> Result<(), Errno> {
    // SAFETY: it takes numbers alone.
    Errno::result(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, NICENESS) }).map(drop)
}

/// Keeps the calling thread and its future threads on a few processors, which differ between workers.
fn share(processors: usize) -> Result<(), Errno> {
    let this = Pid::from_raw(0);
    let allowed = sched_getaffinity(this)?;
    let allowed: Vec<usize> =
        (0..CpuSet::count()).filter(|number| allowed.is_set(*number) == Ok(true)).collect();
    let first = usize::try_from(getpid().as_raw()).unwrap_or_default() % allowed.len().max(1);
    let mut shared = CpuSet::new();
    for number in allowed.iter().cycle().skip(first).take(processors.min(allowed.len())) {
        shared.set(*number)?;
    }
    sched_setaffinity(this, &shared)
}

fn limit(limits: &Limits) -> Result<(), Errno> {
    if let Some(processors) = limits.processors {
        share(processors)?;
    }
    let started = u64::from(limits.processor_time.subsec_nanos() > 0);
    let seconds = limits.processor_time.as_secs().saturating_add(started);
    // The soft limit sends SIGXCPU, the hard one SIGKILL.
    setrlimit(Resource::RLIMIT_CPU, seconds, seconds.saturating_add(1))?;
    setrlimit(Resource::RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)?;
    setrlimit(Resource::RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES)?;
    setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)
}

/// Refuses all paths except these, which may be read and run. Newer kernels refuse TCP and signals here, too; on older
/// ones seccomp does.
fn restrict_paths(files: &[PathBuf]) -> Result<(), String> {
    // A missing file can't be read.
    let open: Vec<(PathFd, bool)> =
        files.iter().filter_map(|file| Some((PathFd::new(file).ok()?, file.is_dir()))).collect();
    let enforced = || -> Result<RulesetStatus, RulesetError> {
        let newest = ABI::V7;
        let rules = open.into_iter().map(|(file, is_folder)| {
            let of_folder: BitFlags<AccessFs> =
                if is_folder { AccessFs::ReadDir.into() } else { BitFlags::EMPTY };
            let access = AccessFs::ReadFile | AccessFs::Execute | of_folder;
            Ok::<_, RulesetError>(PathBeneath::new(file, access))
        });
        let status = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(newest))?
            .handle_access(AccessNet::from_all(newest))?
            .scope(Scope::from_all(newest))?
            .create()?
            .add_rules(rules)?
            .restrict_self()?;
        Ok(status.ruleset)
    };
    match enforced() {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Ok(()),
        Ok(RulesetStatus::NotEnforced) => Err("Landlock is not enforced".to_owned()),
        Err(error) => Err(format!("Landlock is not enforced: {error}")),
    }
}
