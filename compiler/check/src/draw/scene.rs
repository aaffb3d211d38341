//! The vertices, resources and state of a draw, derived from a seed.

use super::stage::StageState;
use airfoil_interp::pipeline::{Draw, State, Target, Topology};
use airfoil_interp::run::{IoVar, Vertex, variables};
use airfoil_interp::{Binding, Layouts, Resources, Space, System, Values};
use airfoil_ir::{Modes, Primitive, Scalar, Shader, Slot, Stage, SystemValue};
use airfoil_passes::stages::stage_buffer::SET;
use airfoil_passes::util::driver_values::{DRAW, DRIVER, XFB_DRAW};

/// Pixels of a row and of a column.
const SIZE: u32 = 8;

/// Primitives of the draw.
const PRIMITIVES: u32 = 4;

/// Colours of the target.
const COLORS: usize = 4;

/// Bytes of each buffer.
const BYTES: usize = 1 << 12;

/// Index of the draw.
const DRAW_ID: u32 = 3;

/// The colour of pixels that nothing covers, where that matters.
pub(super) const NOT_DRAWN: [u32; 4] = [0x7fc0_dead; 4];

/// How the image is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// As the program expects.
    Plain,
    /// To be compared with an image that is upside down.
    Upright,
    /// Upside down, with front faces of the same winding or not.
    UpsideDown { same_winding: bool },
}

/// A draw.
#[derive(Debug)]
pub(super) struct Scene {
    seed: u64,
    topology: Topology,
    vertices: Vec<Vertex>,
}

/// The state of the API in the driver's block: values that matter to the passes that read them.
fn driver_state() -> Vec<u32> {
    let floats = |list: &[f32]| list.iter().map(|x| x.to_bits()).collect::<Vec<u32>>();
    let mut words = floats(&[SIZE as f32, SIZE as f32, 0.25]);
    words.push(1);
    words.extend(floats(&[3.0, 1.0, 4.0]));
    words.push(0xff);
    // The color and the parameters of the fog.
    words.extend(floats(&[0.25, 0.5, 0.75, 1.0, 0.5, 2.0, 1.0, 0.0]));
    // Planes: x, y and z are not negative.
    words.extend((0..32).map(|n| if n / 4 % 3 == n % 4 { 1f32.to_bits() } else { 0 }));
    words.extend((0..32).map(|row| 0x5555_5555_u32.rotate_left(row)));
    words
}

/// A hash of two words.
fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (x ^ x >> 29).wrapping_mul(0x94d0_49bb_1331_11eb) >> 16
}

/// A float between -1 and 1.
fn float(hash: u64) -> f64 {
    (hash % 129) as f64 / 64.0 - 1.0
}

/// Sets the components of an attribute.
fn set(values: &mut Values, var: &IoVar, hash: u64) {
    for (n, slot) in (0..var.num_slots).filter_map(|n| Some((n, var.slot.offset(n)?))) {
        for c in 0..4 {
            let h = mix(hash, u64::from(n * 4 + c) + 1);
            match var.scalar {
                Scalar::Float64 if c % 2 == 0 => values.set_wide(slot, c, float(h).to_bits()),
                Scalar::Float64 => {}
                // A position of w = 1 is inside of the clip volume.
                Scalar::Float32 | Scalar::Any if c == 3 => values.set(slot, c, 1f32.to_bits()),
                Scalar::Float32 | Scalar::Any => values.set(slot, c, (float(h) as f32).to_bits()),
                _ => values.set(slot, c, (h % 8) as u32),
            }
        }
    }
}

impl Scene {
    /// A draw for the declarations of a program's stages.
    pub(super) fn new(shaders: &[&Shader], seed: u64) -> Scene {
        let find = |stage| shaders.iter().find(|s| s.stage == stage);
        let control = find(Stage::TessControl).or(find(Stage::TessEval));
        let (topology, size) = match (control, find(Stage::Geometry)) {
            (Some(_), _) => (Topology::Patches(3), 3),
            (None, Some(geometry)) => match geometry.info.input_primitive {
                Primitive::Points => (Topology::Points, 1),
                Primitive::Lines => (Topology::Lines, 2),
                Primitive::LinesAdjacency => (Topology::LinesAdjacency, 4),
                Primitive::TrianglesAdjacency => (Topology::TrianglesAdjacency, 6),
                _ => (Topology::Triangles, 3),
            },
            _ => (Topology::Triangles, 3),
        };
        // Without a vertex shader the vertices are the inputs of the first stage.
        let order = [Stage::Vertex, Stage::TessControl, Stage::TessEval, Stage::Geometry, Stage::Fragment];
        let first = order.into_iter().find_map(find);
        let attributes = first.map(|s| variables(s, Modes::IN)).unwrap_or_default();
        let vertex = |n: u32| {
            let mut inputs = Values::new();
            let coordinate = |c| float(mix(mix(seed, c), u64::from(n))) as f32;
            inputs.set_floats(Slot::POSITION, [coordinate(0), coordinate(1), coordinate(2), 1.0]);
            for (at, var) in (1..).zip(&attributes) {
                set(&mut inputs, var, mix(mix(seed, at), u64::from(n)));
            }
            let system = System::new().with(SystemValue::vertex_id, u64::from(n));
            Vertex { inputs, system: system.with(SystemValue::vertex_id_zero_base, u64::from(n)) }
        };
        Scene { seed, topology, vertices: (0..PRIMITIVES * size).map(vertex).collect() }
    }

    pub(super) fn draw(&self) -> Draw<'_> {
        let system = System::new()
            .with(SystemValue::draw_id, DRAW_ID.into())
            .with(SystemValue::base_vertex, 0)
            .with(SystemValue::instance_id, 0);
        Draw { topology: self.topology, vertices: &self.vertices, indices: None, system }
    }

    pub(super) fn target(&self, view: View) -> Target {
        let mut target = Target::new(SIZE, SIZE, 1, COLORS);
        if view != View::Plain {
            (0..COLORS).for_each(|n| target.clear(n, NOT_DRAWN));
        }
        target
    }

    pub(super) fn state(&self, view: View) -> State {
        let state = State { clip_distances: 0xff, ..State::new(SIZE, SIZE) };
        let size = f64::from(SIZE);
        // Pixels that are covered are those of the mirrored image unless an edge runs through a centre.
        let [x, y] = [5.0 / 256.0, 3.0 / 256.0];
        match view {
            View::Plain => state,
            View::Upright => State { viewport: [x, y, size, size], ..state },
            View::UpsideDown { same_winding } => {
                State { viewport: [x, size - y, size, -size], front_clockwise: !same_winding, ..state }
            }
        }
    }

    /// The words of a block that a driver writes for the draw.
    fn driver_words(&self, binding: u32) -> Option<Vec<u32>> {
        let vertices = self.vertices.len() as u32;
        match binding {
            n if n == XFB_DRAW.binding => Some(vec![vertices, 0, vertices]),
            n if n == DRAW.binding => Some(vec![DRAW_ID, 0]),
            n if n == DRIVER.binding => Some(driver_state()),
            _ => None,
        }
    }

    /// Buffers of small numbers for all blocks, the blocks of a driver, and values for all uniforms.
    pub(super) fn resources(&self, stages: &[StageState]) -> Resources {
        let mut resources = Resources::new();
        for shader in stages.iter().map(|s| &s.declared) {
            let mut layouts = Layouts::new(&shader.types, 16);
            for v in shader.vars.values() {
                let space = match v.mode {
                    Modes::UBO => Space::Uniform,
                    Modes::SSBO => Space::Storage,
                    Modes::UNIFORM => {
                        self.set_uniform(&mut resources, &mut layouts, v);
                        continue;
                    }
                    _ => continue,
                };
                let (Some(set), Some(binding)) = (v.set.or(Some(0)), v.binding) else { continue };
                if let Some(words) = self.driver_words(binding).filter(|_| set == SET) {
                    let buffer = resources.add_buffer(words.into_iter().flat_map(u32::to_le_bytes).collect());
                    let whole = Binding::Buffer { buffer, offset: 0, size: None };
                    resources.bind(space, set, binding, 0, whole);
                    continue;
                }
                for element in 0..layouts.objects(v.ty).min(64) {
                    let key = mix(mix(self.seed, u64::from(set)), u64::from(binding * 64 + element));
                    let words = (0..BYTES as u64 / 4).map(|n| (float(mix(key, n)) as f32).to_bits());
                    let buffer = resources.add_buffer(words.flat_map(u32::to_le_bytes).collect());
                    let whole = Binding::Buffer { buffer, offset: 0, size: None };
                    resources.bind(space, set, binding, element, whole);
                }
            }
        }
        resources
    }

    fn set_uniform(&self, resources: &mut Resources, layouts: &mut Layouts<'_>, v: &airfoil_ir::Variable) {
        let Ok(leaves) = layouts.leaves(v.ty) else { return };
        let mut key = v.name.bytes().fold(self.seed, |h, b| mix(h, u64::from(b)));
        let mut next = |scalar: Scalar| {
            key = mix(key, 1);
            match scalar {
                Scalar::Float64 => float(key).to_bits(),
                Scalar::Float32 => u64::from((float(key) as f32).to_bits()),
                Scalar::Bool => key % 2,
                _ => key % 4,
            }
        };
        let scalars: Vec<u64> = leaves
            .iter()
            .flat_map(|leaf| vec![leaf.scalar; usize::from(leaf.comps)])
            .map(&mut next)
            .collect();
        if !scalars.is_empty() {
            resources.set_uniform(&v.name, &scalars);
        }
    }
}
