//! A person at a terminal: questions before something is deleted, and tables as wide as the terminal.

use tokio::io::AsyncWriteExt as _;

use crate::support::{CommandLine, Finished};

/// Runs the program in a terminal of this width, types an answer, and answers its exit code and what it has shown.
async fn run(terminal: &CommandLine, columns: u32, arguments: &str, answer: &str) -> (i32, String) {
    let program = testkit::environment::program("atelier");
    let mut command = terminal.command(&[]);
    let environment: Vec<_> = command
        .as_std()
        .get_envs()
        .map(|(name, value)| (name.to_owned(), value.unwrap().to_owned()))
        .collect();
    command = tokio::process::Command::new("script");
    let line = format!("stty cols {columns}; exec '{}' {arguments}", program.display());
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    command.env_clear().envs(environment).env("PATH", std::env::var_os("PATH").unwrap()).env("NO_COLOR", "1");
    command.current_dir(terminal.files.path()).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(answer.as_bytes()).await.unwrap();
    let ended = Finished::of(child.wait_with_output().await.unwrap());
    drop(input);
    (ended.code, ended.stdout.replace('\r', ""))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_before_more_than_one_object_is_deleted() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/a.bin", "\0a");
    terminal.write("parts/b.bin", "\0b");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    let remove = "objects rm gearbox:/Model/parts";
    let (code, shown) = run(&terminal, 80, remove, "n\n").await;
    assert!(shown.contains("2 objects below would be deleted, too. Go on? [y/N]"), "{shown}");
    assert!(code == 130 && shown.contains("nothing was changed"), "{code}: {shown}");
    assert_eq!(terminal.tree().await.len(), 2);
    // An object alone is deleted without a question.
    let (code, shown) = run(&terminal, 80, "objects rm gearbox:/Model/parts/a.bin", "").await;
    assert!(code == 0 && !shown.contains("[y/N]"), "{code}: {shown}");
    assert_eq!(run(&terminal, 80, remove, "y\n").await.0, 0);
    assert!(terminal.tree().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_asked_before_a_branch_or_changes_are_lost() {
    let terminal = CommandLine::open().await;
    terminal.run(&["branches", "create", "gearbox", "teeth"]).await.expect(0);
    let (code, shown) = run(&terminal, 80, "branches rm gearbox teeth", "\n").await;
    assert!(code == 130 && shown.contains("Delete the branch teeth of gearbox"), "{code}: {shown}");
    let (code, shown) = run(&terminal, 80, "branches rm gearbox teeth --yes", "").await;
    assert!(code == 0 && !shown.contains("[y/N]"), "{code}: {shown}");

    terminal.write("a.bin", "\0a");
    terminal.run(&["upload", "a.bin", "--to", "gearbox:/Model"]).await.expect(0);
    let (code, shown) = run(&terminal, 80, "discard gearbox", "no\n").await;
    assert!(
        code == 130 && shown.contains("all 1 object of gearbox? It can't be brought back."),
        "{code}: {shown}"
    );
    assert_eq!(run(&terminal, 80, "discard gearbox", "yes\n").await.0, 0);
    assert!(terminal.tree().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_as_wide_as_its_terminal() {
    let terminal = CommandLine::open().await;
    let name = "A part with a name that is longer than a narrow terminal.bin";
    terminal.write(name, "\0part");
    terminal.run(&["upload", name, "--to", "gearbox:/Model"]).await.expect(0);
    let (_, shown) = run(&terminal, 90, "objects list gearbox", "").await;
    assert!(shown.contains('…') && shown.lines().all(|line| line.chars().count() <= 90), "{shown}");
    let piped = terminal.run(&["objects", "list", "gearbox"]).await.expect(0).stdout;
    assert!(piped.contains(name), "{piped}");
}
