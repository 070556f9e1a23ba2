//! Properties of a document in XMP (ISO 16684-1), which PDF 2.0 has instead of an information dictionary, and PDF/A in
//! addition. Broken XML counts up to its first error.

use encoding_rs::{Encoding, UTF_8};
use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Dict, Stream};
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::{NsReader, XmlVersion};
use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, OffsetDateTime, PrimitiveDateTime, Time};

use super::limits::{LEVELS_MAX, XMP_CODED_MAX, XMP_MAX};
use super::{contained, string};
use crate::plain;

const RDF: &[u8] = b"http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const DUBLIN_CORE: &[u8] = b"http://purl.org/dc/elements/1.1/";
const ADOBE_PDF: &[u8] = b"http://ns.adobe.com/pdf/1.3/";
const ADOBE_XMP: &[u8] = b"http://ns.adobe.com/xap/1.0/";

/// XMP properties by namespace and name, with the matching names in information dictionaries. If two match, the first in
/// the file counts.
const PROPERTIES: [(&[u8], &[u8], &str); 9] = [
    (DUBLIN_CORE, b"title", "title"),
    (DUBLIN_CORE, b"creator", "author"),
    (DUBLIN_CORE, b"description", "subject"),
    (DUBLIN_CORE, b"subject", "keywords"),
    (ADOBE_PDF, b"Keywords", "keywords"),
    (ADOBE_PDF, b"Producer", "producer"),
    (ADOBE_XMP, b"CreatorTool", "creator"),
    (ADOBE_XMP, b"CreateDate", "created"),
    (ADOBE_XMP, b"ModifyDate", "modified"),
];

/// The properties in a document's XMP, in order. Errors in it don't fail the conversion.
pub(super) fn of(pdf: &Pdf) -> Vec<(&'static str, String)> {
    let properties = contained(|| {
        let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?;
        Some(read(&packet(&catalog.get::<Stream<'_>>("Metadata")?)?))
    });
    properties.flatten().unwrap_or_default()
}

/// The text of a stream. A stream that is compressed twice or large may be a bomb and is ignored.
fn packet(stream: &Stream<'_>) -> Option<String> {
    if stream.filters().len() > 1 || !stream.filters().is_empty() && stream.raw_data().len() > XMP_CODED_MAX {
        return None;
    }
    let bytes = stream.decoded_data().ok()?;
    let bytes = bytes.get(..XMP_MAX.min(bytes.len()))?;
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = marked.or_else(|| plain::unmarked_utf16(bytes)).unwrap_or(UTF_8);
    Some(encoding.decode_with_bom_removal(bytes).0.into_owned())
}

/// A property under construction.
struct PendingProperty {
    name: &'static str,
    depth: usize,
    /// Its values; the first is the text outside of list items.
    items: Vec<String>,
    /// The item for the default language.
    default: Option<usize>,
}

fn read(text: &str) -> Vec<(&'static str, String)> {
    let mut reader = NsReader::from_str(text);
    let (mut properties, mut depth, mut open) = (Vec::new(), 0_usize, None::<PendingProperty>);
    while let Ok((resolved, event)) = reader.read_resolved_event() {
        let namespace = match resolved {
            ResolveResult::Bound(Namespace(namespace)) => namespace.to_vec(),
            _ => Vec::new(),
        };
        match event {
            Event::Start(_) if depth == LEVELS_MAX => break,
            Event::Start(element) => {
                depth += 1;
                let name = element.local_name();
                match &mut open {
                    Some(open) if namespace == RDF && name.as_ref() == b"li" => {
                        if is_for_any_language(&element) {
                            open.default = Some(open.items.len());
                        }
                        open.items.push(String::new());
                    }
                    Some(_) => {}
                    None => {
                        properties.extend(attributes(&reader, &namespace, &element));
                        let begun =
                            |name| PendingProperty { name, depth, items: vec![String::new()], default: None };
                        open = property(&namespace, name.as_ref()).map(begun);
                    }
                }
            }
            Event::Empty(element) if open.is_none() => {
                properties.extend(attributes(&reader, &namespace, &element));
            }
            Event::End(_) => {
                if let Some(closed) = open.take_if(|open| open.depth == depth) {
                    properties.extend(value(&closed).map(|value| (closed.name, value)));
                }
                depth = depth.saturating_sub(1);
            }
            Event::Eof => break,
            other => {
                if let (Some(item), Some(text)) =
                    (open.as_mut().and_then(|open| open.items.last_mut()), content(&other))
                {
                    item.push_str(&text);
                }
            }
        }
    }
    properties
}

/// Properties written as attributes.
fn attributes(
    reader: &NsReader<&[u8]>,
    namespace: &[u8],
    element: &BytesStart<'_>,
) -> Vec<(&'static str, String)> {
    if namespace != RDF || element.local_name().as_ref() != b"Description" {
        return Vec::new();
    }
    let mut attributes = element.attributes();
    let named = attributes.with_checks(false).flatten().filter_map(|attribute| {
        let (ResolveResult::Bound(Namespace(namespace)), name) =
            reader.resolver().resolve_attribute(attribute.key)
        else {
            return None;
        };
        let name = property(namespace, name.as_ref())?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
        Some((name, normalized(name, &value)?))
    });
    named.collect()
}

fn property(namespace: &[u8], name: &[u8]) -> Option<&'static str> {
    let of = PROPERTIES.iter().find(|(space, called, _)| *space == namespace && *called == name);
    of.map(|(_, _, property)| *property)
}

fn is_for_any_language(item: &BytesStart<'_>) -> bool {
    item.try_get_attribute("xml:lang").ok().flatten().is_some_and(|language| *language.value == *b"x-default")
}

/// Text between tags.
fn content(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Text(text) => Some(text.decode().ok()?.into_owned()),
        Event::CData(text) => Some(text.decode().ok()?.into_owned()),
        Event::GeneralRef(reference) => resolved(reference),
        _ => None,
    }
}

fn resolved(reference: &BytesRef<'_>) -> Option<String> {
    match reference.resolve_char_ref().ok()? {
        Some(character) => Some(character.to_string()),
        None => resolve_predefined_entity(&reference.decode().ok()?).map(str::to_owned),
    }
}

/// The value of a property: the default language, or all items of a list.
fn value(closed: &PendingProperty) -> Option<String> {
    let items = || closed.items.iter().filter_map(|item| normalized(closed.name, item));
    let default = closed.default.and_then(|place| normalized(closed.name, closed.items.get(place)?));
    match closed.name {
        "author" | "keywords" => {
            let all: Vec<String> = items().collect();
            normalized(closed.name, &all.join(", "))
        }
        _ => default.or_else(|| items().next()),
    }
}

/// Normalises a value of its kind.
fn normalized(name: &str, written: &str) -> Option<String> {
    match name {
        "created" | "modified" => date(written.trim())?.format(&Rfc3339).ok(),
        _ => string::readable(written),
    }
}

/// A possibly partial date; without a zone in UTC, as in information dictionaries.
fn date(written: &str) -> Option<OffsetDateTime> {
    let exact = OffsetDateTime::parse(written, &Iso8601::PARSING).ok();
    let of_day = || Date::parse(written, &Iso8601::PARSING).ok().map(|day| day.with_time(Time::MIDNIGHT));
    let without_zone = || {
        PrimitiveDateTime::parse(written, &Iso8601::PARSING)
            .ok()
            .or_else(of_day)
            .map(PrimitiveDateTime::assume_utc)
    };
    exact.or_else(without_zone)?.replace_nanosecond(0).ok()
}

#[cfg(test)]
mod tests {
    use super::{date, read};

    const OPEN: &str = "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:p='http://ns.adobe.com/pdf/1.3/' xmlns:xmp='http://ns.adobe.com/xap/1.0/'>";

    fn properties(description: &str) -> String {
        let properties =
            read(&format!("<?xpacket begin='\u{feff}'?>{OPEN}{description}</rdf:RDF></x:xmpmeta>"));
        properties.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn properties_are_read_as_elements_and_as_attributes() {
        assert_eq!(
            properties(
                "<rdf:Description p:Producer='A &amp; B' xmp:CreateDate='2026-01-02T03:04:05+01:00' p:Trapped='no'/>"
            ),
            "producer=A & B; created=2026-01-02T03:04:05+01:00"
        );
        assert_eq!(
            properties(
                "<rdf:Description><dc:title><rdf:Alt><rdf:li xml:lang='de'>Ger\u{e4}t</rdf:li><rdf:li xml:lang='x-default'>A &lt;device&#33;</rdf:li></rdf:Alt></dc:title><dc:creator><rdf:Seq><rdf:li>Ann</rdf:li>\n<rdf:li>Bob</rdf:li></rdf:Seq></dc:creator></rdf:Description>"
            ),
            "title=A <device!; author=Ann, Bob"
        );
        assert_eq!(
            properties(
                "<rdf:Description><dc:subject><rdf:Bag><rdf:li>a</rdf:li><rdf:li/><rdf:li> b </rdf:li></rdf:Bag></dc:subject><xmp:CreatorTool><![CDATA[Writer]]></xmp:CreatorTool><dc:description/><title>not this</title></rdf:Description>"
            ),
            "keywords=a, b; creator=Writer"
        );
    }

    #[test]
    fn broken_xml_counts_up_to_its_error() {
        let producer = "<rdf:Description><p:Producer>P</p:Producer>";
        for broken in [
            "",
            "<dc:title>T",
            "<dc:title>T</dc:",
            "</rdf:Description></nothing>",
            "&unknown;<",
            "\0",
            "<a b=>",
        ] {
            assert_eq!(properties(&format!("{producer}{broken}")), "producer=P", "{broken}");
        }
        assert_eq!(properties("<rdf:Description xmp:CreateDate='yesterday' p:Producer=' '/>"), "");
        assert!(
            read("").is_empty()
                && read("no XML at all").is_empty()
                && read(&"<a>".repeat(100_000)).is_empty()
        );
    }

    #[test]
    fn a_date_may_end_early() {
        for (written, expected) in [
            ("2026-01-02T03:04:05.678Z", Some("2026-01-02 3:04:05.0 +00:00:00")),
            ("2026-01-02T03:04-05:00", Some("2026-01-02 3:04:00.0 -05:00:00")),
            ("2026-01-02T03:04:05", Some("2026-01-02 3:04:05.0 +00:00:00")),
            ("2026-01-02", Some("2026-01-02 0:00:00.0 +00:00:00")),
            ("2026-13-02", None),
            ("", None),
        ] {
            assert_eq!(date(written).map(|date| date.to_string()).as_deref(), expected, "{written}");
        }
    }
}
