//! Memory of buffers while compiled code runs: copies with room around them, aligned as Metal promises.

use airfoil_interp::Buffer;
use std::cell::UnsafeCell;

/// Alignment of buffers.
const ALIGN: usize = 256;
/// Bytes of zeros after each buffer: small accesses past the end stay inside the arena.
const ROOM: usize = 4096;

#[repr(align(256))]
#[derive(Clone, Copy)]
struct Chunk {
    _bytes: [u8; ALIGN],
}

/// Copies of buffers in one piece of memory, which compiled code has pointers into.
pub(crate) struct Arena {
    chunks: Box<[UnsafeCell<Chunk>]>,
    /// First byte and size of each buffer.
    buffers: Vec<(usize, usize)>,
}

impl Arena {
    /// Copies all buffers.
    pub(crate) fn new(buffers: &[Buffer]) -> Arena {
        let mut places = Vec::with_capacity(buffers.len());
        let mut size = ROOM.next_multiple_of(ALIGN);
        for buffer in buffers {
            places.push((size, buffer.bytes.len()));
            size += (buffer.bytes.len() + ROOM).next_multiple_of(ALIGN);
        }
        let chunks = (0..size / ALIGN).map(|_| UnsafeCell::new(Chunk { _bytes: [0; ALIGN] })).collect();
        let arena = Arena { chunks, buffers: places };
        for (n, buffer) in buffers.iter().enumerate() {
            let to = arena.pointer(n, 0);
            // SAFETY: the arena has room for the whole buffer at this position, and nothing else refers to it.
            unsafe { std::ptr::copy_nonoverlapping(buffer.bytes.as_ptr(), to, buffer.bytes.len()) };
        }
        arena
    }

    /// Copies the buffers back.
    pub(crate) fn finish(&self, buffers: &mut [Buffer]) {
        for (n, buffer) in buffers.iter_mut().enumerate() {
            let Some(&(_, len)) = self.buffers.get(n) else { continue };
            let len = len.min(buffer.bytes.len());
            let from = self.pointer(n, 0);
            // SAFETY: as in `new`; compiled code has returned.
            unsafe { std::ptr::copy_nonoverlapping(from, buffer.bytes.as_mut_ptr(), len) };
        }
    }

    /// Address of a byte of a buffer; the end of the buffer if it has no such byte, the start of the arena without a
    /// such buffer.
    pub(crate) fn pointer(&self, buffer: usize, offset: usize) -> *mut u8 {
        let start = UnsafeCell::raw_get(self.chunks.as_ptr()).cast::<u8>();
        let at = self.buffers.get(buffer).map_or(0, |&(at, len)| at + offset.min(len));
        // SAFETY: the position is inside the arena.
        unsafe { start.add(at) }
    }

    /// Bytes of a buffer.
    pub(crate) fn len(&self, buffer: usize) -> usize {
        self.buffers.get(buffer).map_or(0, |b| b.1)
    }

    /// Calls `f` with some bytes of a buffer, if they are all there.
    pub(crate) fn with<T>(
        &self,
        buffer: usize,
        at: usize,
        bytes: usize,
        f: impl FnOnce(&mut [u8]) -> T,
    ) -> Option<T> {
        if at.checked_add(bytes)? > self.len(buffer) {
            return None;
        }
        let pointer = self.pointer(buffer, at);
        // SAFETY: the bytes are inside the buffer; `f` runs no compiled code and has no other way to them.
        Some(f(unsafe { std::slice::from_raw_parts_mut(pointer, bytes) }))
    }

    /// Whether some bytes at an address are in a buffer.
    pub(crate) fn contains(&self, address: usize, bytes: usize) -> bool {
        let start = self.chunks.as_ptr() as usize;
        let Some(at) = address.checked_sub(start) else { return false };
        let n = self.buffers.partition_point(|b| b.0 <= at);
        let Some(&(first, len)) = n.checked_sub(1).and_then(|n| self.buffers.get(n)) else { return false };
        at - first + bytes <= len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_aligned_and_copied_back() {
        let mut buffers: Vec<Buffer> = vec![vec![1, 2, 3].into(), vec![4; 5000].into()];
        let arena = Arena::new(&buffers);
        assert!((0..2).all(|n| (arena.pointer(n, 0) as usize).is_multiple_of(ALIGN)));
        assert_eq!(arena.with(0, 1, 2, |b| std::mem::replace(&mut b[1], 9)), Some(3));
        assert_eq!(arena.with(0, 2, 2, |_| ()), None);
        assert!(arena.contains(arena.pointer(1, 4996) as usize, 4));
        assert!(!arena.contains(arena.pointer(1, 4998) as usize, 4));
        assert!(!arena.contains(1, 1));
        arena.finish(&mut buffers);
        assert_eq!(buffers[0].bytes, [1, 2, 9]);
    }
}
