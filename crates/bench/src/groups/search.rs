//! The search in the texts of a project's objects, whose index has ten times as many texts as the branch has objects: those
//! of other branches and of earlier versions. The yardstick is pgbench on the same server with the index alone.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::content::object::Object;
use domain::content::object_text::ObjectText;
use domain::search::grams;
use serde_json::{Value, json};

use super::Tell;
use crate::client::{Answer, Client, Request};
use crate::load::{Load, medians};
use crate::noise::{id, word};
use crate::pgbench::{Database, Plans};
use crate::script::verbatim;
use crate::stack::Stack;
use crate::statements::Statement;
use crate::table::{Bound, Row};
use crate::{log, projects};

/// The first texts of project `$1` with all keys `$2`, and their objects.
const BARE: &str = include_str!("search/bare.sql");
const TEXTS: u32 = 1_000_000;
/// With fewer, no text would have the rare word.
const LEAST_TEXTS: u32 = 100_000;
/// One of this many texts is that of an object of the branch.
const LIVE: u32 = 10;
const VOCABULARY: u64 = 500;
/// Ids of the objects of these texts.
const KIND: u16 = 4;
/// Number of the first text, far above those that the service draws.
const FIRST_TEXT: u64 = 1_000_000_000_000;
const ROUNDS: usize = 3;
const ONE_CLIENT: Load = Load { clients: 1, time: Duration::from_secs(2) };
/// Aim of a search, in milliseconds.
const SEARCH_MILLIS: f64 = 50.0;
const MILLIS: f64 = 1000.0;

/// Searched words: of one text in 50,000, of one in 25, both frequent ones, and of no text.
const SEARCHES: [(&str, &str); 4] = [
    ("xylophone", "a rare word"),
    ("gasket", "a word of 1 in 25"),
    ("gasket%20zebra", "two frequent words"),
    ("quetzalcoatl", "a word of no text"),
];

/// The rows of searches.
pub(super) fn measure(stack: &Stack, tell: Tell<'_>) -> Result<()> {
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        log("searches are not measured: PostgreSQL came without pgbench, which fills the index");
        return Ok(());
    };
    let texts = stack.scaled(TEXTS).max(LEAST_TEXTS);
    let project = fill(stack, &database, texts)?;
    for (q, what) in SEARCHES {
        let path = format!("/api/v2/projects/{project}/objects?q={q}");
        let found = found(&search(&mut Client::connect(&stack.ready.control_url)?, stack, &path)?.json()?);
        ensure!((found > 0) == (q != "quetzalcoatl"), "{found} objects were found by {what}");
        let (script, variables) = verbatim(&[bare(&project, q)?]);
        let file = stack.scratch.join("texts.sql");
        std::fs::write(&file, script)?;
        let connect = |_| Client::connect(&stack.ready.control_url);
        let [service, bare] = medians(
            ROUNDS,
            [
                &mut |_| ONE_CLIENT.rate(connect, |client, _| search(client, stack, &path).map(drop)),
                &mut |_| database.rate_with(&file, &variables, Plans::Automatic, ONE_CLIENT),
            ],
        )?;
        tell(vec![Row {
            name: format!("search in {texts} texts of objects, {what}, {found} found"),
            unit: "ms",
            service: MILLIS / service,
            yardstick: Some(MILLIS / bare),
            required: None,
            aim: Some(Bound::Below(SEARCH_MILLIS)),
            note: "pgbench: the index alone",
        }])?;
    }
    Ok(())
}

fn search(client: &mut Client, stack: &Stack, path: &str) -> Result<Answer> {
    let request = Request { method: "GET", path, bearer: &stack.ready.api_key, headers: &[] };
    client.send(&request, b"")?.expect(200)
}

fn found(answer: &Value) -> usize {
    answer.pointer("/objects").and_then(Value::as_array).map_or(0, Vec::len)
}

/// Creates the project with its objects, and the rows that the service's indexer would write for all texts.
fn fill(stack: &Stack, database: &Database, texts: u32) -> Result<String> {
    let project = stack.session()?.project;
    let numbers = 1..=u64::from(texts);
    log(format_args!("copying the objects of {} of {texts} texts", texts / LIVE));
    projects::create_table(database)?;
    database.copy("bench_objects (project_id, number, id, record)", |out| {
        for number in numbers.clone().filter(|number| is_live(*number)) {
            let (id, record) = (id(number, KIND), record(number, &project));
            writeln!(out, "{project}\t{number}\t{id}\t{record}")?;
        }
        Ok(())
    })?;
    projects::commit(stack, database, &project)?;
    let key = project_key(&project)?;
    database.without_gin("texts", || {
        log(format_args!("copying the index of {texts} texts"));
        database.copy("texts (id, project_id, sha256, grams)", |out| {
            for number in numbers.clone() {
                let object: Object = serde_json::from_value(record(number, &project))?;
                let text = ObjectText::of(&object);
                let hash = text.sha256().context("a text")?;
                let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
                let keys = list(grams::of_text(text.folded()).into_iter().chain([key]));
                writeln!(out, "{}\t{project}\t\\\\x{hash}\t{keys}", FIRST_TEXT + number)?;
            }
            Ok(())
        })?;
        log("indexing them");
        Ok(())
    })?;
    database.copy("text_objects (text_id, object_id)", |out| {
        numbers
            .clone()
            .try_for_each(|number| Ok(writeln!(out, "{}\t{}", FIRST_TEXT + number, id(number, KIND))?))
    })?;
    database.run(&["vacuum analyze texts, text_objects, bench_objects", "checkpoint"])?;
    Ok(project)
}

fn is_live(number: u64) -> bool {
    number.is_multiple_of(LIVE.into())
}

/// The object of a text. The rare word is in texts of the branch alone.
fn record(number: u64, project: &str) -> Value {
    let mut words: Vec<String> = (0..4).map(|place| word(number, place, VOCABULARY)).collect();
    for (each, word) in [(25, "gasket"), (6, "zebra")] {
        // By tens, so that the words are as frequent among the objects of the branch.
        if (number / u64::from(LIVE)).is_multiple_of(each) {
            words.push(word.to_owned());
        }
    }
    if number.is_multiple_of(50_000) {
        words.push("xylophone".to_owned());
    }
    let text = format!("{} {number:07}", words.join(" "));
    let id = id(number, KIND);
    json!({ "id": id, "name": format!("Part {number}"), "type": "Part", "parent": project, "data": { "text": text } })
}

/// The key that all texts of a project have, as the indexer makes it: searches that find nothing would show a difference.
fn project_key(project: &str) -> Result<i64> {
    let digits = project.replace('-', "");
    let low = digits.get(16..).context("a project's id")?;
    Ok(u64::from_str_radix(low, 16)?.cast_signed() | i64::MIN)
}

/// The statement that reads the index for a search.
fn bare(project: &str, q: &str) -> Result<Statement> {
    let terms: Vec<String> = q.split("%20").map(str::to_owned).collect();
    let keys = list(grams::of_terms(&terms).into_iter().chain([project_key(project)?]));
    Ok(Statement { sql: BARE.to_owned(), parameters: vec![Some(project.to_owned()), Some(keys)] })
}

/// Numbers as an array of PostgreSQL.
fn list(numbers: impl Iterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.map(|number| number.to_string()).collect();
    format!("{{{}}}", numbers.join(","))
}

#[cfg(test)]
mod tests {
    use super::{is_live, project_key, record};

    #[test]
    fn words_are_as_frequent_among_the_objects_of_the_branch() {
        let has =
            |number: u64, word: &str| record(number, "p")["data"]["text"].as_str().unwrap().contains(word);
        let live = || (1..=10_000).filter(|number| is_live(*number));
        assert_eq!(live().filter(|number| has(*number, "gasket")).count(), 40);
        assert_eq!((1..=10_000).filter(|number| has(*number, "gasket")).count(), 400);
        assert_eq!(
            (49_990..=100_000).filter(|number| has(*number, "xylophone") && is_live(*number)).count(),
            2
        );
    }

    #[test]
    fn the_key_of_a_project_is_negative() {
        assert_eq!(project_key("00000000-0000-7000-8000-000000000001").unwrap(), i64::MIN + 1);
        assert_eq!(project_key("00000000-0000-7000-0000-000000000007").unwrap(), i64::MIN + 7);
    }
}
