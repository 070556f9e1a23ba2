//! Bytes that are collected while those before them are hashed and written.
//!
//! They are copied out of the server's read buffer, which then goes on in the memory that it has, still in the
//! processor's cache: kept as they came, each would have to be read into new memory, which the server grows by copying.
//! The batches themselves take turns in a few pieces of memory, in which each byte lies at the same place of a block as it
//! will in the file, so that it can be written from there past the system's cache.

use std::collections::VecDeque;

use bytes::{Buf, Bytes, BytesMut};

use super::BATCH_BYTES;
use super::lane::AHEAD;

/// Up to this size a batch takes the memory that it needs: most files are small.
const SMALL_BYTES: usize = 64 * 1024;

/// More than the server hands on at a time, by which a batch may exceed its size.
const SLACK_BYTES: usize = 256 * 1024;

/// Bytes of a block, of memory as of a file.
pub(super) const BLOCK_BYTES: usize = 4096;

/// What is being collected.
#[derive(Debug, Default)]
pub(super) struct Batch {
    filling: BytesMut,
    /// Where in the file it begins.
    position: u64,
    /// The batches before: the memory of the first is taken again, once nobody has it any more.
    before: VecDeque<Bytes>,
}

impl Batch {
    /// An empty batch that begins so far into the file.
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

    /// What was collected, and an empty batch in its place.
    pub(super) fn take(&mut self) -> Bytes {
        let length = u64::try_from(self.filling.len()).unwrap_or(0);
        self.position = self.position.saturating_add(length);
        // A bucket keeps what it has not sent, which is more than shall lie here.
        let oldest = self.before.pop_front_if(|before| before.is_unique());
        let memory = oldest.and_then(|before| before.try_into_mut().ok());
        let next = memory.map(|memory| aligned(memory, self.position));
        let full = std::mem::replace(&mut self.filling, next.unwrap_or_default()).freeze();
        self.before.push_back(full.clone());
        if self.before.len() > AHEAD + 1 {
            self.before.pop_front();
        }
        full
    }
}

/// Memory that is free again, from where bytes lie as they will in a file from `position` on.
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
    fn batches_take_turns_in_the_memory_of_those_that_nobody_has_any_more() {
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
        let kept = batch.before.front().cloned();
        batch.push(&[4; 100_000]);
        batch.take();
        batch.push(&[5; 100_000]);
        batch.take();
        assert!(kept.is_some_and(|kept| kept.iter().all(|byte| *byte == 3)));
    }
}
