//! Clears the framebuffer and compares its contents.

use super::super::command::{Command, Place};
use super::super::script::Script;
use super::{Stop, World, fail};
use airfoil_interp::texture::Color;

impl World<'_> {
    pub(super) fn clear(&mut self) -> Result<(), Stop> {
        let color = self.clear_color;
        if let Some(unit) = self.framebuffer {
            let (image, _) = self.texture_of(unit)?;
            self.resources.images[image].fill(0, Color::Float(color));
            return Ok(());
        }
        self.window.clear(0, color.map(|x| (x as f32).to_bits()));
        if let Some(depth) = &mut self.window.depth {
            depth.fill(self.clear_depth as f32);
        }
        Ok(())
    }

    fn pixel(&self, x: u32, y: u32) -> Result<[f64; 4], Stop> {
        if let Some(unit) = self.framebuffer {
            let (image, _) = self.texture_of(unit)?;
            return Ok(match self.resources.images[image].get(0, 0, [x, y, 0], 0) {
                Some(Color::Float(f)) => f,
                Some(Color::Int(i)) => i.map(|v| v as f64),
                None => [0.0; 4],
            });
        }
        let color = self.window.floats(0, x, y, 0).unwrap_or_default();
        // The window has channels from 0 to 1; NaN becomes 0.
        Ok(color.map(|c| if c.is_nan() { 0.0 } else { f64::from(c.clamp(0.0, 1.0)) }))
    }

    pub(super) fn probe(&self, place: Option<&Place>, want: &[f64]) -> Result<(), Stop> {
        let (width, height) = match self.framebuffer {
            Some(unit) => {
                let [w, h, _] = self.resources.images[self.texture_of(unit)?.0].level_size(0);
                (w, h)
            }
            None => self.script.size,
        };
        let [x0, y0, x1, y1] = pixels(place, width, height);
        for (x, y) in (y0..y1).flat_map(|y| (x0..x1).map(move |x| (x, y))) {
            let got = self.pixel(x, y)?;
            let near = |((got, want), tolerance): ((&f64, &f64), &f64)| (got - want).abs() <= *tolerance;
            if !got.iter().zip(want).zip(&self.tolerance).all(near) {
                return fail(format!("pixel {x}, {y} is {:?}, not {want:?}", &got[..want.len()]));
            }
        }
        Ok(())
    }

    pub(super) fn probe_depth(&self, place: &Place, want: f64) -> Result<(), Stop> {
        let (width, height) = self.script.size;
        let [x, y, ..] = pixels(Some(place), width, height);
        let got = self.window.depth.as_ref().and_then(|d| d.get((y * width + x) as usize));
        match got {
            Some(&got) if (f64::from(got) - want).abs() <= self.tolerance[0] => Ok(()),
            got => fail(format!("depth of pixel {x}, {y} is {got:?}, not {want}")),
        }
    }
}

/// Pixels of a rectangle of a framebuffer: first x and y, and one past the last.
fn pixels(place: Option<&Place>, width: u32, height: u32) -> [u32; 4] {
    let Some(Place { at: [x, y, w, h], relative }) = place else { return [0, 0, width, height] };
    let (sx, sy) = if *relative { (f64::from(width), f64::from(height)) } else { (1.0, 1.0) };
    let side = |from: f64, size: f64, scale: f64, limit: u32| {
        // A pixel at the far edge is the last one.
        let first = ((from * scale) as u32).min(limit.saturating_sub(u32::from(size == 0.0)));
        let count = if size == 0.0 { 1 } else { (size * scale) as u32 };
        (first, first.saturating_add(count).min(limit))
    };
    let (x0, x1) = side(*x, *w, sx, width);
    let (y0, y1) = side(*y, *h, sy, height);
    [x0, y0, x1, y1]
}

/// Pixels of the window that any command reads; `None` if they are not known.
pub(super) fn wanted(script: &Script) -> Option<Vec<bool>> {
    let (width, height) = script.size;
    let mut list = vec![false; (width * height) as usize];
    for (_, command) in &script.commands {
        let place = match command {
            Command::Probe { place, .. } => place.as_ref(),
            Command::ProbeDepth(place, _) => Some(place),
            _ => continue,
        };
        let [x0, y0, x1, y1] = pixels(place, width, height);
        for y in y0..y1 {
            list[(y * width + x0) as usize..(y * width + x1) as usize].fill(true);
        }
    }
    Some(list)
}
