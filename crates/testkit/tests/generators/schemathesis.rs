//! schemathesis sends requests that the documents allow, alone and in sequences that use the answers of earlier ones,
//! and compares the answers with the documents.

use std::fs;

use serde_json::json;
use testkit::open_session::OpenSession;
use testkit::registry::pypi;
use testkit::seed::MANAGE_WITH_TEAMS;
use testkit::session::{file_name, uploaded};

use crate::{kept, run, write_documents};

const SCHEMATHESIS: &[&str] = &["schemathesis==4.32.5"];
/// Comparisons of an answer with the description of its operation.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
     response_headers_conformance,response_schema_conformance";
/// Operations that end what the others need, streams that do not end, and Git's protocol.
const NOT_OF_CONTROL: &str = "streamEvents|streamTeamEvents|streamProjectEvents|fetchGit|getGitReferences|\
     deleteProject|deleteTeam|deleteOrganization|unlinkProject|closeSession|revokeApiKey";
/// Operations without a credential, whose answers never differ.
const NOT_OF_DATA: &str = "getOpenapi|describeResumable";
/// Bytes of tus are bytes.
const HOOKS: &str = "import schemathesis

schemathesis.serializer.alias(\"application/offset+octet-stream\", \"application/octet-stream\")
";

#[tokio::test]
async fn schemathesis_finds_nothing_in_sequences_on_the_control_plane() {
    let opened = OpenSession::open().await;
    let key = opened.alice.key(MANAGE_WITH_TEAMS).await;
    let org = opened.deployment.operator().organization("works", &opened.alice).await;
    let project =
        key.post("/api/v2/projects").json(json!({ "name": "Gear", "orgId": org })).await.expect(201);
    let project = project.text("/id");
    let team = key.post(&format!("/api/v2/orgs/{org}/teams")).json(json!({ "name": "Wheels" })).await;
    let team = team.expect(201).text("/team/id");
    key.put(&format!("/api/v2/orgs/{org}/teams/{team}/projects/{project}")).await.expect(200);
    let known = [("path.orgId", org), ("path.projectId", project), ("path.teamId", team)];
    // The operations are too many to try each alone within a minute.
    let bounds = ["--phases", "stateful", "--max-time", "40", "--exclude-operation-id-regex", NOT_OF_CONTROL];
    check("control", &known, &bounds, key.url.clone(), key.credential().to_owned()).await;
}

#[tokio::test]
async fn schemathesis_finds_nothing_on_the_data_plane() {
    let mut opened = OpenSession::own().await;
    // Refused uploads leave theirs to the sweep.
    opened.deployment.leaves_blobs = true;
    let session = &opened.session;
    let file = uploaded(&session.upload(&opened.model, "teeth.txt", "Thirty-two.").await.expect(200));
    let known = [
        ("path.ownerId", session.owner.clone()),
        ("path.userId", opened.alice.id.clone()),
        ("path.projectId", format!("{}--{}", session.project, session.branch)),
        ("path.connectionId", session.connection.clone()),
        ("path.parentId", opened.model.clone()),
        ("path.fileName", file_name(&file)),
        ("path.sha256", file["sha256"].as_str().unwrap().to_owned()),
        ("header.Tus-Resumable", "1.0.0".to_owned()),
    ];
    let bounds = ["--phases", "fuzzing,stateful", "--max-examples", "20"];
    let bounds = [&bounds[..], &["--exclude-operation-id-regex", NOT_OF_DATA]].concat();
    check("data", &known, &bounds, session.grant.url.clone(), session.grant.credential().to_owned()).await;
}

/// Runs it on a plane, with values for some parameters.
async fn check(
    plane: &'static str,
    known: &[(&str, String)],
    bounds: &[&'static str],
    url: String,
    credential: String,
) {
    let known: Vec<String> =
        known.iter().map(|(name, value)| format!("{} = {}", json!(name), json!(value))).collect();
    let bounds = bounds.to_vec();
    let checked = tokio::task::spawn_blocking(move || {
        let folder = kept("schemathesis");
        let Some(python) = pypi(&folder, SCHEMATHESIS) else { return };
        // Both planes are tested at once.
        let folder = folder.join(plane);
        fs::create_dir_all(&folder).unwrap();
        write_documents(&folder);
        fs::write(folder.join("hooks.py"), HOOKS).unwrap();
        let config = format!("hooks = \"hooks.py\"\n[parameters]\n{}\n", known.join("\n"));
        fs::write(folder.join("schemathesis.toml"), config).unwrap();
        let (document, credential) = (format!("{plane}.json"), format!("Authorization: Bearer {credential}"));
        let arguments = ["run", &document, "--url", &url, "--header", &credential, "--checks", CHECKS];
        let more = ["--seed", "1", "--no-color", "--request-timeout", "20", "--generation-database", "none"];
        run(&folder, python.with_file_name("st"), &[&arguments[..], &more, &bounds].concat());
    });
    checked.await.unwrap();
}
