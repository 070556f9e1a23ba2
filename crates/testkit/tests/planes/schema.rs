//! The rules of the schema, asked of the schema itself.

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
async fn every_time_has_a_zone_every_text_is_unlimited_and_every_document_is_binary() {
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
async fn every_column_of_closed_text_says_which_values_it_takes() {
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
async fn the_audit_log_is_append_only() {
    let database = Database::create().await;
    let client = database.connect().await;
    client
        .batch_execute(
            "insert into audit_log (occurred_at, action, target_id) values (now(), 'x', gen_random_uuid())",
        )
        .await
        .unwrap();
    for statement in ["update audit_log set action = 'y'", "delete from audit_log", "truncate audit_log"] {
        let refused = client.batch_execute(statement).await.unwrap_err();
        assert!(refused.as_db_error().unwrap().message().contains("append-only"), "{statement}");
    }
}
