//! Proxies before both services that delay every byte, and count the requests to the control plane.
//!
//! The service names the data plane by its own address. The proxy of the control plane replaces it in answers by that of
//! the other proxy, which has a port of as many digits.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread::spawn;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Bytes that are read at once.
const BUFFER_BYTES: usize = 256 * 1024;
/// The end of the first line of a request.
const REQUEST: &[u8] = b" HTTP/1.1\r\n";

/// The proxies of both services. They run until the process ends.
pub(super) struct Proxies {
    control_url: String,
    data_url: String,
    requests: Arc<AtomicUsize>,
}

/// The treatment of one direction.
#[derive(Clone)]
struct Way {
    delay: Duration,
    requests: Option<Arc<AtomicUsize>>,
    /// Text to replace, and its replacement of the same length.
    replaced: Option<(Vec<u8>, Vec<u8>)>,
}

impl Proxies {
    /// Starts proxies that delay each direction.
    pub(super) fn start(control_url: &str, data_url: &str, delay: Duration) -> Result<Self> {
        let requests = Arc::<AtomicUsize>::default();
        let plain = Way { delay, requests: None, replaced: None };
        let data = listen(address_of(data_url)?.len())?;
        let data_address = data.local_addr()?.to_string();
        let replaced = Some((address_of(data_url)?.as_bytes().to_vec(), data_address.as_bytes().to_vec()));
        serve(data, address_of(data_url)?, [plain.clone(), plain.clone()]);
        let control = TcpListener::bind("127.0.0.1:0")?;
        let control_address = control.local_addr()?;
        let up = Way { requests: Some(Arc::clone(&requests)), ..plain.clone() };
        serve(control, address_of(control_url)?, [up, Way { replaced, ..plain }]);
        Ok(Self {
            control_url: format!("http://{control_address}"),
            data_url: format!("http://{data_address}"),
            requests,
        })
    }

    pub(super) fn control_url(&self) -> &str {
        &self.control_url
    }

    pub(super) fn data_url(&self) -> &str {
        &self.data_url
    }

    /// Number of requests to the control plane so far.
    pub(super) fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }
}

/// A listener whose address has this length.
fn listen(length: usize) -> Result<TcpListener> {
    for _ in 0..100 {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        if listener.local_addr()?.to_string().len() == length {
            return Ok(listener);
        }
    }
    bail!("no port of the same length")
}

fn address_of(url: &str) -> Result<&str> {
    Ok(url.strip_prefix("http://").context("not a plain HTTP URL")?.trim_end_matches('/'))
}

fn serve(listener: TcpListener, target: &str, [up, down]: [Way; 2]) {
    let target = target.to_owned();
    spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(&target) else { continue };
            // A connection that ends is an error of its client.
            let _ended =
                pump(&client, &server, up.clone()).and_then(|()| pump(&server, &client, down.clone()));
        }
    });
}

/// Copies one direction by two threads: one reads and notes the time, the other writes when the delay is over.
fn pump(from: &TcpStream, to: &TcpStream, way: Way) -> std::io::Result<()> {
    let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
    to.set_nodelay(true)?;
    let (sender, receiver) = channel::<(Instant, Vec<u8>)>();
    let delay = way.delay;
    spawn(move || {
        let mut buffer = vec![0; BUFFER_BYTES];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let bytes = way.treat(buffer.get(..count).unwrap_or_default());
            if sender.send((Instant::now() + way.delay, bytes)).is_err() {
                break;
            }
        }
    });
    spawn(move || {
        for (due, bytes) in receiver {
            if !delay.is_zero() {
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            if to.write_all(&bytes).is_err() {
                break;
            }
        }
        let _ended = to.shutdown(Shutdown::Both);
    });
    Ok(())
}

impl Way {
    fn treat(&self, bytes: &[u8]) -> Vec<u8> {
        if let Some(requests) = &self.requests {
            let number = bytes.windows(REQUEST.len()).filter(|window| *window == REQUEST).count();
            requests.fetch_add(number, Ordering::Relaxed);
        }
        let mut bytes = bytes.to_vec();
        if let Some((old, new)) = &self.replaced {
            let is_old = |window: &[u8]| window == old.as_slice();
            while let Some(place) = bytes.windows(old.len()).position(is_old) {
                let end = place + old.len();
                if let Some(found) = bytes.get_mut(place..end) {
                    found.copy_from_slice(new);
                }
            }
        }
        bytes
    }
}
