//! Bodies that are sent more than once, with what compression made of them.

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
    text: Arc<RawValue>,
    packed: Packed,
    of: PhantomData<fn() -> T>,
}

/// The packed forms of a body, each made when a client first asks for it. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed(Arc<PackedForms>);

#[derive(Debug, Default)]
struct PackedForms {
    brotli: OnceLock<Bytes>,
    gzip: OnceLock<Bytes>,
    is_static: bool,
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
        Ok(Self { text: Arc::from(plain), packed: Packed::default(), of: PhantomData })
    }
}

impl<T> KeptJson<T> {
    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.text.get().as_bytes()
    }

    /// Its memory with both codings, in bytes; these are small beside it.
    pub fn weight(&self) -> u32 {
        let plain = self.as_bytes().len();
        u32::try_from(plain + plain / 4).unwrap_or(u32::MAX)
    }

    /// A copy of the JSON.
    pub(crate) fn to_raw(&self) -> Box<RawValue> {
        (*self.text).to_owned()
    }

    /// 200 with the JSON, which is not copied.
    pub(crate) fn response(&self) -> HttpResponse {
        let body = Bytes::from_owner(KeptBytes(Arc::clone(&self.text)));
        let mut response = HttpResponse::Ok().insert_header((CONTENT_TYPE, "application/json")).body(body);
        response.extensions_mut().insert(self.packed.clone());
        response
    }
}

impl<T> Clone for KeptJson<T> {
    fn clone(&self) -> Self {
        Self { text: Arc::clone(&self.text), packed: self.packed.clone(), of: PhantomData }
    }
}

impl<T> Debug for KeptJson<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "KeptJson({} bytes)", self.as_bytes().len())
    }
}

impl Packed {
    /// Those of a body that stays the same for as long as the process runs.
    pub(crate) fn of_static() -> Self {
        Self(Arc::new(PackedForms { is_static: true, ..PackedForms::default() }))
    }

    /// True if each form is made once for the process, so that its size counts more than the time that it takes.
    pub(crate) fn is_static(&self) -> bool {
        self.0.is_static
    }

    /// The form of a coding, as far as a client has asked for it.
    pub(crate) fn form(&self, coding: Coding) -> &OnceLock<Bytes> {
        match coding {
            Coding::Brotli => &self.0.brotli,
            Coding::Gzip => &self.0.gzip,
        }
    }
}

/// The bytes of a kept text, which a body shares.
struct KeptBytes(Arc<RawValue>);

impl AsRef<[u8]> for KeptBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.get().as_bytes()
    }
}
