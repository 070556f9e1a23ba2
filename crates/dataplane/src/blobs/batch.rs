//! Collects received bytes into batches while earlier batches are hashed and written.
//!
//! The bytes are copied out of the server's read buffer, so the server reuses that buffer while it is still in the
//! processor's cache. Keeping the received slices instead would force a new allocation for every read.
//! Batches rotate through a few buffers. Each byte has the same offset within a block as in the file, so a batch can
//! be written with `O_DIRECT`.

use std::collections::VecDeque;

use bytes::{Buf, Bytes, BytesMut};

use super::BATCH_BYTES;
use super::lane::MAX_QUEUED;

/// Batches up to this size allocate exactly what they need, because most files are small.
const SMALL_BYTES: usize = 64 * 1024;

/// Room beyond [`BATCH_BYTES`] for the last slice of a batch; larger than any slice of the server.
const SLACK_BYTES: usize = 256 * 1024;

/// Alignment of `O_DIRECT` writes, in bytes, of memory and file offsets.
pub(super) const BLOCK_BYTES: usize = 4096;

/// The batch that is being filled.
#[derive(Debug, Default)]
pub(super) struct Batch {
    filling: BytesMut,
    /// Its offset in the file.
    position: u64,
    /// Earlier batches, oldest first. The oldest buffer is reused once nothing else refers to it.
    earlier: VecDeque<Bytes>,
}

impl Batch {
    /// An empty batch at this offset of the file.
    pub(super) fn at(position: u64) -> Self {
        Self { position, ..Self::default() }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        let length = self.filling.len().saturating_add(bytes.len());
        if length > self.filling.capacity() {
            let capacity = if length <= SMALL_BYTES { length } else { BATCH_BYTES + SLACK_BYTES };
            self.filling.reserve(capacity.max(length).saturating_sub(self.filling.len()));
        }
        self.filling.extend_from_slice(bytes);
    }

    pub(super) fn len(&self) -> usize {
        self.filling.len()
    }

    /// Returns the collected bytes and starts an empty batch.
    pub(super) fn take(&mut self) -> Bytes {
        let length = u64::try_from(self.filling.len()).unwrap_or(0);
        self.position = self.position.saturating_add(length);
        // A bucket holds bytes until they are sent, so an old buffer may still be in use.
        let oldest = self.earlier.pop_front_if(|earlier| earlier.is_unique());
        let memory = oldest.and_then(|earlier| earlier.try_into_mut().ok());
        let next = memory.map(|memory| aligned(memory, self.position));
        let full = std::mem::replace(&mut self.filling, next.unwrap_or_default()).freeze();
        self.earlier.push_back(full.clone());
        if self.earlier.len() > MAX_QUEUED + 1 {
            self.earlier.pop_front();
        }
        full
    }
}

/// Clears a buffer and advances it to the alignment of file offset `position`.
fn aligned(mut memory: BytesMut, position: u64) -> BytesMut {
    memory.clear();
    if memory.capacity() <= SMALL_BYTES {
        return memory;
    }
    memory.reserve(BATCH_BYTES + SLACK_BYTES);
    let within = usize::try_from(position).map_or(0, |position| position % BLOCK_BYTES);
    let skipped = (BLOCK_BYTES + within - memory.as_ptr().addr() % BLOCK_BYTES) % BLOCK_BYTES;
    memory.resize(skipped, 0);
    memory.advance(skipped);
    memory
}

#[cfg(test)]
mod tests {
    use super::{BLOCK_BYTES, Batch};

    #[test]
    fn batches_reuse_released_buffers_and_leave_others_untouched() {
        let mut batch = Batch::default();
        let mut places = Vec::new();
        for round in 0..4_u8 {
            batch.push(&[round; 100_000]);
            let full = batch.take();
            assert!(full.iter().all(|byte| *byte == round) && full.len() == 100_000);
            places.push(full.as_ptr().addr());
        }
        for (round, position) in [(2, 200_000), (3, 300_000)] {
            assert!(places[round].abs_diff(places[round - 2]) < BLOCK_BYTES);
            assert_eq!(places[round] % BLOCK_BYTES, position % BLOCK_BYTES);
        }
        let kept = batch.earlier.front().cloned();
        batch.push(&[4; 100_000]);
        batch.take();
        batch.push(&[5; 100_000]);
        batch.take();
        assert!(kept.is_some_and(|kept| kept.iter().all(|byte| *byte == 3)));
    }
}
