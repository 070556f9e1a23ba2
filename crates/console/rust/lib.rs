//! The console: the pages with which people use the service in a browser.
//!
//! The program is TypeScript in `src`, which `build` bundles into `dist`. This crate embeds `dist` and makes the one page
//! that stands for all addresses. Names of files hold hashes, so browsers keep them for ever. A binary that was built
//! without `dist` answers with a page that says how to build it.
//!
//! Not here: routes, headers and conditions, which belong to the control plane.

mod files;
mod settings;

use std::collections::BTreeMap;

use askama::Template;
use bytes::Bytes;
use url::Url;

pub use crate::settings::{OpenIdClient, SignIn};

use crate::files::Manifest;
use crate::settings::Settings;

/// The beginning of the paths of all files.
pub const FILES: &str = "/console";

/// The console of a deployment.
#[derive(Clone, Debug)]
pub struct Console {
    data_url: Url,
    /// `None` in a binary without the built files.
    manifest: Option<Manifest>,
    build: Option<[u8; 32]>,
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
    files: &'a str,
    manifest: &'a Manifest,
    settings: &'a str,
}

/// The page of a binary without the built files.
#[derive(Template)]
#[template(path = "unbuilt.html")]
struct UnbuiltPage;

impl Console {
    /// The console of a deployment whose data plane is at `data_url`.
    pub fn new(data_url: Url) -> Self {
        Self { data_url, manifest: files::manifest(), build: files::build(), files: files::all() }
    }

    /// True once another build has taken the place of this one, which happens in debug builds alone: `cargo xtask dev
    /// --watch` builds the console after each edit. Other binaries hold their files.
    pub fn is_outdated(&self) -> bool {
        files::build() != self.build
    }

    /// The page for people who sign in this way.
    ///
    /// # Errors
    /// [`ConsoleError`], never with the files of a tested build.
    pub fn page(&self, sign_in: &SignIn) -> Result<ConsolePage, ConsoleError> {
        let settings = serde_json::to_string(&Settings { data_url: self.data_url.as_str(), sign_in })?;
        let page = match &self.manifest {
            Some(manifest) => Page { files: FILES, manifest, settings: &settings }.render()?,
            None => UnbuiltPage.render()?,
        };
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
    use crate::files::path;

    /// The modules of the first page, beside those that the page names.
    const FIRST: [&str; 2] = ["home/home.tsx", "people/sign-in/sign-in.tsx"];
    /// Most bytes of everything that the first page loads, compressed.
    const MOST_BYTES: usize = 150_000;

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

    /// The files that a module imports, itself included. The build writes imports as `"./name.js"`.
    fn loaded_with(console: &Console, first: &str, loaded: &mut BTreeSet<String>) {
        if !loaded.insert(first.to_owned()) {
            return;
        }
        let text = String::from_utf8_lossy(&console.files[first].body).into_owned();
        let statics = text.split("from\"./").chain(text.split("import\"./")).skip(1);
        for name in statics.filter_map(|part| part.split_once('"')).map(|(name, _)| path(name)) {
            if console.files.contains_key(&name) {
                loaded_with(console, &name, loaded);
            }
        }
    }

    #[test]
    fn all_that_the_first_page_loads_is_small() {
        let console = console();
        // A build of the crate alone has no files; `cargo xtask test` makes them.
        let Some(manifest) = &console.manifest else { return };
        let page = console.page(&SignIn::Development).unwrap().body;
        let mut loaded = BTreeSet::from([path(&manifest.style), path(&manifest.icons), path(&manifest.icon)]);
        loaded_with(&console, &path(&manifest.main), &mut loaded);
        for first in FIRST {
            loaded_with(&console, &path(&manifest.pages[first]), &mut loaded);
        }
        let bytes: usize = loaded.iter().map(|path| compressed(&console.files[path].body)).sum();
        assert!(bytes + compressed(&page) < MOST_BYTES, "{bytes}");
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
        for path in page.split('"').filter(|text| text.starts_with("/console/") && text.contains('.')) {
            assert!(console.files.contains_key(path), "{path}");
        }
        let reached = "https://data.example.com https://tokens.example.com https://ends.example.com";
        assert!(policy.contains(&format!("connect-src 'self' {reached};")), "{policy}");
    }

    #[test]
    fn a_binary_without_the_built_files_says_how_to_build_them() {
        let console = Console { manifest: None, ..console() };
        let page = console.page(&SignIn::Development).unwrap().body;
        assert!(String::from_utf8_lossy(&page).contains("cargo xtask"), "{page:?}");
    }

    #[test]
    fn a_console_is_outdated_once_there_is_another_build() {
        assert!(!console().is_outdated());
        assert!(Console { build: Some([0; 32]), ..console() }.is_outdated());
    }
}
