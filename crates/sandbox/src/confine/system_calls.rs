//! The system calls that computation needs: memory, threads, clocks, and open files.
//!
//! All others fail with `EPERM` and don't end the process: libraries try optional calls.

use std::collections::BTreeMap;

use nix::libc;
use nix::unistd::getpid;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

/// Calls that are allowed with any arguments.
const ALLOWED: [i64; 36] = [
    // Open files. Not `newfstatat`, by which new C libraries implement `fstat`: it takes a path.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_close,
    libc::SYS_dup,
    // Memory. `mmap` and `mprotect` are restricted below.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Threads.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_rseq,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_membarrier,
    // Signals to this process.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Clocks and random numbers.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
];

/// Restricts the calling thread and its future threads to these calls.
///
/// # Errors
/// The kernel refuses the filter.
pub(super) fn refuse_others() -> Result<(), seccompiler::Error> {
    filters()?.iter().try_for_each(|filter| seccompiler::apply_filter(filter))
}

/// The filters in the order of their installation. They are valid for this process only.
///
/// # Errors
/// The architecture is unknown.
pub(super) fn filters() -> Result<[BpfProgram; 2], seccompiler::Error> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    // A filter can't read the arguments of `clone3`, which are in memory. Without it the C library uses `clone`.
    let no_clone3: BpfProgram = SeccompFilter::new(
        BTreeMap::from([(libc::SYS_clone3, Vec::new())]),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        architecture,
    )?
    .try_into()?;
    let mut calls: BTreeMap<i64, Vec<SeccompRule>> = ALLOWED.map(|call| (call, Vec::new())).into();
    calls.insert(libc::SYS_clone3, Vec::new());
    let thread = flag(libc::CLONE_THREAD);
    calls.insert(libc::SYS_clone, vec![rule(0, SeccompCmpOp::MaskedEq(thread), thread)?]);
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        // No new executable memory: workers generate no machine code.
        calls.insert(call, vec![rule(2, SeccompCmpOp::MaskedEq(flag(libc::PROT_EXEC)), 0)?]);
    }
    calls.insert(
        libc::SYS_fcntl,
        [libc::F_GETFD, libc::F_GETFL, libc::F_DUPFD_CLOEXEC]
            .into_iter()
            .map(|command| rule(1, SeccompCmpOp::Eq, flag(command)))
            .collect::<Result<_, _>>()?,
    );
    // `abort` sends a signal to its own process.
    calls.insert(libc::SYS_tgkill, vec![rule(0, SeccompCmpOp::Eq, flag(getpid().as_raw()))?]);
    let allowed: BpfProgram = SeccompFilter::new(
        calls,
        SeccompAction::Errno(libc::EPERM.unsigned_abs()),
        SeccompAction::Allow,
        architecture,
    )?
    .try_into()?;
    Ok([no_clone3, allowed])
}

fn rule(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?;
    SeccompRule::new(vec![condition])
}

/// Flags of the C library are signed, and never negative.
fn flag(value: i32) -> u64 {
    u64::from(value.unsigned_abs())
}
