//! Secrets that are typed without being shown, or read from standard input. A secret is never an argument: other users see
//! arguments in the list of processes, and shells keep them.

use std::io::{IsTerminal, Read};

use secrecy::SecretString;

use crate::failure::{CommandFailure, CommandResult};

/// Longest secret that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024;

/// Reads a secret; `None` for an empty one. `kind` is its name for people, as in `API key`.
pub(crate) fn read_secret(kind: &str) -> CommandResult<Option<SecretString>> {
    let failed = |error: std::io::Error| CommandFailure::io(&format!("read the {kind}"), &error);
    let text = if std::io::stdin().is_terminal() {
        rpassword::prompt_password(format!("{kind} (not shown): ")).map_err(failed)?
    } else {
        let mut text = String::new();
        std::io::stdin().take(MAX_BYTES).read_to_string(&mut text).map_err(failed)?;
        text
    };
    Ok(Some(text.trim()).filter(|text| !text.is_empty()).map(|text| text.to_owned().into()))
}
