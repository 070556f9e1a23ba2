//! The lines of an export, checked against its last one.

use domain::content::object::Sha256Hash;
use domain::planning::organization_export::OrganizationExportLine;
use domain::planning::project_export::{EXPORT_FORMAT, EXPORT_VERSION, ExportEnd, ExportHead, ExportLine};
use domain::text;
use sha2::{Digest, Sha256};

use crate::settings::ReadError;

/// Longest reason that is repeated, in characters.
const REASON_MAX_CHARS: usize = 200;

/// Gives each line but the last to `take`, with its number from 1; returns the last one.
///
/// # Errors
/// [`ReadError`] with the first line that is wrong: not JSON, of no known kind, or not as it was written.
pub(super) fn read(
    bytes: &[u8],
    mut take: impl FnMut(u64, ExportLine) -> Result<(), ReadError>,
) -> Result<ExportEnd, ReadError> {
    if bytes.trim_ascii().is_empty() {
        return Err(ReadError::Empty);
    }
    let mut hash = Sha256::new();
    let mut lines = (1_u64..).zip(bytes.split_inclusive(|byte| *byte == b'\n'));
    let mut last = 0;
    while let Some((number, text)) = lines.next() {
        let line = parse(number, text)?;
        match &line {
            ExportLine::End(end) => {
                check_end(number, end, Sha256Hash(hash.finalize().into()))?;
                return match lines.next() {
                    Some((after, _)) => Err(refused(after, "follows the last line")),
                    None => Ok(*end),
                };
            }
            ExportLine::Project(head) if number == 1 => check_head(head)?,
            ExportLine::Project(_) => return Err(refused(number, "a second line of kind project")),
            _ if number == 1 => return Err(other_format()),
            _ => {}
        }
        hash.update(text);
        take(number, line)?;
        last = number;
    }
    Err(ReadError::Cut(last))
}

fn parse(number: u64, text: &[u8]) -> Result<ExportLine, ReadError> {
    // Each line ends with a break: one without it may be the beginning of a longer one.
    let line = text.strip_suffix(b"\n").map(serde_json::from_slice);
    match line {
        Some(Ok(line)) => Ok(line),
        _ if number == 1 && serde_json::from_slice::<OrganizationExportLine>(text).is_ok() => Err(
            ReadError::OtherFormat("the export of an organization; send the lines of one project".to_owned()),
        ),
        _ if number == 1 => Err(other_format()),
        Some(Err(error)) => Err(refused(number, &error.to_string())),
        None => Err(refused(number, "the file is cut")),
    }
}

fn check_head(head: &ExportHead) -> Result<(), ReadError> {
    if head.format != EXPORT_FORMAT {
        return Err(other_format());
    }
    if head.version != EXPORT_VERSION {
        return Err(refused(1, &format!("version {} of the format is not known here", head.version)));
    }
    Ok(())
}

fn check_end(number: u64, end: &ExportEnd, sha256: Sha256Hash) -> Result<(), ReadError> {
    let before = number.saturating_sub(1);
    if end.lines != before {
        return Err(refused(
            number,
            &format!("{} lines were written before this one, not {before}", end.lines),
        ));
    }
    if end.sha256 != sha256 {
        return Err(refused(number, "the lines before this one are not as they were written"));
    }
    Ok(())
}

fn refused(line: u64, reason: &str) -> ReadError {
    ReadError::Line { line, reason: text::cut(reason, REASON_MAX_CHARS).replace('\0', "␀") }
}

fn other_format() -> ReadError {
    ReadError::OtherFormat(format!("the first line is not of kind project and format {EXPORT_FORMAT}"))
}
