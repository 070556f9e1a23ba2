//! Uploads of all real files on this machine, against the results of other tools.

use std::fs;
use std::path::Path;

use serde_json::Value;
use testkit::environment;
use testkit::open_session::OpenSession;
use testkit::session::{file_name, objects};

use crate::conversions::support::{failure, limited};

/// The readers disagree about the number of pages of this file.
const DISPUTED: &str = "pdf/poppler-67295-0.pdf";

#[tokio::test]
async fn real_files_become_the_same_as_in_other_tools() {
    let Some(inputs) = environment::shared_inputs() else {
        eprintln!("NOT TESTED: there are no real files in ../shared/inputs or ATELIER_TEST_INPUTS");
        return;
    };
    // Readers without compiler optimisation are slow.
    let opened = limited(&[
        ("conversion_secs", "600"),
        ("conversion_processor_secs", "1200"),
        ("resolution_dpi", "36"),
    ])
    .await;
    let mut files = 0;
    for entry in fs::read_dir(inputs.join("expected")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let expected: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            upload(&opened, &inputs, &expected).await;
            files += 1;
        }
    }
    assert!(files > 0);
}

async fn upload(opened: &OpenSession, inputs: &Path, expected: &Value) {
    let (file, outcome) = (expected["file"].as_str().unwrap(), &expected["outcome"]);
    let (kind, name) = file.split_once('/').unwrap();
    let bytes = fs::read(inputs.join("open").join(file)).unwrap();
    let answer = opened.session.upload(&opened.model, name, bytes.clone()).await.expect(200);
    let all = objects(&answer);
    // The original file stays available.
    let owner = &all[0];
    assert_eq!(owner["size"], bytes.len(), "{file}");
    if let Some(extension) = outcome.get("extension") {
        assert_eq!(owner["extension"], extension.as_str().unwrap_or_default(), "{file}");
    }
    let path = opened.session.download_path(&file_name(owner));
    let whole = opened.session.grant.get(&path).await.expect(200);
    assert_eq!(whole.header("content-length"), bytes.len().to_string(), "{file}");

    let count = |field: &str, value: &str| all.iter().filter(|object| object[field] == value).count();
    match kind {
        _ if outcome["reference_fallback"] == true && file != DISPUTED => {
            failure(opened, &answer).await;
        }
        "step" => {
            assert_eq!(outcome["objects"], all.len(), "{file}");
            assert_eq!(outcome["assembly"], count("kind", "assembly"), "{file}");
            assert_eq!(outcome["geometry"], count("kind", "geometry"), "{file}");
        }
        "pdf" => {
            let pages = if file == DISPUTED { &Value::from(1) } else { &outcome["pages"] };
            assert_eq!(*pages, count("type", "Page"), "{file}");
            assert_eq!(all.len(), 1 + count("mimeType", "image/png"), "{file}");
        }
        "source" => assert_eq!((all.len(), count("kind", "code")), (1, 1), "{file}"),
        _ => assert_eq!((all.len(), count("kind", "reference")), (1, 1), "{file}"),
    }
}
