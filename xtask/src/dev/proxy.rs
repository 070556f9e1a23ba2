//! One address for several replicas: round robin over connections, without the replicas that are down.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

use anyhow::Result;

/// Serves `listener` in the background until this process ends.
pub(crate) fn serve(listener: TcpListener, replicas: Vec<SocketAddr>) -> Result<()> {
    listener.set_nonblocking(false)?;
    thread::spawn(move || {
        for (turn, client) in listener.incoming().enumerate() {
            let Ok(client) = client else { continue };
            let order: Vec<SocketAddr> =
                replicas.iter().cycle().skip(turn % replicas.len()).take(replicas.len()).copied().collect();
            thread::spawn(move || {
                if let Some(replica) = order.iter().find_map(|address| TcpStream::connect(address).ok()) {
                    // A broken connection is closed on both sides.
                    let _broken = join(&client, &replica);
                }
            });
        }
    });
    Ok(())
}

/// Copies both directions until both have ended. Passes the end of one direction on.
fn join(client: &TcpStream, replica: &TcpStream) -> io::Result<()> {
    client.set_nodelay(true)?;
    replica.set_nodelay(true)?;
    thread::scope(|scope| {
        scope.spawn(|| copy(client, replica));
        copy(replica, client);
    });
    Ok(())
}

fn copy(mut from: &TcpStream, mut to: &TcpStream) {
    let end = match io::copy(&mut from, &mut to) {
        Ok(_) => Shutdown::Write,
        Err(_) => Shutdown::Both,
    };
    let _closed = to.shutdown(end);
    if end == Shutdown::Both {
        let _closed = from.shutdown(end);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};

    fn replica(name: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut request = String::new();
                stream.read_to_string(&mut request).unwrap();
                write!(stream, "{name} got {request}").unwrap();
            }
        });
        address
    }

    fn ask(address: SocketAddr) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"hello").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn connections_go_to_the_replicas_in_turn_without_a_dead_one() {
        let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        super::serve(listener, vec![replica("a"), dead, replica("b")]).unwrap();
        let answers: Vec<String> = (0..4).map(|_| ask(address)).collect();
        assert_eq!(answers, ["a got hello", "b got hello", "b got hello", "a got hello"]);
    }
}
