//! Lines that make textures.

use super::words::Words;
use super::{Command, Fill};
use airfoil::ir::Dim;

/// Shadow textures: name, dimension, numbers of the size, and whether the last of them counts layers.
const SHADOWS: &[(&str, Dim, usize, bool)] = &[
    ("texture shadow1D", Dim::D1, 1, false),
    ("texture shadow2D", Dim::D2, 2, false),
    ("texture shadowRect", Dim::Rect, 2, false),
    ("texture shadow1DArray", Dim::D1, 2, true),
    ("texture shadow2DArray", Dim::D2, 3, true),
];

/// Targets of commands that set parameters: always the last texture.
const TARGETS: &[&str] = &["1D", "2D", "3D", "Rect", "Cube", "1DArray", "2DArray", "CubeArray"];

pub(super) fn textures(w: &mut Words<'_>) -> Option<Command> {
    let texture = |unit, dim, size, fill| Command::Texture { unit, dim, size, level: 0, format: None, fill };
    if w.take("texture rgbw 2DArray") {
        return Some(texture(w.number()?, Dim::D2, w.numbers()?, Fill::Layers));
    }
    if w.take("texture rgbw") {
        let unit = w.number()?;
        let [x, y] = w.numbers()?;
        let format = w.next().map(str::to_string);
        return Some(Command::Texture {
            unit,
            dim: Dim::D2,
            size: [x, y, 1],
            level: 0,
            format,
            fill: Fill::Rgbw,
        });
    }
    if w.take("texture checkerboard") {
        let (unit, level) = (w.number()?, w.number()?);
        let [x, y] = w.numbers()?;
        let fill = Fill::Checkerboard(w.floats()?, w.floats()?);
        return Some(Command::Texture { unit, dim: Dim::D2, size: [x, y, 1], level, format: None, fill });
    }
    if w.take("texture miptree") {
        return Some(texture(w.number()?, Dim::D2, [8, 8, 1], Fill::Levels));
    }
    if w.take("texture junk 2DArray") {
        return Some(texture(w.number()?, Dim::D2, w.numbers()?, Fill::Zeros));
    }
    if w.take("texture integer") {
        let unit = w.number()?;
        let [x, y, b, a] = w.numbers()?;
        let fill = Fill::Integers(b.into(), a.into());
        let format = Some(w.next()?.into());
        return Some(Command::Texture { unit, dim: Dim::D2, size: [x, y, 1], level: 0, format, fill });
    }
    if let Some(&(_, dim, numbers, layered)) = SHADOWS.iter().find(|s| w.take(s.0)) {
        let unit = w.number()?;
        let mut size = [1; 3];
        for n in 0..numbers {
            let place = if layered && n + 1 == numbers { 2 } else { n };
            size[place] = w.number()?;
        }
        return Some(texture(unit, dim, size, Fill::Depth));
    }
    if w.take("texparameter") {
        TARGETS.contains(&w.next()?).then_some(())?;
        return Some(Command::TexParameter(w.next()?.into(), w.next()?.into()));
    }
    if w.take("image texture") {
        return Some(Command::ImageTexture(w.number()?, w.next()?.into()));
    }
    for (words, layered) in [("fb tex 2d", false), ("fb tex layered", true)] {
        if w.take(words) {
            let unit = w.number().filter(|_| w.at == w.list.len());
            return unit.map(|unit| Command::FramebufferTexture(unit, layered));
        }
    }
    None
}
