//! Local files: their names in a project, their state, their bytes and hashes.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use client::FileState;
use domain::content::git_name::is_git_folder;
use domain::content::object::Sha256Hash;
use domain::content::upload::FILE_MAX_BYTES;
use domain::text::Name;
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use crate::failure::{CommandResult, local_reason};
use crate::local_file::is_same;

/// Bytes that are read at once for a hash.
const CHUNK_BYTES: usize = 128 * 1024;
/// A time of change that is not known.
const UNKNOWN: i64 = i64::MIN;
/// The reason of a file or folder without a name in the project.
const UNNAMEABLE: &str = "its name is not a name that a project takes; rename it";
/// The reason of a file or folder that Git would take for a repository where it is downloaded.
const GITS_NAME: &str = "Git takes its name for a repository; rename it";
/// The reason of a file beside another one, whose name differs in the composition of its letters alone.
const SPELLED_TWICE: &str = "a file beside it has the same name in another Unicode form; rename one";

/// The state of a file that a plan depends on.
#[derive(Clone, Debug)]
pub(super) struct LocalFile {
    /// Its path on this machine.
    pub(super) path: PathBuf,
    /// Its path as messages show it.
    pub(super) shown: String,
    /// Its name in the project.
    pub(super) name: Name,
    /// Its size in bytes.
    pub(super) size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub(super) modified: i64,
}

impl LocalFile {
    /// Looks at a file; the error is the reason why it can't be sent.
    pub(super) fn of(path: &Path, shown: String) -> CommandResult<Self, String> {
        let looked = fs::metadata(path).map_err(|error| local_reason(&error))?;
        if !looked.is_file() {
            return Err("it is neither a file nor a folder".to_owned());
        }
        let name = name_at(path)?;
        if looked.len() > FILE_MAX_BYTES {
            return Err("it is larger than the 2 GiB that the service takes".to_owned());
        }
        // Opened now, so that a file without permission is known before anything is sent.
        fs::File::open(path).map_err(|error| local_reason(&error))?;
        Ok(Self { path: path.to_owned(), shown, name, size: looked.len(), modified: modified(&looked) })
    }
}

/// The name of a file or folder in a project; the error is the reason why it has none.
pub(super) fn name_at(path: &Path) -> CommandResult<Name, String> {
    let own = path.to_str().and(path.file_name()).ok_or(UNNAMEABLE)?;
    let name = project_name(own)?;
    // Some file systems keep both spellings apart, others find one file by either.
    let composed = path.with_file_name(name.as_str());
    if own != name.as_str() && composed.symlink_metadata().is_ok() && !is_same(path, &composed) {
        return Err(SPELLED_TWICE.to_owned());
    }
    Ok(name)
}

/// The name that the service gives to a file or folder; the error is the reason why it would be another one. Names that
/// differ from it in their Unicode form alone pass, because macOS writes all names decomposed.
pub(super) fn project_name(name: &OsStr) -> CommandResult<Name, String> {
    let text = name.to_str().ok_or(UNNAMEABLE)?;
    let name = Name::sanitize(text).ok_or(UNNAMEABLE)?;
    // The service takes a backslash for a separator.
    if text.contains('\\') || name.as_str().chars().all(|c| c == '.' || c == ' ') {
        return Err(UNNAMEABLE.to_owned());
    }
    if is_git_folder(text) {
        return Err(GITS_NAME.to_owned());
    }
    // Two files may become one name, and --update would replace the other one.
    if text.nfc().ne(name.as_str().chars()) {
        return Err(format!("the project would change its name to \"{name}\"; rename it"));
    }
    Ok(name)
}

/// When a file was last changed, in nanoseconds since 1970; [`UNKNOWN`] where the system doesn't tell, and centuries away.
pub(crate) fn modified(looked: &fs::Metadata) -> i64 {
    let nanos = |time: Duration| i64::try_from(time.as_nanos()).ok();
    let since = looked.modified().ok().and_then(|time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => nanos(after),
        // A wrong clock has written it.
        Err(before) => nanos(before.duration()).map(|nanos| -nanos),
    });
    since.unwrap_or(UNKNOWN)
}

/// The state that a file must still have when it is sent.
pub(super) fn expected_state(path: &Path, size: u64, modified: i64) -> FileState {
    let time = Duration::from_nanos(modified.unsigned_abs());
    let modified = match modified {
        UNKNOWN => fs::metadata(path).ok().and_then(|looked| looked.modified().ok()),
        before if before < 0 => UNIX_EPOCH.checked_sub(time),
        _ => UNIX_EPOCH.checked_add(time),
    };
    FileState { path: path.to_owned(), size_bytes: size, modified }
}

/// The hash of a file, read in constant memory.
pub(crate) fn hash_of(path: &Path) -> std::io::Result<Sha256Hash> {
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(Sha256Hash(hash.finalize().into())),
            length => hash.update(buffer.get(..length).unwrap_or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::time::{Duration, UNIX_EPOCH};

    use super::{GITS_NAME, SPELLED_TWICE, UNNAMEABLE, expected_state, modified, name_at, project_name};

    #[tokio::test]
    async fn a_file_of_any_time_is_known_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let file = std::fs::File::create(&path).unwrap();
        let day = Duration::from_secs(86_400);
        for time in
            [UNIX_EPOCH, UNIX_EPOCH - 9_000 * day, UNIX_EPOCH + 45_000 * day, UNIX_EPOCH + 110_000 * day]
        {
            file.set_modified(time).unwrap();
            let looked = std::fs::metadata(&path).unwrap();
            expected_state(&path, 0, modified(&looked)).confirm().await.unwrap();
        }
    }

    #[test]
    fn a_name_that_the_service_would_change_is_refused() {
        for bad in ["...", ". .", "a\\b", "\u{200b}", ".\u{200b}.", " "] {
            assert_eq!(project_name(OsStr::new(bad)).unwrap_err(), UNNAMEABLE, "{bad:?}");
        }
        for bad in [".GIT", "git~1", ".git."] {
            assert_eq!(project_name(OsStr::new(bad)).unwrap_err(), GITS_NAME, "{bad:?}");
        }
        for (bad, other) in [
            (" a.txt", "a.txt"),
            ("a.txt ", "a.txt"),
            ("a  b.txt", "a b.txt"),
            ("a\tb\n.txt", "a b .txt"),
            ("a\u{200b}b", "ab"),
        ] {
            let reason = project_name(OsStr::new(bad)).unwrap_err();
            assert_eq!(reason, format!("the project would change its name to \"{other}\"; rename it"));
        }
        let named = |name: &str| project_name(OsStr::new(name)).unwrap().to_string();
        let names = [".gitignore", "a b.txt", "Ko\u{308}rper.step"].map(named);
        assert_eq!(names, [".gitignore", "a b.txt", "K\u{f6}rper.step"]);
    }

    #[test]
    fn of_two_unicode_forms_of_a_name_the_one_that_would_change_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let [decomposed, composed] = ["Ko\u{308}rper", "K\u{f6}rper"].map(|name| folder.path().join(name));
        std::fs::write(&decomposed, "1").unwrap();
        assert_eq!(name_at(&decomposed).unwrap().as_str(), "K\u{f6}rper");
        if !composed.exists() {
            std::fs::write(&composed, "2").unwrap();
            assert_eq!(name_at(&decomposed).unwrap_err(), SPELLED_TWICE);
        }
        assert_eq!(name_at(&composed).unwrap().as_str(), "K\u{f6}rper");
    }
}
