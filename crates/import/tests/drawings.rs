//! Drawings: their text, layers, notes, labels and flaws. Files of real programs are in `../shared/inputs` or
//! `ATELIER_TEST_INPUTS`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's helper fails by panicking")]

use std::fmt::Write;
use std::io::Cursor;
use std::path::PathBuf;
use std::time::Duration;

use domain::text::Name;
use import::{Settings, convert};
use serde_json::{Map, Value, json};

/// The first page of a file: its data, and its picture in the resolution of one pixel for a point.
struct PageView {
    data: Map<String, Value>,
    picture: Option<(Vec<u8>, usize, usize)>,
}

impl PageView {
    fn of(file: &[u8]) -> Self {
        let settings =
            Settings { resolution_dpi: 72, render_time: Duration::from_secs(600), ..Settings::default() };
        let mut images = Vec::new();
        let name = Name::sanitize("a.pdf").unwrap();
        let conversion = convert(&name, Cursor::new(file), &settings, &mut images).unwrap();
        let draft = conversion.objects().get(1).unwrap_or(&conversion.objects()[0]);
        let picture = draft.image.map(|span| {
            let begin = usize::try_from(span.offset).unwrap();
            let png = &images[begin..begin + usize::try_from(span.size).unwrap()];
            let mut reader = png::Decoder::new(Cursor::new(png)).read_info().unwrap();
            let mut samples = vec![0; reader.output_buffer_size().unwrap()];
            let frame = reader.next_frame(&mut samples).unwrap();
            let width = usize::try_from(frame.width).unwrap();
            (samples, width, frame.color_type.samples())
        });
        Self { data: draft.data.clone(), picture }
    }

    fn text(&self) -> &str {
        self.data.get("text").and_then(Value::as_str).unwrap_or_default()
    }

    fn code(&self) -> &str {
        self.data.get("conversion").and_then(|outcome| outcome["code"].as_str()).unwrap_or_default()
    }

    /// True if the point, from the upper left corner, is not white.
    fn is_drawn(&self, x: usize, y: usize) -> bool {
        let (samples, width, channels) = self.picture.as_ref().unwrap();
        let at = (y * width + x) * channels;
        samples[at..at + channels].iter().any(|sample| *sample < 200)
    }
}

/// A file of one page of 200 points a side. `catalog` and `page` add to their dictionaries; `more` are objects from 6
/// on.
fn file(catalog: &str, page: &str, content: &str, more: &[&str]) -> Vec<u8> {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
    let mut objects = vec![
        format!("<< /Type /Catalog /Pages 2 0 R {catalog} >>"),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 200 200] >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> \
             /Properties << /L 6 0 R /M 7 0 R >> /XObject << /X 8 0 R >> >> {page} >>"
        ),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        font.to_owned(),
    ];
    objects.extend(more.iter().map(|object| (*object).to_owned()));
    let mut file = "%PDF-1.7\n".to_owned();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(&objects) {
        writeln!(table, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{number} 0 obj\n{object}\nendobj\n").unwrap();
    }
    let size = objects.len() + 1;
    format!("{file}{table}trailer\n<< /Root 1 0 R /Size {size} >>\nstartxref\n{}\n%%EOF\n", file.len()).into()
}

fn text(content: &str) -> String {
    PageView::of(&file("", "", content, &[])).text().to_owned()
}

#[test]
fn text_is_that_which_people_read() {
    for (content, expected) in [
        // ActualText stands for its glyphs, however often and in however many runs they are drawn.
        (
            "BT /F 12 Tf 9 99 Td (o) Tj /Span << /ActualText (ffi) >> BDC (x) Tj (y) Tj EMC (ce) Tj ET",
            "office",
        ),
        ("BT /F 12 Tf 9 99 Td 2 Tr /Span << /ActualText (ffi) >> BDC (x) Tj EMC (ce) Tj ET", "ffice"),
        (
            "BT /F 12 Tf 9 99 Td /P << /ActualText (a) >> BDC /Q << /ActualText (b) >> BDC (c) Tj EMC EMC ET",
            "a",
        ),
        ("BT /F 12 Tf 9 99 Td (a) Tj /Span << /ActualText () >> BDC (-) Tj EMC (b) Tj ET", "ab"),
        ("/Span << /ActualText (Logo) >> BDC 9 9 9 9 re f EMC", "Logo"),
        ("/Span << /ActualText (nothing) >> BDC EMC", ""),
        (
            "BT /F 12 Tf 9 99 Td (hid) Tj /S << /ActualText <FEFF00AD> >> BDC ( ) Tj EMC -3.34 0 Td (den) Tj ET",
            "hidden",
        ),
        ("BT /F 12 Tf 9 99 Td (a) Tj EMC EMC /S << /ActualText (b) >> BDC (x) Tj ET", "ab"),
        // Outlines, shadows and emulated bold type are no text of their own.
        ("BT /F 12 Tf 2 Tr 9 99 Td (PART) Tj ET", "PART"),
        ("BT /F 12 Tf 9 99 Td (PART) Tj 0.3 0 Td (PART) Tj ET", "PART"),
        ("BT /F 24 Tf 9 99 Td (PART) Tj 1 -1 Td (PART) Tj ET", "PART"),
        ("BT /F 12 Tf 9 99 Td (PART) Tj ET BT /F 12 Tf 1 Tr 9 99 Td (PART) Tj ET", "PART"),
        ("BT /F 12 Tf 50 Tz 9 99 Td (llll) Tj ET", "llll"),
        // Letter-spaced titles.
        ("BT /F 12 Tf 8 Tc 9 99 Td (DRAWING) Tj ET", "DRAWING"),
        ("BT /F 12 Tf 8 Tc 9 99 Td (DRAWING NO) Tj ET", "DRAWING NO"),
        ("BT /F 12 Tf 8 Tc 9 99 Td (DRAW) Tj (ING) Tj ET", "DRAWING"),
        ("BT /F 12 Tf 9 99 Td [(Gear) -400 (box)] TJ ET", "Gear box"),
        // Tolerances and units beside their numbers.
        ("BT /F 12 Tf 9 99 Td (12) Tj /F 7 Tf 6 Ts (+0.1) Tj ET", "12+0.1"),
        ("BT /F 12 Tf 9 99 Td (m) Tj /F 7 Tf 5 Ts (2) Tj /F 12 Tf 0 Ts ( long) Tj ET", "m2 long"),
        ("BT /F 12 Tf 9 99 Td (one) Tj 0 -14 Td (two) Tj ET", "one\ntwo"),
    ] {
        assert_eq!(text(content), expected, "{content}");
    }
}

#[test]
fn layers_are_as_a_viewer_shows_them() {
    let is_drawn = |config: &str, layer: &str| {
        let catalog = format!("/OCProperties << /OCGs [9 0 R 10 0 R] /D << {config} >> >>");
        let on = "<< /Type /OCG /Name (on) /Usage << /View << /ViewState /OFF >> /Print << /PrintState /ON >> >> >>";
        let more = [layer, "null", "null", on, "<< /Type /OCG /Name (off) >>", "[/Not 9 0 R]"];
        PageView::of(&file(&catalog, "", "/OC /L BDC 90 90 20 20 re f EMC", &more)).is_drawn(100, 100)
    };
    let off = "/OFF [10 0 R]";
    for (config, layer, expected) in [
        (off, "<< /Type /OCMD /OCGs 9 0 R >>", true),
        (off, "<< /Type /OCMD /OCGs 10 0 R >>", false),
        (off, "<< /Type /OCMD /VE [/Not 10 0 R] >>", true),
        (off, "<< /Type /OCMD /VE [/And 9 0 R 10 0 R] >>", false),
        (off, "<< /Type /OCMD /VE [/Or 10 0 R [/Not [/Not 9 0 R]]] >>", true),
        (off, "<< /Type /OCMD /VE [/Or 10 0 R 11 0 R] >>", false),
        // An expression that says nothing hides nothing, and goes before the layers.
        (off, "<< /Type /OCMD /VE [/Xor 9 0 R] /OCGs 10 0 R >>", true),
        (off, "<< /Type /OCMD /VE [/And 7] >>", true),
        // For printing alone.
        ("/AS [<< /Event /View /Category [/View] /OCGs [9 0 R] >>]", "<< /Type /OCMD /OCGs 9 0 R >>", false),
        ("/AS [<< /Event /Print /Category [/Print] /OCGs [9 0 R] >>]", "<< /Type /OCMD /OCGs 9 0 R >>", true),
        ("/BaseState /OFF /ON [9 0 R]", "<< /Type /OCMD /VE [/And 9 0 R] >>", true),
        ("/BaseState /OFF", "<< /Type /OCMD /VE [/And 9 0 R] >>", false),
    ] {
        assert_eq!(is_drawn(config, layer), expected, "{config} {layer}");
    }
}

#[test]
fn a_hidden_layer_hides_its_annotations_and_their_text() {
    let page = "/Annots [<< /Type /Annot /Subtype /Stamp /OC 9 0 R /Rect [0 0 99 99] /AP << /N 8 0 R >> >> \
                << /Type /Annot /Subtype /FreeText /OC 9 0 R /Rect [0 0 99 99] /Contents (secret) >>]";
    let form =
        "<< /Type /XObject /Subtype /Form /BBox [0 0 99 99] /Length 14 >>\nstream\n0 0 99 99 re f\nendstream";
    let more = ["null", "null", form, "<< /Type /OCG /Name (layer) >>"];
    let view = |config: &str| {
        PageView::of(&file(&format!("/OCProperties << /OCGs [9 0 R] /D << {config} >> >>"), page, "", &more))
    };
    let (shown, hidden) = (view(""), view("/OFF [9 0 R]"));
    assert_eq!((shown.is_drawn(50, 150), hidden.is_drawn(50, 150)), (true, false));
    assert_eq!((shown.text(), hidden.text()), ("secret", ""));
    assert_eq!(hidden.data.get("notes"), None);
}

#[test]
fn points_with_round_caps_are_drawn() {
    for (content, expected) in [
        ("10 w 1 J 100 100 m h S", true),
        ("10 w 1 J 100 100 m s", true),
        ("10 w 1 J 100 100 m 100 100 l S", true),
        ("10 w 1 J 20 20 m h 100 100 m h S", true),
        ("10 w 1 J (m h S) Tj 100 100 m S", false),
        ("10 w 0 J 100 100 m h S", false),
    ] {
        assert_eq!(PageView::of(&file("", "", content, &[])).is_drawn(100, 100), expected, "{content}");
    }
}

#[test]
fn simple_notes_and_values_are_drawn_and_all_are_told() {
    let annotation = |kind: &str, entries: &str| {
        let page = format!("/Annots [<< /Type /Annot /Subtype /{kind} /Rect [50 50 150 150] {entries} >>]");
        PageView::of(&file("/AcroForm << /DA (/F 0 Tf 0 g) >>", &page, "", &[]))
    };
    let red = "/C [1 0 0]";
    for (kind, entries, at) in [
        ("Square", "/C [1 0 0] /BS << /W 4 >>", Some((52, 100))),
        ("Circle", "/C [1 0 0] /IC [0 0 1]", Some((100, 100))),
        ("Line", "/C [1 0 0] /Border [0 0 4] /L [60 100 140 100]", Some((100, 100))),
        ("Ink", "/C [1 0 0] /BS << /W 4 >> /InkList [[10 100 100 100]]", Some((20, 100))),
        ("Polygon", "/C [1 0 0] /IC [0 1 0] /Vertices [60 60 140 60 100 140]", Some((100, 120))),
        ("Highlight", "/C [1 1 0] /QuadPoints [60 110 140 110 60 90 140 90]", Some((100, 100))),
        ("StrikeOut", "/C [1 0 0] /QuadPoints [60 120 140 120 60 80 140 80]", Some((100, 100))),
        // Not seen, or not simple.
        ("Square", "/C [1 0 0] /BS << /W 0 >>", None),
        ("Line", "/C [1 0 0] /L [60]", None),
        ("Polygon", "/C [1 0 0] /Vertices [100000000 0 0 0]", None),
        ("Text", red, None),
        ("Stamp", red, None),
    ] {
        let view = annotation(kind, &format!("{entries} /Contents (note \\(7\\))"));
        assert_eq!(view.data["notes"], json!([{ "type": kind, "text": "note (7)" }]), "{kind} {entries}");
        assert_eq!(view.text(), "note (7)", "{kind} {entries}");
        assert_eq!(view.code(), if at.is_some() { "" } else { "PAGE_NOTES_UNDRAWN" }, "{kind} {entries}");
        assert!(at.is_none_or(|(x, y)| view.is_drawn(x, y)), "{kind} {entries}");
    }
    for (kind, entries, text, code) in [
        (
            "FreeText",
            "/DA (1 0 0 rg /F 14 Tf) /Contents (CHANGE TO 33 mm at \\330 5)",
            "CHANGE TO 33\nmm at Ø 5",
            "",
        ),
        ("FreeText", "/Contents <FEFF4E2D>", "中", "PAGE_NOTES_UNDRAWN"),
        ("FreeText", "/Rotate 90 /Contents (turned)", "turned", "PAGE_NOTES_UNDRAWN"),
        ("Widget", "/FT /Tx /V (PN-4711)", "PN-4711", ""),
        ("Widget", "/FT /Ch /V (steel)", "steel", ""),
        ("Widget", "/FT /Btn /V (x)", "x", "PAGE_NOTES_UNDRAWN"),
    ] {
        let view = annotation(kind, entries);
        assert_eq!((view.text(), view.code()), (text, code), "{kind} {entries}");
    }
}

#[test]
fn pages_have_the_labels_of_their_document() {
    let label = |labels: &str| {
        PageView::of(&file(&format!("/PageLabels {labels}"), "", "", &[])).data["page"]["label"].clone()
    };
    for (labels, expected) in [
        ("<< /Nums [0 << /S /D /P (SHT-) /St 5 >>] >>", json!("SHT-5")),
        ("<< /Nums [0 << /S /r >>] >>", json!("i")),
        ("<< /Nums [0 << /P (Cover) >>] >>", json!("Cover")),
        ("<< /Kids [<< /Nums [0 << /S /A >>] >>] >>", json!("A")),
        ("<< /Nums [7 << /S /A >>] >>", json!("1")),
        ("<< /Nums [-1 7 0] >>", Value::Null),
        ("7", Value::Null),
        ("<< >>", Value::Null),
    ] {
        assert_eq!(label(labels), expected, "{labels}");
    }
}

#[test]
fn what_can_not_be_read_of_a_page_is_told() {
    let picture = |filter: &str| {
        let dictionary =
            "/Type /XObject /Subtype /Image /Width 9 /Height 9 /ColorSpace /DeviceRGB /BitsPerComponent 8";
        let picture = format!("<< {dictionary} /Filter /{filter} /Length 4 >>\nstream\nxxxx\nendstream");
        let file = file("", "", "99 0 0 99 0 0 cm /X Do", &["null", "null", &picture]);
        PageView::of(&file).code().to_owned()
    };
    assert_eq!(picture("DCTDecode"), "PAGE_PICTURE_DAMAGED");
    assert_eq!(picture("BrotliDecode"), "PAGE_FILTER_UNKNOWN");
    let note = "/Annots [<< /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP << /N << /On null >> >> >>]";
    assert_eq!(PageView::of(&file("", note, "", &[])).code(), "PAGE_NOTE_DAMAGED");
    // Without its objects nothing can be read.
    let packed = b"%PDF-1.7\n1 0 obj\n<< /Type /ObjStm /Filter /BrotliDecode /Length 1 >>\n\
        stream\nx\nendstream\nendobj\n%%EOF";
    assert_eq!(PageView::of(packed).code(), "PDF_FILTER_UNKNOWN");
}

#[test]
fn drawings_of_real_programs_are_read() {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/inputs");
    let folder = std::env::var_os("ATELIER_TEST_INPUTS").map_or(beside, PathBuf::from).join("tools");
    if !folder.is_dir() {
        eprintln!("NOT TESTED: no inputs of tools in ../shared/inputs or ATELIER_TEST_INPUTS");
        return;
    }
    let view = |name: &str| PageView::of(&std::fs::read(folder.join(name)).unwrap());
    assert_eq!(
        view("pdf-chromium-ligatures.pdf").text(),
        "Profile office\noffice file flange offset profile\nSchraubverbindung hiddenhyphen"
    );
    assert_eq!(view("pdf-stroked-text-and-notes.pdf").text(), "PART NO 4711\nPN-4711");
    let note = view("pdf-freetext-note.pdf");
    assert_eq!((note.text(), note.code()), ("Drawing 7\nCHANGE TO 33 mm\ni", ""));
    let layers = view("pdf-layers.pdf");
    let cells = (0..15).filter(|cell| layers.is_drawn(50 + cell % 5 * 100, 450 - cell / 5 * 100));
    assert_eq!(cells.collect::<Vec<_>>(), [0, 3, 4, 6, 7, 9, 11, 13]);
    assert!(!layers.is_drawn(250, 50));
    assert_eq!(view("pdf-brotli-streams.pdf").code(), "PAGE_FILTER_UNKNOWN");
    assert_eq!(view("pdf-brotli-objects.pdf").code(), "PDF_FILTER_UNKNOWN");
}
