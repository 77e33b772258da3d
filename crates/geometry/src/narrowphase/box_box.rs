//! Two boxes: fifteen candidate axes, then clipping.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | hᵃ, hᵇ | `ha`, `hb` | half edges | m |
//! | R, t | `r`, `t` | B's axes as columns and B's centre, in A's frame | –, m |
//! | s(L) | | \|t·L\| − hᵃ·\|L\| − hᵇ·\|RᵀL\|: the gap along the unit axis L | m |
//!
//! The axis is a face normal of A, of B, or across an edge of each. The largest s is the signed distance when boxes
//! overlap and a lower bound of it when they do not; then the points found by clipping must confirm it, or GJK decides.

use super::bias::{TIE, band};
use super::box_faces::{edge_rod, face, face_frame, main_axis, next, sign};
use super::build::{Lie, Setting, face_manifold, least_gap, point};
use super::convex::{Prefer, convex};
use super::rods::closest;
use crate::clip::Outline;
use crate::manifold::{FeatureId, Manifold};
use crate::shape::Cuboid;
use huygens_math::scalar::max;
use huygens_math::{Mat3, Pose, Vec2, Vec3};

/// Edges whose directions differ by a smaller sine than this are parallel: their common normal is no axis.
const PARALLEL: f64 = 1e-4;

/// An axis with the gap along it.
#[derive(Clone, Copy, Debug)]
struct Axis {
    gap: f64,
    /// Number of the axis; for edges 3·(axis of A) + (axis of B).
    index: usize,
}

struct Axes {
    a: Axis,
    b: Axis,
    /// The best pair of edges with its unit normal, from B to A.
    edges: Option<(Axis, Vec3)>,
}

/// What two boxes look like from A.
struct Boxes {
    ha: Vec3,
    hb: Vec3,
    r: Mat3,
    t: Vec3,
}

/// Adds the contact of two boxes; A is preferred as the reference.
pub(crate) fn box_box(ha: Vec3, hb: Vec3, b_in_a: &Pose, set: &Setting, out: &mut Vec<Manifold>) -> bool {
    let boxes = Boxes { ha, hb, r: Mat3::from_quat(b_in_a.rotation), t: b_in_a.translation };
    let Some(axes) = boxes.axes(set) else { return false };
    let best = max(axes.edges.map_or(f64::NEG_INFINITY, |e| e.0.gap), max(axes.a.gap, axes.b.gap));
    let allowed = best - band(best, set.size);
    if axes.a.gap >= allowed {
        let side = (axes.a.index, sign(boxes.t[axes.a.index]));
        if by_face([ha, hb], side, b_in_a, (best, set), out) {
            return true;
        }
    }
    if axes.b.gap >= allowed {
        let a_in_b = b_in_a.inverse();
        let side = (axes.b.index, -sign(boxes.r.col(axes.b.index).dot(boxes.t)));
        if by_face([hb, ha], side, &a_in_b, (best, &set.swapped()), out) {
            out.iter_mut().next_back().into_iter().for_each(|found| found.swap(&a_in_b));
            return true;
        }
    }
    // Boxes apart whose nearest features are a corner and an edge, two corners, or edges side by side, are left for GJK.
    by_edges(&boxes, &axes, b_in_a, set, out)
        || convex(&Cuboid { half: ha }, &Cuboid { half: hb }, b_in_a, (set, Prefer::A), out)
}

impl Boxes {
    /// The best axis of each kind; none when one of them parts the boxes by more than the margin.
    fn axes(&self, set: &Setting) -> Option<Axes> {
        let (ha, hb, r, t) = (self.ha, self.hb, &self.r, self.t);
        let tie = TIE * set.size;
        // |R| by columns: size[j][i] = |aᵢ·bⱼ|.
        let size = [r.x_axis.abs(), r.y_axis.abs(), r.z_axis.abs()];
        let gaps = t.abs() - ha - (size[0] * hb.x + size[1] * hb.y + size[2] * hb.z);
        let a = best_of(gaps, tie);
        if a.gap > set.margin {
            set.part(a.gap);
            return None;
        }
        let along = Vec3::new(t.dot(r.x_axis), t.dot(r.y_axis), t.dot(r.z_axis));
        let gaps = along.abs() - hb - Vec3::new(ha.dot(size[0]), ha.dot(size[1]), ha.dot(size[2]));
        let b = best_of(gaps, tie);
        if b.gap > set.margin {
            set.part(b.gap);
            return None;
        }
        let mut best: Option<(Axis, Vec3)> = None;
        for j in 0..3 {
            let bj = r.col(j);
            for i in 0..3 {
                let (u, v) = (next(i), next(next(i)));
                // L = aᵢ × bⱼ has the components 0, −bⱼᵥ, bⱼᵤ along i, u, v.
                let square = bj[u] * bj[u] + bj[v] * bj[v];
                if square < PARALLEL * PARALLEL {
                    continue;
                }
                let (p, q) = (next(j), next(next(j)));
                let reach = ha[u] * size[j][v] + ha[v] * size[j][u] + hb[p] * size[q][i] + hb[q] * size[p][i];
                let along = t[v] * bj[u] - t[u] * bj[v];
                let length = square.sqrt();
                let gap = (along.abs() - reach) / length;
                if gap > set.margin {
                    set.part(gap);
                    return None;
                }
                if best.is_none_or(|(b, _)| gap > b.gap + tie) {
                    let mut l = Vec3::ZERO;
                    l[u] = -bj[v] / length;
                    l[v] = bj[u] / length;
                    best = Some((Axis { gap, index: 3 * i + j }, if along > 0.0 { -l } else { l }));
                }
            }
        }
        Some(Axes { a, b, edges: best })
    }
}

#[inline(always)]
fn best_of(gaps: Vec3, tie: f64) -> Axis {
    let mut best = Axis { gap: gaps.x, index: 0 };
    if gaps.y > best.gap + tie {
        best = Axis { gap: gaps.y, index: 1 };
    }
    if gaps.z > best.gap + tie {
        best = Axis { gap: gaps.z, index: 2 };
    }
    best
}

/// Contact on the face of the first box across `axis` on the side of B; none when what lies over the face is not as
/// close as `best` says.
fn by_face(
    half: [Vec3; 2],
    (axis, side): (usize, f64),
    b_in_a: &Pose,
    (best, set): (f64, &Setting),
    out: &mut Vec<Manifold>,
) -> bool {
    let reference = face::<4>(half[0], axis, side);
    let frame = face_frame(half[0], axis, side);
    let towards = b_in_a.inverse_rotate(-frame.normal);
    let other = main_axis(towards);
    let incident = face::<4>(half[1], other, towards[other]);
    let mut outline = Outline::<8>::of(&frame, reference.id, &incident, b_in_a);
    outline.clip(&frame, &reference, incident.id);
    let mut candidates = outline.candidates(set.margin);
    if candidates.is_empty() || (least_gap(&candidates) - best).abs() > band(best, set.size) {
        return false;
    }
    let slope = Vec2::new(towards[next(other)], towards[next(next(other))]).length();
    face_manifold(&frame, &mut candidates, b_in_a, (set, &Lie::sloped(slope)), out);
    true
}

/// The crossing of an edge of A with an edge of B; false where the nearest points of these edges are not what parts the
/// boxes.
fn by_edges(boxes: &Boxes, axes: &Axes, b_in_a: &Pose, set: &Setting, out: &mut Vec<Manifold>) -> bool {
    let Some((axis, normal)) = axes.edges else { return false };
    let a = edge_rod(boxes.ha, axis.index / 3, -normal);
    let mut b = edge_rod(boxes.hb, axis.index % 3, boxes.r.transpose() * normal);
    b.center = b_in_a.transform(b.center);
    b.half = b_in_a.rotate(b.half);
    let (s, t) = closest(&a, &b);
    let (x, y) = (a.center + a.half * s, b.center + b.half * t);
    if (x - y - normal * axis.gap).length_squared() > TIE * set.size * set.size {
        return false;
    }
    let (middle, half) = (0.5 * (x + y), normal * (0.5 * axis.gap));
    let feature = FeatureId { a: a.names[2], b: b.names[2] };
    let at = point(middle + half, middle - half, axis.gap, b_in_a, feature);
    out.push(Manifold::of_point(normal, [0.0; 2], set.reuse_of_point(axis.gap, set.size), at));
    true
}
