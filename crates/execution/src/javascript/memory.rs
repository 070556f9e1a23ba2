//! The engine's memory: Rust's, up to a limit. That a request was refused is remembered, because the engine throws `null`
//! where it has no memory for an error, and code may throw that, too.

#![expect(unsafe_code, reason = "the engine's allocator is an unsafe trait")]

use std::cell::Cell;
use std::ptr::null_mut;
use std::rc::Rc;

use rquickjs::allocator::{Allocator, RustAllocator};

/// Memory of one engine.
pub(super) struct EngineMemory {
    left_bytes: usize,
    has_refused: Rc<Cell<bool>>,
}

impl EngineMemory {
    /// Memory of this size. `has_refused` becomes true when the engine asks for more.
    pub(super) fn new(bytes: usize, has_refused: Rc<Cell<bool>>) -> Self {
        Self { left_bytes: bytes, has_refused }
    }

    /// Takes `bytes` and passes on what `allocate` gives, whose `held` bytes are given back.
    fn take(&mut self, bytes: Option<usize>, held: usize, allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
        let room = self.left_bytes.saturating_add(held);
        let taken = match bytes {
            Some(bytes) if bytes <= room => allocate(),
            _ => null_mut(),
        };
        if taken.is_null() {
            // Nothing is given for no bytes.
            self.has_refused.set(self.has_refused.get() || bytes != Some(0));
        } else {
            // SAFETY: it was just given by this allocator.
            self.left_bytes = room.saturating_sub(unsafe { RustAllocator::usable_size(taken) });
        }
        taken
    }
}

// SAFETY: every pointer is given and taken by `RustAllocator`, which keeps the rules.
unsafe impl Allocator for EngineMemory {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        self.take(Some(size), 0, || RustAllocator.alloc(size))
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        self.take(count.checked_mul(size), 0, || RustAllocator.calloc(count, size))
    }

    unsafe fn dealloc(&mut self, ptr: *mut u8) {
        // SAFETY: the caller's.
        unsafe {
            self.left_bytes = self.left_bytes.saturating_add(RustAllocator::usable_size(ptr));
            RustAllocator.dealloc(ptr);
        }
    }

    unsafe fn realloc(&mut self, ptr: *mut u8, new_size: usize) -> *mut u8 {
        // SAFETY: the caller's.
        let held = unsafe { RustAllocator::usable_size(ptr) };
        // SAFETY: the caller's.
        self.take(Some(new_size), held, || unsafe { RustAllocator.realloc(ptr, new_size) })
    }

    unsafe fn usable_size(ptr: *mut u8) -> usize {
        // SAFETY: the caller's.
        unsafe { RustAllocator::usable_size(ptr) }
    }
}
