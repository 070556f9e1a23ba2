//! Names of branches and commits on the command line: a branch, a commit's hash, or the beginning of a hash as `log`
//! prints it.

use std::collections::HashSet;
use std::str::FromStr;

use api::content::branches::{BranchPath, GetBranch, ListBranches};
use api::content::commits::ListCommits;
use client::Client;
use domain::content::compare::Point;
use domain::content::object::CommitHash;
use domain::content::project::{BranchName, InvalidBranchName};
use futures_util::{StreamExt, TryStreamExt};

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output::count;
use crate::resource::Project;

/// Digits of a hash that people read.
const SHORT_DIGITS: usize = 10;
/// Fewest digits that are taken for the beginning of a hash.
const FEWEST_DIGITS: usize = 7;
/// Most commits that are searched, 20 pages.
const COMMITS_MAX: usize = 2_000;
/// Most branches whose commits are searched.
const BRANCHES_MAX: usize = 200;

/// A branch or a commit as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RevisionArgument(Point);

/// The commits that were searched.
struct Search<'a> {
    beginning: &'a str,
    seen: HashSet<CommitHash>,
    found: Vec<CommitHash>,
}

impl FromStr for RevisionArgument {
    type Err = InvalidBranchName;

    fn from_str(text: &str) -> CommandResult<Self, InvalidBranchName> {
        text.parse().map(Self)
    }
}

impl RevisionArgument {
    /// The branch or the commit that is meant. A branch that looks like the beginning of a hash comes first. Whether
    /// others exist is left to the service.
    pub(crate) async fn find(self, client: &Client, project: &Project) -> CommandResult<Point> {
        let Point::Branch(branch) = &self.0 else { return Ok(self.0) };
        if !may_begin_hash(branch.as_str()) {
            return Ok(self.0);
        }
        match client
            .call(GetBranch, BranchPath { project_id: project.record.id.into(), branch: branch.clone() })
            .await
        {
            Ok(_) => Ok(self.0),
            Err(error) if error.is_not_found() => beginning_with(client, project, branch.as_str()).await,
            Err(error) => Err(error.into()),
        }
    }
}

/// The beginning of a hash that people read.
pub(crate) fn short(hash: &CommitHash) -> String {
    hash.to_string().chars().take(SHORT_DIGITS).collect()
}

fn may_begin_hash(text: &str) -> bool {
    text.len() >= FEWEST_DIGITS && text.chars().all(|c| c.is_ascii_hexdigit())
}

/// The only commit whose hash begins with a text, among the latest commits of the project's branch, then of the others.
async fn beginning_with(client: &Client, project: &Project, text: &str) -> CommandResult<Point> {
    let beginning = text.to_ascii_lowercase();
    let mut search = Search { beginning: &beginning, seen: HashSet::new(), found: Vec::new() };
    let branches = client.call(ListBranches, project.record.id).rows().take(BRANCHES_MAX);
    let mut branches: Vec<(BranchName, CommitHash)> =
        branches.map_ok(|branch| (branch.name, branch.commit_hash)).try_collect().await?;
    branches.sort_by_key(|(name, _)| *name != project.branch);
    for (_, head) in &branches {
        search.add(*head);
    }
    let mut searched = HashSet::new();
    for (branch, head) in branches {
        // The commits of a branch that another one contains are those of the other one.
        if search.is_over(searched.len()) || searched.contains(&head) {
            continue;
        }
        let mut commits = client
            .call(ListCommits, BranchPath { project_id: project.record.id.into(), branch: branch.clone() })
            .rows();
        while let Some(commit) = commits.try_next().await? {
            search.add(commit.hash);
            searched.insert(commit.hash);
            if search.is_over(searched.len()) {
                break;
            }
        }
    }
    let is_cut = searched.len() >= COMMITS_MAX;
    match search.found.as_slice() {
        [commit] => Ok(Point::Commit(*commit)),
        [] => {
            let message = format!("{project} has no branch or commit \"{text}\"");
            let list = project.argument();
            let next = format!("See what there is: atelier log {list}, atelier branches list {list}");
            Err(CommandFailure::new(Exit::NotFound, message).next(match is_cut {
                true => format!("{next}\n  The last {} commits were searched", count_of(COMMITS_MAX)),
                false => next,
            }))
        }
        several => {
            let hashes: Vec<String> = several.iter().map(ToString::to_string).collect();
            let message = format!("\"{text}\" may be any of the commits {}", hashes.join(", "));
            Err(CommandFailure::usage(message).next("Name more of its digits"))
        }
    }
}

impl Search<'_> {
    fn add(&mut self, commit: CommitHash) {
        if self.seen.insert(commit) && commit.to_string().starts_with(self.beginning) {
            self.found.push(commit);
        }
    }

    /// True if no more commits are read: enough were, or one has as many of the digits as this program prints, which no
    /// other one shares in practice.
    fn is_over(&self, searched: usize) -> bool {
        searched >= COMMITS_MAX || (self.beginning.len() >= SHORT_DIGITS && !self.found.is_empty())
    }
}

fn count_of(number: usize) -> String {
    count(u64::try_from(number).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use domain::content::object::CommitHash;

    use super::{Search, may_begin_hash, short};

    fn commit(text: &str) -> CommitHash {
        format!("{text:0<40}").parse().unwrap()
    }

    #[test]
    fn seven_digits_and_more_may_begin_a_hash() {
        for (text, expected) in
            [("39ca8c6", true), ("39CA8C6742", true), ("39ca8c", false), ("teeth12", false)]
        {
            assert_eq!(may_begin_hash(text), expected, "{text}");
        }
        assert_eq!(short(&commit("39ca8c6742ab")), "39ca8c6742");
    }

    #[test]
    fn commits_that_share_a_beginning_are_all_found() {
        let mut search = Search { beginning: "39ca8c6", seen: HashSet::new(), found: Vec::new() };
        for text in ["39ca8c61", "39ca8c61", "39ca8c62", "49ca8c61"] {
            search.add(commit(text));
        }
        assert_eq!(search.found, [commit("39ca8c61"), commit("39ca8c62")]);
        assert!(!search.is_over(2));
        search.beginning = "39ca8c6100";
        assert!(search.is_over(2));
    }
}
