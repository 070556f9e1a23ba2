//! A project's content in Git: real Git accepts the repository in PostgreSQL.

use futures_util::future::join_all;
use insta::assert_snapshot;
use testkit::answer::redact;
use testkit::deployment::Deployment;
use testkit::repository::Repository;
use testkit::seed::MANAGE;
use testkit::session::create_project;

#[tokio::test]
async fn the_first_commit_is_accepted_by_git_and_has_the_answered_hash() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let project = create_project(&caller, "Gear").await;
    let repository = Repository::export(&deployment.database, &project).await;
    let git = |arguments: &[&str]| repository.git(arguments);

    repository.check();
    let changes = caller.get(&format!("/api/v2/projects/{project}/branches/main/changes")).await.expect(200);
    assert_eq!(git(&["rev-parse", "main"]), changes.text("/committedHash"));
    assert_snapshot!(git(&["log", "--format=%an%n%cn%n%s", "main"]), @"
    alice
    alice
    Create the project
    ");
    let address = git(&["log", "--format=%ae", "main"]);
    assert!(address.trim_end().ends_with("@users.noreply.control.test"), "{address}");
    assert_eq!(git(&["log", "--format=%ce", "main"]), address);
    assert_snapshot!(git(&["rev-list", "--count", "main"]), @"1");
    // One JSON file for each object in folders by id, equal to the tree.
    let tree = caller.get(&format!("/api/v2/projects/{project}/tree")).await.expect(200).json();
    for node in tree["tree"].as_array().unwrap() {
        let id = node["id"].as_str().unwrap();
        let files = git(&["ls-tree", "-r", "--name-only", "main"]);
        let file = files
            .lines()
            .find(|file| file.contains(id))
            .unwrap_or_else(|| panic!("no file of {id} in {files}"));
        let object: serde_json::Value =
            serde_json::from_str(&git(&["show", &format!("main:{file}")])).unwrap();
        assert_eq!((&object["name"], &object["parent"]), (&node["name"], &node["parent"]));
    }
    let files = git(&["ls-tree", "-r", "--name-only", "main"]);
    let mut names: Vec<&str> = files.lines().map(|file| file.rsplit('/').next().unwrap()).collect();
    names.sort_unstable();
    assert_snapshot!(
        redact(&names.join(" ")),
        @".gitattributes Library.<id 1>.json Model.<id 2>.json README.md project.json"
    );
}

#[tokio::test]
async fn concurrently_created_projects_are_separate_repositories() {
    let deployment = Deployment::start().await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let projects = join_all((0..8).map(|number| {
        let caller = caller.clone();
        async move { create_project(&caller, &format!("Gear {number}")).await }
    }))
    .await;
    for project in projects {
        Repository::export(&deployment.database, &project).await.check();
    }
}
