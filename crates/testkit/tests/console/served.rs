//! The page of the console, and the files that it loads.

use regex_lite::Regex;
use reqwest::{Response, StatusCode};
use testkit::deployment::Deployment;

async fn open(deployment: &Deployment, path: &str) -> Response {
    let url = format!("{}{path}", deployment.control_urls[0]);
    deployment.http.get(url).header("Accept", "text/html,*/*;q=0.8").send().await.unwrap()
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
}

#[tokio::test]
async fn every_address_of_the_console_is_its_page_with_a_strict_policy() {
    let deployment = Deployment::start().await;
    for path in [
        "/",
        "/sign-in?code=a&state=b",
        "/projects",
        "/projects/1?object=2",
        "/boards",
        "/orgs",
        "/orgs/1/teams/2",
        "/account/keys",
        "/account/calendars",
        "/invitations",
    ] {
        let page = open(&deployment, path).await;
        assert_eq!(page.status(), StatusCode::OK, "{path}");
        let policy = header(&page, "content-security-policy").to_owned();
        for part in [
            "default-src 'none';",
            "script-src 'self';",
            "style-src 'self';",
            &format!("connect-src 'self' {};", deployment.data_urls[0]),
            "require-trusted-types-for 'script'; trusted-types 'none'",
        ] {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(header(&page, "set-cookie"), "");
        assert_eq!(header(&page, "cache-control"), "public, no-cache");
        let tag = header(&page, "etag").to_owned();
        let url = format!("{}{path}", deployment.control_urls[0]);
        let again = deployment.http.get(url).header("Accept", "text/html").header("If-None-Match", tag);
        assert_eq!(again.send().await.unwrap().status(), StatusCode::NOT_MODIFIED, "{path}");
    }
    let program = deployment.anonymous().get("/projects").await.expect(404);
    assert_eq!(program.text("/error/message"), "This is a page for browsers. The API is below /api/v2.");
}

#[tokio::test]
async fn an_unknown_address_is_the_page_for_browsers_and_a_refusal_for_programs() {
    let deployment = Deployment::start().await;
    for path in ["/nowhere", "/sign-in/nowhere", "/apiary"] {
        let page = open(&deployment, path).await;
        assert_eq!(page.status(), StatusCode::NOT_FOUND, "{path}");
        assert_eq!(header(&page, "content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!(header(&page, "cache-control"), "no-store", "{path}");
        assert!(header(&page, "content-security-policy").contains("script-src 'self';"), "{path}");
        assert!(page.text().await.unwrap().contains("<title>Atelier</title>"), "{path}");
        deployment.anonymous().get(path).await.expect(404);
        let url = format!("{}{path}", deployment.control_urls[0]);
        let post = deployment.http.post(url).header("Accept", "text/html").send().await.unwrap();
        assert_eq!(post.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(header(&post, "content-type").starts_with("application/json"), "{path}");
    }
    for path in ["/api", "/api/v3", "/mcp/x", "/git/x", "/.well-known/x", "/console/0/main.js", "/metrics"] {
        let refusal = open(&deployment, path).await;
        assert_eq!(refusal.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(header(&refusal, "content-type").starts_with("application/json"), "{path}");
    }
}

#[tokio::test]
async fn the_files_of_the_page_are_kept_for_ever_and_sent_compressed() {
    let deployment = Deployment::start().await;
    let page = open(&deployment, "/").await.text().await.unwrap();
    for inline in ["<style", "<script>", " style=", " onclick=", " onload="] {
        assert!(!page.contains(inline), "{inline}");
    }
    let files: Vec<String> = Regex::new("(?:href|src)=\"(/console/[^\"]*)\"")
        .unwrap()
        .captures_iter(&page)
        .map(|found| found[1].to_owned())
        .collect();
    assert!(files.len() > 3, "{files:?}");
    for file in &files {
        let url = format!("{}{file}", deployment.control_urls[0]);
        let answer = deployment.http.get(&url).header("Accept-Encoding", "br").send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{file}");
        assert_eq!(header(&answer, "cache-control"), "public, max-age=31536000, immutable", "{file}");
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff", "{file}");
        if file.ends_with(".css") {
            assert_eq!(header(&answer, "content-encoding"), "br", "{file}");
        }
    }
    deployment.anonymous().get("/console/000000000000/main.js").await.expect(404);
}
