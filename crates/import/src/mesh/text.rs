//! Words, numbers and names in files of text. Bytes that are not UTF-8 are replaced in names, and no number elsewhere.

use glam::Vec3;

use super::NAME_MAX_CHARS;

/// The words of a line.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The next three words as coordinates; `None` if they are not three finite numbers.
pub fn point<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Option<Vec3> {
    let (x, y, z) = (words.next(), words.next(), words.next());
    let point = Vec3::new(number(x?)?, number(y?)?, number(z?)?);
    point.is_finite().then_some(point)
}

/// A number in decimal notation.
pub fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// A name without the white space around it, of at most [`NAME_MAX_CHARS`].
pub fn shortened(written: &str) -> String {
    written.trim().chars().take(NAME_MAX_CHARS).collect()
}
