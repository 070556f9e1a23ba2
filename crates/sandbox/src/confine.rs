//! What a process gives up, and can never get back.
//!
//! Two fences, each of which would do alone for most of it: Landlock refuses every path, every TCP port and every
//! process outside; seccomp refuses the system calls that would ask. Limits on resources come before, since setting them is
//! refused afterwards, too.

mod system_calls;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetError,
    RulesetStatus, Scope,
};
use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};

use crate::limits::Limits;
use crate::work::Terms;

/// Open files that a worker may have; what it has open already are five.
const OPEN_FILES: u64 = 16;

/// Confines the calling thread, and those that it starts.
///
/// # Errors
/// What could not be enforced, for people; on `unprotected` terms that alone without which nothing bounds the worker.
pub(crate) fn confine(terms: &Terms) -> Result<(), String> {
    limit(&terms.limits).map_err(|error| format!("limits on resources can't be set: {error}"))?;
    // Others of the same user can't look into its memory.
    prctl::set_dumpable(false).map_err(|error| format!("set_dumpable: {error}"))?;
    let fenced = fence_paths().and_then(|()| {
        system_calls::refuse_others().map_err(|error| format!("seccomp is not enforced: {error}"))
    });
    if terms.unprotected { Ok(()) } else { fenced }
}

fn limit(limits: &Limits) -> Result<(), Errno> {
    let started = u64::from(limits.processor_time.subsec_nanos() > 0);
    let seconds = limits.processor_time.as_secs().saturating_add(started);
    // The first limit asks the process to end and the second one ends it.
    setrlimit(Resource::RLIMIT_CPU, seconds, seconds.saturating_add(1))?;
    setrlimit(Resource::RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)?;
    setrlimit(Resource::RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES)?;
    setrlimit(Resource::RLIMIT_FSIZE, 0, 0)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)
}

/// Refuses every path. Newer kernels refuse TCP and signals here, too; without, seccomp does.
fn fence_paths() -> Result<(), String> {
    let enforced = || -> Result<RulesetStatus, RulesetError> {
        let newest = ABI::V7;
        let status = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V1))?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(newest))?
            .handle_access(AccessNet::from_all(newest))?
            .scope(Scope::from_all(newest))?
            .create()?
            .restrict_self()?;
        Ok(status.ruleset)
    };
    match enforced() {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Ok(()),
        Ok(RulesetStatus::NotEnforced) => Err("Landlock is not enforced".to_owned()),
        Err(error) => Err(format!("Landlock is not enforced: {error}")),
    }
}
