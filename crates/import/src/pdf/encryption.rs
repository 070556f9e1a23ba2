//! Files whose attachments alone are encrypted: their pages are read without a password.

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Dict, Name, ObjectIdentifier};
use memchr::memmem;

/// The entry of a trailer that names the encryption.
const ENTRY: &[u8] = b"/Encrypt";
/// An entry of the same length that nobody knows.
const UNKNOWN: &[u8] = b"/Encrypx";
/// The method that leaves strings and streams as they are.
const NONE: &str = "Identity";

/// True if a trailer names an encryption.
pub(super) fn is_encrypted(file: &[u8]) -> bool {
    entries(file).next().is_some()
}

/// The file without its encryption, if that leaves strings and streams as they are, and so covers attachments alone.
pub(super) fn without(file: &[u8]) -> Option<Vec<u8>> {
    let places: Vec<usize> = entries(file).collect();
    let dictionary = places.first().and_then(|place| reference(file.get(place + ENTRY.len()..)?))?;
    let mut plain = file.to_vec();
    for place in places {
        plain.get_mut(place..place + ENTRY.len())?.copy_from_slice(UNKNOWN);
    }
    let pdf = Pdf::new(plain.clone()).ok()?;
    let dictionary = pdf.xref().get::<Dict<'_>>(dictionary)?;
    let is_plain =
        |entry: &str| dictionary.get::<Name<'_>>(entry).is_none_or(|method| method.as_str() == NONE);
    // Older encryptions have one method for everything.
    let has_methods = dictionary.get::<u8>("V").is_some_and(|version| version >= 4);
    (has_methods && is_plain("StmF") && is_plain("StrF")).then_some(plain)
}

/// The places of the entry; `/EncryptMetadata` is another one.
fn entries(file: &[u8]) -> impl Iterator<Item = usize> {
    memmem::find_iter(file, ENTRY)
        .filter(|place| !file.get(place + ENTRY.len()).is_some_and(u8::is_ascii_alphanumeric))
}

/// The object that a reference `n g R` names.
fn reference(text: &[u8]) -> Option<ObjectIdentifier> {
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let number = |word: &[u8]| std::str::from_utf8(word).ok().map(str::to_owned);
    let object = number(words.next()?)?.parse().ok()?;
    let generation = number(words.next()?)?.parse().ok()?;
    words.next()?.starts_with(b"R").then(|| ObjectIdentifier::new(object, generation))
}
