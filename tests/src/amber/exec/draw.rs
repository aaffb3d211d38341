//! Draws: vertices, triangles, depth test, colours.

use super::super::script::{Pipeline, Run, Use, Viewport};
use super::super::types::Leaf;
use super::store::{Kept, component};
use super::{Runner, Stop, fail, skip};
use crate::engine::raster::{Triangle, Window};
use airfoil::{Shader, Stage};
use airfoil_interp::run::{FragmentOutput, Quad, Vertex};
use airfoil_interp::texture::{Color, Compare, Encoding, Format};
use airfoil_interp::{System, Values};
use airfoil_ir::{Slot, SystemValue};

/// An attachment: image, level, and location or depth.
#[derive(Clone, Copy, Debug)]
struct Target {
    image: usize,
    level: u32,
    location: Option<u32>,
}

/// Most vertices of a draw.
const MAX_VERTICES: u32 = 1 << 20;

impl Runner<'_> {
    pub(super) fn draw(&mut self, number: usize, pipeline: &Pipeline, run: &Run) -> Result<(), Stop> {
        let window = window(pipeline);
        let vertices = self.vertices(pipeline, run)?;
        let tessellation = [Stage::TessControl, Stage::TessEval];
        let tessellated = tessellation.iter().any(|&s| self.shaders.contains_key(&(number, s)));
        if tessellated != matches!(run, Run::Patches(..)) {
            return fail("patches, and only patches, are tessellated");
        }
        let mut triangles: Vec<[Values; 3]> = match run {
            Run::Patches(..) => self.tessellate(number, pipeline, &vertices)?,
            Run::Rect(_) => {
                let shaded = self.shade_vertices(number, vertices)?;
                vec![[0, 1, 2], [1, 3, 2]].into_iter().map(|t| t.map(|i: usize| shaded[i].clone())).collect()
            }
            _ => {
                let shaded = self.shade_vertices(number, vertices)?;
                shaded.chunks_exact(3).map(|c| [c[0].clone(), c[1].clone(), c[2].clone()]).collect()
            }
        };
        if let Some(shader) = self.shaders.get(&(number, Stage::Geometry)) {
            triangles =
                self.engine.geometry(shader, &mut self.store.resources, &triangles).map_err(Stop::Fail)?;
        }
        for (n, corners) in triangles.iter().enumerate() {
            let made = Triangle::new(corners, n as u64, &window);
            if let Some(triangle) = made.map_err(Stop::Fail)? {
                self.triangle(number, pipeline, &triangle, &window)?;
            }
        }
        Ok(())
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
                    return fail("a vertex is behind the end of its buffer");
                };
                let number = leaf.decode(raw);
                *word = if integer { number.int() as u32 } else { (component(leaf, raw) as f32).to_bits() };
            }
            inputs.set_words(slot(location), words);
        }
        Ok(vertex(n.into(), |v| *v = inputs))
    }

    /// The triangles of patches.
    fn tessellate(
        &mut self,
        number: usize,
        pipeline: &Pipeline,
        vertices: &[Vertex],
    ) -> Result<Vec<[Values; 3]>, Stop> {
        if pipeline.patch_vertices == 0 || !vertices.len().is_multiple_of(pipeline.patch_vertices as usize) {
            return fail("the vertices do not form whole patches");
        }
        let stages = [Stage::Vertex, Stage::TessControl, Stage::TessEval];
        let shaders = stages.iter().filter_map(|&s| self.shaders.get(&(number, s)).cloned());
        let shaders: Vec<Shader> = shaders.collect();
        let resources = &mut self.store.resources;
        self.engine.tessellate(&shaders, resources, vertices, pipeline.patch_vertices).map_err(Stop::Fail)
    }

    fn shade_vertices(&mut self, number: usize, vertices: Vec<Vertex>) -> Result<Vec<Values>, Stop> {
        if let Some(shader) = self.shaders.get(&(number, Stage::Vertex)) {
            return self.engine.vertices(shader, &mut self.store.resources, &vertices).map_err(Stop::Fail);
        }
        let pass = |v: &Vertex| {
            let mut values = Values::new();
            values.set_floats(Slot::POSITION, v.inputs.floats(slot(0)).unwrap_or([0.0, 0.0, 0.0, 1.0]));
            values
        };
        Ok(vertices.iter().map(pass).collect())
    }

    fn targets(&self, pipeline: &Pipeline) -> Result<Vec<Target>, Stop> {
        let mut targets = Vec::new();
        for bind in &pipeline.binds {
            let location = match bind.usage {
                Use::Color(location) => Some(location),
                Use::DepthStencil => None,
                _ => continue,
            };
            match self.store.kept[bind.elements[0].what] {
                Kept::Image { image, own: true } if self.store.resources.images[image].num_samples() == 1 => {
                    targets.push(Target { image, level: bind.base_level, location });
                }
                _ => return skip("attachments of this format, or with several samples"),
            }
        }
        Ok(targets)
    }

    fn triangle(
        &mut self,
        number: usize,
        pipeline: &Pipeline,
        t: &Triangle,
        window: &Window,
    ) -> Result<(), Stop> {
        let targets = self.targets(pipeline)?;
        let depth = targets.iter().find(|t| t.location.is_none()).copied();
        let format = depth.map(|d| self.store.resources.images[d.image].format);
        let bias = pipeline.depth.bias.map_or(0.0, |[constant, clamp, slope]| {
            let bias = slope as f64 * t.slope() + f64::from(constant) * resolution(format, t.max_depth());
            let clamp = f64::from(clamp);
            if clamp > 0.0 {
                bias.min(clamp)
            } else if clamp < 0.0 {
                bias.max(clamp)
            } else {
                bias
            }
        });
        let mut quads = t.quads(window, bias);
        let Some(shader) = self.shaders.get(&(number, Stage::Fragment)) else {
            return skip("no fragment shader");
        };
        let early = shader.info.early_fragment_tests;
        if early {
            for quad in &mut quads {
                for k in 0..4 {
                    let f = &quad.fragments[k];
                    if !f.helper && !self.depth_test(pipeline, depth, quad, k, f64::from(f.coord[2])) {
                        quad.fragments[k].helper = true;
                    }
                }
            }
            quads.retain(|q| q.fragments.iter().any(|f| !f.helper));
        }
        let Some(shader) = self.shaders.get(&(number, Stage::Fragment)) else {
            return skip("no fragment shader");
        };
        let outputs = self.engine.fragments(shader, &mut self.store.resources, &quads).map_err(Stop::Fail)?;
        for (quad, outputs) in quads.iter().zip(&outputs) {
            for (k, out) in outputs.iter().enumerate() {
                if out.discarded || quad.fragments[k].helper {
                    continue;
                }
                let own = out.outputs.get(Slot::DEPTH, 0).map(f32::from_bits);
                let z = f64::from(own.unwrap_or(quad.fragments[k].coord[2]));
                if early || self.depth_test(pipeline, depth, quad, k, z) {
                    self.write(&targets, quad, k, out);
                }
            }
        }
        Ok(())
    }

    /// Tests a fragment's depth, and writes it if it passes.
    fn depth_test(
        &mut self,
        pipeline: &Pipeline,
        target: Option<Target>,
        quad: &Quad<'_>,
        k: usize,
        depth: f64,
    ) -> bool {
        let state = &pipeline.depth;
        let unrestricted = self.script.requirements.iter().any(|r| r == "VK_EXT_depth_range_unrestricted");
        let (Some(target), true) = (target, state.test) else { return true };
        let image = &mut self.store.resources.images[target.image];
        let place = pixel(quad, k);
        let Some(Color::Float([stored, ..])) = image.get(target.level, 0, place, 0) else { return true };
        let depth = match pipeline.viewport {
            Some(v) if state.clamp => {
                let [near, far] = v.depth.map(f64::from);
                depth.clamp(near.min(far), near.max(far))
            }
            _ if image.format == Format::D32f && unrestricted => depth,
            _ => depth.clamp(0.0, 1.0),
        };
        // What is compared has the format's precision.
        let mut raw = [0; 8];
        let format = image.format;
        format.write(&mut raw[..format.bytes()], Color::Float([depth, 0.0, 0.0, 0.0]));
        let Color::Float([rounded, ..]) = format.read(&raw[..format.bytes()]) else { return true };
        if state.bounds.is_some_and(|(min, max)| !(f64::from(min)..=f64::from(max)).contains(&stored)) {
            return false;
        }
        let passed = state.compare == Compare::Always || state.compare.test(rounded, stored);
        if passed && state.write {
            image.set(target.level, 0, place, 0, Color::Float([depth, 0.0, 0.0, 0.0]));
        }
        passed
    }

    fn write(&mut self, targets: &[Target], quad: &Quad<'_>, k: usize, out: &FragmentOutput) {
        for target in targets {
            let Some(location) = target.location else { continue };
            let Some(words) = Slot::generic(location).and_then(|s| color_words(&out.outputs, s)) else {
                continue;
            };
            let image = &mut self.store.resources.images[target.image];
            let color = match image.format.info().encoding {
                Encoding::Int => Color::Int(words.map(|w| i64::from(w as i32))),
                Encoding::Uint => Color::Int(words.map(i64::from)),
                _ => Color::Float(words.map(|w| f64::from(f32::from_bits(w)))),
            };
            image.set(target.level, 0, pixel(quad, k), 0, color);
        }
    }
}

/// The words of an output; `None` if nothing was written.
fn color_words(values: &Values, slot: Slot) -> Option<[u32; 4]> {
    let words: [Option<u32>; 4] = std::array::from_fn(|c| values.get(slot, c as u32));
    words.iter().any(Option::is_some).then(|| words.map(|w| w.unwrap_or(0)))
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

fn pixel(quad: &Quad<'_>, k: usize) -> [u32; 3] {
    [quad.pixel[0] as u32 + (k as u32 & 1), quad.pixel[1] as u32 + (k as u32 >> 1), 0]
}

fn window(pipeline: &Pipeline) -> Window {
    let size = pipeline.framebuffer;
    let whole = Viewport { corner: [0.0; 2], size: size.map(|n| n as f32), depth: [0.0, 1.0] };
    let v = pipeline.viewport.unwrap_or(whole);
    let [x, y, w, h] = [v.corner[0], v.corner[1], v.size[0], v.size[1]].map(f64::from);
    Window { size, viewport: [x, y, w, h], depth: v.depth.map(f64::from) }
}

/// The least difference of depths that a bias counts in (Vulkan 1.3, "Depth Bias").
fn resolution(format: Option<Format>, max_depth: f64) -> f64 {
    match format {
        Some(Format::D16) => 2f64.powi(-16),
        Some(Format::D24) => 2f64.powi(-24),
        _ => {
            let exponent = if max_depth == 0.0 { -126 } else { max_depth.abs().log2().floor() as i32 };
            2f64.powi(exponent - 23)
        }
    }
}
