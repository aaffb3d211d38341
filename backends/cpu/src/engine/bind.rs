//! Arguments of an entry point: resources by their Metal indices become pointers and handles.

use crate::entry::{Argument, Role};
use crate::frame::Frame;
use crate::library::world::{World, buffer_pointer};
use crate::memory::Arena;
use crate::shape::{Block, SLOT_ALIGN};
use airfoil_interp::{Binding, Resources};
use rustc_hash::FxHashMap;

/// The bindings of the indices of a function. Buffers, images and samplers themselves are in [`Resources`].
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// Buffers, by index: [`Binding::Buffer`].
    pub buffers: FxHashMap<u32, Binding>,
    /// Textures, by index: all but [`Binding::Buffer`] and [`Binding::Sampler`].
    pub textures: FxHashMap<u32, Binding>,
    /// Samplers, by index: positions in [`Resources::samplers`].
    pub samplers: FxHashMap<u32, usize>,
    /// Contents of argument buffers, by index: the resource of each id.
    pub argument_buffers: FxHashMap<u32, FxHashMap<u32, Binding>>,
    /// Bytes of threadgroup memory, by index.
    pub threadgroup: FxHashMap<u32, usize>,
}

/// Blocks of arguments, one for each invocation of a group, with room that is used again.
#[derive(Default)]
pub(crate) struct Blocks {
    memory: Vec<Line>,
    size: usize,
}

#[repr(align(32))]
#[derive(Clone, Copy)]
struct Line {
    _bytes: [u8; SLOT_ALIGN],
}

impl Blocks {
    /// Makes room for `count` blocks; all are zero.
    pub(crate) fn restart(&mut self, block: &Block, count: usize) {
        self.size = block.size.max(SLOT_ALIGN) / SLOT_ALIGN;
        self.memory.clear();
        self.memory.resize(self.size * count, Line { _bytes: [0; SLOT_ALIGN] });
    }

    /// Address of a block.
    pub(crate) fn pointer(&mut self, n: usize) -> *mut u8 {
        self.memory[n * self.size..(n + 1) * self.size].as_mut_ptr().cast()
    }

    /// Copies the first block to all others.
    pub(crate) fn spread(&mut self) {
        let size = self.size;
        for n in 1..self.memory.len() / size.max(1) {
            self.memory.copy_within(..size, n * size);
        }
    }
}

/// Memory of threadgroup arguments.
pub(crate) type Shared = Vec<(u32, Vec<u128>)>;

/// Threadgroup memory for the arguments that require it.
pub(crate) fn shared(arguments: &[Argument], bindings: &Bindings) -> Shared {
    let wanted = arguments.iter().filter_map(|a| match a.role {
        Role::Buffer { index, space: 3, size } => Some((index, size)),
        _ => None,
    });
    wanted
        .map(|(index, size)| {
            let bytes = bindings.threadgroup.get(&index).copied().unwrap_or(size);
            (index, vec![0u128; bytes.div_ceil(16).max(1)])
        })
        .collect()
}

/// Memory of argument buffers: pointers and handles.
pub(crate) type Tables = Vec<Vec<u64>>;

/// Bytes that argument buffers may have.
const MAX_TABLE: usize = 1 << 26;

/// Writes an argument buffer. An id beyond a member's own is one of its array, elements of which take eight bytes each.
fn table(
    members: &[(u32, usize)],
    size: usize,
    contents: &FxHashMap<u32, Binding>,
    resources: &Resources,
    memory: &Arena,
    world: &mut World<'_>,
) -> Result<Vec<u64>, String> {
    let mut table = vec![0; size.min(MAX_TABLE).div_ceil(8).max(1)];
    for (&id, binding) in contents {
        let n = members.partition_point(|m| m.0 <= id);
        let Some(&(first, offset)) = n.checked_sub(1).and_then(|n| members.get(n)) else { continue };
        let at = offset / 8 + (id - first) as usize;
        if at >= MAX_TABLE / 8 {
            return Err(format!("id {id} of an argument buffer is too high"));
        }
        if at >= table.len() {
            table.resize(at + 1, 0);
        }
        table[at] = match binding {
            Binding::Buffer { .. } => buffer_pointer(memory, resources, Some(binding))? as u64,
            Binding::Sampler(s) => world.add_sampler(*s),
            texture => world.add_texture(texture),
        };
    }
    Ok(table)
}

/// Puts pointers and handles of resources into a block.
pub(crate) fn resources(
    f: &Frame<'_>,
    arguments: &[Argument],
    resources: &Resources,
    bindings: &Bindings,
    memory: &Arena,
    world: &mut World<'_>,
    shared: &mut Shared,
) -> Result<Tables, String> {
    let mut tables = Tables::new();
    let nothing = FxHashMap::default();
    for (n, argument) in arguments.iter().enumerate() {
        let value = match &argument.role {
            Role::Buffer { index, space: 3, .. } => {
                let found = shared.iter_mut().find(|s| s.0 == *index);
                found.map_or(0, |s| s.1.as_mut_ptr() as u64)
            }
            Role::Buffer { index, .. } => {
                let pointer = buffer_pointer(memory, resources, bindings.buffers.get(index));
                pointer.map_err(|e| format!("`{}`: {e}", argument.name))? as u64
            }
            Role::ArgumentBuffer { index, size, members } => {
                let contents = bindings.argument_buffers.get(index).unwrap_or(&nothing);
                let table = table(members, *size, contents, resources, memory, world)
                    .map_err(|e| format!("`{}`: {e}", argument.name))?;
                let address = table.as_ptr() as usize;
                world.allow(std::iter::once((address, table.len() * 8)));
                tables.push(table);
                address as u64
            }
            Role::Texture(index) => bindings.textures.get(index).map_or(0, |b| world.add_texture(b)),
            Role::Sampler(index) => bindings.samplers.get(index).map_or(0, |&s| world.add_sampler(s)),
            _ => continue,
        };
        f.set_arg(n, 0, value);
    }
    Ok(tables)
}
