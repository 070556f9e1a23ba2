//! The processes of this machine.

use std::path::Path;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// True while the process runs. A zombie doesn't.
pub(crate) fn is_running(process: Pid) -> bool {
    kill(process, None).is_ok() && !is_zombie(process)
}

/// Kills a process and all that descend from it, those with groups of their own included. The parent is stopped first, so
/// that it starts no other while they are looked for.
pub(crate) fn kill_tree(process: Pid) {
    let _gone = kill(process, Signal::SIGSTOP);
    for child in children(process) {
        kill_tree(child);
    }
    let _gone = kill(process, Signal::SIGKILL);
}

/// The children of all threads of a process. None where the kernel doesn't list them.
fn children(process: Pid) -> Vec<Pid> {
    let threads = std::fs::read_dir(Path::new("/proc").join(process.to_string()).join("task"));
    let lists = threads.into_iter().flatten().flatten();
    let lists = lists.filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<i32>>())
        .map(Pid::from_raw)
        .collect()
}

fn is_zombie(process: Pid) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    stat.is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use nix::unistd::Pid;

    use super::{is_running, kill_tree};

    #[test]
    fn a_killed_process_takes_its_descendants_with_it() {
        // The grandchild has a session of its own, as servers have.
        let script = "setsid sh -c 'echo $$; exec sleep 600' & wait";
        let mut parent = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(parent.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let grandchild = Pid::from_raw(line.trim().parse().unwrap());
        assert!(is_running(grandchild));
        kill_tree(Pid::from_raw(parent.id().cast_signed()));
        parent.wait().unwrap();
        while is_running(grandchild) {
            std::thread::yield_now();
        }
    }
}
