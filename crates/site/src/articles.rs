//! The pages that people wrote: guides, the rules of the API, and changes by version.

/// A guide: its name in addresses, and its Markdown.
pub(crate) type Guide = (&'static str, &'static str);

/// The guides in the order in which they are read. The first is their index.
pub(crate) const GUIDES: [Guide; 21] = [
    ("", include_str!("../../../docs/guide/README.md")),
    ("first-upload", include_str!("../../../docs/guide/first-upload.md")),
    ("console", include_str!("../../../docs/guide/console.md")),
    ("command-line", include_str!("../../../docs/guide/command-line.md")),
    ("first-hour", include_str!("../../../docs/guide/first-hour.md")),
    ("people", include_str!("../../../docs/guide/people.md")),
    ("bulk-uploads", include_str!("../../../docs/guide/bulk-uploads.md")),
    ("events", include_str!("../../../docs/guide/events.md")),
    ("versions", include_str!("../../../docs/guide/versions.md")),
    ("shapes", include_str!("../../../docs/guide/shapes.md")),
    ("bills-of-materials", include_str!("../../../docs/guide/bills-of-materials.md")),
    ("git", include_str!("../../../docs/guide/git.md")),
    ("planning", include_str!("../../../docs/guide/planning.md")),
    ("move-from-jira", include_str!("../../../docs/guide/move-from-jira.md")),
    ("agents", include_str!("../../../docs/guide/agents.md")),
    ("mcp", include_str!("../../../docs/guide/mcp.md")),
    ("executions", include_str!("../../../docs/guide/executions.md")),
    ("errors-and-retries", include_str!("../../../docs/guide/errors-and-retries.md")),
    ("idempotency", include_str!("../../../docs/guide/idempotency.md")),
    ("paging", include_str!("../../../docs/guide/paging.md")),
    ("rate-limits", include_str!("../../../docs/guide/rate-limits.md")),
];

/// The rules that all operations share.
pub(crate) const RULES: &str = include_str!("../../../docs/api.md");
/// The changes of the interface, newest first.
pub(crate) const CHANGES: &str = include_str!("../../../docs/changes.md");

/// The name of the guide in a file.
pub(crate) fn guide_of(file: &str) -> Option<&'static str> {
    let stem = file.strip_suffix(".md")?;
    GUIDES.iter().map(|(name, _)| *name).find(|name| *name == stem)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::GUIDES;

    #[test]
    fn every_guide_is_on_the_site() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guide");
        let files = std::fs::read_dir(folder).unwrap();
        let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.filter(|file| file.ends_with(".md")).collect();
        let on_site = GUIDES.iter().map(|(name, _)| match *name {
            "" => "README.md".to_owned(),
            name => format!("{name}.md"),
        });
        assert_eq!(on_site.collect::<BTreeSet<_>>(), files);
    }
}
