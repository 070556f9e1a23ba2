//! Checks of grants and browser tokens: the key's algorithm, issuer, audience and time.
//!
//! Not here: the trusted keys and the meaning of the claims.

use domain::time::Timestamp;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde::de::DeserializeOwned;

/// Tolerance for clocks of issuer and verifier that differ, in seconds, after `exp` and before `nbf`.
pub const LEEWAY_SECS: i64 = 5;

/// The reason for refusing a grant or a browser token, for the log. Clients get the same 401 for each but expiry.
#[derive(Debug, thiserror::Error)]
pub enum InvalidToken {
    /// Not a JWT, or one with unknown critical extensions.
    #[error("the token is malformed")]
    Malformed,
    /// A JWT for another purpose, by its `typ` header.
    #[error("the token is of another type")]
    Type,
    /// Signed with an untrusted key, or with another algorithm than the key's.
    #[error("the token's key is not trusted")]
    Key,
    /// The signature is wrong.
    #[error("the token's signature is wrong")]
    Signature,
    /// A claim is missing or malformed, or names another issuer or audience.
    #[error("the token's claims are not the expected ones")]
    Claims(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// Expired.
    #[error("the token has expired")]
    Expired,
    /// Not valid yet.
    #[error("the token is not valid yet")]
    NotYetValid,
}

impl From<InvalidToken> for domain::Error {
    fn from(invalid: InvalidToken) -> Self {
        match invalid {
            // The time is checked last, so everything else about the token is right.
            InvalidToken::Expired => Self::credential_expired(),
            invalid => Self::unauthenticated().with_source(invalid),
        }
    }
}

/// The claims expected of a token.
pub(crate) struct ExpectedClaims<'a> {
    pub(crate) issuer: &'a str,
    pub(crate) audience: &'a str,
    pub(crate) required: &'a [&'a str],
}

/// Reads the header of a token before its signature is verified.
pub(crate) fn header(token: &str) -> Result<Header, InvalidToken> {
    let header = decode_header(token).map_err(|_| InvalidToken::Malformed)?;
    // RFC 7515: an unknown critical extension makes the token invalid.
    if header.crit.is_some() { Err(InvalidToken::Malformed) } else { Ok(header) }
}

/// Verifies signature, issuer and audience, and returns the claims. [`check_time`] checks the time.
///
/// `algorithm` is that of the key in the verifier's table, and the token's `alg` has to agree. A token could
/// otherwise choose `none`, or HMAC with the public key as its secret.
pub(crate) fn claims<T: DeserializeOwned>(
    token: &str,
    key: &DecodingKey,
    algorithm: Algorithm,
    expected: &ExpectedClaims<'_>,
) -> Result<T, InvalidToken> {
    let mut validation = Validation::new(algorithm);
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(&[expected.audience]);
    validation.set_required_spec_claims(expected.required);
    // jsonwebtoken would compare with the system's clock. `check_time` takes the time of the request, which
    // tests can choose.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    decode(token, key, &validation).map(|data| data.claims).map_err(|error| match error.kind() {
        ErrorKind::InvalidSignature => InvalidToken::Signature,
        ErrorKind::InvalidAlgorithm | ErrorKind::InvalidKeyFormat => InvalidToken::Key,
        _ => InvalidToken::Claims(error.into()),
    })
}

/// Returns the time of expiry if `now` lies within `[not_before, expires)`, with leeway. Both are seconds since 1970.
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

/// The time of a claim; an error for one that no calendar has.
pub(crate) fn moment(unix_seconds: i64) -> Result<Timestamp, InvalidToken> {
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
        fn a_token_is_alive_within_its_time_and_the_leeway(
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
        fn checking_times_never_panics(not_before in any::<Option<i64>>(), expires in any::<i64>()) {
            let _ = check_time(at(0), not_before, expires);
        }
    }
}
