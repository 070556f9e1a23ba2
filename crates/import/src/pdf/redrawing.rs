//! Content that is drawn otherwise than hayro draws it: layers, notes and fields without an appearance, and points.

use hayro::hayro_syntax::Pdf;
use hayro::hayro_syntax::object::{Array, Dict, MaybeRef, Object, ObjectIdentifier};
use hayro::hayro_syntax::page::Page;

use super::layers::Layers;
use super::limits::PAGES_MAX;
use super::revision::{Revision, reference, with_entries, write};
use super::{appearance, notes, points};

/// Most annotations of a page that are redrawn.
const ANNOTATIONS_MAX: usize = 1_000;
/// Most packed bytes of a document that are searched for points, which takes a reading of its pages before the rendering.
const SEARCHED_MAX: usize = 4 * 1024 * 1024;
/// Largest file that is revised, in bytes, because the revision is a copy.
const FILE_MAX_BYTES: usize = 64 * 1024 * 1024;

/// The file with what is drawn otherwise; `None` if nothing is.
pub(super) fn revise(pdf: &Pdf, file: &[u8]) -> Option<Vec<u8>> {
    if file.len() > FILE_MAX_BYTES {
        return None;
    }
    let mut revision = Revision::default();
    let layers = Layers::of(pdf);
    if let Some(layers) = &layers {
        layers.revise(pdf, &mut revision);
    }
    let root = pdf.xref().root_id();
    let form = pdf.xref().get::<Dict<'_>>(root).and_then(|catalog| catalog.get::<Dict<'_>>("AcroForm"));
    let style = form.and_then(|form| form.get::<Object<'_>>("DA")?.into_string());
    let style = style.map(|style| String::from_utf8_lossy(style.as_bytes()).into_owned());
    let mut left = SEARCHED_MAX;
    for page in pdf.pages().iter().take(PAGES_MAX) {
        let mut entries = Vec::new();
        entries.extend(
            annotations(page, layers.as_ref(), style.as_deref(), &mut revision).map(|own| ("Annots", own)),
        );
        let content = points::with_lines(page, &mut left);
        let points = content.map(|content| revision.add_stream("", &content));
        entries.extend(points.map(|content| ("Contents", reference(content))));
        if let Some(id) = page.raw().obj_id()
            && !entries.is_empty()
        {
            revision.replace(id, with_entries(page.raw(), &entries));
        }
    }
    if revision.is_empty() {
        return None;
    }
    let revised = revision.append(file, root);
    // A file whose structure hides the revision is drawn as it is.
    let count = pdf.pages().len();
    Pdf::new(revised.clone()).ok().filter(|pdf| pdf.pages().len() == count).map(|_| revised)
}

/// The annotations of a page, if some are drawn otherwise.
fn annotations(
    page: &Page<'_>,
    layers: Option<&Layers<'_>>,
    style: Option<&str>,
    revision: &mut Revision,
) -> Option<String> {
    let all = page.raw().get::<Array<'_>>("Annots")?;
    let (mut list, mut is_changed) = (b"[".to_vec(), false);
    for item in all.raw_iter().take(ANNOTATIONS_MAX) {
        let annotation = match &item {
            MaybeRef::Ref(id) => page.xref().get::<Dict<'_>>(ObjectIdentifier::from(*id)),
            MaybeRef::NotRef(Object::Dict(dict)) => Some(dict.clone()),
            MaybeRef::NotRef(_) => None,
        };
        let Some(annotation) = annotation else { continue };
        if layers.is_some_and(|layers| !layers.shows(&annotation)) {
            is_changed = true;
        } else if let Some(drawn) = draw(&annotation, style, revision) {
            is_changed = true;
            let id = revision.add(drawn);
            list.extend_from_slice(format!(" {}", reference(id)).as_bytes());
        } else {
            write(&mut list, &item);
        }
    }
    list.push(b']');
    String::from_utf8(list).ok().filter(|_| is_changed)
}

/// An annotation with an appearance, if it is shown, has none, and gets one.
fn draw(annotation: &Dict<'_>, style: Option<&str>, revision: &mut Revision) -> Option<Vec<u8>> {
    if !notes::lacks_appearance(annotation) {
        return None;
    }
    let appearance = appearance::of(annotation, style)?;
    let bounds = appearance.bounds.map(|at| format!("{at:.3}")).join(" ");
    let form =
        format!("/Type /XObject /Subtype /Form /BBox [{bounds}] /Resources << {} >>", appearance.resources);
    let stream = revision.add_stream(&form, &appearance.content);
    let own = format!("<< /N {} /{} true >>", reference(stream), notes::REDRAWN);
    Some(with_entries(annotation, &[("Rect", format!("[{bounds}]")), ("AP", own)]))
}
