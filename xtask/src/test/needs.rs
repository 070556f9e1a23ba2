//! Needs of some tests beyond a slot of the pool, said in one table.

/// Needs of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Chromium, which is a large package and keeps a core busy: one runs at a time.
    pub(crate) browser: bool,
    /// Go, which is a large package, too.
    pub(crate) go: bool,
    /// PostgreSQL, though it is a unit test.
    pub(crate) server: bool,
    /// The whole machine: what it measures or fills, others would disturb.
    pub(crate) machine: bool,
}

const NONE: Needs = Needs { browser: false, go: false, server: false, machine: false };
const BROWSER: Needs = Needs { browser: true, ..NONE };
const GO: Needs = Needs { go: true, ..NONE };
const SERVER: Needs = Needs { server: true, ..NONE };
const MACHINE: Needs = Needs { machine: true, ..NONE };

/// Beginnings of paths of tests; the first that fits counts.
const NEEDS: [(&str, Needs); 6] = [
    ("testkit::console::", BROWSER),
    ("testkit::site::browser", BROWSER),
    ("testkit::generators::clients", GO),
    ("testkit::large_uploads::", MACHINE),
    ("xtask::dev::", BROWSER),
    ("store::store::db::transaction::", SERVER),
];

impl Needs {
    /// The needs of the test of this path.
    pub(crate) fn of(path: &str) -> Self {
        NEEDS.iter().find(|(begin, _)| path.starts_with(begin)).map_or(NONE, |(_, needs)| *needs)
    }

    /// The slots of a pool of `all` that it takes.
    pub(crate) fn slots(self, all: usize) -> usize {
        if self.machine { all } else { 1 }
    }
}
