//! Hostile uploads: random bytes, randomly damaged files, and structures that hang or overflow simple readers. Each
//! gives a consistent conversion in short time.
//!
//! These are the fuzz targets. They run on the stable toolchain; `PROPTEST_CASES` is the number of cases.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::io::Cursor;
use std::time::Duration;

use domain::content::object::CONVERTED_DATA;
use domain::text::Name;
use import::{Conversion, Settings, convert};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Names that select each reader.
const NAMES: [&str; 15] = [
    "a.stp", "a.pdf", "a", "a.py", "a.m", "a.ts", "a.ipynb", "a.png", "a.jpg", "a.xlsx", "a.svg", "a.tif",
    "a.gltf", "a.3mf", "Makefile",
];

/// A valid glTF file with all that decides about its objects.
const GLTF: &str = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[
{"name":"a","children":[1,2]},{"name":"b","mesh":0,"translation":[1,2,3],"rotation":[0,0,1,0],"scale":[1,2,1]},
{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,5,0,0,1],
"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":0}}}}],
"meshes":[{"name":"c","primitives":[{"attributes":{"POSITION":0},"indices":1,"mode":4}]}],"accessors":[
{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5121,"count":3,
"type":"SCALAR"}],"bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":3}],"buffers":[
{"byteLength":39,"uri":"data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAEC"}]}"#;

/// Converts and checks the invariants of every conversion.
fn check(name: &str, bytes: &[u8]) -> Conversion {
    let settings =
        Settings { resolution_dpi: 36, render_time: Duration::from_secs(10), ..Settings::default() };
    let mut images = Vec::new();
    let name = Name::sanitize(name).unwrap();
    let conversion = convert(&name, Cursor::new(bytes), &settings, &mut images).unwrap();
    assert_eq!(u64::try_from(images.len()).unwrap(), conversion.output_size());
    let written = serde_json::to_string(&conversion).unwrap();
    // PostgreSQL can't store NUL.
    assert!(!written.contains("\\u0000"));
    // A new version of a file replaces these fields, and no other.
    let mut fields = conversion.objects().iter().flat_map(|object| object.data.keys());
    assert!(fields.all(|field| CONVERTED_DATA.contains(&field.as_str())), "{written}");
    // Reading checks that the conversion is consistent.
    assert_eq!(serde_json::from_str::<Conversion>(&written).unwrap(), conversion);
    conversion
}

/// A valid file with every kind of statement that the reader uses.
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
#14=(REPRESENTATION_RELATIONSHIP('','',#20,#21)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#15)\
SHAPE_REPRESENTATION_RELATIONSHIP());
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
#50=PROPERTY_DEFINITION('Part number','',#7);
#51=PROPERTY_DEFINITION_REPRESENTATION(#50,#52);
#52=REPRESENTATION('',(#53,#54,#55),#40);
#53=DESCRIPTIVE_REPRESENTATION_ITEM('a','PN-1');
#54=MEASURE_REPRESENTATION_ITEM('density measure',MASS_MEASURE(7.85),#56);
#55=INTEGER_REPRESENTATION_ITEM('b',3);
#56=DERIVED_UNIT((#57));
#57=DERIVED_UNIT_ELEMENT(#43,-3.);
#58=PROPERTY_DEFINITION('geometric validation property','centroid',#59);
#59=SHAPE_ASPECT('','',#8,.F.);
#60=PROPERTY_DEFINITION_REPRESENTATION(#58,#61);
#61=REPRESENTATION('centroid',(#33),#40);
#62=PRESENTATION_LAYER_ASSIGNMENT('layer','',(#20,#30));
#63=DOCUMENT_FILE('a.stp','',$,$,'',$);
#64=APPLIED_DOCUMENT_REFERENCE(#65,'',(#7));
#65=DOCUMENT_PRODUCT_EQUIVALENCE('','',#64,#66);
#66=PRODUCT_DEFINITION_WITH_ASSOCIATED_DOCUMENTS('','',#66,#90,(#63));
#67=MAKE_FROM_USAGE_OPTION('','','',#7,#3,1,'',$);
#68=MATERIAL_DESIGNATION('Steel',(#7));
ENDSEC;
END-ISO-10303-21;
";

/// A valid file with every kind of object that the reader uses. It has no cross-reference table, which damage would
/// break.
const PDF: &str = "%PDF-1.7
1 0 obj << /Type /Catalog /Pages 2 0 R /Outlines 8 0 R /Names << /Dests 11 0 R >> /Metadata 15 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 100] >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F 6 0 R >> \
/XObject << /X 7 0 R /I 12 0 R >>
/Pattern << /P 13 0 R >> /Shading << /S 14 0 R >> \
/ExtGState << /G << /ca .5 /SMask << /S /Luminosity /G 7 0 R >> >> >> >> >> endobj
4 0 obj << /Type /Page /Parent 2 0 R /Rotate 90 /CropBox [0 0 50 100] /UserUnit 2 >> endobj
5 0 obj << /Length 190 >> stream
q /G gs 1 0 0 rg 0 0 50 50 re f Q BT /F 12 Tf 10 80 Td (Hello,) Tj 50 0 Td [(wor) -200 (ld)] TJ ET
q 50 0 0 50 9 9 cm /I Do Q /X Do /Pattern cs /P scn 0 0 99 9 re B* /S sh
0 0 m 9 9 9 0 0 9 c [3 1] 0 d S endstream endobj
6 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [97 /b] >> >> endobj
7 0 obj << /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Group << /S /Transparency >> /Length 16 >> stream
0 g 0 0 5 5 re f endstream endobj
8 0 obj << /First 9 0 R /Last 10 0 R >> endobj
9 0 obj << /Title (One) /Dest [3 0 R /Fit] /Next 10 0 R >> endobj
10 0 obj << /Title <FEFF00DC> /A << /S /GoTo /D (second) >> >> endobj
11 0 obj << /Names [(second) << /D [4 0 R /Fit] >>] >> endobj
12 0 obj << /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray \
/Filter /ASCIIHexDecode /Length 9 >> stream
00FF00FF> endstream endobj
13 0 obj << /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 2 2] /XStep 2 /YStep 2 \
/Resources << >> /Length 12 >> stream
0 0 1 1 re f endstream endobj
14 0 obj << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 9 9] \
/Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [1 0 0] /C1 [0 1 0] >> >> endobj
15 0 obj << /Type /Metadata /Length 263 >> stream
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:dc='http://purl.org/dc/elements/1.1/'>\
<rdf:Description dc:title='a &amp; b'><dc:creator><rdf:Seq><rdf:li xml:lang='x-default'>&#77;e</rdf:li>\
</rdf:Seq></dc:creator></rdf:Description></rdf:RDF>
endstream endobj
trailer << /Root 1 0 R /Info << /Title (a) /CreationDate (D:20260102) >> >>
%%EOF
";

/// A change to a file.
#[derive(Clone, Debug)]
enum Damage {
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Cut(Index),
    Repeat(Index, usize),
    /// Replaces one reference by another.
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
        "<<",
        ">>",
        "[",
        " 3 0 R ",
        "endstream",
        "-1",
        "99999999999",
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
    fn any_bytes_under_any_name_are_converted(bytes in vec(any::<u8>(), 0..2048), name in select(&NAMES[..])) {
        check(name, &bytes);
    }

    #[test]
    fn any_bytes_after_the_signature_of_a_format_are_converted(
        mark in select(vec![
            &b"ISO-10303-21;DATA;"[..], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\xff\xd8\xff\xe0", b"GIF89a", b"PK\x03\x04",
            b"RIFF\x10\0\0\0WEBP", b"II*\0", b"\0\0\0\x0cjP  ", b"\0\0\0\x20ftypavif", b"\x1a\x45\xdf\xa3",
            b"\xff\xd8\xff\xe1\0\x40Exif\0\0II*\0\x08\0\0\0", b"RIFF\x10\0\0\0WEBPEXIF\x20\0\0\0MM\0*\0\0\0\x08",
            b"glTF\x02\0\0\0\0\0\0\0\x40\0\0\0JSON{", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"<?xml version='1.0'?><svg",
            b"<?xml version='1.0'?><svg viewBox='0 0 2 3' width='", b"8BPS", b"BM", b"\xff\xfe", b"#!/usr/bin/env",
        ]),
        bytes in vec(any::<u8>(), 0..512),
        name in select(&NAMES[..]),
    ) {
        check(name, &[mark, &bytes].concat());
    }

    #[test]
    fn a_step_file_with_any_text_is_converted(text in "[#='(),;/*$.A-C0-3\\\\XS \n]{0,400}") {
        check("a.stp", format!("ISO-10303-21;HEADER;ENDSEC;DATA;{text}").as_bytes());
    }

    #[test]
    fn a_damaged_step_file_is_converted(damages in vec(damage(), 1..12)) {
        let mut bytes = STEP.as_bytes().to_vec();
        for damage in damages {
            apply(&mut bytes, damage);
        }
        check("a.stp", &bytes);
    }

    #[test]
    fn a_damaged_pdf_is_converted(damages in vec(damage(), 1..12)) {
        let mut bytes = PDF.as_bytes().to_vec();
        for damage in damages {
            apply(&mut bytes, damage);
        }
        check("a.pdf", &bytes);
    }

    #[test]
    fn a_damaged_mesh_file_is_converted(damages in vec(damage(), 1..12)) {
        let mut bytes = GLTF.as_bytes().to_vec();
        for damage in damages {
            apply(&mut bytes, damage);
        }
        check("a.gltf", &bytes);
    }

    #[test]
    fn any_graph_of_nodes_is_converted(edges in vec((0..12_usize, 0..12_usize), 0..40)) {
        let below = |node: usize| {
            let parts = edges.iter().filter(|(whole, _)| *whole == node).map(|(_, part)| part.to_string());
            parts.collect::<Vec<_>>().join(",")
        };
        let nodes = (0..12).map(|node| format!("{{\"mesh\":0,\"children\":[{}]}}", below(node)));
        let nodes = nodes.collect::<Vec<_>>().join(",");
        check("a.gltf", format!("{{\"asset\":{{}},\"nodes\":[{nodes}],\"meshes\":[{{}}]}}").as_bytes());
    }

    #[test]
    fn a_page_with_any_content_is_converted(
        content in "[0-9.()<>/XIFPS \\-]{0,80}\
            ([qQfSBW*] |re |cm |Do |Tj |Tf |BT |ET |scn |gs |sh |d |[a-zA-Z']{1,3} ){0,40}",
    ) {
        check("a.pdf", PDF.replace("0 0 m 9 9", &content).as_bytes());
    }

    #[test]
    fn a_damaged_conversion_of_another_process_is_refused_or_consistent(damages in vec(damage(), 1..6)) {
        let conversion = check("a.pdf", PDF.as_bytes());
        let mut written = serde_json::to_vec(&conversion).unwrap();
        for damage in damages {
            apply(&mut written, damage);
        }
        if let Ok(read) = serde_json::from_slice::<Conversion>(&written) {
            for (place, draft) in read.objects().iter().enumerate() {
                assert_eq!(draft.parent.is_none(), place == 0);
                assert!(draft.parent.is_none_or(|parent| parent < place));
                assert!(draft.image.is_none_or(|image| image.offset + image.size <= read.output_size()));
            }
        }
    }

    #[test]
    fn any_graph_of_products_is_converted(edges in vec((0..12_usize, 0..12_usize), 0..40)) {
        let mut data = String::from("ISO-10303-21;HEADER;ENDSEC;DATA;");
        for product in 0..12 {
            data += &format!(
                "#{}=PRODUCT_DEFINITION('','',$,$);#{}=PRODUCT_DEFINITION_SHAPE('','',#{});",
                product + 1,
                product + 101,
                product + 1
            );
        }
        for (usage, (whole, part)) in edges.iter().enumerate() {
            data += &format!(
                "#{}=NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',#{},#{},$);",
                usage + 201,
                whole + 1,
                part + 1
            );
        }
        check("a.stp", data.as_bytes());
    }
}

#[test]
fn undamaged_files_are_read_completely() {
    let document = check("a.pdf", PDF.as_bytes());
    assert_eq!(document.objects().len(), 3);
    assert!(document.objects()[1..].iter().all(|page| page.image.is_some()));
    assert_eq!(document.objects()[0].data["document"]["outline"].as_array().unwrap().len(), 2);
    assert_eq!(document.objects()[0].data["document"]["author"], "Me");
    let parts = check("a.gltf", GLTF.as_bytes());
    assert_eq!(parts.objects().len(), 6);
    assert!(parts.objects()[5].data["definition"]["geometry"].is_string());
    let conversion = check("a.stp", STEP.as_bytes());
    assert_eq!(conversion.objects().len(), 3);
    assert!(conversion.objects()[1..].iter().all(|part| part.data.contains_key("placement")));
}

#[test]
fn endless_nesting_is_ignored() {
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
fn cyclic_units_and_placements_are_ignored() {
    let data = STEP
        .replace("(25.4),#43)", "(25.4),#41)")
        .replace("#33,#34,#35", "#30,#30,#30")
        .replace("#36=REPRESENTATION_MAP(#30,#20)", "#36=REPRESENTATION_MAP(#32,#21)");
    assert_eq!(check("a.stp", data.as_bytes()).objects().len(), 3);
}

#[test]
fn an_endless_line_or_source_is_too_large() {
    let long = "x".repeat(2 * 1024 * 1024);
    let conversion = check("a.py", long.as_bytes());
    assert_eq!(conversion.objects()[0].data["conversion"]["code"], "SOURCE_TOO_LARGE");
    check("a.stp", format!("ISO-10303-21;HEADER;ENDSEC;DATA;#1=PRODUCT('{long}');").as_bytes());
}
