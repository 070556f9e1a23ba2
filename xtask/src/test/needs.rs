//! Needs of some tests beyond a slot of the pool, said in one table.

/// Needs of a test.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Chromium, which is a large package and keeps a core busy: one runs at a time.
    pub(crate) browser: bool,
    /// Go, which is a large package, too.
    pub(crate) go: bool,
    /// The whole machine: what it measures or fills, others would disturb.
    pub(crate) machine: bool,
}

const BROWSER: Needs = Needs { browser: true, go: false, machine: false };
const GO: Needs = Needs { browser: false, go: true, machine: false };
const MACHINE: Needs = Needs { browser: false, go: false, machine: true };

/// Beginnings of paths of tests; the first that fits counts.
const NEEDS: [(&str, Needs); 5] = [
    ("testkit::console::", BROWSER),
    ("testkit::site::browser", BROWSER),
    ("testkit::generators::clients", GO),
    ("testkit::large_uploads::", MACHINE),
    ("xtask::dev::", BROWSER),
];

impl Needs {
    /// The needs of the test of this path.
    pub(crate) fn of(path: &str) -> Self {
        NEEDS
            .iter()
            .find(|(begin, _)| path.starts_with(begin))
            .map_or_else(Self::default, |(_, needs)| *needs)
    }

    /// The slots of a pool of `all` that it takes.
    pub(crate) fn slots(self, all: usize) -> usize {
        if self.machine { all } else { 1 }
    }
}
