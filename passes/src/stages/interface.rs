//! The values of a stage interface: declared variables taken apart into vectors, and accesses to slots.

use crate::pass::OptionValue;
use airfoil_ir::{
    Body, InstrId, Intrinsic, Modes, Name, Named, Scalar, Shader, Slot, Type, TypeId, Variable, format_name,
};

/// A value of an interface: some components of a slot.
///
/// # Examples
/// ```
/// use airfoil_ir::{Slot, text};
/// use airfoil_passes::stages::match_interfaces::outputs;
///
/// let shader = text::parse(r#"foil 1
/// shader tess_eval "main" {
///   out vec4 position location=position
///   out vec2 uv location=3 component=2
/// }"#)?;
/// // The position is not a varying.
/// let [piece] = outputs(&shader).0[..] else { panic!() };
/// let contains = |n, component| piece.contains(Slot::generic(n).unwrap(), component);
/// assert!(contains(3, 2) && contains(3, 3) && !contains(3, 1) && !contains(4, 2));
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Slot.
    pub slot: Slot,
    /// First component.
    pub component: u8,
    /// Number of components.
    pub comps: u8,
    /// Type of a component.
    pub scalar: Scalar,
}

impl Piece {
    /// Whether it contains a component of a slot.
    pub fn contains(&self, slot: Slot, component: u8) -> bool {
        self.slot == slot && (self.component..self.component.saturating_add(self.comps)).contains(&component)
    }
}

/// A piece of a declared variable.
///
/// # Examples
/// ```
/// use airfoil_ir::{Modes, text};
/// use airfoil_passes::stages::interface::leaves;
///
/// let shader = text::parse(r#"foil 1
/// shader vertex "main" {
///   out Light { vec3 color, mat2 turn } light location=2
///   out float[6] gl_ClipDistance location=clip_dist0 compact
/// }"#)?;
/// let list = leaves(&shader, Modes::OUT);
/// let list: Vec<_> = list.iter().map(|leaf| format!("{} {} x{}", leaf.slot, leaf.name, leaf.comps)).collect();
/// // A matrix has a slot per column; clip distances stay together.
/// assert_eq!(list, ["clip_dist0 gl_ClipDistance x6", "2 light_color x3", "3 light_turn_0 x2", "4 light_turn_1 x2"]);
/// # Ok::<(), Vec<airfoil_ir::Diagnostic>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Slot.
    pub slot: Slot,
    /// First component.
    pub component: u8,
    /// Number of components.
    pub comps: u8,
    /// Type of a component.
    pub scalar: Scalar,
    /// Blend source of a fragment output.
    pub index: u8,
    /// Name of the variable and the path to the piece.
    pub name: Name,
    /// The elements of an array are components, in consecutive slots (clip distances).
    pub compact: bool,
    /// One value per primitive.
    pub per_primitive: bool,
}

impl Leaf {
    /// Slot, components and type.
    pub fn piece(&self) -> Piece {
        let Leaf { slot, component, comps, scalar, .. } = *self;
        Piece { slot, component, comps, scalar }
    }
}

/// Whether a slot holds a varying that a fragment function reads by name.
pub fn is_varying(slot: Slot) -> bool {
    slot.as_generic().is_some()
        || (Slot::COLOR0..=Slot::FOG).contains(&slot)
        || (Slot::TEX0..=Slot::TEX7).contains(&slot)
}

/// The declared variables of a mode, taken apart into vectors, by slot and component.
pub fn leaves(shader: &Shader, mode: Modes) -> Vec<Leaf> {
    let mut list = Vec::new();
    shader.vars.values().filter(|v| v.mode == mode).for_each(|v| add_leaves(shader, v, &mut list));
    list.sort_by_key(|l: &Leaf| (l.slot, l.index, l.component));
    list
}

/// The pieces of a variable.
pub fn leaves_of(shader: &Shader, var: &Variable) -> Vec<Leaf> {
    let mut list = Vec::new();
    add_leaves(shader, var, &mut list);
    list
}

fn add_leaves(shader: &Shader, v: &Variable, list: &mut Vec<Leaf>) {
    let Some(slot) = v.location else { return };
    let at = list.len();
    let mut next = u32::from(slot.0);
    let ty = match shader.types[v.ty] {
        Type::Array { elem, .. } if v.is_per_vertex(shader.stage) => elem,
        _ => v.ty,
    };
    if v.compact {
        if let Type::Array { len, .. } = shader.types[ty] {
            list.push(Leaf {
                slot,
                component: 0,
                comps: len.min(8) as u8,
                scalar: Scalar::Float32,
                index: 0,
                name: v.name.clone(),
                compact: true,
                per_primitive: v.per_primitive,
            });
        }
        return;
    }
    flatten(shader, ty, &v.name, &mut next, list, 0);
    for leaf in &mut list[at..] {
        leaf.component = v.component;
        leaf.index = v.index;
        leaf.per_primitive = v.per_primitive;
    }
}

fn flatten(shader: &Shader, ty: TypeId, name: &Name, slot: &mut u32, list: &mut Vec<Leaf>, depth: u32) {
    // Slots beyond the last one cannot be addressed.
    if *slot > 255 || depth > 32 {
        return;
    }
    let mut push = |scalar: Scalar, comps: u8, name: &Name| {
        // Components of 64 bits are pairs, as lower_64bit_io leaves them.
        let (scalar, comps) = match scalar.bits() {
            64 => (Scalar::Uint32, comps * 2),
            _ => (scalar, comps),
        };
        for first in (0..comps).step_by(4) {
            if let Ok(at) = u8::try_from(*slot) {
                list.push(Leaf {
                    slot: Slot(at),
                    component: 0,
                    comps: (comps - first).min(4),
                    scalar,
                    index: 0,
                    name: if first == 0 { name.clone() } else { format_name!("{name}_zw") },
                    compact: false,
                    per_primitive: false,
                });
            }
            *slot += 1;
        }
    };
    match &shader.types[ty] {
        Type::Vector { scalar, comps } => push(*scalar, *comps, name),
        Type::Matrix { scalar, cols, rows, .. } => {
            for c in 0..*cols {
                push(*scalar, *rows, &format_name!("{name}_{c}"));
            }
        }
        Type::Array { elem, len, .. } => {
            for i in 0..(*len).min(256) {
                if *slot > 255 {
                    break;
                }
                flatten(shader, *elem, &format_name!("{name}_{i}"), slot, list, depth + 1);
            }
        }
        Type::Struct(s) => {
            for member in &s.members {
                let name = if name.is_empty() {
                    member.name.clone()
                } else {
                    format_name!("{name}_{}", member.name)
                };
                flatten(shader, member.ty, &name, slot, list, depth + 1);
            }
        }
        Type::Image(_) | Type::Sampler => {}
    }
}

/// The slots that an access with a slot operand can reach.
pub fn reach(body: &Body, access: &Intrinsic) -> Vec<Slot> {
    let io = access.io();
    let slot = |n: u32| io.location.offset(n);
    match access.srcs().last().and_then(|&offset: &InstrId| body[offset].as_const()) {
        Some(c) => u32::try_from(c[0]).ok().and_then(slot).into_iter().collect(),
        None => (0..u32::from(io.num_slots.max(1))).filter_map(slot).collect(),
    }
}

/// A list of pieces, as an option of a pass: `0.0.4.float32|color0.0.4.float32` (slot, component, components, type).
///
/// # Examples
/// ```
/// use airfoil_ir::{Scalar, Slot};
/// use airfoil_passes::OptionValue;
/// use airfoil_passes::stages::interface::{Interface, Piece};
///
/// let interface = Interface::parse("0.0.3.float32|color0.0.4.any")?;
/// assert!(interface.contains(Slot::generic(0).unwrap(), 2) && !interface.contains(Slot::generic(0).unwrap(), 3));
/// // The type `any` equals each type, but the components have to be the same.
/// let color = |comps| Piece { slot: Slot::COLOR0, component: 0, comps, scalar: Scalar::Float16 };
/// assert!(interface.has(&color(4)) && !interface.has(&color(3)));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Interface(pub Vec<Piece>);

impl Interface {
    /// Whether a piece contains a component of a slot.
    pub fn contains(&self, slot: Slot, component: u8) -> bool {
        self.0.iter().any(|p| p.contains(slot, component))
    }

    /// Whether it has a piece; the type `any` equals all types.
    pub fn has(&self, piece: &Piece) -> bool {
        let any = |p: &Piece| p.scalar == Scalar::Any || piece.scalar == Scalar::Any;
        self.0
            .iter()
            .any(|p| Piece { scalar: piece.scalar, ..*p } == *piece && (any(p) || p.scalar == piece.scalar))
    }
}

impl OptionValue for Interface {
    fn parse(text: &str) -> Result<Interface, String> {
        let piece = |word: &str| {
            let mut parts = word.split('.');
            let mut next = || parts.next().unwrap_or_default();
            let slot = next();
            let numbered = || slot.parse().ok().and_then(Slot::generic);
            let slot = Slot::from_name(slot).or_else(numbered);
            let (component, comps) = (next().parse().ok(), next().parse().ok());
            let scalar = Scalar::from_name(next());
            let piece = slot.zip(component).zip(comps.zip(scalar));
            let found =
                piece.map(|((slot, component), (comps, scalar))| Piece { slot, component, comps, scalar });
            let inside = |p: &Piece| p.comps >= 1 && p.component.saturating_add(p.comps) <= 4;
            found.filter(inside).filter(|_| parts.next().is_none()).ok_or_else(|| {
                format!("`{word}` is not a value; expected slot, component, components and type as in `0.0.4.float32`")
            })
        };
        text.split('|').filter(|w| !w.is_empty()).map(piece).collect::<Result<_, _>>().map(Interface)
    }

    fn text(&self) -> String {
        let piece = |p: &Piece| format!("{}.{}.{}.{}", p.slot, p.component, p.comps, p.scalar.name());
        self.0.iter().map(piece).collect::<Vec<_>>().join("|")
    }
}
