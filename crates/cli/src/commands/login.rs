//! Sign in with an API key or through the browser, and out.

use api::people::api_keys::{CreateApiKey, CreateApiKeyRequest};
use api::people::me::GetMe;
use domain::people::permission::Scope;
use secrecy::SecretString;
use url::Url;

use crate::arguments::{Global, Login};
use crate::browser_sign_in;
use crate::commands::objects::parse_name;
use crate::credentials::{Profiles, SignIn, Storage, connected};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;
use crate::secret_input::read_secret;
use crate::variable::key_of_variable;

/// The scopes of a key that a browser's sign-in issues: those of all commands that take a key.
const SCOPES: [Scope; 4] = [Scope::ProjectsManage, Scope::CardsManage, Scope::TeamsManage, Scope::UsageRead];

/// Signs in, checks the key with the service, and keeps it.
pub(crate) async fn sign_in(arguments: Login, global: &Global) -> CommandResult<Exit> {
    let mut profiles = Profiles::read()?;
    let Some(url) = global.url.clone().or_else(|| profiles.url(&global.profile).cloned()) else {
        return Err(CommandFailure::usage("the address of the service is missing")
            .next("Name it: atelier login --url https://atelier.example.org"));
    };
    let sign_in = match arguments.web {
        true => issued(&url, &arguments.client_id).await?,
        false => SignIn { key: read_key()?, token: None },
    };
    let user = connected(url.clone(), sign_in.key.clone())?.call(GetMe, ()).await.map_err(|error| {
        let is_refused = error.is_unauthenticated();
        let failure = CommandFailure::from(error);
        if is_refused { failure.next("Make a new key, then run the same command again") } else { failure }
    })?;
    let user = user.user;
    let storage = profiles.put(&global.profile, url, sign_in, arguments.in_file)?;
    if global.json {
        let file = match &storage {
            Storage::Keyring => None,
            Storage::File(path) => Some(path),
        };
        output::json(&serde_json::json!({ "user": user, "profile": global.profile, "file": file }));
    } else {
        let profile = &global.profile;
        output::note(&format!(
            "Signed in as {} ({}). Saved to {storage} as profile \"{profile}\".",
            user.name, user.email
        ));
    }
    if key_of_variable().is_some() {
        output::note("ATELIER_KEY is set and comes first; unset it to use this key.");
    }
    Ok(Exit::Done)
}

/// An API key for this machine, and the browser token of a person by which it was issued. The token ends much earlier; keys
/// and people are managed with it alone.
async fn issued(url: &Url, client_id: &str) -> CommandResult<SignIn> {
    let token = browser_sign_in::token(url, client_id).await?;
    let name = match etcetera::home_dir().ok().and_then(|home| Some(home.file_name()?.to_str()?.to_owned())) {
        Some(user) => format!("atelier of {user}"),
        None => "atelier".to_owned(),
    };
    let request = CreateApiKeyRequest {
        name: parse_name(&name)?,
        scopes: SCOPES.to_vec(),
        expires_at: None,
        project_ids: None,
        org_ids: None,
        test: None,
    };
    let issued = connected(url.clone(), token.clone())?.call_with(CreateApiKey, (), &request).await?;
    Ok(SignIn { key: issued.key.reveal().to_owned().into(), token: Some(token) })
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
    read_secret("API key")?.ok_or_else(|| {
        CommandFailure::usage("no key was entered")
            .next("Pipe a key into the same command, or sign in through the browser: atelier login --web")
    })
}
