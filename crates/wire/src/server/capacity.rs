//! The limits of open connections: of the process, and of one address.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;

/// Counts open connections. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Capacity {
    most: usize,
    /// `None`: addresses have no limit of their own.
    most_of_address: Option<usize>,
    open: Arc<Mutex<OpenConnections>>,
}

#[derive(Default)]
struct OpenConnections {
    all: usize,
    of_addresses: HashMap<IpAddr, usize>,
}

/// The permit of one open connection. Dropping it frees the place.
pub(crate) struct ConnectionPermit {
    address: Option<IpAddr>,
    open: Arc<Mutex<OpenConnections>>,
}

impl Capacity {
    pub(crate) fn new(most: usize, most_of_address: Option<usize>) -> Self {
        Self { most, most_of_address, open: Arc::default() }
    }

    /// Counts one more connection of `address`; `None` at a limit.
    pub(crate) fn permit(&self, address: Option<IpAddr>) -> Option<ConnectionPermit> {
        let mut open = self.open.lock();
        if open.all >= self.most {
            return None;
        }
        let address = address.zip(self.most_of_address);
        if let Some((address, most)) = address {
            let of_address = open.of_addresses.entry(address).or_default();
            if *of_address >= most {
                return None;
            }
            *of_address += 1;
        }
        open.all += 1;
        Some(ConnectionPermit { address: address.map(|(address, _)| address), open: Arc::clone(&self.open) })
    }

    /// True if no connection is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.lock().all == 0
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = self.open.lock();
        open.all = open.all.saturating_sub(1);
        if let Some(Entry::Occupied(mut of_address)) =
            self.address.map(|address| open.of_addresses.entry(address))
        {
            *of_address.get_mut() -= 1;
            if *of_address.get() == 0 {
                of_address.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Capacity;

    #[test]
    fn one_address_leaves_places_to_others() {
        let capacity = Capacity::new(4, Some(2));
        let [a, b] = ["10.0.0.1", "10.0.0.2"].map(|address| Some(address.parse().unwrap()));
        let first = capacity.permit(a).unwrap();
        let _second = capacity.permit(a).unwrap();
        assert!(capacity.permit(a).is_none());
        let _other = capacity.permit(b).unwrap();
        drop(first);
        let _third = capacity.permit(a).unwrap();
        let _last = capacity.permit(None).unwrap();
        assert!(capacity.permit(b).is_none(), "the limit of all");
        assert!(!capacity.is_idle());
    }

    #[test]
    fn closed_connections_leave_nothing_behind() {
        let capacity = Capacity::new(4, Some(2));
        drop(capacity.permit(Some("10.0.0.1".parse().unwrap())));
        assert!(capacity.is_idle());
        assert!(capacity.open.lock().of_addresses.is_empty());
    }
}
