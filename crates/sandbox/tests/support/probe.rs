//! A worker whose task is the name of an attempt.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, Read, Seek, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::net::UnixDatagram;
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, getpid, getppid};
use sandbox::WorkContext;

fn main() -> ExitCode {
    sandbox::work(|context| {
        let WorkContext { task, mut input, mut output } = context;
        attempt(&task, &mut input, &mut output)?;
        output.flush()
    })
}

fn attempt(task: &str, input: &mut File, output: &mut dyn Write) -> io::Result<()> {
    match task {
        "compute" => compute(input, output),
        "escape" => escape(input, output),
        "inherited" => {
            // Without an open descriptor of this number, closing it fails. Its input and output are the first two.
            let inherited: Vec<i32> =
                (5..1024).filter(|&number| nix::unistd::close(number).is_ok()).collect();
            writeln!(output, "{inherited:?}")
        }
        "sleep" => {
            // Tells the test that the worker sleeps.
            output.write_all(b"sleeping\n")?;
            output.flush()?;
            thread::sleep(Duration::from_secs(3600));
            Ok(())
        }
        "spin" => loop {
            black_box(());
        },
        "allocate" => {
            let mut held = Vec::new();
            loop {
                held.push(vec![1_u8; 1024 * 1024]);
                black_box(&held);
            }
        }
        "reserve" => {
            let mut held: Vec<u8> = Vec::new();
            held.try_reserve(1 << 40).map_err(|_| io::ErrorKind::OutOfMemory)?;
            black_box(&held);
            Ok(())
        }
        "overflow" => {
            writeln!(output, "{}", depth(1))?;
            Ok(())
        }
        "write" => loop {
            output.write_all(&[b'x'; 4096])?;
        },
        "index" => {
            let nothing: Vec<u8> = Vec::with_capacity(input.read(&mut [0; 1])?);
            output.write_all(&[*nothing.iter().max().ok_or(io::ErrorKind::InvalidData)?])
        }
        "panic" => {
            let text = io::read_to_string(input)?;
            #[expect(clippy::unwrap_used, reason = "a bug of a reader")]
            let number: u64 = text.parse().map_err(|_| text).unwrap();
            writeln!(output, "{number}")
        }
        other => Err(io::Error::other(format!("there is no attempt {other:?}"))),
    }
}

/// Allowed operations: read and seek in its file, start threads, allocate and write.
fn compute(input: &mut File, output: &mut dyn Write) -> io::Result<()> {
    input.seek(io::SeekFrom::Start(4))?;
    let mut text = String::new();
    input.read_to_string(&mut text)?;
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(|| (0..100_u64).sum::<u64>())).collect();
    let sums: Vec<_> = threads.into_iter().flat_map(thread::JoinHandle::join).collect();
    let held = vec![1_u8; 64 * 1024 * 1024];
    black_box(&held);
    let variables: Vec<String> = std::env::vars().map(|(name, _)| name).collect();
    write!(output, "read {text:?}, summed {sums:?}, knows {variables:?}")
}

/// Forbidden operations.
fn escape(input: &mut File, output: &mut dyn Write) -> io::Result<()> {
    let scratch = std::env::temp_dir().join("probe");
    let others = |pid: Pid| kill(pid, Signal::SIGTERM).map_err(io::Error::from);
    let attempts: [(&str, io::Result<()>); 17] = [
        ("open a file", File::open("/etc/passwd").map(drop)),
        ("open a file of its own process", File::open("/proc/self/maps").map(drop)),
        ("make a file", File::create(&scratch).map(drop)),
        ("make a folder", fs::create_dir(&scratch)),
        ("remove a file", fs::remove_file(&scratch)),
        ("ask whether a file is there", fs::metadata("/etc/passwd").map(drop)),
        ("list a folder", fs::read_dir("/").map(drop)),
        ("change into a folder", std::env::set_current_dir("/tmp")),
        ("write into its input", input.write_all(b"x")),
        ("connect by TCP", TcpStream::connect("127.0.0.1:1").map(drop)),
        ("send by UDP", UdpSocket::bind("127.0.0.1:0").map(drop)),
        ("make a local socket", UnixDatagram::unbound().map(drop)),
        ("start a program", Command::new("/bin/true").spawn().map(drop)),
        ("signal its parent", others(getppid())),
        ("signal its group", others(Pid::from_raw(-getpid().as_raw()))),
        ("raise a limit", {
            use nix::sys::resource::{Resource, setrlimit};
            setrlimit(Resource::RLIMIT_AS, 1 << 40, 1 << 40).map_err(io::Error::from)
        }),
        ("outlive its parent", nix::sys::prctl::set_pdeathsig(None).map_err(io::Error::from)),
    ];
    for (attempt, result) in attempts {
        match result {
            Ok(()) => writeln!(output, "{attempt}: done")?,
            Err(error) => writeln!(output, "{attempt}: {:?}", error.kind())?,
        }
    }
    Ok(())
}

fn depth(level: u64) -> u64 {
    let room = [level; 512];
    if black_box(level) == 0 { 0 } else { depth(level + 1) + black_box(room).iter().sum::<u64>() }
}
