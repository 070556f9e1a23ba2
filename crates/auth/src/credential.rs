//! The credential in `Authorization`. Its prefix decides the kind, before anything else is checked.
//!
//! Not here: the validity of the credential, which `api_key`, `grant` and `browser_token` check.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::{Code, Error};

use crate::{api_key, grant};

/// The kind of a credential (docs/api.md, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CredentialKind {
    /// An API key, `svc_ak_…`.
    ApiKey,
    /// A grant for the data plane, `svc_gr_…`.
    Grant,
    /// A browser access token: a JWT of an OpenID Connect issuer.
    BrowserToken,
}

/// An unchecked credential of a known kind.
///
/// A secret: it has no `Display`, and `Debug` shows only its kind.
#[derive(Clone)]
pub struct Credential {
    kind: CredentialKind,
    text: String,
}

/// The schemes of `Authorization` that an operation accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuthorizationSchemes {
    /// A bearer token.
    Bearer,
    /// A bearer token, or HTTP Basic with the credential as its password, or as the user name of
    /// `x-oauth-basic`.
    BearerAndBasic,
}

/// `Authorization` is not a single bearer credential of a known kind. The answer is 401, never that for anonymous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Authorization header is not a single bearer credential of a known kind")]
pub struct MalformedCredential;

impl Credential {
    /// Reads the values of all `Authorization` headers of a request; `None` without such a header.
    ///
    /// # Errors
    /// [`MalformedCredential`]: several headers, a scheme that is not accepted, or an unknown kind.
    pub fn from_authorization<'a>(
        values: impl IntoIterator<Item = &'a [u8]>,
        schemes: AuthorizationSchemes,
    ) -> Result<Option<Self>, MalformedCredential> {
        let mut values = values.into_iter();
        let Some(value) = values.next() else {
            return Ok(None);
        };
        if values.next().is_some() {
            return Err(MalformedCredential);
        }
        // A credential with invalid UTF-8 is unusable, but its prefix still decides the kind.
        let value = String::from_utf8_lossy(value);
        let (scheme, text) = value.split_once(' ').ok_or(MalformedCredential)?;
        let text = text.trim_matches(' ');
        if scheme.eq_ignore_ascii_case("bearer") {
            Self::classify(text).map(Some)
        } else if scheme.eq_ignore_ascii_case("basic") && schemes == AuthorizationSchemes::BearerAndBasic {
            Self::classify(&password(text).ok_or(MalformedCredential)?).map(Some)
        } else {
            Err(MalformedCredential)
        }
    }

    /// The kind.
    pub fn kind(&self) -> CredentialKind {
        self.kind
    }

    /// The text, for the check of its kind.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// Checks that an operation takes this kind of credential.
    ///
    /// # Errors
    /// `CREDENTIAL_NOT_PERMITTED`, even for an invalid credential: the kind is checked first (docs/api.md, section 2).
    pub fn require(&self, accepted: &[CredentialKind]) -> Result<(), Error> {
        if accepted.contains(&self.kind) {
            return Ok(());
        }
        let presented = match self.kind {
            CredentialKind::ApiKey => "An API key",
            CredentialKind::Grant => "A data-plane grant",
            CredentialKind::BrowserToken => "A browser access token",
        };
        let advice = remedy(accepted);
        Err(Error::new(Code::CredentialNotPermitted, format!("{presented} is not accepted here. {advice}")))
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

/// The credential to send where these kinds are accepted.
fn remedy(accepted: &[CredentialKind]) -> &'static str {
    match accepted {
        [CredentialKind::Grant] => {
            "Send a grant: a session's `dataPlane.token`, or one of `download-grants`."
        }
        [CredentialKind::BrowserToken] => "Send a browser token.",
        _ => "Send an API key or a browser token.",
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

/// The password with which the user name is a credential, as settings of build services write it.
const USER_IS_CREDENTIAL: &str = "x-oauth-basic";

/// The credential in HTTP Basic: the password, or the user name of [`USER_IS_CREDENTIAL`].
fn password(encoded: &str) -> Option<String> {
    let decoded = STANDARD.decode(encoded).ok()?;
    let decoded = String::from_utf8_lossy(&decoded);
    let (user, password) = decoded.split_once(':')?;
    Some(if password == USER_IS_CREDENTIAL { user } else { password }.to_owned())
}

/// True for three base64url parts. The signature may be empty; an unsigned token is refused later.
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

    use super::{AuthorizationSchemes, Credential, CredentialKind, MalformedCredential};

    const KINDS: [CredentialKind; 3] =
        [CredentialKind::ApiKey, CredentialKind::Grant, CredentialKind::BrowserToken];

    fn kind(value: &[u8]) -> Result<CredentialKind, MalformedCredential> {
        Credential::from_authorization([value], AuthorizationSchemes::Bearer)
            .map(|credential| credential.unwrap().kind())
    }

    #[test]
    fn gits_clients_send_the_credential_as_password_of_any_user() {
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let kind = |value: &str| {
            Credential::from_authorization([value.as_bytes()], AuthorizationSchemes::BearerAndBasic).map(
                |credential| credential.map(|credential| (credential.kind(), credential.reveal().to_owned())),
            )
        };
        let key = |text: &str| Ok(Some((CredentialKind::ApiKey, text.to_owned())));
        assert_eq!(kind(&basic("git:svc_ak_live_0")), key("svc_ak_live_0"));
        assert_eq!(kind(&basic(":svc_ak_live_0")), key("svc_ak_live_0"));
        assert_eq!(kind(&basic("svc_ak_live_0:x-oauth-basic")), key("svc_ak_live_0"));
        assert_eq!(kind(&basic("x-oauth-basic:svc_ak_live_0")), key("svc_ak_live_0"));
        assert_eq!(kind(&basic("é:svc_ak_live_0:1").replace("Basic", "basic")), key("svc_ak_live_0:1"));
        assert_eq!(kind("Bearer svc_ak_live_0"), key("svc_ak_live_0"));
        for bad in
            [&basic("svc_ak_live_0:"), &basic("svc_ak_live_0"), &basic(""), "Basic !", "Basic ", "Digest x"]
        {
            assert_eq!(kind(bad), Err(MalformedCredential), "{bad}");
        }
    }

    #[test]
    fn the_prefix_decides_the_kind_even_of_garbage() {
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
    fn other_values_are_malformed_rather_than_anonymous() {
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
    fn no_header_is_anonymous_and_two_are_malformed() {
        assert!(Credential::from_authorization([], AuthorizationSchemes::Bearer).unwrap().is_none());
        let value: &[u8] = b"Bearer svc_ak_live_0";
        assert!(Credential::from_authorization([value, value], AuthorizationSchemes::Bearer).is_err());
    }

    #[test]
    fn other_kinds_are_refused_with_a_code_of_their_own() {
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

    #[test]
    fn a_refusal_names_the_credential_to_send() {
        let key = Credential { kind: CredentialKind::ApiKey, text: String::new() };
        let grant = Credential { kind: CredentialKind::Grant, text: String::new() };
        let on_data_plane = key.require(&[CredentialKind::Grant]).unwrap_err();
        let on_control_plane =
            grant.require(&[CredentialKind::ApiKey, CredentialKind::BrowserToken]).unwrap_err();
        assert!(on_data_plane.message.ends_with("or one of `download-grants`."), "{on_data_plane:?}");
        assert!(
            on_control_plane.message.ends_with("Send an API key or a browser token."),
            "{on_control_plane:?}"
        );
    }

    proptest! {
        #[test]
        fn parsing_never_panics(value in proptest::collection::vec(any::<u8>(), 0..80)) {
            for scheme in [&b""[..], b"Bearer ", b"Basic "] {
                let value = [scheme, value.as_slice()].concat();
                let _ = Credential::from_authorization([value.as_slice()], AuthorizationSchemes::BearerAndBasic);
            }
        }
    }
}
