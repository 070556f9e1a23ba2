//! What two lines of commits have in common.

use std::collections::HashMap;

use domain::object::CommitHash;

/// A search for the last common ancestor of two commits, in progress: of all that both follow, or are, the one that was
/// written last. No other that both follow comes after it, as a commit is written after those that it follows. After
/// merges across there are several such; this is one of them.
#[derive(Clone, Debug)]
pub struct CommonAncestor {
    /// Commits that have been come by from a side, and not been read.
    reached: HashMap<CommitHash, Reached>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    by_ours: bool,
    by_theirs: bool,
}

impl CommonAncestor {
    /// The search from these two.
    pub fn new(ours: CommitHash, theirs: CommitHash) -> Self {
        let mut reached: HashMap<CommitHash, Reached> = HashMap::new();
        reached.entry(ours).or_default().by_ours = true;
        reached.entry(theirs).or_default().by_theirs = true;
        Self { reached }
    }

    /// Takes the next of the project's commits, the last written first; returns whether it is the one.
    pub fn is(&mut self, commit: CommitHash, parents: &[CommitHash]) -> bool {
        let Some(reached) = self.reached.remove(&commit) else { return false };
        for parent in parents {
            let of_parent = self.reached.entry(*parent).or_default();
            of_parent.by_ours |= reached.by_ours;
            of_parent.by_theirs |= reached.by_theirs;
        }
        reached.by_ours && reached.by_theirs
    }
}

#[cfg(test)]
mod tests {
    use domain::object::CommitHash;

    use super::CommonAncestor;

    fn hash(number: u8) -> CommitHash {
        CommitHash([number; 20])
    }

    /// Commits by number, each with its parents; numbers grow in the order of writing.
    fn base(commits: &[(u8, &[u8])], ours: u8, theirs: u8) -> Option<u8> {
        let mut search = CommonAncestor::new(hash(ours), hash(theirs));
        let mut newest_first = commits.iter().rev();
        let found = newest_first.find(|(commit, parents)| {
            let parents: Vec<CommitHash> = parents.iter().map(|parent| hash(*parent)).collect();
            search.is(hash(*commit), &parents)
        });
        found.map(|(commit, _)| *commit)
    }

    #[test]
    fn the_common_ancestor_is_where_two_lines_went_apart_or_last_met() {
        let line: &[(u8, &[u8])] = &[(1, &[]), (2, &[1]), (3, &[2]), (4, &[2]), (5, &[3]), (6, &[4])];
        assert_eq!(base(line, 5, 6), Some(2));
        assert_eq!(base(line, 5, 3), Some(3));
        assert_eq!(base(line, 2, 6), Some(2));
        assert_eq!(base(line, 6, 6), Some(6));
        let met: &[(u8, &[u8])] =
            &[(1, &[]), (2, &[1]), (3, &[1]), (4, &[2, 3]), (5, &[3]), (6, &[4]), (7, &[5])];
        assert_eq!(base(met, 6, 7), Some(3));
        let apart: &[(u8, &[u8])] = &[(1, &[]), (2, &[]), (3, &[1])];
        assert_eq!(base(apart, 3, 2), None);
    }

    #[test]
    fn of_several_after_merges_across_it_is_the_one_written_last() {
        let crossed: &[(u8, &[u8])] =
            &[(1, &[]), (2, &[1]), (3, &[1]), (4, &[2, 3]), (5, &[3, 2]), (6, &[4]), (7, &[5])];
        assert_eq!(base(crossed, 6, 7), Some(3));
        assert_eq!(base(crossed, 7, 6), Some(3));
    }
}
