//! Hostile code: what it can't reach, and that it leaves nothing behind.

use std::fs;
use std::net::TcpListener;

use testkit::workshop::eventually;

use crate::support::{Lab, end};

/// Attempts of a Python program, each of which the kernel refuses.
const ESCAPES: &str = r#"
import ctypes, os, sys, threading
attempts = {
    "open a file": lambda: open("/etc/passwd"),
    "open a file of its own process": lambda: open("/proc/self/environ"),
    "open a file of its parent": lambda: open(f"/proc/{os.getppid()}/environ"),
    "open its interpreter": lambda: open(sys.executable or "/usr/bin/python3", "rb"),
    "ask whether a file is there": lambda: os.stat("/etc/passwd"),
    "list a folder": lambda: os.listdir("/"),
    "make a file": lambda: open("/tmp/w", "w"),
    "make a folder": lambda: os.mkdir("/tmp/w"),
    "remove a file": lambda: os.unlink("/tmp/w"),
    "fork": lambda: os.fork(),
    "start a program": lambda: os.execv("/bin/true", ["true"]),
    "start one beside": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "signal its parent": lambda: os.kill(os.getppid(), 9),
    "signal everybody": lambda: os.kill(-1, 9),
    "import what is not loaded": lambda: __import__("socketserver"),
}
for what, attempt in attempts.items():
    try:
        print(f"{what}: done {attempt()!r}")
    except BaseException as error:
        print(f"{what}: {type(error).__name__}")
libc = ctypes.CDLL(None, use_errno=True)
for what, call in {
    "make a socket": (41, 2, 1, 0),
    "make a socket of a netlink": (41, 16, 3, 0),
    "make a local socket": (41, 1, 1, 0),
    "open by a system call": (2, b"/etc/passwd", 0, 0),
    "make memory that is code": (9, 0, 4096, 7, 34, -1, 0),
    "trace another": (101, 16, 1, 0),
    "make a namespace": (272, 0x10000000, 0, 0),
    "use io_uring": (425, 8, 0, 0),
    "look into another's memory": (310, 1, 0, 0),
    "outlive its parent": (157, 1, 0, 0),
    "add a filter": (317, 1, 0, 0),
    "raise a limit": (302, 0, 9, 0, 0),
}.items():
    result = libc.syscall(*call)
    print(f"{what}: {os.strerror(ctypes.get_errno()) if result == -1 else result}")
# A variable that the interpreter sets.
print("environment:", set(os.environ) - {"LC_CTYPE"})
"#;

#[tokio::test]
async fn code_in_python_has_no_files_no_network_no_processes_and_no_secrets() {
    let lab = Lab::open().await;
    let said = lab.output("Python", ESCAPES).await;
    let others: Vec<&str> = said
        .lines()
        .filter(|line| !line.ends_with("PermissionError") && !line.ends_with("not permitted"))
        .collect();
    assert_eq!(others, ["import what is not loaded: ModuleNotFoundError", "environment: set()"]);
    assert!(said.lines().count() > 25, "{said}");
}

#[tokio::test]
async fn code_in_javascript_has_only_the_language_and_its_session() {
    let lab = Lab::open().await;
    let code = "
        const names = ['process', 'require', 'std', 'os', 'bjson', 'scriptArgs', 'Worker', 'XMLHttpRequest', 'WebAssembly'];
        console.log(names.filter((name) => name in globalThis).join());
        for (const name of ['std', 'os', 'qjs:std', 'fs', '/etc/passwd']) {
            try { await import(name); console.log(name, 'imported'); } catch (error) { console.log(error.name); }
        }
        console.log(Object.keys(atelier).join());";
    let said = lab.output("JavaScript", code).await;
    insta::assert_snapshot!(said, @"

    ReferenceError
    ReferenceError
    ReferenceError
    ReferenceError
    ReferenceError
    branch,connectionId,dataPlaneUrl,executionId,grant,input,ownerId,projectId,sessionId,upload,createEvaluationRun
    ");
}

#[tokio::test]
async fn code_reaches_only_the_data_planes_address_and_follows_no_redirect() {
    let lab = Lab::open().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let other = format!("http://{}/", listener.local_addr().unwrap());
    let control = format!("{}/api/v2/me", lab.shop.api.control_urls[0]);
    let data = lab.shop.api.data_urls[0].clone();
    let tricky = [
        other.clone(),
        control,
        format!("{}@{}", data, other.trim_start_matches("http://")),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "file:///etc/passwd".to_owned(),
        "no url".to_owned(),
    ];
    for url in &tricky {
        let javascript = format!(
            "try {{ await fetch({url:?}); console.log('reached') }} catch (e) {{ console.log(e.name) }}"
        );
        assert_eq!(lab.output("JavaScript", &javascript).await, "TypeError\n", "{url}");
    }
    let python = format!(
        "import atelier\nfor url in {tricky:?}:\n  try: atelier.fetch(url); print('reached')\n  except OSError: print('refused')"
    );
    assert_eq!(lab.output("Python", &python).await, "refused\n".repeat(tricky.len()));
    assert!(listener.accept().is_err(), "a request arrived");
}

#[tokio::test]
async fn endless_code_is_ended_after_its_time() {
    let lab = Lab::set(&[("ATELIER_EXECUTION_SECONDS", "2"), ("ATELIER_EXECUTIONS", "4")]).await;
    for (language, code) in [
        ("JavaScript", "for (;;);"),
        ("JavaScript", "for (;;) await null;"),
        ("JavaScript", "/(a+)+$/.test('a'.repeat(64) + 'b')"),
        ("JavaScript", "await new Promise((end) => setTimeout(end, 3600000))"),
        ("Python", "while True: pass"),
        ("Python", "import time\ntime.sleep(3600)"),
        ("Python", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')"),
    ] {
        let ended = lab.run(language, code).await;
        assert_eq!(end(&ended), "failed TIMED_OUT", "{code}: {ended:#}");
    }
    for (language, code, written) in [
        ("JavaScript", "console.log('half'); for (;;);", "half\n"),
        (
            "Python",
            "print('half', end='')\nwhile True:\n  try:\n    while True: pass\n  except BaseException: pass",
            "half",
        ),
    ] {
        let ended = lab.run(language, code).await;
        assert_eq!((end(&ended).as_str(), &ended["output"]), ("failed TIMED_OUT", &written.into()), "{code}");
    }
    eventually("no worker is left", || lab.shop.api.control[0].process().children().is_empty()).await;
}

#[tokio::test]
async fn code_gets_no_more_memory_than_its_limit() {
    let lab = Lab::set(&[("ATELIER_EXECUTION_MEMORY_MIB", "64")]).await;
    for (language, code) in [
        ("JavaScript", "const held = []; for (;;) held.push(new Uint8Array(1024 * 1024).fill(1));"),
        ("JavaScript", "let text = 'x'; for (;;) text += text;"),
        ("JavaScript", "const held = []; for (;;) held.push({ held });"),
        ("Python", "held = []\nwhile True: held.append(bytearray(1024 * 1024))"),
        ("Python", "held = 'x' * (1 << 40)"),
        ("Python", "held = []\nwhile True: held.append([held])"),
    ] {
        let ended = lab.run(language, code).await;
        let end = end(&ended);
        // A text longer than the engine allows is an error in the code.
        assert!(end == "failed OUT_OF_MEMORY" || end == "failed UNCAUGHT_ERROR", "{code}: {ended:#}");
    }
    let peak = lab.shop.api.control[0].process().peak_memory_bytes();
    assert!(peak < 300 * 1024 * 1024, "{peak} bytes");
}

#[tokio::test]
async fn bombs_of_forks_and_threads_affect_only_their_own_sandbox() {
    let lab = Lab::set(&[("ATELIER_EXECUTION_SECONDS", "5")]).await;
    let forks = "import os\nwhile True:\n  try: os.fork()\n  except PermissionError: break\nprint('refused')";
    assert_eq!(lab.output("Python", forks).await, "refused\n");
    let threads = "
import threading, time
begun = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        begun += 1
except RuntimeError:
    print('refused', begun < 1000)";
    assert_eq!(lab.output("Python", threads).await, "refused True\n");
    lab.shop.caller.get("/api/v2/me").await.expect(200);
}

#[tokio::test]
async fn code_with_endless_output_or_invalid_messages_is_ended() {
    let lab = Lab::set(&[("ATELIER_EXECUTION_SECONDS", "10")]).await;
    let ended = lab.run("JavaScript", "const text = 'x'.repeat(65536); for (;;) console.log(text)").await;
    assert_eq!(end(&ended), "failed OUTPUT_TOO_LARGE");
    assert_eq!(ended["truncated"], true);
    for nonsense in [
        "b'\\xff' * 100000",
        "b'\\0\\0\\0\\2{}\\0\\0\\0\\0'",
        "b'\\0\\0\\0\\1{\\0\\0\\0\\0'",
        "b'GET / HTTP/1.1\\r\\n\\r\\n'",
    ] {
        let code = format!("import os\nos.write(0, {nonsense})\nwhile os.read(0, 100): pass\nos._exit(1)");
        assert_eq!(end(&lab.run("Python", &code).await), "failed CRASHED", "{nonsense}");
    }
    // A worker that reports an invalid end.
    let code = "import os\nhead = b'{\"ended\":\"' + b'x' * 100000 + b'\"}'\nos.write(0, len(head).to_bytes(4, 'big') + head + bytes(4))\nos._exit(0)";
    let ended = lab.run("Python", code).await;
    assert_eq!(
        (end(&ended).as_str(), ended["failure"]["message"].as_str().unwrap().len()),
        ("failed UNCAUGHT_ERROR", 4000)
    );
}

#[tokio::test]
async fn a_worker_started_by_hand_does_nothing() {
    let program = testkit::environment::program("control");
    let output = std::process::Command::new(program).arg("execute").output().unwrap();
    assert_eq!(output.status.code(), Some(77));
}

#[tokio::test]
async fn a_worker_has_nothing_of_its_hosts_environment() {
    let lab = Lab::open().await;
    let id = lab.begin("Python", "import time\nprint('here', flush=True)\ntime.sleep(3600)").await;
    lab.writes(&id, "here").await;
    let children = lab.shop.api.control[0].process().children();
    let environment = fs::read_to_string(format!("/proc/{}/environ", children[0])).unwrap_or_default();
    assert!(!environment.contains("DATABASE"), "{environment}");
    lab.shop.caller.post(&format!("{}/{id}/stop", lab.path())).await.expect(200);
}
