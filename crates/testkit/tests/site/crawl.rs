//! All pages that can be reached by links, from `/docs` on.

use std::collections::{BTreeMap, BTreeSet};

use regex_lite::Regex;
use reqwest::StatusCode;
use testkit::deployment::Deployment;

/// A page or file of the site.
pub(crate) struct Page {
    pub(crate) body: String,
    pub(crate) media_type: String,
    pub(crate) policy: String,
}

/// The site of a deployment.
pub(crate) struct Crawl {
    /// Pages and files by path.
    pub(crate) pages: BTreeMap<String, Page>,
}

impl Crawl {
    /// Reads everything. A link to the site that can't be followed fails the test.
    pub(crate) async fn of(deployment: &Deployment) -> Self {
        let mut pages = BTreeMap::new();
        let mut open = BTreeSet::from(["/docs".to_owned()]);
        while let Some(path) = open.pop_first() {
            let url = format!("{}{path}", deployment.control_urls[0]);
            let answer = deployment.http.get(&url).header("Accept", "text/html, */*").send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::OK, "{path}");
            let header = |name: &str| {
                answer.headers().get(name).map(|value| value.to_str().unwrap()).unwrap_or_default().to_owned()
            };
            let (media_type, policy) = (header("content-type"), header("content-security-policy"));
            let body = answer.text().await.unwrap();
            let page = Page { body, media_type, policy };
            let found = page.links().into_iter().filter(|link| link.starts_with("/docs"));
            let found: Vec<String> = found.map(|link| link.split('#').next().unwrap().to_owned()).collect();
            pages.insert(path, page);
            open.extend(found.into_iter().filter(|link| !pages.contains_key(link)));
        }
        Self { pages }
    }

    /// The pages for people.
    pub(crate) fn html(&self) -> impl Iterator<Item = (&String, &Page)> {
        self.pages.iter().filter(|(_, page)| page.media_type.starts_with("text/html"))
    }
}

impl Page {
    /// The addresses that the page leads to or loads.
    pub(crate) fn links(&self) -> Vec<String> {
        if self.media_type.starts_with("text/html") {
            self.attributes("href|src|data-search")
        } else {
            Vec::new()
        }
    }

    /// The files that the page loads.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        self.links().into_iter().filter(|link| link.starts_with("/docs/assets/")).collect()
    }

    /// The ids of its elements.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.attributes("id")
    }

    fn attributes(&self, names: &str) -> Vec<String> {
        let pattern = Regex::new(&format!(" (?:{names})=\"([^\"]*)\"")).unwrap();
        pattern.captures_iter(&self.body).map(|found| found[1].to_owned()).collect()
    }
}
