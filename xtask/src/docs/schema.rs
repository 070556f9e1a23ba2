//! `docs/schema.md`: the tables by area, from the catalog of a migrated database and the head comments of `migrations/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{NOTE, cell};
use crate::provision::Prerequisites;
use crate::workspace::Workspace;

const CATALOG: &str = include_str!("schema.sql");
const DATABASE: &str = "atelier_schema";
const INTRODUCTION: &str = "\
This page lists each table with its columns, keys and indexes, and the reason for each that needs one. Its sentences are
the comments in the database (`comment on`). The areas are the steps in [migrations](../migrations), whose
[README](../migrations/README.md) tells how to change the schema.

In the diagrams, `||` is exactly one row, `|o` none or one, and `o{` any number. A label names the columns of the
foreign key. A type with `?` can be null.
";
/// Columns of a line of prose.
const WIDTH: usize = 120;

/// A migration that creates tables.
struct Area {
    title: String,
    text: String,
    tables: Vec<String>,
    functions: Vec<String>,
}

#[derive(Deserialize)]
struct Schema {
    tables: Vec<Table>,
    functions: Vec<Named>,
}

#[derive(Deserialize)]
struct Table {
    name: String,
    comment: Option<String>,
    columns: Vec<Column>,
    keys: Vec<Key>,
    indexes: Vec<Index>,
    triggers: Vec<Named>,
}

#[derive(Deserialize)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    nullable: bool,
    default: Option<String>,
    comment: Option<String>,
}

/// A primary key (kind `p`), unique constraint (`u`), foreign key (`f`) or check (`c`).
#[derive(Deserialize)]
struct Key {
    kind: char,
    columns: Vec<String>,
    target: Option<String>,
    definition: String,
    comment: Option<String>,
}

#[derive(Deserialize)]
struct Index {
    name: String,
    definition: String,
    unique: bool,
    comment: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    comment: Option<String>,
}

/// The page, from a database that it migrates and drops.
pub(super) fn page(workspace: &Workspace) -> Result<String> {
    let areas = areas(&workspace.root.join("migrations"))?;
    render(&areas, &catalog(workspace)?)
}

fn catalog(workspace: &Workspace) -> Result<Schema> {
    let servers = Prerequisites::find_or_install(workspace)?.start_servers(DATABASE)?;
    servers.migrate(workspace, DATABASE)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let catalog: String = runtime.block_on(async {
        let url = servers.postgres.url(DATABASE);
        let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await?;
        tokio::spawn(connection);
        client.query_one(CATALOG, &[]).await?.try_get(0)
    })?;
    serde_json::from_str(&catalog).context("the catalog")
}

/// The areas in the order of the migrations.
fn areas(migrations: &Path) -> Result<Vec<Area>> {
    let mut steps = BTreeSet::new();
    for entry in std::fs::read_dir(migrations).context("read migrations")? {
        let path = entry?.path();
        if path.is_dir() {
            steps.insert(path.join("up.sql"));
        }
    }
    let mut areas = Vec::new();
    for step in steps {
        let sql = std::fs::read_to_string(&step).with_context(|| format!("read {}", step.display()))?;
        areas.extend(area(&sql));
    }
    Ok(areas)
}

/// The area that a migration begins; `None` for one that creates no table.
fn area(sql: &str) -> Option<Area> {
    let created = |prefix: &str| -> Vec<String> {
        let names = sql.lines().filter_map(|line| line.strip_prefix(prefix)?.split([' ', '(']).next());
        names.map(str::to_owned).collect()
    };
    let tables = created("create table ");
    if tables.is_empty() {
        return None;
    }
    let head: Vec<&str> = sql.lines().map_while(|line| line.strip_prefix("--")).map(str::trim).collect();
    let head =
        head.split(|line| line.is_empty()).map(|lines| lines.join(" ")).collect::<Vec<_>>().join("\n\n");
    let (title, text) = head.split_once(": ").unwrap_or((&head, ""));
    let mut letters = text.chars();
    let text = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    Some(Area { title: title.to_owned(), text, tables, functions: created("create function ") })
}

fn render(areas: &[Area], schema: &Schema) -> Result<String> {
    let tables: BTreeMap<&str, &Table> =
        schema.tables.iter().map(|table| (table.name.as_str(), table)).collect();
    let functions: BTreeMap<&str, &Named> =
        schema.functions.iter().map(|function| (function.name.as_str(), function)).collect();
    let mut page = format!("{NOTE}\n# Schema\n\n{INTRODUCTION}");
    growth(&mut page, areas, &tables)?;
    for area in areas {
        write!(page, "\n## {}\n\n{}\n", area.title, wrap(&area.text))?;
        diagram(&mut page, area, &tables)?;
        for name in &area.tables {
            // A later migration may have dropped it.
            if let Some(table) = tables.get(name.as_str()) {
                describe(&mut page, table)?;
            }
        }
        let kept: Vec<&&Named> =
            area.functions.iter().filter_map(|name| functions.get(name.as_str())).collect();
        if !kept.is_empty() {
            page.push_str("\n| function | purpose |\n|---|---|\n");
        }
        for function in kept {
            writeln!(page, "| `{}` | {} |", function.name, cell(text(&function.comment)))?;
        }
    }
    Ok(page)
}

/// The tables that grow with use, and those that grow with what users keep.
fn growth(page: &mut String, areas: &[Area], tables: &BTreeMap<&str, &Table>) -> Result<()> {
    page.push_str("\n## Sizes\n\nTables that grow with use, and what adds and removes their rows:\n");
    page.push_str("\n| table | rows |\n|---|---|\n");
    for name in areas.iter().flat_map(|area| &area.tables) {
        let Some(table) = tables.get(name.as_str()) else { continue };
        if let Some((_, rows)) = text(&table.comment).rsplit_once(" Grows: ") {
            writeln!(page, "| [`{name}`](#{name}) | {} |", cell(rows))?;
        }
    }
    page.push_str("\nEach other table grows with what users keep, and says so in its place.\n");
    Ok(())
}

/// The area's tables and the tables that they refer to, as an entity diagram in Mermaid.
fn diagram(page: &mut String, area: &Area, tables: &BTreeMap<&str, &Table>) -> Result<()> {
    page.push_str("\n```mermaid\nerDiagram\n");
    for name in &area.tables {
        let Some(table) = tables.get(name.as_str()) else { continue };
        writeln!(page, "    {name}")?;
        for key in &table.keys {
            let Some(target) = &key.target else { continue };
            let is_null = |column: &Column| column.nullable && key.columns.contains(&column.name);
            let target_end = if table.columns.iter().any(is_null) { "|o" } else { "||" };
            let is_unique =
                table.keys.iter().any(|other| "pu".contains(other.kind) && other.columns == key.columns);
            let end = if is_unique { "o|" } else { "o{" };
            writeln!(page, "    {target} {target_end}--{end} {name} : \"{}\"", key.columns.join(", "))?;
        }
    }
    page.push_str("```\n");
    Ok(())
}

fn describe(page: &mut String, table: &Table) -> Result<()> {
    write!(page, "\n### {}\n\n{}\n", table.name, wrap(text(&table.comment)))?;
    page.push_str("\n| column | type | meaning |\n|---|---|---|\n");
    for column in &table.columns {
        let null = if column.nullable { "?" } else { "" };
        writeln!(
            page,
            "| `{}` | {}{null} | {} |",
            column.name,
            kind(&column.kind),
            cell(&meaning(table, column))
        )?;
    }
    let mut rules = String::new();
    for key in table.keys.iter().filter(|key| key.columns.len() > 1 || key.comment.is_some()) {
        writeln!(rules, "| `{}` | {} |", cell(&definition(&key.definition)), cell(text(&key.comment)))?;
    }
    for index in &table.indexes {
        let unique = if index.unique { "unique index" } else { "index" };
        let definition = definition(&index.definition);
        writeln!(
            rules,
            "| {unique} `{}` on `{}` | {} |",
            index.name,
            cell(&definition),
            cell(text(&index.comment))
        )?;
    }
    for trigger in &table.triggers {
        writeln!(rules, "| trigger `{}` | {} |", trigger.name, cell(text(&trigger.comment)))?;
    }
    if !rules.is_empty() {
        write!(page, "\n| key, check, index or trigger | purpose |\n|---|---|\n{rules}")?;
    }
    Ok(())
}

/// A column's keys, comment, checks and default.
fn meaning(table: &Table, column: &Column) -> String {
    let (mut parts, mut checks) = (Vec::new(), Vec::new());
    for key in table.keys.iter().filter(|key| key.columns == [column.name.as_str()]) {
        match (key.kind, &key.target) {
            ('p', _) => parts.push("Primary key.".to_owned()),
            ('u', _) => parts.push("Unique.".to_owned()),
            (_, Some(target)) => parts.push(format!("→ [`{target}`](#{target}).")),
            _ => checks.push(format!("`{}`.", definition(&key.definition))),
        }
    }
    parts.extend(column.comment.clone());
    parts.append(&mut checks);
    match column.default.as_deref() {
        Some("generated") => parts.push("Generated.".to_owned()),
        Some("identity") => parts.push("Numbered by the database.".to_owned()),
        Some(default) => parts.push(format!("Default `{}`.", definition(default))),
        None => {}
    }
    parts.join(" ")
}

/// A definition of the catalog without the casts and the form that PostgreSQL gives it.
fn definition(text: &str) -> String {
    let text = text.replace("::text", "").replace("::uuid[]", "").replace("::jsonb", "");
    let text = text.replace("= ANY (ARRAY[", "in (").replace("])", ")").replace(" AND ", " and ");
    let check = text.strip_prefix("CHECK (").and_then(|rest| rest.strip_suffix(')'));
    check.or(text.strip_prefix("btree ")).unwrap_or(&text).to_owned()
}

fn kind(name: &str) -> &str {
    if name == "timestamp with time zone" { "timestamptz" } else { name }
}

fn text(comment: &Option<String>) -> &str {
    comment.as_deref().unwrap_or_default()
}

/// Paragraphs in lines of at most [`WIDTH`] columns.
fn wrap(text: &str) -> String {
    let mut wrapped = String::new();
    for paragraph in text.split("\n\n") {
        if !wrapped.is_empty() {
            wrapped.push_str("\n\n");
        }
        let mut width = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            let separator = match width {
                0 => "",
                _ if width + 1 + length > WIDTH => "\n",
                _ => " ",
            };
            width = if separator == " " { width + 1 + length } else { length };
            wrapped.push_str(separator);
            wrapped.push_str(word);
        }
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::{WIDTH, area, definition, wrap};

    #[test]
    fn an_area_is_named_by_its_head_comment_and_holds_what_its_step_creates() {
        let sql = "-- Cards: units\n-- of work.\n--\n-- More.\n\ncreate table cards (\n);\ncreate function f(a int)\n";
        let area = area(sql).unwrap();
        assert_eq!((area.title.as_str(), area.text.as_str()), ("Cards", "Units of work.\n\nMore."));
        assert_eq!((area.tables, area.functions), (vec!["cards".to_owned()], vec!["f".to_owned()]));
    }

    #[test]
    fn a_step_without_a_table_begins_no_area() {
        assert!(area("-- An index.\ncreate index a on b (c);\n").is_none());
    }

    #[test]
    fn a_definition_reads_as_it_was_written() {
        assert_eq!(
            definition("CHECK (role = ANY (ARRAY['member'::text, 'manager'::text]))"),
            "role in ('member', 'manager')"
        );
    }

    #[test]
    fn prose_is_wrapped_and_paragraphs_are_kept() {
        let wrapped = wrap(&format!("{}\n\nb", "word ".repeat(40)));
        assert!(wrapped.lines().all(|line| line.len() <= WIDTH), "{wrapped}");
        assert!(wrapped.ends_with("\n\nb"), "{wrapped}");
    }
}
