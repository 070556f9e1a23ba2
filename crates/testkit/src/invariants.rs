//! Invariants of every deployment, checked at the end of each test.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test's helper fails by panicking")]

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use regex_lite::Regex;

use crate::database::{self, Database};

/// Expressions of whole secrets and of usable parts of one, each with its beginning: expressions take seconds for the
/// log of a whole run, in an unoptimised build. A masked key ends in an ellipsis and four characters.
const SECRETS: [(&str, &str); 5] = [
    ("svc_ak_", r"svc_ak_(live|test)_[0-9A-Za-z]{8}"),
    ("svc_cf_", r"svc_cf_[0-9A-Za-z]{8}"),
    ("svc_gr_", r"svc_gr_[0-9A-Za-z]{8}"),
    ("eyJ", r"eyJ[0-9A-Za-z_-]{16}"),
    ("BEGIN PRIVATE KEY", r"BEGIN PRIVATE KEY"),
];
/// Queries that must return nothing, each with the meaning of a row.
const NOTHING: [(&str, &str); 24] = [
    (
        "an idempotency record without an outcome was committed",
        "select operation from idempotency_records where outcome is null",
    ),
    (
        "a branch has a head that is no commit",
        "select b.name from branches b join git_objects o on o.project_id = b.project_id and o.oid = b.head \
         where o.kind <> 'commit'",
    ),
    (
        "a commit is not in the graph of commits, or the other way round",
        "select coalesce(c.oid, o.oid)::text from commits c full join \
         (select project_id, oid from git_objects where kind = 'commit') o \
         on o.project_id = c.project_id and o.oid = c.oid where c.oid is null or o.oid is null",
    ),
    (
        "a commit comes before one that it follows",
        "select c.oid::text from commits c cross join unnest(c.parents) parent \
         left join commits p on p.project_id = c.project_id and p.oid = parent \
         where p.number is null or p.number >= c.number",
    ),
    (
        "a project lacks its default branch",
        "select p.id::text from projects p where not exists \
         (select from branches b where b.project_id = p.id and b.name = p.default_branch)",
    ),
    (
        "an applied upload answers objects that never joined the tree",
        "select u.id::text from applied_uploads u where u.objects = '{}'::jsonb",
    ),
    (
        "a session's events are not numbered without a gap up to the last",
        "select h.session_id::text from session_event_heads h where h.sequence - h.forgotten <> \
         (select count(*) from session_events e where e.session_id = h.session_id \
          and e.sequence > h.forgotten and e.sequence <= h.sequence)",
    ),
    (
        "a conversation has a call of a tool without its result, though no run is in progress",
        "select c.session_id::text from session_messages c cross join jsonb_array_elements(c.parts) call \
         where call->>'type' = 'tool_call' and not exists (select from session_runs r \
           where r.session_id = c.session_id and r.ended_at is null) and not exists \
         (select from tool_approvals q where q.session_id = c.session_id and q.status = 'pending') and not exists \
         (select from session_messages a cross join jsonb_array_elements(a.parts) result \
          where a.session_id = c.session_id and result->>'type' = 'tool_result' \
          and result->>'callId' = call->>'callId')",
    ),
    (
        "an execution's state is not what was told of it last",
        "select e.id::text from executions e cross join lateral (select v.data->>'state' as state \
         from session_events v where v.session_id = e.session_id and v.type = 'execution.changed' \
         and v.data->>'executionId' = e.id::text order by v.sequence desc limit 1) told \
         where told.state <> e.state",
    ),
    (
        "what an execution wrote is not what was told of it",
        "select e.id::text from executions e where e.output <> coalesce((select \
         string_agg(v.data->>'text', '' order by v.sequence) from session_events v \
         where v.session_id = e.session_id and v.type = 'execution.output' \
         and v.data->>'executionId' = e.id::text), '')",
    ),
    (
        "an object's change is neither an addition, nor a modification, nor a deletion",
        "select object_id::text from working_changes where record is not distinct from committed",
    ),
    (
        "what a branch holds that is uncommitted is not what is counted of it",
        "select b.name from branches b where b.uncommitted_bytes <> \
         (select coalesce(sum(w.bytes), 0) from working_changes w where w.branch_id = b.id)",
    ),
    (
        "a package is published at a commit outside its versions or its project",
        "select p.object_id::text from packages p where not exists (select from package_versions v \
         where v.branch_id = p.branch_id and v.object_id = p.object_id and v.commit_hash = p.commit_hash) \
         or not exists (select from commits c where c.project_id = p.project_id and c.oid = p.commit_hash)",
    ),
    (
        "a card's head is not its last history row outside of boards and of other projects",
        "select c.id::text from cards c where not exists (select from card_history h where h.card_id = c.id \
         and h.id = c.history_head_id and h.sequence = c.history_head_sequence and h.sequence = \
         (select max(l.sequence) from card_history l where l.card_id = c.id \
          and l.kind not in ('placed', 'moved', 'removed') and history_other_project(l.changes) is null))",
    ),
    (
        "a card has two parents, or one of another owner, or a far one that is near",
        "select f.card_id::text from far_parents f join cards c on c.id = f.card_id \
         join cards a on a.id = f.parent_id join projects p on p.id = c.project_id \
         join projects o on o.id = a.project_id \
         where c.parent_id is not null or c.project_id = a.project_id or p.owner_id <> o.owner_id",
    ),
    (
        "a card's heads of boards are not its last history rows on them",
        "select i.card_id::text from index_cards i cross join lateral ( \
            select coalesce(jsonb_object_agg(l.team, \
                jsonb_build_object('id', l.id, 'sequence', l.sequence::text)), '{}') as heads \
            from (select distinct on (history_board(h.changes)) history_board(h.changes) as team, h.id, h.sequence \
                from card_history h where h.card_id = i.card_id and h.kind in ('placed', 'moved', 'removed') \
                order by history_board(h.changes), h.sequence desc) l \
         ) b where i.board_heads <> b.heads",
    ),
    (
        "an index card does not say what its card has",
        "select c.id::text from cards c left join index_cards i on i.card_id = c.id where i.card_id is null \
         or (i.project_id, i.is_open) is distinct from (c.project_id, c.is_open) \
         or (select array_agg(t order by t) from unnest(i.tag_ids) t) is distinct from \
            (select array_agg(l.tag_id order by l.tag_id) from card_tag_links l where l.card_id = c.id) \
         or (select array_agg(u order by u) from unnest(i.user_ids) u) is distinct from \
            (select array_agg(a.user_id order by a.user_id) from card_assignees a where a.card_id = c.id)",
    ),
    (
        "an index card does not say where its card stands",
        "select i.card_id::text from index_cards i cross join lateral ( \
            select coalesce(array_agg(p.team_id order by p.team_id), '{}') as teams, \
                coalesce(array_agg(p.status_id order by p.team_id), '{}') as statuses, \
                coalesce(array_agg(p.sprint_id order by p.team_id) filter (where p.sprint_id is not null), '{}') \
                    as sprints, \
                coalesce(jsonb_agg(jsonb_build_object('team_id', p.team_id, 'status_id', p.status_id, \
                    'sprint_id', p.sprint_id) order by p.team_id), '[]') as placements, \
                coalesce(jsonb_agg(jsonb_build_object('team_id', p.team_id, 'status_id', p.status_id, \
                    'sprint_id', p.sprint_id, 'status_name', s.name, 'status_color', s.color) \
                    order by p.team_id), '[]') as shown \
            from team_cards p join team_statuses s on s.id = p.status_id where p.card_id = i.card_id \
         ) b where (i.team_ids, i.team_status_ids, i.sprint_ids, i.team_placements, i.team_statuses) \
            is distinct from (b.teams, b.statuses, b.sprints, b.placements, b.shown)",
    ),
    (
        "a card that is gone has no history of its end",
        "select h.card_id::text from card_history h where not exists (select from cards c where c.id = h.card_id) \
         group by h.card_id having count(*) filter (where h.kind = 'deleted') <> 1",
    ),
    (
        "a card's place is not what its history last told of it",
        "select p.card_id::text from team_cards p left join lateral ( \
             select h.changes -> 'team_placement' -> 'after' as after from card_history h \
             where h.card_id = p.card_id and p.team_id::text in (h.changes #>> '{team_placement,after,team_id}', \
                 h.changes #>> '{team_placement,before,team_id}') \
             order by h.sequence desc limit 1) h on true \
         where h.after ->> 'status_id' is null or (h.after ->> 'status_id')::uuid <> p.status_id \
            or (h.after ->> 'sprint_id')::uuid is distinct from p.sprint_id",
    ),
    (
        "an attachment is not of its card's project",
        "select a.id::text from card_attachments a join cards c on c.id = a.card_id where c.project_id <> a.project_id",
    ),
    (
        "a card is in a sprint that does not know of it",
        "select p.card_id::text from team_cards p where p.sprint_id is not null and not exists \
         (select from sprint_cards c where c.sprint_id = p.sprint_id and c.card_id = p.card_id)",
    ),
    (
        "a run goes on in a session that is closed",
        "select r.id::text from session_runs r join sessions s on s.id = r.session_id \
         where r.ended_at is null and s.closed_at is not null",
    ),
    (
        "a run that has ended left a call of a tool without a result",
        "select m.id::text from session_messages m \
         join session_runs r on r.id = m.run_id and r.ended_at is not null, jsonb_array_elements(m.parts) c \
         where c ->> 'type' = 'tool_call' and not exists ( \
             select from session_messages o, jsonb_array_elements(o.parts) t where o.session_id = m.session_id \
             and t ->> 'type' = 'tool_result' and t ->> 'callId' = c ->> 'callId') \
         and not exists (select from tool_approvals a where a.run_id = r.id and a.status = 'pending')",
    ),
];

/// Panics if the database violates an invariant.
pub fn check_database(database: &Database) {
    let url = database.url();
    database::block_on(async move {
        let client = database::connect(&url).await;
        for (meaning, statement) in NOTHING {
            let rows = client.query(statement, &[]).await.unwrap();
            let found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
            assert!(found.is_empty(), "{meaning}: {}", found.join(", "));
        }
        // A background task may be between two statements; it finishes within a moment.
        let query = "select count(*) from pg_stat_activity \
                     where state like 'idle in transaction%' and datname = current_database()";
        for _ in 0..400 {
            let count: i64 = client.query_one(query, &[]).await.unwrap().get(0);
            if count == 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("a connection stays idle in a transaction");
    });
}

/// Longest time in which a picture that was begun is drawn.
const DRAWING_LIMIT: Duration = Duration::from_secs(10);

/// Panics unless every file and every derived file has its blob, every blob its file, and no abandoned write remains.
pub fn check_blobs(database: &Database, blob_folder: &Path, may_leave: bool) {
    let (url, folder) = (database.url(), blob_folder.to_owned());
    database::block_on(async move {
        let client = database::connect(&url).await;
        let query =
            "select blob_key, size_bytes from files union all select blob_key, size_bytes from derived_files";
        let begun = Instant::now();
        let (stored, files) = loop {
            let stored: HashSet<String> = stored_blobs(&folder).into_iter().collect();
            let rows = client.query(query, &[]).await.unwrap();
            let files: HashMap<String, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
            // A picture that a page has asked for may still be drawn: its blob comes before its row.
            let is_settled = may_leave || stored.iter().all(|key| files.contains_key(key));
            if is_settled || begun.elapsed() > DRAWING_LIMIT {
                break (stored, files);
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        for (key, size) in &files {
            assert!(stored.contains(key), "the file {key} has no blob");
            let bytes = fs::metadata(folder.join("blobs").join(key)).unwrap().len();
            assert_eq!(i64::try_from(bytes).unwrap(), *size, "the size of {key}");
        }
        for key in stored.iter().filter(|_| !may_leave) {
            assert!(files.contains_key(key), "no file has the blob {key}");
        }
        let begun = "select u.id::text, u.offset_bytes from resumable_uploads u where u.offset_bytes > 0 \
             and u.failure is null and u.attachment is null and not exists ( \
                 select from resumable_uploads joined \
                 where joined.attachment is not null and u.id = any(joined.parts)) \
             and not exists ( \
                 select from applied_uploads a left join resumable_uploads joined on joined.id = a.id \
                 where a.id = u.id or u.id = any(joined.parts))";
        let partial = partial_files(&folder);
        for row in client.query(begun, &[]).await.unwrap() {
            let (id, offset): (String, i64) = (row.get(0), row.get(1));
            let whole = stored.iter().any(|key| key.ends_with(&id));
            let durable = partial.get(&id).is_some_and(|size| i64::try_from(*size).unwrap() >= offset);
            assert!(whole || durable, "the upload {id} lacks some of its {offset} bytes");
        }
    });
}

/// Panics if a log contains a secret or a panic.
pub fn check_log(log: &Path) {
    let text = String::from_utf8_lossy(&fs::read(log).unwrap()).into_owned();
    for (begin, expression) in SECRETS {
        let secret = Regex::new(expression).unwrap();
        for line in text.lines().filter(|line| line.contains(begin)) {
            assert!(!secret.is_match(line), "a secret in {}: {line}", log.display());
        }
    }
    for line in text.lines() {
        assert!(!line.contains("panicked at"), "a panic in {}: {line}", log.display());
    }
}

/// Blobs in a folder, by key.
pub fn stored_blobs(blob_folder: &Path) -> Vec<String> {
    let mut keys: Vec<String> = files(&blob_folder.join("blobs"))
        .into_iter()
        .map(|path| path.strip_prefix(blob_folder.join("blobs")).unwrap().to_str().unwrap().to_owned())
        .collect();
    keys.sort();
    keys
}

/// Files of incomplete resumable uploads, by upload id, with their sizes.
pub fn partial_files(blob_folder: &Path) -> HashMap<String, u64> {
    let sized = |path: PathBuf| {
        let id = path.file_name().and_then(|name| name.to_str()).unwrap().to_owned();
        (id, fs::metadata(&path).unwrap().len())
    };
    files(&blob_folder.join("partial")).into_iter().map(sized).collect()
}

/// Temporary files of writers that run, or ran when their process died.
pub fn staged_files(blob_folder: &Path) -> Vec<PathBuf> {
    files(&blob_folder.join("tmp"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path) } else { vec![path] }
        })
        .collect()
}
