//! What a request presents in `Authorization`, told apart by its prefix before anything else is looked at.
//!
//! Not here: whether the credential is any good. That is for `api_key`, `grant` and `browser_token`.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::{Code, Error};

use crate::{api_key, grant};

/// The kinds of credential that the service knows (specification, "Authentication").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CredentialKind {
    /// A personal access token, `svc_ak_…`.
    ApiKey,
    /// A grant for the data plane, `svc_gr_…`.
    Grant,
    /// A browser access token: a JWT of an OpenID Connect issuer.
    BrowserToken,
}

/// A credential as it was presented: its kind is known, and nothing else about it is checked.
///
/// A secret: it has no `Display`, and `Debug` shows its kind alone.
#[derive(Clone)]
pub struct Credential {
    kind: CredentialKind,
    text: String,
}

/// Whose requests an operation takes, which decides how they present a credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clients {
    /// Anybody's, as a bearer token.
    Any,
    /// Git's own, which know HTTP Basic alone: the credential is the password, and the user name says nothing. A
    /// bearer token is taken, too.
    Git,
    /// Those of resumable uploads, as a bearer token; each answer tells them the version of tus.
    Tus,
}

/// `Authorization` holds no single bearer credential of a known kind. Answered with 401, never as anonymous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Authorization header holds no single bearer credential of a known kind")]
pub struct MalformedCredential;

impl Credential {
    /// The credential of a request, from the values of all its `Authorization` headers; `None` where there
    /// is no such header.
    ///
    /// # Errors
    /// [`MalformedCredential`]: more than one header, a scheme that these clients don't use, or an unknown kind.
    pub fn from_authorization<'a>(
        values: impl IntoIterator<Item = &'a [u8]>,
        clients: Clients,
    ) -> Result<Option<Self>, MalformedCredential> {
        let mut values = values.into_iter();
        let Some(value) = values.next() else {
            return Ok(None);
        };
        if values.next().is_some() {
            return Err(MalformedCredential);
        }
        // Bytes that are no text can't be part of a usable credential, but the prefix before them still counts.
        let value = String::from_utf8_lossy(value);
        let (scheme, text) = value.split_once(' ').ok_or(MalformedCredential)?;
        let text = text.trim_matches(' ');
        if scheme.eq_ignore_ascii_case("bearer") {
            Self::classify(text).map(Some)
        } else if scheme.eq_ignore_ascii_case("basic") && clients == Clients::Git {
            Self::classify(&password(text).ok_or(MalformedCredential)?).map(Some)
        } else {
            Err(MalformedCredential)
        }
    }

    /// Which kind it is.
    pub fn kind(&self) -> CredentialKind {
        self.kind
    }

    /// The text to hand to the check for its kind.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Checks that an operation takes this kind of credential.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, also where the credential could not be used anyway: the kind is judged
    /// first (contract, section 2).
    pub fn require(&self, accepted: &[CredentialKind]) -> Result<(), Error> {
        if accepted.contains(&self.kind) {
            return Ok(());
        }
        let message = match self.kind {
            CredentialKind::ApiKey => "An API key is not accepted here.",
            CredentialKind::Grant => "A data-plane grant is not accepted here.",
            CredentialKind::BrowserToken => "A browser access token is not accepted here.",
        };
        Err(Error::new(Code::CredentialNotPermitted, message))
    }

    fn classify(text: &str) -> Result<Self, MalformedCredential> {
        let kind = if text.starts_with(grant::PREFIX) {
            CredentialKind::Grant
        } else if text.starts_with(api_key::PREFIX) {
            CredentialKind::ApiKey
        } else if is_jwt_shaped(text) {
            CredentialKind::BrowserToken
        } else {
            return Err(MalformedCredential);
        };
        Ok(Self { kind, text: text.to_owned() })
    }
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credential({:?}, [redacted])", self.kind)
    }
}

impl From<MalformedCredential> for Error {
    fn from(malformed: MalformedCredential) -> Self {
        Self::unauthenticated().with_source(malformed)
    }
}

/// The password of what HTTP Basic encodes. Bytes that are no text can't be part of a usable credential.
fn password(encoded: &str) -> Option<String> {
    let decoded = STANDARD.decode(encoded).ok()?;
    let decoded = String::from_utf8_lossy(&decoded);
    decoded.split_once(':').map(|(_, password)| password.to_owned())
}

/// Three base64url parts; the last, the signature, may be empty, as in an unsigned token, which is then
/// refused for what it is.
fn is_jwt_shaped(text: &str) -> bool {
    let is_base64url =
        |part: &str| part.bytes().all(|byte| matches!(byte, b'-' | b'_') || byte.is_ascii_alphanumeric());
    let mut parts = text.split('.');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(header), Some(claims), Some(signature), None) => {
            !header.is_empty()
                && !claims.is_empty()
                && [header, claims, signature].into_iter().all(is_base64url)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use domain::Code;
    use proptest::prelude::*;

    use super::{Clients, Credential, CredentialKind, MalformedCredential};

    const KINDS: [CredentialKind; 3] =
        [CredentialKind::ApiKey, CredentialKind::Grant, CredentialKind::BrowserToken];

    fn kind(value: &[u8]) -> Result<CredentialKind, MalformedCredential> {
        Credential::from_authorization([value], Clients::Any).map(|credential| credential.unwrap().kind())
    }

    #[test]
    fn a_client_of_git_presents_a_credential_as_the_password_whatever_the_user() {
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let kind = |value: &str| {
            Credential::from_authorization([value.as_bytes()], Clients::Git).map(|credential| {
                credential.map(|credential| (credential.kind(), credential.reveal().to_owned()))
            })
        };
        let key = |text: &str| Ok(Some((CredentialKind::ApiKey, text.to_owned())));
        assert_eq!(kind(&basic("git:svc_ak_live_0")), key("svc_ak_live_0"));
        assert_eq!(kind(&basic(":svc_ak_live_0")), key("svc_ak_live_0"));
        assert_eq!(kind(&basic("é:svc_ak_live_0:1").replace("Basic", "basic")), key("svc_ak_live_0:1"));
        assert_eq!(kind("Bearer svc_ak_live_0"), key("svc_ak_live_0"));
        for bad in
            [&basic("svc_ak_live_0:"), &basic("svc_ak_live_0"), &basic(""), "Basic !", "Basic ", "Digest x"]
        {
            assert_eq!(kind(bad), Err(MalformedCredential), "{bad}");
        }
    }

    #[test]
    fn the_prefix_alone_decides_the_kind_even_of_garbage() {
        for (value, expected) in [
            ("Bearer svc_ak_live_0123", CredentialKind::ApiKey),
            ("Bearer svc_ak_", CredentialKind::ApiKey),
            ("bearer svc_gr_a.b.c", CredentialKind::Grant),
            ("BEARER svc_gr_", CredentialKind::Grant),
            ("Bearer   svc_gr_not a grant, really", CredentialKind::Grant),
            ("Bearer e30.e30.c2ln", CredentialKind::BrowserToken),
            ("Bearer e30.e30.", CredentialKind::BrowserToken),
        ] {
            assert_eq!(kind(value.as_bytes()), Ok(expected), "{value}");
        }
        assert_eq!(kind(b"Bearer svc_gr_\xff\xfe"), Ok(CredentialKind::Grant));
    }

    #[test]
    fn anything_else_is_malformed_rather_than_anonymous() {
        for value in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer  ",
            "Basic dXNlcjpwYXNz",
            "Basic svc_ak_live_0",
            "svc_ak_live_0",
            "Bearersvc_ak_0",
            "Bearer token",
            "Bearer SVC_AK_LIVE_0",
            "Bearer svc_xx_0",
            "Bearer a.b",
            "Bearer a.b.c.d",
            "Bearer .b.c",
            "Bearer a..c",
            "Bearer a.b.c=",
            "Bearer a.b.c svc_gr_x",
            "Bearer\tsvc_ak_live_0",
        ] {
            assert_eq!(kind(value.as_bytes()), Err(MalformedCredential), "{value:?}");
        }
        assert_eq!(kind(b"Bearer \xff.\xff.\xff"), Err(MalformedCredential));
    }

    #[test]
    fn no_header_is_no_credential_and_two_are_malformed() {
        assert!(Credential::from_authorization([], Clients::Any).unwrap().is_none());
        let value: &[u8] = b"Bearer svc_ak_live_0";
        assert!(Credential::from_authorization([value, value], Clients::Any).is_err());
    }

    #[test]
    fn a_kind_that_is_not_accepted_is_refused_by_its_own_code() {
        for presented in KINDS {
            let credential = Credential { kind: presented, text: String::new() };
            for accepted in KINDS {
                let verdict = credential.require(&[accepted]).map_err(|error| error.code);
                let expected = if presented == accepted { Ok(()) } else { Err(Code::CredentialNotPermitted) };
                assert_eq!(verdict, expected, "{presented:?} where {accepted:?} is accepted");
            }
            assert!(credential.require(&KINDS).is_ok());
        }
    }

    proptest! {
        #[test]
        fn no_header_value_makes_the_parser_panic(value in proptest::collection::vec(any::<u8>(), 0..80)) {
            for scheme in [&b""[..], b"Bearer ", b"Basic "] {
                let value = [scheme, value.as_slice()].concat();
                let _ = Credential::from_authorization([value.as_slice()], Clients::Git);
            }
        }
    }
}
