//! The processes of this machine.

use std::path::Path;

use nix::sys::signal::kill;
use nix::unistd::Pid;

/// True while the process runs. A zombie doesn't.
pub(crate) fn is_running(process: Pid) -> bool {
    kill(process, None).is_ok() && !is_zombie(process)
}

fn is_zombie(process: Pid) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    stat.is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}
