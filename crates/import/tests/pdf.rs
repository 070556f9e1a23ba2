//! Conversion of small PDFs, rule by rule.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::fmt::Write;
use std::io::Cursor;
use std::time::Duration;

use domain::text::Name;
use import::{Conversion, DraftType, Settings, convert};
use serde_json::{Value, json};

/// Builds a file from objects; the first is the catalog.
#[derive(Default)]
struct Part {
    objects: Vec<Vec<u8>>,
}

impl Part {
    fn add(&mut self, object: &str) -> usize {
        self.objects.push(object.as_bytes().to_vec());
        self.objects.len()
    }

    fn stream(&mut self, dictionary: &str, content: &str) -> usize {
        self.add(&format!("<< {dictionary} /Length {} >>\nstream\n{content}\nendstream", content.len()))
    }

    /// The file with additional entries in its trailer.
    fn file(&self, trailer: &str) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (object, number) in self.objects.iter().zip(1..) {
            writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
            file.extend(
                format!("{number} 0 obj\n").bytes().chain(object.iter().copied()).chain(*b"\nendobj\n"),
            );
        }
        let begin = file.len();
        let end = format!(
            "trailer\n<< /Root 1 0 R /Size {} {trailer} >>\nstartxref\n{begin}\n%%EOF\n",
            self.objects.len() + 1
        );
        file.extend(table.bytes().chain(end.bytes()));
        file
    }
}

/// A file with one page. `page` adds to its dictionary; `more` are further objects from 5 on.
fn single(page: &str, content: &str, more: &[&str]) -> Vec<u8> {
    let mut part = Part::default();
    part.add("<< /Type /Catalog /Pages 2 0 R >>");
    part.add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    part.add(&format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R {page} >>"));
    part.stream("", content);
    more.iter().for_each(|object| {
        part.add(object);
    });
    part.file("")
}

/// A form with this content that may use other `forms`.
fn form(content: &str, forms: &str) -> String {
    format!(
        "<< /Type /XObject /Subtype /Form /BBox [0 0 100 100] /Resources << /XObject << {forms} >> >> \
         /Length {} >>\nstream\n{content}\nendstream",
        content.len()
    )
}

fn at(resolution_dpi: u16) -> Settings {
    Settings { resolution_dpi, render_time: Duration::from_secs(600), ..Settings::default() }
}

fn read(file: &[u8], settings: &Settings) -> (Conversion, Vec<u8>) {
    let mut images = Vec::new();
    let conversion =
        convert(&Name::sanitize("a.pdf").unwrap(), Cursor::new(file), settings, &mut images).unwrap();
    assert_eq!(usize::try_from(conversion.output_size()).unwrap(), images.len());
    (conversion, images)
}

/// The outcome of a file's conversion.
fn outcome(file: &[u8]) -> Value {
    let (conversion, _) = read(file, &at(36));
    conversion.objects()[0].data.get("conversion").map_or(Value::Null, |told| told["code"].clone())
}

/// The image of a draft: samples, colour type, width and height.
fn image(conversion: &Conversion, images: &[u8], place: usize) -> (Vec<u8>, png::ColorType, [u32; 2]) {
    let draft = &conversion.objects()[place];
    let span = draft.image.unwrap();
    let begin = usize::try_from(span.offset).unwrap();
    let file = &images[begin..begin + usize::try_from(span.size).unwrap()];
    let mut reader = png::Decoder::new(Cursor::new(file)).read_info().unwrap();
    let mut samples = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut samples).unwrap();
    assert_eq!(draft.data["image"], json!({ "width": frame.width, "height": frame.height }));
    (samples, frame.color_type, [frame.width, frame.height])
}

#[test]
fn a_document_has_its_properties_and_its_pages() {
    let mut part = Part::default();
    part.add("<< /Type /Catalog /Pages 2 0 R /Outlines 8 0 R /Names << /Dests 12 0 R >> >>");
    part.add("<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 200 100] >>");
    part.add("<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /Font << /F 6 0 R >> >> >>");
    part.add("<< /Type /Page /Parent 2 0 R /Rotate 90 /CropBox [0 0 50 100] /UserUnit 2 >>");
    part.stream("", "BT /F 12 Tf 10 80 Td (Hello,) Tj 50 0 Td (world) Tj -50 -20 Td (again) Tj ET");
    part.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
    part.add(
        "<< /Title <FEFF00DC006200650072007300690063006800740020> /Author (Ren\\351) \
         /CreationDate (D:20260102030405+01'30') /ModDate (D:2026) >>",
    );
    part.add("<< /First 9 0 R /Last 11 0 R >>");
    part.add("<< /Title (One) /Dest [3 0 R /Fit] /Next 11 0 R /First 10 0 R >>");
    part.add("<< /Title (One, below) /A << /S /GoTo /D (second) >> >>");
    // It is its own successor.
    part.add("<< /Title (Elsewhere) /Dest (nowhere) /Next 9 0 R >>");
    part.add("<< /Kids [12 0 R 13 0 R] >>");
    part.add("<< /Names [(first) [3 0 R /Fit] (second) << /D [4 0 R /Fit] >>] >>");
    let (conversion, _) = read(&part.file("/Info 7 0 R"), &at(72));
    let [document, first, second] = conversion.objects() else { panic!() };
    assert_eq!(conversion.media_type(), "application/pdf");
    assert_eq!([document.object_type, first.object_type], [DraftType::Document, DraftType::Page]);
    assert_eq!([document.parent, first.parent, second.parent], [None, Some(0), Some(0)]);
    assert_eq!([first.name.as_str(), second.name.as_str()], ["Page 1", "Page 2"]);
    assert_eq!(
        document.data["document"],
        json!({
            "version": "1.7", "pages": 2, "title": "Übersicht", "author": "René",
            "created": "2026-01-02T03:04:05+01:30", "modified": "2026-01-01T00:00:00Z",
            "outline": [
                { "title": "One", "level": 1, "page": 1 },
                { "title": "One, below", "level": 2, "page": 2 },
                { "title": "Elsewhere", "level": 1 },
            ],
        })
    );
    assert_eq!(document.data.get("conversion"), None);
    assert_eq!(first.data["text"], "Hello, world\nagain");
    assert_eq!(first.data["page"], json!({ "number": 1, "width": 200.0, "height": 100.0 }));
    assert_eq!(first.data["image"], json!({ "width": 200, "height": 100 }));
    // Rotated, cropped, in units of two points.
    assert_eq!(second.data["page"], json!({ "number": 2, "width": 200.0, "height": 100.0 }));
    assert_eq!(second.data["image"], json!({ "width": 200, "height": 100 }));
    assert_eq!(second.data.get("text"), None);
}

/// The properties of a document with this XMP, and with a title in its information dictionary.
fn described(dictionary: &str, metadata: &str) -> Value {
    let mut part = Part::default();
    part.add("<< /Type /Catalog /Pages 2 0 R /Metadata 5 0 R >>");
    part.add("<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9] >>");
    part.add("<< /Type /Page /Parent 2 0 R >>");
    part.add("<< /Title (Of the dictionary) /Author () >>");
    part.stream(dictionary, metadata);
    let (conversion, _) = read(&part.file("/Info 4 0 R"), &at(36));
    assert_eq!(conversion.objects().len(), 2);
    conversion.objects()[0].data["document"].clone()
}

#[test]
fn xmp_adds_properties_that_the_information_dictionary_lacks() {
    let xmp = "<?xpacket begin='' id='W5M0MpCehiHzreSzNTczkc9d'?>
<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:xmp='http://ns.adobe.com/xap/1.0/' \
xmp:ModifyDate='2026-01-02T03:04:05Z'>
<dc:title><rdf:Alt><rdf:li xml:lang='x-default'>Of XMP</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>Ren\u{e9}</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end='w'?>";
    let all = json!({
        "version": "1.7", "title": "Of the dictionary", "author": "Ren\u{e9}",
        "modified": "2026-01-02T03:04:05Z", "pages": 1,
    });
    let hex: String = xmp.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(described("/Type /Metadata /Subtype /XML", xmp), all);
    assert_eq!(described("/Filter /ASCIIHexDecode", &hex), all);
    // Damaged or twice compressed XMP is ignored.
    let only = json!({ "version": "1.7", "title": "Of the dictionary", "pages": 1 });
    assert_eq!(described("", xmp.split_once("Modify").unwrap().0), only);
    assert_eq!(described("/Filter /FlateDecode", xmp), only);
    assert_eq!(described("/Filter [/ASCIIHexDecode /ASCIIHexDecode]", &hex), only);
}

#[test]
fn the_image_of_a_page_has_the_resolution_and_is_grey_without_colours() {
    let file = |colour: &str| single("/MediaBox [0 0 72 36]", &format!("{colour} 36 0 36 36 re f"), &[]);
    let (conversion, images) = read(&file("0 g"), &at(72));
    let (samples, colours, size) = image(&conversion, &images, 1);
    assert_eq!((colours, size), (png::ColorType::Grayscale, [72, 36]));
    assert_eq!([samples[0], samples[35], samples[36], samples[71]], [255, 255, 0, 0]);
    let (conversion, images) = read(&file("1 0 0 rg"), &at(144));
    let (samples, colours, size) = image(&conversion, &images, 1);
    assert_eq!((colours, size), (png::ColorType::Rgb, [144, 72]));
    assert_eq!((&samples[..3], &samples[3 * 143..3 * 144]), (&[255, 255, 255][..], &[255, 0, 0][..]));
    // Resolutions outside of the allowed range.
    let (conversion, _) = read(&file("0 g"), &at(1));
    assert_eq!(conversion.objects()[1].data["image"], json!({ "width": 36, "height": 18 }));
}

#[test]
fn a_page_that_is_too_large_has_an_image_within_the_limits() {
    for (page, shown) in [
        ("/MediaBox [0 0 1000000 1000000]", json!({ "width": 4473, "height": 4473 })),
        ("/MediaBox [0 0 1000000 1]", json!({ "width": 8192, "height": 1 })),
        ("/MediaBox [0 0 1 1] /UserUnit 100000", json!({ "width": 4473, "height": 4473 })),
        (
            "/MediaBox [0 0 99999999999999999999 99999999999999999999]",
            json!({ "width": 4473, "height": 4473 }),
        ),
    ] {
        let (conversion, _) = read(&single(page, "", &[]), &at(150));
        let data = &conversion.objects()[1].data;
        if let Some(image) = data.get("image") {
            assert_eq!(*image, shown, "{page}");
        } else {
            assert_eq!(data["conversion"]["code"], "PAGE_DAMAGED", "{page}");
        }
    }
}

#[test]
fn a_file_without_pages_becomes_a_reference_with_the_reason() {
    let mut empty = Part::default();
    empty.add("<< /Type /Catalog /Pages 2 0 R >>");
    empty.add("<< /Type /Pages /Kids [] /Count 0 >>");
    assert_eq!(outcome(&empty.file("")), "PDF_WITHOUT_PAGES");
    assert_eq!(outcome(b"no such thing"), "PDF_DAMAGED");
    assert_eq!(outcome(b"%PDF-1.7\n"), "PDF_DAMAGED");
    let mut locked = Part::default();
    locked.add("<< /Type /Catalog /Pages 2 0 R >>");
    locked.add("<< /Type /Pages /Kids [] /Count 0 >>");
    locked.add("<< /Filter /Own /V 9 >>");
    assert_eq!(outcome(&locked.file("/Encrypt 3 0 R /ID [(a) (b)]")), "PDF_ENCRYPTION_UNKNOWN");
    let (conversion, _) = read(b"%PDF-1.7\n", &at(36));
    assert_eq!(conversion.objects()[0].object_type, DraftType::File);
}

#[test]
fn cyclic_references_end() {
    let resources = "/MediaBox [0 0 50 50] /Resources << /XObject << /A 5 0 R >> /Pattern << /P 6 0 R >> \
                     /Font << /F 7 0 R >> >>";
    let drawing = "/A Do /Pattern cs /P scn 0 0 50 50 re f BT /F 9 Tf (a) Tj ET";
    let tiling = form(drawing, "/A 5 0 R").replace(
        "/Type /XObject /Subtype /Form",
        "/PatternType 1 /PaintType 1 /TilingType 1 /XStep 9 /YStep 9",
    );
    let font = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] \
                /FirstChar 97 /LastChar 97 /Widths [1] /Encoding << /Differences [97 /a] >> \
                /CharProcs << /a 4 0 R >> /Resources << /Font << /F 7 0 R >> >> >>";
    let file = single(resources, drawing, &[&form("/A Do", "/A 5 0 R"), &tiling, font]);
    let (conversion, _) = read(&file, &at(36));
    assert!(conversion.objects()[1].image.is_some());
    // Pages that are their own ancestors, and endless nesting.
    let mut pages = Part::default();
    pages.add("<< /Type /Catalog /Pages 2 0 R >>");
    pages.add("<< /Type /Pages /Kids [2 0 R 3 0 R 3 0 R 2 0 R] /Count 1000000000 >>");
    pages.add("<< /Type /Page /Parent 2 0 R >>");
    assert_eq!(read(&pages.file(""), &at(36)).0.objects().len(), 3);
    // Forty nodes, each of which contains the next one twice.
    let mut pages = Part::default();
    pages.add("<< /Type /Catalog /Pages 2 0 R >>");
    for next in 3..43 {
        pages.add(&format!("<< /Type /Pages /Kids [{next} 0 R {next} 0 R] >>"));
    }
    pages.add("<< /Type /Page /MediaBox [0 0 9 9] >>");
    assert_eq!(read(&pages.file(""), &at(36)).0.objects().len(), 2);
    for deep in [
        "[".repeat(200_000),
        "<</A".repeat(100_000),
        "(".repeat(200_000),
        "q ".repeat(200_000),
        "BT ".repeat(200_000),
    ] {
        read(&single("/MediaBox [0 0 9 9]", &deep, &[&deep]), &at(36));
    }
}

#[test]
fn a_page_that_appears_several_times_becomes_several_pages() {
    let mut part = Part::default();
    part.add("<< /Type /Catalog /Pages 2 0 R /Outlines 7 0 R >>");
    part.add("<< /Type /Pages /Kids [3 0 R 4 0 R 3 0 R 4 0 R 6 0 R] /Count 7 >>");
    part.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] >>");
    part.add("<< /Type /Pages /Parent 2 0 R /Kids [5 0 R 3 0 R] /Count 2 /MediaBox [0 0 20 20] >>");
    part.add("<< /Type /Page /Parent 4 0 R >>");
    part.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 30 30] >>");
    part.add("<< /First 8 0 R /Last 8 0 R >>");
    part.add("<< /Title (The last) /Dest [6 0 R /Fit] >>");
    let (conversion, _) = read(&part.file(""), &at(72));
    let [document, pages @ ..] = conversion.objects() else { panic!() };
    let widths: Vec<_> = pages.iter().map(|page| page.data["page"]["width"].as_f64().unwrap()).collect();
    assert_eq!(widths, [10.0, 20.0, 10.0, 10.0, 20.0, 10.0, 30.0]);
    let images: Vec<_> = pages.iter().map(|page| page.data["image"]["width"].as_f64().unwrap()).collect();
    assert_eq!(images, widths);
    assert_eq!(document.data["document"]["pages"], 7);
    assert_eq!(document.data["document"]["outline"][0]["page"], 7);
}

#[test]
fn a_page_that_never_ends_does_not_stop_the_others() {
    // Forty forms, each of which draws the next one twice.
    let mut part = Part::default();
    part.add("<< /Type /Catalog /Pages 2 0 R >>");
    part.add("<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 /MediaBox [0 0 9 9] >>");
    part.add("<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /XObject << /A 6 0 R >> >> >>");
    part.add("<< /Type /Page /Parent 2 0 R >>");
    part.stream("", "/A Do");
    for next in 7..47 {
        part.add(&form("/A Do /A Do", &format!("/A {next} 0 R")));
    }
    part.add(&form("0 0 9 9 re f", ""));
    let settings = Settings { render_time: Duration::from_secs(5), ..at(36) };
    let (conversion, _) = read(&part.file(""), &settings);
    let [document, slow, quick] = conversion.objects() else { panic!() };
    assert_eq!(document.data["conversion"]["code"], "PAGES_WITHOUT_IMAGE");
    assert_eq!(slow.data["conversion"]["code"], "PAGE_TOO_SLOW");
    assert!(slow.image.is_none() && quick.image.is_some());
}

#[test]
fn too_many_pages_are_cut_to_the_first_and_images_to_the_size_limit() {
    let mut part = Part::default();
    part.add("<< /Type /Catalog /Pages 2 0 R >>");
    let kids: String = (0..10_001).map(|page| format!("{} 0 R ", page + 3)).collect();
    part.add(&format!("<< /Type /Pages /Kids [{kids}] /Count 10001 /MediaBox [0 0 9 9] >>"));
    for _ in 0..10_001 {
        part.add("<< /Type /Page /Parent 2 0 R >>");
    }
    let (conversion, images) = read(&part.file(""), &Settings { output_max_bytes: 10_000, ..at(36) });
    let [document, pages @ ..] = conversion.objects() else { panic!() };
    assert_eq!(pages.len(), 10_000);
    assert_eq!(document.data["document"]["pages"], 10_001);
    assert_eq!(document.data["conversion"]["code"], "TOO_MANY_PAGES");
    assert!((5_000..=10_000).contains(&images.len()));
    let told = |page: &&import::DraftObject| {
        page.data.get("conversion").is_some_and(|told| told["code"] == "PAGE_IMAGES_TOO_LARGE")
    };
    assert_eq!(
        pages.iter().filter(told).count() + pages.iter().filter(|page| page.image.is_some()).count(),
        10_000
    );
}

#[test]
fn a_file_truncated_anywhere_is_converted() {
    let file = single("/MediaBox [0 0 9 9]", "0 g 0 0 5 5 re f", &[]);
    let mut pages = 0;
    for length in 0..file.len() {
        let (conversion, _) = read(&file[..length], &at(36));
        let has_pages = conversion.objects().len() > 1;
        pages += usize::from(has_pages);
        // Without the last line break it is complete.
        if has_pages && length + 1 < file.len() {
            assert_eq!(outcome(&file[..length]), "PDF_TRUNCATED");
        }
    }
    // The page is found without the cross-reference table at the end.
    assert!(pages > 1);
    // Data after the end is ignored.
    for behind in [&b"\0"[..], b"\r\n\x1a"] {
        assert_eq!(outcome(&[&file[..], &behind.repeat(300)].concat()), Value::Null);
    }
}

/// The text of the first page, the code of its outcome, and its image.
fn page(file: &[u8]) -> (String, Value, Vec<u8>) {
    let (conversion, images) = read(file, &at(144));
    let data = &conversion.objects()[1].data;
    let text = data.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    let code = data.get("conversion").map_or(Value::Null, |told| told["code"].clone());
    (text, code, image(&conversion, &images, 1).0)
}

/// A file with a line of text in a font that it doesn't have. `more` are objects from 6 on.
fn without_font(text: &str, font: &str, more: &[&str]) -> Vec<u8> {
    let objects: Vec<&str> = std::iter::once(font).chain(more.iter().copied()).collect();
    let content = format!("BT /F 24 Tf 10 20 Td {text} Tj ET");
    single("/MediaBox [0 0 300 60] /Resources << /Font << /F 5 0 R >> >>", &content, &objects)
}

/// A composite font of this name with an encoding, without a program.
fn composite(name: &str, encoding: &str, ordering: &str, entries: &str) -> String {
    format!(
        "<< /Type /Font /Subtype /Type0 /BaseFont /{name} /Encoding /{encoding} {entries} /DescendantFonts [<< \
         /Type /Font /Subtype /CIDFontType2 /BaseFont /{name} /DW 556 \
         /CIDSystemInfo << /Registry (Adobe) /Ordering ({ordering}) /Supplement 0 >> \
         /FontDescriptor << /Type /FontDescriptor /FontName /{name} /Flags 32 >> >>] >>"
    )
}

#[test]
fn glyphs_of_a_windows_font_that_the_file_lacks_are_those_of_its_order() {
    // `0106211`, by numbers of glyphs that say no character.
    let digits = "<0013001400130019001500140014>";
    let (text, code, drawn) =
        page(&without_font(digits, &composite("ArialMT", "Identity-H", "Identity", ""), &[]));
    assert_eq!((text.as_str(), code), ("0106211", Value::Null));
    // The same letters, named by a map of characters, and one beyond the page that needs the same font.
    let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def \
               1 begincodespacerange <0000> <ffff> endcodespacerange \
               1 beginbfrange <0013> <001c> <0030> endbfrange 1 beginbfchar <0100> <0416> endbfchar endcmap end end";
    let map = format!("<< /Length {} >>\nstream\n{map}\nendstream", map.len());
    let named = composite("ArialMT", "Identity-H", "Identity", "/ToUnicode 6 0 R");
    let beyond = format!("{digits} Tj -500 0 Td <0100>");
    let (text, code, named) = page(&without_font(&beyond, &named, &[&map]));
    assert_eq!((text.as_str(), code), ("0106211 Ж", Value::Null));
    assert!(drawn == named, "the same letters are drawn in another way");
    let blank = page(&without_font("<0003>", &composite("ArialMT", "Identity-H", "Identity", ""), &[])).2;
    assert!(drawn != blank);
}

#[test]
fn letters_that_nobody_knows_are_told_and_stay_blank() {
    for (name, text) in [
        // Another order of glyphs than that of other fonts.
        ("Calibri", "<0413>"),
        ("ABCDEF+SomeFont", "<0213>"),
        // Beyond the letters whose order is common.
        ("ArialMT", "<0213>"),
    ] {
        let (_, code, drawn) = page(&without_font(text, &composite(name, "Identity-H", "Identity", ""), &[]));
        assert_eq!(code, json!("PAGE_LETTERS_UNKNOWN"), "{name}");
        assert!(drawn.iter().all(|sample| *sample == 255), "{name}");
    }
    let japanese = without_font("<93FA967B>", &composite("MS-Gothic", "90ms-RKSJ-H", "Japan1", ""), &[]);
    assert_eq!(page(&japanese).1, json!("PAGE_LETTERS_UNKNOWN"));
    assert_eq!(outcome(&japanese), json!("PAGES_INCOMPLETE"));
}

#[test]
fn polish_greek_and_cyrillic_letters_are_drawn_without_the_files_font() {
    let font = |names: &str| {
        format!(
            "<< /Type /Font /Subtype /TrueType /BaseFont /Arial /FirstChar 65 /LastChar 67 \
             /Widths [222 556 500] /Encoding << /Type /Encoding \
             /BaseEncoding /WinAnsiEncoding /Differences [65 {names}] >> >>"
        )
    };
    for (names, expected) in [
        ("/lslash /aogonek /zdotaccent", "łąż"),
        ("/afii10017 /afii10018 /afii10068", "АБг"),
        ("/Alpha /beta /gamma", "Αβγ"),
    ] {
        let (text, code, drawn) = page(&without_font("(ABC)", &font(names), &[]));
        assert_eq!((text.as_str(), code), (expected, Value::Null));
        let single = page(&without_font("(A)", &font(names), &[])).2;
        assert!(drawn != single, "{expected}");
        assert!(single.iter().any(|sample| *sample < 128), "{expected}");
    }
    // A letter that no font here has.
    let (_, code, _) = page(&without_font("(A)", &font("/uni4E2D"), &[]));
    assert_eq!(code, json!("PAGE_LETTERS_UNKNOWN"));
}

#[test]
fn notes_and_fields_without_an_appearance_are_listed() {
    let annotations = "/Annots [<< /Type /Annot /Subtype /FreeText /Rect [0 0 9 9] /Contents (Check this) >> \
         << /Type /Annot /Subtype /Widget /FT /Tx /Rect [0 0 9 9] /V (42) >> \
         << /Type /Annot /Subtype /Widget /FT /Tx /Rect [0 0 9 9] >> \
         << /Type /Annot /Subtype /Link /Rect [0 0 9 9] >> \
         << /Type /Annot /Subtype /Ink /F 2 /Rect [0 0 9 9] >> \
         << /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP << /N 5 0 R >> >>]";
    let file = single(&format!("/MediaBox [0 0 99 99] {annotations}"), "", &[&form("0 0 9 9 re f", "")]);
    let (conversion, _) = read(&file, &at(36));
    let data = &conversion.objects()[1].data;
    assert_eq!(
        data["notes"],
        json!([{ "type": "FreeText", "text": "Check this" }, { "type": "Widget", "text": "42" }])
    );
    assert_eq!(data["conversion"]["code"], "PAGE_NOTES_UNDRAWN");
    assert_eq!(outcome(&file), json!("PAGES_INCOMPLETE"));
}

#[test]
fn a_file_whose_attachments_alone_are_encrypted_has_its_pages() {
    let encrypted = |methods: &str| {
        let mut part = Part::default();
        part.add("<< /Type /Catalog /Pages 2 0 R >>");
        part.add("<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 99 99] >>");
        part.add("<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>");
        part.stream("", "0 0 99 99 re f");
        let zeros = "00".repeat(32);
        part.add(&format!(
            "<< /Filter /Standard /V 4 /R 4 /Length 128 /P -4 /O <{zeros}> /U <{zeros}> {methods} \
             /CF << /StdCF << /AuthEvent /EFOpen /CFM /AESV2 /Length 16 >> >> /EncryptMetadata false >>"
        ));
        part.file("/Encrypt 5 0 R /ID [<00> <00>]")
    };
    assert_eq!(outcome(&encrypted("/EFF /StdCF /StmF /Identity /StrF /Identity")), Value::Null);
    assert_eq!(outcome(&encrypted("/EFF /StdCF")), Value::Null);
    assert_eq!(outcome(&encrypted("/StmF /StdCF /StrF /StdCF")), json!("PDF_ENCRYPTED"));
    // Nothing of it can be read.
    let mut damaged = encrypted("/StmF /StdCF /StrF /StdCF");
    damaged.splice(9.., *b"trailer\n<< /Root 1 0 R /Encrypt 9 0 R >>\n%%EOF\n");
    assert_eq!(outcome(&damaged), json!("PDF_ENCRYPTION_UNKNOWN"));
}
