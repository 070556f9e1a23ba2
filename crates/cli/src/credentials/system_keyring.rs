//! Secrets in the system's keyring. Machines without one, as servers and containers are, get `None`.
//!
//! The libraries of some systems run an executor of their own, which must not start on a thread of another one.

use keyring::Entry;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

/// The name of this program among the keyring's.
const SERVICE: &str = "atelier";

/// A secret of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretKind {
    /// The API key.
    Key,
    /// The browser token.
    Token,
}

/// Keeps a secret. `None` without a keyring.
pub(crate) fn put(kept: SecretKind, profile: &str, url: &Url, secret: &SecretString) -> Option<()> {
    let (name, secret) = (name(kept, profile, url), secret.clone());
    on_thread(move || Entry::new(SERVICE, &name)?.set_password(secret.expose_secret()))
}

/// The secret that was kept. `None` without a keyring, or if it lacks the secret.
pub(crate) fn get(kept: SecretKind, profile: &str, url: &Url) -> Option<SecretString> {
    let name = name(kept, profile, url);
    on_thread(move || Entry::new(SERVICE, &name)?.get_password()).map(SecretString::from)
}

/// Removes a secret. `None` without a keyring, or if it lacks the secret.
pub(crate) fn remove(kept: SecretKind, profile: &str, url: &Url) -> Option<()> {
    let name = name(kept, profile, url);
    on_thread(move || Entry::new(SERVICE, &name)?.delete_credential())
}

/// The address is part of the name, so that a profile's secret never goes to another service.
fn name(kept: SecretKind, profile: &str, url: &Url) -> String {
    match kept {
        SecretKind::Key => format!("{profile} at {url}"),
        SecretKind::Token => format!("browser token of {profile} at {url}"),
    }
}

fn on_thread<T: Send + 'static>(work: impl FnOnce() -> keyring::Result<T> + Send + 'static) -> Option<T> {
    std::thread::spawn(work).join().ok()?.ok()
}
