//! The rules of the schema, checked in the database's catalogue.

use std::collections::HashMap;

use testkit::database::Database;

async fn assert_none(rule: &str, query: &str) {
    let database = Database::create().await;
    let rows = database.connect().await.query(query, &[]).await.unwrap();
    let found: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(found.is_empty(), "{rule}: {}", found.join(", "));
}

#[tokio::test]
async fn every_foreign_key_has_an_index_that_begins_with_its_columns() {
    assert_none(
        "foreign keys without an index",
        "select conrelid::regclass || ' ' || conname from pg_constraint c
         where contype = 'f' and connamespace = 'public'::regnamespace
           and not exists (
               select from pg_index i
               where i.indrelid = c.conrelid and i.indpred is null
                 and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey
           )
           -- A column that leads to a project may be found through the project's own index.
           and not (cardinality(conkey) > 1 and exists (
               select from pg_index i
               where i.indrelid = c.conrelid and (i.indkey::int2[])[0] = any(c.conkey)
           ))",
    )
    .await;
}

#[tokio::test]
async fn every_table_has_a_primary_key() {
    assert_none(
        "tables without a primary key",
        "select c.oid::regclass::text from pg_class c
         where relnamespace = 'public'::regnamespace and relkind = 'r'
           and not exists (select from pg_constraint where conrelid = c.oid and contype = 'p')",
    )
    .await;
}

#[tokio::test]
async fn times_have_zones_texts_have_no_limit_and_documents_are_binary() {
    assert_none(
        "columns of a type that is not used here",
        "select table_name || '.' || column_name || ' ' || data_type from information_schema.columns
         where table_schema = 'public' and table_name not like '\\_\\_diesel%'
           and data_type in ('timestamp without time zone', 'time with time zone', 'character varying', 'character',
                             'json', 'real', 'double precision', 'money')",
    )
    .await;
}

#[tokio::test]
async fn every_column_of_closed_text_has_a_check_of_its_values() {
    assert_none(
        "columns without a check of their values",
        "select table_name || '.' || column_name from information_schema.columns c
         where table_schema = 'public' and column_name in ('kind', 'role', 'visibility', 'status')
           -- The lifecycle of a team and of a column is free text.
           and (table_name, column_name) not in (('teams', 'status'), ('team_statuses', 'status'))
           and not exists (
               select from pg_constraint where contype = 'c' and conrelid = table_name::regclass
                 and pg_get_constraintdef(oid) like '%' || column_name || ' = ANY%'
           )",
    )
    .await;
}

#[tokio::test]
async fn every_table_has_a_comment_on_its_rows_and_its_growth() {
    assert_none(
        "tables whose comment has no `Rows: ` or `Grows: `",
        "select c.oid::regclass::text from pg_class c
         where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like '\\_\\_diesel%'
           and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '^.+\\. (Rows|Grows): .+\\.$'",
    )
    .await;
}

#[tokio::test]
async fn every_index_function_trigger_sequence_and_check_across_columns_has_a_comment() {
    assert_none(
        "without a comment",
        "with named as (
             select 'pg_class'::regclass as class, i.indexrelid as id, i.indexrelid::regclass::text as name
             from pg_index i join pg_class c on c.oid = i.indexrelid
             where c.relnamespace = 'public'::regnamespace
               and not exists (select from pg_constraint where conindid = i.indexrelid)
             union all
             select 'pg_class'::regclass, c.oid, c.relname from pg_class c
             where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
               and not exists (select from pg_depend where objid = c.oid and deptype = 'i')
             union all
             select 'pg_proc'::regclass, p.oid, p.oid::regprocedure::text from pg_proc p
             where p.pronamespace = 'public'::regnamespace
               and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
               and p.proname not like 'diesel\\_%'
             union all
             select 'pg_trigger'::regclass, oid, tgname from pg_trigger where not tgisinternal
             union all
             select 'pg_constraint'::regclass, oid, conname from pg_constraint
             where connamespace = 'public'::regnamespace and contype = 'c' and cardinality(conkey) > 1
         )
         select name from named n where obj_description(n.id, n.class::text) is null",
    )
    .await;
}

#[tokio::test]
async fn every_index_and_constraint_is_valid() {
    assert_none(
        "invalid",
        "select indexrelid::regclass::text from pg_index where not indisvalid
         union all
         select conname from pg_constraint where not convalidated",
    )
    .await;
}

/// The declarations of `store` have the columns in the order of the table. They may omit columns that only triggers and
/// generated columns write.
#[tokio::test]
async fn the_tables_of_diesel_equal_those_of_the_database() {
    let database = Database::create().await;
    let query = "select table_name || '.' || column_name, case data_type
             when 'bigint' then 'Int8' when 'integer' then 'Int4'
             when 'boolean' then 'Bool'
             when 'timestamp with time zone' then 'Timestamptz'
             when 'ARRAY' then format('Array<%s>', initcap(substr(udt_name, 2)))
             else initcap(data_type) end as type, is_nullable = 'YES'
         from information_schema.columns where table_schema = 'public'
         order by table_name, ordinal_position";
    let rows = database.connect().await.query(query, &[]).await.unwrap();
    let columns = rows.iter().map(|row| {
        let kind: String = row.get(1);
        (row.get(0), if row.get(2) { format!("Nullable<{kind}>") } else { kind })
    });
    let columns: HashMap<String, (usize, String)> =
        columns.enumerate().map(|(position, (name, kind))| (name, (position, kind))).collect();
    let (mut table, mut sql_name, mut last) = (String::new(), None, None);
    for line in include_str!("../../../database/src/schema.rs").lines().map(str::trim) {
        if let Some((name, "{")) =
            line.split_once(" (").and_then(|(name, rest)| Some((name, rest.split_once(") ")?.1)))
        {
            (table, last) = (name.to_owned(), None);
        } else if let Some(name) = line.strip_prefix("#[sql_name = \"") {
            sql_name = name.strip_suffix("\"]");
        } else if let Some((field, kind)) = line.strip_suffix(',').and_then(|line| line.split_once(" -> ")) {
            let name = format!("{table}.{}", sql_name.take().unwrap_or(field));
            let (position, found) = &columns[&name];
            assert_eq!(kind.replace("BigInt", "Int8"), *found, "{name}");
            assert!(last < Some(*position), "{name} stands before {last:?} in the database");
            last = Some(*position);
        }
    }
}

#[tokio::test]
async fn the_audit_log_is_append_only_for_thirty_days() {
    let database = Database::create().await;
    let client = database.connect().await;
    client
        .batch_execute(
            "insert into audit_log (occurred_at, action, target_id) values (now(), 'x', gen_random_uuid())",
        )
        .await
        .unwrap();
    client
        .batch_execute(
            "insert into audit_log (occurred_at, action) values (now() - interval '31 days', 'y');
             delete from audit_log where action = 'y'",
        )
        .await
        .unwrap();
    for statement in ["update audit_log set action = 'y'", "delete from audit_log", "truncate audit_log"] {
        let refused = client.batch_execute(statement).await.unwrap_err();
        assert!(refused.as_db_error().unwrap().message().contains("append-only"), "{statement}");
    }
}
