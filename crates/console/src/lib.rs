//! The console: the pages with which people use the service in a browser.
//!
//! The files in `assets` are the program as the browser runs it: modules, styles and icons without a build step. All of
//! them are below one path that holds the hash of their content, so modules import each other by relative paths and
//! browsers keep them for ever. The one page in `templates`, which stands for all addresses of the console, names that
//! path.
//!
//! Not here: routes, headers and conditions, which belong to the control plane.

mod files;
mod imports;
mod settings;

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use bytes::Bytes;
use url::Url;

pub use crate::settings::{OpenIdClient, SignIn};

use crate::settings::Settings;

/// The beginning of the paths of all files.
pub const FILES: &str = "/console";

/// The console of a deployment.
#[derive(Clone, Debug)]
pub struct Console {
    data_url: Url,
    base: String,
    /// The modules that are loaded with the first one.
    modules: BTreeSet<String>,
    /// The files that the page loads, by path; a path changes with the content.
    pub files: BTreeMap<String, File>,
}

/// The page at each address of the console.
#[derive(Clone, Debug)]
pub struct ConsolePage {
    /// The HTML.
    pub body: Bytes,
    /// The policy with which browsers must read the page.
    pub policy: String,
}

/// A file that the page loads.
#[derive(Clone, Debug)]
pub struct File {
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// The content.
    pub body: Bytes,
}

/// The page can't be made.
#[derive(Debug, thiserror::Error)]
pub enum ConsoleError {
    /// The template fails.
    #[error("the console's page can't be made")]
    Page(#[from] askama::Error),
    /// The settings are no JSON.
    #[error("the console's settings can't be written")]
    Settings(#[from] serde_json::Error),
}

#[derive(Template)]
#[template(path = "index.html")]
struct Page<'a> {
    base: &'a str,
    settings: &'a str,
    modules: &'a BTreeSet<String>,
}

impl Console {
    /// The console of a deployment whose data plane is at `data_url`.
    pub fn new(data_url: Url) -> Self {
        let (base, files) = files::all();
        let modules = imports::loaded_with(&files, &format!("{base}/main.js"));
        Self { data_url, base, modules, files }
    }

    /// The page for people who sign in this way.
    ///
    /// # Errors
    /// [`ConsoleError`], never with the files of a tested build.
    pub fn page(&self, sign_in: &SignIn) -> Result<ConsolePage, ConsoleError> {
        let settings = serde_json::to_string(&Settings { data_url: self.data_url.as_str(), sign_in })?;
        let page = Page { base: &self.base, settings: &settings, modules: &self.modules }.render()?;
        Ok(ConsolePage { body: Bytes::from(page), policy: policy(&self.data_url, sign_in) })
    }
}

/// The policy: nothing inline, nothing evaluated, no HTML from text, and no address but those that the console needs.
fn policy(data_url: &Url, sign_in: &SignIn) -> String {
    let mut reached = vec![data_url.origin().ascii_serialization()];
    if let SignIn::Issuer(client) = sign_in {
        let urls = [Some(&client.token_url), client.revocation_url.as_ref()];
        reached.extend(urls.into_iter().flatten().map(|url| url.origin().ascii_serialization()));
        reached.dedup();
    }
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self' {}; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'",
        reached.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::io::Write;

    use url::Url;

    use super::{Console, ConsolePage, OpenIdClient, SignIn};
    use crate::imports::{STATIC, direct, loaded_with};

    /// The modules that show the first page, beside what the page names.
    const FIRST: [&str; 2] = ["/modules/projects/projects.js", "/modules/sign-in/sign-in.js"];
    /// Most bytes of everything that the first page loads, compressed.
    const MOST_BYTES: usize = 150_000;
    /// Most lines of a file, except that of all words.
    const MOST_LINES: usize = 250;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn console() -> Console {
        Console::new(url("https://data.example.com/files/"))
    }

    fn compressed(bytes: &[u8]) -> usize {
        let mut packed = Vec::new();
        brotli::CompressorWriter::new(&mut packed, 4096, 5, 20).write_all(bytes).unwrap();
        packed.len()
    }

    #[test]
    fn all_that_the_first_page_loads_is_small() {
        let console = console();
        let page = console.page(&SignIn::Development).unwrap().body;
        let bytes_of_page = compressed(&page);
        let page = String::from_utf8(page.to_vec()).unwrap();
        let is_first =
            |path: &&String| page.contains(path.as_str()) || FIRST.iter().any(|first| path.ends_with(first));
        let mut loaded: BTreeSet<String> = console.files.keys().filter(is_first).cloned().collect();
        let below: Vec<_> = loaded.iter().flat_map(|path| loaded_with(&console.files, path)).collect();
        loaded.extend(below);
        assert!(loaded.len() > 20, "{loaded:?}");
        let bytes: usize = loaded.iter().map(|path| compressed(&console.files[path].body)).sum();
        assert!(bytes + bytes_of_page < MOST_BYTES, "{bytes}");
    }

    #[test]
    fn no_file_is_long() {
        let console = console();
        for (path, file) in console.files.iter().filter(|(path, _)| !path.ends_with("/text.js")) {
            let lines = String::from_utf8_lossy(&file.body).lines().count();
            assert!(lines <= MOST_LINES, "{path}: {lines} lines");
        }
    }

    #[test]
    fn the_page_loads_files_that_exist_and_holds_its_settings_escaped() {
        let client = OpenIdClient {
            issuer: "https://login.example.com/".to_owned(),
            audience: "atelier".to_owned(),
            client_id: "\"><script>".to_owned(),
            authorization_url: url("https://login.example.com/authorize"),
            token_url: url("https://tokens.example.com/token"),
            revocation_url: Some(url("https://ends.example.com/revoke")),
            end_session_url: None,
            scope: "openid".to_owned(),
        };
        let console = console();
        let ConsolePage { body, policy } = console.page(&SignIn::Issuer(Box::new(client))).unwrap();
        let page = String::from_utf8(body.to_vec()).unwrap();
        assert!(!page.contains("\"><script>"), "{page}");
        let is_file = |text: &&str| text.starts_with("/console/") && text.contains('.');
        let loaded: Vec<&str> = page.split('"').filter(is_file).collect();
        assert!(loaded.len() > 3, "{loaded:?}");
        for path in loaded {
            assert!(console.files.contains_key(path), "{path}");
        }
        let reached = "https://data.example.com https://tokens.example.com https://ends.example.com";
        assert!(policy.contains(&format!("connect-src 'self' {reached};")), "{policy}");
    }

    #[test]
    fn modules_import_files_that_exist() {
        let console = console();
        for path in console.files.keys().filter(|path| path.ends_with(".js")) {
            for target in imports(&console, path) {
                assert!(console.files.contains_key(&target), "{path} imports {target}");
            }
        }
    }

    #[test]
    fn a_feature_imports_no_other_feature() {
        let console = console();
        let feature = |path: &str| {
            let (_, below) = path.split_once("/modules/")?;
            Some(below.split_once('/')?.0.to_owned())
        };
        for path in console.files.keys().filter(|path| path.ends_with(".js")) {
            // The frame and the router begin the features; elements and requests know none.
            if path.ends_with("/main.js") || path.ends_with("/router.js") {
                continue;
            }
            for target in imports(&console, path) {
                let below = feature(&target);
                assert!(below.is_none() || below == feature(path), "{path} imports {target}");
            }
        }
    }

    /// The files that a module imports at once or on demand.
    fn imports(console: &Console, path: &str) -> Vec<String> {
        [STATIC, "import(\""].iter().flat_map(|way| direct(&console.files, path, way)).collect()
    }
}
