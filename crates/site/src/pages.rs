//! The pages: their templates, and the one place that makes them all.

use std::collections::BTreeMap;

use askama::Template;
use bytes::Bytes;
use serde_json::Value;

use crate::articles::{CHANGES, GUIDES, RULES};
use crate::assets::Assets;
use crate::errors::{self, ErrorCode};
use crate::markdown::{Heading, Rendered, Renderer};
use crate::operation::{Details, details};
use crate::reference::{OperationReference, PlaneReference, Tag, at, text};
use crate::search::{self, Entry};
use crate::{Page, Site};

const HTML: &str = "text/html; charset=utf-8";

/// The site can't be made.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The data plane's document is not JSON.
    #[error("the data plane's document can't be read")]
    Document(#[from] serde_json::Error),
    /// A template can't be written.
    #[error("a template failed")]
    Template(#[from] askama::Error),
}

/// The parts of a page that all pages share.
#[derive(Clone, Copy)]
struct Frame<'a> {
    title: &'a str,
    /// For search engines and previews; empty for none.
    description: &'a str,
    /// The address of the page, which its entry of the navigation marks.
    url: &'a str,
    assets: &'a Assets,
    version: &'a str,
    guides: &'a [(String, String)],
    planes: &'a [PlaneReference<'a>],
}

#[derive(Template)]
#[template(path = "home.html")]
struct Home<'a> {
    frame: Frame<'a>,
    guides: &'a [(String, String, String)],
}

#[derive(Template)]
#[template(path = "article.html")]
struct Article<'a> {
    frame: Frame<'a>,
    kind: &'a str,
    html: &'a str,
    headings: &'a [Heading],
    next: Option<&'a (String, String)>,
}

#[derive(Template)]
#[template(path = "reference.html")]
struct Reference<'a> {
    frame: Frame<'a>,
    introductions: &'a [String],
}

#[derive(Template)]
#[template(path = "tag.html")]
struct TagPage<'a> {
    frame: Frame<'a>,
    plane: &'a PlaneReference<'a>,
    tag: &'a Tag<'a>,
    text: String,
}

#[derive(Template)]
#[template(path = "operation.html")]
struct OperationPage<'a> {
    frame: Frame<'a>,
    plane: &'a PlaneReference<'a>,
    tag: &'a Tag<'a>,
    operation: &'a OperationReference<'a>,
    details: Details,
}

#[derive(Template)]
#[template(path = "errors.html")]
struct Errors<'a> {
    frame: Frame<'a>,
    groups: Vec<(String, Vec<ErrorCode<'a>>)>,
}

#[derive(Template)]
#[template(path = "not_found.html")]
struct NotFound<'a> {
    frame: Frame<'a>,
}

/// Makes all pages.
pub(crate) fn site(control: &Value, data: &Value) -> Result<Site, SiteError> {
    let planes = [
        PlaneReference::new("Control plane", "control", control),
        PlaneReference::new("Data plane", "data", data),
    ];
    let meanings: BTreeMap<&str, &str> = errors::codes(control).collect();
    let renderer = Renderer { codes: meanings.keys().map(|code| (*code).to_owned()).collect() };
    let guides: Vec<(String, Rendered)> = GUIDES
        .iter()
        .map(|(name, text)| {
            let url = if name.is_empty() { "/docs/guide".to_owned() } else { format!("/docs/guide/{name}") };
            (url, renderer.page(text))
        })
        .collect();
    let (rules, changes) = (renderer.page(RULES), renderer.page(CHANGES));
    let listed: Vec<(String, String)> =
        guides.iter().map(|(url, guide)| (url.clone(), guide.title.clone())).collect();
    let codes = || errors::list(&planes, &renderer);
    let entries = entries(&planes, &guides, &rules, &codes());
    let (assets, files) = Assets::new(&search::index(&entries));
    let version = text(at(control, "/info"), "version");
    let frame = Frame {
        title: "",
        description: "",
        url: "",
        assets: &assets,
        version,
        guides: &listed,
        planes: &planes,
    };

    let mut pages: BTreeMap<String, Page> = files.into_iter().collect();
    let mut add = |url: &str, html: String| pages.insert(url.to_owned(), page(html));
    let summaries: Vec<(String, String, String)> =
        guides.iter().map(|(url, guide)| (url.clone(), guide.title.clone(), task(url))).collect();
    let home = Frame { title: "Documentation", url: "/docs", ..frame };
    add("/docs", Home { frame: home, guides: &summaries }.render()?);
    for (at, (url, guide)) in guides.iter().enumerate() {
        let frame = Frame { title: &guide.title, url, ..frame };
        let next = listed.get(at + 1);
        let article = Article { frame, kind: "Guide", html: &guide.html, headings: &guide.headings, next };
        add(url, article.render()?);
    }
    for (url, kind, text) in [("/docs/rules", "Reference", &rules), ("/docs/changes", "Reference", &changes)]
    {
        let frame = Frame { title: &text.title, url, ..frame };
        let article = Article { frame, kind, html: &text.html, headings: &text.headings, next: None };
        add(url, article.render()?);
    }
    let introductions: Vec<String> = planes.iter().map(|plane| renderer.text(plane.introduction)).collect();
    let reference = Frame { title: "Reference", url: "/docs/reference", ..frame };
    add("/docs/reference", Reference { frame: reference, introductions: &introductions }.render()?);
    for plane in &planes {
        for tag in &plane.tags {
            let frame = Frame { title: tag.name, url: &tag.url, ..frame };
            let text = renderer.text(tag.text);
            add(&tag.url, TagPage { frame, plane, tag, text }.render()?);
            for operation in &tag.operations {
                let frame = Frame { title: operation.summary, url: &operation.url, ..frame };
                let details = details(plane, operation, &meanings, &renderer)?;
                add(&operation.url, OperationPage { frame, plane, tag, operation, details }.render()?);
            }
        }
    }
    let errors = Frame { title: "Errors", url: "/docs/errors", ..frame };
    add("/docs/errors", Errors { frame: errors, groups: by_status(codes()) }.render()?);
    let not_found = Frame { title: "There is no such page", ..frame };
    Ok(Site { not_found: page(NotFound { frame: not_found }.render()?), pages })
}

fn page(html: String) -> Page {
    Page { media_type: HTML, body: Bytes::from(html), is_immutable: false }
}

/// The task of a guide, from the table in the guides' index.
fn task(url: &str) -> String {
    let Some(name) = url.strip_prefix("/docs/guide/") else { return String::new() };
    let index = GUIDES.first().map(|(_, text)| *text).unwrap_or_default();
    let row = index.lines().find(|line| line.contains(&format!("]({name}.md) |")));
    let cell = row.and_then(|row| row.split('|').nth(2)).unwrap_or_default().trim().replace('`', "");
    let mut letters = cell.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The codes by the status that they answer, in the order of statuses; those of runs alone last.
fn by_status(codes: Vec<ErrorCode<'_>>) -> Vec<(String, Vec<ErrorCode<'_>>)> {
    let mut groups: BTreeMap<u16, Vec<ErrorCode<'_>>> = BTreeMap::new();
    for code in codes {
        groups.entry(code.status.unwrap_or(u16::MAX)).or_default().push(code);
    }
    let named = groups.into_iter().map(|(status, codes)| match status {
        u16::MAX => ("Within answers and runs".to_owned(), codes),
        status => (format!("{status} {}", errors::reason(status)), codes),
    });
    named.collect()
}

/// Everything that the search finds.
fn entries(
    planes: &[PlaneReference<'_>],
    guides: &[(String, Rendered)],
    rules: &Rendered,
    codes: &[ErrorCode<'_>],
) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |title: &str, url: String, place: &str, words: String| {
        entries.push(Entry { title: title.to_owned(), url, place: place.to_owned(), words });
    };
    let articles = guides.iter().map(|(url, guide)| (url.as_str(), "Guide", guide));
    for (url, place, article) in articles.chain([("/docs/rules", "Rules", rules)]) {
        add(&article.title, url.to_owned(), place, String::new());
        for heading in &article.headings {
            let place = format!("{place}: {}", article.title);
            add(&heading.text, format!("{url}#{}", heading.id), &place, heading.summary.clone());
        }
    }
    for plane in planes {
        for tag in &plane.tags {
            add(tag.name, tag.url.clone(), plane.name, String::new());
            for one in &tag.operations {
                let words = format!("{} {} {}", one.id, one.method, one.path);
                add(one.summary, one.url.clone(), &format!("{}: {}", plane.name, tag.name), words);
            }
        }
    }
    for code in codes {
        add(code.code, format!("/docs/errors#{}", code.code), "Error", code.summary.to_owned());
    }
    add("Changes by version", "/docs/changes".to_owned(), "Reference", String::new());
    entries
}
