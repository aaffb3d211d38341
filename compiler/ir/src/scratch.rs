//! Vectors whose memory the next pass on the same thread uses again.

use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};

/// Vectors of one type of elements that are kept.
const MAX_VECTORS: usize = 8;
/// Bytes of the largest vector that is kept.
const MAX_BYTES: usize = 1 << 16;

thread_local! {
    /// For each type of elements, the empty vectors that are kept.
    static SPARE: RefCell<FxHashMap<TypeId, Box<dyn Any>>> = RefCell::default();
}

/// A vector that takes over the memory of an earlier one with elements of the same type when it is created, and leaves it to the next
/// one when it is dropped. Passes make the same few tables for each shader: with this type, they allocate once.
///
/// ```
/// use airfoil_ir::Scratch;
///
/// let mut first: Scratch<u32> = Scratch::new();
/// first.extend(0..100);
/// drop(first);
/// let second: Scratch<u32> = Scratch::new();
/// assert!(second.is_empty() && second.capacity() >= 100);
/// ```
#[derive(Debug)]
pub struct Scratch<T: 'static> {
    vector: Vec<T>,
}

impl<T: 'static> Scratch<T> {
    /// An empty vector.
    pub fn new() -> Scratch<T> {
        let spare = SPARE.try_with(|spare| {
            let mut spare = spare.try_borrow_mut().ok()?;
            spare.get_mut(&TypeId::of::<T>())?.downcast_mut::<Vec<Vec<T>>>()?.pop()
        });
        Scratch { vector: spare.ok().flatten().unwrap_or_default() }
    }

    /// A vector of `len` times `value`.
    pub fn filled(value: T, len: usize) -> Scratch<T>
    where
        T: Clone,
    {
        let mut all = Scratch::new();
        all.resize(len, value);
        all
    }
}

impl<T: 'static> Drop for Scratch<T> {
    fn drop(&mut self) {
        let mut vector = std::mem::take(&mut self.vector);
        let bytes = vector.capacity() * size_of::<T>();
        if bytes == 0 || bytes > MAX_BYTES {
            return;
        }
        // Elements may hold scratch vectors themselves.
        vector.clear();
        // The thread may be about to end.
        let _ = SPARE.try_with(|spare| {
            let Ok(mut spare) = spare.try_borrow_mut() else { return };
            let kept = spare
                .entry(TypeId::of::<T>())
                .or_insert_with(|| Box::new(Vec::<Vec<T>>::new()) as Box<dyn Any>);
            if let Some(kept) = kept.downcast_mut::<Vec<Vec<T>>>().filter(|kept| kept.len() < MAX_VECTORS) {
                kept.push(vector);
            }
        });
    }
}

impl<T: 'static> Default for Scratch<T> {
    fn default() -> Scratch<T> {
        Scratch::new()
    }
}

impl<T: 'static> FromIterator<T> for Scratch<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Scratch<T> {
        let mut all = Scratch::new();
        all.extend(items);
        all
    }
}

impl<T: Clone + 'static> Clone for Scratch<T> {
    fn clone(&self) -> Scratch<T> {
        let mut copy = Scratch::new();
        copy.extend_from_slice(&self.vector);
        copy
    }
}

impl<T: 'static> Deref for Scratch<T> {
    type Target = Vec<T>;

    #[inline]
    fn deref(&self) -> &Vec<T> {
        &self.vector
    }
}

impl<T: 'static> DerefMut for Scratch<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.vector
    }
}

impl<'a, T: 'static> IntoIterator for &'a Scratch<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> std::slice::Iter<'a, T> {
        self.vector.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_but_never_shared() {
        let mut a: Scratch<u64> = Scratch::filled(7, 10);
        let b: Scratch<u64> = Scratch::filled(8, 20);
        a.push(1);
        let (first, second) = (a.as_ptr(), b.as_ptr());
        drop(a);
        drop(b);
        let (c, d): (Scratch<u64>, Scratch<u64>) = (Scratch::new(), Scratch::new());
        assert_eq!((c.as_ptr(), d.as_ptr()), (second, first), "the last one first");
        assert!(c.is_empty() && d.is_empty());
    }

    #[test]
    fn elements_that_hold_vectors_are_dropped() {
        let inner: Scratch<Scratch<u16>> = Scratch::filled(Scratch::filled(3, 4), 5);
        assert_eq!(inner.iter().map(|v| v.len()).sum::<usize>(), 20);
        drop(inner);
        assert!(Scratch::<Scratch<u16>>::new().is_empty());
    }

    #[test]
    fn large_vectors_are_not_kept() {
        drop(Scratch::<u8>::filled(1, MAX_BYTES + 1));
        assert_eq!(Scratch::<u8>::new().capacity(), 0);
    }
}
