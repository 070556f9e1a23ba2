//! What strangers may upload: any bytes at all, files that were damaged at random, and structures made to hang or to
//! overflow. Whatever comes, there is an answer that fits together, and soon.
//!
//! These are the fuzz targets: they run on the stable toolchain for as many cases as `PROPTEST_CASES` says.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::io::Cursor;

use domain::text::Name;
use import::{Conversion, Settings, convert};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Names by which every reader is reached.
const NAMES: [&str; 12] = [
    "a.stp", "a", "a.py", "a.m", "a.ts", "a.ipynb", "a.png", "a.jpg", "a.xlsx", "a.svg", "a.tif", "Makefile",
];

/// Converts, and checks what must hold of every outcome.
fn check(name: &str, bytes: &[u8]) -> Conversion {
    let conversion =
        convert(&Name::sanitize(name).unwrap(), Cursor::new(bytes), &Settings::default(), std::io::sink())
            .unwrap();
    let written = serde_json::to_string(&conversion).unwrap();
    // NUL can't be stored.
    assert!(!written.contains("\\u0000"));
    // What is written is read again as the same, which checks that it fits together.
    assert_eq!(serde_json::from_str::<Conversion>(&written).unwrap(), conversion);
    conversion
}

/// A whole file with every kind of statement that is read.
const STEP: &str = "ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('a\\X\\E4','2026-01-02',('me'),(''),'x','y','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 }'));
ENDSEC;
DATA;
#1=PRODUCT('whole','\\X2\\03B1\\X0\\','',(#90)); /* a comment; it's one */
#2=PRODUCT_DEFINITION_FORMATION('','',#1);
#3=PRODUCT_DEFINITION('','',#2,#90);
#4=PRODUCT_DEFINITION_SHAPE('','',#3);
#5=PRODUCT('part','O''Brien;','',(#90));
#6=PRODUCT_DEFINITION_FORMATION('','',#5);
#7=PRODUCT_DEFINITION('','',#6,#90);
#8=PRODUCT_DEFINITION_SHAPE('','',#7);
#10=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','one','',#3,#7,$);
#11=NEXT_ASSEMBLY_USAGE_OCCURRENCE('2','two','',#3,#7,$);
#12=PRODUCT_DEFINITION_SHAPE('','',#10);
#13=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#14,#12);
#14=(REPRESENTATION_RELATIONSHIP('','',#20,#21)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#15)SHAPE_REPRESENTATION_RELATIONSHIP());
#15=ITEM_DEFINED_TRANSFORMATION('','',#30,#31);
#16=SHAPE_DEFINITION_REPRESENTATION(#8,#20);
#17=SHAPE_DEFINITION_REPRESENTATION(#4,#21);
#20=ADVANCED_BREP_SHAPE_REPRESENTATION('',(#30),#40);
#21=SHAPE_REPRESENTATION('',(#31,#32),#40);
#30=AXIS2_PLACEMENT_3D('',#33,#34,#35);
#31=AXIS2_PLACEMENT_3D('',#33,$,$);
#32=MAPPED_ITEM('',#36,#31);
#33=CARTESIAN_POINT('',(0.,1.5E1,-2.));
#34=DIRECTION('',(0.,0.,1.));
#35=DIRECTION('',(1.,0.,0.));
#36=REPRESENTATION_MAP(#30,#20);
#40=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#41))REPRESENTATION_CONTEXT('',''));
#41=(CONVERSION_BASED_UNIT('INCH',#42)LENGTH_UNIT()NAMED_UNIT(#90));
#42=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#43);
#43=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));
ENDSEC;
END-ISO-10303-21;
";

/// A change to a file.
#[derive(Clone, Debug)]
enum Damage {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Cut(Index),
    Repeat(Index, usize),
    /// One reference becomes another.
    Redirect(Index, u8),
}

fn damage() -> impl Strategy<Value = Damage> {
    let pieces = select(vec![
        "'",
        ";",
        "/*",
        "*/",
        "(",
        ")",
        "#",
        "\\X2\\",
        "\\X0\\",
        "\\S\\",
        "\n",
        "\0",
        "\u{feff}",
        "ä",
        "$",
        "=",
        "1E999",
        "#9999999999999999999999",
    ]);
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<Index>(), vec(any::<u8>(), 0..8)).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        (any::<Index>(), pieces).prop_map(|(at, piece)| Damage::Insert(at, piece.as_bytes().to_vec())),
        (any::<Index>(), 0..300_usize).prop_map(|(at, length)| Damage::Remove(at, length)),
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), 0..300_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
        (any::<Index>(), 1..44_u8).prop_map(|(at, to)| Damage::Redirect(at, to)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: Damage) {
    if bytes.is_empty() {
        return;
    }
    let length = bytes.len();
    match damage {
        Damage::Set(at, byte) => bytes[at.index(length)] = byte,
        Damage::Insert(at, inserted) => {
            let at = at.index(length);
            bytes.splice(at..at, inserted);
        }
        Damage::Remove(at, count) => {
            let at = at.index(length);
            bytes.drain(at..length.min(at + count));
        }
        Damage::Cut(at) => bytes.truncate(at.index(length)),
        Damage::Repeat(at, count) => {
            let at = at.index(length);
            let repeated = bytes[at..length.min(at + count)].to_vec();
            bytes.splice(at..at, repeated);
        }
        Damage::Redirect(at, to) => {
            let references: Vec<usize> = bytes
                .windows(2)
                .enumerate()
                .filter(|(_, pair)| pair[0] == b'#')
                .map(|(at, _)| at + 1)
                .collect();
            if !references.is_empty() {
                let begin = references[at.index(references.len())];
                let end = begin + bytes[begin..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(begin..end, to.to_string().into_bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_under_any_name_become_something(bytes in vec(any::<u8>(), 0..2048), name in select(&NAMES[..])) {
        check(name, &bytes);
    }

    #[test]
    fn any_bytes_after_the_mark_of_a_format_become_something(
        mark in select(vec![
            &b"ISO-10303-21;DATA;"[..], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xff\xd8\xff\xe0", b"GIF89a", b"PK\x03\x04",
            b"RIFF\x10\0\0\0WEBP", b"II*\0", b"\0\0\0\x0cjP  ", b"\0\0\0\x20ftypavif", b"\x1a\x45\xdf\xa3",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<?xml version='1.0'?><svg", b"8BPS", b"BM", b"\xff\xfe", b"#!/usr/bin/env",
        ]),
        bytes in vec(any::<u8>(), 0..512),
        name in select(&NAMES[..]),
    ) {
        check(name, &[mark, &bytes].concat());
    }

    #[test]
    fn a_step_file_in_any_text_becomes_something(text in "[#='(),;/*$.A-C0-3\\\\XS \n]{0,400}") {
        check("a.stp", format!("ISO-10303-21;HEADER;ENDSEC;DATA;{text}").as_bytes());
    }

    #[test]
    fn a_damaged_step_file_becomes_something(damages in vec(damage(), 1..12)) {
        let mut bytes = STEP.as_bytes().to_vec();
        for damage in damages {
            apply(&mut bytes, damage);
        }
        check("a.stp", &bytes);
    }

    #[test]
    fn any_graph_of_products_ends(edges in vec((0..12_usize, 0..12_usize), 0..40)) {
        let mut data = String::from("ISO-10303-21;HEADER;ENDSEC;DATA;");
        for product in 0..12 {
            data += &format!("#{}=PRODUCT_DEFINITION('','',$,$);#{}=PRODUCT_DEFINITION_SHAPE('','',#{});", product + 1, product + 101, product + 1);
        }
        for (usage, (whole, part)) in edges.iter().enumerate() {
            data += &format!("#{}=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#{},#{},$);", usage + 201, whole + 1, part + 1);
        }
        check("a.stp", data.as_bytes());
    }
}

#[test]
fn the_whole_file_is_read_where_nothing_damages_it() {
    let conversion = check("a.stp", STEP.as_bytes());
    assert_eq!(conversion.objects().len(), 3);
    assert!(conversion.objects()[1..].iter().all(|part| part.data.contains_key("placement")));
}

#[test]
fn what_nests_without_end_is_passed_over() {
    let deep = "(".repeat(500_000);
    for data in [
        format!("#1=PRODUCT{deep}"),
        format!("#1={deep}"),
        format!("#1=PRODUCT{deep}{};", ")".repeat(500_000)),
        format!("#1=({};", "A(".repeat(300_000)),
        "#1=PRODUCT(".repeat(50_000),
        "/*".repeat(500_000),
        "';\n#1=".repeat(200_000),
        "\\X2\\".repeat(200_000),
    ] {
        check("a.stp", format!("ISO-10303-21;HEADER;ENDSEC;DATA;{data}").as_bytes());
    }
}

#[test]
fn units_and_placements_that_refer_to_themselves_end() {
    let data = STEP
        .replace("(25.4),#43)", "(25.4),#41)")
        .replace("#33,#34,#35", "#30,#30,#30")
        .replace("#36=REPRESENTATION_MAP(#30,#20)", "#36=REPRESENTATION_MAP(#32,#21)");
    assert_eq!(check("a.stp", data.as_bytes()).objects().len(), 3);
}

#[test]
fn a_line_without_end_and_a_source_without_end_say_that_they_are_too_long() {
    let long = "x".repeat(2 * 1024 * 1024);
    let conversion = check("a.py", long.as_bytes());
    assert_eq!(conversion.objects()[0].data["conversion"]["code"], "SOURCE_TOO_LARGE");
    check("a.stp", format!("ISO-10303-21;HEADER;ENDSEC;DATA;#1=PRODUCT('{long}');").as_bytes());
}
