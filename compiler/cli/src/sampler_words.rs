//! `--constant-sampler SET,BINDING=WORD,...`: the state of a sampler as text.

use airfoil::air::select::{
    BindingMap, Lod, SamplerAddress as Address, SamplerBorder as Border, SamplerCompare as Compare,
    SamplerFilter as Filter, SamplerMip as Mip, SamplerState,
};
use std::str::FromStr;

/// A constant sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantSampler {
    set: u32,
    binding: u32,
    state: SamplerState,
}

const ADDRESSES: &[(&str, Address)] = &[
    ("clamp_to_border", Address::ClampToBorder),
    ("clamp_to_edge", Address::ClampToEdge),
    ("repeat", Address::Repeat),
    ("mirrored_repeat", Address::MirroredRepeat),
];
const FILTERS: &[(&str, Filter)] = &[("nearest", Filter::Nearest), ("linear", Filter::Linear)];
const MIPS: &[(&str, Mip)] =
    &[("mip_none", Mip::None), ("mip_nearest", Mip::Nearest), ("mip_linear", Mip::Linear)];
const COMPARES: &[(&str, Compare)] = &[
    ("less", Compare::Less),
    ("less_equal", Compare::LessEqual),
    ("greater", Compare::Greater),
    ("greater_equal", Compare::GreaterEqual),
    ("equal", Compare::Equal),
    ("not_equal", Compare::NotEqual),
    ("always", Compare::Always),
    ("never", Compare::Never),
];
const BORDERS: &[(&str, Border)] = &[
    ("transparent_black", Border::TransparentBlack),
    ("opaque_black", Border::OpaqueBlack),
    ("opaque_white", Border::OpaqueWhite),
];

fn named<T: Copy>(table: &[(&str, T)], word: &str) -> Option<T> {
    table.iter().find(|(name, _)| *name == word).map(|&(_, value)| value)
}

/// Enters a word; `None` if it is none.
fn enter(state: &mut SamplerState, word: &str) -> Option<()> {
    if let Some((name, value)) = word.split_once('=') {
        let lod = |text: &str| text.parse::<f32>().ok().filter(|x| !x.is_nan()).map(Lod::from);
        match name {
            "anisotropy" => {
                state.max_anisotropy = value.parse().ok().filter(|n| (1..=16).contains(n))?;
            }
            "lod" => {
                let (min, max) = value.split_once(':')?;
                (state.lod_min, state.lod_max) = (lod(min)?, lod(max)?);
            }
            "bias" => state.lod_bias = lod(value)?,
            _ => return None,
        }
        return Some(());
    }
    if let Some(filter) = named(FILTERS, word) {
        (state.mag, state.min) = (filter, filter);
    } else if let Some(filter) = word.strip_prefix("mag_").and_then(|w| named(FILTERS, w)) {
        state.mag = filter;
    } else if let Some(filter) = word.strip_prefix("min_").and_then(|w| named(FILTERS, w)) {
        state.min = filter;
    } else if let Some(address) = named(ADDRESSES, word) {
        state.address = [address; 3];
    } else if let Some(mip) = named(MIPS, word) {
        state.mip = mip;
    } else if let Some(compare) = named(COMPARES, word) {
        state.compare = compare;
    } else if let Some(border) = named(BORDERS, word) {
        state.border = border;
    } else if word == "pixel" {
        state.pixel = true;
    } else {
        let (axis, word) = word.split_once('_')?;
        let axis = ["s", "t", "r"].iter().position(|a| *a == axis)?;
        state.address[axis] = named(ADDRESSES, word)?;
    }
    Some(())
}

impl FromStr for ConstantSampler {
    type Err = String;

    fn from_str(text: &str) -> Result<ConstantSampler, String> {
        const FORM: &str = "expected SET,BINDING=WORD,..., such as 0,2=linear,mip_linear,repeat";
        let (place, words) = text.split_once('=').ok_or(FORM)?;
        let (set, binding) = place.split_once(',').ok_or(FORM)?;
        let number = |text: &str| text.parse().map_err(|_| format!("`{text}` is not a number; {FORM}"));
        let mut state = SamplerState::default();
        for word in words.split(',') {
            enter(&mut state, word).ok_or_else(|| {
                let all = [
                    names(FILTERS),
                    names(MIPS),
                    names(ADDRESSES),
                    names(COMPARES),
                    names(BORDERS),
                    "pixel, anisotropy=N, lod=MIN:MAX, bias=X".to_owned(),
                ];
                format!(
                    "`{word}` says nothing about a sampler; the words are {}; mag_ and min_ go before filters, s_, t_ and r_ before addresses",
                    all.join(", ")
                )
            })?;
        }
        Ok(ConstantSampler { set: number(set)?, binding: number(binding)?, state })
    }
}

fn names<T>(table: &[(&str, T)]) -> String {
    table.iter().map(|t| t.0).collect::<Vec<_>>().join(", ")
}

impl ConstantSampler {
    /// Enters it.
    pub fn apply(self, map: &mut BindingMap) {
        map.constant_samplers.insert((self.set, self.binding), self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_in_words() {
        let parse = |text: &str| text.parse::<ConstantSampler>();
        let s = parse("1,2=linear,min_nearest,mip_linear,repeat,t_clamp_to_border,opaque_white,less_equal,anisotropy=8,lod=0.5:4").unwrap();
        let expected = SamplerState {
            address: [Address::Repeat, Address::ClampToBorder, Address::Repeat],
            mag: Filter::Linear,
            min: Filter::Nearest,
            mip: Mip::Linear,
            compare: Compare::LessEqual,
            border: Border::OpaqueWhite,
            max_anisotropy: 8,
            lod_min: Lod::from(0.5),
            lod_max: Lod::from(4.0),
            ..SamplerState::default()
        };
        assert_eq!((s.set, s.binding, s.state), (1, 2, expected));
        for bad in [
            "",
            "0=linear",
            "0,1",
            "0,1=",
            "0,1=cubic",
            "0,x=linear",
            "0,1=anisotropy=17",
            "0,1=lod=3",
            "0,1=x_repeat",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse("0,1=cubic").unwrap_err().contains("mirrored_repeat"));
    }
}
