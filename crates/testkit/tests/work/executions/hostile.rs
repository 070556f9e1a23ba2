//! Hostile code: what it can't reach, and that it leaves nothing behind.

use std::fs;
use std::net::TcpListener;
use std::os::fd::AsRawFd;

use serde_json::json;
use testkit::open_session::eventually;

use crate::executions::support::{CodeSession, end};

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

/// Python that sends messages to its host past the library.
const SEND: &str = r#"
import atelier, json, os
def send(head, body=b""):
    head = head if isinstance(head, bytes) else json.dumps(head).encode()
    data = len(head).to_bytes(4, "big") + head + len(body).to_bytes(4, "big") + body
    while data: data = data[os.write(0, data):]
document = atelier.data_plane_url + "/api/v1/openapi.json"
"#;

#[tokio::test]
async fn code_in_python_has_no_files_no_network_no_processes_and_no_secrets() {
    let code = CodeSession::open().await;
    let said = code.output("Python", ESCAPES).await;
    let others: Vec<&str> = said
        .lines()
        .filter(|line| !line.ends_with("PermissionError") && !line.ends_with("not permitted"))
        .collect();
    assert_eq!(others, ["import what is not loaded: ModuleNotFoundError", "environment: set()"]);
    assert!(said.lines().count() > 25, "{said}");
}

#[tokio::test]
async fn code_in_javascript_has_only_the_language_and_its_session() {
    let code_session = CodeSession::open().await;
    let code = "
        const names = ['process', 'require', 'std', 'os', 'bjson', 'scriptArgs', 'Worker', 'XMLHttpRequest', \
            'WebAssembly'];
        console.log(names.filter((name) => name in globalThis).join());
        for (const name of ['std', 'os', 'qjs:std', 'fs', '/etc/passwd']) {
            try { await import(name); console.log(name, 'imported'); } catch (error) { console.log(error.name); }
        }
        console.log(Object.keys(atelier).join());";
    let said = code_session.output("JavaScript", code).await;
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
    let code = CodeSession::own().await;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let other = format!("http://{}/", listener.local_addr().unwrap());
    let control = format!("{}/api/v2/me", code.opened.deployment.control_urls[0]);
    let data = code.opened.deployment.data_urls[0].clone();
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
        assert_eq!(code.output("JavaScript", &javascript).await, "TypeError\n", "{url}");
    }
    let python = format!(
        "import atelier\nfor url in {tricky:?}:\n  try: atelier.fetch(url); print('reached')\n  \
         except OSError: print('refused')"
    );
    assert_eq!(code.output("Python", &python).await, "refused\n".repeat(tricky.len()));
    assert!(listener.accept().is_err(), "a request arrived");
}

#[tokio::test]
async fn endless_code_is_ended_after_its_time() {
    let code_session = CodeSession::set(&[("execution_secs", "2"), ("ATELIER_EXECUTIONS", "4")]).await;
    for (language, code) in [
        ("JavaScript", "for (;;);"),
        ("JavaScript", "for (;;) await null;"),
        ("JavaScript", "/(a+)+$/.test('a'.repeat(64) + 'b')"),
        ("JavaScript", "await new Promise((end) => setTimeout(end, 3600000))"),
        ("Python", "while True: pass"),
        ("Python", "import time\ntime.sleep(3600)"),
        ("Python", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')"),
    ] {
        let ended = code_session.run(language, code).await;
        assert_eq!(end(&ended), "failed TIMED_OUT", "{code}: {ended:#}");
    }
    eventually("no worker is left", || {
        code_session.opened.deployment.control[0].process().children().is_empty()
    })
    .await;
}

#[tokio::test]
async fn output_before_the_end_of_the_time_is_kept() {
    // Long enough for an interpreter to start on a busy machine.
    let code_session = CodeSession::set(&[("execution_secs", "8")]).await;
    for (language, code, written) in [
        ("JavaScript", "console.log('half'); for (;;);", "half\n"),
        (
            "Python",
            "import time\nprint('half', end='')\nwhile True:\n  try: time.sleep(60)\n  except BaseException: pass",
            "half",
        ),
    ] {
        let ended = code_session.run(language, code).await;
        assert_eq!((end(&ended).as_str(), &ended["output"]), ("failed TIMED_OUT", &written.into()), "{code}");
    }
    eventually("no worker is left", || {
        code_session.opened.deployment.control[0].process().children().is_empty()
    })
    .await;
}

#[tokio::test]
async fn code_gets_no_more_memory_than_its_limit() {
    let code_session = CodeSession::set(&[("ATELIER_EXECUTION_MEMORY_MIB", "64")]).await;
    for (language, code) in [
        ("JavaScript", "const held = []; for (;;) held.push(new Uint8Array(1024 * 1024).fill(1));"),
        ("JavaScript", "let text = 'x'; for (;;) text += text;"),
        ("JavaScript", "const held = []; for (;;) held.push({ held });"),
        ("Python", "held = []\nwhile True: held.append(bytearray(1024 * 1024))"),
        ("Python", "held = 'x' * (1 << 40)"),
        ("Python", "held = []\nwhile True: held.append([held])"),
    ] {
        let ended = code_session.run(language, code).await;
        let end = end(&ended);
        // A text longer than the engine allows is an error in the code.
        assert!(end == "failed OUT_OF_MEMORY" || end == "failed UNCAUGHT_ERROR", "{code}: {ended:#}");
    }
    let peak = code_session.opened.deployment.control[0].process().peak_memory_bytes();
    assert!(peak < 300 * 1024 * 1024, "{peak} bytes");
}

#[tokio::test]
async fn bombs_of_forks_and_threads_affect_only_their_own_sandbox() {
    let code = CodeSession::open().await;
    let forks = "import os\nwhile True:\n  try: os.fork()\n  except PermissionError: break\nprint('refused')";
    assert_eq!(code.output("Python", forks).await, "refused\n");
    let threads = "
import threading, time
begun = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        begun += 1
except RuntimeError:
    print('refused', begun < 1000)";
    assert_eq!(code.output("Python", threads).await, "refused True\n");
    code.opened.caller.get("/api/v2/me").await.expect(200);
}

#[tokio::test]
async fn code_with_endless_output_is_ended() {
    // With the usual time: a busy machine takes a while to read as much as is allowed.
    let code_session = CodeSession::open().await;
    let ended =
        code_session.run("JavaScript", "const text = 'x'.repeat(65536); for (;;) console.log(text)").await;
    assert_eq!(end(&ended), "failed OUTPUT_TOO_LARGE");
    assert_eq!(ended["truncated"], true);
}

#[tokio::test]
async fn code_with_invalid_messages_is_ended() {
    let code_session = CodeSession::set(&[("execution_secs", "10")]).await;
    for nonsense in [
        "b'\\xff' * 100000",
        "b'\\0\\0\\0\\2{}\\0\\0\\0\\0'",
        "b'\\0\\0\\0\\1{\\0\\0\\0\\0'",
        "b'GET / HTTP/1.1\\r\\n\\r\\n'",
    ] {
        let code = format!("import os\nos.write(0, {nonsense})\nwhile os.read(0, 100): pass\nos._exit(1)");
        assert_eq!(end(&code_session.run("Python", &code).await), "failed CRASHED", "{nonsense}");
    }
    // A worker that reports a long error.
    let code = format!("{SEND}\nsend({{'kind': 'failed'}}, b'x' * 100000)\nos._exit(0)");
    let ended = code_session.run("Python", &code).await;
    assert_eq!(
        (end(&ended).as_str(), ended["failure"]["message"].as_str().unwrap().len()),
        ("failed UNCAUGHT_ERROR", 4000)
    );
}

#[tokio::test]
async fn messages_of_a_worker_take_bounded_memory() {
    let code_session = CodeSession::set(&[("execution_secs", "5")]).await;
    // A head that grows when it is parsed, of the longest length, as often as a worker can send it.
    let many = format!(
        "{SEND}
head = {{'kind': 'fetch', 'id': 1, 'method': 'GET', 'url': document, 'headers': [['', '']] * 1300}}
for _ in range(400): send(head, b'x' * (1 << 20))"
    );
    // Heads of 1 MiB.
    let long = format!(
        "{SEND}
head = {{'kind': 'fetch', 'id': 1, 'method': 'GET', 'url': document, 'headers': [['', '']] * 80000}}
for _ in range(200): send(head)"
    );
    let mut begun = Vec::new();
    for code in [&many, &many, &long, &long] {
        begun.push(code_session.begin("Python", code).await);
    }
    let mut ends = Vec::new();
    for id in &begun {
        ends.push(end(&code_session.ended(id).await));
    }
    assert_eq!(ends[2..], ["failed CRASHED", "failed CRASHED"]);
    let peak = code_session.opened.deployment.control[0].process().peak_memory_bytes();
    assert!(peak < 300 * 1024 * 1024, "{peak} bytes");
}

#[tokio::test]
async fn a_request_with_too_many_headers_is_refused_in_the_code() {
    let code = CodeSession::open().await;
    for count in [65, 1_300, 30_000] {
        let javascript = format!(
            "const headers = Array.from({{ length: {count} }}, () => ['x', '']);
             try {{ await fetch(atelier.dataPlaneUrl + '/api/v1/openapi.json', {{ headers }}) }}
             catch (error) {{ console.log(error.message.match(/at most \\d+/)[0]) }}"
        );
        let most = if count == 30_000 { "at most 16384\n" } else { "at most 64\n" };
        assert_eq!(code.output("JavaScript", &javascript).await, most);
    }
    let python = "
import atelier
try: atelier.fetch(atelier.data_plane_url, headers={f'x{at}': '' for at in range(30000)})
except ValueError as error: print(error)";
    assert_eq!(code.output("Python", python).await, "a call has at most 16384 bytes of URL and headers\n");
}

#[tokio::test]
async fn a_worker_that_does_not_read_its_answers_is_ended() {
    let code_session = CodeSession::set(&[("execution_secs", "6")]).await;
    let code = format!(
        "{SEND}
print('here', flush=True)
for id in range(40): send({{'kind': 'fetch', 'id': id, 'method': 'GET', 'url': document, 'headers': []}})
while True: pass"
    );
    let ended = code_session.run("Python", &code).await;
    assert_eq!(end(&ended), "failed CRASHED", "{ended:#}");
    assert_eq!(ended["failure"]["message"], "The process did not read the answers to its calls.");
    eventually("no worker is left", || {
        code_session.opened.deployment.control[0].process().children().is_empty()
    })
    .await;
}

#[tokio::test]
async fn code_sends_only_grants_of_its_own_execution() {
    let code_session = CodeSession::open().await;
    let other = code_session
        .begin("Python", "import atelier, time\nprint(*atelier.grant, flush=True)\ntime.sleep(60)")
        .await;
    code_session.writes(&other, "\n").await;
    let foreign = code_session.read(&other).await["output"].as_str().unwrap().trim().replace(' ', "");
    let invented = [
        "svc_gr_a.b.c",
        code_session.opened.session.grant.credential(),
        code_session.opened.caller.credential(),
        &foreign,
    ];
    let code = format!(
        "import atelier
place = f'{{atelier.owner_id}}/me/{{atelier.project_id}}--{{atelier.branch}}/{{atelier.connection_id}}/no-file'
url = f'{{atelier.data_plane_url}}/api/v1/file/download/{{place}}'
for header in [f'Bearer {{text}}' for text in {invented:?}] + ['Basic Og==', 'nonsense', '']:
    try: print(atelier.fetch(url, headers={{'Authorization': header}}).status)
    except OSError as error: print(error)
forged = {{'X-Forwarded-For': '10.0.0.1', 'Forwarded': 'for=10.0.0.1', 'X-Real-Ip': '10.0.0.1'}}
print(atelier.fetch(url, headers=forged).status)
run = atelier.create_evaluation_run()['dataPlane']
print(atelier.fetch(url, headers={{'Authorization': 'Bearer ' + run['token']}}).status)"
    );
    let refused = "only grants of this execution can be sent\n".repeat(7);
    // A request without a credential has the execution's own.
    assert_eq!(code_session.output("Python", &code).await, format!("{refused}404\n404\n"));
    code_session.opened.caller.post(&format!("{}/{other}/stop", code_session.path())).await.expect(200);
}

#[tokio::test]
async fn a_users_bad_credentials_dont_shut_out_executions_of_others() {
    let settings = [("ATELIER_RATE_ADDRESS", "1/3"), ("ATELIER_EXECUTIONS", "4")];
    let code_session = CodeSession::set(&settings).await;
    let bad = "
import atelier
refused = 0
for at in range(50):
    try: atelier.fetch(atelier.data_plane_url + '/x', headers={'Authorization': f'Bearer svc_gr_{at}'})
    except OSError: refused += 1
print(refused)";
    assert_eq!(code_session.output("Python", bad).await, "50\n");
    // A grant that has ended is sent once.
    let key = code_session.opened.alice.issue(&["projects:write"], &[]).await;
    let code = "
import atelier, time
print('here', flush=True)
place = f'{atelier.owner_id}/me/{atelier.project_id}--{atelier.branch}/{atelier.connection_id}/no-file'
url = f'{atelier.data_plane_url}/api/v1/file/download/{place}'
while atelier.fetch(url).status != 401: time.sleep(0.05)
for _ in range(20):
    try: print(atelier.fetch(url).status)
    except OSError as error: last = error
print(last)";
    let object = code_session.code("Python", code).await;
    let body = json!({ "objectId": object });
    let asked =
        key.caller.post(&code_session.path()).json(body).await.expect(201).text("/execution/executionId");
    code_session.writes(&asked, "here").await;
    code_session.opened.deployment.operator().revoke(&key).await;
    let ended = code_session.ended(&asked).await;
    assert_eq!(ended["output"], "here\nthe execution's access to the data plane has ended\n", "{ended:#}");
    for _ in 0..12 {
        let upload = "import atelier\natelier.upload(atelier.input['parent'], 'a.txt', 'a')\nprint('done')";
        let object = code_session.code("Python", upload).await;
        let body = json!({ "objectId": object, "input": { "parent": code_session.opened.model } });
        let asked = code_session.opened.caller.post(&code_session.path()).json(body).await.expect(201);
        assert_eq!(code_session.ended(&asked.text("/execution/executionId")).await["output"], "done\n");
    }
}

#[tokio::test]
async fn an_exit_code_and_an_error_of_the_code_are_reported_as_what_they_are() {
    let code_session = CodeSession::open().await;
    for code in [77, 78, 79] {
        let ended = code_session.run("Python", &format!("import os\nos._exit({code})")).await;
        assert_eq!(end(&ended), "failed CRASHED");
        assert_eq!(ended["failure"]["message"], format!("The process crashed: exit code {code}."));
    }
    for (language, code, shown) in [
        ("Python", "raise ValueError('a\\ud800b')", "ValueError: a\\ud800b"),
        ("Python", "import sys\nsys.exit('a\\ud800b')", "SystemExit: a\\ud800b"),
        ("JavaScript", "throw new RangeError('a\\ud800b')", "RangeError: a\u{fffd}b"),
        ("JavaScript", "throw 'a\\ud800b'", "a\u{fffd}b"),
        ("JavaScript", "throw { a: '\\ud800' }", "{ a: '\\ud800' }"),
    ] {
        let ended = code_session.run(language, code).await;
        assert_eq!(end(&ended), "failed UNCAUGHT_ERROR", "{code}: {ended:#}");
        let message = ended["failure"]["message"].as_str().unwrap();
        assert!(message.contains(shown), "{code}: {message}");
    }
    let unencodable = "import atelier\ntry: atelier.fetch('\\ud800')\nexcept UnicodeError: print('refused')";
    assert_eq!(code_session.output("Python", unencodable).await, "refused\n");
}

#[tokio::test]
async fn credentials_are_masked_in_output_and_failures() {
    let code_session = CodeSession::open().await;
    for (language, code) in [
        ("Python", "import atelier\nprint('x', atelier.grant, 'y')\nraise ValueError(atelier.grant)"),
        ("JavaScript", "console.log('x', atelier.grant, 'y'); throw new Error(atelier.grant)"),
    ] {
        let ended = code_session.run(language, code).await;
        assert_eq!(ended["output"], "x svc_gr_[masked] y\n", "{ended:#}");
        let message = ended["failure"]["message"].as_str().unwrap();
        assert!(message.contains("svc_gr_[masked]") && !message.contains("svc_gr_e"), "{message}");
    }
}

#[tokio::test]
async fn a_worker_inherits_no_descriptor_of_its_host() {
    // Without close-on-exec: the control plane inherits it, as it would from its starter.
    let planted = nix::unistd::dup(tempfile::tempfile().unwrap()).unwrap();
    let code_session = CodeSession::own().await;
    assert!(code_session.opened.deployment.control[0].process().descriptors().contains(&planted.as_raw_fd()));
    let code = "
import os
held = []
for number in range(3, 4096):
    try: held.append((number, os.fstat(number)))
    except OSError: pass
print(held)";
    assert_eq!(code_session.output("Python", code).await, "[]\n");
}

#[tokio::test]
async fn a_worker_started_by_hand_does_nothing() {
    let program = testkit::environment::program("control");
    let output = std::process::Command::new(program).arg("execute").output().unwrap();
    assert_eq!(output.status.code(), Some(77));
}

#[tokio::test]
async fn a_worker_has_nothing_of_its_hosts_environment() {
    let code = CodeSession::own().await;
    let id = code.begin("Python", "import time\nprint('here', flush=True)\ntime.sleep(3600)").await;
    code.writes(&id, "here").await;
    let children = code.opened.deployment.control[0].process().children();
    let environment = fs::read_to_string(format!("/proc/{}/environ", children[0])).unwrap_or_default();
    assert!(!environment.contains("DATABASE"), "{environment}");
    code.opened.caller.post(&format!("{}/{id}/stop", code.path())).await.expect(200);
}
