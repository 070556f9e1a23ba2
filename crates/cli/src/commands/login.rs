//! Sign in with an API key, and out.

use std::io::{IsTerminal, Read};

use secrecy::SecretString;

use crate::arguments::Global;
use crate::credentials::{Profile, Profiles, connected};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;

/// Longest key that is read, in bytes.
const KEY_MAX_BYTES: u64 = 16 * 1024;

/// Asks for a key, checks it with the service, and keeps it.
pub(crate) async fn sign_in(global: &Global) -> CommandResult<Exit> {
    let Some(url) = global.url.clone() else {
        return Err(CommandFailure::usage("the address of the service is missing")
            .next("Name it: atelier login --url https://atelier.example.org"));
    };
    let key = read_key()?;
    let user = connected(url.clone(), key.clone())?.get_me().await.map_err(|error| {
        let is_refused = error.is_unauthenticated();
        let failure = CommandFailure::from(error);
        if is_refused { failure.next("Make a new key, then run the same command again") } else { failure }
    })?;
    let user = user.user;
    let path = Profiles::read()?.put(&global.profile, Profile { url, key })?;
    if global.json {
        output::json(&serde_json::json!({ "user": user, "profile": global.profile, "file": path }));
    } else {
        output::note(&format!(
            "Signed in as {} ({}). Saved to {} as profile \"{}\".",
            user.name,
            user.email,
            path.display(),
            global.profile
        ));
    }
    Ok(Exit::Done)
}

/// Forgets a profile. The key itself stays valid.
pub(crate) fn sign_out(global: &Global) -> CommandResult<Exit> {
    let removed = Profiles::read()?.remove(&global.profile)?;
    if global.json {
        output::json(&serde_json::json!({ "removed": removed, "profile": global.profile }));
    } else if removed {
        output::note(&format!(
            "Forgot profile \"{}\". Its key stays valid until it is revoked.",
            global.profile
        ));
    } else {
        output::note(&format!("There is no profile \"{}\".", global.profile));
    }
    Ok(Exit::Done)
}

fn read_key() -> CommandResult<SecretString> {
    let failed = |error: std::io::Error| CommandFailure::local("read the key", error);
    let text = if std::io::stdin().is_terminal() {
        rpassword::prompt_password("API key (not shown): ").map_err(failed)?
    } else {
        let mut text = String::new();
        std::io::stdin().take(KEY_MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
        text
    };
    match text.trim() {
        "" => Err(CommandFailure::usage("no key was entered")),
        key => Ok(key.to_owned().into()),
    }
}
