//! Bytes that are collected while those before them are hashed and written.
//!
//! They are copied out of the server's read buffer, which then goes on in the memory that it has, still in the
//! processor's cache: kept as they came, each would have to be read into new memory, which the server grows by copying.
//! The batches themselves take turns in two pieces of memory.

use bytes::{Bytes, BytesMut};

use super::LARGEST_BATCH_BYTES;

/// Up to this size a batch takes the memory that it needs: most files are small.
const SMALL_BYTES: usize = 64 * 1024;

/// More than the server hands on at a time, by which a batch may exceed its size.
const SLACK_BYTES: usize = 256 * 1024;

/// What is being collected.
#[derive(Debug, Default)]
pub(super) struct Batch {
    filling: BytesMut,
    /// The batch before: its memory is taken for the next, once nobody has it any more.
    before: Option<Bytes>,
}

impl Batch {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let length = self.filling.len().saturating_add(bytes.len());
        if length > self.filling.capacity() {
            let capacity = if length <= SMALL_BYTES { length } else { LARGEST_BATCH_BYTES + SLACK_BYTES };
            self.filling.reserve(capacity.max(length).saturating_sub(self.filling.len()));
        }
        self.filling.extend_from_slice(bytes);
    }

    pub(super) fn len(&self) -> usize {
        self.filling.len()
    }

    /// What was collected, and an empty batch in its place. To be called when the work on the one before is done.
    pub(super) fn take(&mut self) -> Bytes {
        let memory = self.before.take().and_then(|before| before.try_into_mut().ok());
        let next = memory.map(|mut memory| {
            memory.clear();
            memory
        });
        let full = std::mem::replace(&mut self.filling, next.unwrap_or_default()).freeze();
        self.before = Some(full.clone());
        full
    }
}

#[cfg(test)]
mod tests {
    use super::Batch;

    #[test]
    fn batches_take_turns_in_the_memory_of_those_that_nobody_has_any_more() {
        let mut batch = Batch::default();
        let mut places = Vec::new();
        for round in 0..4_u8 {
            batch.push(&[round; 100_000]);
            let full = batch.take();
            assert!(full.iter().all(|byte| *byte == round) && full.len() == 100_000);
            places.push(full.as_ptr());
        }
        assert_eq!((places[0], places[1]), (places[2], places[3]));
        let kept = batch.before.clone();
        batch.push(&[4; 100_000]);
        batch.take();
        batch.push(&[5; 100_000]);
        batch.take();
        assert!(kept.is_some_and(|kept| kept.iter().all(|byte| *byte == 3)));
    }
}
