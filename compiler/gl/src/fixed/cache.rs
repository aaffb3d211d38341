//! Generated shaders by key.

use super::fragment::generate as fragment;
use super::fragment_key::FixedFragmentKey;
use super::shader::FixedShader;
use super::vertex::generate as vertex;
use super::vertex_key::FixedVertexKey;
use crate::device::Device;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Shaders that are kept per stage. Programs of OpenGL 1.x use far fewer states.
const CAPACITY: usize = 512;

/// Shaders by canonical key; all are dropped if there are too many, since that is rare and they are cheap to generate.
#[derive(Debug)]
struct Map<K>(Mutex<HashMap<K, Arc<FixedShader>>>);

impl<K> Default for Map<K> {
    fn default() -> Map<K> {
        Map(Mutex::default())
    }
}

impl<K: Copy + Eq + Hash> Map<K> {
    fn get(&self, key: K, generate: fn(&K) -> FixedShader) -> Arc<FixedShader> {
        // A thread that panicked left a valid map.
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shader) = lock().get(&key) {
            return Arc::clone(shader);
        }
        // Other threads need not wait; one that generates the same shader at the same time gets the first one.
        let shader = Arc::new(generate(&key));
        let mut map = lock();
        if map.len() >= CAPACITY {
            map.clear();
        }
        Arc::clone(map.entry(key).or_insert(shader))
    }
}

/// The generated shaders of a device.
#[derive(Debug, Default)]
pub(crate) struct Shaders {
    vertex: Map<FixedVertexKey>,
    fragment: Map<FixedFragmentKey>,
}

impl Device {
    /// The vertex shader that stands for the fixed functions of a state: [`fixed::vertex`](crate::fixed::vertex()), generated once
    /// for all keys with the same [canonical form](FixedVertexKey::canonical).
    pub fn fixed_vertex(&self, key: &FixedVertexKey) -> Arc<FixedShader> {
        self.fixed().vertex.get(key.canonical(), vertex)
    }

    /// The fragment shader that stands for the fixed functions of a state: [`fixed::fragment`](crate::fixed::fragment()), generated
    /// once for all keys with the same [canonical form](FixedFragmentKey::canonical).
    pub fn fixed_fragment(&self, key: &FixedFragmentKey) -> Arc<FixedShader> {
        self.fixed().fragment.get(key.canonical(), fragment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::vertex_key::{FogCoordinate, VertexFlags};

    #[test]
    fn maps_are_bounded() {
        let map = Map::default();
        for n in 0..CAPACITY * 2 + 1 {
            // Keys that differ in the byte that canonical keys do not have.
            let fog = if n % 2 == 0 { FogCoordinate::None } else { FogCoordinate::Depth };
            let flags = VertexFlags::from_bits_retain((n / 256) as u16);
            let _ = map
                .get(FixedVertexKey { reserved: n as u8, fog, flags, ..FixedVertexKey::default() }, vertex);
            assert!(map.0.lock().unwrap().len() <= CAPACITY);
        }
    }
}
