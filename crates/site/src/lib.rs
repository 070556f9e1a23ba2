//! The documentation as web pages: the reference out of the OpenAPI documents of both planes, the guides, the rules, the
//! errors by code, and the changes by version.
//!
//! Pure: documents in, pages out. Every page is made once, when the site is made. Text is written by the templates in
//! `templates/`, which escape it; only [`markdown`] and [`highlight`] write HTML themselves. The pages load nothing from
//! another address, and nothing inline, so that [`CONTENT_SECURITY_POLICY`] can be strict.
//!
//! Not here: routes, headers and conditions, which belong to the control plane.

mod articles;
mod assets;
mod diagram;
mod errors;
mod highlight;
mod markdown;
mod operation;
mod pages;
mod reference;
mod schema;
mod search;
mod snippets;

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::Value;

pub use crate::pages::SiteError;

/// The policy with which browsers must read each page.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The OpenAPI document of the data plane, which the control plane's binary can't ask for. `cargo xtask docs` writes it.
const DATA_PLANE: &str = include_str!("../documents/dataplane.json");

/// All pages, and the files that they load.
#[derive(Debug)]
pub struct Site {
    /// Pages and files by path, without a slash at the end.
    pub pages: BTreeMap<String, Page>,
    /// The page in place of one that doesn't exist.
    pub not_found: Page,
}

/// A page, or a file that pages load.
#[derive(Clone, Debug)]
pub struct Page {
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// The content.
    pub body: Bytes,
    /// True if the path changes with the content, so that it can be kept for ever.
    pub is_immutable: bool,
}

impl Site {
    /// The site of a deployment whose data plane is at `data_url`. `control` is the OpenAPI document of its control plane.
    ///
    /// # Errors
    /// The data plane's document can't be read, or a template fails.
    pub fn new(control: &Value, data_url: &str) -> Result<Self, SiteError> {
        let mut data: Value = serde_json::from_str(DATA_PLANE)?;
        if let Some(url) = data.pointer_mut("/servers/0/url") {
            *url = Value::from(data_url.trim_end_matches('/'));
        }
        pages::site(control, &data)
    }

    /// The page or file at `path`; a slash at its end is ignored.
    pub fn page(&self, path: &str) -> Option<&Page> {
        self.pages.get(path.strip_suffix('/').unwrap_or(path))
    }
}
