//! Commits by Git's plumbing commands, with the fewest processes.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, ensure};

use crate::git::command as git;
use crate::process::output;

const BRANCH: &str = "refs/heads/main";

/// A bare repository of a project.
pub(super) struct Plumbing {
    folder: PathBuf,
    /// The paths of the objects' files.
    files: Vec<String>,
}

/// A folder's entries by name: mode, kind and id, as `mktree` takes them.
type Entries = BTreeMap<String, String>;

impl Plumbing {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let listed = output(
            "git ls-tree",
            git(&["ls-tree", "-r", "--name-only", BRANCH, "objects/"]).current_dir(folder),
        )?;
        Ok(Self { folder: folder.to_owned(), files: listed.lines().map(str::to_owned).collect() })
    }

    /// Commits `count` changed files; each `number` changes other files.
    pub(super) fn commit(&self, count: u32, number: u32) -> Result<()> {
        let (count, first) = (usize::try_from(count)?, usize::try_from(number * count)?);
        let changed: Vec<&String> =
            self.files.iter().cycle().skip(first % self.files.len()).take(count).collect();
        let mut names = String::new();
        for (position, file) in changed.iter().enumerate() {
            let path = self.folder.join(format!("changed-{position}"));
            std::fs::write(
                &path,
                format!("{{\n  \"name\": \"Version {number}\",\n  \"file\": \"{file}\"\n}}\n"),
            )?;
            names.push_str(&format!("{}\n", path.display()));
        }
        let mut hash = Pipe::open(self, &["hash-object", "-w", "--no-filters", "--stdin-paths"])?;
        hash.write(names.as_bytes())?;
        let blobs = changed.iter().map(|_| hash.line()).collect::<Result<Vec<_>>>()?;
        hash.close()?;

        let folders = self.folders(&changed)?;
        let root = self.write(folders, changed.into_iter().zip(blobs))?;
        let commit = ["commit-tree", "-p", BRANCH, "-m", "Commit", &root];
        let mut git = git(&commit);
        for role in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{role}_NAME"), "Bench")
                .env(format!("GIT_{role}_EMAIL"), "bench@example.com");
        }
        let commit = output("git commit-tree", git.current_dir(&self.folder))?;
        self.update(commit.trim())
    }

    fn update(&self, commit: &str) -> Result<()> {
        output("git update-ref", git(&["update-ref", BRANCH, commit]).current_dir(&self.folder)).map(drop)
    }

    /// The entries of the files' parent folders, by path.
    fn folders(&self, files: &[&String]) -> Result<BTreeMap<String, Entries>> {
        let mut folders: BTreeMap<String, Entries> = BTreeMap::new();
        for file in files {
            let mut path = file.as_str();
            while let Some((folder, _)) = path.rsplit_once('/') {
                folders.entry(folder.to_owned()).or_default();
                path = folder;
            }
        }
        folders.entry(String::new()).or_default();
        let mut read = Pipe::open(self, &["cat-file", "--batch"])?;
        let asked: String = folders.keys().map(|path| format!("{BRANCH}:{path}\n")).collect();
        read.write(asked.as_bytes())?;
        for entries in folders.values_mut() {
            let heading = read.line()?;
            let size = heading.rsplit(' ').next().context("no size")?.parse()?;
            *entries = parse(&read.bytes(size)?)?;
        }
        read.close()?;
        Ok(folders)
    }

    /// Writes the folders with the changed files, children first. Returns the root's id.
    fn write<'a>(
        &self,
        mut folders: BTreeMap<String, Entries>,
        changed: impl Iterator<Item = (&'a String, String)>,
    ) -> Result<String> {
        let put = |folders: &mut BTreeMap<String, Entries>, path: &str, kind: &str, id: &str| {
            let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
            let entries = folders.get_mut(folder).context("no such folder")?;
            entries.insert(name.to_owned(), format!("{kind} {id}"));
            anyhow::Ok(())
        };
        for (file, blob) in changed {
            put(&mut folders, file, "100644 blob", &blob)?;
        }
        let mut make = Pipe::open(self, &["mktree", "--batch"])?;
        let mut last = String::new();
        // A path sorts after its parents.
        while let Some((path, entries)) = folders.pop_last() {
            let lines: String = entries.iter().map(|(name, entry)| format!("{entry}\t{name}\n")).collect();
            make.write(format!("{lines}\n").as_bytes())?;
            last = make.line()?;
            if !path.is_empty() {
                put(&mut folders, &path, "040000 tree", &last)?;
            }
        }
        make.close()?;
        Ok(last)
    }
}

/// Parses a tree in Git's binary format.
fn parse(mut data: &[u8]) -> Result<Entries> {
    let mut entries = Entries::new();
    while !data.is_empty() {
        let end = data.iter().position(|byte| *byte == 0).context("a tree ends too early")?;
        let (heading, rest) = data.split_at(end);
        let (mode, name) =
            std::str::from_utf8(heading)?.split_once(' ').context("an entry without a name")?;
        let id = rest.get(1..21).context("an entry without an id")?;
        let id: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let kind = if mode == "40000" { "040000 tree".to_owned() } else { format!("{mode} blob") };
        entries.insert(name.to_owned(), format!("{kind} {id}"));
        data = rest.get(21..).unwrap_or_default();
    }
    Ok(entries)
}

/// A Git process with piped input and output.
struct Pipe {
    process: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Pipe {
    fn open(plumbing: &Plumbing, arguments: &[&str]) -> Result<Self> {
        let mut git = git(arguments);
        let mut process =
            git.current_dir(&plumbing.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let answers = BufReader::new(process.stdout.take().context("no output")?);
        Ok(Self { process, answers })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let input = self.process.stdin.as_mut().context("no input")?;
        input.write_all(bytes)?;
        Ok(input.flush()?)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        ensure!(self.answers.read_line(&mut line)? > 0, "Git closed its output");
        Ok(line.trim_end().to_owned())
    }

    /// Reads `count` bytes and the newline after them.
    fn bytes(&mut self, count: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; count + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.truncate(count);
        Ok(bytes)
    }

    fn close(mut self) -> Result<()> {
        drop(self.process.stdin.take());
        ensure!(self.process.wait()?.success(), "Git failed");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Plumbing;
    use crate::git::command as git;
    use crate::process::output;

    #[test]
    fn a_commit_by_plumbing_changes_its_files_and_passes_fsck() {
        let folder = tempfile::tempdir().unwrap();
        let run = |arguments: &[&str]| output("git", git(arguments).current_dir(folder.path())).unwrap();
        run(&["init", "--quiet", "--bare", "--initial-branch=main", "."]);
        let files = ["objects/00/01/a.json", "objects/00/02/b.json", "objects/01/01/c.json", "README.md"];
        let mut stream = "commit refs/heads/main\ncommitter A <a@b> 0 +0000\ndata 1\nx\n".to_owned();
        for file in files {
            stream.push_str(&format!("M 100644 inline {file}\ndata 3\n{{}}\n\n"));
        }
        let input = folder.path().join("stream");
        std::fs::write(&input, stream).unwrap();
        let mut import = git(&["fast-import", "--quiet"]);
        import.current_dir(folder.path()).stdin(std::fs::File::open(&input).unwrap());
        assert!(import.status().unwrap().success());

        let plumbing = Plumbing::open(folder.path()).unwrap();
        assert_eq!(plumbing.files, files[..3]);
        plumbing.commit(2, 0).unwrap();
        plumbing.commit(2, 1).unwrap();
        assert_eq!(run(&["fsck", "--strict"]), "");
        let changed = |commit: &str| run(&["diff-tree", "--no-commit-id", "--name-only", "-r", commit]);
        assert_eq!(changed("main^"), "objects/00/01/a.json\nobjects/00/02/b.json\n");
        assert_eq!(changed("main"), "objects/00/01/a.json\nobjects/01/01/c.json\n");
        assert_eq!(run(&["ls-tree", "-r", "--name-only", "main"]).lines().count(), files.len());
    }
}
