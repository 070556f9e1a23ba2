//! The commit graph of a project, and the selection of commits that a client needs.

use std::collections::{HashMap, HashSet};

use crate::object::Oid;

/// Most commits of a client to compare folders with. The comparison avoids sending objects that the client has; beyond
/// the limit, some are sent again.
const BASES_MAX: usize = 64;

/// Commits with their parents.
#[derive(Clone, Debug, Default)]
pub struct Graph(HashMap<Oid, Vec<Oid>>);

/// The depth of the history that a client requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Depth {
    /// At most this many commits per wanted tip.
    OfWanted(u32),
    /// This many more commits behind each end of the client's history.
    More(u32),
    /// Without these commits and their ancestors. A wanted one of these comes with its whole history, as from Git.
    Without(Vec<Oid>),
}

/// The commits that a client has and wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Wanted commits, including their ancestors.
    pub wants: Vec<Oid>,
    /// Commits that the client has, including their ancestors except behind `shallow`.
    pub common: Vec<Oid>,
    /// Commits whose parents the client lacks.
    pub shallow: Vec<Oid>,
    /// Requested depth; `None` for the whole history.
    pub depth: Option<Depth>,
}

/// Finds the commits needed to fulfil a [`Wish`] without a depth.
///
/// It reads the project's commits backwards until all wanted lines have met commits that the client has.
#[derive(Clone, Debug)]
pub struct NeededCommits {
    graph: Graph,
    /// Unread commits; true if the client has the commit.
    reached: HashMap<Oid, bool>,
    /// Number of them that the client lacks.
    lacking: usize,
}

/// The commits that fulfil a [`Wish`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitSelection {
    /// The commits to send, children before parents.
    pub commits: Vec<Oid>,
    /// The client's commits next to those.
    pub bases: Vec<Oid>,
    /// Commits whose parents the client newly lacks.
    pub shallow: Vec<Oid>,
    /// Commits whose missing parents are sent now.
    pub unshallow: Vec<Oid>,
}

impl NeededCommits {
    /// Starts with the commits of a wish.
    pub fn of(wish: &Wish) -> Self {
        let mut needed = Self { graph: Graph::default(), reached: HashMap::new(), lacking: 0 };
        wish.common.iter().for_each(|oid| needed.reach(*oid, true));
        wish.wants.iter().for_each(|oid| needed.reach(*oid, false));
        needed
    }

    /// True once enough commits have been read.
    pub fn is_complete(&self) -> bool {
        self.lacking == 0
    }

    /// Takes the project's next commit, in reverse order of writing.
    pub fn take(&mut self, commit: Oid, parents: Vec<Oid>) {
        let Some(has) = self.reached.remove(&commit) else { return };
        self.lacking -= usize::from(!has);
        parents.iter().for_each(|parent| self.reach(*parent, has));
        self.graph.insert(commit, parents);
    }

    /// The commits read, which end with commits that the client has.
    pub fn graph(mut self) -> Graph {
        for (commit, _) in self.reached.drain() {
            self.graph.insert(commit, Vec::new());
        }
        self.graph
    }

    fn reach(&mut self, commit: Oid, has: bool) {
        match self.reached.get_mut(&commit) {
            None => {
                self.reached.insert(commit, has);
                self.lacking += usize::from(!has);
            }
            Some(known) => {
                self.lacking -= usize::from(has && !*known);
                *known |= has;
            }
        }
    }
}

impl Graph {
    /// Adds a commit.
    pub fn insert(&mut self, commit: Oid, parents: Vec<Oid>) {
        self.0.insert(commit, parents);
    }

    /// True if a wish excludes all commits that it wants.
    pub fn excludes_all(&self, wish: &Wish) -> bool {
        let Some(Depth::Without(excluded)) = &wish.depth else { return false };
        let excluded = self.with_ancestors(excluded);
        !wish.wants.is_empty() && wish.wants.iter().all(|oid| excluded.contains(oid))
    }

    /// Selects the commits to send. Unknown commits are ignored.
    pub fn select(&self, wish: &Wish) -> CommitSelection {
        let cut: HashSet<Oid> = wish.shallow.iter().filter(|oid| self.0.contains_key(oid)).copied().collect();
        let (mut reached, ends) = self.reach_back(wish, &cut);
        let has: HashSet<Oid> = self.walk(&wish.common, u32::MAX, &cut).into_iter().collect();
        let kept: HashSet<Oid> = reached.iter().copied().collect();
        let excluded: Vec<Oid> = wish.wants.iter().filter(|oid| !kept.contains(oid)).copied().collect();
        reached.extend(self.walk(&excluded, u32::MAX, &cut));

        let mut selection = CommitSelection::default();
        let mut bases: Vec<Oid> = wish.common.clone();
        for oid in reached {
            if !has.contains(&oid) {
                selection.commits.push(oid);
                bases.extend(self.parents(&oid).iter().filter(|parent| has.contains(parent)));
            }
        }
        // Deepening sends the ancestors of these.
        bases.extend(cut.iter().filter(|oid| has.contains(oid)));
        let mut seen = HashSet::new();
        bases.retain(|oid| self.0.contains_key(oid) && seen.insert(*oid));
        bases.truncate(BASES_MAX);
        selection.bases = bases;
        if wish.depth.is_some() {
            selection.unshallow =
                cut.iter().filter(|oid| kept.contains(oid) && !ends.contains(oid)).copied().collect();
            selection.shallow = ends.into_iter().filter(|oid| !cut.contains(oid)).collect();
        }
        selection
    }

    /// The commits within the requested depth, and those of them without their parents.
    fn reach_back(&self, wish: &Wish, cut: &HashSet<Oid>) -> (Vec<Oid>, HashSet<Oid>) {
        let reached = match &wish.depth {
            None => self.walk(&wish.wants, u32::MAX, cut),
            Some(Depth::OfWanted(depth)) => {
                let reached = self.walk(&wish.wants, *depth, &HashSet::new());
                let ends = self.at_depth(&wish.wants, *depth);
                return (reached, ends);
            }
            Some(Depth::Without(excluded)) => return self.reach_without(wish, excluded),
            Some(Depth::More(depth)) => {
                let (starts, depth) = (cut.iter().copied().collect::<Vec<Oid>>(), depth.saturating_add(1));
                let ends = self.at_depth(&starts, depth);
                // Other branches end there, too.
                let mut reached = self.walk(&wish.wants, u32::MAX, &ends);
                let known: HashSet<Oid> = reached.iter().copied().collect();
                let more = self.walk(&starts, depth, &HashSet::new());
                reached.extend(more.into_iter().filter(|oid| !known.contains(oid)));
                return (reached, ends);
            }
        };
        let ends = self.ends(&reached);
        (reached, ends)
    }

    /// As [`Graph::reach_back`]. A parent that is not excluded is still behind an end if another parent is.
    fn reach_without(&self, wish: &Wish, excluded: &[Oid]) -> (Vec<Oid>, HashSet<Oid>) {
        let excluded = self.with_ancestors(excluded);
        let mut reached = self.walk(&wish.wants, u32::MAX, &HashSet::new());
        reached.retain(|oid| !excluded.contains(oid));
        let ends = self.ends(&reached);
        let mut within = self.walk(&wish.wants, u32::MAX, &ends);
        within.retain(|oid| !excluded.contains(oid));
        (within, ends)
    }

    /// The commits exactly `depth - 1` steps behind `starts`, where Git ends a history, even at a first commit. None for an
    /// infinite depth.
    fn at_depth(&self, starts: &[Oid], depth: u32) -> HashSet<Oid> {
        if depth == u32::MAX {
            return HashSet::new();
        }
        let before = match depth.checked_sub(1) {
            Some(before) => self.walk(starts, before, &HashSet::new()).into_iter().collect(),
            None => HashSet::new(),
        };
        let within = self.walk(starts, depth, &HashSet::new());
        within.into_iter().filter(|oid| !before.contains(oid)).collect()
    }

    /// The commits of which a parent is not among them.
    fn ends(&self, commits: &[Oid]) -> HashSet<Oid> {
        let kept: HashSet<Oid> = commits.iter().copied().collect();
        let is_end = |oid: &Oid| self.parents(oid).iter().any(|parent| !kept.contains(parent));
        commits.iter().filter(|oid| is_end(oid)).copied().collect()
    }

    /// The commits at most `depth - 1` steps behind `starts`, nearest first, ending with those in `cut`.
    fn walk(&self, starts: &[Oid], depth: u32, cut: &HashSet<Oid>) -> Vec<Oid> {
        let mut seen = HashSet::new();
        let mut found: Vec<Oid> = Vec::new();
        let mut level: Vec<Oid> = starts.to_vec();
        let mut left = depth;
        while left > 0 && !level.is_empty() {
            left -= 1;
            level.retain(|oid| self.0.contains_key(oid) && seen.insert(*oid));
            found.extend(&level);
            let followed = level.iter().filter(|oid| !cut.contains(oid));
            level = followed.flat_map(|oid| self.parents(oid)).copied().collect();
        }
        found
    }

    fn with_ancestors(&self, commits: &[Oid]) -> HashSet<Oid> {
        self.walk(commits, u32::MAX, &HashSet::new()).into_iter().collect()
    }

    fn parents(&self, commit: &Oid) -> &[Oid] {
        self.0.get(commit).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::{CommitSelection, Depth, Graph, NeededCommits, Oid, Wish};

    fn oid(n: u8) -> Oid {
        Oid([n; 20])
    }

    fn oids(ns: &[u8]) -> Vec<Oid> {
        ns.iter().map(|n| oid(*n)).collect()
    }

    /// 1 ← 2 ← 3 ← 5 ← 6, and 2 ← 4 ← 5: a merge.
    const COMMITS: [(u8, &[u8]); 6] = [(1, &[]), (2, &[1]), (3, &[2]), (4, &[2]), (5, &[3, 4]), (6, &[5])];

    fn graph() -> Graph {
        let mut graph = Graph::default();
        COMMITS.into_iter().for_each(|(n, parents)| graph.insert(oid(n), oids(parents)));
        graph
    }

    /// Sorted: commits, shallow and unshallow.
    fn select(wish: &Wish) -> [Vec<u8>; 3] {
        let CommitSelection { commits, shallow, unshallow, .. } = graph().select(wish);
        [commits, shallow, unshallow].map(|oids| {
            let mut numbers: Vec<u8> = oids.iter().map(|oid| oid.0[0]).collect();
            numbers.sort_unstable();
            numbers
        })
    }

    fn wish(wants: &[u8], common: &[u8]) -> Wish {
        Wish { wants: oids(wants), common: oids(common), ..Wish::default() }
    }

    #[test]
    fn a_client_gets_the_wanted_commits_that_it_lacks() {
        assert_eq!(select(&wish(&[6], &[])), [vec![1, 2, 3, 4, 5, 6], vec![], vec![]]);
        assert_eq!(select(&wish(&[6], &[3])), [vec![4, 5, 6], vec![], vec![]]);
        assert_eq!(select(&wish(&[6], &[5, 77])), [vec![6], vec![], vec![]]);
        assert_eq!(select(&wish(&[3], &[6])), [const { Vec::<u8>::new() }; 3]);
        assert_eq!(graph().select(&wish(&[6], &[3])).bases, oids(&[3, 2]));
    }

    #[test]
    fn commits_are_read_back_until_all_lines_meet_the_clients() {
        for (wants, common, read) in [
            (&[6][..], &[5][..], 1),
            (&[6], &[3], 4),
            (&[6], &[3, 4], 2),
            (&[5, 3], &[6], 2),
            (&[3], &[4], 4),
            (&[6], &[], 6),
            (&[6], &[1], 5),
        ] {
            let wish = wish(wants, common);
            let mut needed = NeededCommits::of(&wish);
            let mut newest_first = COMMITS.into_iter().rev();
            let mut taken = 0;
            while !needed.is_complete()
                && let Some((n, parents)) = newest_first.next()
            {
                needed.take(oid(n), oids(parents));
                taken += 1;
            }
            assert_eq!(taken, read, "{wants:?} {common:?}");
            assert_eq!(needed.graph().select(&wish), graph().select(&wish), "{wants:?} {common:?}");
        }
    }

    #[test]
    fn a_shallow_history_has_the_requested_depth() {
        let shallow = |wants: &[u8], depth| Wish { depth: Some(Depth::OfWanted(depth)), ..wish(wants, &[]) };
        assert_eq!(select(&shallow(&[6], 1)), [vec![6], vec![6], vec![]]);
        assert_eq!(select(&shallow(&[6], 3)), [vec![3, 4, 5, 6], vec![3, 4], vec![]]);
        // As Git's server has it, also a first commit at the depth is an end.
        assert_eq!(select(&shallow(&[6], 5)), [vec![1, 2, 3, 4, 5, 6], vec![1], vec![]]);
        assert_eq!(select(&shallow(&[6], 6)), [vec![1, 2, 3, 4, 5, 6], vec![], vec![]]);
        assert_eq!(select(&shallow(&[6, 1], 1)), [vec![1, 6], vec![1, 6], vec![]]);
    }

    #[test]
    fn a_shallow_client_gets_only_new_commits() {
        let client = Wish { shallow: oids(&[5]), ..wish(&[6], &[5]) };
        assert_eq!(select(&client), [vec![6], vec![], vec![]]);
    }

    #[test]
    fn excluded_commits_end_the_history_unless_they_are_wanted() {
        let without = |wants: &[u8], excluded: &[u8]| Wish {
            depth: Some(Depth::Without(oids(excluded))),
            ..wish(wants, &[])
        };
        // 4 is behind 5, of which the client lacks a parent.
        assert_eq!(select(&without(&[6], &[3])), [vec![5, 6], vec![4, 5], vec![]]);
        assert_eq!(select(&without(&[6], &[])), [vec![1, 2, 3, 4, 5, 6], vec![], vec![]]);
        assert_eq!(select(&without(&[6, 3], &[4])), [vec![3, 5, 6], vec![3, 5], vec![]]);
        assert_eq!(select(&without(&[6, 2], &[4])), [vec![1, 2, 5, 6], vec![3, 5], vec![]]);
        assert!(graph().excludes_all(&without(&[3, 4], &[5])));
        assert!(!graph().excludes_all(&without(&[3, 6], &[5])));
        let client = Wish { shallow: oids(&[5]), ..without(&[6], &[2]) };
        assert_eq!(select(&Wish { common: oids(&[6]), ..client }), [vec![3, 4], vec![3, 4], vec![5]]);
    }

    #[test]
    fn deepening_sends_the_missing_history() {
        let deepen = |depth| Wish { shallow: oids(&[5]), depth: Some(depth), ..wish(&[6], &[6]) };
        assert_eq!(select(&deepen(Depth::More(1))), [vec![3, 4], vec![3, 4], vec![5]]);
        assert_eq!(select(&deepen(Depth::OfWanted(4))), [vec![2, 3, 4], vec![2], vec![5]]);
        assert_eq!(select(&deepen(Depth::OfWanted(u32::MAX))), [vec![1, 2, 3, 4], vec![], vec![5]]);
        assert_eq!(graph().select(&deepen(Depth::More(1))).bases, oids(&[6, 5]));
        assert_eq!(select(&deepen(Depth::More(u32::MAX))), [vec![1, 2, 3, 4], vec![], vec![5]]);
        // A clone of one commit is deepened.
        let first = |depth| Wish { shallow: oids(&[1]), depth: Some(depth), ..wish(&[1], &[1]) };
        assert_eq!(select(&first(Depth::More(u32::MAX))), [vec![], vec![], vec![1]]);
        assert_eq!(select(&first(Depth::OfWanted(1))), [const { Vec::<u8>::new() }; 3]);
        // The new branch 4 ends where the deepened one does.
        let branch = Wish { wants: oids(&[6, 4]), ..deepen(Depth::More(1)) };
        assert_eq!(select(&branch), [vec![3, 4], vec![3, 4], vec![5]]);
    }
}
