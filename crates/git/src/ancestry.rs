//! The common ancestor of two commits.

use std::collections::HashMap;

use domain::content::object::CommitHash;

/// A search for the most recently written common ancestor of two commits.
///
/// A commit is written after its ancestors, so no other common ancestor descends from this one. After criss-cross
/// merges there are several such ancestors; this is one of them.
#[derive(Clone, Debug)]
pub struct CommonAncestor {
    /// Unread commits that a side has reached.
    reached: HashMap<CommitHash, Sides>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sides {
    by_ours: bool,
    by_theirs: bool,
}

impl CommonAncestor {
    /// Starts a search.
    pub fn new(ours: CommitHash, theirs: CommitHash) -> Self {
        let mut reached: HashMap<CommitHash, Sides> = HashMap::new();
        reached.entry(ours).or_default().by_ours = true;
        reached.entry(theirs).or_default().by_theirs = true;
        Self { reached }
    }

    /// Takes the project's next commit, in reverse order of writing; returns true for the common ancestor.
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
    use domain::content::object::CommitHash;

    use super::CommonAncestor;

    fn hash(number: u8) -> CommitHash {
        CommitHash([number; 20])
    }

    /// Commits with their parents; the numbers follow the order of writing.
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
    fn the_common_ancestor_is_the_last_fork_or_merge() {
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
    fn after_criss_cross_merges_it_is_the_last_written_one() {
        let crossed: &[(u8, &[u8])] =
            &[(1, &[]), (2, &[1]), (3, &[1]), (4, &[2, 3]), (5, &[3, 2]), (6, &[4]), (7, &[5])];
        assert_eq!(base(crossed, 6, 7), Some(3));
        assert_eq!(base(crossed, 7, 6), Some(3));
    }
}
