//! PgBouncer between the service and PostgreSQL. `ATELIER_TEST_PGBOUNCER` names the program, of any version.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use database::Database;
use database::config::DatabaseConfig;
use database::connection::Begin;
use database::query::RunQueryDsl;
use database::statement::Statement;
use diesel::sql_types::Integer;
use domain::Code;
use futures_util::future::join_all;
use testkit::postgres::PrivatePostgres;
use testkit::redis::free_port;
use tokio::net::TcpStream;

/// The settings of the page on operations.
const OPERATIONS: &str = include_str!("../../../docs/operations.md");

struct Pooler(Child);

impl Drop for Pooler {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

async fn start(program: &str, folder: &Path, port: u16, server: u16, more: &str) -> Pooler {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(folder.join("users"), "\"atelier\" \"\"\n").unwrap();
    let settings = format!(
        "[databases]\n* = host=127.0.0.1 port={server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
         unix_socket_dir =\nauth_type = trust\nauth_file = {}/users\npool_mode = transaction\n\
         default_pool_size = 4\n{more}\n",
        folder.display()
    );
    fs::write(folder.join("pgbouncer.ini"), settings).unwrap();
    let mut command = Command::new(program);
    // It refuses to run as root.
    command.args(["-q", "-u", "postgres"]).arg(folder.join("pgbouncer.ini"));
    let started = Pooler(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    started
}

#[tokio::test]
async fn a_pooler_of_transactions_works_with_all_limits_or_is_refused_with_the_reason() {
    let Ok(program) = std::env::var("ATELIER_TEST_PGBOUNCER") else {
        eprintln!("NOT TESTED: ATELIER_TEST_PGBOUNCER names no PgBouncer");
        return;
    };
    let version = Command::new(&program).arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let minor: u32 = version.split('.').nth(1).unwrap().parse().unwrap();
    let server = PrivatePostgres::start();
    let server_port = server.url().rsplit_once(':').unwrap().1.split('/').next().unwrap().parse().unwrap();
    let client = testkit::database::connect(&server.url()).await;
    client.batch_execute("create table numbers (value int)").await.unwrap();
    for more in ["", "ignore_startup_parameters = options"] {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let pooler = start(&program, folder.path(), port, server_port, more).await;
        let url = server.url().replace(&server_port.to_string(), &port.to_string());
        let config = || DatabaseConfig { url: url.clone(), max_connections: 8, statement_secs: 30 };

        client.batch_execute("alter role atelier reset all").await.unwrap();
        let database = Database::open(&config()).unwrap();
        let refused = database.connect().await.map(drop).unwrap_err();
        assert_eq!(refused.code, Code::Unavailable);
        for name in ["lock_timeout = '5000'", "statement_timeout = '30000'", "plan_cache_mode", "jit"] {
            assert!(refused.chain().contains(name), "{}", refused.chain());
        }

        for line in OPERATIONS.lines().filter(|line| line.starts_with("alter role atelier set ")) {
            client.batch_execute(line).await.unwrap();
        }
        // Settings of a role are those of connections that begin later.
        drop(pooler);
        let _pooler = start(&program, folder.path(), port, server_port, more).await;
        let database = Database::open(&config()).unwrap();
        if minor < 21 {
            let refused = database.connect().await.map(drop).unwrap_err();
            assert!(refused.chain().contains("PgBouncer 1.21 or later"), "{}", refused.chain());
            continue;
        }
        let numbers = (0..40).map(async |number: i32| {
            let connection = database.begin(Begin::WRITE).await.unwrap();
            let insert = |value| {
                let statement = Statement::new("insert into numbers values ($1)").bind::<Integer, _>(value);
                async { Ok(statement.execute(&connection).await?) }
            };
            insert(number).await.unwrap();
            connection.commit_with(insert(number)).await.unwrap();
        });
        join_all(numbers).await;
        let count: i64 = client.query_one("select count(*) from numbers", &[]).await.unwrap().get(0);
        assert_eq!(count, 80);
        client.batch_execute("truncate numbers").await.unwrap();
    }
}
