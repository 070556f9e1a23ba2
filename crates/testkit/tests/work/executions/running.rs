//! Ordinary executed code: its environment, output, uploads and failures.

use insta::assert_snapshot;
use serde_json::json;
use testkit::events::EventStream;

use crate::executions::support::{CodeSession, end};

#[tokio::test]
async fn code_gets_its_input_and_its_output_can_be_read_and_streamed() {
    let code_session = CodeSession::open().await;
    for (language, code, printed) in [
        (
            "JavaScript",
            "console.log('sum', atelier.input.numbers.reduce((a, b) => a + b)); console.error({ a: [1] })",
            "sum 42\n{ a: [ 1 ] }\n",
        ),
        (
            "Python",
            "import atelier, sys\nprint('sum', sum(atelier.input['numbers']))\nprint({'a': [1]}, file=sys.stderr)",
            "sum 42\n{'a': [1]}\n",
        ),
    ] {
        let object = code_session.code(language, code).await;
        let mut events = EventStream::open(
            code_session.opened.caller.get(&format!("{}/events", code_session.opened.session.path())),
        )
        .await;
        let body = json!({ "objectId": object, "input": { "numbers": [1, 2, 39] } });
        let asked = code_session.opened.caller.post(&code_session.path()).json(body).await.expect(201);
        let id = asked.text("/execution/executionId");
        assert_eq!(asked.text("/execution/state"), "queued");
        let mut told = Vec::new();
        let mut followed = String::new();
        loop {
            let event = events.next().await.unwrap();
            if event.json["data"]["executionId"] != id.as_str() {
                continue;
            }
            match event.kind.as_str() {
                "execution.output" => followed.push_str(event.json["data"]["text"].as_str().unwrap()),
                "execution.changed" => told.push(event.json["data"]["state"].as_str().unwrap().to_owned()),
                other => panic!("{other}"),
            }
            if told.last().is_some_and(|state| state == "completed") {
                break;
            }
        }
        assert_eq!(told, ["queued", "running", "completed"], "{language}");
        let execution = code_session.read(&id).await;
        let said = execution["output"].as_str().unwrap();
        assert_eq!(followed, said);
        assert_eq!(said, printed, "{language}");
        assert_eq!(
            (&execution["language"], &execution["objectId"]),
            (&json!(language.to_lowercase()), &json!(object))
        );
        assert!(execution["startedAt"].is_string() && execution["truncated"] == false);
    }
}

#[tokio::test]
async fn code_uploads_a_result_file_through_the_data_plane() {
    let code_session = CodeSession::open().await;
    let javascript = "
        const bytes = new Uint8Array(100000).map((_, at) => at % 251);
        const made = await atelier.upload(atelier.input.parent, 'result \"1\".bin', bytes);
        const [object] = Object.values(made.object);
        const place = `${atelier.ownerId}/me/${atelier.projectId}--${atelier.branch}/${atelier.connectionId}`;
        const url = `${atelier.dataPlaneUrl}/api/v1/file/download/${place}/${object.id}${object.extension}`;
        const read = await fetch(url, { headers: { Authorization: `Bearer ${atelier.grant}` } });
        const back = new Uint8Array(await read.arrayBuffer());
        console.log(object.name, read.status, back.length, back.every((byte, at) => byte === bytes[at]));";
    let python = "
import atelier
content = bytes(at % 251 for at in range(100000))
made = atelier.upload(atelier.input['parent'], 'result \"1\".bin', content)
[found] = made['object'].values()
place = f'{atelier.owner_id}/me/{atelier.project_id}--{atelier.branch}/{atelier.connection_id}'
url = f'{atelier.data_plane_url}/api/v1/file/download/{place}/{found[\"id\"]}{found[\"extension\"]}'
read = atelier.fetch(url, headers={'Authorization': f'Bearer {atelier.grant}'})
print(found['name'], read.status, len(read.body), 'true' if read.body == content else 'false')";
    for (language, code) in [("JavaScript", javascript), ("Python", python)] {
        let object = code_session.code(language, code).await;
        let body = json!({ "objectId": object, "input": { "parent": code_session.opened.model } });
        let asked = code_session.opened.caller.post(&code_session.path()).json(body).await.expect(201);
        let ended = code_session.ended(&asked.text("/execution/executionId")).await;
        assert_eq!(end(&ended), "completed", "{ended:#}");
        assert_eq!(ended["output"], "result \"1\".bin 200 100000 true\n");
    }
    // Besides the two Code objects and the reserved packages.
    let tree = code_session
        .opened
        .caller
        .get(&format!("/api/v2/projects/{}/tree", code_session.opened.project))
        .await
        .json();
    let named =
        |name: &str| tree["tree"].as_array().unwrap().iter().filter(|node| node["name"] == name).count();
    assert_eq!(named("result \"1\".bin"), 2);
}

#[tokio::test]
async fn requests_and_timers_of_code_are_concurrent() {
    let code_session = CodeSession::open().await;
    let code = "
        const order = [];
        clearTimeout(setTimeout(() => order.push('never'), 10));
        const timers = Promise.all([300, 1].map((wait) => new Promise((resolve) =>
            setTimeout(() => resolve(order.push(wait)), wait))));
        const url = `${atelier.dataPlaneUrl}/api/v1/openapi.json`;
        const read = await Promise.all(Array.from({ length: 20 }, () => fetch(url)));
        await timers;
        order.push(read.every((response) => response.ok && response.headers.get('Content-Type')));
        console.log(order.join(' '), (await read[0].json()).openapi);";
    assert_eq!(code_session.output("JavaScript", code).await, "1 300 true 3.1.0\n");
}

#[tokio::test]
async fn code_that_fails_reports_the_reason() {
    let code_session = CodeSession::open().await;
    for (language, code, said) in [
        ("JavaScript", "let a = 1;\nnull.x", "code.js:2"),
        ("JavaScript", "let a = ;", "SyntaxError"),
        ("JavaScript", "await Promise.reject(new RangeError('no'))", "RangeError: no"),
        ("JavaScript", "await new Promise(() => {})", "never come"),
        ("JavaScript", "const f = () => f() + 1; f()", "Maximum call stack"),
        ("JavaScript", "throw 'a text'", "a text"),
        ("Python", "a = 1\nraise ValueError('no')", "File \"code.py\", line 2, in <module>"),
        ("Python", "a = = 1", "SyntaxError"),
        ("Python", "import sys\nsys.exit('done')", "SystemExit: done"),
        ("Python", "def f(): return f() + 1\nf()", "RecursionError"),
    ] {
        let ended = code_session.run(language, &format!("{code}\n")).await;
        assert_eq!(end(&ended), "failed UNCAUGHT_ERROR", "{language} {code}: {ended:#}");
        let message = ended["failure"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{language} {code}: {message}");
    }
    // Exiting the process doesn't count as an end.
    assert_eq!(end(&code_session.run("Python", "import os\nos._exit(0)").await), "failed CRASHED");
}

#[tokio::test]
async fn the_standard_library_is_available_for_computation() {
    let code_session = CodeSession::open().await;
    let code = "
import collections, csv, datetime, decimal, hashlib, io, json, math, random, re, statistics, threading, zipfile
print(datetime.datetime.strptime('2026-11-22', '%Y-%m-%d').date(), decimal.Decimal(1) / 8)
print(hashlib.sha256(b'a').hexdigest()[:8], statistics.mean([1, 2, 6]), 'ä'.encode('latin-1'))
held = io.BytesIO()
with zipfile.ZipFile(held, 'w', zipfile.ZIP_DEFLATED) as made: made.writestr('a.txt', 'x' * 1000)
print(len(held.getvalue()) < 300)
found = []
workers = [threading.Thread(target=found.append, args=(at,)) for at in range(4)]
[worker.start() for worker in workers]; [worker.join() for worker in workers]
print(sorted(found))";
    assert_snapshot!(code_session.output("Python", code).await, @r"
    2026-11-22 0.125
    ca978112 3 b'\xe4'
    True
    [0, 1, 2, 3]
    ");
}

#[tokio::test]
async fn output_is_cut_at_its_limit_and_always_text() {
    let code_session = CodeSession::open().await;
    let ended =
        code_session.run("JavaScript", "for (let i = 0; i < 300; i++) console.log('x'.repeat(1023))").await;
    assert_eq!(end(&ended), "completed");
    assert_eq!((ended["output"].as_str().unwrap().len(), &ended["truncated"]), (256 * 1024, &json!(true)));
    let code = "import os\nos.write(1, b'a\\xffb\\x00c')";
    assert_eq!(code_session.output("Python", code).await, "a\u{fffd}b\u{fffd}c");
}
