//! Lines that set the state of the fixed functions.

use super::Command;
use super::words::Words;

pub(super) fn state(w: &mut Words<'_>) -> Option<Command> {
    if w.take("patch parameter vertices") {
        return w.number().map(Command::PatchVertices);
    }
    if w.take("patch parameter default level outer") {
        return w.floats().map(|l| Command::OuterLevels(l.map(|x: f64| x as f32)));
    }
    if w.take("patch parameter default level inner") {
        return w.floats().map(|l| Command::InnerLevels(l.map(|x: f64| x as f32)));
    }
    if w.take("ortho") {
        if w.at == w.list.len() {
            return Some(Command::Projection(None, false));
        }
        let [l, r, b, t] = w.floats()?;
        return Some(Command::Projection(Some([l, r, b, t, -1.0, 1.0]), false));
    }
    if w.take("frustum") {
        return w.floats().map(|f| Command::Projection(Some(f), true));
    }
    if w.take("clip plane") {
        let n: usize = w.number()?;
        return (n < 8).then_some(()).and_then(|()| w.floats()).map(|p| Command::ClipPlane(n, p));
    }
    for (word, on) in [("enable", true), ("disable", false)] {
        if w.take(word) {
            let name = w.next()?;
            let known = name
                .strip_prefix("GL_CLIP_PLANE")
                .is_some_and(|n| matches!(n, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7"))
                || ["GL_VERTEX_PROGRAM_TWO_SIDE", "GL_PROGRAM_POINT_SIZE", "GL_DEPTH_TEST", "GL_DEPTH_CLAMP"]
                    .contains(&name);
            return known.then(|| Command::Enable(name.into(), on));
        }
    }
    if w.take("shade model") {
        return match w.next()? {
            "flat" => Some(Command::Flat(true)),
            "smooth" => Some(Command::Flat(false)),
            _ => None,
        };
    }
    if w.take("polygon mode GL_FRONT_AND_BACK") {
        return match w.next()? {
            "GL_FILL" => Some(Command::FillRectangles(false)),
            "GL_FILL_RECTANGLE_NV" => Some(Command::FillRectangles(true)),
            _ => None,
        };
    }
    if w.take("provoking vertex") {
        return match w.next()? {
            "first" => Some(Command::FirstProvokes(true)),
            "last" => Some(Command::FirstProvokes(false)),
            _ => None,
        };
    }
    (w.take("memory barrier") || w.take("hint")).then_some(Command::Nothing)
}
