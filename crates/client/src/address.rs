//! Addresses of requests: a path joined to a service's address, never an address of another host.

use url::Url;

use crate::error::{RequestError, RequestResult};

/// The address of a path of the service at `base`. The path `//host/x` would send the credential to `host`.
///
/// # Errors
/// `Path` for a path whose address has another scheme, host or port than `base`.
pub(crate) fn joined(base: &Url, path: &str) -> RequestResult<Url> {
    let url = base.join(path).ok().filter(|url| url.origin() == base.origin());
    url.ok_or_else(|| RequestError::Path { path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::joined;
    use crate::error::RequestError;

    #[test]
    fn a_path_never_leaves_the_service() {
        let base = "https://atelier.example.org/".parse().unwrap();
        for path in [
            "//127.0.0.1:19999/x",
            "/\\127.0.0.1:19999/x",
            "\\\\127.0.0.1:19999/x",
            "\\/127.0.0.1:19999/x",
            "/\t/127.0.0.1:19999/x",
            "/\n/127.0.0.1:19999/x",
            "/\r\\127.0.0.1:19999/x",
            "\t//127.0.0.1:19999/x",
            " //127.0.0.1:19999/x",
            "///127.0.0.1:19999/x",
            "//atelier.example.org:444/x",
            "//atelier.example.org@127.0.0.1/x",
            "http://atelier.example.org/x",
            "https://127.0.0.1/x",
            "h\tttps://127.0.0.1/x",
            "data:x",
            "//",
        ] {
            let refused = joined(&base, path);
            assert!(matches!(refused, Err(RequestError::Path { .. })), "{path:?}: {refused:?}");
        }
        for path in ["/api/v2/me", "/api//v2", "/a/../b?c=//d#e", "/@127.0.0.1/x", "/%2f/127.0.0.1/x"] {
            let url = joined(&base, path).unwrap();
            assert_eq!(url.host_str(), Some("atelier.example.org"), "{path}");
        }
    }
}
