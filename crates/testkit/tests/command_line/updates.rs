//! New versions of files: their objects keep their ids.

use serde_json::json;

use testkit::upload::ASSEMBLY;

use crate::support::{CommandLine, Finished, sha256};

const UPDATE: [&str; 6] = ["upload", "parts", "--to", "gearbox:/Model", "--update", "--json"];

#[tokio::test(flavor = "multi_thread")]
async fn changed_files_replace_those_of_the_project_and_objects_keep_their_ids() {
    let terminal = CommandLine::open().await;
    terminal.write_parts(20);
    terminal.write("parts/large.bin", vec![1; 9 * 1024 * 1024]);
    let first = terminal.run(&UPDATE).await.expect(0).event("summary");
    assert_eq!((&first["sent"], &first["updated"]), (&json!(21), &json!(0)));
    let before = terminal.objects().await;

    terminal.write("parts/0/part-0.txt", "a new version");
    terminal.write("parts/large.bin", vec![2; 10 * 1024 * 1024]);
    terminal.write("parts/new.txt", "new");
    let left_alone =
        terminal.run(&["upload", "parts", "--to", "gearbox:/Model", "--dry-run"]).await.expect(3);
    assert_eq!(left_alone.stdout, "would send parts/new.txt  3 B\n");
    let shown = terminal.run(&[&UPDATE[..5], &["--dry-run"]].concat()).await.expect(0);
    assert!(shown.stdout.contains("would replace parts/0/part-0.txt"), "{}", shown.stdout);
    let second = terminal.run(&UPDATE).await.expect(0).event("summary");
    assert_eq!(
        (&second["sent"], &second["updated"], &second["unchanged"]),
        (&json!(3), &json!(2), &json!(19)),
        "{second}"
    );
    terminal.check_parts("/Model").await;
    let after = terminal.objects().await;
    assert!(before.iter().all(|(path, id)| after.get(path) == Some(id)), "{before:?} {after:?}");
    assert_eq!(after.len(), before.len() + 1);

    let third = terminal.run(&UPDATE).await.expect(0).event("summary");
    assert_eq!((&third["sent"], &third["unchanged"]), (&json!(0), &json!(22)));
    // And back: the first version is another change.
    terminal.write("parts/large.bin", vec![1; 9 * 1024 * 1024]);
    assert_eq!(terminal.run(&UPDATE).await.expect(0).event("summary")["updated"], json!(1));
    assert_eq!(terminal.tree().await["/Model/parts/large.bin"], [sha256(&vec![1; 9 * 1024 * 1024])]);
}

#[tokio::test(flavor = "multi_thread")]
async fn standard_input_replaces_the_object_of_its_name() {
    let terminal = CommandLine::open().await;
    let send = ["upload", "-", "--name", "a.py", "--to", "gearbox:/Scripts/new", "--json"];
    let update = [&send[..], &["--update"]].concat();
    let place = "/Scripts/new/a.py";

    let first = terminal.run_with_input(&update, "print(1)").await.expect(0).event("summary");
    assert_eq!((&first["sent"], &first["updated"]), (&json!(1), &json!(0)));
    let id = terminal.objects().await[place].clone();
    let again = terminal.run_with_input(&send, "print(1)").await.expect(0).event("summary");
    assert_eq!((&again["sent"], &again["unchanged"]), (&json!(0), &json!(1)));
    let left_alone = terminal.run_with_input(&send, "print(2)").await.expect(3).event("summary");
    assert_eq!((&left_alone["sent"], &left_alone["different"]), (&json!(0), &json!(["a.py"])));
    let shown = terminal.run_with_input(&[&update[..], &["--dry-run"]].concat(), "print(2)").await.expect(0);
    assert_eq!(shown.event("file")["status"], "would replace");
    assert_eq!(terminal.tree().await[place], [sha256(b"print(1)")]);

    let updated = terminal.run_with_input(&update, "print(2)").await.expect(0).event("summary");
    assert_eq!(updated["updated"], json!(1));
    assert_eq!(terminal.tree().await[place], [sha256(b"print(2)")]);
    assert_eq!(terminal.objects().await[place], id);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_converted_file_is_replaced_though_its_object_was_renamed() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/gear.step", ASSEMBLY);
    terminal.run(&UPDATE).await.expect(0);
    let id = terminal.objects().await["/Model/parts/Gearbox"].clone();
    terminal.run(&["objects", "edit", "gearbox:/Model/parts/Gearbox", "--rename", "Drive"]).await.expect(0);
    let new = ASSEMBLY.replace("Gear 20T", "Gear 22T");
    terminal.write("parts/gear.step", &new);
    let summary = terminal.run(&UPDATE).await.expect(0).event("summary");
    assert_eq!((&summary["sent"], &summary["updated"]), (&json!(1), &json!(1)));
    let tree = terminal.tree().await;
    assert_eq!(tree.values().flatten().collect::<Vec<_>>(), [&sha256(new.as_bytes())], "{tree:?}");
    assert!(terminal.objects().await.values().any(|object| *object == id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_converted_file_is_known_on_another_machine_by_the_name_of_its_upload() {
    let terminal = CommandLine::open().await;
    terminal.write("parts/gear.step", ASSEMBLY);
    terminal.run(&UPDATE).await.expect(0);
    let id = terminal.objects().await["/Model/parts/Gearbox"].clone();
    let new = ASSEMBLY.replace("Gear 20T", "Gear 22T");
    terminal.write("parts/gear.step", &new);
    let elsewhere = async |arguments: &[&str]| {
        let home = tempfile::tempdir().unwrap();
        let mut command = terminal.command(arguments);
        Finished::of(command.env("HOME", home.path()).output().await.unwrap())
    };
    let left_alone = elsewhere(&["upload", "parts", "--to", "gearbox:/Model", "--json"]).await.expect(3);
    let summary = left_alone.event("summary");
    assert_eq!((&summary["sent"], &summary["different"]), (&json!(0), &json!(["parts/gear.step"])));
    let updated = elsewhere(&UPDATE).await.expect(0).event("summary");
    assert_eq!((&updated["sent"], &updated["updated"]), (&json!(1), &json!(1)));
    let tree = terminal.tree().await;
    assert_eq!(tree.values().flatten().collect::<Vec<_>>(), [&sha256(new.as_bytes())], "{tree:?}");
    assert!(terminal.objects().await.values().any(|object| *object == id));
    assert_eq!(elsewhere(&UPDATE).await.expect(0).event("summary")["unchanged"], json!(1));

    // It comes back under its own name, however its object is called.
    terminal.run(&["objects", "edit", &format!("gearbox:/{id}"), "--rename", "Drive"]).await.expect(0);
    terminal.run(&["sync", "gearbox:/Model/parts", "copy"]).await.expect(0);
    terminal.run(&["download", &format!("gearbox:/{id}")]).await.expect(0);
    for path in ["copy/gear.step", "gear.step"] {
        assert_eq!(std::fs::read_to_string(terminal.files.path().join(path)).unwrap(), new, "{path}");
    }
}
