//! Words of failures: they name what was typed, and the next command can be typed as it is shown.

use testkit::deployment::Options;

use crate::support::{CommandLine, Finished};

#[tokio::test(flavor = "multi_thread")]
async fn the_next_command_can_be_typed_as_it_is_shown() {
    let terminal = CommandLine::with(Options::default(), &["projects:manage", "usage:read"]).await;
    terminal.run(&["branches", "create", "gearbox", "a(b)"]).await.expect(0);
    terminal.run(&["branches", "create", "gearbox", "teeth"]).await.expect(0);
    for (command, code, next) in [
        ("tree gearbox--teeth:/Nope", 6, "atelier tree gearbox--teeth\n"),
        ("tree gearbox--a(b):/Nope", 6, "atelier tree 'gearbox--a(b)'\n"),
        ("download gearbox", 2, "gearbox:/Model/Shaft"),
        ("download gearbox:/Model", 1, "atelier sync gearbox:/"),
        ("upload . --to gearbox/Model", 6, "follows a colon: gearbox:/Model"),
        ("usage --from 2026-12-02 --to 2026-12-01", 2, "--to must not be before --from"),
        ("history gearbox --from 2026-12-02 --to 2026-12-01", 2, "--to must not be before --from"),
        ("cards create gearbox Cut --effort -3", 2, "must be an integer from 0 to"),
        ("api /api/v2/projects -d @nowhere.json", 6, "cannot read nowhere.json: there is no such file"),
        ("exec gearbox nowhere.py", 6, "cannot read nowhere.py: there is no such file"),
        ("exec gearbox a.py --language perl", 2, "[possible values: javascript, python]"),
        ("keys create k --scope cards", 2, "cards:read, "),
    ] {
        let refused = terminal.run(&command.split(' ').collect::<Vec<_>>()).await.expect(code).stderr;
        assert!(refused.contains(next), "{command}: {refused}");
    }
    let nothing = terminal.run(&["login"]).await.expect(2).stderr;
    assert!(nothing.contains("atelier login --web"), "{nothing}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_leads_nowhere_is_explained() {
    let terminal = CommandLine::own().await;
    let host = terminal.deployment.control_urls[0].trim_start_matches("http://").to_owned();
    for url in [host.as_str(), "localhost:45977", "atelier.example.org"] {
        let refused = terminal.run(&["whoami", "--url", url]).await.expect(2).stderr;
        assert!(
            refused.contains(&format!("http:// or https:// is missing, as in https://{url}")),
            "{refused}"
        );
    }
    let mut of_variable = terminal.command(&["whoami"]);
    of_variable.env("ATELIER_URL", "ftp://example.org");
    let refused = Finished::of(of_variable.output().await.unwrap()).expect(2).stderr;
    assert!(refused.contains("ftp:// is neither http:// nor https://"), "{refused}");
    let plain = terminal.run(&["whoami", "--url", &format!("https://{host}")]).await.expect(5).stderr;
    assert!(plain.contains(&format!("{host} doesn't speak TLS")), "{plain}");
    assert!(plain.contains(&format!("--url http://{host}")), "{plain}");
}
