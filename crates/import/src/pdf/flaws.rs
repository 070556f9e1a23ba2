//! Parts of a page that can't be drawn, as hayro warns of them: a font, a picture, an appearance, and methods of packing.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use hayro::hayro_interpret::{InterpreterWarning, WarningSinkFn};
use hayro::hayro_syntax::object::{Array, MaybeRef, Name, Object, ObjectIdentifier};
use hayro::hayro_syntax::page::Page;
use memchr::memmem;

use super::limits::NODES_MAX;
use crate::conversion::ConversionFailureCode;

/// Methods of packing that hayro knows, abbreviations included.
const FILTERS: [&[u8]; 17] = [
    b"ASCIIHexDecode",
    b"AHx",
    b"ASCII85Decode",
    b"A85",
    b"LZWDecode",
    b"LZW",
    b"FlateDecode",
    b"Fl",
    b"RunLengthDecode",
    b"RL",
    b"CCITTFaxDecode",
    b"CCF",
    b"JBIG2Decode",
    b"DCTDecode",
    b"DCT",
    b"JPXDecode",
    b"Crypt",
];
const FILTER: &[u8] = b"/Filter";
/// Entries that lead from a page to others.
const ELSEWHERE: [&[u8]; 6] = [b"Parent", b"P", b"Dest", b"A", b"Popup", b"IRT"];
/// Distance of the type of a stream from its filter, in bytes.
const ENTRY_WITHIN: usize = 512;

/// Warnings of one page.
#[derive(Clone, Default)]
pub(super) struct Flaws(Arc<AtomicU8>);

impl Flaws {
    /// The sink for warnings.
    pub(super) fn sink(&self) -> WarningSinkFn {
        let flaws = Arc::clone(&self.0);
        Arc::new(move |warning| {
            flaws.fetch_or(bit(&warning), Ordering::Relaxed);
        })
    }

    /// The reason why the page is incomplete.
    pub(super) fn code(&self) -> Option<ConversionFailureCode> {
        let flaws = self.0.load(Ordering::Relaxed);
        let has = |warning: &InterpreterWarning| flaws & bit(warning) != 0;
        if has(&InterpreterWarning::ImageDecodeFailure) {
            Some(ConversionFailureCode::PagePictureDamaged)
        } else if has(&InterpreterWarning::UnsupportedFont) {
            Some(ConversionFailureCode::PageFontDamaged)
        } else if has(&InterpreterWarning::UnresolvedAnnotationAppearance) {
            Some(ConversionFailureCode::PageNoteDamaged)
        } else {
            None
        }
    }
}

fn bit(warning: &InterpreterWarning) -> u8 {
    match warning {
        InterpreterWarning::ImageDecodeFailure => 1,
        InterpreterWarning::UnsupportedFont => 2,
        InterpreterWarning::UnresolvedAnnotationAppearance => 4,
        _ => 0,
    }
}

/// The streams of a file that are packed by methods that hayro doesn't know and skips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UnknownFilters {
    /// None.
    #[default]
    None,
    /// Streams of pages, fonts or pictures.
    Contents,
    /// Objects, so that any page may lack something.
    Objects,
}

impl UnknownFilters {
    /// Those of a file. Dictionaries of streams are never packed or encrypted.
    pub(super) fn of(file: &[u8]) -> Self {
        let mut found = Self::None;
        for place in memmem::find_iter(file, FILTER) {
            let after = file.get(place + FILTER.len()..).unwrap_or_default();
            if names(after).all(is_known) || !is_of_stream(after) {
                continue;
            }
            let around =
                place.saturating_sub(ENTRY_WITHIN)..place.saturating_add(ENTRY_WITHIN).min(file.len());
            let around = file.get(around).unwrap_or_default();
            let before = around.get(..ENTRY_WITHIN.min(place)).unwrap_or_default();
            let begin = memmem::rfind(before, b" obj").unwrap_or_default();
            let end = memmem::find(around, b"stream").unwrap_or(around.len());
            let own = around.get(begin..end.max(begin)).unwrap_or_default();
            found = Self::Contents;
            if memmem::find(own, b"/ObjStm").is_some() || memmem::find(own, b"/XRef").is_some() {
                return Self::Objects;
            }
        }
        found
    }

    /// True if a page may lack something that is packed so.
    pub(super) fn concern(self, page: &Page<'_>) -> bool {
        match self {
            Self::None => false,
            Self::Objects => true,
            Self::Contents => is_packed_unknown(page),
        }
    }
}

/// True if a dictionary that goes on so is that of a stream; encryptions and signatures name filters, too.
fn is_of_stream(after: &[u8]) -> bool {
    let stream = memmem::find(after, b"stream").unwrap_or(after.len());
    memmem::find(after.get(..stream).unwrap_or_default(), b"endobj").is_none() && stream < after.len()
}

/// The names that follow `/Filter`: one, or those of an array.
fn names(after: &[u8]) -> impl Iterator<Item = &[u8]> {
    let after = after.trim_ascii_start();
    let list = match after.strip_prefix(b"[") {
        Some(list) => list.split(|byte| *byte == b']').next().unwrap_or_default(),
        None => after
            .get(..1 + after.iter().skip(1).take_while(|byte| is_regular(**byte)).count())
            .unwrap_or_default(),
    };
    let list = list.get(..ENTRY_WITHIN.min(list.len())).unwrap_or_default();
    let words = list.split(|byte| *byte == b'/').skip(1);
    words.map(|word| word.split(|byte| !is_regular(*byte)).next().unwrap_or_default())
}

fn is_regular(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"()<>[]{}/%\0".contains(&byte)
}

fn is_known(filter: &[u8]) -> bool {
    FILTERS.contains(&filter)
}

/// True if something that a page draws is packed by an unknown method.
fn is_packed_unknown(page: &Page<'_>) -> bool {
    let raw = page.raw();
    let roots = ["Contents", "Annots"].into_iter().filter_map(|key| raw.get::<Object<'_>>(key));
    let resources = [&page.resources().x_objects, &page.resources().fonts, &page.resources().patterns];
    let mut pending: Vec<Object<'_>> =
        roots.chain(resources.into_iter().map(|dict| Object::Dict(dict.clone()))).collect();
    let mut seen: HashSet<ObjectIdentifier> = HashSet::new();
    let mut visits = NODES_MAX;
    while let Some(object) = pending.pop() {
        visits = visits.saturating_sub(1);
        if visits == 0 {
            return true;
        }
        let dict = match object {
            Object::Stream(stream) => {
                let dict = stream.dict().clone();
                let is_alone = dict.get::<Name<'_>>("Filter").is_some_and(|name| !is_known(&name));
                let list = dict.get::<Array<'_>>("Filter");
                if is_alone || list.iter().flat_map(Array::iter::<Name<'_>>).any(|name| !is_known(&name)) {
                    return true;
                }
                dict
            }
            Object::Dict(dict) => dict,
            Object::Array(array) => {
                pending.extend(array.raw_iter().filter_map(|item| resolve(page, item, &mut seen)));
                continue;
            }
            _ => continue,
        };
        let entries = dict.entries().filter(|(name, _)| !ELSEWHERE.contains(&&**name));
        pending.extend(entries.filter_map(|(_, value)| resolve(page, value, &mut seen)));
    }
    false
}

/// An object that was not seen before.
fn resolve<'a>(
    page: &Page<'a>,
    value: MaybeRef<Object<'a>>,
    seen: &mut HashSet<ObjectIdentifier>,
) -> Option<Object<'a>> {
    match value {
        MaybeRef::Ref(id) => {
            let id = ObjectIdentifier::from(id);
            if seen.insert(id) { page.xref().get(id) } else { None }
        }
        MaybeRef::NotRef(object) => Some(object),
    }
}

#[cfg(test)]
mod tests {
    use super::UnknownFilters;

    #[test]
    fn unknown_methods_of_packing_are_found() {
        for (file, found) in [
            (&b"1 0 obj << /Filter /FlateDecode >> stream"[..], UnknownFilters::None),
            (b"1 0 obj << /Filter[/A85 /Fl] >> stream", UnknownFilters::None),
            (b"1 0 obj << /Filter/BrotliDecode/Length 3>> stream", UnknownFilters::Contents),
            (b"1 0 obj << /Filter [ /ASCII85Decode /BrotliDecode ] >> stream", UnknownFilters::Contents),
            (b"1 0 obj << /Filter/BrotliDecode/Type/ObjStm>> stream", UnknownFilters::Objects),
            (b"1 0 obj << /Type /XRef /Filter /BrotliDecode >> stream", UnknownFilters::Objects),
            (b"1 0 obj << /Type/ObjStm >> endobj 2 0 obj << /Filter /X >> stream", UnknownFilters::Contents),
            (b"1 0 obj << /Filter /Standard >> endobj 2 0 obj << /Length 9 >> stream", UnknownFilters::None),
            (b"/Filter", UnknownFilters::None),
        ] {
            assert_eq!(UnknownFilters::of(file), found, "{}", String::from_utf8_lossy(file));
        }
    }
}
