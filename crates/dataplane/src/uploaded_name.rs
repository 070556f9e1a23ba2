//! What an uploaded file is called, from the name that the client sent.
//!
//! The client's name is only ever shown: bytes are stored under ids (`blobs`), and a download is named by the
//! object's id. Not here: how the name is written in a request (`multipart::head`).

use domain::object::Extension;
use domain::text::{NAME_MAX_CHARS, Name};

/// Name and extension of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadedName {
    /// The name to show.
    pub name: Name,
    /// Its extension, where it has one that is safe to keep.
    pub extension: Option<Extension>,
}

impl UploadedName {
    /// What is safe of a name that a client sent: its last path segment (of either kind of path), sanitised
    /// as every name is, and cut before the extension rather than in it. `file` where nothing is left.
    ///
    /// # Errors
    /// None in practice: the fallback is a valid name.
    pub fn of_client(sent: Option<&str>) -> domain::Result<Self> {
        let segment = sent.unwrap_or_default().rsplit(['/', '\\']).next().unwrap_or_default();
        let visible = segment.chars().any(|c| c != '.' && !c.is_whitespace());
        let name = match Name::sanitize(segment).filter(|_| visible) {
            Some(name) => name,
            None => Name::parse("body.file", "file")?,
        };
        // The name may have been cut; the last characters of what was sent still tell the extension.
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

/// `name` with its end replaced by `extension` where cutting it to length took that away.
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
    fn a_hostile_name_is_reduced_to_what_is_safe_to_show() {
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
    fn a_long_name_is_cut_before_its_extension() {
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
    fn a_name_without_an_extension_that_is_safe_is_kept_and_the_file_has_none() {
        for name in ["Makefile", ".gitignore", "x.täg"] {
            assert_eq!((shown(name).as_str(), extension(name)), (name, None));
        }
        assert_eq!(UploadedName::of_client(None).unwrap().extension, None);
    }
}
