//! `cargo xtask docs`: the generated pages of `docs/`. Endpoints and errors come from the programs' OpenAPI documents,
//! settings from their help texts, the schema from a migrated database. So is the document that the site reads.

mod errors;
mod schema;

use std::fmt::Write;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::output;
use crate::workspace::Workspace;

const NOTE: &str = "<!-- Written by `cargo xtask docs` from the programs. Edits are lost. -->\n";
const METHODS: [&str; 7] = ["get", "head", "post", "put", "patch", "delete", "options"];

/// Arguments of `cargo xtask docs`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only check that the pages are up to date
    #[arg(long)]
    check: bool,
}

struct Page {
    /// Path below the root of the repository.
    path: &'static str,
    text: String,
}

/// Writes the pages, or checks them.
pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let workspace = Workspace::find()?;
    if args.check {
        let stale = stale(&workspace)?;
        if !stale.is_empty() {
            bail!("out of date: {}; run: cargo xtask docs", stale.join(", "));
        }
        return Ok(ExitCode::SUCCESS);
    }
    for page in pages(&workspace)? {
        std::fs::write(workspace.root.join(page.path), page.text)
            .with_context(|| format!("write {}", page.path))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The pages that are out of date.
pub(crate) fn stale(workspace: &Workspace) -> Result<Vec<&'static str>> {
    let pages = pages(workspace)?.into_iter();
    let differs = |page: &Page| {
        std::fs::read_to_string(workspace.root.join(page.path)).ok().as_ref() != Some(&page.text)
    };
    Ok(pages.filter(differs).map(|page| page.path).collect())
}

fn pages(workspace: &Workspace) -> Result<Vec<Page>> {
    if !workspace.build_command().status()?.success() {
        bail!("the programs don't build");
    }
    let (mut documents, mut settings) = (Vec::new(), format!("{NOTE}\n# Settings\n"));
    let (mut site, mut console) = (String::new(), String::new());
    for (program, plane) in [("control", "Control plane"), ("dataplane", "Data plane")] {
        let path = workspace.binary(program);
        let document = output(&format!("{program} openapi"), Command::new(&path).arg("openapi"))?;
        if program == "dataplane" {
            site = document.clone();
        }
        let document: Value = serde_json::from_str(&document).context("the OpenAPI document")?;
        if program == "control" {
            console = format!("{:#}\n", types_of(&document, false));
        }
        documents.push((plane, document));
        // A variable of this environment must not appear as a default.
        let mut help = Command::new(&path);
        help.args(["serve", "--help"]).env("COLUMNS", "100");
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ATELIER_"))
        {
            help.env_remove(name);
        }
        let help = output(&format!("{program} serve --help"), &mut help)?;
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        write!(settings, "\n## {program}\n\n```text\n{}\n```\n", help.join("\n").trim_end())?;
    }
    Ok(vec![
        Page { path: "docs/endpoints.md", text: endpoints(&documents)? },
        Page { path: "docs/errors.md", text: errors::page(&documents)? },
        Page { path: "docs/settings.md", text: settings },
        Page { path: "docs/schema.md", text: schema::page(workspace)? },
        // The control plane shows the data plane's reference, too, and its binary can't ask for the document.
        Page { path: "crates/site/documents/dataplane.json", text: site },
        // The console's types come from it: its build has no program to ask.
        Page { path: "crates/console/documents/control.json", text: console },
    ])
}

/// Objects whose members are named by the document's author.
const NAMED: [&str; 9] = [
    "callbacks",
    "content",
    "headers",
    "parameters",
    "paths",
    "properties",
    "responses",
    "schemas",
    "securitySchemes",
];
/// Members that say nothing about types.
const WORDS: [&str; 7] =
    ["description", "example", "examples", "externalDocs", "security", "summary", "tags"];

/// A document without words and examples. `named` is true for the members of an object of [`NAMED`].
fn types_of(value: &Value, named: bool) -> Value {
    match value {
        Value::Object(members) => {
            let says_type = |name: &str| named || !(WORDS.contains(&name) || name.starts_with("x-"));
            let kept = members.iter().filter(|(name, _)| says_type(name));
            let kept = kept.map(|(name, member)| {
                (
                    name.clone(),
                    types_of(member, !named && member.is_object() && NAMED.contains(&name.as_str())),
                )
            });
            Value::Object(kept.collect())
        }
        Value::Array(items) => items.iter().map(|item| types_of(item, false)).collect(),
        _ => value.clone(),
    }
}

fn endpoints(documents: &[(&str, Value)]) -> Result<String> {
    let mut page = format!("{NOTE}\n# Endpoints\n");
    for (plane, document) in documents {
        write!(
            page,
            "\n## {plane}\n\n| method | path | operation | scope | what |\n|---|---|---|---|---|\n"
        )?;
        let paths = document["paths"].as_object().context("the document has no paths")?;
        for (path, item) in paths {
            for method in METHODS {
                let Some(operation) = item.get(method) else {
                    continue;
                };
                let id = operation["operationId"].as_str().unwrap_or_default();
                let what = operation["summary"].as_str().unwrap_or_default();
                let scope =
                    operation["x-scope"].as_str().map(|scope| format!("`{scope}`")).unwrap_or_default();
                let method = method.to_uppercase();
                writeln!(page, "| {method} | `{path}` | `{id}` | {scope} | {} |", cell(what))?;
            }
        }
    }
    Ok(page)
}

/// Text as one line, for a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn every_operation_is_a_row_and_its_summary_stays_in_its_cell() {
        let document = json!({ "paths": { "/a": {
            "post": { "operationId": "makeA", "summary": "Make | an\na", "x-scope": "a:write" },
            "get": { "operationId": "getA", "summary": "Read it" },
        } } });
        let page = super::endpoints(&[("Control plane", document)]).unwrap();
        let rows: Vec<&str> = page.lines().filter(|line| line.contains("`/a`")).collect();
        assert_eq!(
            rows,
            ["| GET | `/a` | `getA` |  | Read it |", "| POST | `/a` | `makeA` | `a:write` | Make \\| an a |"]
        );
    }
}
