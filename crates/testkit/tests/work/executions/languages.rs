//! Abilities of the languages beside computing: JavaScript as Node.js has it, Python's standard library.

use insta::assert_snapshot;

use crate::executions::support::{CodeSession, end};

#[tokio::test]
async fn javascript_prints_as_node_does() {
    let code_session = CodeSession::open().await;
    let code = "
console.log({ stress: NaN, limit: Infinity, empty: undefined, names: new Map([['a', 1]]), ids: new Set([1, 2]) });
console.log([NaN, undefined], { n: 10n }, -0);
const ring = { n: 1 }; ring.self = ring; console.log(ring);
console.log('%s has %d teeth', 'wheel', 20, /g/i, Promise.resolve(1), [function f() {}, class A {}]);
console.log({ deep: { deep: { deep: { deep: 1 } } }, date: new Date(0) }, new Uint8Array(2));
console.table([{ part: 'wheel', teeth: 20 }, { part: 'shaft' }]);
console.group('Group'); console.log('within'); console.groupEnd();
console.assert(1 > 2, 'no %s', 'way'); console.count();
";
    assert_snapshot!(code_session.output("JavaScript", code).await, @r#"
    {
      stress: NaN,
      limit: Infinity,
      empty: undefined,
      names: Map(1) { 'a' => 1 },
      ids: Set(2) { 1, 2 }
    }
    [ NaN, undefined ] { n: 10n } -0
    <ref *1> { n: 1, self: [Circular *1] }
    wheel has 20 teeth /g/i Promise { 1 } [ [Function: f], [class A] ]
    { deep: { deep: { deep: [Object] } }, date: 1970-01-01T00:00:00.000Z } Uint8Array(2) [ 0, 0 ]
    ┌─────────┬─────────┬───────┐
    │ (index) │ part    │ teeth │
    ├─────────┼─────────┼───────┤
    │ 0       │ 'wheel' │ 20    │
    │ 1       │ 'shaft' │       │
    └─────────┴─────────┴───────┘
    Group
      within
    Assertion failed: no way
    default: 1
    "#);
    let thrown = code_session
        .run("JavaScript", "throw new Error('import failed', { cause: new TypeError('row 7') })")
        .await;
    let message = thrown["failure"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("Error: import failed\n") && message.contains("[cause]: TypeError: row 7"),
        "{message}"
    );
}

#[tokio::test]
async fn javascript_has_familiar_globals_and_says_what_it_has_not() {
    let code_session = CodeSession::open().await;
    let code = "
const noon = new Date('2026-07-01T12:00Z');
console.log(noon.toLocaleString('de-DE', { timeZone: 'Europe/Berlin' }), noon.toLocaleDateString('en-GB'));
console.log((1234567.891).toLocaleString('de-DE'), (0.1 + 0.2).toLocaleString());
const byNumber = (a, b) => a.localeCompare(b, undefined, { numeric: true });
console.log(['10', '9', '1'].sort(byNumber).join(), 'a'.localeCompare('B'));
const millimetres = () => (12).toLocaleString('en', { style: 'unit', unit: 'millimeter' });
for (const no of [millimetres, () => new Intl.NumberFormat()]) {
  try { no(); console.log('did'); } catch (error) { console.log(error.message); }
}
const copy = structuredClone({ at: noon, seen: new Set([1]) });
console.log(copy.at !== noon && copy.at.getTime() === noon.getTime(), copy.seen);
const url = new URL('../b?x=1', 'https://example.com/a/c'); url.searchParams.set('y', 'a b');
console.log(url.href, /^[0-9a-f-]{36}$/.test(crypto.randomUUID()), atob(btoa('gear')));
let ticks = 0;
await new Promise((done) => {
  const timer = setInterval(() => { if (++ticks === 3) { clearInterval(timer); done(); } }, 1);
});
console.log(ticks);
";
    assert_snapshot!(code_session.output("JavaScript", code).await, @r#"
    1.7.2026, 14:00:00 01/07/2026
    1.234.567,891 0.3
    1,9,10 -1
    toLocaleString with the option "style" is not supported here: there is no locale data
    Intl.NumberFormat is not supported here: there is no locale data
    true Set(1) { 1 }
    https://example.com/b?x=1&y=a+b true gear
    3
    "#);
    let module =
        "export const teeth = 20;\nexport default function gear() { return teeth; }\nconsole.log(gear());";
    assert_eq!(code_session.output("JavaScript", module).await, "20\n");
    let ended = code_session.run("JavaScript", "import fs from 'fs';\nconsole.log(fs);").await;
    assert_eq!(end(&ended), "failed UNCAUGHT_ERROR");
    assert!(ended["failure"]["message"].as_str().unwrap().contains("'fs'"), "{ended}");
}

#[tokio::test]
async fn python_has_the_library_that_computes_with_current_time_zones_and_says_its_version() {
    let code_session = CodeSession::open().await;
    let code = "
import array, asyncio, configparser, datetime, pickle, sys, tomllib, zoneinfo
print(tomllib.loads('teeth = 20'), pickle.loads(pickle.dumps({1: [2]})), array.array('d', [1, 2]).tolist())
berlin = zoneinfo.ZoneInfo('Europe/Berlin')
print(datetime.datetime(2026, 7, 1, 12, tzinfo=berlin).isoformat(), len(zoneinfo.available_timezones()) > 400)
try:
    zoneinfo.ZoneInfo('Europe/Nowhere')
except zoneinfo.ZoneInfoNotFoundError as error:
    print('none:', error.args[0])
async def later(n):
    await asyncio.sleep(0.001 * n)
    return n
async def main():
    return await asyncio.gather(*map(later, range(3))), await asyncio.to_thread(lambda: 7)
print(asyncio.run(main()))
print('.'.join(map(str, sys.version_info[:3])))";
    let object = code_session
        .code("Python", "import atelier\nprint(atelier.input['n'], atelier.input['n'] + 1)")
        .await;
    let body = format!(r#"{{"objectId": "{object}", "input": {{"n": 1000000000000000000000000000001}}}}"#);
    let asked = code_session
        .opened
        .caller
        .post(&code_session.path())
        .body("application/json", body.into_bytes())
        .await
        .expect(201);
    let ended = code_session.ended(&asked.text("/execution/executionId")).await;
    let exact = "1000000000000000000000000000001 1000000000000000000000000000002\n";
    assert_eq!(ended["output"], exact, "{ended}");
    let said = code_session.output("Python", code).await;
    let (said, version) = said.trim_end().rsplit_once('\n').unwrap();
    assert_snapshot!(said, @r"
    {'teeth': 20} {1: [2]} [1.0, 2.0]
    2026-07-01T12:00:00+02:00 True
    none: No time zone found with key Europe/Nowhere
    ([0, 1, 2], 7)
    ");
    let path = format!("{}/tools", code_session.opened.session.path());
    let listed = code_session.opened.caller.get(&path).await.expect(200).json();
    assert_eq!(listed["languages"][1]["version"], format!("CPython {version}"));
}
