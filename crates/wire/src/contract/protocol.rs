//! The hook for endpoints whose clients speak a protocol of their own. The plane that serves it defines it.

use actix_web::http::header::HeaderMap;
use auth::credential::AuthorizationSchemes;
use domain::Code;

/// The conventions of an endpoint's clients, beside the service's own.
#[derive(Debug)]
pub struct Protocol {
    /// The schemes of `Authorization` that its clients use.
    pub schemes: AuthorizationSchemes,
    /// If set, a failure repeats its message at the top of the envelope, as Git LFS expects.
    pub repeats_message: bool,
    /// Adds headers to every answer.
    pub add_headers: fn(&mut HeaderMap, AnswerContext<'_>),
}

/// The facts on which a protocol's headers depend.
#[derive(Clone, Copy, Debug)]
pub struct AnswerContext<'a> {
    /// The code of the failure, if the answer is one.
    pub failure: Option<Code>,
    /// Public URL of the plane, without a slash at its end.
    pub public_url: &'a str,
    /// The plane's name as the client addressed it, if the client said one.
    pub host: Option<&'a str>,
}

impl AnswerContext<'_> {
    /// The URL of a path of this plane, by the name that the client addressed it by.
    pub fn url_of(&self, path: &str) -> String {
        match (self.public_url.split_once("://"), self.host) {
            (Some((scheme, _)), Some(host)) => format!("{scheme}://{host}{path}"),
            _ => format!("{}{path}", self.public_url),
        }
    }
}

impl Protocol {
    /// The service's own conventions, which nearly all endpoints follow.
    pub const OWN: &'static Self =
        &Self { schemes: AuthorizationSchemes::Bearer, repeats_message: false, add_headers: |_, _| {} };
}
