//! A project's commits, how they follow each other, and which of them a client is to be sent.

use std::collections::{HashMap, HashSet};

use crate::object::Oid;

/// Most commits of a client whose folders are compared with those that it is sent. The comparison saves sending what
/// it has; with fewer it is sent more than it needs, and nothing too little.
const BASES_MAX: usize = 64;

/// The commits of a project, each with those that it follows.
#[derive(Clone, Debug, Default)]
pub struct Graph(HashMap<Oid, Vec<Oid>>);

/// How far back a client wants history to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// So many commits, from each that it wants.
    OfWanted(u32),
    /// So many more than it has.
    More(u32),
}

/// What a client has and wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    /// Commits that it wants, with all that they follow.
    pub wants: Vec<Oid>,
    /// Commits that it has, with all that they follow but for what `shallow` says.
    pub common: Vec<Oid>,
    /// Commits whose parents it lacks.
    pub shallow: Vec<Oid>,
    /// Where its history is to end; at the beginning unless said.
    pub depth: Option<Depth>,
}

/// Finds how far back a project's commits have to be known to fulfil a [`Wish`] whose history ends nowhere: to where
/// everything that it wants has met what the client has.
#[derive(Clone, Debug)]
pub struct Needed {
    graph: Graph,
    /// Commits that have been come by and not been read, and whether the client has them.
    reached: HashMap<Oid, bool>,
    /// How many of them it does not have.
    lacking: usize,
}

/// The commits that fulfil a [`Wish`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The commits to send, newest first as far as they follow each other.
    pub commits: Vec<Oid>,
    /// Commits that the client has, next to those that are sent.
    pub bases: Vec<Oid>,
    /// Commits whose parents the client will lack from now on, and didn't before.
    pub shallow: Vec<Oid>,
    /// Commits whose parents the client lacked, and gets now.
    pub unshallow: Vec<Oid>,
}

impl Needed {
    /// What has to be known for this wish.
    pub fn of(wish: &Wish) -> Self {
        let mut needed = Self { graph: Graph::default(), reached: HashMap::new(), lacking: 0 };
        wish.common.iter().for_each(|oid| needed.reach(*oid, true));
        wish.wants.iter().for_each(|oid| needed.reach(*oid, false));
        needed
    }

    /// Whether enough is known.
    pub fn is_complete(&self) -> bool {
        self.lacking == 0
    }

    /// Takes the next of the project's commits, the last written first.
    pub fn take(&mut self, commit: Oid, parents: Vec<Oid>) {
        let Some(has) = self.reached.remove(&commit) else { return };
        self.lacking -= usize::from(!has);
        parents.iter().for_each(|parent| self.reach(*parent, has));
        self.graph.insert(commit, parents);
    }

    /// What is known. It ends with commits that the client has.
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

    /// What to send to a client. Commits that the project does not have are passed over.
    pub fn select(&self, wish: &Wish) -> Selection {
        let cut: HashSet<Oid> = wish.shallow.iter().filter(|oid| self.0.contains_key(oid)).copied().collect();
        let (reached, ends) = self.reach_back(wish, &cut);
        let has: HashSet<Oid> = self.walk(&wish.common, u32::MAX, &cut).into_iter().collect();
        let kept: HashSet<Oid> = reached.iter().copied().collect();

        let mut selection = Selection::default();
        let mut bases: Vec<Oid> = wish.common.clone();
        for oid in reached {
            if !has.contains(&oid) {
                selection.commits.push(oid);
                bases.extend(self.parents(&oid).iter().filter(|parent| has.contains(parent)));
            }
        }
        // Deepening sends what comes before these.
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

    /// The commits that the client will have of what it wants, and those among them whose parents it will not.
    fn reach_back(&self, wish: &Wish, cut: &HashSet<Oid>) -> (Vec<Oid>, HashSet<Oid>) {
        let reached = match wish.depth {
            None => self.walk(&wish.wants, u32::MAX, cut),
            Some(Depth::OfWanted(depth)) => self.walk(&wish.wants, depth, &HashSet::new()),
            Some(Depth::More(depth)) => {
                let mut reached = self.walk(&wish.wants, u32::MAX, cut);
                let ends: Vec<Oid> = reached.iter().filter(|oid| cut.contains(oid)).copied().collect();
                let known: HashSet<Oid> = reached.iter().copied().collect();
                let more = self.walk(&ends, depth.saturating_add(1), &HashSet::new());
                reached.extend(more.into_iter().filter(|oid| !known.contains(oid)));
                reached
            }
        };
        let kept: HashSet<Oid> = reached.iter().copied().collect();
        let is_end = |oid: &Oid| self.parents(oid).iter().any(|parent| !kept.contains(parent));
        let ends = reached.iter().filter(|oid| is_end(oid)).copied().collect();
        (reached, ends)
    }

    /// The commits at most `depth - 1` steps behind one of `starts`, each once and nearest first, stopping after
    /// those in `cut`.
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

    fn parents(&self, commit: &Oid) -> &[Oid] {
        self.0.get(commit).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::{Depth, Graph, Needed, Oid, Selection, Wish};

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
        let Selection { commits, shallow, unshallow, .. } = graph().select(wish);
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
    fn a_client_gets_what_it_wants_and_does_not_have() {
        assert_eq!(select(&wish(&[6], &[])), [vec![1, 2, 3, 4, 5, 6], vec![], vec![]]);
        assert_eq!(select(&wish(&[6], &[3])), [vec![4, 5, 6], vec![], vec![]]);
        assert_eq!(select(&wish(&[6], &[5, 77])), [vec![6], vec![], vec![]]);
        assert_eq!(select(&wish(&[3], &[6])), [const { Vec::<u8>::new() }; 3]);
        assert_eq!(graph().select(&wish(&[6], &[3])).bases, oids(&[3, 2]));
    }

    #[test]
    fn a_wish_is_fulfilled_by_the_commits_down_to_where_it_meets_what_the_client_has() {
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
            let mut needed = Needed::of(&wish);
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
    fn a_shallow_history_ends_where_it_was_asked_to() {
        let shallow = |wants: &[u8], depth| Wish { depth: Some(Depth::OfWanted(depth)), ..wish(wants, &[]) };
        assert_eq!(select(&shallow(&[6], 1)), [vec![6], vec![6], vec![]]);
        assert_eq!(select(&shallow(&[6], 3)), [vec![3, 4, 5, 6], vec![3, 4], vec![]]);
        // The beginning lacks nothing.
        assert_eq!(select(&shallow(&[6], 5)), [vec![1, 2, 3, 4, 5, 6], vec![], vec![]]);
        assert_eq!(select(&shallow(&[6, 1], 1)), [vec![1, 6], vec![6], vec![]]);
    }

    #[test]
    fn a_shallow_client_gets_what_is_new_and_nothing_older() {
        let client = Wish { shallow: oids(&[5]), ..wish(&[6], &[5]) };
        assert_eq!(select(&client), [vec![6], vec![], vec![]]);
    }

    #[test]
    fn deepening_sends_what_was_left_out() {
        let deepen = |depth| Wish { shallow: oids(&[5]), depth: Some(depth), ..wish(&[6], &[6]) };
        assert_eq!(select(&deepen(Depth::More(1))), [vec![3, 4], vec![3, 4], vec![5]]);
        assert_eq!(select(&deepen(Depth::OfWanted(4))), [vec![2, 3, 4], vec![2], vec![5]]);
        assert_eq!(select(&deepen(Depth::OfWanted(u32::MAX))), [vec![1, 2, 3, 4], vec![], vec![5]]);
        assert_eq!(graph().select(&deepen(Depth::More(1))).bases, oids(&[6, 5]));
    }
}
