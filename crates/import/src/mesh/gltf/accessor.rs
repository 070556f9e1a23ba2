//! AccessorValues in the bytes of a glTF file. Each is read when it is asked for: an accessor takes no memory, and one
//! that claims more values than its bytes hold is an error.

use super::container::{GltfFile, TOO_SHORT};
use super::document::SparseEntry;
use crate::mesh::{MISSING, MeshError};

/// AccessorValues of one type: numbers, or vectors of numbers.
#[derive(Debug)]
pub struct Accessor<'a> {
    /// The number of values.
    pub count: u64,
    kind: NumberKind,
    is_normalized: bool,
    /// `None` if all that isn't sparse is zero.
    dense: Option<AccessorValues<'a>>,
    sparse: Option<Sparse<'a>>,
}

impl<'a> Accessor<'a> {
    /// An accessor of vectors of `width` numbers.
    pub(super) fn new(file: &'a GltfFile<'_>, index: u32, width: usize) -> Result<Self, MeshError> {
        let entry = file.document.accessors.get(index).ok_or(MISSING)?;
        let kind = NumberKind::of(entry.component_type).ok_or(WRONG_TYPE)?;
        if !matches!((entry.shape.as_str(), width), ("SCALAR", 1) | ("VEC3", 3) | ("VEC4", 4)) {
            return Err(WRONG_TYPE);
        }
        let size = kind.size().saturating_mul(width);
        let dense = match entry.buffer_view {
            Some(view) => Some(AccessorValues::new(file, (view, entry.byte_offset), size, entry.count)?),
            None if entry.sparse.is_none() => return Err(MeshError::Damaged("an accessor has no data")),
            None => None,
        };
        let sparse = entry.sparse.as_ref().map(|sparse| Sparse::new(file, sparse, size)).transpose()?;
        Ok(Self { count: entry.count, kind, is_normalized: entry.normalized, dense, sparse })
    }

    /// A vector; `None` beyond the last one.
    pub fn vector<const N: usize>(&self, index: u64) -> Option<[f32; N]> {
        let mut vector = [0.0; N];
        if let Some(bytes) = self.bytes(index)? {
            for (value, bytes) in vector.iter_mut().zip(bytes.chunks_exact(self.kind.size())) {
                *value = self.kind.real(bytes, self.is_normalized)?;
            }
        }
        Some(vector)
    }

    /// An index; `None` beyond the last one.
    pub fn index(&self, index: u64) -> Option<u64> {
        self.bytes(index)?.map_or(Some(0), |bytes| self.kind.index(bytes))
    }

    /// The bytes of a value; `None` within for zeros.
    fn bytes(&self, index: u64) -> Option<Option<&'a [u8]>> {
        if index >= self.count {
            return None;
        }
        let sparse = self.sparse.as_ref().and_then(|sparse| sparse.get(index));
        Some(sparse.or_else(|| self.dense.as_ref()?.get(index)))
    }
}

/// AccessorValues at equal distances. All of them are there.
#[derive(Debug)]
struct AccessorValues<'a> {
    bytes: &'a [u8],
    stride: usize,
    size: usize,
}

impl<'a> AccessorValues<'a> {
    /// AccessorValues of `size` bytes in a view, from an offset.
    fn new(
        file: &'a GltfFile<'_>,
        (view, offset): (u32, u64),
        size: usize,
        count: u64,
    ) -> Result<Self, MeshError> {
        let bytes = file.view(view)?;
        let bytes = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).ok_or(TOO_SHORT)?;
        let stride = file.document.buffer_views.get(view).and_then(|view| view.byte_stride);
        let stride = stride.map_or(Some(size), |stride| usize::try_from(stride).ok()).ok_or(TOO_SHORT)?;
        // AccessorValues that overlap would claim more than their bytes.
        let values = Self { bytes, stride: stride.max(size), size };
        let is_complete = count.checked_sub(1).is_none_or(|last| values.get(last).is_some());
        is_complete.then_some(values).ok_or(TOO_SHORT)
    }

    fn get(&self, index: u64) -> Option<&'a [u8]> {
        let start = usize::try_from(index).ok()?.checked_mul(self.stride)?;
        self.bytes.get(start..start.checked_add(self.size)?)
    }
}

/// AccessorValues in place of others, by their indices, which ascend.
#[derive(Debug)]
struct Sparse<'a> {
    count: u64,
    kind: NumberKind,
    indices: AccessorValues<'a>,
    values: AccessorValues<'a>,
}

impl<'a> Sparse<'a> {
    fn new(file: &'a GltfFile<'_>, entry: &SparseEntry, size: usize) -> Result<Self, MeshError> {
        let (count, indices, values) = (entry.count, &entry.indices, &entry.values);
        let kind = NumberKind::of(indices.component_type).ok_or(WRONG_TYPE)?;
        Ok(Self {
            count,
            kind,
            indices: AccessorValues::new(
                file,
                (indices.buffer_view, indices.byte_offset),
                kind.size(),
                count,
            )?,
            values: AccessorValues::new(file, (values.buffer_view, values.byte_offset), size, count)?,
        })
    }

    fn get(&self, index: u64) -> Option<&'a [u8]> {
        let (mut first, mut end) = (0, self.count);
        while first < end {
            let middle = first.midpoint(end);
            let found = self.kind.index(self.indices.get(middle)?)?;
            if found == index {
                return self.values.get(middle);
            }
            if found < index {
                first = middle.saturating_add(1);
            } else {
                end = middle;
            }
        }
        None
    }
}

/// The error of an accessor that doesn't fit its use.
const WRONG_TYPE: MeshError = MeshError::Damaged("an accessor has a type that does not fit its use");

/// A type of numbers.
#[derive(Clone, Copy, Debug)]
enum NumberKind {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Uint32,
    Float,
}

impl NumberKind {
    /// By its constant of OpenGL.
    fn of(constant: u32) -> Option<Self> {
        Some(match constant {
            5120 => Self::Int8,
            5121 => Self::Uint8,
            5122 => Self::Int16,
            5123 => Self::Uint16,
            5125 => Self::Uint32,
            5126 => Self::Float,
            _ => return None,
        })
    }

    /// Bytes of a number.
    fn size(self) -> usize {
        match self {
            Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Uint32 | Self::Float => 4,
        }
    }

    /// A coordinate. Normalized integers stand for values from 0 or -1 to 1. No coordinate is an integer of 32 bits.
    fn real(self, bytes: &[u8], is_normalized: bool) -> Option<f32> {
        let (value, most) = match self {
            Self::Int8 => (f32::from(i8::from_le_bytes(bytes.try_into().ok()?)), f32::from(i8::MAX)),
            Self::Uint8 => (f32::from(u8::from_le_bytes(bytes.try_into().ok()?)), f32::from(u8::MAX)),
            Self::Int16 => (f32::from(i16::from_le_bytes(bytes.try_into().ok()?)), f32::from(i16::MAX)),
            Self::Uint16 => (f32::from(u16::from_le_bytes(bytes.try_into().ok()?)), f32::from(u16::MAX)),
            Self::Float => return Some(f32::from_le_bytes(bytes.try_into().ok()?)),
            Self::Uint32 => return None,
        };
        Some(if is_normalized { (value / most).max(-1.0) } else { value })
    }

    /// An index, which is an integer without a sign.
    fn index(self, bytes: &[u8]) -> Option<u64> {
        match self {
            Self::Uint8 => Some(u64::from(u8::from_le_bytes(bytes.try_into().ok()?))),
            Self::Uint16 => Some(u64::from(u16::from_le_bytes(bytes.try_into().ok()?))),
            Self::Uint32 => Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?))),
            Self::Int8 | Self::Int16 | Self::Float => None,
        }
    }
}
