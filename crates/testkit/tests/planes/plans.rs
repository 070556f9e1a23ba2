//! Query plans in tables where one project has thousands of rows and most have a few: plans for small projects must not
//! scan the large one.

use testkit::open_session::OpenSession;
use testkit::plan::PlannedStatement;

/// Far below the rows of the large project, and above those of any plan by key.
const FEW_ROWS: f64 = 100.0;

#[tokio::test]
async fn uploads_edits_and_cards_in_a_large_project_are_found_by_key() {
    let opened = OpenSession::own().await;
    let (project, session) = (&opened.session.project, &opened.session.id);
    let client = opened.deployment.database.connect().await;
    client
        .batch_execute(&format!(
            "insert into projects
             select gen_random_uuid(), owner_id, 'small ' || n, 'small-' || n, description, visibility, null, null,
                 default_branch, created_by, created_at, updated_at
             from projects, generate_series(1, 400) n where id = '{project}';
             insert into branches (id, project_id, name, revision, created_at)
             select gen_random_uuid(), id, 'main', 1, now() from projects where name like 'small %';
             insert into working_changes (branch_id, object_id, record, changed_at)
             select b.id, gen_random_uuid(), '{{}}', now()
             from branches b cross join lateral
                 generate_series(1, case when b.project_id = '{project}' then 4000 else 2 end) n;
             insert into applied_uploads (id, project_id, session_id, objects, applied_at)
             select gen_random_uuid(), p.id, '{session}', '{{}}', now()
             from projects p cross join lateral
                 generate_series(1, case when p.id = '{project}' then 4000 else 2 end) n;
             insert into cards (id, project_id, name, description, resolution, effort, is_open, created_by, created_at,
                 updated_at, history_head_id, history_head_sequence)
             select gen_random_uuid(), p.id, 'card', '', '', 0, true, p.created_by, now(), now(), gen_random_uuid(), n
             from projects p cross join lateral
                 generate_series(1, case when p.id = '{project}' then 4000 else 2 end) n;
             insert into index_cards (card_id, project_id, is_open, search_document)
             select id, project_id, true, '' from cards;
             analyze"
        ))
        .await
        .unwrap();
    let branch: String = client
        .query_one("select id::text from branches where project_id::text = $1", &[project])
        .await
        .unwrap()
        .get(0);
    let object = &opened.model;
    let statements = [
        PlannedStatement {
            sql: include_str!("../../../store/src/resources/content/attachments/states.sql"),
            types: "uuid[], text[], uuid[], bigint[], uuid[], bigint[]",
            arguments: &format!(
                "'{{{project}}}', '{{main}}', '{{{object}}}', '{{1}}', '{{{object}}}', '{{1}}'"
            ),
        },
        PlannedStatement {
            sql: include_str!("../../../store/src/resources/content/attachments/lock.sql"),
            types: "uuid[], uuid[], uuid[], uuid[], uuid[], text[]",
            arguments: &format!(
                "'{{{project}}}', '{{{}}}', '{{{session}}}', '{{null}}', '{{null}}', '{{main}}'",
                opened.alice.id
            ),
        },
        PlannedStatement {
            sql: include_str!("../../../store/src/resources/branch_objects/find_changed.sql"),
            types: "uuid, uuid[]",
            arguments: &format!("'{branch}', '{{{object}}}'"),
        },
        PlannedStatement {
            sql: include_str!("../../../store/src/access/card.sql"),
            types: "uuid[], uuid",
            arguments: &format!("'{{{object}}}', '{project}'"),
        },
    ];
    for statement in statements {
        let (rows, plan) = statement.rows_touched(&client, "force_generic_plan").await;
        assert!(rows < FEW_ROWS, "{rows} rows: {plan:#}");
    }
    // A page of cards of the large project, in each order: the rows of its index, and those joined to them.
    let list = include_str!("../../../store/src/resources/planning/cards/list.sql");
    let list = list.replace("(c.updated_at, c.id) < ($33, $34)", "true");
    for order in [
        "c.id desc",
        "c.id",
        "c.updated_at desc, c.id desc",
        "coalesce(c.deadline, 'infinity'::timestamptz), c.id",
        "array_position('{urgent,high,medium,low,none}'::text[], c.priority), c.id desc",
    ] {
        let sql = list.replace("c.updated_at desc, c.id desc", order);
        let types = "uuid, boolean, uuid[], uuid[], uuid[], uuid[], text, timestamptz, uuid[], uuid[], timestamptz, \
                     timestamptz, text[], text[], timestamptz, timestamptz, uuid[], uuid[], uuid[], uuid[], uuid[], \
                     uuid[], uuid[], text[], text[], text[], text[], uuid[], uuid[], boolean, uuid[], bigint, \
                     timestamptz, uuid";
        // Without a filter, and with filters that most cards pass.
        let none = ("null", "'{}'", "'{}'");
        let missing = ("'{null}'", "'{}'", "'{low}'");
        let negated = ("null", "'{null}'", "'{urgent,high}'");
        for (assignees, teams, priorities) in [none, missing, negated] {
            let not_teams = teams.replace("null", object);
            let arguments = format!(
                "'{project}', null, null, '{{}}', {assignees}, '{{}}', null, null, null, '{{}}', null, null, \
                 null, '{{}}', \
                 '2026-11-29', '2026-12-07', null, {not_teams}, null, '{{}}', null, '{{}}', '{{}}', null, \
                 {priorities}, \
                 null, '{{}}', null, '{{}}', null, '{{}}', 10, null, null"
            );
            let statement = PlannedStatement { sql: &sql, types, arguments: &arguments };
            let (rows, plan) = statement.rows_touched(&client, "force_custom_plan").await;
            assert!(rows < FEW_ROWS, "{order}, {assignees}: {rows} rows: {plan:#}");
        }
    }
    // These artificial rows would fail the checks at the end.
    let clear = "delete from cards; delete from applied_uploads; delete from working_changes where record = '{}'; \
                 delete from projects where name like 'small %'";
    client.batch_execute(clear).await.unwrap();
}

#[tokio::test]
async fn due_cards_are_found_among_many_closed_ones_and_many_without_a_deadline() {
    let opened = OpenSession::own().await;
    let project = &opened.session.project;
    let client = opened.deployment.database.connect().await;
    // Of 4,000 cards every second is closed and was due, and ten of the others are due.
    client
        .batch_execute(&format!(
            "insert into cards (id, project_id, name, description, resolution, effort, is_open, closed_at, deadline,
                 created_by, created_at, updated_at, history_head_id, history_head_sequence)
             select gen_random_uuid(), p.id, 'card', '', '', 0, n % 2 = 0, case when n % 2 = 1 then now() end,
                 case when n % 2 = 1 then now() - n * interval '1 hour'
                    when n % 400 = 0 then now() + interval '1 day' end,
                 p.created_by, now(), now(), gen_random_uuid(), n
             from projects p, generate_series(1, 4000) n where p.id = '{project}';
             analyze cards"
        ))
        .await
        .unwrap();
    let statement = PlannedStatement {
        sql: include_str!("../../../store/src/resources/planning/calendars/due_in_projects.sql"),
        types: "uuid[], timestamptz, timestamptz, bigint, bigint",
        arguments: &format!("'{{{project}}}', now() - interval '366 days', now(), 2000, 1000"),
    };
    // The table is so small that a join with the few cards that are due reads all of it at once.
    client.batch_execute("set enable_hashjoin = off; set enable_mergejoin = off").await.unwrap();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        let (rows, plan) = statement.rows_touched(&client, mode).await;
        assert!(rows < 4.0 * FEW_ROWS, "{mode}: {rows} rows: {plan:#}");
    }
    client.batch_execute("delete from cards").await.unwrap();
}

#[tokio::test]
async fn texts_with_a_rare_word_are_found_by_its_keys_and_those_with_a_frequent_one_in_their_order() {
    let opened = OpenSession::own().await;
    let project = &opened.session.project;
    let client = opened.deployment.database.connect().await;
    // 4 of 20,000 texts have the key 8, the others the key 9; -7 stands for the project.
    client
        .batch_execute(&format!(
            "insert into texts (project_id, sha256, grams)
             select '{project}', decode(lpad(to_hex(n), 64, '0'), 'hex'),
                 array[-7, 5, case when n % 5000 = 0 then 8 else 9 end]
             from generate_series(1, 20000) n;
             insert into text_objects select id, gen_random_uuid() from texts;
             analyze texts, text_objects"
        ))
        .await
        .unwrap();
    for (keys, most) in [("8, -7", FEW_ROWS), ("9, -7", 4.0 * FEW_ROWS)] {
        let statement = PlannedStatement {
            sql: include_str!("../../../store/src/resources/content/texts/find.sql"),
            types: "uuid, bigint[], bigint, uuid, bigint",
            arguments: &format!("'{project}', '{{{keys}}}', 0, '00000000-0000-0000-0000-000000000000', 22"),
        };
        let (rows, plan) = statement.rows_touched(&client, "force_custom_plan").await;
        assert!(rows < most, "{rows} rows of {keys}: {plan:#}");
    }
}
