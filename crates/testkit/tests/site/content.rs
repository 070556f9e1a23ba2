//! The content of pages.

use std::collections::{BTreeMap, BTreeSet};

use regex_lite::Regex;
use serde_json::Value;
use testkit::deployment::Deployment;

use crate::crawl::Crawl;

/// Most bytes that a page loads, with everything, uncompressed.
const PAGE_BYTES: usize = 300_000;
/// The policy of every page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Beginnings of scripts and styles that the policy refuses.
const INLINE: [&str; 8] =
    ["<style", "<script>", "<script t", "javascript:", " style=", " onclick=", " onload=", " onerror="];

#[tokio::test]
async fn every_page_is_small_and_strict_and_its_links_lead_somewhere() {
    let deployment = Deployment::shared();
    let site = Crawl::of(&deployment).await;
    assert!(site.html().count() > 150, "{}", site.html().count());
    let ids: BTreeMap<&String, Vec<String>> = site.html().map(|(path, page)| (path, page.ids())).collect();
    for (path, page) in site.html() {
        assert_eq!(page.policy, POLICY, "{path}");
        let inline = INLINE.iter().find(|text| page.body.contains(*text));
        assert_eq!(inline, None, "{path}");
        let files: usize = page.files().iter().map(|file| site.pages[file].body.len()).sum();
        let bytes = page.body.len() + files;
        assert!(bytes < PAGE_BYTES, "{path} loads {bytes} bytes");
        let unique: BTreeSet<&String> = ids[path].iter().collect();
        assert_eq!(unique.len(), ids[path].len(), "{path} has an id twice: {:?}", ids[path]);
        for link in page.links() {
            let Some((to, anchor)) = link.split_once('#') else { continue };
            let to = if to.is_empty() { path.as_str() } else { to };
            let Some(target) = ids.get(&to.to_owned()) else { continue };
            assert!(target.iter().any(|id| id == anchor), "{path} leads to {link}");
        }
    }
    let loaded: BTreeSet<String> = site.html().flat_map(|(_, page)| page.files()).collect();
    assert_eq!(loaded.len(), 5, "{loaded:?}");
}

#[tokio::test]
async fn every_operation_and_every_error_code_of_both_planes_has_its_place() {
    let deployment = Deployment::start().await;
    let site = Crawl::of(&deployment).await;
    let errors = &site.pages["/docs/errors"];
    let index = site.pages.iter().find(|(path, _)| path.starts_with("/docs/assets/search")).unwrap().1;
    let index: Vec<[String; 4]> = serde_json::from_str(&index.body).unwrap();
    let found: BTreeSet<&str> = index.iter().map(|[_, url, ..]| url.as_str()).collect();
    for (place, url, path) in [
        ("control", &deployment.control_urls[0], "/api/v2/openapi.json"),
        ("data", &deployment.data_urls[0], "/api/v1/openapi.json"),
    ] {
        let document: Value =
            deployment.http.get(format!("{url}{path}")).send().await.unwrap().json().await.unwrap();
        for (path, item) in document["paths"].as_object().unwrap() {
            for operation in item.as_object().unwrap().values() {
                let id = operation["operationId"].as_str().unwrap();
                let end = format!("/{id}");
                let at = |page: &&str| page.starts_with(&format!("/docs/{place}/")) && page.ends_with(&end);
                let pages: Vec<&str> = site.pages.keys().map(String::as_str).filter(at).collect();
                assert_eq!(pages.len(), 1, "{id}");
                assert!(found.contains(pages[0]), "the search doesn't find {id}");
                let body = &site.pages[pages[0]].body;
                let path = path.replace('/', "/<wbr>");
                assert!(body.contains(&format!("<code>{path}</code>")), "{id}");
                // Requests to the plane that serves it, in three languages.
                let address = if place == "data" {
                    url.as_str()
                } else {
                    document["servers"][0]["url"].as_str().unwrap()
                };
                let requests = body.matches(address).count();
                assert!(requests >= 4, "{id} has {requests} addresses");
                for language in ["sample-sh", "sample-typescript", "sample-python"] {
                    assert!(body.contains(&format!("id=\"{language}\"")), "{id}: {language}");
                }
            }
        }
        for code in document["components"]["schemas"]["Code"]["enum"].as_array().unwrap() {
            let code = code.as_str().unwrap();
            assert!(errors.ids().iter().any(|id| id == code), "{code}");
            assert!(
                found.contains(format!("/docs/errors#{code}").as_str()),
                "the search doesn't find {code}"
            );
        }
    }
    assert!(found.contains("/docs/guide/first-upload") && found.contains("/docs/changes"), "{found:?}");
}

#[tokio::test]
async fn pages_are_revalidated_and_files_are_kept() {
    let deployment = Deployment::start().await;
    let get = |path: &str| deployment.http.get(format!("{}{path}", deployment.control_urls[0]));
    let page = get("/docs").send().await.unwrap();
    assert_eq!(page.headers()["cache-control"], "public, no-cache");
    let tag = page.headers()["etag"].clone();
    let again = get("/docs/").header("If-None-Match", &tag).send().await.unwrap();
    assert_eq!(again.status(), 304);
    let packed = get("/docs").header("Accept-Encoding", "gzip").send().await.unwrap();
    assert_eq!(packed.headers()["content-encoding"], "gzip");

    let body = page.text().await.unwrap();
    let style = Regex::new("/docs/assets/site-[0-9a-f]{12}\\.css").unwrap().find(&body).unwrap().as_str();
    let style = get(style).header("Accept-Encoding", "gzip").send().await.unwrap();
    assert_eq!(style.headers()["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(style.headers()["content-type"], "text/css; charset=utf-8");
    assert_eq!(style.headers()["content-encoding"], "gzip");
}
