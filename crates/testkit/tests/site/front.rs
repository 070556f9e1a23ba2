//! `/`, unknown paths, and the hints of refusals.

use serde_json::{Value, json};
use testkit::deployment::{Deployment, Options};
use testkit::seed::MANAGE;

#[tokio::test]
async fn the_root_is_a_page_for_browsers_and_an_index_for_programs() {
    let deployment = Deployment::start().await;
    let root = |url: &str| deployment.http.get(format!("{url}/"));
    let page =
        root(&deployment.control_urls[0]).header("Accept", "text/html,*/*;q=0.8").send().await.unwrap();
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    assert!(page.headers()["vary"].to_str().unwrap().eq_ignore_ascii_case("accept"), "{:?}", page.headers());
    assert!(page.text().await.unwrap().contains("href=\"/docs\""));

    let index: Value = root(&deployment.control_urls[0]).send().await.unwrap().json().await.unwrap();
    let data = &deployment.data_urls[0];
    assert_eq!(
        index,
        json!({
            "name": "Atelier control plane", "version": "2.0.0", "docs": "/docs",
            "openapi": "/api/v2/openapi.json", "mcp": "/mcp",
            "dataPlane": { "url": data, "openapi": format!("{data}/api/v1/openapi.json") },
        })
    );
    let index: Value = root(data).send().await.unwrap().json().await.unwrap();
    let expected =
        json!({ "name": "Atelier data plane", "version": "2.0.0", "openapi": "/api/v1/openapi.json" });
    assert_eq!(index, expected);
}

#[tokio::test]
async fn an_unknown_path_names_the_document_and_the_other_plane() {
    let deployment = Deployment::start().await;
    let (control, data) = (deployment.anonymous(), deployment.anonymous_at_data());
    let list = |path: &str| format!("The OpenAPI document at {path} lists all paths.");
    let (of_control, of_data) = (list("/api/v2/openapi.json"), list("/api/v1/openapi.json"));
    for (caller, path, message) in [
        (&control, "/api/v2/project", format!("There is no such path. {of_control}")),
        (
            &control,
            "/api/v1/file/download/a",
            format!(
                "There is no such path. Files go to the data plane, whose address a session answers. {of_control}"
            ),
        ),
        (
            &data,
            "/api/v2/projects",
            format!("There is no such path. It belongs to the control plane. {of_data}"),
        ),
    ] {
        let answer = caller.get(path).await.expect(404);
        assert_eq!(answer.code(), "NOT_FOUND");
        assert_eq!(answer.text("/error/message"), message, "{path}");
    }
    let answer = control.get("/docs/none").await.expect(404);
    assert_eq!(answer.text("/error/message"), "There is no such page. /docs lists all pages.");
    let url = format!("{}/docs/none", deployment.control_urls[0]);
    let page = deployment.http.get(url).header("Accept", "text/html").send().await.unwrap();
    assert_eq!(page.status(), 404);
    assert!(page.text().await.unwrap().contains("<h1>There is no such page</h1>"));
}

#[tokio::test]
async fn reading_pages_uses_up_no_rate_limit() {
    let environment = vec![("ATELIER_RATE_ADDRESS", "1/1".to_owned())];
    let deployment = Deployment::with(Options { environment, ..Options::default() }).await;
    let get = |path: &str| deployment.http.get(format!("{}{path}", deployment.control_urls[0])).send();
    for _ in 0..5 {
        assert_eq!(get("/docs").await.unwrap().status(), 200);
        assert_eq!(get("/").await.unwrap().status(), 200);
    }
    assert_eq!(get("/api/v2/me").await.unwrap().status(), 401);
    assert_eq!(get("/api/v2/me").await.unwrap().status(), 429);
}

#[tokio::test]
async fn a_request_without_a_credential_learns_which_to_send() {
    let deployment = Deployment::shared();
    let missing = deployment.anonymous().get("/api/v2/projects").await.expect(401);
    let hint = "The request needs a credential. Send `Authorization: Bearer <API key>`.";
    assert_eq!(missing.text("/error/message"), hint);
    let missing = deployment.anonymous().get("/api/v2/api-keys").await.expect(401);
    let hint = "The request needs a credential. Send `Authorization: Bearer <browser token>`.";
    assert_eq!(missing.text("/error/message"), hint);
    let missing = deployment.anonymous_at_data().get("/api/v1/file/lfs/a/b").await.expect(401);
    let hint = "The request needs a credential. Send `Authorization: Bearer <the session's grant>`.";
    assert_eq!(missing.text("/error/message"), hint);
}

#[tokio::test]
async fn a_mistyped_field_or_parameter_is_told_the_nearest_name() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await;
    let key = alice.key(MANAGE).await;
    let messages = |answer: &Value| -> Vec<String> {
        let issues = answer["error"]["details"]["issues"].as_array().unwrap();
        issues
            .iter()
            .map(|issue| format!("{} {}", issue["path"], issue["message"]).replace('"', ""))
            .collect()
    };
    let body = json!({ "nmae": "Gear", "name": "Gear", "colour": "red", "auto_name": true });
    let answer = key.post("/api/v2/projects").json(body).await.expect(400);
    assert_eq!(
        messages(&answer.json()),
        [
            "body.auto_name is not known here (did you mean `autoName`?)",
            "body.colour is not known here",
            "body.nmae is not known here (did you mean `name`?)",
        ]
    );
    let answer = key.get("/api/v2/projects?limt=5").await.expect(400);
    assert_eq!(messages(&answer.json()), ["query.limt is not known here (did you mean `limit`?)"]);
}
