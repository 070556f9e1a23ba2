//! A mail server that keeps what it is sent, and refuses as scripted.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::stub::listen;

/// A mail as it arrived.
#[derive(Clone, Debug)]
pub struct ArrivedMail {
    /// The recipients of its envelope.
    pub recipients: Vec<String>,
    /// Head and body.
    pub text: String,
}

/// A running server, stopped with the test's runtime.
#[derive(Clone)]
pub struct MailServer {
    /// Its address, as in `smtp://127.0.0.1:2525`.
    pub url: String,
    refusals: Arc<Mutex<VecDeque<&'static str>>>,
    arrived: Arc<watch::Sender<Vec<ArrivedMail>>>,
    refused: Arc<watch::Sender<usize>>,
}

impl MailServer {
    /// Starts a server that refuses the first mails with these replies, as in `451 Later`, and takes the others.
    pub async fn start(refusals: Vec<&'static str>) -> Self {
        let mut server = Self {
            url: String::new(),
            refusals: Arc::new(Mutex::new(refusals.into())),
            arrived: Arc::new(watch::Sender::new(Vec::new())),
            refused: Arc::new(watch::Sender::new(0)),
        };
        let serving = server.clone();
        let url = listen(move |stream| {
            let serving = serving.clone();
            async move {
                // A client that leaves ends its connection alone.
                let _left = serving.serve(stream).await;
            }
        })
        .await;
        server.url = url.replace("http://", "smtp://");
        server
    }

    /// The mails, once there are this many.
    pub async fn mails(&self, count: usize) -> Vec<ArrivedMail> {
        let mut arrived = self.arrived.subscribe();
        let mails = arrived.wait_for(|mails| mails.len() >= count).await;
        mails.map(|mails| mails.clone()).unwrap_or_default()
    }

    /// Waits until this many mails were refused.
    pub async fn refused(&self, count: usize) {
        let mut refused = self.refused.subscribe();
        let _closed = refused.wait_for(|refused| *refused >= count).await;
    }

    async fn serve(&self, mut stream: BufReader<TcpStream>) -> io::Result<()> {
        stream.write_all(b"220 test\r\n").await?;
        let mut recipients = Vec::new();
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            let command = line.trim_end().to_ascii_uppercase();
            let refusal = if command.starts_with("RCPT") { self.refusals.lock().pop_front() } else { None };
            let reply = if let Some(reply) = refusal {
                self.refused.send_modify(|count| *count += 1);
                reply
            } else if command.starts_with("EHLO") {
                "250 test"
            } else if command == "QUIT" {
                "221 bye"
            } else if command == "DATA" {
                stream.write_all(b"354 go on\r\n").await?;
                let text = message(&mut stream).await?;
                let recipients = std::mem::take(&mut recipients);
                self.arrived.send_modify(|mails| mails.push(ArrivedMail { recipients, text }));
                "250 taken"
            } else {
                if command.starts_with("RCPT") {
                    recipients.push(line.trim_end().to_owned());
                }
                "250 ok"
            };
            stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
        }
    }
}

/// A message up to the line with a single dot.
async fn message(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 || line == ".\r\n" {
            return Ok(text);
        }
        text.push_str(&line);
    }
}
