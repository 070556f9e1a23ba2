//! Conversion of small source and plain files, rule by rule.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::collections::BTreeMap;
use std::io::Cursor;

use domain::text::Name;
use import::{
    Conversion, ConversionFailureCode, SOURCE_MAX_BYTES, Settings, convert, convert_unread, unconverted,
};
use insta::assert_snapshot;
use serde_json::{Map, Value};

/// Columns of the longest properties that are shown on one line.
const COLUMNS: usize = 80;

fn converted(name: &str, bytes: &[u8]) -> Conversion {
    convert(&Name::sanitize(name).unwrap(), Cursor::new(bytes), &Settings::default(), std::io::sink())
        .unwrap()
}

/// Media type, kind and properties of the one object that a file becomes.
fn shown(name: &str, bytes: &[u8]) -> String {
    let conversion = converted(name, bytes);
    let [draft] = conversion.objects() else { panic!("{name}") };
    format!("{} {} {}", conversion.media_type(), draft.object_type.as_str(), lines(&draft.data))
}

/// Properties on one line, or on several where they are long.
fn lines(properties: &Map<String, Value>) -> String {
    let data = Value::Object(sorted(properties));
    let line = data.to_string();
    if line.len() > COLUMNS { format!("{data:#}") } else { line }
}

/// Properties in alphabetical order, independent of the features of `serde_json` in the workspace.
fn sorted(properties: &Map<String, Value>) -> Map<String, Value> {
    let ordered: BTreeMap<_, _> = properties.iter().collect();
    let deep = |value: &Value| value.as_object().map(|inner| Value::Object(sorted(inner)));
    ordered
        .into_iter()
        .map(|(key, value)| (key.clone(), deep(value).unwrap_or_else(|| value.clone())))
        .collect()
}

#[test]
fn a_source_file_becomes_code_with_language_and_text() {
    assert_snapshot!(
        shown("a.py", b"x = 1\n"),
        @r#"text/plain Code {"encoding":"UTF-8","language":"Python","text":"x = 1\n"}"#
    );
    assert_snapshot!(
        shown("build", b"#!/usr/bin/env python3\n"),
        @r##"text/x-python Code {"encoding":"UTF-8","language":"Python","text":"#!/usr/bin/env python3\n"}"##
    );
    assert_snapshot!(
        shown("__init__.py", b""),
        @r#"text/plain Code {"encoding":"UTF-8","language":"Python","text":""}"#
    );
    assert_snapshot!(
        shown("a.c", b"\xff\xfei\0n\0t\0 \0\xe4\0;\0"),
        @r#"text/plain Code {"encoding":"UTF-16LE","language":"C","text":"int ä;"}"#
    );
    assert_snapshot!(
        shown("a.ts", b"const a: number = 1;\n"),
        @r#"text/plain Code {"encoding":"UTF-8","language":"TypeScript","text":"const a: number = 1;\n"}"#
    );
}

#[test]
fn a_notebook_becomes_the_code_of_its_cells_in_the_language_of_its_kernel() {
    let notebook = br##"{"cells":[
        {"cell_type":"markdown","source":["# What it is"]},
        {"cell_type":"code","source":["import numpy\n","a = 1\n"],"outputs":[{"text":["1"]}]},
        {"cell_type":"code","source":"print(a)"},
        {"cell_type":"raw","source":"b"},{"deep":[[{}]]},1
    ],"metadata":{"kernelspec":{"language":"julia"},"language_info":{"name":"python"}},"nbformat":4}"##;
    assert_snapshot!(shown("a.ipynb", notebook), @r#"
    text/plain Code {
      "encoding": "UTF-8",
      "language": "Python",
      "notebook": {
        "cells": 6,
        "codeCells": 2
      },
      "text": "import numpy\na = 1\n\nprint(a)"
    }
    "#);
    // Without a kernel, and without cells.
    assert_snapshot!(shown("a.ipynb", br#"{"cells":[]}"#), @r#"
    text/plain Code {
      "encoding": "UTF-8",
      "language": "Jupyter Notebook",
      "notebook": {
        "cells": 0,
        "codeCells": 0
      },
      "text": ""
    }
    "#);
    assert_snapshot!(
        shown("a.ipynb", b"{"),
        @r#"text/plain Code {"encoding":"UTF-8","language":"Jupyter Notebook","text":"{"}"#
    );
}

#[test]
fn a_notebook_of_nbformat_3_has_its_cells_in_worksheets() {
    let notebook = br##"{"metadata":{"name":"old"},"nbformat":3,"nbformat_minor":0,"worksheets":[
        {"cells":[{"cell_type":"heading","level":1,"source":["Old"]},
                  {"cell_type":"code","collapsed":false,"input":["a = 1\n","a"],"language":"python","outputs":[]}]},
        {"metadata":{}},
        {"cells":[{"cell_type":"code","input":"b","language":"python","outputs":[]}]}
    ]}"##;
    assert_snapshot!(shown("old.ipynb", notebook), @r#"
    text/plain Code {
      "encoding": "UTF-8",
      "language": "Python",
      "notebook": {
        "cells": 3,
        "codeCells": 2
      },
      "text": "a = 1\na\n\nb"
    }
    "#);
}

#[test]
fn the_output_in_a_notebook_does_not_count_as_source() {
    let notebook = |source: &str, made: usize| {
        let outputs = format!(r#"[{{"data":{{"image/png":"{}"}}}}]"#, "A".repeat(made));
        format!(r#"{{"cells":[{{"cell_type":"code","source":"{source}","outputs":{outputs}}}]}}"#)
    };
    let limit = usize::try_from(SOURCE_MAX_BYTES).unwrap();
    assert_snapshot!(shown("a.ipynb", notebook("a = 1", 2 * limit).as_bytes()), @r#"
    text/plain Code {
      "encoding": "UTF-8",
      "language": "Jupyter Notebook",
      "notebook": {
        "cells": 1,
        "codeCells": 1
      },
      "text": "a = 1"
    }
    "#);
    let too_large = |text: &str| shown("a.ipynb", text.as_bytes()).contains("SOURCE_TOO_LARGE");
    assert!(too_large(&notebook(&"a".repeat(limit + 1), 0)), "its code is too long");
    assert!(too_large(notebook("a = 1", 2 * limit).trim_end_matches('}')), "invalid and too long");
    assert!(too_large(&notebook("a = 1", 33 * limit)));
}

#[test]
fn errors_outside_of_a_notebooks_cells_keep_the_code() {
    let notebook = concat!(
        r#"{"cells":[{"cell_type":"code","source":["a","b",1]},{"cell_type":"code","source":{}},null],"#,
        r#""metadata":{"kernelspec":"x","language_info":{"name":5}}}"#,
    )
    .as_bytes();
    assert_snapshot!(shown("a.ipynb", notebook), @r#"
    text/plain Code {
      "encoding": "UTF-8",
      "language": "Jupyter Notebook",
      "notebook": {
        "cells": 3,
        "codeCells": 1
      },
      "text": "ab"
    }
    "#);
    // Other JSON stays unchanged.
    for other in ["[1,2]", "{\"cells\":null}", "{\"cells\":[", "5"] {
        assert!(
            shown("a.ipynb", other.as_bytes()).contains(r#""language":"Jupyter Notebook","text":""#),
            "{other}"
        );
    }
}

#[test]
fn text_in_utf_32_is_text() {
    let wide = |text: &str| text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect::<Vec<u8>>();
    assert_snapshot!(
        shown("a.c", &wide("int a; // \u{e4}\r\n")),
        @r#"text/plain Code {"encoding":"UTF-32BE","language":"C","text":"int a; // ä\r\n"}"#
    );
    assert_snapshot!(shown("notes", b"\xff\xfe\0\0a\0\0\0"), @"text/plain File {}");
    // Numbers of four bytes are not text.
    let numbers: Vec<u8> = (0..2_000_u32).flat_map(|n| (n * 97).to_le_bytes()).collect();
    assert_snapshot!(shown("a.c", &numbers), @"application/octet-stream File {}");
}

#[test]
fn packed_files_without_a_design_become_references() {
    assert_snapshot!(shown("a.stpz", b"\x1f\x8b\x08\0\0\0"), @"application/gzip File {}");
    assert_snapshot!(shown("a.stp", b"\x1f\x8b\x08\0\0\0"), @r#"
    application/gzip File {
      "conversion": {
        "code": "NOT_STEP",
        "message": "the file does not begin as ISO 10303-21 says",
        "status": "failed"
      }
    }
    "#);
}

#[test]
fn text_in_utf_16_without_its_mark_is_text() {
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    assert_snapshot!(
        shown("a.c", &wide("int a; // \u{e4}\r\n")),
        @r#"text/plain Code {"encoding":"UTF-16LE","language":"C","text":"int a; // ä\r\n"}"#
    );
    assert_snapshot!(shown("notes", &wide("some notes")), @"text/plain File {}");
    assert_snapshot!(shown("a.c", &wide("int\0 a; //")), @"application/octet-stream File {}");
    assert_snapshot!(shown("a.c", b"i\0n\0"), @"application/octet-stream File {}");
}

#[test]
fn a_text_that_begins_like_another_format_is_text() {
    assert_snapshot!(shown("a.txt", b"MAC addresses of the lab\n"), @"text/plain File {}");
    assert_snapshot!(shown("a.csv", b"BZ0,ZOO\n"), @"text/csv File {}");
    assert_snapshot!(shown("a.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 3\n"), @"model/obj File {}");
    assert_snapshot!(shown("a.dxf", b"  0\nSECTION\n  2\nHEADER\n"), @"image/vnd.dxf File {}");
    assert_snapshot!(shown("a", b"solid a\nendsolid a\n"), @"text/plain File {}");
    assert_snapshot!(shown("a.stl", b"solid a\nendsolid a\n"), @"model/stl File {}");
}

#[test]
fn a_binary_file_with_the_name_of_source_is_a_plain_file() {
    // A transport stream of a camera.
    assert_snapshot!(shown("a.ts", &[0x47, 0x40, 0, 0x10, 0, 0]), @"application/octet-stream File {}");
    assert_snapshot!(shown("a.py", b"\x7fELF\x02\x01\x01\0"), @"application/x-executable File {}");
    // Text at the beginning only.
    let late = [vec![b' '; 100_000], vec![0]].concat();
    assert!(shown("a.py", &late).contains(" File "));
}

#[test]
fn source_that_is_too_long_becomes_a_reference_with_the_reason() {
    let limit = usize::try_from(SOURCE_MAX_BYTES).unwrap();
    assert!(shown("a.py", &vec![b'#'; limit]).contains(" Code "));
    assert_snapshot!(shown("a.py", &vec![b'#'; limit + 1]), @r#"
    text/plain File {
      "conversion": {
        "code": "SOURCE_TOO_LARGE",
        "message": "the source is longer than is read",
        "status": "failed"
      }
    }
    "#);
}

#[test]
fn content_decides_the_media_type_before_the_name() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x07\0\0\0\x05\x08\x02\0\0\0";
    assert_snapshot!(shown("a.png", png), @r#"image/png File {"image":{"height":5,"width":7}}"#);
    assert_snapshot!(shown("a.txt", png), @r#"image/png File {"image":{"height":5,"width":7}}"#);
    // A truncated image has no size.
    assert_snapshot!(shown("a.png", &png[..12]), @"image/png File {}");
    assert_snapshot!(shown("a.png", b"no image"), @"text/plain File {}");
    assert_snapshot!(shown("notes.md", b"# a"), @"text/markdown File {}");
    assert_snapshot!(shown("a.csv", b"a,b\n"), @"text/csv File {}");
    assert_snapshot!(shown("a.csv", b"\0\x01\x02"), @"application/octet-stream File {}");
    assert_snapshot!(shown("a.stl", b"\0\x01\x02"), @"model/stl File {}");
    assert_snapshot!(shown("unheard.of", b"\0\x01\x02"), @"application/octet-stream File {}");
}

/// Exif data with an orientation: a TIFF file without an image, in either byte order.
fn exif(orientation: u16, is_little: bool) -> Vec<u8> {
    let short = |n: u16| if is_little { n.to_le_bytes() } else { n.to_be_bytes() };
    let long = |n: u32| if is_little { n.to_le_bytes() } else { n.to_be_bytes() };
    let mut file = if is_little { b"II".to_vec() } else { b"MM".to_vec() };
    file.extend(short(42));
    file.extend(long(8));
    file.extend(short(3));
    // Width and height, which only TIFF uses.
    for (tag, value) in [(0x0100, 7), (0x0101, 5), (0x0112, orientation)] {
        file.extend([short(tag), short(3)].concat());
        file.extend(long(1));
        file.extend([short(value), short(0)].concat());
    }
    file.extend(long(0));
    file
}

fn jpeg(exif: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| u16::try_from(bytes.len() + 2).unwrap().to_be_bytes();
    let (other, app1) = (b"http://ns.adobe.com/xap/1.0/\0", [b"Exif\0\0", exif].concat());
    let frame = b"\x08\0\x05\0\x07\x01\x01\x11\0";
    let mut file = b"\xff\xd8".to_vec();
    for (kind, bytes) in [(0xe1, &other[..]), (0xe1, &app1), (0xc0, frame)] {
        file.extend([0xff, kind]);
        file.extend(length(bytes));
        file.extend(bytes);
    }
    [file, b"\xff\xda".to_vec()].concat()
}

fn webp(exif: &[u8]) -> Vec<u8> {
    let mut file = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x08\0\0\0\x06\0\0\x04\0\0".to_vec();
    file.extend(b"ALPH\x01\0\0\0aaEXIF");
    file.extend(u32::try_from(exif.len()).unwrap().to_le_bytes());
    file.extend(exif);
    file
}

#[test]
fn an_image_has_its_displayed_size() {
    for orientation in 0..=9 {
        let expected = if (5..=8).contains(&orientation) {
            r#"{"height":7,"width":5}"#
        } else {
            r#"{"height":5,"width":7}"#
        };
        for is_little in [true, false] {
            let exif = exif(orientation, is_little);
            for (name, bytes) in [("a.jpg", jpeg(&exif)), ("a.webp", webp(&exif)), ("a.tif", exif.clone())] {
                let shown = shown(name, &bytes);
                assert!(
                    shown.ends_with(&format!(r#" File {{"image":{expected}}}"#)),
                    "{orientation} {name} {shown}"
                );
                assert!(shown.starts_with("image/"), "{name} {shown}");
            }
        }
    }
    // Some writers of WebP add the prefix of JPEG.
    assert!(shown("a.webp", &webp(&[b"Exif\0\0".to_vec(), exif(6, true)].concat())).contains(r#""width":5"#));
    // Damaged orientations are ignored.
    assert!(shown("a.jpg", &jpeg(&exif(6, true)[..40])).contains(r#""width":7"#));
    assert!(shown("a.jpg", &jpeg(b"II*\0\xff\xff\xff\xff")).contains(r#""width":7"#));
}

#[test]
fn an_svg_image_has_its_size_in_user_units() {
    let svg = |attributes: &str| {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {attributes}><path d=\"M0 0\"/></svg>")
    };
    assert_snapshot!(
        shown("a.svg", svg("width='2in' viewBox='0 0 24 12'").as_bytes()),
        @r#"image/svg+xml File {"image":{"height":96.0,"width":192.0}}"#
    );
    assert_snapshot!(shown("a.svg", svg("width='100%'").as_bytes()), @"image/svg+xml File {}");
}

#[test]
fn the_signature_of_a_pdf_within_a_known_format_makes_no_pdf() {
    assert_snapshot!(
        shown("magic.py", b"PDF = b\"%PDF-\"\n"),
        @r##"text/plain Code {"encoding":"UTF-8","language":"Python","text":"PDF = b\"%PDF-\"\n"}"##
    );
    assert_snapshot!(shown("notes", b"It begins with %PDF-1.4.\n"), @"text/plain File {}");
    let mut tar = vec![0; 512];
    tar[..5].copy_from_slice(b"a.pdf");
    tar[257..265].copy_from_slice(b"ustar\x0000");
    tar.extend(b"%PDF-1.4\n");
    assert_snapshot!(shown("a.tar", &tar), @"application/x-tar File {}");
    // After unknown bytes, or by name, it is a PDF.
    let damaged = |name: &str| shown(name, b"\0\x01%PDF-1.4\n").contains("PDF_DAMAGED");
    assert!(damaged("a") && damaged("a.dat") && shown("a.pdf", b"see %PDF-1.4\n").contains("PDF_DAMAGED"));
    // The name of a PDF doesn't make one of another known format.
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x07\0\0\0\x05\x08\x02\0\0\0";
    assert_snapshot!(shown("a.pdf", png), @r#"image/png File {"image":{"height":5,"width":7}}"#);
    assert!(shown("a.pdf", b"lost").contains("PDF_DAMAGED") && shown("a.pdf", b"").contains("PDF_DAMAGED"));
}

#[test]
fn files_without_a_reader_convert_the_same_without_reading() {
    let noise: Vec<u8> = (0..100_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    for (name, bytes) in [
        ("bench.bin", noise.as_slice()),
        ("part.stl", &noise),
        ("zeros", &[0; 5]),
        ("a.py", b"\x7fELF\x02\x01\x01\0"),
    ] {
        let unread = convert_unread(&Name::sanitize(name).unwrap(), bytes).unwrap();
        assert_eq!(unread, converted(name, bytes), "{name}");
    }
}

#[test]
fn files_that_may_have_a_reader_are_left_to_it() {
    let zip: &[u8] = b"PK\x03\x04\x14\0\0\0";
    let ole: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0";
    let matroska: &[u8] = b"\x1a\x45\xdf\xa3\0";
    let mp4: &[u8] = b"\0\0\0\x18ftypisom\0\0";
    let xml: &[u8] = b"<?xml version=\"1.0\"?>\0";
    let png: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    let step: &[u8] = b"ISO-10303-21;\0";
    let pdf: &[u8] = b"\0\0%PDF-1.4";
    for (name, bytes) in [
        ("a", zip),
        ("a", b"\x1f\x8b\x08\0\0\0"),
        ("a", ole),
        ("a", matroska),
        ("a", mp4),
        ("a", xml),
        ("a", png),
        ("a", step),
        ("a", pdf),
        ("a.stp", &[0; 5]),
        ("a.pdf", &[0; 5]),
        ("a", b"text"),
        ("a", b""),
    ] {
        assert_eq!(convert_unread(&Name::sanitize(name).unwrap(), bytes), None, "{name} {bytes:?}");
    }
}

#[test]
fn the_name_decides_the_type_after_a_failed_conversion() {
    let shown = |name: &str| {
        let conversion =
            unconverted(&Name::sanitize(name).unwrap(), ConversionFailureCode::ConversionTimedOut);
        format!("{} {}", conversion.media_type(), lines(&conversion.objects()[0].data))
    };
    assert_snapshot!(shown("a.STP"), @r#"
    model/step {
      "conversion": {
        "code": "CONVERSION_TIMED_OUT",
        "message": "converting the file took too long",
        "status": "failed"
      }
    }
    "#);
    assert!(shown("a.pdf").starts_with("application/pdf "));
    assert!(shown("a").starts_with("application/octet-stream "));
}
