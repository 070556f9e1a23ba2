//! A tree as a stream of its objects, for projects whose whole tree would not fit into memory.

use std::fmt;
use std::io::Read;
use std::time::Duration;

use api::content::projects::{GetTree, GetTreeQuery};
use bytes::{Buf, Bytes};
use domain::content::object::TreeNode;
use domain::content::project::ProjectRef;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt, TryStreamExt};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserializer, de};
use tokio::sync::mpsc;

use crate::connection::{Client, failure};
use crate::error::RequestResult;

/// Nodes and chunks that wait for the other side.
const WAITING: usize = 64;
/// Longest silence of the service within an answer.
const SILENCE: Duration = Duration::from_secs(60);

impl Client {
    /// The objects of a branch, parents before children, each as soon as it has arrived.
    pub fn tree_nodes(
        &self,
        project: &ProjectRef,
        query: &GetTreeQuery,
    ) -> BoxStream<'static, RequestResult<TreeNode>> {
        let client = self.clone();
        let call = self.call(GetTree, project.clone()).query(query);
        let (to_parser, chunks) = mpsc::channel::<std::io::Result<Bytes>>(WAITING);
        let (to_reader, nodes) = mpsc::channel::<RequestResult<TreeNode>>(WAITING);
        let failed = to_reader.clone();
        tokio::spawn(async move {
            let response = match call.response().await {
                Ok(response) => response,
                Err(error) => return drop(failed.send(Err(error)).await),
            };
            let parser_client = client.clone();
            let parser = tokio::task::spawn_blocking(move || {
                let chunks = ChunkReader { chunks, current: Bytes::new() };
                let mut json = serde_json::Deserializer::from_reader(std::io::BufReader::new(chunks));
                if let Err(error) = json.deserialize_map(TreeVisitor(&to_reader)) {
                    // Where the network failed, its own failure is reported instead.
                    if !error.is_io() && !to_reader.is_closed() {
                        drop(to_reader.blocking_send(Err(parser_client.unexpected(&error))));
                    }
                }
            });
            let mut body = response.bytes_stream();
            loop {
                match tokio::time::timeout(SILENCE, body.try_next()).await {
                    Ok(Ok(Some(chunk))) => {
                        if to_parser.send(Ok(chunk)).await.is_err() {
                            break;
                        }
                    }
                    Ok(Ok(None)) => break,
                    Ok(Err(error)) => {
                        drop(to_parser.send(Err(std::io::Error::other("the connection broke"))).await);
                        drop(failed.send(Err(failure(client.url(), &error))).await);
                        break;
                    }
                    Err(elapsed) => {
                        drop(to_parser.send(Err(std::io::Error::other("the connection broke"))).await);
                        drop(failed.send(Err(client.interrupted(&elapsed))).await);
                        break;
                    }
                }
            }
            drop(to_parser);
            drop(parser.await);
        });
        stream::unfold(nodes, |mut nodes| async move { Some((nodes.recv().await?, nodes)) }).boxed()
    }
}

/// The chunks of a body as one reader, for a thread that may block.
struct ChunkReader {
    chunks: mpsc::Receiver<std::io::Result<Bytes>>,
    current: Bytes,
}

impl Read for ChunkReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.current.is_empty() {
            match self.chunks.blocking_recv() {
                Some(chunk) => self.current = chunk?,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.current.len());
        self.current.split_to(length).reader().read(buffer)
    }
}

/// Sends each node of a tree.
struct TreeVisitor<'a>(&'a mpsc::Sender<RequestResult<TreeNode>>);

impl<'de> Visitor<'de> for TreeVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tree")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> RequestResult<(), M::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == "tree" {
                map.next_value_seed(NodesSeed(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct NodesSeed<'a>(&'a mpsc::Sender<RequestResult<TreeNode>>);

impl<'de> DeserializeSeed<'de> for NodesSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> RequestResult<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for NodesSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the objects of a tree")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut nodes: S) -> RequestResult<(), S::Error> {
        while let Some(node) = nodes.next_element::<TreeNode>()? {
            self.0.blocking_send(Ok(node)).map_err(|_| de::Error::custom("nobody reads the tree"))?;
        }
        Ok(())
    }
}
