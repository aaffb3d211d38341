//! Tessellation as in Metal: the vertex and the control stage are kernels, the evaluation stage is a
//! post-tessellation vertex function, and records in buffers connect them.
//!
//! Each stage takes and returns values by slot, like the interpreter's pipeline; here they are written to records and
//! read from them, by the layout that the stage was lowered with.

use super::bind::Bindings;
use super::compile::Function;
use super::kernel::Launch;
use super::program::Program;
use super::stages::{outputs, system, vertex_input};
use crate::Config;
use crate::entry::{Argument, Role};
use airfoil_interp::run::{GeometryPrimitive, Patch, TessPoint, Vertex};
use airfoil_interp::{Binding, Resources, Space, System, Values};
use airfoil_ir::{Slot, SystemValue};
use airfoil_passes::stages::stage_buffer::{RecordLayout, SET, StageBuffer};
use rustc_hash::FxHashMap;

/// Most records of a buffer.
const MAX_RECORDS: usize = 1 << 20;

/// The bytes of a record.
fn put(bytes: &mut Vec<u8>, values: &Values, layout: &RecordLayout) {
    let start = bytes.len();
    for (slot, _) in layout.iter() {
        let words = (0..4).map(|c| values.get(slot, c).unwrap_or(0));
        bytes.extend(words.flat_map(u32::to_le_bytes));
    }
    bytes.resize(start + layout.record_bytes() as usize, 0);
}

/// The values of a record.
fn take(bytes: &[u8], index: usize, layout: &RecordLayout) -> Values {
    let mut values = Values::new();
    let start = index * layout.record_bytes() as usize;
    for (slot, offset) in layout.iter() {
        let at = start + offset as usize;
        let word = |c: usize| bytes.get(at + 4 * c..at + 4 * c + 4).and_then(|b| b.try_into().ok());
        values.set_words(slot, std::array::from_fn(|c| word(c).map_or(0, u32::from_le_bytes)));
    }
    values
}

/// Binds a buffer between stages; returns its index.
fn add(resources: &mut Resources, buffer: StageBuffer, bytes: Vec<u8>) -> usize {
    let number = resources.add_buffer(bytes);
    let whole = Binding::Buffer { buffer: number, offset: 0, size: None };
    resources.bind(Space::Storage, SET, buffer.binding(), 0, whole);
    number
}

/// Zeros for a number of records.
fn room(records: usize, bytes: usize) -> Result<Vec<u8>, String> {
    match records {
        0..=MAX_RECORDS => Ok(vec![0; records * bytes]),
        _ => Err(format!("{records} records between stages are too many")),
    }
}

/// The grid of a draw: vertices by instances.
struct Grid {
    /// Base vertex and base instance.
    origin: [u32; 2],
    size: [u32; 2],
    /// Vertex and instance of each invocation, without bases.
    places: Vec<[u32; 2]>,
}

impl Grid {
    fn of(vertices: &[Vertex], common: &System) -> Grid {
        use SystemValue as S;
        let place = |v: &Vertex| {
            let get = |sv| system(&v.system, common, sv).map(|n| n as u32);
            let number = |zero_based: S, based: S, base: S| {
                let base = get(base).unwrap_or(0);
                get(zero_based).or_else(|| get(based).map(|n| n.wrapping_sub(base)))
            };
            let vertex = number(S::vertex_id_zero_base, S::vertex_id, S::base_vertex);
            let instance = number(S::instance_id, S::instance_index, S::base_instance);
            vertex.map(|v| [v, instance.unwrap_or(0)])
        };
        let base = |sv| vertices.first().and_then(|v| system(&v.system, common, sv)).unwrap_or(0) as u32;
        let origin = [base(S::base_vertex), base(S::base_instance)];
        // Vertices without IDs belong to shaders that do not read them; the order of the draw is used.
        let numbered = vertices.iter().map(place).collect::<Option<Vec<_>>>();
        let places = numbered.unwrap_or_else(|| (0..vertices.len() as u32).map(|n| [n, 0]).collect());
        let size = [0, 1].map(|c| places.iter().map(|p| p[c].saturating_add(1)).max().unwrap_or(1));
        Grid { origin, size, places }
    }

    /// The index of an invocation's record.
    fn record(&self, [vertex, instance]: [u32; 2]) -> usize {
        instance as usize * self.size[0] as usize + vertex as usize
    }

    fn built_in(&self, name: &str, place: [u32; 2]) -> [u32; 3] {
        let [x, y] = match name {
            "thread_position_in_grid" => place,
            "grid_origin" => self.origin,
            "grid_size" => return [self.size[0], self.size[1], 1],
            _ => [0, 0],
        };
        [x, y, 0]
    }
}

impl Function {
    /// Runs a post-tessellation vertex function on points: the patch of each, and its position in the patch.
    ///
    /// # Errors
    /// Arguments that nothing fitting is bound to.
    pub fn patch_points(
        &self,
        resources: &mut Resources,
        bindings: &Bindings,
        points: &[(u32, [f32; 3])],
        config: &Config,
    ) -> Result<Vec<Values>, String> {
        self.is("vertex")?;
        self.bound(resources, bindings, config, |running| {
            let mut out = Vec::with_capacity(points.len());
            for points in points.chunks(config.simd_size.clamp(1, 64) as usize) {
                let inputs = |lane: usize, _: usize, argument: &Argument, value: &mut [u64]| {
                    let Role::BuiltIn { name, .. } = &argument.role else { return };
                    let (patch, coord) = points[lane];
                    match name.as_str() {
                        "patch_id" => value[0] = u64::from(patch),
                        "position_in_patch" => {
                            let coord = coord.map(|x| u64::from(x.to_bits()));
                            value.iter_mut().zip(coord).for_each(|(o, v)| *o = v);
                        }
                        _ => {}
                    }
                };
                let done = running.invoke(points.len(), |_| false, &inputs, None)?;
                out.extend(done.iter().map(|i| outputs(&self.entry().outputs, i)));
            }
            Ok(out)
        })
    }
}

impl Program<'_> {
    fn layout(&self, buffer: StageBuffer) -> RecordLayout {
        let found = self.layouts.iter().find(|l| l.buffer == buffer);
        found.map(|l| l.layout.clone()).unwrap_or_default()
    }

    /// Runs `f` with buffers that exist during the call only.
    fn with_buffers<T>(
        &mut self,
        resources: &mut Resources,
        f: impl FnOnce(&mut Self, &mut Resources) -> Result<T, String>,
    ) -> Result<T, String> {
        let before = resources.buffers.len();
        let result = f(self, resources);
        resources.buffers.truncate(before);
        result
    }

    /// Runs the vertex stage as a kernel.
    pub(super) fn vertex_kernel(
        &mut self,
        resources: &mut Resources,
        common: &System,
        vertices: &[Vertex],
    ) -> Result<Vec<Values>, String> {
        let layout = self.layout(StageBuffer::Vertices);
        let grid = Grid::of(vertices, common);
        let records = grid.size[0] as usize * grid.size[1] as usize;
        let bytes = room(records, layout.record_bytes() as usize)?;
        self.with_buffers(resources, |program, resources| {
            let buffer = add(resources, StageBuffer::Vertices, bytes);
            let lanes = program.config.simd_size.clamp(1, 64) as usize;
            program.bound_in_draw(resources, common, |function, resources, bindings| {
                function.bound(resources, bindings, &program.config, |running| {
                    for (vertices, places) in vertices.chunks(lanes).zip(grid.places.chunks(lanes)) {
                        let inputs = |lane: usize, _: usize, argument: &Argument, out: &mut [u64]| {
                            if let Role::BuiltIn { name, .. } = &argument.role {
                                let value = grid.built_in(name, places[lane]);
                                out.iter_mut().zip(value).for_each(|(o, v)| *o = u64::from(v));
                            } else {
                                vertex_input(&vertices[lane], common, argument, out);
                            }
                        };
                        running.invoke(vertices.len(), |_| false, &inputs, None)?;
                    }
                    Ok(())
                })
            })?;
            let bytes = &resources.buffers[buffer].bytes;
            Ok(grid.places.iter().map(|&p| take(bytes, grid.record(p), &layout)).collect())
        })
    }

    /// Runs the control stage as a kernel.
    pub(super) fn control_kernel(
        &mut self,
        resources: &mut Resources,
        common: &System,
        patches: &[GeometryPrimitive<'_>],
    ) -> Result<Vec<Patch>, String> {
        let Some(first) = patches.first() else { return Ok(Vec::new()) };
        self.compile_for_patches_of(first.vertices.len())?;
        let [vertices, points, whole] =
            [StageBuffer::Vertices, StageBuffer::ControlPoints, StageBuffer::Patches].map(|b| self.layout(b));
        let size = self.shader.info.patch_vertices_out.max(1);
        // Patches of one index are those of several instances.
        let mut seen: FxHashMap<u32, u32> = FxHashMap::default();
        let mut places = Vec::with_capacity(patches.len());
        for patch in patches {
            let number = system(&patch.system, common, SystemValue::primitive_id).unwrap_or(0) as u32;
            let instance = seen.entry(number).or_insert(0);
            places.push([number, *instance, 0]);
            *instance += 1;
        }
        let groups = [0, 1].map(|c| places.iter().map(|p| p[c].saturating_add(1)).max().unwrap_or(1));
        let record =
            |[number, instance, _]: [u32; 3]| instance as usize * groups[0] as usize + number as usize;
        let count = groups[0] as usize * groups[1] as usize;
        if count != patches.len() {
            return Err("the numbers of the patches have gaps".to_owned());
        }
        let per_patch = first.vertices.len();
        let mut bytes = room(count * per_patch, vertices.record_bytes() as usize)?;
        for (patch, &place) in patches.iter().zip(&places) {
            if patch.vertices.len() != per_patch {
                return Err("patches of several sizes in one draw".to_owned());
            }
            let mut own = Vec::new();
            patch.vertices.iter().for_each(|v| put(&mut own, v, &vertices));
            bytes[record(place) * own.len()..][..own.len()].copy_from_slice(&own);
        }
        self.with_buffers(resources, |program, resources| {
            add(resources, StageBuffer::Vertices, bytes);
            let made = room(count * size as usize, points.record_bytes() as usize)?;
            let made = add(resources, StageBuffer::ControlPoints, made);
            let values = add(resources, StageBuffer::Patches, room(count, whole.record_bytes() as usize)?);
            // Quads have the larger ones.
            add(resources, StageBuffer::TessFactors, room(count, 12)?);
            let launch = Launch { groups: [groups[0], groups[1], 1], threads: [size, 1, 1] };
            program.bound(resources, |function, resources, bindings| {
                function.kernel(resources, bindings, launch, &program.config)
            })?;
            let bytes = |n: usize| &resources.buffers[n].bytes;
            let patch = |&place: &[u32; 3]| Patch {
                vertices: (0..size as usize)
                    .map(|k| take(bytes(made), record(place) * size as usize + k, &points))
                    .collect(),
                values: take(bytes(values), record(place), &whole),
            };
            Ok(places.iter().map(patch).collect())
        })
    }

    /// Runs the evaluation stage: as a kernel if its outputs go to something other than the rasteriser, otherwise as a
    /// post-tessellation vertex function.
    pub(super) fn evaluate(
        &mut self,
        resources: &mut Resources,
        common: &System,
        points: &[TessPoint<'_>],
    ) -> Result<Vec<Values>, String> {
        let Some(first) = points.first() else { return Ok(Vec::new()) };
        let per_patch = first.patch.vertices.len();
        self.compile_for_patches_of(per_patch)?;
        let (vertices, whole) = (self.layout(StageBuffer::ControlPoints), self.layout(StageBuffer::Patches));
        let mut numbers: FxHashMap<*const Patch, u64> = FxHashMap::default();
        let mut patch_of = Vec::with_capacity(points.len());
        let (mut vertex_bytes, mut patch_bytes) = (Vec::new(), Vec::new());
        for point in points {
            let next = numbers.len() as u64;
            let number = *numbers.entry(std::ptr::from_ref(point.patch)).or_insert(next);
            patch_of.push(number);
            if number != next {
                continue;
            }
            if point.patch.vertices.len() != per_patch {
                return Err("patches of several sizes in one draw".to_owned());
            }
            point.patch.vertices.iter().for_each(|v| put(&mut vertex_bytes, v, &vertices));
            let mut values = point.patch.values.clone();
            let id = system(&point.system, common, SystemValue::primitive_id).unwrap_or(0);
            values.set(Slot::PRIMITIVE_ID, 0, id as u32);
            put(&mut patch_bytes, &values, &whole);
        }
        self.with_buffers(resources, |program, resources| {
            add(resources, StageBuffer::ControlPoints, vertex_bytes);
            add(resources, StageBuffer::Patches, patch_bytes);
            if program.layouts.iter().any(|l| l.buffer == StageBuffer::TessPoints) {
                return program.evaluation_kernel(resources, points, &patch_of);
            }
            let points: Vec<(u32, [f32; 3])> =
                points.iter().zip(&patch_of).map(|(point, &patch)| (patch as u32, point.coord)).collect();
            program.bound(resources, |function, resources, bindings| {
                function.patch_points(resources, bindings, &points, &program.config)
            })
        })
    }

    /// Runs the evaluation stage as a kernel on points of patches; the buffers of its inputs are bound.
    fn evaluation_kernel(
        &self,
        resources: &mut Resources,
        points: &[TessPoint<'_>],
        patch_of: &[u64],
    ) -> Result<Vec<Values>, String> {
        let layout = self.layout(StageBuffer::Vertices);
        let point = |(point, &patch): (&TessPoint<'_>, &u64)| {
            let [u, v, w] = point.coord.map(f32::to_bits);
            [u, v, w, patch as u32].map(u32::to_le_bytes)
        };
        let bytes = points.iter().zip(patch_of).flat_map(point).flatten().collect();
        add(resources, StageBuffer::TessPoints, bytes);
        let made = room(points.len(), layout.record_bytes() as usize)?;
        let buffer = add(resources, StageBuffer::Vertices, made);
        let places = (0..points.len() as u32).map(|n| [n, 0]).collect();
        let grid = Grid { origin: [0; 2], size: [points.len() as u32, 1], places };
        let lanes = self.config.simd_size.clamp(1, 64) as usize;
        self.bound(resources, |function, resources, bindings| {
            function.bound(resources, bindings, &self.config, |running| {
                for places in grid.places.chunks(lanes) {
                    let inputs = |lane: usize, _: usize, argument: &Argument, out: &mut [u64]| {
                        if let Role::BuiltIn { name, .. } = &argument.role {
                            let value = grid.built_in(name, places[lane]);
                            out.iter_mut().zip(value).for_each(|(o, v)| *o = u64::from(v));
                        }
                    };
                    running.invoke(places.len(), |_| false, &inputs, None)?;
                }
                Ok(())
            })
        })?;
        let bytes = &resources.buffers[buffer].bytes;
        Ok((0..points.len()).map(|n| take(bytes, n, &layout)).collect())
    }
}
