//! Looking at objects: the address of their page, and their picture in the terminal.

use serde_json::{Value, json};

use crate::support::CommandLine;

/// A triangle.
const TRIANGLE: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\nvertex 0 3 0\nendloop\n\
                        endfacet\nendsolid t\n";

#[tokio::test(flavor = "multi_thread")]
async fn the_address_of_a_page_names_the_object_and_another_branch() {
    let terminal = CommandLine::open().await;
    terminal.write("t.stl", TRIANGLE);
    terminal.run(&["upload", "t.stl", "--to", "gearbox:/Model"]).await.expect(0);
    let service = &terminal.deployment.control_urls[0];
    let project = &terminal.project;
    let whole = terminal.run(&["view", "gearbox", "--print-url"]).await.expect(0);
    assert_eq!(whole.stdout, format!("{service}/projects/{project}\n"));

    let told = terminal.run(&["view", "gearbox:/Model/t.stl", "--json"]).await.expect(0).lines().remove(0);
    let object = told["objectId"].as_str().unwrap();
    assert_eq!(told["url"], format!("{service}/projects/{project}?object={object}"));
    assert_eq!(told["projectId"], json!(project));
    let shown = terminal.run(&["objects", "show", &format!("gearbox:/{object}"), "--json"]).await.expect(0);
    assert_eq!(shown.lines().remove(0)["name"], "t.stl");

    let commits = format!("/api/v2/projects/{project}/branches/main/commits");
    terminal.caller.post(&commits).json(json!({ "message": "Add a triangle" })).await.expect(201);
    terminal.run(&["branches", "create", "gearbox", "feature/a"]).await.expect(0);
    let branch = terminal.run(&["view", "gearbox--feature/a:/Model/t.stl", "--print-url"]).await.expect(0);
    assert_eq!(branch.stdout, format!("{service}/projects/{project}?branch=feature%2Fa&object={object}\n"));
    terminal.run(&["view", "gearbox:/Model/none", "--print-url"]).await.expect(6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_drawn_in_the_way_of_the_terminal_and_its_absence_is_said() {
    let terminal = CommandLine::open().await;
    terminal.write("t.stl", TRIANGLE);
    terminal.write("noise.bin", [0, 1, 2, 3]);
    terminal.run(&["upload", "t.stl", "noise.bin", "--to", "gearbox:/Model"]).await.expect(0);
    for (way, begin, end) in [
        ("kitty", "\u{1b}_Ga=T,f=100,", "\u{1b}\\\n"),
        ("iterm2", "\u{1b}]1337;File=inline=1;", "\u{7}\n"),
        ("sixel", "\u{1b}P0;1;0q", "\u{1b}\\\n"),
    ] {
        let drawn =
            terminal.run(&["view", "gearbox:/Model/t.stl", &format!("--terminal={way}")]).await.expect(0);
        assert!(drawn.stdout.starts_with(begin) && drawn.stdout.ends_with(end), "{way}");
    }
    let pipe = terminal.run(&["view", "gearbox:/Model/t.stl", "--terminal"]).await.expect(2);
    assert!(pipe.stderr.contains("standard output is not a terminal"), "{}", pipe.stderr);
    let none = terminal.run(&["view", "gearbox:/Model/noise.bin", "--terminal=kitty"]).await.expect(6);
    assert!(none.stderr.contains("there is no picture of this object"), "{}", none.stderr);
    assert_eq!(none.stdout, "");
    let project = terminal.run(&["view", "gearbox", "--terminal=kitty"]).await.expect(2);
    assert!(project.stderr.contains("a project has no picture"), "{}", project.stderr);
    let error: Value = terminal.run(&["view", "gearbox:/no", "--json"]).await.expect(6).lines().remove(0);
    assert_eq!(error["error"]["exitCode"], 6);
}
