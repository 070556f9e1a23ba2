//! The bytes of one piece on their way: read from disk in constant memory, with a checksum of them and the pieces before.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use crc_fast::CrcAlgorithm;
use futures_util::stream::{self, Stream};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use crate::body::{FileState, Sink, within_io};
use crate::error::{RequestError, RequestResult};

/// Bytes that are read at once.
const CHUNK_BYTES: u64 = 512 * 1024;
/// Chunks that wait for the connection.
const CHUNKS_AHEAD: usize = 6;
/// Chunks that exist at once: those that wait, the one that is read, and those that the connection holds.
const BUFFERS: usize = CHUNKS_AHEAD + 3;

/// A file that is sent in pieces, with what was sent of it.
#[derive(Clone, Debug)]
pub(crate) struct PieceSource<S> {
    file: FileState,
    sink: S,
    progress: Arc<Mutex<PieceProgress>>,
}

#[derive(Debug)]
struct PieceProgress {
    /// The checksum of the bytes before `summed_to`.
    crc64: crc_fast::Digest,
    summed_to: u64,
    /// The offset that was reported to the sink.
    reported_to: u64,
}

/// The memory of chunks, used again once the connection has dropped them: the system clears every page of new memory.
#[derive(Debug, Default)]
struct Buffers(VecDeque<Bytes>);

impl Buffers {
    /// A buffer of a length, whose content is to be overwritten.
    fn next(&mut self, length: usize) -> BytesMut {
        let oldest = if self.0.len() < BUFFERS { None } else { self.0.pop_front() };
        // One that the connection still holds is left to it.
        let mut buffer = oldest.and_then(|bytes| bytes.try_into_mut().ok()).unwrap_or_default();
        buffer.resize(length, 0);
        buffer
    }

    fn keep(&mut self, filled: BytesMut) -> Bytes {
        let bytes = filled.freeze();
        self.0.push_back(bytes.clone());
        bytes
    }
}

impl<S: Sink> PieceSource<S> {
    pub(crate) fn new(file: &FileState, sink: &S) -> Self {
        let crc64 = crc_fast::Digest::new(CrcAlgorithm::Crc64Nvme);
        let progress = Arc::new(Mutex::new(PieceProgress { crc64, summed_to: 0, reported_to: 0 }));
        Self { file: file.clone(), sink: sink.clone(), progress }
    }

    /// Reports the offset that the service confirms.
    pub(crate) fn confirm(&self, offset: u64) {
        let mut progress = self.progress.lock();
        let before = std::mem::replace(&mut progress.reported_to, offset);
        drop(progress);
        if before != offset {
            self.sink.moved(signed(offset) - signed(before));
        }
    }

    /// The bytes from `offset`. A thread reads them ahead of the connection. The last chunk of the file is held
    /// back until the file is confirmed.
    pub(crate) fn piece(
        &self,
        offset: u64,
        length: u64,
    ) -> impl Stream<Item = std::io::Result<Bytes>> + Send + 'static {
        let (sender, receiver) = mpsc::channel(CHUNKS_AHEAD);
        let source = self.clone();
        // It ends with the receiver.
        drop(tokio::task::spawn_blocking(move || source.read_ahead(offset, offset + length, &sender)));
        let source = self.clone();
        stream::unfold((receiver, offset), move |(mut receiver, offset)| {
            let source = source.clone();
            async move {
                let chunk: RequestResult<Bytes> = receiver.recv().await?;
                let reached = offset + chunk.as_ref().map_or(0, |bytes| length_of(bytes));
                source.confirm(reached);
                Some((chunk.map_err(within_io), (receiver, reached)))
            }
        })
    }

    fn read_ahead(&self, mut offset: u64, end: u64, sender: &mpsc::Sender<RequestResult<Bytes>>) {
        let (mut input, mut buffers) = (None, Buffers::default());
        while offset < end {
            let chunk = self.read(&mut input, &mut buffers, offset, CHUNK_BYTES.min(end - offset));
            let read = chunk.as_ref().ok().cloned();
            if sender.blocking_send(chunk).is_err() {
                return;
            }
            let Some(bytes) = read else { return };
            self.follow(offset, &bytes);
            offset += length_of(&bytes);
        }
    }

    fn read(
        &self,
        input: &mut Option<File>,
        buffers: &mut Buffers,
        offset: u64,
        length: u64,
    ) -> RequestResult<Bytes> {
        let failed = |error| RequestError::file(&self.file.path, error);
        let input = match input {
            Some(input) => input,
            None => {
                let mut opened = File::open(&self.file.path).map_err(failed)?;
                opened.seek(SeekFrom::Start(offset)).map_err(failed)?;
                input.insert(opened)
            }
        };
        let mut bytes = buffers.next(usize::try_from(length).unwrap_or_default());
        input.read_exact(&mut bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => self.file.changed(),
            _ => failed(error),
        })?;
        if offset + length == self.file.size_bytes {
            self.file.confirm_blocking()?;
        }
        Ok(buffers.keep(bytes))
    }

    /// The CRC-64/NVME of the whole file. What an earlier run has sent is read from disk.
    pub(crate) async fn crc64(&self) -> RequestResult<u64> {
        loop {
            let from = self.progress.lock().summed_to;
            if from >= self.file.size_bytes {
                return Ok(self.progress.lock().crc64.finalize());
            }
            let bytes = self.file.read(from, CHUNK_BYTES.min(self.file.size_bytes - from)).await?;
            self.follow(from, &bytes);
        }
    }

    fn follow(&self, offset: u64, bytes: &[u8]) {
        let mut progress = self.progress.lock();
        if offset == progress.summed_to {
            progress.crc64.update(bytes);
            progress.summed_to += length_of(bytes);
        }
    }
}

fn length_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or_default()
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use futures_util::TryStreamExt;

    use super::PieceSource;
    use crate::body::{FileState, failure_within};
    use crate::error::RequestError;

    #[tokio::test]
    async fn pieces_that_repeat_and_skip_give_the_checksum_of_the_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let bytes: Vec<u8> = (0..2_000_000_u32).map(|n| u8::try_from(n % 251).unwrap()).collect();
        std::fs::write(&path, &bytes).unwrap();
        let reported = std::sync::Arc::new(std::sync::atomic::AtomicI64::new(0));
        let counted = std::sync::Arc::clone(&reported);
        let sink = move |moved| {
            counted.fetch_add(moved, std::sync::atomic::Ordering::Relaxed);
        };
        let source = PieceSource::new(&FileState::of(&path).await.unwrap(), &sink);
        for (offset, length) in [(0, 700_000), (300_000, 700_000), (1_900_000, 100_000)] {
            let chunks: Vec<_> = source.piece(offset, length).try_collect().await.unwrap();
            let (from, to) = (usize::try_from(offset).unwrap(), usize::try_from(offset + length).unwrap());
            assert_eq!(chunks.concat(), bytes[from..to]);
        }
        assert_eq!(source.crc64().await.unwrap(), crc_fast::crc64_nvme(&bytes));
        assert_eq!(reported.load(std::sync::atomic::Ordering::Relaxed), 2_000_000);
    }

    #[tokio::test]
    async fn a_file_that_changes_is_not_sent_to_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        for change in [b"longer than before".as_slice(), b"x", b""] {
            std::fs::write(&path, b"as before").unwrap();
            let source = PieceSource::new(&FileState::of(&path).await.unwrap(), &());
            std::fs::write(&path, change).unwrap();
            let failed = source.piece(0, 9).try_collect::<Vec<_>>().await.unwrap_err();
            assert!(matches!(failure_within(&failed), Some(RequestError::FileChanged { .. })));
        }
    }
}
