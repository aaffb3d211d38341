//! Draws: vertices and attachments.

use super::super::script::{Pipeline, Run, TO_THE_END, Use, Viewport};
use super::super::types::Leaf;
use super::store::{Kept, component};
use super::{Runner, Stop, fail, skip};
use airfoil::Stage;
use airfoil_interp::pipeline::{ClipDepth, ColorState, DepthBias, Draw, State, Target, Topology};
use airfoil_interp::run::Vertex;
use airfoil_interp::texture::Format;
use airfoil_interp::{System, Values};
use airfoil_ir::{Slot, SystemValue};

/// An attachment: image, level, and location or depth.
#[derive(Clone, Copy, Debug)]
struct Attachment {
    image: usize,
    level: u32,
    location: Option<u32>,
}

/// Most vertices of a draw.
const MAX_VERTICES: u32 = 1 << 20;
/// Colours have locations below this.
const MAX_COLORS: u32 = 8;

impl Runner<'_> {
    pub(super) fn draw(&mut self, number: usize, pipeline: &Pipeline, run: &Run) -> Result<(), Stop> {
        let shaders = &self.shaders[number];
        if !shaders.iter().any(|s| s.stage == Stage::Fragment) {
            return skip("no fragment shader");
        }
        let mut vertices = self.vertices(pipeline, run)?;
        if !shaders.iter().any(|s| s.stage == Stage::Vertex) {
            for v in &mut vertices {
                let position = v.inputs.floats(slot(0)).unwrap_or([0.0, 0.0, 0.0, 1.0]);
                v.inputs.set_floats(Slot::POSITION, position);
            }
        }
        let is_patches = matches!(run, Run::Patches(..));
        if shaders.iter().any(|s| s.stage == Stage::TessEval) != is_patches {
            return fail("patches, and only patches, are tessellated");
        }
        let patch = pipeline.patch_vertices;
        if is_patches && (patch == 0 || !vertices.len().is_multiple_of(patch as usize)) {
            return fail("the vertices do not form whole patches");
        }
        let (topology, indices) = match run {
            Run::Patches(..) => (Topology::Patches(patch), None),
            Run::Rect(_) => (Topology::Triangles, Some(&[0, 1, 2, 1, 3, 2][..])),
            _ => (Topology::Triangles, None),
        };
        let attachments = self.attachments(pipeline)?;
        let state = self.state(pipeline);
        let mut target = self.target(pipeline, &attachments)?;
        let before = target.clone();
        let draw = Draw { topology, vertices: &vertices, indices, system: System::new() };
        let resources = &mut self.store.resources;
        match &self.driver {
            Some((device, modules)) => {
                device.draw(&modules[number], resources, &draw, &state, &mut target).map_err(Stop::from)?
            }
            None => self
                .engine
                .draw(shaders, self.config, resources, &draw, &state, &mut target)
                .map_err(Stop::Fail)?,
        }
        self.keep(&attachments, &before, &target);
        self.resolve(pipeline, &target)
    }

    /// The vertices of a draw with their attributes.
    fn vertices(&self, pipeline: &Pipeline, run: &Run) -> Result<Vec<Vertex>, Stop> {
        let [width, height] = pipeline.framebuffer.map(|n| n as f32);
        let clip = |x: f32, y: f32| [2.0 * x / width - 1.0, 2.0 * y / height - 1.0];
        let mut places = Vec::new();
        match *run {
            // Lower left, upper left, lower right, upper right: a strip.
            Run::Rect([x, y, w, h]) => {
                places.extend([clip(x, y + h), clip(x, y), clip(x + w, y + h), clip(x + w, y)]);
            }
            Run::Grid([x, y, w, h], [columns, rows]) => {
                if u64::from(columns) * u64::from(rows) * 6 > MAX_VERTICES.into() {
                    return fail("this draw has too many vertices");
                }
                let corner =
                    |i: u32, j: u32| clip(x + w * i as f32 / columns as f32, y + h * j as f32 / rows as f32);
                for (j, i) in (0..rows).flat_map(|j| (0..columns).map(move |i| (j, i))) {
                    let [a, b, c, d] =
                        [corner(i, j + 1), corner(i, j), corner(i + 1, j + 1), corner(i + 1, j)];
                    places.extend([a, b, c, b, d, c]);
                }
            }
            Run::Triangles(first, TO_THE_END) => {
                let count = self.vertex_count(pipeline).saturating_sub(first).min(MAX_VERTICES);
                return (first..first + count).map(|n| self.attributes(pipeline, n)).collect();
            }
            Run::Triangles(first, count) | Run::Patches(first, count) if count <= MAX_VERTICES => {
                return (first..first.saturating_add(count)).map(|n| self.attributes(pipeline, n)).collect();
            }
            _ => return skip("draws of this kind"),
        }
        Ok((0..)
            .zip(places)
            .map(|(n, [x, y])| vertex(n, |v| v.set_floats(slot(0), [x, y, 0.0, 1.0])))
            .collect())
    }

    /// Number of vertices that the data of all attributes has.
    fn vertex_count(&self, pipeline: &Pipeline) -> u32 {
        let counts = pipeline.binds.iter().filter(|bind| matches!(bind.usage, Use::Vertex(_))).map(|bind| {
            let what = bind.elements[0].what;
            let layout = &self.script.buffers[what].layout;
            let bytes = self.store.bytes(what).unwrap_or(&[]);
            let per_vertex = layout.leaves.len().max(1);
            let whole =
                |n: &usize| (0..per_vertex).all(|c| layout.leaf(n * per_vertex + c).raw(bytes).is_some());
            (0..bytes.len()).take_while(whole).count() as u32
        });
        counts.min().unwrap_or(0)
    }

    fn attributes(&self, pipeline: &Pipeline, n: u32) -> Result<Vertex, Stop> {
        let mut inputs = Values::new();
        for bind in &pipeline.binds {
            let Use::Vertex(location) = bind.usage else { continue };
            let what = bind.elements[0].what;
            let layout = &self.script.buffers[what].layout;
            let bytes = self.store.bytes(what).unwrap_or(&[]);
            let integer = self.script.buffers[what].format.as_ref().is_some_and(|f| f.is_integer());
            let mut words = [0, 0, 0, if integer { 1 } else { 1f32.to_bits() }];
            for (word, c) in words.iter_mut().zip(0..layout.leaves.len()) {
                let leaf: Leaf = layout.leaf(n as usize * layout.leaves.len() + c);
                let Some(raw) = leaf.raw(bytes) else {
                    return fail("a vertex is past the end of its buffer");
                };
                let number = leaf.decode(raw);
                *word = if integer { number.int() as u32 } else { (component(leaf, raw) as f32).to_bits() };
            }
            inputs.set_words(slot(location), words);
        }
        Ok(vertex(n.into(), |v| *v = inputs))
    }

    fn attachments(&self, pipeline: &Pipeline) -> Result<Vec<Attachment>, Stop> {
        let mut attachments = Vec::new();
        for bind in &pipeline.binds {
            let location = match bind.usage {
                Use::Color(location) if location >= MAX_COLORS => return skip("colours of this location"),
                Use::Color(location) => Some(location),
                Use::DepthStencil => None,
                _ => continue,
            };
            match self.store.kept[bind.elements[0].what] {
                Kept::Image { image, own: true } => {
                    attachments.push(Attachment { image, level: bind.base_level, location });
                }
                _ => return skip("attachments of this format"),
            }
        }
        Ok(attachments)
    }

    /// State of the fixed functions, as Vulkan has them.
    fn state(&self, pipeline: &Pipeline) -> State {
        let [width, height] = pipeline.framebuffer;
        let whole = Viewport { corner: [0.0; 2], size: [width as f32, height as f32], depth: [0.0, 1.0] };
        let v = pipeline.viewport.unwrap_or(whole);
        let [x, y, w, h] = [v.corner[0], v.corner[1], v.size[0], v.size[1]].map(f64::from);
        let depth = &pipeline.depth;
        let bias = |[constant, clamp, slope]: [f32; 3]| DepthBias {
            constant: constant.into(),
            clamp: clamp.into(),
            slope: slope.into(),
        };
        State {
            viewport: [x, y, w, h],
            depth_range: v.depth.map(f64::from),
            clip_depth: ClipDepth::ZeroToOne,
            depth_clamp: depth.clamp,
            depth_unrestricted: self
                .script
                .requirements
                .iter()
                .any(|r| r == "VK_EXT_depth_range_unrestricted"),
            depth_bias: depth.bias.map(bias),
            depth_bounds: depth.bounds.map(|(least, most)| [least.into(), most.into()]),
            depth_test: depth.test.then_some(depth.compare),
            depth_write: depth.write,
            stencil: pipeline.stencil_test.then_some(pipeline.stencil),
            colors: vec![ColorState { blend: pipeline.blend, ..ColorState::default() }; MAX_COLORS as usize],
            y_down: true,
            clip_distances: 0xff,
            first_provokes: true,
            shader_point_size: true,
            ..State::new(width, height)
        }
    }

    /// The contents of the attachments.
    fn target(&self, pipeline: &Pipeline, attachments: &[Attachment]) -> Result<Target, Stop> {
        let [width, height] = pipeline.framebuffer;
        let colors = attachments.iter().filter_map(|a| a.location).max().map_or(0, |n| n + 1);
        let image = |a: &Attachment| &self.store.resources.images[a.image];
        let samples = attachments.first().map_or(1, |a| image(a).num_samples());
        if attachments.iter().any(|a| image(a).num_samples() != samples) {
            return fail("the attachments differ in their samples");
        }
        let target = Target::new(width, height, 1, colors as usize).with_samples(samples);
        let mut target = target.or_else(|e| fail(e.to_string()))?;
        for a in attachments {
            let texels = target.load(image(a), a.level);
            match a.location {
                Some(n) => {
                    target.colors[n as usize] = texels;
                    target.formats[n as usize] = image(a).format;
                }
                None if image(a).format == Format::S8 => {
                    target.stencil = Some(texels.into_iter().map(|[s, ..]| s as u8).collect());
                }
                None => {
                    target.depth = Some(texels.into_iter().map(|[z, ..]| f32::from_bits(z)).collect());
                    target.depth_format = image(a).format;
                    target.stencil = self.store.stencils.get(&a.image).cloned();
                    if let Some(list) = &mut target.stencil {
                        list.resize(target.depth.as_ref().map_or(0, Vec::len), 0);
                    }
                }
            }
        }
        Ok(target)
    }

    /// Writes the results of a draw to the attachments.
    fn keep(&mut self, attachments: &[Attachment], before: &Target, after: &Target) {
        let depths = |t: &Target| -> Vec<[u32; 4]> {
            t.depth.iter().flatten().map(|z| [z.to_bits(), 0, 0, 0]).collect()
        };
        let stencils = |t: &Target| -> Vec<[u32; 4]> {
            t.stencil.iter().flatten().map(|s| [u32::from(*s), 0, 0, 0]).collect()
        };
        for a in attachments {
            let image = &mut self.store.resources.images[a.image];
            match a.location {
                Some(n) => {
                    let n = n as usize;
                    after.store(image, a.level, &before.colors[n], &after.colors[n]);
                }
                None if image.format == Format::S8 => {
                    after.store(image, a.level, &stencils(before), &stencils(after));
                }
                None => {
                    after.store(image, a.level, &depths(before), &depths(after));
                    if let Some(list) = &after.stencil {
                        self.store.stencils.insert(a.image, list.clone());
                    }
                }
            }
        }
    }

    /// Writes the means of the samples to the images that request them.
    fn resolve(&mut self, pipeline: &Pipeline, target: &Target) -> Result<(), Stop> {
        for bind in &pipeline.binds {
            let Use::Resolve(location) = bind.usage else { continue };
            let Kept::Image { image, own: true } = self.store.kept[bind.elements[0].what] else {
                return skip("resolving to this format");
            };
            if location as usize >= target.colors.len() {
                return fail(format!("colour {location} to be resolved does not exist"));
            }
            let one = Target::new(target.width, target.height, 1, 0);
            let image = &mut self.store.resources.images[image];
            let before = one.load(image, bind.base_level);
            one.store(image, bind.base_level, &before, &target.resolved(location as usize));
        }
        Ok(())
    }
}

fn slot(location: u32) -> Slot {
    Slot::generic(location).unwrap_or(Slot::POSITION)
}

fn vertex(n: u64, set: impl FnOnce(&mut Values)) -> Vertex {
    let mut inputs = Values::new();
    set(&mut inputs);
    let system = System::new().with(SystemValue::vertex_id, n).with(SystemValue::instance_index, 0);
    Vertex { inputs, system }
}
