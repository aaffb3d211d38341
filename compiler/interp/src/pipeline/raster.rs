//! Which samples of pixels a primitive covers, and their depths (OpenGL 4.6 chapter 14).

/// A corner in the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
    /// Reciprocal of w, for perspective interpolation.
    pub(crate) inverse_w: f64,
}

/// Pixels from (x0, y0) to before (x1, y1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) x0: i32,
    pub(crate) y0: i32,
    pub(crate) x1: i32,
    pub(crate) y1: i32,
}

impl Bounds {
    fn around(points: &[Point], grow: f64, within: Bounds) -> Bounds {
        let fold = |get: fn(&Point) -> f64, pick: fn(f64, f64) -> f64| {
            points.iter().map(get).reduce(pick).unwrap_or(0.0)
        };
        // Casts saturate.
        Bounds {
            x0: ((fold(|p| p.x, f64::min) - grow).floor() as i32).max(within.x0),
            y0: ((fold(|p| p.y, f64::min) - grow).floor() as i32).max(within.y0),
            x1: ((fold(|p| p.x, f64::max) + grow).ceil() as i32).min(within.x1),
            y1: ((fold(|p| p.y, f64::max) + grow).ceil() as i32).min(within.y1),
        }
    }

    pub(crate) fn contains(self, x: i32, y: i32) -> bool {
        x >= self.x0 && x < self.x1 && y >= self.y0 && y < self.y1
    }
}

/// The area of a primitive in the window.
#[derive(Clone, Debug)]
pub(crate) enum Area {
    /// Edges of a convex polygon: a sample is inside of all of them.
    Polygon { edges: Vec<Edge>, bounds: Bounds },
    /// A set of pixels, sorted by y, then x.
    Pixels { list: Vec<(i32, i32)>, bounds: Bounds },
}

/// `a x + b y + c` in units of sub-pixels; inside where it is positive, or zero and the edge keeps its points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    a: i64,
    b: i64,
    c: i64,
    keeps: bool,
}

/// Units of a pixel.
const SUB: f64 = 256.0;
/// Units per pixel of sample positions.
const SIXTEENTH: i64 = 16;
/// Positions are clamped to this many pixels, so that products do not overflow. Polygons are clipped to the viewport
/// before.
const FAR: f64 = 65536.0;

fn snap(x: f64) -> i64 {
    (x.clamp(-FAR, FAR) * SUB).round() as i64
}

impl Area {
    /// The area of a convex polygon.
    pub(crate) fn polygon(points: &[Point], within: Bounds) -> Area {
        let mut at: Vec<[i64; 2]> = points.iter().map(|p| [snap(p.x), snap(p.y)]).collect();
        at.dedup();
        let twice = |p: &[[i64; 2]]| -> i64 {
            (0..p.len()).map(|i| (p[i], p[(i + 1) % p.len()])).map(|(a, b)| a[0] * b[1] - b[0] * a[1]).sum()
        };
        let area = twice(&at);
        if area == 0 {
            return Area::Pixels { list: Vec::new(), bounds: within };
        }
        if area < 0 {
            at.reverse();
        }
        // Corners that are close together may be equal, or not convex, once they are rounded: their edges would leave out the others.
        let turns = |p: &[[i64; 2]], i: usize| {
            let n = p.len();
            twice(&[p[(i + n - 1) % n], p[i], p[(i + 1) % n]]) > 0
        };
        while at.len() > 3 {
            let Some(flat) = (0..at.len()).find(|&i| !turns(&at, i)) else { break };
            at.remove(flat);
        }
        let edges = (0..at.len())
            .map(|i| {
                let ([x0, y0], [x1, y1]) = (at[i], at[(i + 1) % at.len()]);
                let (a, b) = (y0 - y1, x1 - x0);
                // Of two polygons at one edge, exactly one keeps its points: it runs in the opposite direction in the
                // other.
                Edge { a, b, c: -(a * x0 + b * y0), keeps: a > 0 || (a == 0 && b > 0) }
            })
            .collect();
        Area::Polygon { edges, bounds: Bounds::around(points, 1.0, within) }
    }

    /// The upright rectangle around a polygon, if that covers anything.
    pub(crate) fn around(points: &[Point], within: Bounds) -> Area {
        let fold = |get: fn(&Point) -> f64, pick: fn(f64, f64) -> f64| {
            points.iter().map(get).reduce(pick).unwrap_or(0.0)
        };
        let (x0, x1) = (fold(|p| p.x, f64::min), fold(|p| p.x, f64::max));
        let (y0, y1) = (fold(|p| p.y, f64::min), fold(|p| p.y, f64::max));
        let corner = |x: f64, y: f64| Point { x, y, z: 0.0, inverse_w: 1.0 };
        match Area::polygon(points, within) {
            Area::Polygon { .. } => {
                Area::polygon(&[corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1)], within)
            }
            nothing => nothing,
        }
    }

    /// A line of width one where there are several samples: a rectangle around it (OpenGL 4.6 section 14.5.4).
    pub(crate) fn wide_line(from: Point, to: Point, within: Bounds) -> Area {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length = dx.hypot(dy);
        if length == 0.0 {
            return Area::pixels(Vec::new(), within);
        }
        let (nx, ny) = (-dy / length / 2.0, dx / length / 2.0);
        let beside = |p: Point, side: f64| Point { x: p.x + nx * side, y: p.y + ny * side, ..p };
        Area::polygon(&[beside(from, -1.0), beside(to, -1.0), beside(to, 1.0), beside(from, 1.0)], within)
    }

    /// A square point where there are several samples (OpenGL 4.6 section 14.4.3).
    pub(crate) fn square(at: Point, size: f64, within: Bounds) -> Area {
        let half = size / 2.0;
        let corner = |x: f64, y: f64| Point { x: at.x + x * half, y: at.y + y * half, ..at };
        Area::polygon(&[corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], within)
    }

    /// A line of width one.
    pub(crate) fn line(from: Point, to: Point, within: Bounds) -> Area {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let steep = dy.abs() > dx.abs();
        let (start, end) = if steep { (from.y, to.y) } else { (from.x, to.x) };
        let (low, high) = (start.min(end), start.max(end));
        let limit = if steep { (within.y0, within.y1) } else { (within.x0, within.x1) };
        // Pixels whose centres the line passes along its main direction; the end does not count.
        let first = ((low - 0.5).ceil() as i32).max(limit.0);
        let last = ((high - 0.5).ceil() as i32).min(limit.1);
        let mut list = Vec::new();
        for i in first..last {
            let t = (f64::from(i) + 0.5 - start) / (end - start);
            let other = if steep { from.x + dx * t } else { from.y + dy * t };
            let other = other.floor() as i32;
            let (x, y) = if steep { (other, i) } else { (i, other) };
            if within.contains(x, y) {
                list.push((x, y));
            }
        }
        Area::pixels(list, within)
    }

    /// The square of a point.
    pub(crate) fn point(at: Point, size: f64, within: Bounds) -> Area {
        let half = size.clamp(1.0, 2048.0) / 2.0;
        let inside = |centre: f64, from: i32, to: i32| {
            let first = ((centre - half - 0.5).ceil() as i32).max(from);
            let last = ((centre + half - 0.5).ceil() as i32).min(to);
            first..last
        };
        let xs = inside(at.x, within.x0, within.x1);
        let list = inside(at.y, within.y0, within.y1).flat_map(|y| xs.clone().map(move |x| (x, y))).collect();
        Area::pixels(list, within)
    }

    fn pixels(mut list: Vec<(i32, i32)>, within: Bounds) -> Area {
        list.sort_unstable_by_key(|&(x, y)| (y, x));
        let bounds = Bounds {
            x0: list.iter().map(|p| p.0).min().unwrap_or(0),
            y0: list.first().map_or(0, |p| p.1),
            x1: list.iter().map(|p| p.0 + 1).max().unwrap_or(0),
            y1: list.last().map_or(0, |p| p.1 + 1),
        };
        Area::Pixels { list, bounds: if bounds.x1 == 0 { within } else { bounds } }
    }

    /// Pixels outside are not covered.
    pub(crate) fn bounds(&self) -> Bounds {
        match self {
            Area::Polygon { bounds, .. } | Area::Pixels { bounds, .. } => *bounds,
        }
    }

    /// Whether a position in a pixel, in sixteenths of it, is covered.
    pub(crate) fn covers(&self, x: i32, y: i32, [dx, dy]: [u8; 2]) -> bool {
        match self {
            Area::Polygon { edges, bounds } => {
                let unit = |pixel: i32, part: u8| i64::from(pixel) * SUB as i64 + i64::from(part) * SIXTEENTH;
                let (px, py) = (unit(x, dx), unit(y, dy));
                bounds.contains(x, y)
                    && edges.iter().all(|e| {
                        let d = e.a * px + e.b * py + e.c;
                        d > 0 || (d == 0 && e.keeps)
                    })
            }
            Area::Pixels { list, .. } => list.binary_search_by_key(&(y, x), |&(x, y)| (y, x)).is_ok(),
        }
    }
}

/// A value that is linear in the window: `base + dx (x - x0) + dy (y - y0)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plane {
    pub(crate) origin: [f64; 2],
    pub(crate) base: f64,
    pub(crate) d: [f64; 2],
}

impl Plane {
    /// The plane through up to three corners.
    pub(crate) fn through(points: &[Point], value: impl Fn(&Point) -> f64) -> Plane {
        let Some(a) = points.first() else { return Plane { origin: [0.0; 2], base: 0.0, d: [0.0; 2] } };
        let (origin, base) = ([a.x, a.y], value(a));
        let of = |p: &Point| [p.x - a.x, p.y - a.y, value(p) - base];
        let d = match points[1..] {
            [] => [0.0; 2],
            [b] => {
                let [x, y, v] = of(&b);
                let length = x * x + y * y;
                if length == 0.0 { [0.0; 2] } else { [v * x / length, v * y / length] }
            }
            [b, c, ..] => {
                let ([bx, by, bv], [cx, cy, cv]) = (of(&b), of(&c));
                let area = bx * cy - cx * by;
                if area == 0.0 { [0.0; 2] } else { [(bv * cy - cv * by) / area, (bx * cv - cx * bv) / area] }
            }
        };
        Plane { origin, base, d }
    }

    /// Largest change from a pixel to the next one.
    pub(crate) fn slope(&self) -> f64 {
        self.d[0].abs().max(self.d[1].abs())
    }

    /// The value at a position.
    pub(crate) fn at(&self, x: f64, y: f64) -> f64 {
        self.base + self.d[0] * (x - self.origin[0]) + self.d[1] * (y - self.origin[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CENTRE: [u8; 2] = [8, 8];
    const WINDOW: Bounds = Bounds { x0: 0, y0: 0, x1: 8, y1: 8 };

    fn point(x: f64, y: f64) -> Point {
        Point { x, y, z: x + 2.0 * y, inverse_w: 1.0 }
    }

    fn count(area: &Area) -> usize {
        (0..64).filter(|i| area.covers(i % 8, i / 8, CENTRE)).count()
    }

    #[test]
    fn neighbours_share_no_pixel() {
        let [a, b, c, d] = [point(0.0, 0.0), point(8.0, 0.0), point(8.0, 8.0), point(0.0, 8.0)];
        let (one, two) = (Area::polygon(&[a, b, c], WINDOW), Area::polygon(&[a, c, d], WINDOW));
        assert_eq!(count(&one) + count(&two), 64);
        assert!((0..64).all(|i| one.covers(i % 8, i / 8, CENTRE) != two.covers(i % 8, i / 8, CENTRE)));
        let turned = Area::polygon(&[c, b, a], WINDOW);
        assert_eq!(count(&turned), count(&one));
        assert_eq!(count(&Area::polygon(&[a, b, b], WINDOW)), 0);
    }

    #[test]
    fn corners_may_be_close_together() {
        let [a, b, c] = [point(0.25, 0.125), point(7.875, 0.25), point(7.625, 7.25)];
        let whole = count(&Area::polygon(&[a, b, c], WINDOW));
        // Equal to the first corner, or next to it on any side.
        let step = 1.0 / SUB;
        for (x, y) in [(1e-9, 1e-9), (0.0, step), (step, 0.0), (step, step), (-step, 0.0), (0.0, -step)] {
            let near = point(a.x + x, a.y + y);
            for points in [[a, near, b, c], [a, b, c, near], [near, b, c, a], [b, c, near, a]] {
                assert_eq!(count(&Area::polygon(&points, WINDOW)), whole, "{x} {y}");
            }
        }
    }

    #[test]
    fn lines_and_points() {
        let line = Area::line(point(0.5, 0.5), point(7.5, 3.5), WINDOW);
        assert_eq!(count(&line), 7);
        assert!(line.covers(0, 0, CENTRE) && !line.covers(7, 3, CENTRE));
        assert_eq!(count(&Area::point(point(4.0, 4.0), 2.0, WINDOW)), 4);
        assert_eq!(count(&Area::point(point(0.5, 0.5), 3.0, WINDOW)), 4);
        assert_eq!(count(&Area::point(point(40.0, 0.5), 1.0, WINDOW)), 0);
    }

    #[test]
    fn areas_of_samples() {
        // From (2.5, 0.5) to (2.5, 4.5) with width 1: x from 2 to 3, y from 0.5 to 4.5.
        let line = Area::wide_line(point(2.5, 0.5), point(2.5, 4.5), WINDOW);
        assert!(line.covers(2, 0, [1, 9]) && !line.covers(2, 0, [1, 7]) && !line.covers(3, 2, [1, 8]));
        assert!(line.covers(2, 4, [15, 7]) && !line.covers(2, 4, [15, 9]));
        assert_eq!(count(&Area::wide_line(point(1.0, 1.0), point(1.0, 1.0), WINDOW)), 0);
        let rectangle = Area::around(&[point(1.0, 1.0), point(3.0, 1.0), point(1.0, 4.0)], WINDOW);
        assert!(count(&rectangle) == 6 && rectangle.covers(2, 3, CENTRE));
        assert_eq!(count(&Area::around(&[point(1.0, 1.0), point(3.0, 3.0), point(2.0, 2.0)], WINDOW)), 0);
        let square = Area::square(point(4.0, 4.0), 0.5, WINDOW);
        assert!(square.covers(3, 3, [13, 13]) && square.covers(4, 4, [3, 3]) && !square.covers(4, 4, [5, 5]));
    }

    #[test]
    fn planes() {
        let plane = Plane::through(&[point(0.0, 0.0), point(4.0, 0.0), point(0.0, 4.0)], |p| p.z);
        assert_eq!(plane.at(3.0, 1.5), 6.0);
        assert_eq!(Plane::through(&[point(1.0, 1.0)], |p| p.z).at(9.0, 9.0), 3.0);
    }
}
