//! Sign-in through the browser, at an issuer of the test.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use reqwest::Url;
use serde_json::json;
use sha2::{Digest, Sha256};
use testkit::deployment::Options;
use testkit::seed::MANAGE;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Child;

use crate::support::{CommandLine, Finished, files_below};

/// An issuer: its address, the token that it gives, and the form by which the token was asked for.
#[derive(Clone, Default)]
struct Issuer {
    url: String,
    token: Arc<Mutex<String>>,
    asked: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Issuer {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Self { url, ..Self::default() };
        let serving = issuer.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                serving.serve(stream).await;
            }
        });
        issuer
    }

    async fn serve(&self, stream: TcpStream) {
        let mut stream = BufReader::new(stream);
        let (mut head, mut length) = (String::new(), 0);
        while stream.read_line(&mut head).await.unwrap() > 2 {
            let line = head.lines().next_back().unwrap().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let answer = if head.starts_with("GET /.well-known/openid-configuration ") {
            json!({
                "issuer": self.url, "authorization_endpoint": format!("{}/authorize", self.url),
                "token_endpoint": format!("{}/token", self.url), "jwks_uri": format!("{}/jwks", self.url),
            })
        } else if head.starts_with("GET /jwks ") {
            json!({ "keys": [] })
        } else {
            let form = Url::parse(&format!("http://x/?{}", String::from_utf8(body).unwrap())).unwrap();
            self.asked.lock().extend(form.query_pairs().into_owned());
            // An opaque access token: the service reads the id token.
            json!({ "access_token": "opaque", "token_type": "Bearer", "id_token": *self.token.lock() })
        };
        let text = answer.to_string();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
        let answer = format!("{head}\r\nContent-Length: {}\r\n\r\n{text}", text.len());
        stream.get_mut().write_all(answer.as_bytes()).await.unwrap();
    }
}

/// A terminal whose deployment has this issuer, and a program that waits for the browser at an address.
async fn waiting(issuer: &Issuer) -> (CommandLine, Child, BTreeMap<String, String>) {
    let environment = vec![
        ("ATELIER_OIDC_ISSUER", issuer.url.clone()),
        ("ATELIER_OIDC_AUDIENCE", "https://atelier.example.com".to_owned()),
    ];
    let terminal = CommandLine::with(Options { environment, ..Options::default() }, MANAGE).await;
    *issuer.token.lock() = terminal.user.browser().await.credential().to_owned();
    let mut login = terminal.command(&["login", "--web"]);
    let mut login = login.env_remove("ATELIER_KEY").stdin(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    let mut errors = BufReader::new(login.stderr.take().unwrap());
    errors.read_line(&mut line).await.unwrap();
    login.stderr = Some(errors.into_inner());
    let page = Url::parse(line.trim().strip_prefix("Open ").unwrap()).unwrap();
    (terminal, login, page.query_pairs().into_owned().collect())
}

/// The browser's visit after the issuer's page.
async fn visit(page: &BTreeMap<String, String>, parameters: &[(&str, &str)]) -> u16 {
    let browser = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = Url::parse_with_params(&page["redirect_uri"], parameters).unwrap();
    browser.get(url).send().await.unwrap().status().as_u16()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browsers_sign_in_ends_with_a_key_of_this_machine() {
    let issuer = Issuer::start().await;
    let (terminal, login, page) = waiting(&issuer).await;
    assert_eq!((&*page["code_challenge_method"], &*page["client_id"]), ("S256", "atelier"));
    // Browsers open connections ahead; one that brings nothing is first in line.
    let redirect = Url::parse(&page["redirect_uri"]).unwrap();
    let _idle = TcpStream::connect(("127.0.0.1", redirect.port().unwrap())).await.unwrap();
    assert_eq!(visit(&page, &[("code", "stolen"), ("state", "another")]).await, 404);
    assert_eq!(visit(&page, &[("code", "abc"), ("state", &page["state"])]).await, 200);
    let signed_in = Finished::of(login.wait_with_output().await.unwrap()).expect(0);
    assert!(signed_in.stderr.contains("Signed in as ada"), "{}", signed_in.stderr);
    let asked = issuer.asked.lock().clone();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&asked["code_verifier"]));
    assert_eq!((&asked["code"], &challenge), (&"abc".to_owned(), &page["code_challenge"]));

    let mut known = terminal.command(&["whoami", "--json"]);
    known.env_remove("ATELIER_KEY").env_remove("ATELIER_URL");
    let known = Finished::of(known.output().await.unwrap()).expect(0).lines();
    assert_eq!(known[0]["user"]["id"], json!(terminal.user.id));
    let kept = files_below(&terminal.home().join(".config"));
    assert_eq!(std::fs::metadata(&kept[0]).unwrap().permissions().mode() & 0o777, 0o600);

    // The token is kept beside the key, for what a person alone may do.
    let signed_in = async |arguments: &[&str]| {
        let mut command = terminal.command(arguments);
        command.env_remove("ATELIER_KEY").env_remove("ATELIER_URL");
        Finished::of(command.output().await.unwrap())
    };
    let keys = signed_in(&["keys", "list"]).await.expect(0).stdout;
    assert!(keys.contains("atelier of"), "{keys}");
    let operator = terminal.deployment.operator();
    let (bob, address) = (operator.user("bob").await, operator.address("bob"));
    let bob = bob.browser().await;
    let as_bob = async |arguments: &[&str]| {
        let mut command = terminal.command(arguments);
        command.env("ATELIER_KEY", bob.credential());
        Finished::of(command.output().await.unwrap())
    };
    let run = async |command: &str, words: &str| {
        let arguments: Vec<&str> = command.split(' ').collect();
        let ended = match arguments.split_first() {
            Some((&"bob:", rest)) => as_bob(rest).await,
            _ => signed_in(&arguments).await,
        };
        let ended = ended.expect(0);
        assert!(format!("{}{}", ended.stdout, ended.stderr).contains(words), "{command}: {}", ended.stderr);
        ended.stdout
    };
    run("orgs create Acme", "Created Acme, as acme.").await;
    run("orgs list", "owner").await;
    let secret = run("invitations create acme --role admin", "svc_iv_").await;
    run("invitations list acme", "the bearer of its secret").await;
    let id = signed_in(&["invitations", "list", "acme", "--json"]).await.expect(0).lines()[0]["id"].clone();
    run(&format!("invitations revoke acme {}", id.as_str().unwrap()), "Revoked the invitation").await;
    assert!(secret.starts_with("svc_iv_"), "{secret}");
    run(&format!("invitations create acme --email {address}"), "svc_iv_").await;
    run("bob: invitations list", "Acme").await;
    let id = as_bob(&["invitations", "list", "--json"]).await.expect(0).lines()[0]["id"].clone();
    run(&format!("bob: invitations accept {}", id.as_str().unwrap()), "You are member of acme.").await;
    for (command, words) in [
        ("members list acme", "bob"),
        ("members role acme bob admin", "bob is admin of acme."),
        ("members role acme bob member", "bob is member of acme."),
        ("teams create acme Makers", "Created acme/Makers."),
        ("teams add makers me --role manager", "ada is manager of acme/Makers."),
        ("teams add makers bob", "bob is member of acme/Makers."),
        ("teams members makers", "manager"),
        ("teams rename makers Builders", "acme/Makers is now acme/Builders."),
        ("projects create Pump --org acme", "Created acme/pump"),
        ("projects share pump bob --role editor", "bob is editor of pump."),
        ("projects members pump", "editor"),
        ("teams link builders pump", "pump is linked to acme/Builders."),
        ("calendar create Plan --team acme/Builders --mine", "/calendar.ics"),
        ("calendar create Pump --project pump", "Its address is shown only here:"),
        ("calendar list", ", mine  "),
        ("calendar revoke plan", "Revoked \"Plan\"."),
        ("teams unlink builders pump", "Took 0 cards of pump off acme/Builders."),
        ("projects unshare pump bob", "Removed bob from pump."),
        ("teams remove builders bob", "Removed bob from acme/Builders."),
        ("teams rm builders", "Deleted acme/Builders."),
        ("members rm acme bob", "Removed bob from acme."),
        ("orgs rename acme Pumps", "acme is now called Pumps."),
        ("projects rm pump", "Deleted acme/pump."),
        ("orgs rm acme", "Deleted acme."),
    ] {
        run(command, words).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_the_issuer_is_said_and_keeps_nothing() {
    let issuer = Issuer::start().await;
    let (terminal, login, page) = waiting(&issuer).await;
    let refusal =
        [("error", "access_denied"), ("error_description", "not today"), ("state", &*page["state"])];
    assert_eq!(visit(&page, &refusal).await, 200);
    let refused = Finished::of(login.wait_with_output().await.unwrap()).expect(4);
    assert!(refused.stderr.contains("the issuer refused: not today"), "{}", refused.stderr);
    assert!(!terminal.home().join(".config").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_without_an_issuer_says_so() {
    let terminal = CommandLine::open().await;
    let refused = terminal.run(&["login", "--web"]).await.expect(1);
    assert!(refused.stderr.contains("has no sign-in by the browser"), "{}", refused.stderr);
}
