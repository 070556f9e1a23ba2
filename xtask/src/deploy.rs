//! `cargo xtask deploy`: what `deploy/` says has to fit together and fit the programs. Validators of Kubernetes know the
//! form of each resource; here are the rules between them, and between them and the settings of the services. Needs no
//! cluster and no network. Each rule is a function from manifests to complaints, so that tests can show it what it must
//! refuse.

mod compose;
mod network;
mod programs;
mod references;
mod resources;
mod set;
mod settings;
mod shape;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::log;
use crate::process::output;
use crate::workspace::Workspace;
use programs::Programs;
use set::Set;

/// Installations that are complete, so that every rule holds for them.
const OVERLAYS: [&str; 2] = ["overlays/dev", "overlays/production"];
/// Folders that are of use together alone: what one refers to may be in the other.
const PARTS: [&str; 2] = ["base", "ingress-nginx"];

/// Prints every complaint; any is a failure.
pub(crate) fn run() -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    let folder = workspace.root.join("deploy");
    let read =
        |path: &Path| std::fs::read_to_string(path).with_context(|| format!("read {}", path.display()));
    let programs = Programs::parse(&read(&workspace.root.join("docs/settings.md"))?);

    let mut complaints = Vec::new();
    for path in yaml_files(&folder)? {
        let parsed = serde_saphyr::from_multiple::<Value>(&read(&path)?);
        complaints.extend(parsed.err().map(|error| format!("{}: {error}", path.display())));
    }
    complaints.extend(compose::rules(&read(&folder.join("compose.yaml"))?, &programs)?);
    match Renderer::find() {
        Some(renderer) => {
            for overlay in OVERLAYS {
                let set = renderer.render(&folder.join("kubernetes").join(overlay))?;
                complaints.extend(every_rule(&set, &programs).map(|said| format!("{overlay}: {said}")));
            }
            let mut set = Set::default();
            for part in PARTS {
                set.join(renderer.render(&folder.join("kubernetes").join(part))?);
            }
            let said = references::rules(&set).into_iter();
            complaints.extend(said.map(|said| format!("{}: {said}", PARTS.join(" and "))));
        }
        None => log("neither kubectl nor kustomize is here: the manifests are parsed, and not checked"),
    }

    for complaint in &complaints {
        println!("{complaint}");
    }
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn every_rule(set: &Set, programs: &Programs) -> impl Iterator<Item = String> {
    let rules = [
        references::rules(set),
        shape::rules(set),
        settings::rules(set, programs),
        resources::rules(set, programs),
    ];
    rules.into_iter().flatten().chain(network::rules(set))
}

/// The files of YAML in a folder and below.
fn yaml_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(yaml_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
    Ok(found)
}

/// What puts overlays together.
struct Renderer {
    program: &'static str,
    argument: &'static str,
}

impl Renderer {
    fn find() -> Option<Self> {
        [("kubectl", "kustomize"), ("kustomize", "build")]
            .map(|(program, argument)| Self { program, argument })
            .into_iter()
            .find(|renderer| {
                renderer.command().arg("--help").output().is_ok_and(|output| output.status.success())
            })
    }

    fn render(&self, folder: &Path) -> Result<Set> {
        let name = format!("{} {} {}", self.program, self.argument, folder.display());
        let rendered = output(&name, self.command().arg(folder))?;
        Set::parse(&rendered).with_context(|| name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.arg(self.argument);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::programs::Programs;
    use super::set::Set;

    /// A small installation that keeps every rule.
    pub(super) const SOUND: &str = include_str!("deploy/sound.yaml");
    /// Settings as the generated page has them.
    pub(super) const SETTINGS: &str = include_str!("../../docs/settings.md");

    /// What the rules say when one text stands in place of another.
    pub(super) fn after(from: &str, to: &str) -> Vec<String> {
        assert!(SOUND.contains(from), "{from}");
        let set = Set::parse(&SOUND.replace(from, to)).unwrap();
        super::every_rule(&set, &Programs::parse(SETTINGS)).collect()
    }

    /// Asserts that the change is refused with these words, and that nothing else is.
    #[track_caller]
    pub(super) fn refused(from: &str, to: &str, words: &str) {
        let complaints = after(from, to);
        assert!(
            complaints.len() == 1 && complaints.iter().all(|said| said.contains(words)),
            "{words}: {complaints:#?}"
        );
    }

    #[test]
    fn what_is_sound_is_taken() {
        assert_eq!(after("apiVersion", "apiVersion"), [""; 0]);
    }

    #[test]
    fn a_key_that_stands_twice_is_no_yaml() {
        assert!(Set::parse("kind: Job\nkind: Job\n").is_err());
    }
}
