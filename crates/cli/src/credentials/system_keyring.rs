//! Keys in the system's keyring. Machines without one, as servers and containers are, get `None`.
//!
//! The libraries of some systems run an executor of their own, which must not start on a thread of another one.

use keyring::Entry;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

/// The name of this program among the keyring's.
const SERVICE: &str = "atelier";

/// Keeps a key. `None` without a keyring.
pub(crate) fn put(profile: &str, url: &Url, key: &SecretString) -> Option<()> {
    let (name, key) = (name(profile, url), key.clone());
    on_thread(move || Entry::new(SERVICE, &name)?.set_password(key.expose_secret()))
}

/// The key that was kept. `None` without a keyring, or if it lacks the key.
pub(crate) fn get(profile: &str, url: &Url) -> Option<SecretString> {
    let name = name(profile, url);
    on_thread(move || Entry::new(SERVICE, &name)?.get_password()).map(SecretString::from)
}

/// Removes a key. `None` without a keyring, or if it lacks the key.
pub(crate) fn remove(profile: &str, url: &Url) -> Option<()> {
    let name = name(profile, url);
    on_thread(move || Entry::new(SERVICE, &name)?.delete_credential())
}

/// The address is part of the name, so that a profile's key never goes to another service.
fn name(profile: &str, url: &Url) -> String {
    format!("{profile} at {url}")
}

fn on_thread<T: Send + 'static>(work: impl FnOnce() -> keyring::Result<T> + Send + 'static) -> Option<T> {
    std::thread::spawn(work).join().ok()?.ok()
}
