//! Upload bodies: `multipart/form-data` with parts named `file`, whole or as a stream of any length.

use bytes::Bytes;
use futures_util::stream;
use reqwest::Body;
use sha2::{Digest, Sha256};

/// A STEP file: an assembly with two instances of one part.
pub const ASSEMBLY: &str = "ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('gear.stp','2026-11-21T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));
ENDSEC;
DATA;
#1=APPLICATION_CONTEXT('mechanical design');
#2=PRODUCT_CONTEXT('',#1,'mechanical');
#3=PRODUCT_DEFINITION_CONTEXT('part definition',#1,'design');
#10=PRODUCT('gearbox','Gearbox','',(#2));
#11=PRODUCT_DEFINITION_FORMATION('','',#10);
#12=PRODUCT_DEFINITION('design','',#11,#3);
#20=PRODUCT('gear','Gear 20T','',(#2));
#21=PRODUCT_DEFINITION_FORMATION('','',#20);
#22=PRODUCT_DEFINITION('design','',#21,#3);
#30=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','left','',#12,#22,$);
#31=NEXT_ASSEMBLY_USAGE_OCCURRENCE('2','right','',#12,#22,$);
ENDSEC;
END-ISO-10303-21;
";

const BOUNDARY: &str = "----atelier-test-boundary";
/// Bytes per chunk of a stream.
const CHUNK_BYTES: usize = 1024 * 1024;

/// A form with one file.
pub struct Form {
    head: String,
    tail: String,
}

impl Form {
    /// Names the file of the form.
    pub fn new(file_name: &str) -> Self {
        // Browsers escape names this way.
        let name = file_name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        Self {
            head: format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n"
            ),
            tail: format!("\r\n--{BOUNDARY}--\r\n"),
        }
    }

    /// The `Content-Type` header.
    pub fn content_type(&self) -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    /// The bytes before the file.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// The bytes after the file.
    pub fn tail(&self) -> &str {
        &self.tail
    }

    /// The body with this file content.
    pub fn body(&self, file: &[u8]) -> Vec<u8> {
        [self.head.as_bytes(), file, self.tail.as_bytes()].concat()
    }

    /// The length of a body with a file of this many bytes.
    pub fn length(&self, file_bytes: u64) -> u64 {
        let frame = self.head.len() + self.tail.len();
        file_bytes.saturating_add(frame.try_into().unwrap_or(u64::MAX))
    }

    /// A streamed body with `file_bytes` zeros. The sender declares its length.
    pub fn zeros(&self, file_bytes: u64) -> Body {
        let chunk = Bytes::from(vec![0; CHUNK_BYTES]);
        let head = Bytes::from(self.head.clone());
        let tail = Bytes::from(self.tail.clone());
        let zeros = std::iter::successors(Some(file_bytes), |left| Some(left.saturating_sub(chunk_bytes())))
            .take_while(|left| *left > 0)
            .map({
                let chunk = chunk.clone();
                move |left| chunk.slice(..usize::try_from(left.min(chunk_bytes())).unwrap_or(CHUNK_BYTES))
            })
            .collect::<Vec<_>>();
        let all = std::iter::once(head).chain(zeros).chain(std::iter::once(tail));
        Body::wrap_stream(stream::iter(all.map(Ok::<_, std::io::Error>)))
    }
}

/// A form with several files, each named by its path: the `Content-Type` header and the body.
pub fn form_of(files: &[(&str, &[u8])]) -> (String, Vec<u8>) {
    let parts = files.iter().map(|(path, bytes)| {
        let form = Form::new(path);
        [form.head.as_bytes(), bytes, b"\r\n"].concat()
    });
    let end = format!("--{BOUNDARY}--\r\n").into_bytes();
    (Form::new("").content_type(), parts.chain([end]).flatten().collect())
}

/// A form with one file and other fields: the `Content-Type` header and the body.
pub fn form_with(fields: &[(&str, &str)], file: &[u8]) -> (String, Vec<u8>) {
    let field = |(name, value): &(&str, &str)| {
        format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let fields: String = fields.iter().map(field).collect();
    let form = Form::new("export");
    (form.content_type(), [fields.as_bytes(), &form.body(file)].concat())
}

/// The SHA-256 of some bytes, hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// The SHA-256 of this many zeros, hexadecimal.
pub fn sha256_of_zeros(count: u64) -> String {
    let chunk = vec![0; CHUNK_BYTES];
    let mut hasher = Sha256::new();
    let mut left = count;
    while left > 0 {
        let now = usize::try_from(left.min(chunk_bytes())).unwrap_or(CHUNK_BYTES);
        hasher.update(chunk.get(..now).unwrap_or_default());
        left = left.saturating_sub(chunk_bytes());
    }
    hex::encode(hasher.finalize())
}

fn chunk_bytes() -> u64 {
    CHUNK_BYTES.try_into().unwrap_or(u64::MAX)
}
