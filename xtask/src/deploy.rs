//! `cargo xtask deploy`: checks the manifests of `deploy/` against each other and against the programs' settings.
//! Validators of Kubernetes check the form of each resource, and not these relations. Needs no cluster and no network.
//! Each rule is a function from manifests to complaints, so that a test can show it a manifest to refuse.

mod compose;
mod manifests;
mod network;
mod programs;
mod references;
mod resources;
mod settings;
mod shape;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::log;
use crate::process::output;
use crate::workspace::Workspace;
use manifests::Manifests;
use programs::Programs;

/// Complete installations: every rule applies.
const OVERLAYS: [&str; 2] = ["overlays/dev", "overlays/production"];
/// Folders that are only used together: one may refer to resources of the other.
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
                let manifests = renderer.render(&folder.join("kubernetes").join(overlay))?;
                complaints.extend(every_rule(&manifests, &programs).map(|said| format!("{overlay}: {said}")));
            }
            let mut manifests = Manifests::default();
            for part in PARTS {
                manifests.join(renderer.render(&folder.join("kubernetes").join(part))?);
            }
            let said = references::rules(&manifests).into_iter();
            complaints.extend(said.map(|said| format!("{}: {said}", PARTS.join(" and "))));
        }
        None => log("neither kubectl nor kustomize was found: manifests are parsed, and not checked"),
    }

    for complaint in &complaints {
        println!("{complaint}");
    }
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn every_rule(manifests: &Manifests, programs: &Programs) -> impl Iterator<Item = String> {
    let rules = [
        references::rules(manifests),
        shape::rules(manifests),
        settings::rules(manifests, programs),
        resources::rules(manifests, programs),
    ];
    rules.into_iter().flatten().chain(network::rules(manifests))
}

/// The YAML files of a folder and its subfolders.
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

/// A program that renders overlays.
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

    fn render(&self, folder: &Path) -> Result<Manifests> {
        let name = format!("{} {} {}", self.program, self.argument, folder.display());
        let rendered = output(&name, self.command().arg(folder))?;
        Manifests::parse(&rendered).with_context(|| name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.arg(self.argument);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::manifests::Manifests;
    use super::programs::Programs;

    /// A small installation without complaints.
    pub(super) const VALID: &str = include_str!("deploy/valid.yaml");
    /// The generated page of settings.
    pub(super) const SETTINGS: &str = include_str!("../../docs/settings.md");

    /// The complaints about the valid installation after one text was replaced by another.
    pub(super) fn complaints_after(from: &str, to: &str) -> Vec<String> {
        assert!(VALID.contains(from), "{from}");
        let manifests = Manifests::parse(&VALID.replace(from, to)).unwrap();
        super::every_rule(&manifests, &Programs::parse(SETTINGS)).collect()
    }

    /// Asserts that a replacement causes one complaint, with these words.
    #[track_caller]
    pub(super) fn refused(from: &str, to: &str, words: &str) {
        let complaints = complaints_after(from, to);
        assert!(
            complaints.len() == 1 && complaints.iter().all(|said| said.contains(words)),
            "{words}: {complaints:#?}"
        );
    }

    #[test]
    fn a_valid_installation_has_no_complaints() {
        assert_eq!(complaints_after("apiVersion", "apiVersion"), [""; 0]);
    }

    #[test]
    fn a_duplicate_key_is_invalid_yaml() {
        assert!(Manifests::parse("kind: Job\nkind: Job\n").is_err());
    }
}
