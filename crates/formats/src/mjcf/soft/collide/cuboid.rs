//! Two boxes: the axis along which they overlap least, then one point between two edges, or the part of a face that lies over another one.
//!
//! Of fifteen axes (three faces of each box, nine pairs of edges) the one with the largest separation is the normal. A face keeps it unless a pair of
//! edges is better by more than round-off, and by more than a twentieth where both point nearly the same way: that spares a resting box a single
//! point. The face of the other box that looks towards the chosen one is cut by its four sides; each corner that is left is a touch.

use super::super::contact::{Touch, frame};
use super::Placed;
use huygens_math::{Vec3, scalar};

/// Share by which a pair of edges must be better than the best face.
const ROUND_OFF: f64 = 1e-6;
/// Cosine above which an axis of edges points like the normal of the best face, and the share by which it must then be better.
const LIKE_THE_FACE: f64 = 0.99;
const MUCH_BETTER: f64 = 0.05;
/// Edges whose cross product is shorter are parallel.
const PARALLEL: f64 = 1e-6;
/// Corners that are closer than this share of the largest edge are one.
const SAME_CORNER: f64 = 1e-9;

/// A box: its middle, its axes, and half its edges.
#[derive(Clone, Copy)]
struct Cuboid {
    center: Vec3,
    axes: [Vec3; 3],
    half: [f64; 3],
}

impl Cuboid {
    fn of(geom: &Placed) -> Self {
        Self { center: geom.center(), axes: Vec3::AXES.map(|axis| geom.pose.rotate(axis)), half: geom.size }
    }

    /// Half of its extent along a direction.
    fn reach(&self, direction: Vec3) -> f64 {
        self.axes.iter().zip(self.half).map(|(axis, half)| axis.dot(direction).abs() * half).sum()
    }

    /// The middle of the edge along axis `skip` that lies farthest along a direction.
    fn edge(&self, skip: usize, direction: Vec3) -> Vec3 {
        (0..3).filter(|k| *k != skip).fold(self.center, |at, k| {
            let side = if self.axes[k].dot(direction) < 0.0 { -self.half[k] } else { self.half[k] };
            at + self.axes[k] * side
        })
    }
}

/// The face with the largest separation: of box `side`, across axis `axis`; its normal points from the first box to the second.
struct Face {
    separation: f64,
    side: usize,
    axis: usize,
    normal: Vec3,
}

/// The pair of edges with the largest separation.
struct Edges {
    separation: f64,
    axes: [usize; 2],
    normal: Vec3,
}

pub(super) fn touch(a: &Placed, b: &Placed, margin: f64, out: &mut Vec<Touch>) {
    let boxes = [Cuboid::of(a), Cuboid::of(b)];
    let Some(face) = best_face(&boxes, margin) else { return };
    let Ok(edges) = best_edges(&boxes, margin) else { return };
    match edges.filter(|edges| is_better(edges, &face)) {
        Some(edges) => between_edges(&boxes, &edges, out),
        None => over_face(&boxes, &face, margin, out),
    }
}

/// From the first box to the second along an axis of either sign.
fn outward(axis: Vec3, between: Vec3) -> Vec3 {
    if axis.dot(between) < 0.0 { -axis } else { axis }
}

/// `None` when a face parts the boxes by more than the margin.
fn best_face(boxes: &[Cuboid; 2], margin: f64) -> Option<Face> {
    let between = boxes[1].center - boxes[0].center;
    let mut best: Option<Face> = None;
    for (side, own) in boxes.iter().enumerate() {
        for axis in 0..3 {
            let direction = own.axes[axis];
            // Between faces that are equally deep round-off chooses, here and in MuJoCo: the points are the same, their order may not be.
            let separation = direction.dot(between).abs() - own.half[axis] - boxes[1 - side].reach(direction);
            if separation > margin {
                return None;
            }
            if best.as_ref().is_none_or(|best| separation > best.separation) {
                best = Some(Face { separation, side, axis, normal: outward(direction, between) });
            }
        }
    }
    best
}

/// `Err` when a pair of edges parts the boxes by more than the margin; `None` when all edges are parallel.
fn best_edges(boxes: &[Cuboid; 2], margin: f64) -> Result<Option<Edges>, ()> {
    let between = boxes[1].center - boxes[0].center;
    let mut best: Option<Edges> = None;
    for i in 0..3 {
        for j in 0..3 {
            let cross = boxes[0].axes[i].cross(boxes[1].axes[j]);
            let length = cross.length();
            if length < PARALLEL {
                continue;
            }
            let direction = cross / length;
            let separation =
                direction.dot(between).abs() - boxes[0].reach(direction) - boxes[1].reach(direction);
            if separation > margin {
                return Err(());
            }
            if best.as_ref().is_none_or(|best| separation > best.separation) {
                best = Some(Edges { separation, axes: [i, j], normal: outward(direction, between) });
            }
        }
    }
    Ok(best)
}

fn is_better(edges: &Edges, face: &Face) -> bool {
    let gain = edges.separation - face.separation;
    let size = face.separation.abs();
    let alike = edges.normal.dot(face.normal).abs() > LIKE_THE_FACE;
    gain > ROUND_OFF * size && !(alike && gain < MUCH_BETTER * size)
}

/// Halfway between the closest points of two edges.
fn between_edges(boxes: &[Cuboid; 2], edges: &Edges, out: &mut Vec<Touch>) {
    let [i, j] = edges.axes;
    let [p, q] = [boxes[0].edge(i, edges.normal), boxes[1].edge(j, -edges.normal)];
    let [d, e] = [boxes[0].axes[i], boxes[1].axes[j]];
    let (w, along) = (p - q, d.dot(e));
    let rest = 1.0 - along * along;
    let x = (along * e.dot(w) - d.dot(w)) / rest;
    let y = (e.dot(w) - along * d.dot(w)) / rest;
    let pos = (p + d * x + q + e * y) * 0.5;
    out.push(Touch { pos, dist: edges.separation, frame: frame(edges.normal, None) });
}

fn over_face(boxes: &[Cuboid; 2], face: &Face, margin: f64, out: &mut Vec<Touch>) {
    let (own, other) = (&boxes[face.side], &boxes[1 - face.side]);
    let outward = if face.side == 0 { face.normal } else { -face.normal };
    // The other box's face that looks most against the normal.
    let slant = |k: usize| other.axes[k].dot(outward);
    let across = (1..3).fold(0, |best, k| if slant(k).abs() > slant(best).abs() { k } else { best });
    let (u, v) = ((across + 1) % 3, (across + 2) % 3);
    let side = if slant(across) > 0.0 { -other.half[across] } else { other.half[across] };
    let middle = other.center + other.axes[across] * side;
    let corner =
        |x: f64, y: f64| middle + other.axes[u] * (x * other.half[u]) + other.axes[v] * (y * other.half[v]);
    let mut polygon = vec![corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)];
    let mut cut = Vec::with_capacity(8);
    for k in [(face.axis + 1) % 3, (face.axis + 2) % 3] {
        for sign in [1.0, -1.0] {
            let height = |p: Vec3| (own.axes[k] * sign).dot(p - own.center) - own.half[k];
            clip(&polygon, height, &mut cut);
            std::mem::swap(&mut polygon, &mut cut);
        }
    }
    let largest = own.half.into_iter().chain(other.half).fold(0.0, scalar::max);
    let mut last: Option<Vec3> = None;
    for p in polygon {
        let dist = outward.dot(p - own.center) - own.half[face.axis];
        let same = last.is_some_and(|last| (p - last).length() < SAME_CORNER * largest);
        if dist <= margin && !same {
            last = Some(p);
            out.push(Touch { pos: p - outward * (0.5 * dist), dist, frame: frame(face.normal, None) });
        }
    }
}

/// The part of a polygon where `height` is not positive.
fn clip(polygon: &[Vec3], height: impl Fn(Vec3) -> f64, out: &mut Vec<Vec3>) {
    out.clear();
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (here, there) = (height(p), height(q));
        if here <= 0.0 {
            out.push(p);
        }
        if (here <= 0.0) != (there <= 0.0) {
            out.push(p + (q - p) * (here / (here - there)));
        }
    }
}
