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

use crate::polytope::{Polytope, Stuck};
use crate::simplex::{Difference, Vertex, on_triangle};
use crate::support::Support;
use huygens_math::Vec3;
use huygens_math::scalar::{max, min};

/// Most support points that EPA asks for: one for each vertex that fits, and as many again that bring nothing new.
pub(crate) const MAX_ITERATIONS: u32 = 2048;

/// Rounding error of a plane's distance, relative to the size of the numbers: a dozen half-ulps.
const NOISE: f64 = 2e-15;

/// On a curved core, how far the bounds on the depth may stay apart, relative to the smaller shape.
const CURVED_TOLERANCE: f64 = 1e-12;

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
/// between the witness points that go with that, and `size` is the size of the numbers that they are made of.
pub(crate) fn penetration<A: Support, B: Support>(
    difference: &Difference<A, B>,
    corners: &[Vertex],
    middle: Vec3,
    size: f64,
) -> Penetration {
    let noise = NOISE * size;
    let tetrahedron = match inflate(difference, corners, 1e-12 * size) {
        Ok(tetrahedron) => tetrahedron,
        Err(outward) => {
            let depth = outward.dot(difference.vertex(outward).point);
            return Penetration { outward, depth, middle, iterations: 12, converged: true };
        }
    };
    let tolerance =
        if difference.is_curved() { max(noise, CURVED_TOLERANCE * difference.least_extent()) } else { noise };
    let search = Search { difference, noise, tolerance };
    // A larger array is slower to reach even where it is not used.
    search.run::<64, 128, 256>(&tetrahedron).unwrap_or_else(|| search.run_large(&tetrahedron))
}

/// Four points of D that span a volume, starting from `corners`; `Err(n)` with a unit vector along which D has no
/// extent when there are none.
fn inflate<A: Support, B: Support>(
    difference: &Difference<A, B>,
    corners: &[Vertex],
    flat: f64,
) -> Result<[Vertex; 4], Vec3> {
    let mut out = [corners[0]; 4];
    let mut len = corners.len();
    out[..len].copy_from_slice(corners);
    let aside = -difference.center_offset();
    if len == 1 {
        let start = out[0].point;
        let axes = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
        let (found, distance) = farthest(difference, &axes, |p| (p - start).length());
        if distance <= flat {
            return Err(aside.normalize_or(Vec3::NEG_Z));
        }
        out[1] = found;
        len = 2;
    }
    if len == 2 {
        let start = out[0].point;
        let edge = (out[1].point - start).normalize_or(Vec3::X);
        let (u, v) = edge.any_orthonormal_pair();
        let (found, distance) = farthest(difference, &[u, v, -u, -v], |p| (p - start).cross(edge).length());
        if distance <= flat {
            let across = aside - edge * aside.dot(edge);
            return Err(if across.length() > flat { across.normalize_or(u) } else { u });
        }
        out[2] = found;
        len = 3;
    }
    if len == 3 {
        let start = out[0].point;
        let normal = (out[1].point - start).cross(out[2].point - start).normalize_or(Vec3::X);
        let (found, distance) = farthest(difference, &[normal, -normal], |p| (p - start).dot(normal).abs());
        if distance <= flat {
            return Err(if aside.dot(normal) >= 0.0 { normal } else { -normal });
        }
        out[3] = found;
    }
    Ok(out)
}

/// Of the support points along `directions`, the one with the largest `measure`.
fn farthest<A: Support, B: Support>(
    difference: &Difference<A, B>,
    directions: &[Vec3],
    measure: impl Fn(Vec3) -> f64,
) -> (Vertex, f64) {
    let mut best = (Vertex::default(), f64::NEG_INFINITY);
    for &direction in directions {
        let vertex = difference.vertex(direction);
        let distance = measure(vertex.point);
        if distance > best.1 {
            best = (vertex, distance);
        }
    }
    best
}

/// The lowest bound from above so far, and the triangle it was found at.
#[derive(Clone, Copy)]
struct Best {
    outward: Vec3,
    height: f64,
    corner: [u16; 3],
}

struct Search<'d, 's, A, B> {
    difference: &'d Difference<'s, A, B>,
    noise: f64,
    tolerance: f64,
}

impl<A: Support, B: Support> Search<'_, '_, A, B> {
    #[inline(never)]
    fn run_large(&self, tetrahedron: &[Vertex; 4]) -> Penetration {
        self.run::<1024, 2048, 4096>(tetrahedron).unwrap_or(Penetration {
            outward: Vec3::Z,
            depth: 0.0,
            middle: tetrahedron[0].middle(),
            iterations: 0,
            converged: false,
        })
    }

    /// Grows a polytope until its nearest face is one of D's. `None` when it has no room and a larger one may have.
    fn run<const V: usize, const F: usize, const Q: usize>(
        &self,
        tetrahedron: &[Vertex; 4],
    ) -> Option<Penetration> {
        let mut polytope = Polytope::<V, F, Q>::new(tetrahedron, self.noise);
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
                polytope.set_limit(height + self.tolerance);
            }
            if height - face.distance <= self.tolerance {
                best = Best { outward: face.normal, height: face.distance, corner: face.corner };
                return Some(self.finish(&polytope, best, iterations, true));
            }
            // A vertex twice: rounding has bent the surface inwards here. The faces around hold the answer.
            if polytope.contains(new.point) {
                continue;
            }
            match polytope.expand(index, new) {
                Ok(()) => {}
                Err(Stuck::Full) if V < 1024 => return None,
                Err(_) => break,
            }
        }
        Some(self.finish(&polytope, best, iterations, false))
    }

    /// Witness points for the best face. When D's face is cut into several triangles, the one under the origin.
    fn finish<const V: usize, const F: usize, const Q: usize>(
        &self,
        polytope: &Polytope<V, F, Q>,
        best: Best,
        iterations: u32,
        converged: bool,
    ) -> Penetration {
        let foot = best.outward * best.height;
        let mut middle = Vec3::ZERO;
        let mut least = f64::INFINITY;
        let mut consider = |corner: [u16; 3]| {
            let [a, b, c] = corner.map(|i| *polytope.vertex(i));
            let found = on_triangle(&[a.point, b.point, c.point, Vec3::ZERO], [0, 1, 2]);
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
        let near = 1e3 * self.noise;
        if consider(best.corner) > near * near && converged {
            for face in polytope.live_faces() {
                // The same plane: within 1e-6 rad and a rounding of its distance.
                if face.normal.dot(best.outward) > 1.0 - 1e-12 && (face.distance - best.height).abs() <= near
                {
                    consider(face.corner);
                }
            }
        }
        Penetration {
            outward: best.outward,
            depth: min(best.height, f64::MAX),
            middle,
            iterations,
            converged,
        }
    }
}
