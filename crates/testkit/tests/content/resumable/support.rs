//! An upload in pieces by a client of the protocol.

use testkit::answer::Answer;
use testkit::caller::{Caller, Request};
use testkit::deployment::{Deployment, Options};
use testkit::open_session::{OpenSession, eventually_async};
use testkit::raw::Connection;

/// An upload after its creation.
#[derive(Clone)]
pub struct PieceUpload {
    pub caller: Caller,
    pub path: String,
}

impl PieceUpload {
    /// Creates an upload of `length` bytes below the reserved package `Model`.
    pub async fn of(opened: &OpenSession, name: &str, length: usize) -> Self {
        let answer = create(opened, &opened.model).header("upload-length", &length.to_string());
        Self::read(opened, answer.header("upload-metadata", &metadata(name)).await.expect(201))
    }

    pub fn read(opened: &OpenSession, created: Answer) -> Self {
        let path = path_of(created.header("location"), &opened.session.grant.url);
        Self { caller: opened.session.grant.clone(), path }
    }

    pub fn append(&self, offset: usize, bytes: impl Into<Vec<u8>>) -> Request {
        tus(self.caller.patch(&self.path))
            .header("upload-offset", &offset.to_string())
            .body("application/offset+octet-stream", bytes.into())
    }

    pub async fn offset(&self) -> usize {
        tus(self.caller.head(&self.path)).await.expect(200).header("upload-offset").parse().unwrap()
    }

    pub async fn status(&self) -> String {
        self.caller.get(&self.path).await.expect(200).text("/upload/status")
    }

    /// Sends the head and the first bytes of a piece.
    pub async fn begin_piece(&self, offset: usize, length: usize, first: &[u8]) -> Connection {
        let mut connection = Connection::open(&self.caller.url).await;
        connection
            .send(format!(
                "PATCH {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ntus-resumable: 1.0.0\r\n\
                 content-type: application/offset+octet-stream\r\nupload-offset: {offset}\r\n\
                 content-length: {length}\r\n\r\n",
                self.path,
                self.caller.credential(),
            ))
            .await;
        connection.send(first).await;
        connection
    }
}

/// The path of an upload's address, which is absolute.
pub fn path_of(location: &str, url: &str) -> String {
    location.strip_prefix(url).unwrap().to_owned()
}

pub fn create(opened: &OpenSession, parent: &str) -> Request {
    tus(opened.session.grant.post(&opened.session.resumable_path(parent)))
}

pub fn tus(request: Request) -> Request {
    request.header("tus-resumable", "1.0.0")
}

pub fn metadata(name: &str) -> String {
    use base64::Engine;
    let encoded = |text: &str| base64::engine::general_purpose::STANDARD.encode(text);
    format!("filename {},filetype {}", encoded(name), encoded("text/html"))
}

/// Bytes that repeat after a megabyte at the earliest, and nowhere at the sizes of pieces.
pub fn content(size: usize) -> Vec<u8> {
    let numbers = (0_u32..250_007).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes());
    let period: Vec<u8> = numbers.take(size).collect();
    let mut content = period.repeat(size / period.len().max(1) + 1);
    content.truncate(size);
    content
}

/// Waits until `count` uploads meet `condition`.
pub async fn wait_for_uploads(opened: &OpenSession, condition: &str, count: i64) {
    let project = &opened.project;
    let query =
        format!("select count(*) from resumable_uploads where project_id = '{project}' and {condition}");
    eventually_async(&query, async || opened.deployment.database.count(&query).await == count).await;
}

/// Waits until a request holds the upload's lease.
pub async fn wait_for_writer(opened: &OpenSession) {
    wait_for_uploads(opened, "leased_until > clock_timestamp()", 1).await;
}

/// A data plane with this expiry of uploads, in seconds, and frequent sweeps.
pub async fn sweeping(expiry_secs: &str) -> OpenSession {
    let environment =
        vec![("resumable_expiry_secs", expiry_secs.to_owned()), ("sweep_interval_secs", "1".to_owned())];
    let options = Options { environment, ..Options::default() };
    OpenSession::on(Deployment::with(options).await).await
}
