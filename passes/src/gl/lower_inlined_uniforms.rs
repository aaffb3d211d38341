//! Replaces uniforms by their values.
//!
//! Requires form `slots` or `target` and preserves the form. Preserves control flow. `values` is a list of words of the
//! uniform block at `binding` of set 0: byte offset and bits of each. Loads of these words at constant offsets become constants, so
//! that later passes fold conditions that do not change between draws. The values are part of the key of the function: a
//! driver inlines uniforms that rarely change.
//!
//! Source: NIR's `nir_inline_uniforms`.
//!
//! ```foil-example (binding=2,values=4.7)
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   ubo B { uint a @0, uint b @4 } b binding=2
//!   out uvec2 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &b
//!     32x2 %2 = load_ubo %1, %0 align=4
//!     store_output %2, %0 io=0 mask=xy src_type=uint32
//!   }
//! }
//! =>
//! foil 1
//! shader fragment "t" {
//!   form slots
//!   ubo B { uint a @0, uint b @4 } b binding=2
//!   out uvec2 color location=0
//!   fn main {
//!     32x1 %0 = const 0
//!     %1 = deref_var &b
//!     32x2 %2 = load_ubo %1, %0 align=4
//!     32x1 %3 = const 7
//!     32x2 %4 = vec2 %2.x, %3
//!     store_output %4, %0 io=0 mask=xy src_type=uint32
//!   }
//! }
//! ```

use crate::pass::OptionValue;
use crate::util::deref_path::root_var;
use crate::util::rewrite::{Replacement, replace_intrinsics};
use crate::{Changes, Context, Pass, PassInfo, Results, pass_options};
use airfoil_ir::{Body, Diagnostic, Form, Instr, Intrinsic, IntrinsicOp, Modes, Shader, Src, VarId};
use smallvec::SmallVec;

/// Words of a uniform block: byte offset and bits of each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Words(pub Vec<(u32, u32)>);

impl OptionValue for Words {
    fn parse(text: &str) -> Result<Words, String> {
        let word = |part: &str| {
            let (offset, value) = part.split_once('.')?;
            Some((offset.parse().ok().filter(|n| n % 4 == 0)?, value.parse().ok()?))
        };
        let parts = text.split('|').filter(|p| !p.is_empty());
        let words = parts.map(|p| word(p).ok_or_else(|| format!("`{p}` is not `offset.value`")));
        Ok(Words(words.collect::<Result<_, _>>()?))
    }

    fn text(&self) -> String {
        self.0.iter().map(|(offset, value)| format!("{offset}.{value}")).collect::<Vec<_>>().join("|")
    }
}

pass_options! {
    /// See the [module documentation](self).
    pub struct LowerInlinedUniforms {
        /// Binding of the uniform block.
        binding: u32 = 0,
        /// The words as `offset.bits`, separated by `|`.
        values: Words = Words::default(),
    }
}

static INFO: PassInfo = PassInfo::new(
    "lower_inlined_uniforms",
    "replaces uniforms by their values",
    include_str!("lower_inlined_uniforms.rs"),
)
.takes(&[Form::Slots, Form::Target])
.options(<LowerInlinedUniforms as crate::PassOptions>::OPTIONS)
.results(Results::All);

impl Pass for LowerInlinedUniforms {
    fn info(&self) -> &'static PassInfo {
        &INFO
    }

    fn options(&self) -> Vec<(&'static str, String)> {
        crate::PassOptions::settings(self)
    }

    fn run(&self, shader: &mut Shader, _: &mut Context) -> Result<Changes, Diagnostic> {
        if self.values.0.is_empty() {
            return Ok(Changes::NONE);
        }
        let Some(block) = block(shader, self.binding) else { return Ok(Changes::NONE) };
        let known = |offset: u32| self.values.0.iter().find(|w| w.0 == offset).map(|w| w.1);
        let changes = replace_intrinsics(
            shader,
            |body, ty, i| {
                let words = words_of(body, block, i);
                let bytes = 4 * u32::from(ty.comps);
                ty.bits == 32
                    && words.is_some_and(|at| {
                        (at..at.saturating_add(bytes)).step_by(4).any(|w| known(w).is_some())
                    })
            },
            |b, id, i| {
                let Some(first) = words_of(b.body, block, &i) else { return Replacement::Keep };
                let ty = b.ty(id);
                let values: SmallVec<[Option<u32>; 4]> =
                    (0..u32::from(ty.comps)).map(|c| known(first.saturating_add(4 * c))).collect();
                let load = values.iter().any(Option::is_none).then(|| b.insert_intrinsic(i, ty));
                let lanes: SmallVec<[Src; 4]> = values
                    .iter()
                    .enumerate()
                    .map(|(c, value)| match (value, load) {
                        (None, Some(load)) => Src::comp(load, c),
                        (value, _) => b.imm_u32(value.unwrap_or(0)).into(),
                    })
                    .collect();
                Replacement::Value(b.vec_srcs(&lanes))
            },
        );
        // The loads of the other components are found again.
        Ok((changes | Changes::AGAIN).when(changes.is_progress()))
    }
}

/// The uniform block at a binding of set 0.
fn block(shader: &Shader, binding: u32) -> Option<VarId> {
    let is_it = |v: &airfoil_ir::Variable| {
        v.mode == Modes::UBO && v.set.unwrap_or(0) == 0 && v.binding == Some(binding)
    };
    shader.vars.iter().find(|(_, v)| is_it(v)).map(|(id, _)| id)
}

/// The byte offset of a load from the block, if it is constant.
fn words_of(body: &Body, block: VarId, i: &Intrinsic) -> Option<u32> {
    if i.op != IntrinsicOp::load_ubo || root_var(body, i.src(0)) != Some(block) {
        return None;
    }
    let offset = body[i.src(1)].as_const()?[0];
    u32::try_from(offset).ok().filter(|n| n % 4 == 0)
}

/// The byte offsets of the words that a shader reads from the uniform block at a binding of set 0, at constant offsets.
pub fn words_read(shader: &Shader, binding: u32) -> Vec<u32> {
    let (Some(block), Some(body)) = (block(shader, binding), shader.entry_body()) else { return Vec::new() };
    let of = |instr: &Instr| {
        let first = words_of(body, block, instr.as_intrinsic()?)?;
        (instr.ty.bits == 32)
            .then(|| (0..u32::from(instr.ty.comps)).map(move |c| first.saturating_add(4 * c)))
    };
    let mut words: Vec<u32> = body.entries().filter_map(|(_, instr)| of(instr)).flatten().collect();
    words.sort_unstable();
    words.dedup();
    words
}
