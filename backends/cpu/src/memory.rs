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
    /// Device addresses of buffers, ascending.
    addresses: Vec<(u64, usize)>,
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
        let with_address = |(n, buffer): (usize, &Buffer)| Some((buffer.address?, n));
        let mut addresses: Vec<(u64, usize)> = buffers.iter().enumerate().filter_map(with_address).collect();
        addresses.sort_unstable();
        let arena = Arena { chunks, buffers: places, addresses };
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

    /// Where some bytes at a device address are.
    pub(crate) fn at_address(&self, address: u64, bytes: usize) -> Option<*mut u8> {
        let n = self.addresses.partition_point(|a| a.0 <= address).checked_sub(1)?;
        let &(first, buffer) = self.addresses.get(n)?;
        let at = usize::try_from(address - first).ok()?;
        let is_inside = at.checked_add(bytes)? <= self.len(buffer);
        is_inside.then(|| self.pointer(buffer, at))
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
        assert_eq!(arena.at_address(1, 1), None);
        arena.finish(&mut buffers);
        assert_eq!(buffers[0].bytes, [1, 2, 9]);
    }

    #[test]
    fn addresses_are_those_of_buffers() {
        let mut buffers: Vec<Buffer> = vec![vec![0; 8].into(), vec![0; 16].into(), vec![0; 8].into()];
        (buffers[0].address, buffers[1].address) = (Some(0x2000), Some(0x1000));
        let arena = Arena::new(&buffers);
        assert_eq!(arena.at_address(0x2004, 4), Some(arena.pointer(0, 4)));
        assert_eq!(arena.at_address(0x1000, 16), Some(arena.pointer(1, 0)));
        for (address, bytes) in [(0x2005, 4), (0xfff, 1), (0x1010, 1), (u64::MAX, 4)] {
            assert_eq!(arena.at_address(address, bytes), None, "{address:#x}");
        }
    }
}
