//! The display name of an uploaded file, derived from the client's name.
//!
//! The name is only shown: bytes are stored under ids (`blobs`), and a download is addressed by the object's id.
//! `multipart::head` parses the name out of a request.

use domain::content::git_name;
use domain::content::object::Extension;
use domain::text::{NAME_MAX_CHARS, Name};
use domain::{Code, Error};

/// Name and extension of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadedName {
    /// The display name.
    pub name: Name,
    /// Its extension, if that is safe to keep.
    pub extension: Option<Extension>,
}

impl UploadedName {
    /// The safe part of a client's name: its last path segment (with either separator), sanitised as every name, and
    /// truncated before its extension. `file` if nothing remains.
    ///
    /// # Errors
    /// `INVALID_UPLOAD` for a name that Git takes for its own.
    pub fn of_client(sent: Option<&str>) -> domain::Result<Self> {
        let segment = sent.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
        let visible = segment.chars().any(|c| c != '.' && !c.is_whitespace());
        let name = match Name::sanitize(segment).filter(|_| visible) {
            Some(name) => name,
            None => Name::parse("file", "file")?,
        };
        if git_name::is_git_folder(name.as_str()) {
            let message = format!("The name of the file {}.", git_name::REFUSAL);
            return Err(Error::new(Code::InvalidUpload, message));
        }
        // The name may be truncated; the last characters of the original still contain the extension.
        let tail: Vec<char> = segment.chars().rev().take(NAME_MAX_CHARS).collect();
        let tail = Name::sanitize(&tail.into_iter().rev().collect::<String>());
        let extension = tail.and_then(|tail| Extension::of_file_name(tail.as_str()));
        let name = match &extension {
            Some(extension) => ending_in(name, extension),
            None => name,
        };
        Ok(Self { name, extension })
    }
}

/// `name` with its end replaced by `extension` if truncation removed it.
fn ending_in(name: Name, extension: &Extension) -> Name {
    if name.as_str().to_ascii_lowercase().ends_with(extension.as_str()) {
        return name;
    }
    let stem: String =
        name.as_str().chars().take(NAME_MAX_CHARS.saturating_sub(extension.as_str().len())).collect();
    Name::sanitize(&format!("{stem}{}", extension.as_str())).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::UploadedName;

    fn shown(sent: &str) -> String {
        UploadedName::of_client(Some(sent)).unwrap().name.as_str().to_owned()
    }

    fn extension(sent: &str) -> Option<String> {
        UploadedName::of_client(Some(sent)).unwrap().extension.map(|extension| extension.as_str().to_owned())
    }

    #[test]
    fn a_hostile_name_is_reduced_to_a_safe_one() {
        assert_eq!(shown("../../x"), "x");
        assert_eq!(shown("C:\\x"), "x");
        assert_eq!(shown("a\0b.txt"), "ab.txt");
        assert_eq!(shown("gpj.\u{202e}exe"), "gpj.exe");
        assert_eq!(shown("CON"), "CON");
        assert_eq!(shown("%2e%2e"), "%2e%2e");
        for nothing in ["", ".", "..", "a/", "\u{200b}", " . "] {
            assert_eq!(shown(nothing), "file", "{nothing:?}");
        }
        assert_eq!(UploadedName::of_client(None).unwrap().name.as_str(), "file");
    }

    #[test]
    fn a_name_that_is_gits_is_refused() {
        for name in [".git", ".GIT. ", "a/git~1", ".git::$DATA", ".g\u{200d}it"] {
            let refused = UploadedName::of_client(Some(name)).unwrap_err();
            assert_eq!(refused.code, domain::Code::InvalidUpload, "{name}");
        }
        assert_eq!(shown(".git/config"), "config");
    }

    #[test]
    fn a_long_name_is_truncated_before_its_extension() {
        let name = shown(&format!("{}.STEP", "é".repeat(300)));
        assert_eq!(name.chars().count(), 255);
        assert!(name.ends_with("é.step"));
        assert_eq!(extension(&format!("{}.STEP", "x".repeat(70_000))).as_deref(), Some(".step"));
    }

    #[test]
    fn an_ordinary_name_is_kept_with_its_extension() {
        assert_eq!(
            shown("NetLock_Arany_=Class_Gold=_Főtanúsítvány.crt"),
            "NetLock_Arany_=Class_Gold=_Főtanúsítvány.crt"
        );
        assert_eq!(shown("#332_file.STP"), "#332_file.STP");
        assert_eq!(extension("#332_file.STP").as_deref(), Some(".stp"));
        assert_eq!(extension("gpj.\u{202e}exe ").as_deref(), Some(".exe"));
    }

    #[test]
    fn a_name_without_a_safe_extension_is_kept_and_the_file_has_no_extension() {
        for name in ["Makefile", ".gitignore", "x.täg"] {
            assert_eq!((shown(name).as_str(), extension(name)), (name, None));
        }
        assert_eq!(UploadedName::of_client(None).unwrap().extension, None);
    }
}
