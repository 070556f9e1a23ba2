//! Profiles: an address and a key each, and after a sign-in through the browser its token. Addresses are in one file;
//! secrets are in the system's keyring, or in that file, which only its user can read. `ATELIER_URL` and `ATELIER_KEY`
//! come first.
//!
//! A key is never an argument: other users see arguments in the list of processes, and shells keep them.

mod system_keyring;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use client::{Client, RetryPolicy};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use url::Url;

use crate::arguments::Global;
use crate::credentials::system_keyring::SecretKind;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::folders;
use crate::variable::key_of_variable;

/// The profiles of this user.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Profiles {
    profiles: BTreeMap<String, Profile>,
}

/// A deployment with a key.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Profile {
    /// The address of the control plane.
    #[serde(serialize_with = "address", deserialize_with = "parsed")]
    url: Url,
    /// The key; absent where the keyring has it.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "exposed")]
    key: Option<SecretString>,
    /// The browser token of a person; absent where the keyring has it, and without a sign-in through the browser.
    #[serde(default, skip_serializing_if = "Option::is_none", serialize_with = "exposed")]
    token: Option<SecretString>,
}

/// The secrets of a sign-in.
#[derive(Debug)]
pub(crate) struct SignIn {
    /// The API key.
    pub(crate) key: SecretString,
    /// The browser token by which the key was issued. It manages keys and people, until it ends.
    pub(crate) token: Option<SecretString>,
}

/// The place of a kept key.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    /// The system's keyring.
    Keyring,
    /// This file.
    File(PathBuf),
}

impl std::fmt::Display for Storage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Keyring => f.write_str("the system keyring"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The file is the one place where this program writes a key itself.
fn exposed<S: Serializer>(key: &Option<SecretString>, serializer: S) -> CommandResult<S::Ok, S::Error> {
    match key {
        Some(key) => serializer.serialize_str(key.expose_secret()),
        None => serializer.serialize_none(),
    }
}

fn address<S: Serializer>(url: &Url, serializer: S) -> CommandResult<S::Ok, S::Error> {
    serializer.serialize_str(url.as_str())
}

fn parsed<'de, D: Deserializer<'de>>(deserializer: D) -> CommandResult<Url, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
}

impl Profiles {
    /// Reads the file; without one there are no profiles.
    pub(crate) fn read() -> CommandResult<Self> {
        let path = path()?;
        match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|error| CommandFailure::local(&format!("read {}", path.display()), error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(CommandFailure::io(&format!("read {}", path.display()), &error)),
        }
    }

    /// Adds or replaces a profile. Its secrets go to the keyring, or to the file on request and without a keyring.
    pub(crate) fn put(
        &mut self,
        name: &str,
        url: Url,
        sign_in: SignIn,
        in_file: bool,
    ) -> CommandResult<Storage> {
        // Those of an earlier sign-in are replaced, wherever they are.
        if let Some(before) = self.profiles.remove(name) {
            forget(name, &before);
        }
        let kept =
            |kept, secret: &SecretString| !in_file && system_keyring::put(kept, name, &url, secret).is_some();
        let is_in_keyring = kept(SecretKind::Key, &sign_in.key);
        let token = sign_in.token.filter(|token| !kept(SecretKind::Token, token));
        let key = (!is_in_keyring).then_some(sign_in.key);
        self.profiles.insert(name.to_owned(), Profile { url: url.clone(), key, token });
        let path = self.write()?;
        Ok(if is_in_keyring { Storage::Keyring } else { Storage::File(path) })
    }

    /// Removes a profile; false if it is unknown.
    pub(crate) fn remove(&mut self, name: &str) -> CommandResult<bool> {
        let removed = self.profiles.remove(name);
        if let Some(profile) = &removed {
            forget(name, profile);
        }
        self.write().map(|_| removed.is_some())
    }

    /// The address of a profile.
    pub(crate) fn url(&self, name: &str) -> Option<&Url> {
        self.profiles.get(name).map(|profile| &profile.url)
    }

    /// Writes a file that is whole at any moment, with mode 600 from the beginning.
    fn write(&self) -> CommandResult<PathBuf> {
        let path = path()?;
        let failed = |error: std::io::Error| CommandFailure::io(&format!("write {}", path.display()), &error);
        if let Some(folder) = path.parent() {
            folders::make_private(folder).map_err(failed)?;
        }
        let bytes = serde_json::to_vec_pretty(self).map_err(|error| failed(error.into()))?;
        let new = path.with_extension("new");
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&new).map_err(failed)?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&new, &path).map_err(failed)?;
        Ok(path)
    }
}

/// The client of the chosen profile.
pub(crate) fn client(global: &Global) -> CommandResult<Client> {
    let (url, key) = found(global)?;
    connected(url, key)
}

/// The client for what a person alone may do: with the browser token of the chosen profile, if it has one.
pub(crate) fn person(global: &Global) -> CommandResult<Client> {
    let profiles = Profiles::read()?;
    let profile = profiles.profiles.get(&global.profile).filter(|_| key_of_variable().is_none());
    let profile = profile.filter(|profile| global.url.as_ref().is_none_or(|url| *url == profile.url));
    let token = |profile: &Profile| {
        let of_keyring = || system_keyring::get(SecretKind::Token, &global.profile, &profile.url);
        Some((profile.url.clone(), profile.token.clone().or_else(of_keyring)?))
    };
    match profile.and_then(token) {
        Some((url, token)) => connected(url, token),
        None => client(global),
    }
}

/// The address and the key of the chosen profile, or of the variables.
pub(crate) fn found(global: &Global) -> CommandResult<(Url, SecretString)> {
    let profiles = Profiles::read()?;
    let profile = profiles.profiles.get(&global.profile);
    let url = global.url.clone().or_else(|| profile.map(|profile| profile.url.clone()));
    let key = key_of_variable().or_else(|| {
        // A profile's key goes to the profile's own address alone.
        let profile = profile.filter(|profile| url.as_ref() == Some(&profile.url))?;
        profile.key.clone().or_else(|| system_keyring::get(SecretKind::Key, &global.profile, &profile.url))
    });
    match (url, key) {
        (Some(url), Some(key)) => Ok((url, key)),
        (None, _) => {
            let message = format!("no service is known for profile \"{}\"", global.profile);
            Err(CommandFailure::new(Exit::SignedOut, message).next("Sign in: atelier login --url https://…"))
        }
        (Some(url), None) => Err(CommandFailure::new(Exit::SignedOut, format!("not signed in to {url}"))
            .next(format!("Sign in: atelier login --url {url}"))),
    }
}

/// Removes secrets from the keyring. One that the keyring lacks is forgotten already.
fn forget(name: &str, profile: &Profile) {
    for (kept, of_file) in [(SecretKind::Key, &profile.key), (SecretKind::Token, &profile.token)] {
        if of_file.is_none() {
            let _: Option<()> = system_keyring::remove(kept, name, &profile.url);
        }
    }
}

/// A client with a key.
pub(crate) fn connected(url: Url, key: SecretString) -> CommandResult<Client> {
    let agent = concat!("atelier/", env!("CARGO_PKG_VERSION"));
    // A person waits: seconds of repeats, unless a transfer asks for more.
    let retry = RetryPolicy { max_retries: 3, ..RetryPolicy::default() };
    Ok(Client::builder(url).key(key).user_agent(agent).retry(retry).build()?)
}

fn path() -> CommandResult<PathBuf> {
    Ok(folders::configuration()?.join("profiles.json"))
}
