//! Profiles: an address and a key each. Addresses are in one file; keys are in the system's keyring, or in that file,
//! which only its user can read. `ATELIER_URL` and `ATELIER_KEY` come first.
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

    /// Adds or replaces a profile. Its key goes to the keyring, or to the file on request and without a keyring.
    pub(crate) fn put(
        &mut self,
        name: &str,
        url: Url,
        key: SecretString,
        in_file: bool,
    ) -> CommandResult<Storage> {
        let is_in_keyring = !in_file && system_keyring::put(name, &url, &key).is_some();
        let key = (!is_in_keyring).then_some(key);
        let before = self.profiles.insert(name.to_owned(), Profile { url: url.clone(), key });
        if let Some(before) =
            before.filter(|before| before.key.is_none() && (!is_in_keyring || before.url != url))
        {
            forget(name, &before);
        }
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

/// The address and the key of the chosen profile, or of the variables.
pub(crate) fn found(global: &Global) -> CommandResult<(Url, SecretString)> {
    let profiles = Profiles::read()?;
    let profile = profiles.profiles.get(&global.profile);
    let url = global.url.clone().or_else(|| profile.map(|profile| profile.url.clone()));
    let key = key_of_variable().or_else(|| {
        // A profile's key goes to the profile's own address alone.
        let profile = profile.filter(|profile| url.as_ref() == Some(&profile.url))?;
        profile.key.clone().or_else(|| system_keyring::get(&global.profile, &profile.url))
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

/// Removes a key from the keyring. One that the keyring lacks is forgotten already.
fn forget(name: &str, profile: &Profile) {
    if profile.key.is_none() {
        let _: Option<()> = system_keyring::remove(name, &profile.url);
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
