//! Framing of messages: a JSON head and a binary body, each after its length as a big-endian `u32`.

use std::io::{self, Read, Write};

use serde::Serialize;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Longest head of a message to a worker, in bytes. The first one holds the code's input.
const HEAD_MAX_BYTES: usize = 1024 * 1024;
/// Longest head of a message from a worker, in bytes.
pub(crate) const CALL_HEAD_MAX_BYTES: usize = 16 * 1024;
/// Longest body, in bytes. Larger files are sent in pieces.
pub(crate) const BODY_MAX_BYTES: usize = 4 * 1024 * 1024;

/// Writes a message in a worker.
pub(crate) fn write(output: &mut impl Write, head: &[u8], body: &[u8]) -> io::Result<()> {
    for part in [head, body] {
        output.write_all(&length(part)?)?;
        output.write_all(part)?;
    }
    output.flush()
}

/// Reads a message in a worker; `None` at the end.
pub(crate) fn read(input: &mut impl Read) -> io::Result<Option<(Vec<u8>, Vec<u8>)>> {
    let mut part = |most: usize| -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        input.read_exact(&mut length)?;
        let mut bytes = vec![0; within(u32::from_be_bytes(length), most)?];
        input.read_exact(&mut bytes)?;
        Ok(bytes)
    };
    match part(HEAD_MAX_BYTES) {
        Ok(head) => Ok(Some((head, part(BODY_MAX_BYTES)?))),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Sends a message to a worker.
pub(crate) async fn send(
    output: &mut (impl AsyncWrite + Unpin),
    head: &impl Serialize,
    body: &[u8],
) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    for part in [head.as_slice(), body] {
        output.write_all(&length(part)?).await?;
        output.write_all(part).await?;
    }
    output.flush().await
}

/// Receives the length of a worker's head; `None` at the end.
pub(crate) async fn receive_head_length(input: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<usize>> {
    match input.read_u32().await {
        Ok(length) => within(length, CALL_HEAD_MAX_BYTES).map(Some),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Receives the length of a message's body.
pub(crate) async fn receive_body_length(input: &mut (impl AsyncRead + Unpin)) -> io::Result<usize> {
    within(input.read_u32().await?, BODY_MAX_BYTES)
}

/// Receives `length` bytes.
pub(crate) async fn exactly(input: &mut (impl AsyncRead + Unpin), length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).await?;
    Ok(bytes)
}

fn length(part: &[u8]) -> io::Result<[u8; 4]> {
    u32::try_from(part.len()).map(u32::to_be_bytes).map_err(io::Error::other)
}

fn within(length: u32, most: usize) -> io::Result<usize> {
    let length = usize::try_from(length).map_err(io::Error::other)?;
    if length <= most {
        return Ok(length);
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes is too long")))
}

#[cfg(test)]
mod tests {
    use super::{
        BODY_MAX_BYTES, CALL_HEAD_MAX_BYTES, exactly, read, receive_body_length, receive_head_length, send,
        write,
    };

    #[tokio::test]
    async fn each_half_reads_the_messages_of_the_other() {
        let mut written = Vec::new();
        write(&mut written, b"{\"id\":1}", b"body").unwrap();
        let mut rest = written.as_slice();
        let length = receive_head_length(&mut rest).await.unwrap().unwrap();
        assert_eq!(exactly(&mut rest, length).await.unwrap(), b"{\"id\":1}");
        let length = receive_body_length(&mut rest).await.unwrap();
        assert_eq!(exactly(&mut rest, length).await.unwrap(), b"body");
        assert!(receive_head_length(&mut rest).await.unwrap().is_none());

        let mut sent = Vec::new();
        send(&mut sent, &serde_json::json!({ "id": 1 }), b"").await.unwrap();
        let mut rest = sent.as_slice();
        assert_eq!(read(&mut rest).unwrap().unwrap(), (b"{\"id\":1}".to_vec(), Vec::new()));
        assert!(read(&mut rest).unwrap().is_none());
    }

    #[tokio::test]
    async fn an_excessive_length_is_refused_before_any_allocation() {
        let beyond = |most: usize| u32::try_from(most + 1).unwrap().to_be_bytes();
        assert!(receive_body_length(&mut beyond(BODY_MAX_BYTES).as_slice()).await.is_err());
        assert!(receive_head_length(&mut beyond(CALL_HEAD_MAX_BYTES).as_slice()).await.is_err());
        assert!(read(&mut [255; 4].as_slice()).is_err());
    }
}
