//! A TCP proxy before a server, which can cut connections, and keep an answer from ever arriving.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest wait for the answer that is to be held.
const HOLD_WAIT: Duration = Duration::from_secs(20);

/// A proxy on a port of its own. Its threads end with the connections.
pub struct FaultProxy {
    port: u16,
    target: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Connections get nowhere.
    is_cut: bool,
    /// Both ends of every connection.
    open: Vec<TcpStream>,
    /// What marks the answer to hold.
    hold: Option<Vec<u8>>,
    /// Whether an answer is held.
    is_holding: bool,
}

impl FaultProxy {
    /// A proxy before the server that `url` names.
    pub fn before(url: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let proxy = Self {
            port: listener.local_addr().unwrap().port(),
            target: address_of(url),
            state: Arc::default(),
        };
        let (target, state) = (proxy.target.clone(), Arc::clone(&proxy.state));
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                relay(&client, &target, &state);
            }
        });
        proxy
    }

    /// `url` with the proxy in the server's place.
    pub fn url(&self, url: &str) -> String {
        url.replace(&self.target, &format!("127.0.0.1:{}", self.port))
    }

    /// Cuts all connections, and every new one at once.
    pub fn cut(&self) {
        let mut state = lock(&self.state);
        state.is_cut = true;
        for end in state.open.drain(..) {
            // It may have ended by itself.
            let _ended = end.shutdown(Shutdown::Both);
        }
    }

    /// Lets connections through again.
    pub fn mend(&self) {
        lock(&self.state).is_cut = false;
    }

    /// The next answer of the server that holds `mark` does not arrive, nor does anything after it on its connection.
    pub fn hold_answer(&self, mark: &[u8]) {
        lock(&self.state).hold = Some(mark.to_owned());
    }

    /// Waits until the answer is held.
    pub async fn wait_for_held(&self) {
        let deadline = Instant::now() + HOLD_WAIT;
        while !lock(&self.state).is_holding {
            assert!(Instant::now() < deadline, "no answer to hold came");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn relay(client: &TcpStream, target: &str, state: &Arc<Mutex<State>>) {
    let is_cut = lock(state).is_cut;
    let server = match TcpStream::connect(target) {
        Ok(server) if !is_cut => server,
        _ => return,
    };
    // One direction each; both end when either side closes.
    let both = || (client.try_clone().unwrap(), server.try_clone().unwrap());
    let (from_client, to_server) = both();
    let (to_client, from_server) = both();
    lock(state).open.extend([from_client.try_clone().unwrap(), from_server.try_clone().unwrap()]);
    std::thread::spawn(move || pump(from_client, to_server, |_| true));
    let state = Arc::clone(state);
    std::thread::spawn(move || pump(from_server, to_client, |bytes| !is_to_be_held(&state, bytes)));
}

fn is_to_be_held(state: &Mutex<State>, bytes: &[u8]) -> bool {
    let mut state = lock(state);
    let held = state.hold.as_ref().is_some_and(|mark| bytes.windows(mark.len()).any(|window| window == mark));
    if held {
        state.hold = None;
        state.is_holding = true;
    }
    held
}

/// Copies until an end is closed, or `passes` says no; then the rest goes nowhere.
fn pump(mut from: TcpStream, mut to: TcpStream, passes: impl Fn(&[u8]) -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    let mut is_open = true;
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        let bytes = buffer.get(..count).unwrap();
        is_open = is_open && passes(bytes);
        if is_open && to.write_all(bytes).is_err() {
            break;
        }
    }
    // The other side may have closed first.
    let _ended = to.shutdown(Shutdown::Both);
}

fn address_of(url: &str) -> String {
    let (_, rest) = url.split_once("://").unwrap();
    let authority = rest.split(['/', '?']).next().unwrap();
    authority.rsplit('@').next().unwrap().to_owned()
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}
