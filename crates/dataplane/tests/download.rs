//! Headers, ranges and preconditions of downloads.

use insta::assert_snapshot;
use testkit::answer::Answer;
use testkit::deployment::Deployment;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, uploaded};
use testkit::upload::sha256;

const FILE: &[u8] = b"0123456789abcdef";

/// A session with one uploaded file.
struct Rig {
    _api: Deployment,
    session: Session,
    path: String,
}

impl Rig {
    async fn start() -> Self {
        let deployment = Deployment::start().await;
        let caller = deployment.operator().user("alice").await.key(MANAGE).await;
        let session = Session::open(&caller, &create_project(&caller, "Gearbox").await).await;
        let model = session.model().await;
        let object = uploaded(&session.upload(&model, "Gear box.txt", FILE).await.expect(200));
        let path = session.download_path(&file_name(&object));
        Self { _api: deployment, session, path }
    }

    async fn range(&self, range: &str) -> Answer {
        self.session.grant.get(&self.path).header("range", range).await
    }

    fn tag() -> String {
        format!("\"{}\"", sha256(FILE))
    }
}

fn shown(answer: &Answer) -> String {
    let body = String::from_utf8_lossy(&answer.body);
    format!("{} {} {body}", answer.status, answer.header("content-range"))
}

#[tokio::test]
async fn a_file_is_sent_as_an_attachment_that_no_browser_executes() {
    let rig = Rig::start().await;
    let answer = rig.session.grant.get(&rig.path).await.expect(200);
    assert_eq!(answer.body, FILE);
    assert_eq!(answer.header("etag"), Rig::tag());
    let names = [
        "content-type",
        "content-length",
        "content-disposition",
        "x-content-type-options",
        "content-security-policy",
        "accept-ranges",
        "cache-control",
    ];
    let headers = names.map(|name| format!("{name}: {}", answer.header(name))).join("\n");
    assert_snapshot!(headers, @r##"
    content-type: text/plain
    content-length: 16
    content-disposition: attachment; filename="Gear box.txt"; filename*=UTF-8''Gear%20box.txt
    x-content-type-options: nosniff
    content-security-policy: sandbox; default-src 'none'
    accept-ranges: bytes
    cache-control: private, no-cache
    "##);

    let head = rig.session.grant.head(&rig.path).await.expect(200);
    assert!(head.body.is_empty());
    for name in names {
        assert_eq!(head.header(name), answer.header(name), "{name}");
    }
}

#[tokio::test]
async fn the_requested_ranges_are_sent() {
    let rig = Rig::start().await;
    assert_eq!(shown(&rig.range("bytes=0-3").await), "206 bytes 0-3/16 0123");
    assert_eq!(shown(&rig.range("bytes=10-").await), "206 bytes 10-15/16 abcdef");
    assert_eq!(shown(&rig.range("bytes=-2").await), "206 bytes 14-15/16 ef");
    assert_eq!(shown(&rig.range("bytes=14-99").await), "206 bytes 14-15/16 ef");
    assert_eq!(shown(&rig.range("lines=1-2").await), "200  0123456789abcdef");
    let outside = rig.range("bytes=16-").await;
    assert_eq!(outside.header("content-range"), "bytes */16");
    assert_snapshot!(outside, @r##"416 RANGE_NOT_SATISFIABLE {"sizeBytes":16}"##);
    let several = rig.range("bytes=0-1,4-5,-1").await.expect(206);
    assert_eq!(several.header("content-type"), "multipart/byteranges; boundary=atelier-byteranges");
    assert_eq!(several.header("content-length"), several.body.len().to_string());
    assert_snapshot!(String::from_utf8_lossy(&several.body).replace('\r', ""), @r##"
    --atelier-byteranges
    Content-Type: text/plain
    Content-Range: bytes 0-1/16

    01
    --atelier-byteranges
    Content-Type: text/plain
    Content-Range: bytes 4-5/16

    45
    --atelier-byteranges
    Content-Type: text/plain
    Content-Range: bytes 15-15/16

    f
    --atelier-byteranges--
    "##);
}

#[tokio::test]
async fn a_client_with_the_current_file_gets_no_bytes() {
    let rig = Rig::start().await;
    let with = |name: &'static str, value: String| {
        let request = rig.session.grant.get(&rig.path).header("range", "bytes=0-0");
        async move { shown(&request.header(name, &value).await) }
    };
    assert_eq!(with("if-none-match", Rig::tag()).await, "304  ");
    assert_eq!(with("if-none-match", "\"x\"".to_owned()).await, "206 bytes 0-0/16 0");
    assert_eq!(with("if-range", Rig::tag()).await, "206 bytes 0-0/16 0");
    assert_eq!(with("if-range", "\"x\"".to_owned()).await, "200  0123456789abcdef");
    assert_eq!(with("if-range", "Fri, 20 Nov 2026 00:00:00 GMT".to_owned()).await, "200  0123456789abcdef");
}
