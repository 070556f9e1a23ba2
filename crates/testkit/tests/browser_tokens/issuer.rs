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
    /// Answers with its keys.
    Well,
    /// Closes the connection.
    Away,
    /// Answers with a failure.
    Failing,
    /// Answers with something other than a key set.
    Garbled,
    /// Never answers.
    Silent,
}

/// A server of the issuer's keys.
pub(crate) struct Issuer {
    pub(crate) url: String,
    state: Arc<Mutex<IssuerState>>,
}

struct IssuerState {
    mood: Mood,
    keys: Value,
    fetches: u32,
    /// Connections without an answer.
    kept: Vec<TcpStream>,
}

impl Issuer {
    pub(crate) fn start(mood: Mood) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/jwks", listener.local_addr().unwrap());
        let state = IssuerState { mood, keys: json!({ "keys": [] }), fetches: 0, kept: Vec::new() };
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
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    state.fetches += 1;
    let (status, body) = match state.mood {
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
