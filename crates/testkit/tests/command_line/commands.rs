//! The small commands: credentials, projects, trees, commits, any request.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use testkit::deployment::Options;

use crate::support::{CommandLine, Finished, files_below};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_from_standard_input_is_kept_in_a_private_file() {
    let terminal = CommandLine::own().await;
    let key_file = terminal.write("key", terminal.caller.credential());
    let home = terminal.files.path().join("home");
    let of_home = |arguments: &[&str]| {
        let mut command = terminal.command(arguments);
        command.env("HOME", &home).env_remove("ATELIER_KEY");
        command
    };
    let signed_out = Finished::of(of_home(&["whoami"]).output().await.unwrap()).expect(4);
    assert!(signed_out.stderr.contains("atelier login --url"), "{}", signed_out.stderr);
    let mut login = of_home(&["login"]);
    login.stdin(std::fs::File::open(key_file).unwrap());
    let signed_in = Finished::of(login.output().await.unwrap()).expect(0);
    assert!(signed_in.stderr.starts_with("Signed in as ada"), "{}", signed_in.stderr);
    assert!(!signed_in.stderr.contains(terminal.caller.credential()));
    for file in files_below(&home) {
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            file.display()
        );
    }

    let mut known = of_home(&["whoami", "--json"]);
    known.env_remove("ATELIER_URL");
    let known = Finished::of(known.output().await.unwrap()).expect(0).lines();
    assert_eq!(known[0]["user"]["id"], json!(terminal.user.id));
    // The key of one service is never sent to another.
    let elsewhere = Finished::of(of_home(&["whoami", "--url", "http://127.0.0.1:9"]).output().await.unwrap());
    elsewhere.expect(4);
    Finished::of(of_home(&["logout"]).output().await.unwrap()).expect(0);
    Finished::of(of_home(&["whoami"]).output().await.unwrap()).expect(4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_is_created_for_its_owner_by_the_name_it_is_called_by() {
    let terminal = CommandLine::open().await;
    let created =
        terminal.run(&["projects", "create", "Spur gears", "--visibility", "public", "--json"]).await;
    assert_eq!(created.expect(0).lines()[0]["projectSlug"], json!("spur-gears"));
    let listed = terminal.run(&["projects", "list", "spur", "--json"]).await.expect(0).lines();
    assert_eq!((listed.len(), &listed[0]["visibility"]), (1, &json!("public")));
    let unknown = terminal.run(&["projects", "create", "Worm gears", "--org", "nobodys"]).await.expect(6);
    assert!(unknown.stderr.contains("nobodys"), "{}", unknown.stderr);
    assert_eq!(terminal.run(&["projects", "list", "worm", "--json"]).await.expect(0).stdout, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_is_listed_drawn_and_committed() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/a.txt", "a");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    let listed = terminal.run(&["projects"]).await.expect(0).stdout;
    assert!(listed.contains("ada/gearbox") || listed.contains("/gearbox"), "{listed}");
    let drawn = terminal.run(&["tree", "gearb"]).await.expect(0).stdout;
    let lines: Vec<&str> = drawn.lines().collect();
    assert_eq!(
        lines,
        [
            "gearbox @ main (2 uncommitted)",
            "├── Model  package  1",
            "│   └── + parts  folder  1",
            "│       └── + a.txt  file",
            "└── Library  package",
        ],
        "{drawn}"
    );
    terminal.run(&["commit", "gearbox", "-m", "Import parts"]).await.expect(0);
    let again = terminal.run(&["commit", "gearbox", "-m", "Again"]).await.expect(1);
    assert!(again.stderr.contains("no uncommitted changes"), "{}", again.stderr);
    let log = terminal.run(&["log", "gearbox", "--json"]).await.expect(0).lines();
    assert_eq!(log[0]["message"], json!("Import parts"));
}

#[tokio::test(flavor = "multi_thread")]
async fn names_that_fit_nothing_or_several_are_refused() {
    let terminal = CommandLine::open().await;
    testkit::session::create_project(&terminal.caller, "gearbox two").await;
    let several = terminal.run(&["tree", "gear"]).await.expect(2).stderr;
    assert!(several.contains("may be any of") && several.contains("gearbox-two"), "{several}");
    // Both are of one owner.
    assert!(several.contains("Name more of it, or its id"), "{several}");
    let by_name = terminal.run(&["tree", "GEARBOX two"]).await.expect(0).stdout;
    assert!(by_name.starts_with("gearbox-two @ main"), "{by_name}");
    terminal.run(&["tree", "gearbox"]).await.expect(0);
    let absent = terminal.run(&["tree", "nothing"]).await.expect(6).stderr;
    assert!(absent.contains("no project \"nothing\"") && absent.contains("atelier projects"), "{absent}");
    let absent = terminal.run(&["tree", "0198c5f0-0000-7000-8000-000000000000"]).await.expect(6).stderr;
    assert!(absent.contains("atelier projects"), "{absent}");
    let absent = terminal.run(&["tree", "gearbox:/Model/None"]).await.expect(6).stderr;
    assert!(absent.contains("no object \"None\""), "{absent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistyped_command_is_an_error_and_no_filter() {
    let terminal = CommandLine::open().await;
    for list in ["projects", "projects list", "projects list gear", "--json projects list gear"] {
        let found = terminal.run(&list.split(' ').collect::<Vec<_>>()).await.expect(0).stdout;
        assert!(found.contains("gearbox"), "{list}: {found}");
    }
    for list in ["projects --json list", "projects list --json"] {
        let found = terminal.run(&list.split(' ').collect::<Vec<_>>()).await.expect(0).lines();
        assert_eq!(found[0]["projectSlug"], json!("gearbox"), "{list}");
    }
    for (mistyped, suggested) in [("projects creat", "create"), ("tags lst", "list"), ("card list", "cards")]
    {
        let refused = terminal.run(&mistyped.split(' ').collect::<Vec<_>>()).await.expect(2).stderr;
        assert!(refused.contains("unrecognized subcommand") && refused.contains(suggested), "{refused}");
    }
    // A command that is for Git alone is suggested to nobody.
    for mistyped in ["git", "git-credentials", "credential"] {
        let refused = terminal.run(&[mistyped]).await.expect(2).stderr;
        assert!(!refused.contains("'git-credential'"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changes_something_takes_no_beginning_of_a_name() {
    let terminal = CommandLine::open_with(&["projects:manage", "cards:manage"]).await;
    terminal.write("a.bin", "\0a");
    let before = terminal.tree().await;
    for command in [
        "upload a.bin --to gearb:/Model",
        "commit gearb -m x",
        "discard gearb",
        "branches create gearb teeth",
        "objects rm gearb:/Model",
        "objects edit gearb:/Model --set x=1",
        "merge gearb main",
        "cards create gearb Cut",
        "projects rm gearb",
        "projects rename gearb Gears",
        "tags create gearb urgent",
        "exec gearb:/Model",
    ] {
        let refused = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(2).stderr;
        assert!(refused.contains("\"gearb\" is not the whole name of a project"), "{command}: {refused}");
        assert!(refused.contains("/gearbox"), "{command}: {refused}");
    }
    assert_eq!(terminal.tree().await, before);
    terminal.run(&["cards", "create", "gearbox", "Cut the teeth"]).await.expect(0);
    for command in ["cards rm gearbox Cut", "cards edit gearbox Cut --close", "cards assign gearbox cut"] {
        let refused = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(2).stderr;
        assert!(refused.contains("'Cut the teeth'"), "{command}: {refused}");
    }
    // What only reads takes it.
    terminal.run(&["cards", "show", "gearb", "cut"]).await.expect(0);
    terminal.run(&["cards", "rm", "gearbox", "cut the teeth"]).await.expect(0);
    terminal.run(&["projects", "rename", "gearbox", "Gears"]).await.expect(0);
    terminal.run(&["projects", "rm", "gears"]).await.expect(0);
    terminal.run(&["tree", "gearbox"]).await.expect(6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_what_is_wrong_in_words_of_the_command_line() {
    let terminal = CommandLine::open().await;
    for (command, code, words) in [
        ("commit gearbox -m ", 2, "the message is empty"),
        ("merge gearbox main -m ", 2, "the message is empty"),
        ("objects edit gearbox:/Model --set =1", 2, "\"=1\" is not KEY=VALUE"),
        ("objects edit gearbox:/Model --unset none", 1, "Model has no property \"none\""),
    ] {
        let refused = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(code).stderr;
        assert!(refused.contains(words), "{command}: {refused}");
    }
    let help = terminal.run(&["--help"]).await.expect(0).stdout;
    let failed = terminal.run(&["tree", "none", "--json"]).await.expect(6).lines();
    for field in failed[0]["error"].as_object().unwrap().keys() {
        assert!(help.contains(&format!("\"{field}\"")), "{field}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn completions_offer_no_command_that_is_for_git() {
    let terminal = CommandLine::open().await;
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = terminal.run(&["completions", shell]).await.expect(0).stdout;
        assert!(script.contains("branches") && !script.contains("git-credential"), "{shell}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn man_pages_keep_the_lines_of_examples_and_name_the_variables() {
    let terminal = CommandLine::open().await;
    terminal.run(&["man", "pages"]).await.expect(0);
    let page = |name: &str| std::fs::read_to_string(terminal.files.path().join("pages").join(name)).unwrap();
    let sync = page("atelier-sync.1");
    let examples = sync.split(".SH EXAMPLES\n.nf\n").nth(1).unwrap();
    assert!(examples.starts_with("  atelier sync gearbox ./gearbox\n"), "{examples}");
    assert!(sync.contains(".SH NOTES\n") && sync.contains(".SH JSON\n.nf\nWith "), "{sync}");
    assert!(sync.contains("\nATELIER_URL "), "{sync}");
    assert!(page("atelier-objects-list.1").contains("\nATELIER_KEY "));
    let program = page("atelier.1");
    let codes = program.split(".SH EXIT STATUS\n.nf\n").nth(1).unwrap();
    assert!(codes.contains("\n  130  stopped; the state is kept\n"), "{codes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn any_request_can_be_sent() {
    let terminal = CommandLine::open().await;
    let me = terminal.run(&["api", "/api/v2/me"]).await.expect(0).lines();
    assert_eq!(me[0]["user"]["id"], json!(terminal.user.id));
    let made =
        terminal.run(&["api", "/api/v2/projects", "-d", r#"{"name": "By hand"}"#]).await.expect(0).lines();
    assert_eq!(made[0]["projectSlug"], json!("by-hand"));
    let refused = terminal.run(&["api", "/api/v2/projects", "-d", "{}", "--json"]).await.expect(1);
    let lines = refused.lines();
    assert_eq!((lines.len(), &lines[0]["error"]["code"]), (1, &json!("INVALID_REQUEST")));
    // The body as it was sent: this program's own failures have other fields.
    assert!(lines[0]["error"]["details"]["issues"].is_array(), "{}", refused.stdout);
    let absent = terminal.run(&["api", "/api/v2/nope"]).await.expect(6);
    assert_eq!(absent.lines()[0]["error"]["code"], json!("NOT_FOUND"));
    assert!(absent.stderr.contains("atelier api /api/v2/openapi.json"), "{}", absent.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_sent_to_its_own_service_alone() {
    let terminal = CommandLine::open().await;
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    other.set_nonblocking(true).unwrap();
    let host = other.local_addr().unwrap();
    for path in
        [format!("//{host}/x"), format!("/\\{host}/x"), format!("/\t/{host}/x"), format!("/\n\\{host}/x")]
    {
        let refused = terminal.run(&["api", &path]).await.expect(2).stderr;
        assert!(refused.contains("not a path of the service"), "{refused}");
        assert!(refused.contains("atelier api /api/v2/me"), "{refused}");
        assert!(other.accept().is_err(), "{path:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_prints_the_documented_json_and_nothing_else() {
    let scopes = ["projects:manage", "cards:manage", "usage:read"];
    let terminal = CommandLine::with(Options::default(), &scopes).await;
    terminal.write("parts/a.txt", "a");
    let mut wrong = Vec::new();
    for (command, fields) in [
        ("whoami", "user url"),
        ("projects", "id projectSlug ownerSlug visibility"),
        ("projects edit gearbox --description Teeth", "id projectSlug description"),
        ("projects members gearbox", "userId name role isDirect"),
        ("projects list gear", "id projectSlug ownerSlug visibility"),
        ("upload parts --to gearbox:/Model", "event"),
        ("tree gearbox", "id name type parent path change"),
        ("objects list gearbox:/Model", "id name type parent"),
        ("objects show gearbox:/Model/parts", "id name type parent data"),
        ("objects edit gearbox:/Model/parts --set finish=zinc", "id name type parent data"),
        ("download gearbox:/Model/parts/a.txt -o b.txt", "objectId path sha256 size"),
        ("sync gearbox:/Model copy", "event"),
        ("diff gearbox", "change objectId path type fields"),
        ("commit gearbox -m Import", "hash message"),
        ("discard gearbox", "deleted branch discardedCount"),
        ("log gearbox", "hash message"),
        ("branches create gearbox teeth", "name commitHash"),
        ("branches list gearbox", "name commitHash isDefault"),
        ("branches rm gearbox teeth", "deleted branch"),
        ("versions gearbox:/Model/parts/a.txt", "commitHash createdAt file downloadUrl"),
        ("objects rm gearbox:/Model/parts", "objectId deletedCount"),
        ("clone gearbox cloned", "folder url"),
        ("cards create gearbox Cut", "card"),
        ("cards list gearbox", "id name"),
        ("cards show gearbox Cut", "card indexCard comments commits"),
        ("cards edit gearbox Cut --effort 3", "card"),
        ("cards comment gearbox Cut Done", "comment"),
        ("work", "cards mentioned approvals"),
        ("tags create gearbox urgent", "id name color"),
        ("tags rename gearbox urgent now", "id name"),
        ("cards tag gearbox Cut now", "card"),
        ("cards untag gearbox Cut now", "deleted cardId id"),
        ("cards assign gearbox Cut", "card"),
        ("cards unassign gearbox Cut", "deleted cardId id"),
        ("tags rm gearbox now", "deleted tagId untaggedCards"),
        ("cards rm gearbox Cut", "deleted cardId"),
        ("history gearbox", "sequence"),
        ("usage gearbox", "groupBy groups totals"),
        ("api /api/v2/me", "user"),
        ("logout", "profile removed"),
    ] {
        let arguments: Vec<&str> = command.split(' ').chain(["--json"]).collect();
        let lines = terminal.run(&arguments).await.expect(0).lines();
        let has_all = |line: &serde_json::Value| fields.split(' ').all(|field| line.get(field).is_some());
        if lines.is_empty() || !lines.iter().all(has_all) {
            wrong.push(format!("{command}: {fields}: {lines:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The shapes of events in a command's help: the names of their fields.
fn documented_events(help: &str) -> Vec<BTreeSet<String>> {
    let braced = help.split("{\"event\"").skip(1).filter_map(|text| text.split_once('}'));
    let names = |(fields, _): (&str, &str)| {
        let quoted = fields.split(',').filter_map(|field| field.split('"').nth(1).map(str::to_owned));
        // The first value is the kind of the event.
        quoted.skip(1).chain(["event".to_owned()]).collect()
    };
    braced.map(names).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn events_have_exactly_the_fields_that_the_help_names() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(3);
    terminal.write("parts/bad\\name", "b");
    for (command, code) in [
        ("upload parts --to gearbox:/Model --dry-run", 3),
        ("upload parts --to gearbox:/Model", 3),
        ("sync gearbox:/Model copy", 0),
    ] {
        let name = command.split(' ').next().unwrap();
        let documented = documented_events(&terminal.run(&[name, "--help"]).await.expect(0).stdout);
        let arguments: Vec<&str> = command.split(' ').chain(["--json"]).collect();
        for line in terminal.run(&arguments).await.expect(code).lines() {
            let fields: BTreeSet<String> = line.as_object().unwrap().keys().cloned().collect();
            assert!(documented.contains(&fields), "{command}: {line} beside {documented:?}");
        }
    }
}
