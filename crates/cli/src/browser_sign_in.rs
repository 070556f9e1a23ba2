//! Sign-in through the browser: the authorization code flow with PKCE (RFC 7636) at the issuer that the service names,
//! with a redirect to this machine (RFC 8252).

use std::time::Duration;

use api::work::mcp::GetProtectedResource;
use client::Client;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use oauth2::basic::{
    BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AuthUrl, AuthorizationCode, ClientId, CsrfToken, ExtraTokenFields, HttpRequest, HttpResponse,
    PkceCodeChallenge, RedirectUrl, Scope, StandardRevocableToken, StandardTokenResponse, TokenResponse,
    TokenUrl,
};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output;

/// The longest wait for a person in the browser.
const PATIENCE: Duration = Duration::from_secs(300);
/// The longest wait for an answer of the issuer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The longest time of a connection.
const IDLE_MAX: Duration = Duration::from_secs(30);
/// Longest first line of a request, in bytes.
const LINE_MAX_BYTES: u64 = 16 * 1024;
const SCOPES: [&str; 3] = ["openid", "email", "profile"];
/// The page that the browser shows at the end.
const PAGE: &str = "Signed in. This page can be closed.";

/// The issuer's endpoints (OpenID Connect Discovery 1.0).
#[derive(Debug, Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
}

/// The field of OpenID Connect in an answer of OAuth.
#[derive(Debug, Deserialize, Serialize)]
struct IdToken {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdToken {}

type TokenAnswer = StandardTokenResponse<IdToken, BasicTokenType>;
type OauthClient = oauth2::Client<
    BasicErrorResponse,
    TokenAnswer,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
>;

/// A browser token of the person who signs in.
pub(crate) async fn token(url: &Url, client_id: &str) -> CommandResult<SecretString> {
    let service = Client::builder(url.clone()).build()?;
    let resource = service.call(GetProtectedResource, ()).await?;
    let Some(issuer) = resource.authorization_servers.and_then(|servers| servers.into_iter().next()) else {
        return Err(CommandFailure::new(Exit::Refused, format!("{url} has no sign-in by the browser"))
            .next("Sign in with an API key: atelier login"));
    };
    let http = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(TIMEOUT)
        .build()
        .map_err(|error| CommandFailure::local("make a client", error))?;
    let discovery = discovery(&http, &issuer).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| listening(&error))?;
    let port = listener.local_addr().map_err(|error| listening(&error))?.port();
    let invalid = |error: url::ParseError| CommandFailure::local("read the issuer's addresses", error);
    let redirect = RedirectUrl::new(format!("http://127.0.0.1:{port}/")).map_err(invalid)?;
    let client = OauthClient::new(ClientId::new(client_id.to_owned()))
        .set_auth_uri(AuthUrl::new(discovery.authorization_endpoint).map_err(invalid)?)
        .set_token_uri(TokenUrl::new(discovery.token_endpoint).map_err(invalid)?)
        .set_redirect_uri(redirect);
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let (page, state) = client
        .authorize_url(CsrfToken::new_random)
        .add_scopes(SCOPES.map(|scope| Scope::new(scope.to_owned())))
        // The token is for this service (RFC 8707).
        .add_extra_param("resource", resource.resource)
        .set_pkce_challenge(challenge)
        .url();
    output::note(&format!("Open {page}"));
    output::note("Waiting…");
    // A machine without a browser shows the address alone.
    drop(open::that_detached(page.as_str()));
    let code = tokio::time::timeout(PATIENCE, redirected(&listener, &state));
    let code = code.await.map_err(|_| CommandFailure::new(Exit::SignedOut, "nobody has signed in"))??;
    let answer = client
        .exchange_code(code)
        .set_pkce_verifier(verifier)
        .request_async(&|request| exchange(http.clone(), request))
        .await
        .map_err(|error| CommandFailure::new(Exit::SignedOut, format!("the issuer refused: {error}")))?;
    Ok(chosen(&answer).into())
}

/// The token that the service can read: an access token that is a JWT, else the id token.
fn chosen(answer: &TokenAnswer) -> String {
    let access = answer.access_token().secret();
    match &answer.extra_fields().id_token {
        Some(id_token) if access.split('.').count() != 3 => id_token.clone(),
        _ => access.clone(),
    }
}

async fn discovery(http: &reqwest::Client, issuer: &str) -> CommandResult<Discovery> {
    let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    let failed = |error: reqwest::Error| {
        CommandFailure::new(Exit::Unreachable, format!("cannot read {address}: {}", error.without_url()))
    };
    let answer = http.get(&address).send().await.and_then(reqwest::Response::error_for_status);
    let discovery: Discovery = answer.map_err(failed)?.json().await.map_err(failed)?;
    // Another issuer's endpoints would get the person's code.
    if discovery.issuer != issuer {
        let message = format!("{address} describes another issuer, {}", discovery.issuer);
        return Err(CommandFailure::new(Exit::Refused, message));
    }
    Ok(discovery)
}

async fn exchange(http: reqwest::Client, request: HttpRequest) -> std::io::Result<HttpResponse> {
    let other = std::io::Error::other::<reqwest::Error>;
    let request = reqwest::Request::try_from(request).map_err(other)?;
    let answer = http.execute(request).await.map_err(other)?;
    let mut response = oauth2::http::Response::builder().status(answer.status());
    for (name, value) in answer.headers() {
        response = response.header(name, value);
    }
    response.body(answer.bytes().await.map_err(other)?.to_vec()).map_err(std::io::Error::other)
}

/// The code that the browser brings. Other requests, as for an icon, are answered and forgotten. A connection without a
/// request holds no other one up: browsers open some ahead, and so may other programs.
async fn redirected(listener: &TcpListener, state: &CsrfToken) -> CommandResult<AuthorizationCode> {
    let mut visits = FuturesUnordered::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted.map_err(|error| listening(&error))?;
                let visit = tokio::time::timeout(IDLE_MAX, visited(stream, state));
                visits.push(visit.map(|visited| visited.ok().flatten()));
            }
            visited = visits.next(), if !visits.is_empty() => {
                if let Some(Some(result)) = visited {
                    return result;
                }
            }
        }
    }
}

/// The result of one request; `None` if it is not the redirect, or the browser has left.
async fn visited(stream: TcpStream, state: &CsrfToken) -> Option<CommandResult<AuthorizationCode>> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    (&mut stream).take(LINE_MAX_BYTES).read_line(&mut line).await.ok()?;
    let path = line.split(' ').nth(1)?;
    let url = Url::parse("http://127.0.0.1").ok()?.join(path).ok()?;
    let value =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let is_ours = value("state").is_some_and(|sent| &sent == state.secret());
    let result = match (value("code"), value("error")) {
        (Some(code), _) if is_ours => Some(Ok(AuthorizationCode::new(code))),
        (_, Some(error)) if is_ours => {
            let why = value("error_description").unwrap_or(error);
            Some(Err(CommandFailure::new(Exit::SignedOut, format!("the issuer refused: {why}"))))
        }
        _ => None,
    };
    let (status, page) = match &result {
        Some(Ok(_)) => ("200 OK", PAGE),
        Some(Err(_)) => ("200 OK", "Not signed in. The terminal says why."),
        None => ("404 Not Found", "Nothing is here."),
    };
    let length = page.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{page}"
    );
    // The code counts, even if the browser has left.
    drop(stream.get_mut().write_all(answer.as_bytes()).await);
    drop(stream.get_mut().shutdown().await);
    result
}

fn listening(error: &std::io::Error) -> CommandFailure {
    CommandFailure::io("listen for the browser", error)
}
