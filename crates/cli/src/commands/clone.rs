//! Clone a project by Git. This program is the clone's credential helper, so that Git never sees where a key is kept.

use std::io::BufRead;
use std::path::Path;

use client::Client;
use client::api::content::git::{ADDRESS, SUFFIX};
use secrecy::ExposeSecret;
use tokio::process::Command;
use url::Url;

use crate::arguments::Global;
use crate::arguments::content::CloneCommand;
use crate::credentials;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::shell::quoted;
use crate::variable::key_of_variable;

/// Runs `git clone`.
pub(crate) async fn run(client: &Client, arguments: CloneCommand, global: &Global) -> CommandResult<Exit> {
    let project = arguments.project.find(client, Beginning::Taken).await?;
    let record = &project.record;
    let path = format!("{ADDRESS}{}/{}{SUFFIX}", record.owner_slug, record.project_slug);
    let base = client.url();
    let url = base
        .join(path.trim_start_matches('/'))
        .map_err(|error| CommandFailure::local("name the repository", error))?;
    let folder = arguments.folder.unwrap_or_else(|| record.project_slug.to_string().into());
    let program = std::env::current_exe().map_err(|error| CommandFailure::io("find this program", &error))?;
    let helper = helper(&program, &global.profile, base);
    // An empty helper drops those of the system, which would keep the key.
    let (none, own) = ("credential.helper=", format!("credential.helper={helper}"));
    let mut command = Command::new("git");
    command.args(["clone", "--config", none, "--config", &own]);
    if project.branch != record.default_branch {
        command.args(["--branch", project.branch.as_str()]);
    }
    let status = command
        .arg("--")
        .arg(url.as_str())
        .arg(&folder)
        // With --json nothing else goes to standard output; Git's progress is on standard error.
        .stdout(std::process::Stdio::null())
        .status()
        .await
        .map_err(|error| CommandFailure::io("run git", &error).next("Install Git, and its LFS extension"))?;
    if !status.success() {
        return Err(CommandFailure::new(Exit::Refused, "git could not clone the project"));
    }
    if global.json {
        output::json(&serde_json::json!({ "folder": folder, "url": url.as_str() }));
    } else {
        output::note(&format!("Cloned into {}.", folder.display()));
    }
    if key_of_variable().is_some() {
        let login = format!("atelier login --url {}", quoted(base.as_str()));
        output::note(&format!(
            "The key is that of ATELIER_KEY: keep it set for fetches and pushes, or keep a key: {login}"
        ));
    }
    Ok(Exit::Done)
}

/// The command by which Git asks for the credential.
fn helper(program: &Path, profile: &str, url: &Url) -> String {
    let word = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let program = word(&program.to_string_lossy());
    format!("!{program} --profile {} --url {} git-credential", word(profile), word(url.as_str()))
}

/// Answers Git's question: the key, if Git asks for this service.
pub(crate) fn credential(operation: &str, global: &Global) -> CommandResult<Exit> {
    if operation != "get" {
        return Ok(Exit::Done);
    }
    let (url, key) = credentials::found(global).map_err(|failure| match (failure.exit, &global.url) {
        (Exit::SignedOut, Some(url)) => failure.next(format!(
            "Set ATELIER_KEY (ATELIER_URL is {url}), or sign in: atelier login --url {}",
            quoted(url.as_str())
        )),
        (Exit::SignedOut, None) => {
            failure.next("Set ATELIER_URL and ATELIER_KEY, or sign in: atelier login --url https://…")
        }
        _ => failure,
    })?;
    let mut asked = (None, None);
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| CommandFailure::io("read Git's question", &error))?;
        match line.split_once('=') {
            Some(("protocol", protocol)) => asked.0 = Some(protocol.to_owned()),
            Some(("host", host)) => asked.1 = Some(host.to_owned()),
            _ => {}
        }
    }
    let host = url.host_str().map(|host| match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    });
    // The key of one service is never given to another.
    if asked == (Some(url.scheme().to_owned()), host) {
        output::print(&format!("username=git\npassword={}", key.expose_secret()));
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::helper;

    #[test]
    fn a_helpers_words_are_quoted() {
        let url = "http://127.0.0.1:8080".parse().unwrap();
        assert_eq!(
            helper(Path::new("/it's/atelier"), "default", &url),
            r"!'/it'\''s/atelier' --profile 'default' --url 'http://127.0.0.1:8080/' git-credential"
        );
    }
}
