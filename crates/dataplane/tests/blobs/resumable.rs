//! Blobs in pieces, in folders and in buckets.

use bytes::Bytes;
use dataplane::blobs::hashing::Checksum;
use dataplane::blobs::resumable::Checkpoint;
use dataplane::blobs::{BlobKey, Blobs, StoredBlob};
use domain::Code;
use domain::time::{Clock, Timestamp};
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};

use crate::stores::{Rig, content, new_key, read};

const MIB: usize = 1024 * 1024;

/// Writes bytes after a checkpoint, in chunks; returns the next checkpoint.
async fn append(blobs: &Blobs, key: BlobKey, at: &Checkpoint, bytes: &Bytes) -> Checkpoint {
    let mut writer = blobs.resume(key, at, None).await.unwrap();
    for chunk in bytes.chunks(60_000) {
        writer.write(bytes.slice_ref(chunk)).await.unwrap();
    }
    writer.checkpoint().await.unwrap()
}

async fn finish(blobs: &Blobs, key: BlobKey, at: &Checkpoint) -> StoredBlob {
    blobs.resume(key, at, None).await.unwrap().finish().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_in_pieces_of_any_size_equals_the_whole_with_its_hash() {
    for rig in Rig::both().await {
        for pieces in [
            vec![0],
            vec![1, 2, 3],
            vec![8 * MIB, 8 * MIB],
            vec![3 * MIB, 6 * MIB, 1, 0, 9 * MIB + 5],
            vec![20 * MIB + 7, 1],
        ] {
            let (key, whole) = (new_key(), content(pieces.iter().sum()));
            let (mut at, mut from) = (Checkpoint::start(), 0);
            for size in &pieces {
                // The state is stored between pieces as JSON.
                at = serde_json::from_value(serde_json::to_value(&at).unwrap()).unwrap();
                at = append(&rig.blobs, key, &at, &whole.slice(from..from + size)).await;
                from += size;
                assert_eq!(at.size_bytes, u64::try_from(from).unwrap());
                assert_eq!(at.crc64, Some(crc_fast::crc64_nvme(&whole[..from])));
            }
            // Completion may be repeated.
            for _ in 0..2 {
                let stored = finish(&rig.blobs, key, &at).await;
                assert_eq!(stored.size_bytes, u64::try_from(whole.len()).unwrap());
                assert_eq!(stored.sha256.0, <[u8; 32]>::from(Sha256::digest(&whole)), "{pieces:?}");
            }
            assert!(read(&rig.blobs, key, 0..whole.len()).await == whole, "{pieces:?}");
            rig.blobs.discard(key, &at).await.unwrap();
            assert!(read(&rig.blobs, key, 0..whole.len()).await == whole, "{pieces:?}");
            let later = Clock::ahead_by(60).now();
            let left: Vec<_> = rig.blobs.list_partial_older(later).try_collect().await.unwrap();
            assert!(left.is_empty(), "{pieces:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_after_a_writers_last_checkpoint_are_discarded() {
    for rig in Rig::both().await {
        let (key, whole) = (new_key(), content(12 * MIB));
        let at = append(&rig.blobs, key, &Checkpoint::start(), &whole.slice(..5 * MIB)).await;
        let mut writer = rig.blobs.resume(key, &at, None).await.unwrap();
        for _ in 0..20 {
            writer.write(Bytes::from(vec![9; MIB])).await.unwrap();
        }
        drop(writer);
        // The writing thread closes the file when it is done.
        let next = loop {
            match rig.blobs.resume(key, &at, None).await {
                Ok(writer) => break writer,
                Err(error) => assert_eq!(error.code, Code::UploadInProgress),
            }
        };
        drop(next);
        let at = append(&rig.blobs, key, &at, &whole.slice(5 * MIB..)).await;
        let stored = finish(&rig.blobs, key, &at).await;
        assert_eq!(stored.sha256.0, <[u8; 32]>::from(Sha256::digest(&whole)));
        assert!(read(&rig.blobs, key, 0..whole.len()).await == whole);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_piece_is_checked_against_its_checksum() {
    for rig in Rig::both().await {
        let key = new_key();
        let at = append(&rig.blobs, key, &Checkpoint::start(), &Bytes::from_static(b"abc")).await;
        let sha256 = |bytes: &[u8]| Checksum::Sha256(Sha256::digest(bytes).into());
        for (checksum, matches) in [(sha256(b"def"), true), (sha256(b"abcdef"), false)] {
            let mut writer = rig.blobs.resume(key, &at, Some(checksum)).await.unwrap();
            writer.write(Bytes::from_static(b"def")).await.unwrap();
            writer.checkpoint().await.unwrap();
            let verified = writer.verify().await.map_err(|error| error.code);
            assert_eq!(verified, if matches { Ok(()) } else { Err(Code::ChecksumMismatch) });
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_blob_leaves_nothing_and_is_listed_until_then() {
    for rig in Rig::both().await {
        let key = new_key();
        let at = append(&rig.blobs, key, &Checkpoint::start(), &content(9 * MIB)).await;
        let listed = async |time: Timestamp| -> Vec<_> {
            rig.blobs.list_partial_older(time).try_collect().await.unwrap()
        };
        assert_eq!(listed(Clock::ahead_by(60).now()).await, [key.upload]);
        assert_eq!(listed(Clock::ahead_by(-60).now()).await, []);
        rig.blobs.discard(key, &at).await.unwrap();
        rig.blobs.discard(key, &at).await.unwrap();
        assert_eq!(listed(Clock::ahead_by(60).now()).await, []);
        let at = append(&rig.blobs, key, &Checkpoint::start(), &content(10)).await;
        rig.blobs.discard_unknown(key.upload).await.unwrap();
        assert_eq!(at.size_bytes, 10);
        assert_eq!(listed(Clock::ahead_by(60).now()).await, []);
    }
}
