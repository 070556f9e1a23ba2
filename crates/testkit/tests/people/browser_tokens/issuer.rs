//! An OIDC issuer: its keys, and a small HTTP server that publishes them.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;

use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use parking_lot::Mutex;
use serde_json::{Value, json};

/// A key of the issuer.
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) private: EncodingKey,
}

impl Key {
    pub(crate) fn new(id: &str) -> Self {
        let pem = auth::signing_key::generate().unwrap().private;
        Self { id: id.to_owned(), private: EncodingKey::from_ed_pem(pem.as_bytes()).unwrap() }
    }

    pub(crate) fn jwk(&self) -> Value {
        let mut jwk = Jwk::from_encoding_key(&self.private, Algorithm::EdDSA).unwrap();
        jwk.common.key_id = Some(self.id.clone());
        serde_json::to_value(jwk).unwrap()
    }

    pub(crate) fn token(&self, claims: &Value) -> String {
        let mut header = Header::new(Algorithm::EdDSA);
        header.kid = Some(self.id.clone());
        jsonwebtoken::encode(&header, claims, &self.private).unwrap()
    }
}

/// The issuer's behaviour.
#[derive(Clone, Copy)]
pub(crate) enum Mood {
    /// Answers with its document and keys.
    Well,
    /// Closes the connection.
    Away,
    /// Answers with a failure.
    Failing,
    /// Answers with something other than JSON.
    Garbled,
    /// Never answers.
    Silent,
}

/// A server of the issuer's discovery document and keys.
pub(crate) struct Issuer {
    /// The issuer, as in its tokens.
    pub(crate) url: String,
    state: Arc<Mutex<IssuerState>>,
}

struct IssuerState {
    mood: Mood,
    document: Value,
    keys: Value,
    /// Requests for the discovery document, with which each fetch begins.
    fetches: u32,
    /// Connections without an answer.
    kept: Vec<TcpStream>,
}

impl Issuer {
    pub(crate) fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        // As many have it, with a slash that the address of the document doesn't double.
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let document = json!({
            "issuer": url, "jwks_uri": format!("{url}jwks"),
            "authorization_endpoint": format!("{url}authorize"), "token_endpoint": format!("{url}token"),
        });
        let state = IssuerState { mood, document, keys: json!({ "keys": [] }), fetches: 0, kept: Vec::new() };
        let state = Arc::new(Mutex::new(state));
        let served = Arc::clone(&state);
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                answer(connection, &mut served.lock());
            }
        });
        Self { url, state }
    }

    pub(crate) fn publish(&self, keys: &[&Key]) {
        self.change(|state| {
            state.keys = json!({ "keys": keys.iter().map(|key| key.jwk()).collect::<Vec<_>>() })
        });
    }

    /// Names another issuer in the document, as one would that stands behind the address of another.
    pub(crate) fn call_itself(&self, name: &str) {
        let set =
            |document: &mut Value| document.as_object_mut().unwrap().insert("issuer".into(), json!(name));
        self.change(|state| drop(set(&mut state.document)));
    }

    pub(crate) fn become_(&self, mood: Mood) {
        self.change(|state| state.mood = mood);
    }

    pub(crate) fn fetches(&self) -> u32 {
        self.state.lock().fetches
    }

    fn change(&self, change: impl FnOnce(&mut IssuerState)) {
        change(&mut self.state.lock());
    }
}

/// Answers the single request of a connection.
fn answer(mut connection: TcpStream, state: &mut IssuerState) {
    let mut lines = BufReader::new(&connection).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let is_document = first.starts_with("GET /.well-known/openid-configuration ");
    state.fetches += u32::from(is_document);
    let (status, body) = match state.mood {
        Mood::Well if is_document => ("200 OK", state.document.to_string()),
        Mood::Well => ("200 OK", state.keys.to_string()),
        Mood::Failing => ("500 Internal Server Error", "{}".to_owned()),
        Mood::Garbled => ("200 OK", "<html>".to_owned()),
        Mood::Away => return,
        Mood::Silent => return state.kept.push(connection),
    };
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    // The client may have disconnected.
    let _sent = connection.write_all(format!("{head}{body}").as_bytes());
}
