//! A team's search for cards over HTTP, among up to 10^6. The yardsticks are pgbench on the same server with one plain
//! statement for any search, helped by the trigram index alone, and with the service's own statements.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::Tell;
use crate::client::{Client, Request};
use crate::load::{Load, medians};
use crate::pgbench::{Database, Plans};
use crate::script::verbatim;
use crate::stack::{Stack, text};
use crate::statements::{Statement, capture};
use crate::table::{Bound, Row};

/// The first page of a search and its total. Parameters: the projects, the pattern of the text, the team.
const BARE: &str = include_str!("available/bare.sql");
const PROJECTS: usize = 40;
/// Numbers of cards, measured one after the other.
const SIZES: [(u64, &str); 3] = [(10_000, "10^4"), (100_000, "10^5"), (1_000_000, "10^6")];
/// Search texts: in one card of 50,000, of 25, of 6, and in all.
const SEARCHES: [(&str, &str); 4] =
    [("xylophone", "a rare term"), ("gasket", "1 in 25"), ("z", "a letter"), ("", "no q")];
const LOAD: Load = Load { clients: 8, time: Duration::from_secs(2) };
const ROUNDS: usize = 3;
const ONE_CLIENT: Load = Load { clients: 1, ..LOAD };
/// Least ratio to the bare statement.
const REQUIRED: f64 = 0.9;
/// Longest time of one search, in milliseconds.
const LONGEST_MILLIS: f64 = 100.0;
const MILLIS: f64 = 1000.0;

/// The team that searches.
struct Team {
    id: String,
    path: String,
    organization: String,
    projects: Vec<String>,
}

/// The rows of searches.
pub(super) fn measure(stack: &Stack, tell: Tell<'_>) -> Result<()> {
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        return Ok(());
    };
    let team = Team::open(stack)?;
    let mut seeded = 0;
    for (cards, shown) in SIZES {
        let mut rows = Vec::new();
        database.run(&[seed(&team.organization, seeded, cards), "vacuum analyze".to_owned()])?;
        seeded = cards;
        for (q, what) in SEARCHES {
            let path = if q.is_empty() { team.path.clone() } else { format!("{}?q={q}", team.path) };
            let search = |load: Load| {
                let connect = |_| Client::connect(&stack.ready.control_url);
                load.rate(connect, |client, _| get(client, stack, &path))
            };
            let bare = write_script(stack, "bare-search.sql", &[team.bare(q)])?;
            let own = write_script(stack, "search.sql", &statements(stack, &database, &path)?)?;
            let [service, bare, own] = medians(
                ROUNDS,
                [
                    &mut |_| search(LOAD),
                    &mut |_| database.rate_with(&bare.0, &bare.1, Plans::Automatic, LOAD),
                    &mut |_| database.rate_with(&own.0, &own.1, Plans::Generic, LOAD),
                ],
            )?;
            rows.push(Row {
                name: format!("searches of {shown} cards, {what}"),
                unit: "/s",
                service,
                yardstick: Some(bare),
                required: Some(Bound::Ratio(REQUIRED)),
                aim: None,
                note: "pgbench: the bare statement",
            });
            rows.push(Row {
                name: "the same, against the service's own statements".to_owned(),
                unit: "/s",
                service,
                yardstick: Some(own),
                required: None,
                aim: None,
                note: "pgbench: these",
            });
            rows.push(Row {
                name: "the same, one at a time".to_owned(),
                unit: "ms",
                service: MILLIS / search(ONE_CLIENT)?,
                yardstick: None,
                required: Some(Bound::Below(LONGEST_MILLIS)),
                aim: None,
                note: "",
            });
        }
        tell(rows)?;
    }
    Ok(())
}

impl Team {
    /// Creates a team with all projects linked.
    fn open(stack: &Stack) -> Result<Self> {
        let mut client = Client::connect(&stack.ready.control_url)?;
        let mut call = |method: &str, path: &str, body: &str, status| -> Result<Value> {
            let headers = ["content-type: application/json".to_owned()];
            let request = Request { method, path, bearer: &stack.ready.api_key, headers: &headers };
            client.send(&request, body.as_bytes())?.expect(status)?.json()
        };
        let organization = stack.ready.org_id.clone();
        let teams = format!("/api/v2/orgs/{organization}/teams");
        let team = call("POST", &teams, &json!({ "name": "Search" }).to_string(), 201)?;
        let id = text(&team, "/team/id")?;
        let team = format!("{teams}/{id}");
        let mut projects = Vec::new();
        for number in 0..PROJECTS {
            let body = json!({ "name": format!("Search {number}"), "orgId": organization }).to_string();
            let project = text(&call("POST", "/api/v2/projects", &body, 201)?, "/id")?;
            call("PUT", &format!("{team}/projects/{project}"), "", 200)?;
            projects.push(project);
        }
        Ok(Self { id, path: format!("{team}/available-cards"), organization, projects })
    }

    /// The bare statement of a search for `q`.
    fn bare(&self, q: &str) -> Statement {
        let projects = format!("{{{}}}", self.projects.join(","));
        let parameters = [projects, format!("%{q}%"), self.id.clone()];
        Statement { sql: BARE.to_owned(), parameters: parameters.map(Some).to_vec() }
    }
}

/// Adds cards `from` + 1 to `to`, one in 20 of them closed. The indexes of texts are dropped and created again, and
/// foreign keys aren't checked.
fn seed(organization: &str, from: u64, to: u64) -> String {
    format!(
        "do $seed$
        declare
            indexes text[];
            definition text;
            words text[];
            projects uuid[];
        begin
            set local session_replication_role = replica;
            set local maintenance_work_mem = '512MB';
            set local statement_timeout = 0;
            select array_agg(indexdef) into indexes from pg_indexes
            where tablename = 'index_cards' and indexdef like '%USING gin%';
            for definition in select indexname from pg_indexes
                where tablename = 'index_cards' and indexdef like '%USING gin%'
            loop
                execute 'drop index ' || definition;
            end loop;
            select array_agg(substr(translate(md5(n::text), '0123456789', 'ghijklmnop'), 1, 4 + n % 6)) into words
            from generate_series(1, 500) n;
            select array_agg(id order by id) into projects from projects
            where owner_id = '{organization}' and name like 'Search %';
            create temp table seeds on commit drop as
            select n, gen_random_uuid() as id, projects[1 + n % {PROJECTS}] as project_id,
                now() - make_interval(secs => random() * 10000000) as at,
                (select string_agg(words[1 + floor(random() * 500)::int], ' ') from generate_series(1, 4 + n % 2))
                    || case when n % 25 = 0 then ' gasket' else '' end
                    || case when n % 6 = 0 then ' zebra' else '' end
                    || case when n % 50000 = 7 then ' xylophone' else '' end as name,
                (select string_agg(words[1 + floor(random() * 500)::int], ' ') from generate_series(1, 18 + n % 2))
                    as description
            from generate_series({from} + 1, {to}) n;
            insert into cards (
                id, project_id, name, description, resolution, effort, is_open, closed_at, created_by, created_at,
                updated_at, history_head_id, history_head_sequence
            )
            select s.id, s.project_id, s.name, s.description, '', s.n % 9, s.n % 20 <> 0,
                case when s.n % 20 = 0 then s.at end, p.created_by, s.at, s.at, s.id, s.n
            from seeds s join projects p on p.id = s.project_id;
            insert into index_cards (card_id, project_id, is_open, search_document)
            select id, project_id, n % 20 <> 0, name || E'\\n' || description from seeds;
            foreach definition in array indexes loop
                execute definition;
            end loop;
        end
        $seed$"
    )
}

fn get(client: &mut Client, stack: &Stack, path: &str) -> Result<()> {
    let request = Request { method: "GET", path, bearer: &stack.ready.api_key, headers: &[] };
    client.send(&request, b"")?.expect(200).map(drop)
}

/// The service's statements for a search.
fn statements(stack: &Stack, database: &Database, path: &str) -> Result<Vec<Statement>> {
    let mut client = Client::connect(&stack.ready.control_url)?;
    let request = || get(&mut client, stack, path);
    Ok(capture(database, &stack.service_folder.join("postgres.log"), request)?.0)
}

/// Writes a script for pgbench; returns its path and its variables.
fn write_script(
    stack: &Stack,
    name: &str,
    statements: &[Statement],
) -> Result<(PathBuf, Vec<(String, String)>)> {
    let file = stack.scratch.join(name);
    let (script, variables) = verbatim(statements);
    std::fs::write(&file, script).context("write the script")?;
    Ok((file, variables))
}
