//! Markdown to HTML: links to the site's own pages, coloured code, headings with anchors.

use std::collections::BTreeSet;

use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html,
};

use crate::diagram;
use crate::highlight::{escape, highlight};

/// A page of Markdown as HTML.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    /// The first heading's text; empty without one.
    pub(crate) title: String,
    /// Everything below the first heading.
    pub(crate) html: String,
    /// The other headings of the first two levels.
    pub(crate) headings: Vec<Heading>,
}

/// A heading below the title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heading {
    pub(crate) id: String,
    pub(crate) text: String,
    /// The first paragraph below it, without markup.
    pub(crate) summary: String,
}

/// Renders Markdown.
#[derive(Debug)]
pub(crate) struct Renderer {
    /// The error codes, which link to their place where they stand as code.
    pub(crate) codes: BTreeSet<String>,
}

impl Renderer {
    /// A page, whose first heading is its title.
    pub(crate) fn page(&self, source: &str) -> Rendered {
        self.render(source, 0)
    }

    /// The HTML of a text within a page.
    pub(crate) fn text(&self, source: &str) -> String {
        self.render(source, 2).html
    }

    /// `below` levels of headings stand above the text.
    fn render(&self, source: &str, below: usize) -> Rendered {
        let mut rendered = Rendered::default();
        let mut events: Vec<Event<'_>> = Vec::new();
        let mut links: Vec<bool> = Vec::new();
        let mut code: Option<(String, String)> = None;
        let mut heading: Option<(HeadingLevel, usize, String)> = None;
        for event in Parser::new_ext(source, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let language = match kind {
                        CodeBlockKind::Fenced(language) => language.to_string(),
                        CodeBlockKind::Indented => String::new(),
                    };
                    code = Some((language, String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((language, text)) = code.take() {
                        events.push(Event::Html(block(&language, &text).into()));
                    }
                }
                Event::Text(text) if code.is_some() => {
                    if let Some((_, code)) = &mut code {
                        code.push_str(&text);
                    }
                }
                Event::Start(Tag::Heading { level, .. }) => {
                    heading = Some((level, events.len(), String::new()));
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((level, begin, text)) = heading.take() {
                        let content = events.split_off(begin.min(events.len()));
                        if level == HeadingLevel::H1 && below == 0 && rendered.title.is_empty() {
                            rendered.title = text;
                            continue;
                        }
                        let id = slug(&text);
                        let rank = (heading_rank(level) + below).min(6);
                        events.push(Event::Html(format!("<h{rank} id=\"{id}\">").into()));
                        events.extend(content);
                        events.push(Event::Html(
                            format!("<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to: {}\">#</a></h{rank}>\n", escape(&text))
                                .into(),
                        ));
                        if level == HeadingLevel::H2 {
                            rendered.headings.push(Heading { id, text, summary: String::new() });
                        }
                    }
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let target = target(&dest_url);
                    links.push(target.is_some());
                    if let Some(target) = target {
                        events.push(Event::Html(format!("<a href=\"{}\">", escape(&target)).into()));
                    }
                }
                Event::End(TagEnd::Link) => {
                    if links.pop() == Some(true) {
                        events.push(Event::Html("</a>".into()));
                    }
                }
                Event::Start(Tag::Table(columns)) => {
                    let open = "<div class=\"table\" role=\"group\" aria-label=\"Table\" tabindex=\"0\">";
                    events.push(Event::Html(open.into()));
                    // An alignment would become a style of its own, which the policy refuses.
                    let columns = columns.iter().map(|_| Alignment::None).collect();
                    events.push(Event::Start(Tag::Table(columns)));
                }
                Event::End(TagEnd::Table) => {
                    events.push(Event::End(TagEnd::Table));
                    events.push(Event::Html("</div>".into()));
                }
                // The sources are the project's own, and hold no HTML but comments.
                Event::Html(_) | Event::InlineHtml(_) => {}
                Event::Code(text) => {
                    if let Some((_, _, title)) = &mut heading {
                        title.push_str(&text);
                    } else if links.is_empty() && self.codes.contains(text.as_ref()) {
                        let link = format!("<a href=\"/docs/errors#{text}\"><code>{text}</code></a>");
                        events.push(Event::Html(CowStr::from(link)));
                        continue;
                    } else if let Some(last) = rendered.headings.last_mut() {
                        push_summary(last, &text);
                    }
                    events.push(Event::Code(text));
                }
                Event::Text(text) => {
                    match (&mut heading, rendered.headings.last_mut()) {
                        (Some((_, _, title)), _) => title.push_str(&text),
                        (None, Some(last)) => push_summary(last, &text),
                        (None, None) => {}
                    }
                    events.push(Event::Text(text));
                }
                other => events.push(other),
            }
        }
        html::push_html(&mut rendered.html, events.into_iter());
        rendered
    }
}

/// Longest summary of a heading, in bytes.
const SUMMARY_BYTES: usize = 120;

fn push_summary(heading: &mut Heading, text: &str) {
    if heading.summary.len() < SUMMARY_BYTES {
        if !heading.summary.is_empty()
            && !heading.summary.ends_with(' ')
            && !text.starts_with([' ', '.', ','])
        {
            heading.summary.push(' ');
        }
        heading.summary.push_str(text);
    }
}

/// A block of code, or a diagram as a list of its steps.
pub(crate) fn block(language: &str, text: &str) -> String {
    if language != "mermaid" {
        let label = match language {
            "" | "text" => "Text",
            "sh" | "console" | "bash" => "Shell commands",
            "json" => "JSON",
            "typescript" => "TypeScript",
            "python" => "Python",
            other => other,
        };
        let code = highlight(language, text.trim_end());
        return format!(
            "<div class=\"code\"><pre tabindex=\"0\" role=\"group\" aria-label=\"{label}\"><code>{code}</code></pre></div>\n"
        );
    }
    let mut list = "<ol class=\"diagram\">\n".to_owned();
    for step in diagram::steps(text) {
        let (from, to, text) = (escape(&step.from), escape(&step.to), escape(&step.text));
        list.push_str(&format!(
            "<li><span class=\"ends\"><b>{from}</b> <span aria-hidden=\"true\">→</span><span class=\"aloud\"> to </span> <b>{to}</b></span> \
             <span>{text}</span></li>\n"
        ));
    }
    list + "</ol>\n"
}

fn heading_rank(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// The anchor of a heading, as GitHub makes it.
pub(crate) fn slug(text: &str) -> String {
    let kept = text.trim().to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The address of a link between pages of the repository; `None` for a page that the site doesn't have.
fn target(link: &str) -> Option<String> {
    if link.starts_with('#') || link.starts_with('/') || link.contains("://") {
        return Some(link.to_owned());
    }
    let (file, fragment) = match link.split_once('#') {
        Some((file, fragment)) => (file, format!("#{fragment}")),
        None => (link, String::new()),
    };
    let page = match file.trim_start_matches("../").trim_start_matches("guide/") {
        "README.md" => "/docs/guide".to_owned(),
        "api.md" => "/docs/rules".to_owned(),
        "changes.md" => "/docs/changes".to_owned(),
        "endpoints.md" => "/docs/reference".to_owned(),
        "errors.md" => "/docs/errors".to_owned(),
        guide => format!("/docs/guide/{}", crate::articles::guide_of(guide)?),
    };
    Some(page + &fragment)
}

#[cfg(test)]
mod tests {
    use super::{Renderer, slug, target};

    fn renderer() -> Renderer {
        Renderer { codes: ["NOT_FOUND".to_owned()].into() }
    }

    #[test]
    fn links_lead_to_pages_of_the_site_or_are_text() {
        assert_eq!(target("../api.md#3-credentials").as_deref(), Some("/docs/rules#3-credentials"));
        assert_eq!(target("README.md").as_deref(), Some("/docs/guide"));
        assert_eq!(target("git.md#commit").as_deref(), Some("/docs/guide/git#commit"));
        assert_eq!(target("https://jqlang.org").as_deref(), Some("https://jqlang.org"));
        assert_eq!(target("../design/idempotency.md"), None);
        assert_eq!(renderer().text("[why](../design/x.md)"), "<p>why</p>\n");
    }

    #[test]
    fn the_first_heading_is_the_title_and_others_have_anchors() {
        let page = renderer().page("# Git\n\nText.\n\n## Read `it`\n\nHow.\n");
        assert_eq!(page.title, "Git");
        assert!(page.html.contains("<h2 id=\"read-it\">Read <code>it</code><a"), "{}", page.html);
        assert_eq!(page.headings[0].summary, "How.");
        assert_eq!(slug("2. Order of checks, errors"), "2-order-of-checks-errors");
    }

    #[test]
    fn an_error_code_leads_to_its_place_and_html_is_dropped() {
        let html = renderer().text("`NOT_FOUND` or `OTHER` <script>x</script>");
        assert!(html.contains("<a href=\"/docs/errors#NOT_FOUND\"><code>NOT_FOUND</code></a>"), "{html}");
        assert!(html.contains("<code>OTHER</code>") && !html.contains("<script"), "{html}");
    }
}
