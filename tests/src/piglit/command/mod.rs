//! Lines of `[test]`: their types and parser.
//!
//! `words.rs`: words. Each of the others has the lines about one subject.

mod buffers;
mod probe;
mod program;
mod state;
mod textures;
mod types;
mod words;

use super::values::{bits, shape};
use crate::gl::types::{Number, Shape};
pub use types::{Command, Fill, Place, Query};
use words::Words;

/// Reads a line; an unknown command becomes [`Command::Unsupported`].
pub fn parse(line: &str) -> Command {
    let code = line.split('#').next().unwrap_or_default().trim().trim_end_matches(';');
    let mut words = Words::of(code);
    let known = command(&mut words);
    known.unwrap_or_else(|| {
        // The name of the command without its numbers.
        let is_name = |w: &&&str| w.starts_with(|c: char| c.is_ascii_alphabetic());
        Command::Unsupported(
            words.list.iter().take_while(is_name).take(3).copied().collect::<Vec<_>>().join(" "),
        )
    })
}

fn command(w: &mut Words<'_>) -> Option<Command> {
    if w.take("clear color") {
        return w.floats().map(Command::ClearColor);
    }
    if w.take("clear depth") {
        return w.float().map(Command::ClearDepth);
    }
    if w.take("clear") {
        return (w.at == w.list.len()).then_some(Command::Clear);
    }
    if w.take("draw rect") {
        let texture = w.take("tex");
        let ortho = w.take("ortho");
        let patch = w.take("patch");
        let at = w.floats()?;
        let texture = if texture { Some(w.floats()?) } else { None };
        return (w.at == w.list.len()).then_some(Command::Rect { at, ortho, patch, texture });
    }
    if w.take("draw arrays") {
        let instanced = w.take("instanced");
        let topology = w.topology()?;
        let (first, count) = (w.number()?, w.number()?);
        let instances = if instanced { w.number()? } else { 1 };
        return Some(Command::Arrays { topology, first, count, instances });
    }
    if w.take("uniform") {
        let shape = shape(w.next()?)?;
        let name = w.next()?.to_string();
        let values: Option<Vec<u64>> =
            w.list[w.at..].iter().map(|v| bits(v, shape.number, shape.bits)).collect();
        return Some(Command::Uniform { name, shape, values: values.filter(|v| !v.is_empty())? });
    }
    let relative = w.take("relative");
    if w.take("probe") {
        return probe::probe(w, relative);
    }
    if relative {
        return None;
    }
    if w.take("tolerance") {
        return w.floats().map(Command::Tolerance);
    }
    if w.take("link success") {
        return Some(Command::LinkSuccess);
    }
    if w.take("link error") {
        return Some(Command::LinkError);
    }
    if w.take("compute group size") {
        return Some(Command::ComputeSized(w.numbers()?, w.numbers()?));
    }
    if w.take("compute") {
        return w.numbers().map(Command::Compute);
    }
    buffers::buffers(w)
        .or_else(|| state::state(w))
        .or_else(|| textures::textures(w))
        .or_else(|| buffers::feedback(w))
        .or_else(|| program::program(w))
}

/// Whether a shape has floats.
pub fn is_float(shape: Shape) -> bool {
    shape.number == Number::Float
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfoil_interp::pipeline::Topology;
    use airfoil_interp::texture::Compare;

    #[test]
    fn drawing() {
        assert_eq!(parse("clear"), Command::Clear);
        let rect = Command::Rect { at: [0.0, 1.0, 2.0, 3.0], ortho: true, patch: true, texture: None };
        assert_eq!(parse("draw rect ortho patch 0 1 2 3 # text"), rect);
        let arrays = Command::Arrays { topology: Topology::TriangleFan, first: 0, count: 4, instances: 1 };
        assert_eq!(parse("draw arrays GL_TRIANGLE_FAN 0 4"), arrays);
        assert_eq!(
            parse("draw arrays GL_CIRCLES 0 4"),
            Command::Unsupported("draw arrays GL_CIRCLES".into())
        );
    }

    #[test]
    fn probes() {
        let Command::Probe { place: Some(place), color, .. } =
            parse("relative probe rgb (0.5, 0.25) (1, 0.5, 0);")
        else {
            panic!("is a probe")
        };
        assert_eq!((place.at, place.relative, color), ([0.5, 0.25, 0.0, 0.0], true, vec![1.0, 0.5, 0.0]));
        assert!(matches!(parse("probe all rgba 0 1 0 1"), Command::Probe { place: None, .. }));
        let int = shape("int").unwrap();
        assert_eq!(
            parse("probe ssbo int 1 8 >= -1"),
            Command::ProbeSsbo(int, 1, 8, Compare::GreaterEqual, vec![0xffff_ffff])
        );
        assert_eq!(
            parse("probe atomic counter buffer 2 4 == 7"),
            Command::ProbeCounter(2, 1, Compare::Equal, 7)
        );
    }

    #[test]
    fn uniforms_and_buffers() {
        let Command::Uniform { name, values, .. } = parse("uniform vec2 s.a[1] np.float32(1.0) 2") else {
            panic!("is one")
        };
        assert_eq!((name.as_str(), values), ("s.a[1]", vec![0x3f80_0000, 0x4000_0000]));
        assert!(matches!(parse("uniform handle h 1"), Command::Unsupported(_)));
        assert_eq!(parse("ssbo 1 subdata int 4 1 2"), Command::SsboData(1, 4, vec![1, 0, 0, 0, 2, 0, 0, 0]));
        assert_eq!(parse("ssbo 0 32"), Command::Ssbo(0, 32));
        assert_eq!(parse("block offset 16"), Command::BlockHint);
        assert_eq!(parse("enable GL_FOG"), Command::Unsupported("enable GL_FOG".into()));
    }
}
