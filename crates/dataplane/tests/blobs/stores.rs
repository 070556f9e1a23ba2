//! Rules for blobs in folders and in buckets.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use clap::{Args, FromArgMatches};
use dataplane::blobs::local::BlobFolder;
use dataplane::blobs::resumable::Checkpoint;
use dataplane::blobs::s3::{Bucket, BucketSettings, Credentials};
use dataplane::blobs::{BlobKey, Blobs};
use dataplane::settings::BlobSettings;
use domain::Code;
use domain::id::{ProjectId, UploadId};
use domain::time::{Clock, Timestamp};
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::s3_server::{self, Server};

/// A store and the folder that finally has its bytes.
pub struct Rig {
    pub blobs: Blobs,
    folder: TempDir,
}

impl Rig {
    fn local() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { blobs: Blobs::Local(BlobFolder::open(folder.path()).unwrap()), folder }
    }

    async fn s3() -> Self {
        let server = Server::start().await;
        Self { blobs: bucket(server.endpoint), folder: server.folder }
    }

    pub async fn both() -> [Self; 2] {
        [Self::local(), Self::s3().await]
    }

    /// Number of ordinary files in the store's folder.
    fn files(&self) -> usize {
        files_under(self.folder.path())
    }
}

fn bucket(endpoint: String) -> Blobs {
    let settings = BucketSettings {
        bucket: s3_server::BUCKET.to_owned(),
        prefix: "some/prefix".to_owned(),
        endpoint: Some(endpoint),
        region: "eu-central-1".to_owned(),
        credentials: Some(Credentials {
            access_key_id: s3_server::KEY_ID.to_owned(),
            secret_access_key: s3_server::SECRET.to_owned(),
        }),
    };
    Blobs::S3(Bucket::open(&settings).unwrap())
}

fn files_under(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| if entry.file_type().unwrap().is_dir() { files_under(&entry.path()) } else { 1 })
        .sum()
}

pub fn new_key() -> BlobKey {
    let now = Clock::system().now();
    BlobKey { project: ProjectId::new(now), upload: UploadId::new(now) }
}

/// `size` bytes that repeat after a megabyte at the earliest, and nowhere at the sizes of blocks and parts.
pub fn content(size: usize) -> Bytes {
    let numbers = (0_u32..250_007).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes());
    let period: Vec<u8> = numbers.take(size).collect();
    // Made byte by byte, 90 MiB would take seconds of an unoptimised build.
    let mut content = period.repeat(size / period.len().max(1) + 1);
    content.truncate(size);
    content.into()
}

async fn store(blobs: &Blobs, key: BlobKey, content: &Bytes) -> dataplane::blobs::StoredBlob {
    let mut writer = blobs.create(key);
    for chunk in content.chunks(60_000) {
        writer.write(content.slice_ref(chunk)).await.unwrap();
    }
    writer.finish().await.unwrap()
}

pub async fn read(blobs: &Blobs, key: BlobKey, range: std::ops::Range<usize>) -> Vec<u8> {
    let range = u64::try_from(range.start).unwrap()..u64::try_from(range.end).unwrap();
    let stream = blobs.read(key, range).await.unwrap();
    let extended = async |mut all: Vec<u8>, bytes: Bytes| {
        all.extend_from_slice(&bytes);
        Ok(all)
    };
    stream.try_fold(Vec::new(), extended).await.unwrap()
}

async fn listed(blobs: &Blobs, before: Timestamp) -> Vec<BlobKey> {
    blobs.list_older(before).try_collect().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_of_any_size_is_read_as_written() {
    const MIB: usize = 1024 * 1024;
    for rig in Rig::both().await {
        for size in [0, 1, MIB - 1, MIB, 8 * MIB, 8 * MIB + 1, 27 * MIB + 5] {
            let (key, content) = (new_key(), content(size));
            let stored = store(&rig.blobs, key, &content).await;
            assert_eq!(stored.size_bytes, u64::try_from(size).unwrap());
            assert_eq!(stored.sha256.0, <[u8; 32]>::from(Sha256::digest(&content)), "{size} bytes");
            assert!(read(&rig.blobs, key, 0..size).await == content, "{size} bytes");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_written_past_the_cache_are_read_as_written() {
    const MIB: usize = 1024 * 1024;
    let Rig { blobs, folder: _folder } = Rig::local();
    let content = content(90 * MIB + 5);
    let key = new_key();
    store(&blobs, key, &content).await;
    assert!(read(&blobs, key, 0..content.len()).await == content);
    // The first write ends within a block.
    let (key, first) = (new_key(), 66 * MIB + 7);
    let mut at = Checkpoint::start();
    for part in [content.slice(..first), content.slice(first..)] {
        let mut writer = blobs.resume(key, &at, None).await.unwrap();
        for chunk in part.chunks(60_001) {
            writer.write(part.slice_ref(chunk)).await.unwrap();
        }
        at = writer.checkpoint().await.unwrap();
    }
    blobs.resume(key, &at, None).await.unwrap().finish().await.unwrap();
    assert!(read(&blobs, key, 0..content.len()).await == content);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_of_a_blob_is_read() {
    for rig in Rig::both().await {
        let (key, content) = (new_key(), content(1_000_000));
        store(&rig.blobs, key, &content).await;
        for range in [0..1, 0..0, 999_999..1_000_000, 300_000..700_001] {
            assert!(read(&rig.blobs, key, range.clone()).await == content.slice(range.clone()), "{range:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_of_any_store_is_opened_as_a_local_file() {
    for rig in Rig::both().await {
        let (key, content) = (new_key(), content(9_000_001));
        store(&rig.blobs, key, &content).await;
        let (files, mut read) = (rig.files(), Vec::new());
        let mut file = rig.blobs.open(key, 9_000_001).await.unwrap();
        file.read_to_end(&mut read).unwrap();
        assert!(read == content);
        assert_eq!(rig.files(), files);
        assert_eq!(rig.blobs.open(new_key(), 1).await.unwrap_err().code, Code::InternalError);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_is_opened_by_its_settings() {
    let server = Server::start().await;
    let endpoint = format!("--s3-endpoint={}", server.endpoint);
    let (id, secret) = (s3_server::KEY_ID, s3_server::SECRET);
    let arguments = [
        "test",
        "--blob-store=s3://files/a/prefix",
        &endpoint,
        &format!("--s3-access-key-id={id}"),
        &format!("--s3-secret-access-key={secret}"),
    ];
    let given = BlobSettings::augment_args(clap::Command::new("test")).get_matches_from(arguments);
    let blobs = BlobSettings::from_arg_matches(&given).unwrap().open().unwrap();
    blobs.check().await.unwrap();
    let key = new_key();
    store(&blobs, key, &content(10)).await;
    assert_eq!(read(&blobs, key, 0..10).await, content(10));
    assert!(server.folder.path().join(format!("files/a/prefix/{key}")).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_writer_leaves_nothing() {
    for rig in Rig::both().await {
        let before = rig.files();
        let mut writer = rig.blobs.create(new_key());
        for _ in 0..20 {
            writer.write(content(1024 * 1024)).await.unwrap();
        }
        assert!(rig.files() > before);
        drop(writer);
        // The writing thread removes the file when it notices.
        while rig.files() > before {
            tokio::task::yield_now().await;
        }
        assert_eq!(listed(&rig.blobs, Clock::ahead_by(60).now()).await, []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn blobs_are_listed_by_age_and_may_be_deleted_repeatedly() {
    for rig in Rig::both().await {
        let keys = [new_key(), new_key()];
        for key in keys {
            store(&rig.blobs, key, &content(10)).await;
        }
        let later = Clock::ahead_by(60).now();
        let found = listed(&rig.blobs, later).await;
        assert_eq!(HashSet::from_iter(found), HashSet::from(keys));
        assert_eq!(listed(&rig.blobs, Clock::ahead_by(-60).now()).await, []);
        let [gone, kept] = keys;
        rig.blobs.delete(gone).await.unwrap();
        rig.blobs.delete(gone).await.unwrap();
        assert_eq!(listed(&rig.blobs, later).await, [kept]);
        rig.blobs.check().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_temporary_files_without_a_writer_are_removed() {
    let rig = Rig::local();
    std::fs::write(rig.folder.path().join("tmp/left-by-a-killed-process"), "half").unwrap();
    let (key, content) = (new_key(), content(3 * 1024 * 1024));
    let mut writer = rig.blobs.create(key);
    // After a third chunk was accepted, the first is written, so the file exists and is locked.
    for _ in 0..3 {
        writer.write(content.clone()).await.unwrap();
    }
    assert_eq!(rig.blobs.remove_abandoned().await.unwrap(), 1);
    writer.finish().await.unwrap();
    assert_eq!(read(&rig.blobs, key, 0..content.len()).await, content);
    assert_eq!(rig.files(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_blob_is_a_server_fault() {
    for rig in Rig::both().await {
        let read = rig.blobs.read(new_key(), 0..1).await.err().unwrap();
        assert_eq!(read.code, Code::InternalError);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_store_is_unavailable() {
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let folder = Rig::local();
    std::fs::remove_dir_all(folder.folder.path()).unwrap();
    for blobs in [bucket(format!("http://{port}")), folder.blobs] {
        let mut writer = blobs.create(new_key());
        writer.write(content(10)).await.unwrap();
        assert_eq!(writer.finish().await.unwrap_err().code, Code::Unavailable);
        assert_eq!(blobs.check().await.unwrap_err().code, Code::Unavailable);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_blobs_of_one_and_of_several_projects_are_written_concurrently() {
    let rig = Arc::new(Rig::local());
    let project = new_key().project;
    // In one piece, and in two.
    let contents = [content(16_000), content(2_500_000)];
    let writers = (0..64).map(|number: usize| {
        let (rig, content) = (Arc::clone(&rig), contents[number % 2].clone());
        let own = new_key();
        let key = if number < 32 { BlobKey { project, ..own } } else { own };
        tokio::spawn(async move {
            let stored = store(&rig.blobs, key, &content).await;
            assert_eq!(stored.sha256.0, <[u8; 32]>::from(Sha256::digest(&content)));
            assert_eq!(read(&rig.blobs, key, 0..content.len()).await, content);
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(rig.files(), 64);
}
