//! Rules on dependencies from `cargo metadata`: which crate may import which, and libraries that no build may have.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// Imports that each crate may have within the workspace. They run one way; the binaries never import each other.
const MAY_IMPORT: [(&str, &[&str]); 23] = [
    ("domain", &[]),
    ("api", &["domain"]),
    ("client", &["domain", "api"]),
    ("cli", &["domain", "api", "client"]),
    ("batching", &["domain"]),
    ("auth", &["domain"]),
    ("git", &["domain"]),
    ("import", &["domain"]),
    ("shape", &["import"]),
    ("sandbox", &["domain"]),
    ("tables", &["domain"]),
    ("exchange", &["domain"]),
    ("execution", &["domain", "sandbox"]),
    ("database", &["domain"]),
    ("store", &["domain", "auth", "batching", "git", "database"]),
    ("link", &["domain", "auth", "store"]),
    ("wire", &["domain", "api", "auth", "store"]),
    ("agent", &["domain", "auth", "store", "link", "wire"]),
    ("packs", &["domain", "git"]),
    ("site", &[]),
    ("console", &[]),
    (
        "control",
        &[
            "domain",
            "api",
            "auth",
            "git",
            "packs",
            "exchange",
            "execution",
            "sandbox",
            "shape",
            "console",
            "site",
            "store",
            "tables",
            "link",
            "wire",
            "agent",
        ],
    ),
    (
        "dataplane",
        &["domain", "api", "auth", "batching", "git", "import", "sandbox", "shape", "store", "link", "wire"],
    ),
];

/// Libraries that only some crates may import, by prefixes of their names.
const RESERVED: [(&str, &[&str]); 11] = [
    ("diesel", &["database", "store"]),
    ("diesel-", &["database"]),
    ("diesel_", &["database"]),
    ("tokio-postgres", &["database"]),
    ("redis", &["link"]),
    ("actix-", &["wire", "control", "dataplane"]),
    ("jsonwebtoken", &["auth"]),
    ("landlock", &["sandbox"]),
    ("seccompiler", &["sandbox"]),
    ("rquickjs", &["execution"]),
    ("rust_xlsxwriter", &["tables"]),
];

/// Crates that run or test the others, and may import everything.
const OUTSIDE: [&str; 3] = ["bench", "testkit", "xtask"];

/// The part of `cargo metadata` that the rules read.
#[derive(Deserialize)]
pub(super) struct Graph {
    packages: Vec<Package>,
    workspace_members: BTreeSet<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`; absent for a dependency that ships.
    kind: Option<String>,
    /// The registry of a library; absent for a crate of the workspace.
    source: Option<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    features: Vec<String>,
}

/// True if the table of imports lets one crate import another.
pub(super) fn may_import(crate_name: &str, other: &str) -> bool {
    MAY_IMPORT.iter().any(|(name, imports)| *name == crate_name && imports.contains(&other))
}

/// Imports in the wrong direction, and reserved libraries. Dev-dependencies are free.
pub(super) fn imports(graph: &Graph) -> Vec<String> {
    let members: Vec<&Package> =
        graph.packages.iter().filter(|package| graph.workspace_members.contains(&package.id)).collect();
    let names: BTreeSet<&str> = members.iter().map(|package| package.name.as_str()).collect();
    let allowed: BTreeMap<&str, &[&str]> = MAY_IMPORT.into_iter().collect();
    let mut complaints = Vec::new();
    for package in members.iter().filter(|package| !OUTSIDE.contains(&package.name.as_str())) {
        let crate_name = package.name.as_str();
        let Some(allowed) = allowed.get(crate_name) else {
            complaints.push(format!("{crate_name}: tidy's table of imports doesn't know this crate"));
            continue;
        };
        for dependency in
            package.dependencies.iter().filter(|dependency| dependency.kind.as_deref() != Some("dev"))
        {
            let name = dependency.name.as_str();
            // A library may have the name of a crate of the workspace.
            let is_own = dependency.source.is_none() && names.contains(name);
            if is_own && !allowed.contains(&name) {
                complaints.push(format!("{crate_name}: must not import {name}"));
            }
            let reserved = RESERVED.iter().find(|(library, _)| name.starts_with(library));
            if let Some((_, owners)) = reserved.filter(|(_, owners)| !owners.contains(&crate_name)) {
                complaints.push(format!("{crate_name}: only {} may import {name}", owners.join(", ")));
            }
        }
    }
    complaints
}

/// Forbidden packages anywhere in the build: libpq, and a second provider of cryptography, with which rustls panics
/// because it can't choose.
pub(super) fn forbidden(graph: &Graph) -> Vec<String> {
    let mut complaints = Vec::new();
    let names: BTreeMap<&str, &str> =
        graph.packages.iter().map(|package| (package.id.as_str(), package.name.as_str())).collect();
    for node in &graph.resolve.nodes {
        let has = |feature: &str| node.features.iter().any(|enabled| enabled == feature);
        match names.get(node.id.as_str()).copied() {
            Some("pq-sys") => complaints.push("pq-sys: something builds on libpq".to_owned()),
            Some("rustls") if has("ring") => {
                complaints.push("rustls: something enables `ring` beside `aws_lc_rs`".to_owned());
            }
            _ => {}
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{Graph, forbidden, imports};
    use serde_json::json;

    /// A member's name, and its dependencies with their kinds.
    type Member<'a> = (&'a str, &'a [(&'a str, Option<&'a str>)]);

    /// A graph of members with their dependencies, and of packages of the build with their features.
    fn graph(members: &[Member<'_>], built: &[(&str, &[&str])]) -> Graph {
        let package = |name: &str, dependencies: Vec<serde_json::Value>| json!({ "id": format!("id:{name}"), "name": name, "dependencies": dependencies });
        let mut packages = Vec::new();
        for (name, dependencies) in members {
            let dependencies =
                dependencies.iter().map(|(name, kind)| json!({ "name": name, "kind": kind })).collect();
            packages.push(package(name, dependencies));
        }
        packages.extend(built.iter().map(|(name, _)| package(name, vec![])));
        let nodes: Vec<_> = built
            .iter()
            .map(|(name, features)| json!({ "id": format!("id:{name}"), "features": features }))
            .collect();
        let workspace_members: Vec<_> = members.iter().map(|(name, _)| format!("id:{name}")).collect();
        let graph = json!({ "packages": packages, "workspace_members": workspace_members, "resolve": { "nodes": nodes } });
        serde_json::from_value(graph).unwrap()
    }

    #[test]
    fn imports_that_follow_the_rules_are_accepted() {
        let members: &[Member<'_>] = &[
            ("domain", &[]),
            ("auth", &[("domain", None), ("jsonwebtoken", None)]),
            ("store", &[("auth", None), ("diesel", None), ("testkit", Some("dev"))]),
            ("testkit", &[("store", None), ("redis", None)]),
        ];
        let graph = graph(members, &[("rustls", &["aws_lc_rs"])]);
        assert!(imports(&graph).is_empty() && forbidden(&graph).is_empty());
    }

    #[test]
    fn a_library_with_the_name_of_a_crate_is_accepted() {
        let mut graph = graph(&[("cli", &[("console", None)]), ("console", &[])], &[]);
        assert_eq!(imports(&graph), ["cli: must not import console"]);
        graph.packages[0].dependencies[0].source = Some("registry".to_owned());
        assert!(imports(&graph).is_empty());
    }

    #[test]
    fn an_import_against_the_direction_is_refused() {
        let graph = graph(
            &[("control", &[("dataplane", None)]), ("dataplane", &[]), ("domain", &[("control", None)])],
            &[],
        );
        assert_eq!(
            imports(&graph),
            ["control: must not import dataplane", "domain: must not import control"]
        );
    }

    #[test]
    fn a_reserved_library_is_refused_in_another_crate() {
        let graph = graph(
            &[("wire", &[("diesel", None), ("redis", None)]), ("store", &[("actix-web", Some("build"))])],
            &[],
        );
        let complaints = imports(&graph);
        assert_eq!(complaints[0], "wire: only database, store may import diesel");
        assert_eq!(complaints[1], "wire: only link may import redis");
        assert_eq!(complaints[2], "store: only wire, control, dataplane may import actix-web");
    }

    #[test]
    fn a_crate_outside_of_the_table_is_refused() {
        assert_eq!(imports(&graph(&[("utils", &[])], &[])).len(), 1);
    }

    #[test]
    fn libpq_and_a_second_provider_of_cryptography_are_refused_anywhere() {
        let graph = graph(&[], &[("pq-sys", &[]), ("rustls", &["aws_lc_rs", "ring"])]);
        assert_eq!(forbidden(&graph).len(), 2);
    }
}
