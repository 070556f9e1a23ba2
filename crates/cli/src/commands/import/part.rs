//! One project of an organization's export: its lines are the export of that project, to the byte.

use std::ops::Range;

use domain::planning::organization_export::{
    ORGANIZATION_EXPORT_FORMAT, ORGANIZATION_EXPORT_VERSION, OrganizationExportLine,
};
use domain::planning::project_export::{ExportLine, ExportedProject};
use serde::Deserialize;

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::several;

/// Most names that a refusal lists.
const LISTED: usize = 6;

/// A project of the file, with the place of its lines.
struct ProjectPart {
    project: ExportedProject,
    bytes: Range<usize>,
}

/// The kind of a line.
#[derive(Deserialize)]
struct LineKind {
    kind: String,
}

/// The lines of the project with this name, key or id. Names and keys count without regard to case.
///
/// # Errors
/// A failure if the file is cut, is no organization's, or has no such project or several.
pub(super) fn of_project(file: &[u8], wanted: &str) -> CommandResult<Vec<u8>> {
    let parts = parts(file)?;
    let text = wanted.to_lowercase();
    let names = |project: &ExportedProject| {
        let key = project.key.as_ref().map(|key| key.to_string().to_lowercase());
        let name = project.name.as_ref().map(|name| name.as_str().to_lowercase());
        [Some(project.id.to_string()), key, name]
    };
    let is_wanted = |part: &&ProjectPart| names(&part.project).into_iter().flatten().any(|name| name == text);
    let found: Vec<&ProjectPart> = parts.iter().filter(is_wanted).collect();
    match found.as_slice() {
        [part] => Ok(file.get(part.bytes.clone()).unwrap_or_default().to_vec()),
        [] => Err(absent(wanted, &parts)),
        _ => {
            let rows: Vec<(String, String)> =
                found.iter().map(|part| (part.project.id.to_string(), shown(part))).collect();
            Err(several(wanted, rows.into_iter()))
        }
    }
}

/// The projects of an organization's export.
fn parts(file: &[u8]) -> CommandResult<Vec<ProjectPart>> {
    let refused =
        |line: usize, reason: &str| CommandFailure::usage(format!("line {line} of the file: {reason}"));
    let (mut parts, mut begun, mut at) = (Vec::new(), None, 0_usize);
    for (number, line) in (1_usize..).zip(file.split_inclusive(|byte| *byte == b'\n')) {
        let begin = at;
        at = at.saturating_add(line.len());
        if number == 1 {
            check_head(line)?;
            continue;
        }
        let LineKind { kind } =
            serde_json::from_slice(line).map_err(|error| refused(number, &error.to_string()))?;
        match (kind.as_str(), begun.is_some()) {
            ("organizationEnd", false) if at == file.len() && line.ends_with(b"\n") => return Ok(parts),
            ("project", false) => match serde_json::from_slice(line) {
                Ok(ExportLine::Project(head)) => begun = Some((head.project, begin)),
                Ok(_) => return Err(refused(number, "not a project")),
                Err(error) => return Err(refused(number, &error.to_string())),
            },
            ("project" | "organizationEnd", _) | (_, false) => {
                return Err(refused(number, "not at this place"));
            }
            ("end", true) => {
                let done = begun.take().map(|(project, begin)| ProjectPart { project, bytes: begin..at });
                parts.extend(done);
            }
            _ => {}
        }
    }
    Err(CommandFailure::usage("the file is cut: its last line is missing")
        .next("Export it again: atelier export --org"))
}

fn check_head(line: &[u8]) -> CommandResult<()> {
    match serde_json::from_slice(line) {
        Ok(OrganizationExportLine::Organization(head)) if head.format == ORGANIZATION_EXPORT_FORMAT => {
            match head.version {
                ORGANIZATION_EXPORT_VERSION => Ok(()),
                version => {
                    Err(CommandFailure::usage(format!("version {version} of the format is not known here")))
                }
            }
        }
        _ => Err(CommandFailure::usage("the file is not the export of an organization")
            .next("Without --project, the file of one project is taken.")),
    }
}

fn absent(wanted: &str, parts: &[ProjectPart]) -> CommandFailure {
    let mut names: Vec<String> = parts.iter().take(LISTED).map(shown).collect();
    if parts.len() > LISTED {
        names.push("…".to_owned());
    }
    let there = if names.is_empty() { "no project".to_owned() } else { names.join(", ") };
    CommandFailure::new(Exit::NotFound, format!("the file has no project \"{wanted}\""))
        .next(format!("It has: {there}"))
}

fn shown(part: &ProjectPart) -> String {
    part.project.name.as_ref().map_or_else(|| part.project.id.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::of_project;

    fn project(number: u32, key: &str, name: &str) -> String {
        let project = json!({
            "id": format!("0198c5f0-0000-7000-8000-{number:012}"), "key": key, "name": name, "description": "",
            "visibility": "private",
        });
        let head =
            json!({ "kind": "project", "format": "atelier-project", "version": 1, "project": project });
        format!("{head}\n{{\"kind\":\"tag\"}}\n{{\"kind\":\"end\"}}\n")
    }

    fn file(projects: &[String]) -> String {
        let organization =
            json!({ "id": "0198c5f0-0000-7000-8000-000000000001", "name": "Acme", "slug": "acme" });
        let head = json!({
            "kind": "organization", "format": "atelier-organization", "version": 1, "organization": organization,
        });
        format!("{head}\n{}{{\"kind\":\"organizationEnd\"}}\n", projects.concat())
    }

    #[test]
    fn a_project_is_cut_out_by_name_key_or_id() {
        let (gear, pump) = (project(2, "GEAR", "Gearbox"), project(3, "PU", "Pump"));
        let file = file(&[gear.clone(), pump.clone()]);
        for name in ["gearbox", "GEAR", "0198c5f0-0000-7000-8000-000000000002"] {
            assert_eq!(of_project(file.as_bytes(), name).unwrap(), gear.as_bytes(), "{name}");
        }
        assert_eq!(of_project(file.as_bytes(), "Pump").unwrap(), pump.as_bytes());
        assert!(of_project(file.as_bytes(), "Wheel").is_err());
        assert!(of_project(gear.as_bytes(), "Gearbox").is_err(), "a project's own file");
    }

    #[test]
    fn a_name_of_two_projects_is_no_name() {
        let file = file(&[project(2, "GEAR", "Gearbox"), project(3, "GB", "Gearbox")]);
        assert!(of_project(file.as_bytes(), "Gearbox").is_err());
        assert!(of_project(file.as_bytes(), "GB").is_ok());
    }

    #[test]
    fn each_cut_is_refused() {
        let file = file(&[project(2, "GEAR", "Gearbox"), project(3, "PU", "Pump")]);
        for end in 0..file.len() {
            let cut = file.get(..end).unwrap();
            assert!(of_project(cut.as_bytes(), "Gearbox").is_err(), "{end}");
        }
        let after = format!("{file}{file}");
        assert!(of_project(after.as_bytes(), "Gearbox").is_err());
    }
}
