//! Clones of a part of the history or of the files, compared with those that Git's own server gives of the same
//! repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use testkit::open_session::OpenSession;

use crate::clone::support::{Git, import};

/// Commits 1 ← 2 ← 3 ← 5 ← 6 of `main`, 2 ← 4 ← 5 of `side`, and `old` at 2; each a day after the one before.
const HISTORY: [(&str, u32, &[u32]); 6] = [
    ("main", 1, &[]),
    ("main", 2, &[1]),
    ("main", 3, &[2]),
    ("side", 4, &[2]),
    ("main", 5, &[3, 4]),
    ("main", 6, &[5]),
];

/// A project whose repository is known to Git.
struct Known {
    opened: OpenSession,
    git: Git,
}

/// Two bare clones with the same arguments, of the service and of Git's own server.
struct Twins {
    of_service: PathBuf,
    of_git: PathBuf,
}

impl Known {
    async fn open() -> Self {
        let opened = OpenSession::open().await;
        let git = Git::of(&opened.caller);
        git.run(".", &["init", "--quiet", "--bare", "--initial-branch=main", "known"]);
        let mut import_history =
            git.command("known", &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut import_history.stdin.take().unwrap(), history().as_bytes()).unwrap();
        assert!(import_history.wait().unwrap().success());
        for option in ["allowFilter", "allowAnySHA1InWant"] {
            git.run("known", &["config", &format!("uploadpack.{option}"), "true"]);
        }
        import(&opened, &git, "known").await;
        Self { opened, git }
    }

    fn clone(&self, name: &str, arguments: &[&str]) -> Twins {
        let known = format!("file://{}/known", self.git.folder.path().display());
        let clone = |of: &str, url: &str| {
            let folder = format!("{name}-{of}");
            self.git.run(".", &[&["clone", "--quiet", "--bare"], arguments, &[url, &folder]].concat());
            self.git.folder.path().join(folder)
        };
        Twins {
            of_service: clone("service", &self.git.url(&self.opened.project)),
            of_git: clone("git", &known),
        }
    }

    /// Fetches by both.
    fn fetch(&self, twins: &Twins, arguments: &[&str]) {
        for clone in [&twins.of_service, &twins.of_git] {
            self.git.run(clone, &[&["fetch", "--quiet"], arguments].concat());
        }
    }

    /// Asserts that both have the same commits, and no more.
    fn assert_equal_histories(&self, twins: &Twins, why: &str) {
        let state = |clone: &Path| {
            let shallow = fs::read_to_string(clone.join("shallow")).unwrap_or_default();
            let ends: BTreeSet<String> = shallow.lines().map(str::to_owned).collect();
            (ends, self.git.run(clone, &["rev-list", "--all", "--topo-order", "--parents"]))
        };
        assert_eq!(state(&twins.of_service), state(&twins.of_git), "{why}");
    }

    /// Asserts that both have the same Git objects, without fetching more.
    fn assert_equal_objects(&self, twins: &Twins, why: &str) {
        let objects = |clone: &Path| {
            let listed = self.git.run(clone, &["cat-file", "--batch-check", "--batch-all-objects"]);
            listed.lines().map(str::to_owned).collect::<BTreeSet<String>>()
        };
        assert_eq!(objects(&twins.of_service), objects(&twins.of_git), "{why}");
        self.git.run(&twins.of_service, &["fsck", "--strict", "--no-dangling", "--no-progress"]);
    }
}

fn history() -> String {
    let mut script = String::new();
    for (branch, number, parents) in HISTORY {
        script += &format!("commit refs/heads/{branch}\nmark :{number}\n");
        script += &format!("committer a <a@example.com> {} +0000\ndata 1\n{number}\n", time(number));
        for (place, parent) in parents.iter().enumerate() {
            script += &format!("{} :{parent}\n", if place == 0 { "from" } else { "merge" });
        }
        for (path, size) in [("top", 10), ("a/b/deep", 1_000), ("a/c", 100 * number)] {
            let content = format!("{number}").repeat(usize::try_from(size).unwrap());
            script += &format!("M 644 inline {path}-{number}\ndata {size}\n{content}\n");
        }
    }
    script + "reset refs/heads/old\nfrom :2\n"
}

/// The time of a commit, in seconds since 1970.
fn time(number: u32) -> u32 {
    1_600_000_000 + number * 86_400
}

#[tokio::test]
async fn a_part_of_the_history_ends_where_git_ends_it() {
    let known = Known::open().await;
    let since = |number| format!("--shallow-since=@{}", time(number));
    let (since_3, since_4) = (since(3), since(4));
    let cases: [&[&str]; 13] = [
        &["--depth=1"],
        &["--depth=3"],
        // The first commit is the fifth of this line.
        &["--depth=5"],
        &["--depth=6"],
        &["--depth=2", "--no-single-branch"],
        &[&since_3],
        &[&since_4],
        &[&since_3, "--no-single-branch"],
        &["--shallow-exclude=old"],
        &["--shallow-exclude=refs/heads/side"],
        &["--shallow-exclude=side", "--shallow-exclude=heads/old", "--no-single-branch"],
        &["--shallow-exclude=old", &since_4],
        &[&since_3, "--filter=blob:none"],
    ];
    for (number, case) in cases.iter().enumerate() {
        for version in ["2", "0"] {
            let protocol = format!("--config=protocol.version={version}");
            let twins =
                known.clone(&format!("{number}-{version}"), &[case, &[protocol.as_str()][..]].concat());
            known.assert_equal_histories(&twins, &format!("{case:?} {version}"));
            known.assert_equal_objects(&twins, &format!("{case:?} {version}"));
        }
    }
}

#[tokio::test]
async fn a_part_of_the_history_is_changed_by_fetches_as_by_git() {
    let known = Known::open().await;
    let since = |number| format!("--shallow-since=@{}", time(number));
    for version in ["2", "0"] {
        let protocol = format!("--config=protocol.version={version}");
        let twins = known.clone(version, &[&protocol, "--no-single-branch", "--depth=1"]);
        let deepen: [&[&str]; 6] = [
            &[&since(3)],
            &["--shallow-exclude=old"],
            &[&since(5)],
            &["--deepen=1"],
            &[&since(2)],
            &["--unshallow"],
        ];
        for arguments in deepen {
            known.fetch(&twins, arguments);
            known.assert_equal_histories(&twins, &format!("{arguments:?} {version}"));
            known.git.run(&twins.of_service, &["fsck", "--strict", "--no-dangling", "--no-progress"]);
        }
        known.assert_equal_objects(&twins, version);
    }
}

#[tokio::test]
async fn a_new_branch_and_a_first_commit_end_where_git_ends_them() {
    let known = Known::open().await;
    for (name, arguments, fetches) in [
        (
            "branch",
            &["--depth=2"][..],
            &[&["--deepen=1", "origin", "+refs/heads/*:refs/heads/*"][..], &["--unshallow"]][..],
        ),
        ("old", &["--depth=1", "--branch=old"], &[&["--deepen=1"], &["--deepen=1"], &["--unshallow"]]),
        ("all", &["--depth=2", "--no-single-branch"], &[&["--depth=5"], &["--depth=1"], &["--deepen=2"]]),
    ] {
        let twins = known.clone(name, arguments);
        for fetch in fetches {
            let runs = [&twins.of_service, &twins.of_git]
                .map(|clone| known.git.try_run(clone, &[&["fetch", "--quiet"], *fetch].concat()).succeeded);
            assert_eq!(runs[0], runs[1], "{name} {fetch:?}");
            known.assert_equal_histories(&twins, &format!("{name} {fetch:?}"));
        }
    }
}

#[tokio::test]
async fn a_part_of_the_files_is_the_part_that_git_sends() {
    let known = Known::open().await;
    let cases: [&[&str]; 18] = [
        &["--filter=object:type=commit"],
        &["--filter=object:type=tree"],
        &["--filter=object:type=blob"],
        &["--filter=object:type=tag"],
        &["--filter=object:type=tree", "--filter=tree:2"],
        &["--filter=combine:tree%3a3+blob%3alimit%3D200"],
        &["--filter=combine:combine%3atree%253a3%2bblob%253anone+tree:2"],
        &["--filter=object:type=blob", "--depth=2"],
        &["--filter=blob:none"],
        &["--filter=blob:limit=101"],
        &["--filter=blob:limit=1k"],
        &["--filter=tree:0"],
        &["--filter=tree:1"],
        &["--filter=tree:2"],
        &["--filter=tree:3"],
        &["--filter=combine:tree:3+blob:limit=200"],
        &["--filter=tree:2", "--filter=blob:none"],
        &["--filter=blob:none", "--depth=2"],
    ];
    for (number, case) in cases.iter().enumerate() {
        for version in ["2", "0"] {
            let protocol = format!("--config=protocol.version={version}");
            let twins =
                known.clone(&format!("{number}-{version}"), &[case, &[protocol.as_str()][..]].concat());
            known.assert_equal_objects(&twins, &format!("{case:?} {version}"));
            if case.iter().any(|argument| argument.contains("object:type") && !argument.ends_with("commit")) {
                // Git walks no history of which it lacks commits.
                continue;
            }
            // Missing objects come one by one: to show the commits with their changes.
            let log = |clone: &Path| known.git.run(clone, &["log", "-p", "--all", "--topo-order"]);
            assert_eq!(log(&twins.of_service), log(&twins.of_git), "{case:?} {version}");
        }
    }
}

#[tokio::test]
async fn a_history_without_commits_is_refused_in_words() {
    let known = Known::open().await;
    let url = known.git.url(&known.opened.project);
    for (argument, refusal) in [
        ("--shallow-since=2030-01-01", "no commits selected for shallow requests"),
        ("--shallow-exclude=main", "no commits selected for shallow requests"),
        ("--shallow-exclude=nowhere", "deepen-not: there is no branch nowhere"),
    ] {
        let run = known.git.try_run(".", &["clone", "--quiet", argument, &url, "none"]);
        assert!(!run.succeeded && run.said.contains(refusal), "{}", run.said);
    }
}
