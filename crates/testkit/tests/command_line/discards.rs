//! Uncommitted changes that are discarded.

use serde_json::json;

use crate::support::CommandLine;

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_discarded_by_object_or_all_at_once() {
    let terminal = CommandLine::open().await;
    for name in ["a", "b", "c"] {
        terminal.write(&format!("parts/{name}.bin"), format!("\0{name}"));
    }
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    terminal.run(&["commit", "gearbox", "-m", "Import parts"]).await.expect(0);
    let committed = terminal.objects().await;

    for edit in [
        "objects edit gearbox:/Model/parts/a.bin --set x=1",
        "objects edit gearbox:/Model/parts/b.bin --rename d.bin",
        "objects rm gearbox:/Model/parts/c.bin",
    ] {
        terminal.run(&edit.split(' ').collect::<Vec<_>>()).await.expect(0);
    }
    let by_path = ["discard", "gearbox:/Model/parts/c.bin", "gearbox:/Model/parts/d.bin", "--json"];
    let discarded = terminal.run(&by_path).await.expect(0).lines();
    assert_eq!((&discarded[0]["branch"], &discarded[0]["discardedCount"]), (&json!("main"), &json!(2)));
    assert_eq!(terminal.objects().await, committed);
    let left = terminal.run(&["diff", "gearbox"]).await.expect(0).stdout;
    assert_eq!(left, "~ /Model/parts/a.bin  file\n    /data/x  (absent) → 1\n");
    let above = terminal.run(&["discard", "gearbox:/Model"]).await.expect(0).stderr;
    assert!(above.contains("1 object below them changed"), "{above}");
    assert!(above.contains("atelier diff gearbox"), "{above}");

    let id = committed["/Model/parts/c.bin"].clone();
    terminal.run(&["objects", "rm", &format!("gearbox:/{id}")]).await.expect(0);
    terminal.run(&["discard", &format!("gearbox:/{id}")]).await.expect(0);
    assert_eq!(terminal.objects().await, committed);

    let all = terminal.run(&["discard", "gearbox"]).await.expect(0);
    assert_eq!(all.stderr, "Discarded the changes of 1 object.\n");
    let nothing = terminal.run(&["discard", "gearbox"]).await.expect(0);
    assert_eq!(nothing.stderr, "gearbox has no uncommitted changes.\n");
    let unknown = terminal.run(&["discard", "gearbox:/Model/none"]).await.expect(6);
    assert!(unknown.stderr.contains("no object \"none\""), "{}", unknown.stderr);
    let mixed = terminal.run(&["discard", "gearbox", "gearbox:/Model/parts"]).await.expect(2);
    assert!(mixed.stderr.contains("Name the branch alone"), "{}", mixed.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_discard_takes_back_a_deletion_as_a_whole() {
    let terminal = CommandLine::open().await;
    for number in 0..120 {
        terminal.write(&format!("parts/deep/{}/{number}.bin", number % 7), format!("\0{number}"));
    }
    terminal.write("parts/deep/1/gone.txt", "gone");
    terminal.run(&["upload", "parts", "--to", "gearbox:/Model"]).await.expect(0);
    terminal.run(&["commit", "gearbox", "-m", "Import parts"]).await.expect(0);
    let committed = terminal.objects().await;

    terminal.run(&["objects", "rm", "gearbox:/Model/parts", "--yes"]).await.expect(0);
    let diff = terminal.run(&["diff", "gearbox:/Model/parts/deep/1"]).await.expect(0).stdout;
    assert!(diff.starts_with("- /Model/parts/deep/1  folder\n- /Model/parts/deep/1/1.bin  file\n"), "{diff}");
    let discarded = terminal.run(&["discard", "gearbox:/Model/parts", "--json"]).await.expect(0).lines();
    assert_eq!((discarded.len(), &discarded[0]["discardedCount"]), (1, &json!(committed.len() - 2)));
    assert_eq!(terminal.objects().await, committed);

    // A part of it comes with the folders above, and nothing else.
    terminal.run(&["objects", "rm", "gearbox:/Model/parts", "--yes"]).await.expect(0);
    terminal.run(&["discard", "gearbox:/Model/parts/deep/1/gone.txt"]).await.expect(0);
    let objects = terminal.objects().await;
    let below: Vec<&String> = objects.keys().filter(|path| path.starts_with("/Model/parts")).collect();
    let parts = ["/Model/parts", "/Model/parts/deep", "/Model/parts/deep/1", "/Model/parts/deep/1/gone.txt"];
    assert_eq!(below, parts);
}
