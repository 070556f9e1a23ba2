//! Archives: unpacked with their folders, and refused where they are hostile.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{EntryType, Header};
use testkit::invariants::{staged_files, stored_blobs};
use testkit::open_session::{OpenSession, eventually};
use testkit::upload::sha256;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::bulk::support::{below, files, results};

/// A ZIP of these files; a path that ends in `/` is a folder.
fn zip(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (path, bytes) in entries {
        match path.strip_suffix('/') {
            Some(folder) => zip.add_directory(folder, options).unwrap(),
            None => {
                zip.start_file(*path, options).unwrap();
                zip.write_all(bytes).unwrap();
            }
        }
    }
    zip.finish().unwrap().into_inner()
}

/// A tar of entries of any type and path.
fn tar(entries: &[(impl AsRef<[u8]>, EntryType, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (path, kind, bytes) in entries {
        let mut header = Header::new_gnu();
        // The library refuses to write hostile paths.
        let path = path.as_ref();
        header.as_old_mut().name[..path.len()].copy_from_slice(path);
        header.set_entry_type(*kind);
        header.set_size(bytes.len().try_into().unwrap());
        header.set_cksum();
        tar.append(&header, *bytes).unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

async fn sorted(opened: &OpenSession) -> Vec<String> {
    let mut tree = below(&opened.session, "Model").await;
    tree.sort();
    tree
}

#[tokio::test]
async fn each_kind_of_archive_becomes_folders_and_files() {
    let file = EntryType::Regular;
    let entries: [(&str, EntryType, &[u8]); 4] = [
        ("./", EntryType::Directory, b""),
        ("./empty", EntryType::Directory, b""),
        ("./a/b/1.bin", file, b"\x001"),
        ("./2.bin", file, b"\x002"),
    ];
    let of_zip: [(&str, &[u8]); 3] = [("empty/", b""), ("a/b/1.bin", b"\x001"), ("2.bin", b"\x002")];
    for archive in [
        zip(&of_zip, CompressionMethod::Deflated),
        zip(&of_zip, CompressionMethod::Stored),
        tar(&entries),
        gzip(&tar(&entries)),
    ] {
        let opened = OpenSession::own().await;
        let answer = opened.session.upload_archive(&opened.model, archive).await.expect(200);
        assert_eq!(files(&answer), ["a/b/1.bin", "2.bin"]);
        assert_eq!(sorted(&opened).await, ["2.bin", "a", "a/b", "a/b/1.bin", "empty"]);
        let hash = answer.json()["files"][1]["root"]["sha256"].clone();
        assert_eq!(hash, sha256(b"\x002"));
        // The archive itself is not kept.
        assert_eq!(stored_blobs(&opened.deployment.blob_folder()).len(), 2);
    }
}

#[tokio::test]
async fn entries_that_are_no_files_are_left_out_with_their_reason() {
    let opened = OpenSession::open().await;
    let file = EntryType::Regular;
    let archive = tar(&[
        ("link", EntryType::Symlink, b""),
        ("hard", EntryType::Link, b""),
        ("device", EntryType::Char, b""),
        ("pipe", EntryType::Fifo, b""),
        ("../up", file, b"u"),
        ("/etc/passwd", file, b"p"),
        ("a/../../b", file, b"b"),
        ("../folder", EntryType::Directory, b""),
        (".git/config", file, b"[core]"),
        ("sub/GIT~1 ./hooks/post-checkout", file, b"#!"),
        (".Git/", EntryType::Directory, b""),
        ("good.bin", file, b"\0g"),
        ("good.bin", file, b"\0h"),
    ]);
    let answer = opened.session.upload_archive(&opened.model, archive).await.expect(200);
    let refused = ["link", "hard", "device", "pipe", "../up", "/etc/passwd", "a/../../b", "../folder"];
    let of_git = [".git/config", "sub/GIT~1 ./hooks/post-checkout", ".Git"];
    let refused = [&refused[..], &of_git].concat();
    let mut expected: Vec<String> = refused.iter().map(|path| format!("{path}: INVALID_UPLOAD")).collect();
    expected.extend(["good.bin".to_owned(), "good.bin: INVALID_UPLOAD".to_owned()]);
    assert_eq!(files(&answer), expected);
    assert_eq!(sorted(&opened).await, ["good.bin"]);

    // One damaged file of a ZIP leaves the others.
    let mut archive = zip(&[("bad.bin", b"\0content"), ("other.bin", b"\0o")], CompressionMethod::Stored);
    let at = archive.windows(8).position(|bytes| bytes == b"\0content").unwrap();
    archive[at + 1] = b'C';
    let answer = opened.session.upload_archive(&opened.model, archive).await.expect(200);
    assert_eq!(files(&answer), ["bad.bin: INVALID_UPLOAD", "other.bin"]);
    assert_eq!(sorted(&opened).await, ["good.bin", "other.bin"]);
}

#[tokio::test]
async fn names_in_a_code_page_are_kept_and_what_systems_leave_is_counted() {
    let opened = OpenSession::open().await;
    let file = EntryType::Regular;
    // Shift_JIS, in which the second byte of several letters is a backslash.
    let archive = tar(&[
        (&b"\x97\x5c\x92\xe8\x95\x5c.bin"[..], file, b"\0p"),
        (b"\x90\x7d\x96\xca.bin", file, b"\0d"),
        (b"\x83\x5c\x83\x74\x83\x67\x94\x5c\x97\xcd.bin", file, b"\0s"),
        (b"__MACOSX/._plan.bin", file, b"\x00\x05\x16\x07"),
        (b"Thumbs.db", file, b"\0t"),
    ]);
    let answer = opened.session.upload_archive(&opened.model, archive).await.expect(200);
    assert_eq!(files(&answer), ["予定表.bin", "図面.bin", "ソフト能力.bin"]);
    assert_eq!(answer.json()["skippedCount"], 2);
    assert_eq!(sorted(&opened).await, ["ソフト能力.bin", "予定表.bin", "図面.bin"]);
}

#[tokio::test]
async fn a_hostile_archive_is_refused_and_leaves_nothing() {
    let opened = OpenSession::own().await;
    let names: Vec<String> = (0..10_001).map(|number| format!("{number}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    let zeros = vec![0; 100 * 1024 * 1024];
    let plain = zip(&[("a", b"1234"), ("b", b"1234")], CompressionMethod::Stored);
    // Both entries of the directory name the first file.
    let mut overlapping = plain.clone();
    let last = overlapping.windows(4).rposition(|bytes| bytes == b"PK\x01\x02").unwrap();
    overlapping[last + 42..last + 46].fill(0);
    let mut encrypted = plain.clone();
    let first = encrypted.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    encrypted[first + 8] |= 1;
    let bomb = zip(&[("zeros", zeros.as_slice())], CompressionMethod::Deflated);
    for (what, archive, code) in [
        ("many entries", zip(&many, CompressionMethod::Stored), "PAYLOAD_TOO_LARGE"),
        ("a bomb", bomb, "PAYLOAD_TOO_LARGE"),
        ("a packed bomb", gzip(&tar(&[("zeros", EntryType::Regular, &zeros)])), "PAYLOAD_TOO_LARGE"),
        ("overlapping files", overlapping, "INVALID_UPLOAD"),
        ("a cut ZIP", plain[..plain.len() - 30].to_vec(), "INVALID_UPLOAD"),
        ("no archive", b"text".to_vec(), "INVALID_UPLOAD"),
        ("packed text", gzip(b"text"), "INVALID_UPLOAD"),
        ("nothing", Vec::new(), "INVALID_UPLOAD"),
    ] {
        let answer = opened.session.upload_archive(&opened.model, archive).await;
        assert_eq!(answer.code(), code, "{what}");
        assert_eq!(answer.json()["error"]["details"]["files"], serde_json::json!([]), "{what}");
    }
    let folder = opened.deployment.blob_folder();
    eventually("what was written is removed", || staged_files(&folder).is_empty()).await;
    assert!(stored_blobs(&folder).is_empty());
    assert!(sorted(&opened).await.is_empty());
    let answer = opened.session.upload_archive(&opened.model, encrypted).await.expect(200);
    assert_eq!(files(&answer), ["a: INVALID_UPLOAD", "b"]);
}

#[tokio::test]
async fn a_cut_tar_says_what_it_has_added_and_the_whole_one_adds_the_rest() {
    let opened = OpenSession::open().await;
    let file = EntryType::Regular;
    let archive =
        tar(&[("a/1.bin", file, b"\x001"), ("a/2.bin", file, &[0; 600]), ("b/3.bin", file, b"\x003")]);
    // Within the second file, between two files, and behind a file of zeros.
    let one = ["a/1.bin"].as_slice();
    for (end, complete) in [(512 * 3 + 100, one), (512 * 2, one), (512 * 5, &["a/1.bin", "a/2.bin"])] {
        let cut = opened.session.upload_archive(&opened.model, &archive[..end]).idempotency_key("key").await;
        assert_eq!(cut.code(), "INVALID_UPLOAD");
        let mut added = results(&cut.json()["error"]["details"]["files"]);
        added.retain(|file| !file.contains(':'));
        assert_eq!(added, complete);
    }
    let send =
        async || opened.session.upload_archive(&opened.model, archive.clone()).idempotency_key("key").await;
    let whole = send().await.expect(200);
    assert!(!whole.is_replay());
    let again = send().await.expect(200);
    assert!(again.is_replay());
    assert_eq!(again.json(), whole.json());
    assert_eq!(sorted(&opened).await, ["a", "a/1.bin", "a/2.bin", "b", "b/3.bin"]);
}
