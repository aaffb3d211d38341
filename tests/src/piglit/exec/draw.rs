//! Draws and dispatches: vertices, and everything bound to where the shaders look.

use super::{Stop, World, fail};
use crate::engine::EngineKind;
use crate::gl::attributes::{self, Components};
use crate::gl::drawing::{self, Drawing};
use airfoil::ir::SystemValue;
use airfoil_interp::pipeline::{Draw, Drawn, State, Target, Topology};
use airfoil_interp::run::{IoVar, Vertex};
use airfoil_interp::texture::View;
use airfoil_interp::{Binding, Config, Space, System, Values};

impl World<'_> {
    /// Default values of vertices.
    fn defaults(inputs: &[IoVar]) -> Values {
        let mut values = Values::new();
        attributes::set_defaults(inputs, &mut values);
        for input in inputs {
            let initial: &[f64] = match &*input.name {
                "gl_Color" => &[1.0; 4],
                "gl_Normal" => &[0.0, 0.0, 1.0],
                _ => continue,
            };
            attributes::set(input, 0, &Components::Floats(initial.to_vec()), &mut values);
        }
        values
    }

    pub(super) fn rectangle(
        &self,
        pipeline: &Option<Drawing<'_>>,
        at: [f64; 4],
        ortho: bool,
        patch: bool,
        texture: Option<[f64; 4]>,
    ) -> (Vec<Vertex>, Topology) {
        let inputs = pipeline.as_ref().map_or(&[][..], Drawing::inputs);
        let [mut x, mut y, mut w, mut h] = at;
        if ortho {
            let (width, height) = (f64::from(self.script.size.0), f64::from(self.script.size.1));
            (x, w) = (-1.0 + 2.0 * (x / width), 2.0 * (w / width));
            (y, h) = (-1.0 + 2.0 * (y / height), 2.0 * (h / height));
        }
        let common = Self::defaults(inputs);
        let named = |names: &[&str]| inputs.iter().any(|i| names.contains(&&*i.name));
        // Whatever its name, attribute 0 is the position, 1 the texture coordinate.
        let at =
            |n: u32| inputs.iter().find(move |i| i.slot.as_generic() == Some(n)).map_or("", |i| &*i.name);
        let first = if named(&["gl_Vertex", "piglit_vertex"]) { "" } else { at(0) };
        let second = if named(&["gl_MultiTexCoord0", "piglit_texcoord"]) { "" } else { at(1) };
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        let vertices = corners.iter().zip(0u64..).map(|(&(i, k), id)| {
            let mut v = Vertex { inputs: common.clone(), ..Vertex::default() };
            let mut set = |names: &[&str], values: Vec<f64>| {
                for input in inputs.iter().filter(|i| names.contains(&&*i.name)) {
                    attributes::set(input, 0, &Components::Floats(values.clone()), &mut v.inputs);
                }
            };
            set(&["gl_Vertex", "piglit_vertex", first], vec![x + i * w, y + k * h, 0.0, 1.0]);
            if let Some([s, t, sw, th]) = texture {
                set(
                    &["gl_MultiTexCoord0", "piglit_texcoord", second],
                    vec![s + i * sw, t + k * th, 0.0, 1.0],
                );
            }
            v.system.set(SystemValue::vertex_id, [id, 0, 0, 0]);
            v
        });
        let topology = if patch { Topology::Patches(4) } else { Topology::TriangleStrip };
        (vertices.collect(), topology)
    }

    pub(super) fn arrays(
        &self,
        pipeline: &Option<Drawing<'_>>,
        first: usize,
        count: usize,
    ) -> Result<Vec<Vertex>, Stop> {
        if count > 1 << 16 {
            return fail(format!("{count} vertices are too many"));
        }
        let inputs = pipeline.as_ref().map_or(&[][..], Drawing::inputs);
        let named = &self.linked.reflection.inputs;
        let common = Self::defaults(inputs);
        let mut vertices = Vec::with_capacity(count);
        for n in first..first.saturating_add(count) {
            let mut v = Vertex { inputs: common.clone(), ..Vertex::default() };
            for column in &self.script.columns {
                let Some(row) = column.rows.get(n) else { return fail(format!("unknown vertex {n}")) };
                // A number is a location. Attributes that the program does not use do not exist.
                let name = match column.name.parse().ok() {
                    Some(n) => named.iter().find(|i| i.location == Some(n)).map_or("", |i| &*i.name),
                    None => &*column.name,
                };
                if let Some(input) = inputs.iter().find(|i| *i.name == *name) {
                    attributes::set(input, column.index, row, &mut v.inputs);
                }
            }
            v.system.set(SystemValue::vertex_id, [n as u64, 0, 0, 0]);
            vertices.push(v);
        }
        Ok(vertices)
    }

    pub(super) fn draw(
        &mut self,
        pipeline: &mut Option<Drawing<'_>>,
        topology: Topology,
        vertices: &[Vertex],
        instances: u32,
        captures: bool,
    ) -> Result<Option<Drawn>, Stop> {
        let Some(pipeline) = pipeline else { return fail("no program can draw") };
        self.bind();
        let mut last = None;
        for instance in 0..instances {
            let system = System::new()
                .with(SystemValue::instance_id, u64::from(instance))
                .with(SystemValue::instance_index, u64::from(instance));
            let draw = Draw { topology, vertices, indices: None, system };
            let Some(unit) = self.framebuffer else {
                last =
                    pipeline.draw(&mut self.resources, &draw, (&self.state, captures), &mut self.window)?;
                continue;
            };
            let (image, _) = self.texture_of(unit)?;
            let [width, height, _] = self.resources.images[image].level_size(0);
            let layers = if self.layered { self.resources.images[image].num_layers() } else { 1 };
            let mut target = Target::new(width, height, layers, 1);
            target.formats[0] = self.resources.images[image].format;
            target.colors[0] = target.load(&self.resources.images[image], 0);
            let before = target.colors[0].clone();
            let viewport = [0.0, 0.0, f64::from(width), f64::from(height)];
            let state = State { viewport, ..self.state.clone() };
            last = pipeline.draw(&mut self.resources, &draw, (&state, captures), &mut target)?;
            target.store(&mut self.resources.images[image], 0, &before, &target.colors[0]);
        }
        Ok(last)
    }

    pub(super) fn compute(&mut self, groups: [u32; 3], size: [u32; 3], config: &Config) -> Result<(), Stop> {
        let shader = self.linked.compute().map_err(Stop::Fail)?;
        self.bind();
        drawing::compute(self.engine, &shader, config, &mut self.resources, (groups, size))
    }

    /// Binds everything to where the shaders look.
    fn bind(&mut self) {
        let linked = self.linked;
        let r = &linked.reflection;
        self.resources.unbind_all();
        self.uniforms.bind(&mut self.resources, &mut self.uniform_buffers);
        let set = |space| drawing::set_of(self.engine, space);
        let whole = |buffer| Binding::Buffer { buffer, offset: 0, size: None };
        // Elements of arrays of blocks are numbered from the first one's binding.
        for (blocks, space) in [(&r.uniform_blocks, Space::Uniform), (&r.storage_blocks, Space::Storage)] {
            let buffers = if space == Space::Uniform { &self.uniform_buffers } else { &self.storage };
            for block in blocks {
                let Some(binding) = block.binding else { continue };
                let Some(&buffer) = buffers.get(&binding) else { continue };
                let element = block.name.split_once('[').map_or(0, |(base, _)| {
                    let first = blocks.iter().filter(|b| b.name.split('[').next() == Some(base));
                    binding - first.filter_map(|b| b.binding).min().unwrap_or(binding)
                });
                self.resources.bind(space, set(space), binding, 0, whole(buffer));
                self.resources.bind(space, set(space), binding - element, element, whole(buffer));
            }
        }
        if self.engine.kind == EngineKind::Vulkan {
            let bytes = self.state.clip_planes.iter().flat_map(|plane| plane.unwrap_or_default());
            let bytes = bytes.flat_map(|x| (x as f32).to_le_bytes()).collect();
            let planes = *self.planes_buffer.get_or_insert_with(|| self.resources.add_buffer(Vec::new()));
            self.resources.buffers[planes].bytes = bytes;
            self.resources.bind(Space::Uniform, 0, linked.planes_binding, 0, whole(planes));
        }
        for counters in &r.atomic_buffers {
            if let Some(&buffer) = self.counters.get(&counters.binding) {
                let space = Space::Storage;
                self.resources.bind(space, set(space), counters.storage_binding, 0, whole(buffer));
            }
        }
        for info in r.uniforms.iter().filter(|u| u.block.is_none()) {
            let Some(first) = info.binding else { continue };
            let is_image = (0x904C..=0x906C).contains(&info.ty);
            for i in 0..info.array_size.max(1) {
                let unit = self.uniforms.unit(first + i);
                let (space, binding) = if is_image {
                    let Some(&(image, format)) = self.images.get(&unit) else { continue };
                    (Space::Image, Binding::Image { image, level: 0, layer: None, format })
                } else {
                    let Some(&(image, sampler)) = self.textures.get(&unit) else { continue };
                    let view = View::default();
                    (Space::Texture, Binding::Texture { image, view, sampler: Some(sampler) })
                };
                // Shaders have arrays of any depth as one array.
                let base = first.saturating_sub(info.element);
                let set = set(space);
                self.resources.bind(space, set, base, info.element + i, binding.clone());
                self.resources.bind(space, set, first, i, binding.clone());
                self.resources.bind(space, set, first + i, 0, binding);
            }
        }
    }
}
