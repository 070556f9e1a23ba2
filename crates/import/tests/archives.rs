//! Entries of archives: names in the code pages of their senders, what systems leave, and counts.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::fs::File;
use std::io::{Cursor, Seek, Write};

use encoding_rs::{Encoding, GBK, IBM866, SHIFT_JIS, WINDOWS_1252};
use flate2::Compression;
use flate2::write::GzEncoder;
use import::archive::{ArchiveFault, ArchiveItem, UnpackError, unpack};
use proptest::prelude::*;
use tar::{EntryType, Header};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The entries of an unpacked archive: paths of folders end in `/`, and leftovers are `-`.
fn unpacked(archive: &[u8]) -> Result<Vec<String>, ArchiveFault> {
    let mut file: File = tempfile::tempfile().unwrap();
    file.write_all(archive).unwrap();
    file.rewind().unwrap();
    let mut items = Vec::new();
    let taken = unpack(file, &mut |item| {
        match item {
            ArchiveItem::Folder(path) => items.push(format!("{path}/")),
            ArchiveItem::File(path) => items.push(path.to_owned()),
            ArchiveItem::Skipped(path, reason) => items.push(format!("{path}: {reason:?}")),
            ArchiveItem::Leftover => items.push("-".to_owned()),
            ArchiveItem::Bytes(_) | ArchiveItem::End | ArchiveItem::Damaged => {}
        }
        Ok(())
    });
    match taken {
        Ok(()) => Ok(items),
        Err(UnpackError::Refused(fault)) => Err(fault),
        Err(error) => panic!("{error}"),
    }
}

/// A ZIP of empty files with these names, as bytes without the flag for UTF-8.
fn zip(names: &[Vec<u8>]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    // The library writes names in UTF-8: place holders of the same length are replaced.
    let holder = |place: usize, name: &[u8]| {
        let end = if name.ends_with(b"/") || name.ends_with(b"\\") { "!" } else { "" };
        format!("{:~<width$}{end}", format!("<{place}>"), width = name.len() - end.len())
    };
    for (place, name) in names.iter().enumerate() {
        zip.start_file(holder(place, name), SimpleFileOptions::default()).unwrap();
    }
    let mut bytes = zip.finish().unwrap().into_inner();
    for (place, name) in names.iter().enumerate() {
        let holder = holder(place, name).into_bytes();
        let found: Vec<usize> = bytes
            .windows(holder.len())
            .enumerate()
            .filter(|(_, own)| *own == holder)
            .map(|(at, _)| at)
            .collect();
        assert_eq!(found.len(), 2);
        for at in found {
            bytes[at..at + name.len()].copy_from_slice(name);
        }
    }
    bytes
}

/// A tar of files with these names and contents.
fn tar(entries: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_entry_type(if name.ends_with(b"/") { EntryType::Directory } else { EntryType::Regular });
        header.set_size(content.len().try_into().unwrap());
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

fn encoded(encoding: &'static Encoding, names: &[&str]) -> Vec<Vec<u8>> {
    names.iter().map(|name| encoding.encode(name).0.into_owned()).collect()
}

#[test]
fn names_are_read_in_the_code_page_of_their_sender() {
    let cases: [(&'static Encoding, &[&str]); 4] = [
        (SHIFT_JIS, &["予定表.txt", "図面.stp", "ソフト能力.pdf"]),
        (GBK, &["零件图.stp", "说明.txt"]),
        (IBM866, &["Чертёж детали.stp", "Вал.stp"]),
        (WINDOWS_1252, &["Größe.stp", "Übersicht.pdf", "Ø 10 µm.txt"]),
    ];
    for (encoding, names) in cases {
        let raw = encoded(encoding, names);
        assert_eq!(unpacked(&zip(&raw)).unwrap(), names, "{}", encoding.name());
        let entries: Vec<(&[u8], &[u8])> = raw.iter().map(|name| (name.as_slice(), b"".as_slice())).collect();
        assert_eq!(unpacked(&tar(&entries)).unwrap(), names, "{}", encoding.name());
        assert_eq!(unpacked(&gzip(&tar(&entries))).unwrap(), names, "{}", encoding.name());
    }
}

#[test]
fn backslashes_separate_names_where_no_name_has_slashes() {
    let names: Vec<Vec<u8>> =
        [&b"a\\b\\1.txt"[..], b"a\\2.txt", b"empty\\", b"3.txt"].map(<[u8]>::to_vec).into();
    assert_eq!(unpacked(&zip(&names)).unwrap(), ["a/", "a/b/", "empty/", "a/b/1.txt", "a/2.txt", "3.txt"]);
    let names: Vec<Vec<u8>> = [&b"a\\b.txt"[..], b"a/c.txt"].map(<[u8]>::to_vec).into();
    assert_eq!(unpacked(&zip(&names)).unwrap(), ["a/", "a\\b.txt", "a/c.txt"]);
}

#[test]
fn what_systems_leave_is_told_apart() {
    let names: Vec<Vec<u8>> =
        ["part.stp", "__MACOSX/._part.stp", "a/.DS_Store", "a/Thumbs.db", "desktop.ini", "a/._x.stp"]
            .map(|name| name.as_bytes().to_vec())
            .into();
    // The last one is no file of attributes.
    assert_eq!(unpacked(&zip(&names)).unwrap(), ["a/", "part.stp", "-", "-", "-", "-", "a/._x.stp"]);
    let attributes: &[u8] = b"\x00\x05\x16\x07rest";
    let archive =
        tar(&[(b"._part.stp", attributes), (b"part.stp", b"x"), (b"._", b"\0"), (b"__MACOSX/", b"")]);
    assert_eq!(unpacked(&archive).unwrap(), ["-", "part.stp", "._", "-"]);
}

#[test]
fn folders_in_paths_are_counted_like_files() {
    let deep = |number: usize, folders: usize| {
        let path: String = (0..folders).map(|level| format!("{number}_{level}/")).collect();
        format!("{path}x").into_bytes()
    };
    // 300 files in 32 folders each are 9,900 entries.
    let names: Vec<Vec<u8>> = (0..300).map(|number| deep(number, 32)).collect();
    assert_eq!(unpacked(&zip(&names)).unwrap().len(), 600);
    let names: Vec<Vec<u8>> = (0..304).map(|number| deep(number, 32)).collect();
    assert_eq!(unpacked(&zip(&names)), Err(ArchiveFault::TooManyEntries));
    let entries: Vec<Vec<u8>> = (0..1_100).map(|number| deep(number, 9)).collect();
    let entries: Vec<(&[u8], &[u8])> = entries.iter().map(|name| (name.as_slice(), b"".as_slice())).collect();
    assert_eq!(unpacked(&tar(&entries)), Err(ArchiveFault::TooManyEntries));
    // Shared folders count once.
    let names: Vec<Vec<u8>> = (0..2_000).map(|number| format!("a/b/c/d/e/f/{number}").into_bytes()).collect();
    assert_eq!(unpacked(&zip(&names)).unwrap().len(), 2_001);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_name_of_any_bytes_is_lost_or_fails(
        names in prop::collection::btree_set(prop::collection::vec(1_u8..=255, 3..20), 1..6)
    ) {
        // A slash at the end would name a folder, and no name is one that systems leave.
        let names: Vec<Vec<u8>> = names
            .into_iter()
            .enumerate()
            .map(|(place, mut name)| {
                name.retain(|byte| !b"/\\".contains(byte));
                name.insert(0, b'a' + u8::try_from(place).unwrap());
                name.push(b'z');
                name.push(b'z');
                name
            })
            .collect();
        let items = unpacked(&zip(&names)).unwrap();
        prop_assert_eq!(items.len(), names.len());
    }
}
