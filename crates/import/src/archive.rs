//! Entries of archives: ZIP, tar and gzipped tar, told by content.
//!
//! A pure reader: an open file in, entries out, one after the other and in pieces. Nothing is kept in memory but the list of
//! a ZIP's entries, and paths of folders. Counts and sizes are limited before and while bytes are unpacked, and claims of
//! the archive are not trusted. Not here: paths, which the receiver of the entries judges.

pub(crate) mod leftovers;
mod tar_entries;
mod zip_entries;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Cursor, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use domain::content::file_path::FolderPath;
use domain::content::upload::FILE_MAX_BYTES;
use flate2::read::MultiGzDecoder;
use serde::{Deserialize, Serialize};

/// Most entries of an archive, and most files and folders that it describes: `a/b/c` are two folders and a file.
pub const ENTRIES_MAX: usize = 10_000;
/// Most bytes of all files of an archive.
pub const UNPACKED_MAX_BYTES: u64 = FILE_MAX_BYTES;
/// Most unpacked bytes for each byte of the archive, beyond [`UNJUDGED_BYTES`]. Text is packed to a tenth, tables to a
/// fiftieth.
const RATIO_MAX: u64 = 200;
/// Unpacked bytes for which no ratio is judged.
const UNJUDGED_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of a piece of a file.
const PIECE_BYTES: usize = 64 * 1024;
/// Bytes of a tar's header, whose magic is at [`TAR_MAGIC_AT`].
const TAR_BLOCK: usize = 512;
const TAR_MAGIC_AT: usize = 257;

/// An item of an archive, in its order. Paths are as the archive has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveItem<'a> {
    /// A folder.
    Folder(&'a str),
    /// A file begins.
    File(&'a str),
    /// The file's next bytes.
    Bytes(&'a [u8]),
    /// The file is complete.
    End,
    /// The file is damaged, and ends here.
    Damaged,
    /// An entry that is left out.
    Skipped(&'a str, SkipReason),
    /// An entry that the sender's system has left in the archive.
    Leftover,
}

/// The reason for which an entry is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// A symbolic or hard link.
    Link,
    /// A device, a pipe or a socket.
    Device,
    /// It is encrypted.
    Encrypted,
    /// It is packed by a method that is not read.
    Method,
    /// Its header is damaged.
    Damaged,
}

impl SkipReason {
    /// The reason in words, of the entry.
    pub fn message(self) -> &'static str {
        match self {
            Self::Link => "The entry is a link.",
            Self::Device => "The entry is a device, a pipe or a socket.",
            Self::Encrypted => "The entry is encrypted.",
            Self::Method => "The entry is packed by a method that is not read.",
            Self::Damaged => "The entry is damaged.",
        }
    }
}

/// The reason for which an archive is refused. Items before it count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArchiveFault {
    /// It is no ZIP, tar or gzipped tar.
    Unknown,
    /// It is damaged, or ends early.
    Damaged,
    /// Two entries have the same bytes or the same name.
    Overlapping,
    /// It has more than [`ENTRIES_MAX`] entries.
    TooManyEntries,
    /// Its files have more than [`UNPACKED_MAX_BYTES`] bytes.
    TooLarge,
    /// Its files are too large for its own size.
    TooDense,
}

impl ArchiveFault {
    /// The reason in words.
    pub fn message(self) -> String {
        match self {
            Self::Unknown => "The file is no ZIP, tar or gzipped tar.".to_owned(),
            Self::Damaged => "The archive is damaged, or ends early.".to_owned(),
            Self::Overlapping => "Entries of the archive overlap, or have the same name.".to_owned(),
            Self::TooManyEntries => format!("The archive has more than {ENTRIES_MAX} files and folders."),
            Self::TooLarge => format!("The archive has more than {UNPACKED_MAX_BYTES} bytes unpacked."),
            Self::TooDense => format!("The archive unpacks to more than {RATIO_MAX} times its size."),
        }
    }

    /// True if the archive exceeds a limit.
    pub fn is_limit(self) -> bool {
        matches!(self, Self::TooManyEntries | Self::TooLarge | Self::TooDense)
    }
}

/// The failure to unpack an archive.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The archive is refused.
    #[error("the archive is refused: {0:?}")]
    Refused(ArchiveFault),
    /// The receiver of the items failed.
    #[error(transparent)]
    Receiver(#[from] io::Error),
}

/// Unpacks an archive and passes its items to `take`.
///
/// # Errors
/// A fault of the archive, also after some items; a failure of `take`.
pub fn unpack(
    mut archive: File,
    take: &mut impl FnMut(ArchiveItem<'_>) -> io::Result<()>,
) -> Result<(), UnpackError> {
    let size = archive.seek(SeekFrom::End(0)).map_err(damaged)?;
    archive.rewind().map_err(damaged)?;
    let head = head(&mut archive)?;
    let mut items = Items { take, entries: 0, folders: HashSet::new(), bytes: 0, archive_bytes: size };
    if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        archive.rewind().map_err(damaged)?;
        return zip_entries::unpack(BufReader::new(archive), &mut items);
    }
    let is_packed = head.starts_with(b"\x1f\x8b");
    let open = || Opened::new(&archive, is_packed);
    let mut opened = open();
    let head = self::head(&mut opened)?;
    let is_empty = head.len() == TAR_BLOCK && head.iter().all(|byte| *byte == 0);
    if !is_empty && !head.get(TAR_MAGIC_AT..).is_some_and(|magic| magic.starts_with(b"ustar")) {
        return Err(refused(ArchiveFault::Unknown));
    }
    tar_entries::unpack(Cursor::new(head).chain(opened), open, &mut items)
}

/// A tar, packed or not, read from its beginning. Several may be read beside each other.
enum Opened<'a> {
    Plain(BufReader<FromStart<'a>>),
    Packed(Box<MultiGzDecoder<BufReader<FromStart<'a>>>>),
}

impl<'a> Opened<'a> {
    fn new(file: &'a File, is_packed: bool) -> Self {
        let buffered = BufReader::with_capacity(PIECE_BYTES, FromStart { file, offset: 0 });
        if is_packed { Self::Packed(Box::new(MultiGzDecoder::new(buffered))) } else { Self::Plain(buffered) }
    }
}

impl Read for Opened<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(into),
            Self::Packed(file) => file.read(into),
        }
    }
}

/// A file with a position of its own.
struct FromStart<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for FromStart<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(into, self.offset)?;
        self.offset = self.offset.saturating_add(u64::try_from(count).map_err(io::Error::other)?);
        Ok(count)
    }
}

/// The first block of a file, or all of a shorter one.
fn head(from: &mut impl Read) -> Result<Vec<u8>, UnpackError> {
    let mut head = Vec::with_capacity(TAR_BLOCK);
    let most = u64::try_from(TAR_BLOCK).unwrap_or(u64::MAX);
    from.take(most).read_to_end(&mut head).map_err(damaged)?;
    Ok(head)
}

/// The items of an archive on their way to the receiver, within the limits.
struct Items<'a, T> {
    take: &'a mut T,
    /// Number of entries, and of folders in the paths of files.
    entries: usize,
    /// The folders that are counted.
    folders: HashSet<String>,
    bytes: u64,
    archive_bytes: u64,
}

impl<T: FnMut(ArchiveItem<'_>) -> io::Result<()>> Items<'_, T> {
    /// Counts an entry, and the folders of its path that no earlier one has.
    fn count_entry(&mut self, path: &str, is_folder: bool) -> Result<(), UnpackError> {
        let above = if is_folder { path } else { path.rsplit_once('/').map_or("", |(above, _)| above) };
        // Those of a path that the receiver refuses are never made.
        let folders = FolderPath::parse(above).unwrap_or_default();
        for folder in folders.with_ancestors().map(|folder| folder.to_string()) {
            self.entries += usize::from(self.folders.insert(folder));
        }
        self.entries += usize::from(!is_folder || folders.names().is_empty());
        if self.entries > ENTRIES_MAX { Err(refused(ArchiveFault::TooManyEntries)) } else { Ok(()) }
    }

    fn pass(&mut self, item: ArchiveItem<'_>) -> Result<(), UnpackError> {
        (self.take)(item).map_err(UnpackError::Receiver)
    }

    /// Passes a file of `size` bytes. Returns false if it is damaged.
    fn pass_file(&mut self, path: &str, size: u64, mut from: impl Read) -> Result<bool, UnpackError> {
        let mut head = Vec::new();
        if leftovers::may_be_attributes(path) {
            // A failure is that of the read below.
            drop(from.by_ref().take(leftovers::HEAD_BYTES).read_to_end(&mut head));
            if leftovers::are_attributes(&head) {
                return self.pass(ArchiveItem::Leftover).map(|()| true);
            }
        }
        let mut from = head.chain(from);
        self.pass(ArchiveItem::File(path))?;
        let mut piece = vec![0; PIECE_BYTES];
        let mut left = Some(size);
        loop {
            let count = match from.read(&mut piece) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            if count == 0 {
                if left != Some(0) {
                    break;
                }
                self.pass(ArchiveItem::End)?;
                return Ok(true);
            }
            let bytes = u64::try_from(count).unwrap_or(u64::MAX);
            left = left.and_then(|left| left.checked_sub(bytes));
            self.count_bytes(bytes)?;
            self.pass(ArchiveItem::Bytes(piece.get(..count).unwrap_or_default()))?;
        }
        self.pass(ArchiveItem::Damaged)?;
        Ok(false)
    }

    fn count_bytes(&mut self, more: u64) -> Result<(), UnpackError> {
        self.bytes = self.bytes.saturating_add(more);
        judge(self.bytes, self.archive_bytes)
    }
}

/// Refuses more unpacked bytes than an archive of this size may have.
fn judge(unpacked: u64, archive: u64) -> Result<(), UnpackError> {
    if unpacked > UNPACKED_MAX_BYTES {
        return Err(refused(ArchiveFault::TooLarge));
    }
    if unpacked > UNJUDGED_BYTES.saturating_add(archive.saturating_mul(RATIO_MAX)) {
        return Err(refused(ArchiveFault::TooDense));
    }
    Ok(())
}

fn refused(fault: ArchiveFault) -> UnpackError {
    UnpackError::Refused(fault)
}

/// The refusal of an archive that can't be read.
fn damaged<E>(_: E) -> UnpackError {
    refused(ArchiveFault::Damaged)
}
