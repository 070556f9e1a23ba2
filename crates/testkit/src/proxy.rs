//! A TCP proxy that can cut connections, lose packets, stall, and withhold
//! a response. Before PostgreSQL it also changes the words of errors, as a
//! cluster in another language has others.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use socket2::{SockFilter, SockRef};

/// Longest wait for the response to withhold.
const HOLD_WAIT: Duration = Duration::from_secs(20);

/// PostgreSQL's messages after an insert, after a commit, and outside a transaction.
const INSERTED: &[u8] = b"INSERT 0 ";
const COMMITTED: &[u8] = b"COMMIT\0";
const IDLE: &[u8] = b"Z\0\0\0\x05I";

/// PostgreSQL's message of an error, and the field with its words.
const ERROR: u8 = b'E';
const WORDS: u8 = b'M';

/// A packet filter that drops every packet (`BPF_RET | BPF_K`). On a socket it makes the kernel drop data before TCP
/// acknowledges it, as a cut cable does.
const DROP: SockFilter = SockFilter::new(0x06, 0, 0, 0);

/// A proxy on its own port. Its threads end with the connections.
pub struct FaultProxy {
    port: u16,
    target: String,
    listener: TcpListener,
    shared: Arc<ProxyState>,
}

#[derive(Default)]
struct ProxyState {
    state: Mutex<State>,
    /// Signals the end of a stall.
    mended: Condvar,
}

#[derive(Default)]
struct State {
    /// Connections are cut.
    is_cut: bool,
    /// Data is accepted and withheld.
    is_stalled: bool,
    /// Both ends of every connection.
    open: Vec<TcpStream>,
    /// The response to the next commit is withheld.
    holds_commit: bool,
    /// True while a response is withheld.
    is_holding: bool,
}

impl FaultProxy {
    /// Starts a proxy in front of the server at `url`.
    pub fn before(url: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (target, shared) = (address_of(url), Arc::<ProxyState>::default());
        let is_postgres = url.starts_with("postgres");
        let proxy = Self {
            port,
            target: target.clone(),
            listener: listener.try_clone().unwrap(),
            shared: Arc::clone(&shared),
        };
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                relay(&client, &target, &shared, is_postgres);
            }
        });
        proxy
    }

    /// `url` with the proxy's address.
    pub fn url(&self, url: &str) -> String {
        url.replace(&self.target, &format!("127.0.0.1:{}", self.port))
    }

    /// Cuts all connections, and every new one at once.
    pub fn cut(&self) {
        let mut state = self.shared.state.lock();
        state.is_cut = true;
        for end in state.open.drain(..) {
            // The connection may have ended already.
            let _ended = end.shutdown(Shutdown::Both);
        }
    }

    /// Loses every packet of either side from now on, including those that open connections.
    pub fn lose_packets(&self) {
        SockRef::from(&self.listener).attach_filter(&[DROP]).unwrap();
        for end in &self.shared.state.lock().open {
            // An ended connection has no socket to filter.
            let _ended = SockRef::from(end).attach_filter(&[DROP]);
        }
    }

    /// Stalls: connections stay open and new ones are accepted and acknowledged, but no data passes.
    pub fn stall(&self) {
        self.shared.state.lock().is_stalled = true;
    }

    /// Passes everything again, withheld data first.
    pub fn mend(&self) {
        // Without lost packets there is no filter.
        let _none = SockRef::from(&self.listener).detach_filter();
        let mut state = self.shared.state.lock();
        for end in &state.open {
            let _none = SockRef::from(end).detach_filter();
        }
        (state.is_cut, state.is_stalled) = (false, false);
        self.shared.mended.notify_all();
    }

    /// Withholds the server's response to the next commit of a transaction with an insert, and everything after it on
    /// that connection. Read-only transactions pass.
    pub fn hold_commit(&self) {
        let mut state = self.shared.state.lock();
        (state.holds_commit, state.is_holding) = (true, false);
    }

    /// Waits until the response is withheld.
    pub async fn wait_for_held(&self) {
        let deadline = Instant::now() + HOLD_WAIT;
        while !self.shared.state.lock().is_holding {
            assert!(Instant::now() < deadline, "no answer to hold came");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl ProxyState {
    fn await_mended(&self) {
        self.mended.wait_while(&mut self.state.lock(), |state| state.is_stalled);
    }

    fn is_to_be_held(&self) -> bool {
        let mut state = self.state.lock();
        let held = std::mem::take(&mut state.holds_commit);
        state.is_holding |= held;
        held
    }
}

fn relay(client: &TcpStream, target: &str, shared: &Arc<ProxyState>, is_postgres: bool) {
    let Ok(server) = TcpStream::connect(target) else { return };
    // One thread per direction; both end when either side closes.
    let both = || (client.try_clone().unwrap(), server.try_clone().unwrap());
    let (from_client, to_server) = both();
    let (to_client, from_server) = both();
    {
        // At once, so that none is opened beside a cut.
        let mut state = shared.state.lock();
        if state.is_cut {
            return;
        }
        state.open.extend([from_client.try_clone().unwrap(), from_server.try_clone().unwrap()]);
    }
    let (up, down) = (Arc::clone(shared), Arc::clone(shared));
    std::thread::spawn(move || pump(from_client, to_server, &up, |_| true));
    let mut has_inserted = false;
    let mut errors = is_postgres.then(ErrorWords::default);
    std::thread::spawn(move || {
        pump(from_server, to_client, &down, |bytes| {
            if let Some(errors) = &mut errors {
                errors.change(bytes);
            }
            has_inserted |= holds(bytes, INSERTED);
            let passes = !(has_inserted && holds(bytes, COMMITTED) && down.is_to_be_held());
            has_inserted &= !holds(bytes, IDLE);
            passes
        });
    });
}

/// Position in PostgreSQL's messages to a client, each of a type, a length, and a body.
#[derive(Default)]
struct ErrorWords {
    header: Vec<u8>,
    /// Bytes of the body that follow.
    left: usize,
    /// Type of the field of an error; `None` before its first byte.
    field: Option<u8>,
}

impl ErrorWords {
    /// Replaces the letters of the words of errors. Their SQLSTATE stays.
    fn change(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.left == 0 {
                self.header.push(*byte);
                if let [_, length @ ..] = self.header.as_slice()
                    && let Ok(length) = <[u8; 4]>::try_from(length)
                {
                    self.left = usize::try_from(u32::from_be_bytes(length)).unwrap() - length.len();
                    self.field = None;
                    if self.left == 0 {
                        self.header.clear();
                    }
                }
                continue;
            }
            if self.header.first() == Some(&ERROR) {
                match (self.field, *byte) {
                    (None, kind) => self.field = Some(kind),
                    (Some(_), 0) => self.field = None,
                    (Some(WORDS), letter) if letter.is_ascii_alphabetic() => *byte = b'x',
                    (Some(_), _) => {}
                }
            }
            self.left -= 1;
            if self.left == 0 {
                self.header.clear();
            }
        }
    }
}

fn holds(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}

/// Copies until one end closes or `passes` returns false; later data is discarded.
fn pump(
    mut from: TcpStream,
    mut to: TcpStream,
    shared: &ProxyState,
    mut passes: impl FnMut(&mut [u8]) -> bool,
) {
    let mut buffer = vec![0; 64 * 1024];
    let mut is_open = true;
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        shared.await_mended();
        let bytes = buffer.get_mut(..count).unwrap();
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
