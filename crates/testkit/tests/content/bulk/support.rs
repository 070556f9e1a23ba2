//! Common steps of the tests of uploads in bulk.

use std::collections::HashMap;

use serde_json::Value;
use testkit::answer::Answer;
use testkit::session::Session;

/// The paths of all objects of a session's branch, in the tree's order.
pub async fn paths(session: &Session) -> Vec<String> {
    let tree = session.caller.get(&format!("/api/v2/projects/{}/tree", session.project)).await.expect(200);
    let tree = tree.json();
    let mut known: HashMap<String, String> = HashMap::new();
    let mut paths = Vec::new();
    for node in tree["tree"].as_array().unwrap() {
        let text = |field: &str| node[field].as_str().unwrap().to_owned();
        let above = known.get(&text("parent")).map(|above| format!("{above}/")).unwrap_or_default();
        let path = format!("{above}{}", text("name"));
        known.insert(text("id"), path.clone());
        paths.push(path);
    }
    paths
}

/// The paths below a path of the tree, in its order.
pub async fn below(session: &Session, above: &str) -> Vec<String> {
    let prefix = format!("{above}/");
    paths(session).await.iter().filter_map(|path| Some(path.strip_prefix(&prefix)?.to_owned())).collect()
}

/// The path of each file of a request, with the code of its refusal.
pub fn results(files: &Value) -> Vec<String> {
    let result = |file: &Value| {
        let path = file["path"].as_str().unwrap();
        match file["error"]["code"].as_str() {
            Some(code) => format!("{path}: {code}"),
            None => {
                assert_eq!(file["objectCount"], 1, "{file}");
                path.to_owned()
            }
        }
    };
    files.as_array().unwrap().iter().map(result).collect()
}

/// The results of a request that succeeded.
pub fn files(answer: &Answer) -> Vec<String> {
    results(&answer.json()["files"])
}
