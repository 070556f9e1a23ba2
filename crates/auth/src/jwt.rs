//! What grants and browser tokens check alike: one algorithm fixed by the key, issuer, audience, and time.
//!
//! Not here: which keys are trusted, and what the claims mean.

use domain::time::Timestamp;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde::de::DeserializeOwned;

/// How far the clocks of issuer and verifier may lie apart, in seconds: a token counts as alive for this
/// long after `exp` and before `nbf`.
pub const LEEWAY_SECS: i64 = 5;

/// Why a grant or a browser token is refused. For the log: every one of these is the same 401 to a client.
#[derive(Debug, thiserror::Error)]
pub enum InvalidToken {
    /// Not a JWT, or one that demands extensions which are not understood here.
    #[error("the token is malformed")]
    Malformed,
    /// A JWT made for another purpose, by its `typ` header.
    #[error("the token is of another type")]
    Type,
    /// Signed with a key that is not trusted here, or with another algorithm than that key's.
    #[error("the token's key is not trusted")]
    Key,
    /// The signature does not fit the token and the key.
    #[error("the token's signature is wrong")]
    Signature,
    /// A claim is absent, malformed, or names another issuer or audience.
    #[error("the token's claims are not the expected ones")]
    Claims(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
    /// Its time has not begun.
    #[error("the token is not valid yet")]
    NotYetValid,
}

impl From<InvalidToken> for domain::Error {
    fn from(invalid: InvalidToken) -> Self {
        Self::unauthenticated().with_source(invalid)
    }
}

/// What a token must say, besides being signed with a trusted key.
pub(crate) struct Expected<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) audience: &'a str,
    pub(crate) required: &'a [&'a str],
}

/// The header of a token whose signature is still to be checked.
pub(crate) fn header(token: &str) -> Result<Header, InvalidToken> {
    let header = decode_header(token).map_err(|_| InvalidToken::Malformed)?;
    // RFC 7515: an extension marked critical and not understood makes the token invalid.
    if header.crit.is_some() { Err(InvalidToken::Malformed) } else { Ok(header) }
}

/// The claims of a token, its signature, issuer and audience checked. Time is left to [`check_time`].
///
/// `algorithm` is the key's, from the verifier's own table. The token's `alg` only has to agree with it:
/// taken at its word, a token could choose `none`, or HMAC with the public key as its secret.
pub(crate) fn claims<T: DeserializeOwned>(
    token: &str,
    key: &DecodingKey,
    algorithm: Algorithm,
    expected: &Expected<'_>,
) -> Result<T, InvalidToken> {
    let mut validation = Validation::new(algorithm);
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(&[expected.audience]);
    validation.set_required_spec_claims(expected.required);
    // jsonwebtoken compares with the system's clock. Here now is an argument, so that a whole request is
    // judged at one moment and a test can choose it: `check_time` does these two.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    decode(token, key, &validation).map(|data| data.claims).map_err(|error| match error.kind() {
        ErrorKind::InvalidSignature => InvalidToken::Signature,
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidKeyFormat => InvalidToken::Key,
        _ => InvalidToken::Claims(error.into()),
    })
}

/// When a token expires, if `now` lies within `[not_before, expires)` give or take the leeway. Both are in
/// seconds since 1970.
pub(crate) fn check_time(
    now: Timestamp,
    not_before: Option<i64>,
    expires: i64,
) -> Result<Timestamp, InvalidToken> {
    let expires = moment(expires)?;
    if now >= expires.plus_seconds(LEEWAY_SECS) {
        return Err(InvalidToken::Expired);
    }
    match not_before {
        Some(seconds) if now.plus_seconds(LEEWAY_SECS) < moment(seconds)? => Err(InvalidToken::NotYetValid),
        _ => Ok(expires),
    }
}

fn moment(unix_seconds: i64) -> Result<Timestamp, InvalidToken> {
    let time = time::OffsetDateTime::from_unix_timestamp(unix_seconds);
    time.map(Timestamp::from).map_err(|error| InvalidToken::Claims(error.into()))
}

#[cfg(test)]
mod tests {
    use domain::time::Timestamp;
    use proptest::prelude::*;

    use super::{InvalidToken, LEEWAY_SECS, check_time};

    const NOON: i64 = 1_795_176_000;

    fn at(offset_millis: i64) -> Timestamp {
        let nanos = i128::from(NOON * 1000 + offset_millis) * 1_000_000;
        Timestamp::from(time::OffsetDateTime::from_unix_timestamp_nanos(nanos).unwrap())
    }

    proptest! {
        #[test]
        fn a_token_is_alive_from_a_leeway_before_its_time_to_a_leeway_after(
            offset_millis in -400_000..400_000_i64, before in 0..300_i64, after in 0..300_i64,
        ) {
            let leeway = LEEWAY_SECS * 1000;
            let verdict = check_time(at(offset_millis), Some(NOON - before), NOON + after);
            if offset_millis >= after * 1000 + leeway {
                prop_assert!(matches!(verdict, Err(InvalidToken::Expired)));
            } else if offset_millis < -before * 1000 - leeway {
                prop_assert!(matches!(verdict, Err(InvalidToken::NotYetValid)));
            } else {
                prop_assert_eq!(verdict.unwrap(), at(after * 1000));
            }
        }

        #[test]
        fn no_claimed_time_makes_the_check_panic(not_before in any::<Option<i64>>(), expires in any::<i64>()) {
            let _ = check_time(at(0), not_before, expires);
        }
    }
}
