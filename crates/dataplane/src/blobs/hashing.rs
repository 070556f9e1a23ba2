//! Hashes of an upload: the SHA-256 of the file; of one in pieces also its CRC-64/NVME, and the checksum of the current
//! piece if the client requests one.

use crc_fast::CrcAlgorithm;
use domain::content::object::Sha256Hash;
use domain::{Error, Result};
use sha1::Sha1;
use sha2::digest::common::hazmat::{SerializableState, SerializedState};
use sha2::{Digest, Sha256};

/// The checksum that a client expects of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// SHA-1.
    Sha1([u8; 20]),
    /// SHA-256.
    Sha256([u8; 32]),
}

/// The running hashes of one upload.
#[derive(Clone, Debug)]
pub(super) struct UploadHashes {
    whole: Sha256,
    crc64: Option<crc_fast::Digest>,
    piece: Option<ChecksumState>,
}

#[derive(Clone, Debug)]
enum ChecksumState {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl UploadHashes {
    pub(super) fn new() -> Self {
        Self { whole: Sha256::new(), crc64: None, piece: None }
    }

    /// Resumes from [`UploadHashes::state`] and [`UploadHashes::crc64`] with a new piece whose expected checksum is
    /// `checksum`.
    pub(super) fn resume(state: &[u8], crc64: Option<u64>, checksum: Option<&Checksum>) -> Result<Self> {
        let state = SerializedState::<Sha256>::try_from(state).map_err(Error::internal)?;
        let whole = Sha256::deserialize(&state)
            .map_err(|_| Error::internal("the saved hash state is not readable"))?;
        let piece = checksum.map(|checksum| match checksum {
            Checksum::Sha1(_) => ChecksumState::Sha1(Sha1::new()),
            Checksum::Sha256(_) => ChecksumState::Sha256(Sha256::new()),
        });
        // The algorithm ends with the complement of its state.
        let crc64 = crc64.map(|crc64| crc_fast::Digest::new_with_init_state(CrcAlgorithm::Crc64Nvme, !crc64));
        Ok(Self { whole, crc64, piece })
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.whole.update(bytes);
        if let Some(crc64) = &mut self.crc64 {
            crc64.update(bytes);
        }
        match &mut self.piece {
            Some(ChecksumState::Sha1(piece)) => piece.update(bytes),
            Some(ChecksumState::Sha256(piece)) => piece.update(bytes),
            None => {}
        }
    }

    /// The serialised state of the file's hash. It reveals no more than the file does.
    pub(super) fn state(&self) -> Vec<u8> {
        self.whole.serialize().to_vec()
    }

    /// The CRC-64/NVME of an upload in pieces.
    pub(super) fn crc64(&self) -> Option<u64> {
        self.crc64.as_ref().map(crc_fast::Digest::finalize)
    }

    /// True if the piece has this checksum.
    pub(super) fn piece_matches(&self, checksum: &Checksum) -> bool {
        match (&self.piece, checksum) {
            (Some(ChecksumState::Sha1(piece)), Checksum::Sha1(expected)) => {
                piece.clone().finalize() == *expected
            }
            (Some(ChecksumState::Sha256(piece)), Checksum::Sha256(expected)) => {
                piece.clone().finalize() == *expected
            }
            _ => false,
        }
    }

    pub(super) fn finish(self) -> Sha256Hash {
        Sha256Hash(self.whole.finalize().into())
    }
}
