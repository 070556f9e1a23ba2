//! GitHub's issues as JSON: pages of the REST API's list, one after the other, or what `gh issue list --json` writes.
//!
//! Beyond the list an issue may have `comments`, `sub_issues`, `blocked_by` and `blocking` as arrays, each as its own
//! endpoint of the API answers.

mod issue;

use domain::planning::import::ImportTool;
use serde_json::value::RawValue;

use self::issue::{GitHubIssue, GitHubReference};

use crate::collect::Collector;
use crate::decode;
use crate::deviation::{DeviationReason, Place};
use crate::export::Export;
use crate::settings::{ReadError, ReadOptions};

/// Reads an array of issues, or several behind each other. Texts are Markdown. Pull requests are left out.
///
/// # Errors
/// [`ReadError`] if the file is no array of JSON, or is beyond a limit. An issue of another form is left out.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Export, ReadError> {
    let (text, _) = decode::text(bytes);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    // Each issue for itself, so that one of another form doesn't take the others with it.
    let mut pages: Vec<Vec<&RawValue>> = Vec::new();
    for page in serde_json::Deserializer::from_str(&text).into_iter() {
        pages.push(page?);
    }
    let count = pages.iter().map(Vec::len).sum::<usize>();
    if count > options.issues_max {
        return Err(ReadError::TooManyIssues(options.issues_max));
    }
    let mut collector = Collector::new(ImportTool::GitHub, options);
    let mut issues = Vec::with_capacity(count);
    for (place, raw) in (1_usize..).zip(pages.into_iter().flatten()) {
        match serde_json::from_str::<GitHubIssue>(raw.get()) {
            Ok(issue) => issues.push(issue),
            Err(error) => {
                let at = Place::default();
                collector.deviate(
                    &at,
                    &format!("issue {place}"),
                    &error.to_string(),
                    DeviationReason::Unreadable,
                );
            }
        }
    }
    // A parent lists its children; a child of an older export doesn't name its parent.
    let parents = issue::parents(&issues);
    for issue in issues {
        let key = issue.key();
        if issue.pull_request.is_some() {
            let place = Place { line: None, issue: Some(key) };
            collector.deviate(&place, "pull_request", &issue.title, DeviationReason::PullRequest);
            continue;
        }
        let mut draft = issue.draft(&mut collector);
        if let Some(parent) = parents.get(&key).filter(|_| draft.parent.is_empty()) {
            draft.parent.clone_from(parent);
        }
        collector.add(draft)?;
    }
    Ok(collector.finish())
}

/// The key of an issue: `owner/name#12`, or `#12` where the export doesn't name the repository.
fn key(address: Option<&str>, number: u64) -> String {
    let repository = address.and_then(repository).unwrap_or_default();
    format!("{repository}#{number}")
}

/// `owner/name` of `https://api.github.com/repos/owner/name/issues/12` or `https://github.com/owner/name/issues/12`.
fn repository(address: &str) -> Option<String> {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let mut parts = path.split('/').skip(1).skip_while(|part| matches!(*part, "api" | "v3" | "repos"));
    let (owner, name) = (parts.next()?, parts.next()?);
    (!owner.is_empty() && !name.is_empty()).then(|| format!("{owner}/{name}"))
}

/// The issue that an address of the API names.
fn addressed(address: &str) -> Option<GitHubReference> {
    let number = address.rsplit('/').next()?.parse().ok()?;
    Some(GitHubReference { number, url: Some(address.to_owned()), html_url: None })
}
