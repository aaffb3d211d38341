//! The interface of an entry point, from the metadata of its module.

use crate::shape::{Block, Shape};
use crate::thunks::signature;
use airfoil_air::inspect::{self, Item};
use airfoil_air::module::Module;

/// The role of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A buffer by its index, in an address space.
    Buffer {
        /// Index among the buffers.
        index: u32,
        /// Address space: 1 device, 2 constant, 3 threadgroup.
        space: u32,
        /// Size in bytes of its pointee.
        size: usize,
    },
    /// An argument buffer by its index.
    ArgumentBuffer {
        /// Index among the buffers.
        index: u32,
        /// Its size in bytes, if the metadata has it.
        size: usize,
        /// First id and byte offset of each member, by id.
        members: Vec<(u32, usize)>,
    },
    /// A texture by its index.
    Texture(u32),
    /// A sampler by its index.
    Sampler(u32),
    /// An argument of a visible function by its number.
    Value(u32),
    /// A vertex attribute by its number.
    Attribute(u32),
    /// A value of the stage before, by the name that both stages share.
    Varying {
        /// The name: `user(locn0)`.
        name: String,
        /// How it is interpolated.
        way: Way,
    },
    /// The colour of an attachment before the fragment (framebuffer fetch), by index.
    Color(u32),
    /// The mesh that a mesh function outputs.
    Mesh(MeshShape),
    /// The grid of mesh threadgroups that an object function starts.
    MeshGrid,
    /// The payload between object and mesh functions: its bytes.
    Payload(usize),
    /// A built-in value: `thread_position_in_grid`, `vertex_id`, ...
    BuiltIn {
        /// Name without `air.`.
        name: String,
        /// Perspective counts (barycentric coordinates).
        perspective: bool,
    },
}

impl Role {
    /// Whether it is bound for all invocations.
    pub(crate) fn is_resource(&self) -> bool {
        matches!(
            self,
            Role::Buffer { .. } | Role::ArgumentBuffer { .. } | Role::Texture(_) | Role::Sampler(_)
        )
    }
}

/// The primitives of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeshShape {
    /// Names of the values of vertices, by index.
    pub vertex_data: Vec<String>,
    /// Names of the values of primitives, by index.
    pub primitive_data: Vec<String>,
    /// Most vertices.
    pub max_vertices: u32,
    /// Most primitives.
    pub max_primitives: u32,
    /// Vertices of a primitive.
    pub arity: u32,
}

impl MeshShape {
    fn of(item: &Item) -> MeshShape {
        // Metal has no larger meshes, whatever the metadata declares.
        let count = |n: usize, most: u32| {
            let count: u32 = item.notes.get(n).and_then(|n| n.parse().ok()).unwrap_or(0);
            count.min(most)
        };
        let mut shape =
            MeshShape { max_vertices: count(0, 256), max_primitives: count(1, 512), ..Self::default() };
        shape.arity = match item.notes.get(2).map(String::as_str) {
            Some("air.point") => 1,
            Some("air.line") => 2,
            _ => 3,
        };
        for member in &item.members {
            let names = match member.kind.as_str() {
                "mesh_vertex_data" => &mut shape.vertex_data,
                "mesh_primitive_data" => &mut shape.primitive_data,
                _ => continue,
            };
            if let [number, name, ..] = member.notes.as_slice()
                && let Some(n) = number.parse().ok().filter(|&n: &usize| n < 256)
            {
                names.resize(names.len().max(n + 1), String::new());
                names[n].clone_from(name);
            }
        }
        shape
    }
}

/// How a value between the stages is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// That of the provoking corner.
    Flat,
    /// At a position in the pixel.
    At {
        /// Where.
        place: Place,
        /// With perspective.
        perspective: bool,
    },
    /// The function passes the position to each interpolation.
    Pull,
}

/// Where a value is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The pixel's centre.
    Center,
    /// A position inside the primitive.
    Centroid,
    /// The sample that is shaded.
    Sample,
}

/// An argument of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its role.
    pub role: Role,
    /// Its name in the source.
    pub name: String,
    /// Shape of its value.
    pub shape: Shape,
}

/// A result of an entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its role: `position`, `vertex_output`, `render_target`, `depth`, ...
    pub kind: String,
    /// The name that both stages share, for values between them.
    pub varying: Option<String>,
    /// Attachment and source of blending.
    pub target: Option<(u32, u32)>,
    /// Its name in the source; a bare result has none.
    pub name: String,
    /// Shape of its value.
    pub shape: Shape,
}

/// An entry point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the function.
    pub name: String,
    /// `kernel`, `vertex`, `fragment`, `object`, `mesh` or `visible`.
    pub stage: String,
    /// Arguments in order.
    pub arguments: Vec<Argument>,
    /// Results in order.
    pub outputs: Vec<Output>,
    /// Arguments and results in memory.
    pub block: Block,
}

/// Most bytes of a payload (Metal feature set tables).
const MAX_PAYLOAD: u32 = 16 << 10;

/// Stages that can be executed.
const STAGES: [&str; 6] = ["kernel", "vertex", "fragment", "object", "mesh", "visible"];

fn number(n: Option<i64>) -> u32 {
    n.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

fn role(item: &Item) -> Result<Role, String> {
    let location = number(item.location.map(|l| l.0));
    let has = |word: &str| item.notes.iter().any(|n| n == word);
    Ok(match item.kind.as_str() {
        "buffer" => {
            let space = match item.space {
                Some(space) => number(Some(space)),
                // Metadata before AIR 2.5 does not contain it, the type does.
                None if item.llvm.contains("addrspace(2)") => 2,
                None if item.llvm.contains("addrspace(3)") => 3,
                None => 1,
            };
            Role::Buffer { index: location, space, size: number(item.size) as usize }
        }
        "texture" => Role::Texture(location),
        "sampler" => Role::Sampler(location),
        "visible_input" => Role::Value(number(item.index)),
        "vertex_input" | "stage_in" => Role::Attribute(location),
        "fragment_input" => {
            let name = item.notes.first().cloned().unwrap_or_default();
            let perspective = !has("air.no_perspective");
            let at = |place| Way::At { place, perspective };
            let way = if has("air.flat") {
                Way::Flat
            } else if has("air.interpolation_function") || has("air.vertex_value") {
                Way::Pull
            } else if has("air.centroid") {
                at(Place::Centroid)
            } else if has("air.sample") || item.access == "sample" {
                at(Place::Sample)
            } else {
                at(Place::Center)
            };
            Role::Varying { name, way }
        }
        "render_target" => Role::Color(location),
        "" => return Err(format!("the argument `{}` has no role", item.name)),
        "mesh" => Role::Mesh(MeshShape::of(item)),
        "mesh_grid_properties" => Role::MeshGrid,
        "payload" => match number(item.size) {
            size if size <= MAX_PAYLOAD => Role::Payload(size as usize),
            size => {
                return Err(format!(
                    "a payload of {size} bytes is more than the {MAX_PAYLOAD} that Metal has"
                ));
            }
        },
        "indirect_buffer" => {
            if let Some(member) = item.members.iter().find(|m| !HANDLES.contains(&m.kind.as_str())) {
                return Err(format!(
                    "`{}` of the argument buffer `{}` is not a buffer, texture or sampler, and cannot be executed",
                    member.name, item.name
                ));
            }
            let place = |m: &Item| (number(m.location.map(|l| l.0)), number(m.offset) as usize);
            let mut members: Vec<(u32, usize)> = item.members.iter().map(place).collect();
            members.sort_unstable();
            Role::ArgumentBuffer { index: location, size: number(item.size) as usize, members }
        }
        name if BUILT_INS.contains(&name) => {
            Role::BuiltIn { name: name.to_owned(), perspective: !has("air.no_perspective") }
        }
        other => return Err(format!("an argument with the role `air.{other}` cannot be executed yet")),
    })
}

/// The kinds of members of an argument buffer.
const HANDLES: [&str; 3] = ["buffer", "texture", "sampler"];

/// Built-in arguments that are known.
const BUILT_INS: &[&str] = &[
    "barycentric_coord",
    "base_instance",
    "base_vertex",
    "dispatch_quadgroups_per_threadgroup",
    "dispatch_simdgroups_per_threadgroup",
    "dispatch_threads_per_threadgroup",
    "front_facing",
    "grid_origin",
    "grid_size",
    "instance_id",
    "patch_id",
    "point_coord",
    "position",
    "position_in_patch",
    "primitive_id",
    "quadgroup_index_in_threadgroup",
    "quadgroups_per_threadgroup",
    "render_target_array_index",
    "sample_id",
    "sample_mask_in",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "thread_execution_width",
    "thread_index_in_quadgroup",
    "thread_index_in_simdgroup",
    "thread_index_in_threadgroup",
    "thread_position_in_grid",
    "thread_position_in_threadgroup",
    "threadgroup_position_in_grid",
    "threadgroups_per_grid",
    "threads_per_grid",
    "threads_per_simdgroup",
    "threads_per_threadgroup",
    "vertex_id",
    "viewport_array_index",
];

impl Entry {
    /// The only entry point of a module, or the one with a name.
    ///
    /// # Errors
    /// The module has no such function, or one that cannot be executed.
    pub fn of(m: &Module, name: Option<&str>) -> Result<Entry, String> {
        let found = inspect::inspect(m);
        let wanted = |e: &&inspect::Entry| name.is_none_or(|n| e.name == n);
        let Some(entry) = found.entries.iter().find(wanted) else {
            return Err(match name {
                Some(name) => format!("the module has no entry point `{name}`"),
                None => "the module has no entry point".to_owned(),
            });
        };
        if !STAGES.contains(&entry.stage.as_str()) {
            return Err(format!("`{}`: {} functions cannot be executed", entry.name, entry.stage));
        }
        let function = m.symbol(&entry.name).and_then(|f| m.function(f));
        let (ret, params) = function
            .filter(|f| f.body.is_some())
            .and_then(|f| signature(m, f.ty))
            .ok_or_else(|| format!("`{}` has no body", entry.name))?;
        let block = Block::of(m, &params, ret)
            .ok_or_else(|| format!("`{}` takes or gives structures, which cannot be executed", entry.name))?;
        if block.args.len() != entry.inputs.len() || block.rets.len() != entry.outputs.len() {
            return Err(format!(
                "`{}`: metadata describes {} arguments and {} results, the function has {} and {}",
                entry.name,
                entry.inputs.len(),
                entry.outputs.len(),
                block.args.len(),
                block.rets.len()
            ));
        }
        let mut arguments: Vec<Option<Argument>> = vec![None; block.args.len()];
        for (place, item) in entry.inputs.iter().enumerate() {
            let at = item.index.and_then(|i| usize::try_from(i).ok()).unwrap_or(place);
            let Some(slot) = arguments.get_mut(at) else {
                return Err(format!("`{}` has no argument {at}", entry.name));
            };
            let role = role(item).map_err(|e| format!("`{}`: {e}", entry.name))?;
            *slot = Some(Argument { role, name: item.name.clone(), shape: block.args[at].shape });
        }
        let arguments = arguments
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| format!("`{}` has an argument without metadata", entry.name))?;
        let outputs = entry
            .outputs
            .iter()
            .zip(&block.rets)
            .map(|(item, slot)| Output {
                kind: item.kind.clone(),
                varying: (item.kind == "vertex_output").then(|| item.notes.first().cloned()).flatten(),
                target: (item.kind == "render_target").then(|| {
                    let source = item.notes.first().and_then(|n| n.parse().ok()).unwrap_or(0);
                    (number(item.location.map(|l| l.0)), source)
                }),
                name: item.name.clone(),
                shape: slot.shape,
            })
            .collect();
        Ok(Entry { name: entry.name.clone(), stage: entry.stage.clone(), arguments, outputs, block })
    }
}
