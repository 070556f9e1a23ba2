//! Source files: language, and text in Unicode.

mod encoding;
mod engineering;
mod language;
mod notebook;

use std::io::{self, Read, Seek, SeekFrom};

use domain::content::edit::{TEXT, TEXT_MAX_BYTES};
use domain::text::Name;
use serde_json::{Map, Value, json};

use self::notebook::Notebook;
use crate::conversion::{Conversion, ConversionFailureCode, DraftObject, DraftType};
use crate::plain;

/// Longest source file and longest text of one, in bytes. The limit is that of edits, so an editor can write it back.
pub const SOURCE_MAX_BYTES: u64 = 1024 * 1024;

/// Longest notebook, in bytes. Besides code it contains the output of the code, for example pictures.
const NOTEBOOK_MAX_BYTES: u64 = 32 * 1024 * 1024;

/// The text of bytes in a guessed encoding.
pub(crate) fn decoded(bytes: &[u8]) -> String {
    encoding::decode(bytes).text
}

/// Converts source to a code object with language and text; `None` for other files.
///
/// # Errors
/// Failures of reading.
pub(crate) fn convert<R: Read + Seek>(
    name: &Name,
    media_type: &str,
    head: &[u8],
    mut input: R,
) -> io::Result<Option<Conversion>> {
    // The name alone decides the language of an empty file.
    if !head.is_empty() && !plain::is_text(head) {
        return Ok(None);
    }
    let Some(language) = language::of(name.as_str(), &encoding::decode(head).text) else { return Ok(None) };
    let media_type = if head.is_empty() { plain::TEXT } else { media_type };
    let too_large =
        || Ok(Some(Conversion::failed(media_type, name.clone(), ConversionFailureCode::SourceTooLarge)));
    let most = if language == language::NOTEBOOK { NOTEBOOK_MAX_BYTES } else { SOURCE_MAX_BYTES };
    if input.seek(SeekFrom::End(0))? > most {
        return too_large();
    }
    input.rewind()?;
    let mut bytes = Vec::new();
    input.take(most).read_to_end(&mut bytes)?;
    let decoded = encoding::decode(&bytes);
    if decoded.text.contains('\0') {
        return Ok(None);
    }
    let mut data = Map::new();
    let (mut language, mut text) = (language.to_owned(), decoded.text);
    if language == language::NOTEBOOK
        && let Some(notebook) = Notebook::parse(&text)
    {
        data.insert("notebook".to_owned(), notebook.property);
        language = notebook.language.unwrap_or(language);
        text = notebook.text;
    }
    if text.len() > TEXT_MAX_BYTES {
        return too_large();
    }
    data.insert("language".to_owned(), json!(language));
    data.insert("encoding".to_owned(), json!(decoded.encoding));
    data.insert(TEXT.to_owned(), Value::String(text));
    let code = DraftObject { data, ..DraftObject::new(name.clone(), DraftType::Code) };
    Ok(Some(Conversion::single(media_type, code)))
}
