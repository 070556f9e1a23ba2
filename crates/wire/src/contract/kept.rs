//! Answers that are kept as JSON, with what compression made of them.

use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use bytes::Bytes;
use domain::{Error, Result};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// The JSON of an answer `T`. Clones share it.
pub struct KeptJson<T> {
    text: KeptText,
    of: PhantomData<fn() -> T>,
}

/// A kept text. Clones share it.
#[derive(Clone)]
pub(crate) struct KeptText(Arc<KeptTexts>);

struct KeptTexts {
    plain: Box<RawValue>,
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
}

/// A content coding.
#[derive(Clone, Copy)]
pub(crate) enum Coding {
    Brotli,
    Gzip,
}

impl<T: Serialize> KeptJson<T> {
    /// The JSON of an answer.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be serialised.
    pub fn of(answer: &T) -> Result<Self> {
        let plain = to_raw_value(answer).map_err(Error::internal)?;
        let texts = KeptTexts { plain, brotli: OnceLock::new(), gzip: OnceLock::new() };
        Ok(Self { text: KeptText(Arc::new(texts)), of: PhantomData })
    }
}

impl<T> KeptJson<T> {
    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.text.as_ref()
    }

    /// Its memory with both codings, in bytes; these are small beside it.
    pub fn weight(&self) -> u32 {
        let plain = self.as_bytes().len();
        u32::try_from(plain + plain / 4).unwrap_or(u32::MAX)
    }

    /// A copy of the JSON.
    pub(crate) fn to_raw(&self) -> Box<RawValue> {
        self.text.0.plain.clone()
    }

    /// 200 with the JSON, which is not copied.
    pub(crate) fn response(&self) -> HttpResponse {
        let body = Bytes::from_owner(self.text.clone());
        let mut response = HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(body);
        response.extensions_mut().insert(self.text.clone());
        response
    }
}

impl<T> Clone for KeptJson<T> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), of: PhantomData }
    }
}

impl<T> Debug for KeptJson<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "KeptJson({} bytes)", self.as_bytes().len())
    }
}

impl KeptText {
    /// The text by a coding, as far as a client has asked for it.
    pub(crate) fn packed(&self, coding: Coding) -> &OnceLock<Bytes> {
        match coding {
            Coding::Brotli => &self.0.brotli,
            Coding::Gzip => &self.0.gzip,
        }
    }
}

impl AsRef<[u8]> for KeptText {
    fn as_ref(&self) -> &[u8] {
        self.0.plain.get().as_bytes()
    }
}
