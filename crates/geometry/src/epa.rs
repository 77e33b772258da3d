//! How deep two convex cores overlap: the shortest move that parts them.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | D | `Difference` | Minkowski difference A − B, in A's frame; the origin lies in it |
//! | h(n) | `height` | max n·p over D, along a unit vector n |
//! | | `outward` | the n that makes h least; the contact normal is −n |
//! | | `depth` | that least h |
//!
//! Source: G. van den Bergen, *Proximity queries and penetration depth computation on 3D game objects*, Game Developers
//! Conference 2001. A polytope inside D grows where it is nearest to the origin. The distance of its nearest face is a
//! bound on the depth from below, and h(n) for any n one from above.
//!
//! Distances are signed. A start that rounding has left beside the origin grows towards it, since the faces that the
//! origin is outside of come first; if it still is in the end, the shapes are apart by that little.

use crate::polytope::Polytope;
use crate::refine::refine;
use crate::simplex::{Difference, NOISE, Vertex, on_triangle};
use crate::support::Support;
use huygens_math::Vec3;

/// Most support points that one polytope asks for: one for each vertex that fits, and as many again that bring
/// nothing new.
pub(crate) const MAX_ITERATIONS: u32 = 2048;

/// What is thinner than this part of the size has no thickness: rounding is 1e-15 of it, and the thinnest shapes 1e-6.
const FLAT: f64 = 1e-12;

/// A start thinner than this part of the size is worth a look for a stouter one: its faces' normals lose the digits.
const POOR: f64 = 1e-7;

/// What EPA found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Penetration {
    /// Unit vector along which D reaches least far beyond the origin.
    pub outward: Vec3,
    /// How far it does [m]; by rounding it may be just below 0.
    pub depth: f64,
    /// Halfway between the witness points on the cores.
    pub middle: Vec3,
    /// Support points asked for.
    pub iterations: u32,
    /// False when the capacity or rounding ended the search.
    pub converged: bool,
}

/// The depth at which the origin lies in D.
///
/// `corners` are 1 to 4 points of D whose hull holds the origin or comes within rounding of it, `middle` is halfway
/// between the witness points that go with that.
pub(crate) fn penetration<A: Support, B: Support>(
    difference: &Difference<A, B>,
    corners: &[Vertex],
    middle: Vec3,
) -> Penetration {
    let tetrahedron = match inflate(difference, corners) {
        Ok(tetrahedron) => tetrahedron,
        Err(outward) => {
            let depth = outward.dot(difference.vertex(outward).point);
            return Penetration { outward, depth, middle, iterations: 12, converged: true };
        }
    };
    let search = Search { difference };
    // A larger array is slower to reach even where it is not used, so a small one goes first.
    let mut found = search.run::<64, 128, 256>(&tetrahedron);
    if !found.converged {
        let small = found.iterations;
        found = search.run_large(&tetrahedron);
        found.iterations += small;
    }
    if !found.converged {
        found = refine(difference, found);
    }
    found
}

/// Four points of D that span a volume, taken from `corners` where they are apart enough; `Err(n)` with a unit vector
/// along which D has no extent when there are none.
pub(crate) fn inflate<A: Support, B: Support>(
    difference: &Difference<A, B>,
    corners: &[Vertex],
) -> Result<[Vertex; 4], Vec3> {
    let flat = FLAT * difference.size;
    let aside = -difference.center_offset();
    let choose = Choose { difference, corners };

    let start = corners[0];
    let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let (second, distance) = choose.farthest(&axes, |p| (p - start.point).length());
    if distance <= flat {
        return Err(aside.normalize_or(Vec3::NEG_Z));
    }

    let edge = (second.point - start.point).normalize_or(Vec3::X);
    let (u, v) = edge.any_orthonormal_pair();
    let (third, distance) = choose.farthest(&[u, v, -u, -v], |p| (p - start.point).cross(edge).length());
    if distance <= flat {
        let across = aside - edge * aside.dot(edge);
        return Err(if across.length() > flat { across.normalize_or(u) } else { u });
    }

    let normal = edge.cross(third.point - start.point).normalize_or(u);
    let (fourth, distance) = choose.farthest(&[normal, -normal], |p| (p - start.point).dot(normal).abs());
    if distance <= flat {
        return Err(if aside.dot(normal) >= 0.0 { normal } else { -normal });
    }
    Ok([start, second, third, fourth])
}

/// A choice of points of D: those known, and if they are too close together, new ones.
struct Choose<'d, 's, A, B> {
    difference: &'d Difference<'s, A, B>,
    corners: &'d [Vertex],
}

impl<A: Support, B: Support> Choose<'_, '_, A, B> {
    /// Points with the largest `measure` among the corners or, if that is poor, along `directions`.
    fn farthest(&self, directions: &[Vec3], measure: impl Fn(Vec3) -> f64) -> (Vertex, f64) {
        let mut best = (self.corners[0], 0.0);
        for &corner in &self.corners[1..] {
            let distance = measure(corner.point);
            if distance > best.1 {
                best = (corner, distance);
            }
        }
        if best.1 <= POOR * self.difference.size {
            for &direction in directions {
                let vertex = self.difference.vertex(direction);
                let distance = measure(vertex.point);
                if distance > best.1 {
                    best = (vertex, distance);
                }
            }
        }
        best
    }
}

/// The lowest bound from above so far, and the triangle it was found at.
#[derive(Clone, Copy)]
struct Best {
    outward: Vec3,
    height: f64,
    corner: [u16; 3],
}

/// Growth of a polytope in `difference`.
pub(crate) struct Search<'d, 's, A, B> {
    pub difference: &'d Difference<'s, A, B>,
}

impl<A: Support, B: Support> Search<'_, '_, A, B> {
    /// As [`Search::run`], with room for what a small polytope cannot hold.
    ///
    /// Not so large for a round core: where 256 vertices do not converge, a whole circle of directions ties.
    #[inline(never)]
    fn run_large(&self, tetrahedron: &[Vertex; 4]) -> Penetration {
        if self.difference.is_round() {
            self.run::<256, 512, 1024>(tetrahedron)
        } else {
            self.run::<1024, 2048, 4096>(tetrahedron)
        }
    }

    /// Grows a polytope until its nearest face is one of D's, or there is no room.
    pub fn run<const V: usize, const F: usize, const Q: usize>(
        &self,
        tetrahedron: &[Vertex; 4],
    ) -> Penetration {
        let tolerance = self.difference.tolerance();
        let mut polytope = Polytope::<V, F, Q>::new(NOISE * self.difference.size);
        polytope.start(tetrahedron);
        let mut best = Best { outward: Vec3::Z, height: f64::INFINITY, corner: [0, 1, 2] };
        let mut iterations = 0;
        while iterations < MAX_ITERATIONS
            && let Some(index) = polytope.pop()
        {
            let face = *polytope.face(index);
            let new = self.difference.vertex(face.normal);
            iterations += 1;
            let height = face.normal.dot(new.point);
            if height < best.height {
                best = Best { outward: face.normal, height, corner: face.corner };
                polytope.set_limit(height + tolerance);
            }
            if height - face.distance <= tolerance {
                best = Best { outward: face.normal, height: face.distance, corner: face.corner };
                return self.finish(&polytope, best, iterations, true);
            }
            // A vertex twice: rounding has bent the surface inwards here. The faces around hold the answer.
            if polytope.contains(new.point) {
                continue;
            }
            if polytope.expand(index, new).is_err() {
                break;
            }
        }
        self.finish(&polytope, best, iterations, false)
    }

    /// Witness points for the best face. When D's face is cut into several triangles, the one under the origin.
    fn finish<const V: usize, const F: usize, const Q: usize>(
        &self,
        polytope: &Polytope<V, F, Q>,
        mut best: Best,
        iterations: u32,
        converged: bool,
    ) -> Penetration {
        if best.height == f64::INFINITY {
            // Not one face had a normal.
            best.outward = (-self.difference.center_offset()).normalize_or(Vec3::Z);
            best.height = self.difference.height(best.outward);
        }
        let foot = best.outward * best.height;
        let mut middle = Vec3::ZERO;
        let mut least = f64::INFINITY;
        let mut consider = |corner: [u16; 3]| {
            let [a, b, c] = corner.map(|i| *polytope.vertex(i));
            let found = on_triangle(&[a, b, c, Vertex::default()], [0, 1, 2]);
            let aside = (found.nearest - foot).length_squared();
            if aside < least {
                least = aside;
                middle = Vec3::ZERO;
                for k in 0..found.len as usize {
                    middle += [a, b, c][found.corner[k] as usize].middle() * found.weight[k];
                }
            }
            aside
        };
        let near = 1e3 * NOISE * self.difference.size;
        if consider(best.corner) > near * near && converged {
            for face in polytope.live_faces() {
                // The same plane: within 1e-6 rad and a rounding of its distance.
                if face.normal.dot(best.outward) > 1.0 - 1e-12 && (face.distance - best.height).abs() <= near
                {
                    consider(face.corner);
                }
            }
        }
        Penetration { outward: best.outward, depth: best.height, middle, iterations, converged }
    }
}
