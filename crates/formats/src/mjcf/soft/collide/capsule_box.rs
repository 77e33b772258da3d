//! A capsule and a box: a ball at the place of the capsule's segment that is nearest to the box, and a second one where the segment goes on along it.
//!
//! Everything is in the frame of the box. A place on the segment is x in [−1, 1]. The second ball sits at the far end of the part of the segment that
//! lies over the same face or along the same edge; a capsule that points at a corner, or across an edge like a T, has none.

use super::Placed;
use super::sphere::{Ball, cuboid};
use huygens_math::{Vec3, scalar};

/// Squared distances that differ by less are equal: the first one found stays.
const ROUND_OFF: f64 = 1e-15;

/// The segment of a capsule in the frame of a box.
struct Segment {
    center: Vec3,
    /// From its middle to its end x = 1.
    half: Vec3,
    length: f64,
    size: [f64; 3],
}

/// What of the box is nearest to the segment.
enum Nearest {
    /// A face, at the end of the segment that is given; `None` when that end is inside.
    Face { end: f64, axis: Option<usize> },
    /// The inside of an edge along `axis`, at `place` from −1 to 1; its lower corner as bits.
    Edge { axis: usize, place: f64, corner: usize },
    /// A corner, as bits.
    Corner(usize),
}

pub(super) fn touch(a: &Placed, b: &Placed, margin: f64, out: &mut Vec<super::super::contact::Touch>) {
    let half = b.pose.inverse_rotate(a.axis()) * a.size[1];
    let center = b.pose.inverse_transform(a.center());
    let segment = Segment { center, half, length: a.size[1], size: b.size };
    let Some((x, nearest)) = segment.nearest() else { return };
    let mut ball = |x: f64| {
        let center = b.pose.transform(segment.center + segment.half * x);
        cuboid(Ball { center, radius: a.size[0] }, b, margin, out);
    };
    ball(x);
    if let Some(step) = segment.second(x, &nearest) {
        ball(x + step);
    }
}

fn clamped(x: f64, half: f64) -> f64 {
    scalar::clamp(x, -half, half)
}

impl Segment {
    /// Signs of the direction as bits: set where it is positive.
    fn bits(&self) -> usize {
        (0..3).filter(|k| self.half[*k] > 0.0).map(|k| 1 << k).sum()
    }

    /// The place that is nearest to the box, and to which part of it.
    fn nearest(&self) -> Option<(f64, Nearest)> {
        let mut best = f64::INFINITY;
        let mut found = None;
        for end in [-1.0, 1.0] {
            let p = self.center + self.half * end;
            let q = Vec3::from_array([0, 1, 2].map(|k| clamped(p[k], self.size[k])));
            let outside = || (0..3).filter(|k| p[*k] != q[*k]);
            let distance = (p - q).length_squared();
            if outside().count() <= 1 && distance < best {
                best = distance;
                found = Some((end, Nearest::Face { end, axis: outside().next() }));
            }
        }
        for axis in 0..3 {
            for corner in (0..8).filter(|corner| corner >> axis & 1 == 0) {
                let Some((place, x, distance)) = self.to_edge(axis, corner) else { continue };
                if distance < best - ROUND_OFF {
                    best = distance;
                    let nearest = if place.abs() < 1.0 {
                        Nearest::Edge { axis, place, corner }
                    } else {
                        Nearest::Corner(if place > 0.0 { corner | 1 << axis } else { corner })
                    };
                    found = Some((x, nearest));
                }
            }
        }
        found
    }

    /// Place on an edge, place on the segment, and squared distance where both are closest; `None` for parallel ones.
    fn to_edge(&self, axis: usize, corner: usize) -> Option<(f64, f64, f64)> {
        let side = |k: usize| if corner >> k & 1 == 1 { self.size[k] } else { -self.size[k] };
        let mut middle = Vec3::new(side(0), side(1), side(2));
        middle[axis] = 0.0;
        let between = middle - self.center;
        let reach = self.size[axis];
        // Stationary point of |middle + reach y − half x|² in y (on the edge) and x (on the segment).
        let (yy, xy, xx) = (reach * reach, -reach * self.half[axis], self.length * self.length);
        let (u, v) = (-reach * between[axis], self.half.dot(between));
        let det = yy * xx - xy * xy;
        if det.abs() < ROUND_OFF {
            return None;
        }
        let (mut y, mut x) = ((xx * u - xy * v) / det, (yy * v - xy * u) / det);
        if y.abs() > 1.0 {
            y = y.signum();
            x = (v - xy * y) / xx;
        }
        if x.abs() > 1.0 {
            x = x.signum();
            y = clamped((u - xy * x) / yy, 1.0);
        }
        let mut apart = between - self.half * x;
        apart[axis] += reach * y;
        Some((y, x, apart.length_squared()))
    }

    /// Steps of x over the width of the box along an axis.
    fn width(&self, axis: usize) -> f64 {
        2.0 * self.size[axis] / self.half[axis].abs()
    }

    /// The step from the nearest place to the second one.
    fn second(&self, x: f64, nearest: &Nearest) -> Option<f64> {
        match *nearest {
            Nearest::Face { axis: None, .. } => None,
            Nearest::Face { end, axis: Some(axis) } => Some(self.along_face(end, axis)),
            Nearest::Edge { axis, place, corner } => self.across_edge(x, axis, place, corner),
            Nearest::Corner(corner) => self.off_corner(x, corner),
        }
    }

    /// From an end over a face: towards the other end, as far as the face goes.
    fn along_face(&self, end: f64, axis: usize) -> f64 {
        let from = self.center + self.half * end;
        let mut step = 2.0;
        for k in (0..3).filter(|k| *k != axis) {
            for bound in [self.size[k], -self.size[k]] {
                let there = (bound - from[k]) / self.half[k] * -end;
                if there > 0.0 && there < step {
                    step = there;
                }
            }
        }
        -end * step
    }

    fn across_edge(&self, x: f64, axis: usize, place: f64, corner: usize) -> Option<f64> {
        // Sides of the edge to which the segment leads, as bits: one side, or none.
        let leads = (self.bits() ^ corner) & (7 - (1 << axis));
        if !leads.is_power_of_two() {
            return None;
        }
        // The face that makes the smaller angle with the segment: it goes on along `over`.
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        let over = if self.half[first].abs() > self.half[second].abs() { first } else { second };
        let forward = leads >> over & 1 == 1;
        let rest = if forward { 1.0 - x } else { 1.0 + x };
        let upward = (self.bits() >> axis & 1 == 1) == forward;
        let on_edge = if upward { 1.0 - place } else { 1.0 + place };
        let along = self.size[axis] * on_edge / self.half[axis].abs();
        let step = scalar::min(scalar::min(rest, self.width(over)), along);
        Some(if forward { step } else { -step })
    }

    fn off_corner(&self, x: f64, corner: usize) -> Option<f64> {
        let leads = self.bits() ^ corner;
        if leads == 0 || leads == 7 {
            return None;
        }
        let sign = if leads.is_power_of_two() { 1.0 } else { -1.0 };
        // The axis along which the segment leads over the box when it runs in direction `sign`, alone.
        let alone = if sign > 0.0 { leads } else { 7 - leads };
        let axis = alone.trailing_zeros() as usize;
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        let steep = self.half[axis] * self.half[axis] > 0.5 * self.length * self.length;
        Some(if steep {
            sign * scalar::min(1.0 - sign * x, self.width(axis))
        } else {
            let widths = scalar::min(self.width(first), self.width(second));
            -sign * scalar::min(1.0 + sign * x, widths)
        })
    }
}
