//! Needs of some tests beyond a slot of the pool, said in one table.

use std::collections::BTreeSet;

/// Needs of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Chromium, which is a large package and keeps a core busy: one runs at a time.
    pub(crate) browser: bool,
    /// Go, which is a large package, too.
    pub(crate) go: bool,
    /// The whole machine: what it measures or fills, others would disturb.
    pub(crate) machine: bool,
}

const NONE: Needs = Needs { browser: false, go: false, machine: false };
const BROWSER: Needs = Needs { browser: true, ..NONE };
const GO: Needs = Needs { go: true, ..NONE };
const MACHINE: Needs = Needs { machine: true, ..NONE };

/// Beginnings of paths of tests; the first that fits counts.
const NEEDS: [(&str, Needs); 8] = [
    ("testkit::console::served::", NONE),
    ("testkit::console::ticket::", NONE),
    ("testkit::console::types::", NONE),
    ("testkit::console::", BROWSER),
    ("testkit::site::browser", BROWSER),
    ("testkit::generators::clients", GO),
    ("testkit::planes::large_uploads::", MACHINE),
    // A process that waits 100 ms for Redis counts without it.
    ("testkit::planes::rate_limits::", MACHINE),
];

impl Needs {
    /// The needs of the test of this path.
    pub(crate) fn of(path: &str) -> Self {
        NEEDS.iter().find(|(begin, _)| path.starts_with(begin)).map_or(NONE, |(_, needs)| *needs)
    }

    /// Beginnings that count for none of these paths: a test was renamed, or a row before it takes them all, and its need
    /// would be forgotten.
    pub(crate) fn forgotten(paths: &[String]) -> Vec<&'static str> {
        let counted = |path: &String| NEEDS.iter().position(|(begin, _)| path.starts_with(begin));
        let counting: BTreeSet<usize> = paths.iter().filter_map(counted).collect();
        let rows = NEEDS.iter().enumerate();
        rows.filter(|(row, _)| !counting.contains(row)).map(|(_, (begin, _))| *begin).collect()
    }

    /// The slots of a pool of `all` that it takes.
    pub(crate) fn slots(self, all: usize) -> usize {
        if self.machine { all } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::Needs;

    #[test]
    fn a_browser_and_go_are_needed_by_their_tests_alone() {
        let needs = |path: &str| (Needs::of(path).browser, Needs::of(path).go);
        assert_eq!(needs("testkit::site::browser::axe"), (true, false));
        assert_eq!(needs("testkit::site::crawl::links"), (false, false));
        assert_eq!(needs("testkit::generators::clients::go"), (false, true));
        assert_eq!(needs("testkit::content::bulk::site::browser"), (false, false));
        assert_eq!(needs("testkit::console::ticket::once"), (false, false));
        assert_eq!(needs("testkit::console::board::moves"), (true, false));
    }

    #[test]
    fn a_need_of_no_test_is_told() {
        let paths = ["testkit::console::a", "testkit::site::browser::a", "testkit::generators::clients::a"];
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let forgotten = [
            "console::served::",
            "console::ticket::",
            "console::types::",
            "planes::large_uploads::",
            "planes::rate_limits::",
        ];
        assert_eq!(Needs::forgotten(&paths), forgotten.map(|begin| format!("testkit::{begin}")));
    }
}
