//! A plain single-threaded server: receives a body, hashes it with SHA-256, and writes it to a file.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Size of a read: its bytes stay in the processor's cache for the hash and the write.
const BUFFER_BYTES: usize = 256 * 1024;

/// Head of a request.
struct Head {
    length_bytes: usize,
    /// True to sync the file before the answer, by the path `/synced`.
    synced: bool,
}

/// Serves connections one after another until the process is killed.
///
/// # Errors
/// The address can't be bound.
pub(crate) fn serve(listen: SocketAddr, folder: &Path) -> Result<()> {
    let listener = TcpListener::bind(listen)?;
    let mut files = (0_u64..).map(|number| folder.join(number.to_string()));
    for stream in listener.incoming() {
        // The client reports a broken connection as an error.
        if let Err(error) = stream.map_err(Into::into).and_then(|stream| answer(stream, &mut files)) {
            eprintln!("{error:#}");
        }
    }
    Ok(())
}

fn answer(stream: TcpStream, files: &mut impl Iterator<Item = std::path::PathBuf>) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut answers = stream.try_clone()?;
    let mut received = BufReader::with_capacity(BUFFER_BYTES, stream);
    while let Some(head) = Head::read(&mut received)? {
        let mut file = File::create_new(files.next().context("out of names")?)?;
        let mut hash = Sha256::new();
        let mut left = head.length_bytes;
        while left > 0 {
            let arrived = received.fill_buf()?;
            let bytes = arrived.get(..left.min(arrived.len())).unwrap_or_default();
            anyhow::ensure!(!bytes.is_empty(), "the body was cut short");
            hash.update(bytes);
            file.write_all(bytes)?;
            let taken = bytes.len();
            received.consume(taken);
            left -= taken;
        }
        if head.synced {
            file.sync_data()?;
        }
        let hash = hash.finalize();
        write!(answers, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", hash.len())?;
        answers.write_all(&hash)?;
    }
    Ok(())
}

impl Head {
    /// The head of the next request; nothing at the end of the connection.
    fn read(received: &mut impl BufRead) -> Result<Option<Self>> {
        let mut line = String::new();
        if received.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let synced = line.split_whitespace().nth(1) == Some("/synced");
        let mut length_bytes = 0;
        loop {
            line.clear();
            anyhow::ensure!(received.read_line(&mut line)? > 0, "the head was cut short");
            match line.trim_end().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length_bytes = value.trim().parse()?;
                }
                Some(_) => {}
                None => return Ok(Some(Self { length_bytes, synced })),
            }
        }
    }
}
