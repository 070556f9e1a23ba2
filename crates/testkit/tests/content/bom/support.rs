//! Projects with assemblies, and bills as lines.

use serde_json::{Value, json};
use testkit::caller::Base;

use crate::support::{Project, texts};

/// A part of a definition with this id, which is its name, too.
pub(crate) fn part(parent: &str, id: &str) -> Value {
    let data = json!({ "definition": { "id": id, "name": id } });
    json!({ "op": "create", "name": id, "type": "Part", "parent": parent, "data": data })
}

/// An assembly; later operations name it by `reference`.
pub(crate) fn assembly(parent: &str, reference: &str, name: &str) -> Value {
    let data = json!({ "definition": { "id": name, "name": name } });
    json!({ "op": "create", "ref": reference, "name": name, "type": "Assembly", "parent": parent, "data": data })
}

/// A project with a machine of two equal pairs of bolts and one more bolt; nothing is committed. Answers the ids of its
/// objects, in this order: machine, pair, bolt, bolt, pair, bolt, bolt, bolt.
pub(crate) async fn with_machine() -> (Project, Vec<String>) {
    let project = Project::open().await;
    let ids = build_machine(&project).await;
    (project, ids)
}

pub(crate) async fn build_machine(project: &Project) -> Vec<String> {
    let mut operations = vec![assembly(&project.model, "machine", "machine")];
    for pair in ["one", "two"] {
        operations.push(assembly("#machine", pair, "pair"));
        operations.extend([part(&format!("#{pair}"), "bolt"), part(&format!("#{pair}"), "bolt")]);
    }
    operations.push(part("#machine", "bolt"));
    let made = project.batch(json!(operations)).await.expect(201).json();
    texts(&made["results"], "id")
}

/// The rows of a bill as lines: indented name, quantity and quantity in the whole.
pub(crate) fn lines(bill: &Value) -> String {
    let line = |row: &Value| {
        let indent = "  ".repeat(usize::try_from(row["level"].as_u64().unwrap()).unwrap());
        format!("{indent}{} {}/{}", row["name"].as_str().unwrap(), row["quantity"], row["totalQuantity"])
    };
    bill["rows"].as_array().unwrap().iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The bill of a project, as lines.
pub(crate) async fn bill(project: &Project, query: &str) -> String {
    lines(&project.get(&format!("bom?{query}")).await.expect(200).json())
}
