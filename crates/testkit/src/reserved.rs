//! Addresses of processes that are killed and started again.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use std::net::{Ipv4Addr, SocketAddr};

use socket2::{Domain, Protocol, Socket, Type};

/// An address of this machine that is the test's own, also while no process listens there. Otherwise the connection or the
/// server of another test could take the port of a killed process before it is started again.
#[derive(Debug)]
pub struct ReservedAddress(Socket);

impl ReservedAddress {
    /// Reserves an address.
    pub fn reserve() -> Self {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP)).unwrap();
        // A process that sets it, too, may listen there, because this socket never does.
        socket.set_reuse_address(true).unwrap();
        socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
        Self(socket)
    }

    /// The address, as a setting.
    pub fn text(&self) -> String {
        self.0.local_addr().unwrap().as_socket().unwrap().to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::net::TcpListener;

    use super::ReservedAddress;

    #[test]
    fn an_address_is_taken_by_nobody_who_does_not_name_it() {
        let reserved = ReservedAddress::reserve();
        for _ in 0..2 {
            let listener = TcpListener::bind(reserved.text()).unwrap();
            assert_eq!(listener.local_addr().unwrap().to_string(), reserved.text());
        }
        let others: Vec<ReservedAddress> = (0..500).map(|_| ReservedAddress::reserve()).collect();
        let distinct: HashSet<String> = others.iter().map(ReservedAddress::text).collect();
        assert_eq!((distinct.len(), distinct.contains(&reserved.text())), (others.len(), false));
    }
}
