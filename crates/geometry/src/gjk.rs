//! How far two convex shapes are apart, or how deep they overlap.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | D | `Difference` | Minkowski difference A − B of the cores, in A's frame |
//! | v | `nearest` | the point of the simplex nearest to the origin; points from B to A |
//! | w | `new` | the point of D farthest along −v |
//! | ρ | `size` | size of the numbers that the points of D are differences of: rounding is relative to it |
//!
//! Source: E. G. Gilbert, D. W. Johnson, S. S. Keerthi, *A fast procedure for computing the distance between complex
//! objects in three-dimensional space*, IEEE J. Robotics and Automation 4 (1988). For every w, v·w/|v| ≤ distance ≤
//! |v|, which is the test for convergence.
//!
//! Where the origin lies in D, or nearer to it than rounding lets v have a direction, EPA answers instead.

use crate::epa;
use crate::simplex::{Difference, Nearest, Vertex, on_segment, on_tetrahedron, on_triangle};
use crate::support::Support;
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec3};

/// Most support points that GJK asks for.
pub const MAX_ITERATIONS: u32 = 128;

/// Most support points that EPA asks for after it.
pub const MAX_EPA_ITERATIONS: u32 = epa::MAX_ITERATIONS;

/// Below this part of ρ the direction of v is rounding: 1e-16 over it is an angle of 1e-4 rad.
const TOUCHING: f64 = 1e-12;

/// A polytope's answer is a feature: only what rounding (a dozen half-ulps of ρ) cannot tell apart is the same.
const POLYTOPE_TOLERANCE: f64 = 2e-15;

/// On a curved core an error δ of the normal costs δ²/2 of distance: 1e-12 of ρ holds δ to 1.4e-6 rad.
const CURVED_TOLERANCE: f64 = 1e-12;

/// Where two convex shapes are closest, or how they are parted by the shortest move.
///
/// `on_a − on_b = gap · normal` holds up to rounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance of the shapes [m]; negative when they overlap: minus the shortest move that parts them.
    pub gap: f64,
    /// Unit normal from B to A.
    pub normal: Vec3,
    /// Witness point on the surface of A [m].
    pub on_a: Vec3,
    /// Witness point on the surface of B [m].
    pub on_b: Vec3,
}

impl Separation {
    /// The answer for whole shapes from that for cores: the point halfway between the witnesses, the normal, the gap
    /// of the cores and the radii.
    pub(crate) fn from_cores(middle: Vec3, normal: Vec3, core_gap: f64, [r_a, r_b]: [f64; 2]) -> Self {
        Self {
            gap: core_gap - r_a - r_b,
            normal,
            on_a: middle + normal * (0.5 * core_gap - r_a),
            on_b: middle - normal * (0.5 * core_gap - r_b),
        }
    }

    /// The same answer with A and B exchanged, still in the same frame.
    pub fn swapped(&self) -> Self {
        Self { gap: self.gap, normal: -self.normal, on_a: self.on_b, on_b: self.on_a }
    }

    /// The same answer in the frame that `target_from_source` leads to.
    pub fn transformed(&self, target_from_source: &Pose) -> Self {
        Self {
            gap: self.gap,
            normal: target_from_source.rotate(self.normal),
            on_a: target_from_source.transform(self.on_a),
            on_b: target_from_source.transform(self.on_b),
        }
    }
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Support points that GJK asked for.
    pub gjk: u32,
    /// Support points that EPA asked for.
    pub epa: u32,
    /// False when a bound on the work ended EPA, and the answer is the best known so far.
    pub converged: bool,
}

/// Signed distance and witness points of A and B, all in A's frame; `b_in_a` is the pose of B there.
///
/// Always answers, with finite numbers for finite shapes and poses. Between polytopes the depth of an overlap is that
/// of a face of the Minkowski difference, exact up to rounding; with a cylinder it is converged to 1e-11 of the size.
#[inline]
pub fn separation<A: Support, B: Support>(a: &A, b: &B, b_in_a: &Pose) -> Separation {
    separation_with_hint(a, b, b_in_a, &mut Vec3::default())
}

/// [`separation`] that starts from `hint`, the normal of the last answer for this pair or zero, and leaves the new
/// normal there. The answer depends on the hint only within the tolerance.
#[inline]
pub fn separation_with_hint<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    hint: &mut Vec3,
) -> Separation {
    let (answer, _) = separation_with_effort(a, b, b_in_a, *hint);
    *hint = answer.normal;
    answer
}

/// [`separation`] from a hint, together with what it cost.
pub fn separation_with_effort<A: Support, B: Support>(
    a: &A,
    b: &B,
    b_in_a: &Pose,
    hint: Vec3,
) -> (Separation, Effort) {
    let difference = Difference::new(a, b, b_in_a);
    let end = Gjk::start(&difference, hint).run(&difference, Goal::Distance);
    let radii = difference.radii();
    let effort = Effort { gjk: end.iterations, epa: 0, converged: end.iterations < MAX_ITERATIONS };
    if let Some(distance) = end.distance {
        let normal = end.nearest * (1.0 / distance);
        return (Separation::from_cores(end.middle(), normal, distance, radii), effort);
    }
    let depth = epa::penetration(&difference, end.corners(), end.middle(), end.size_squared.sqrt());
    let answer = Separation::from_cores(depth.middle, -depth.outward, -depth.depth, radii);
    (answer, Effort { epa: depth.iterations, converged: depth.converged, ..effort })
}

/// True when the shapes overlap or touch. Stops at the first direction that parts them, or that shows them to be closer
/// than their radii.
pub fn overlap<A: Support, B: Support>(a: &A, b: &B, b_in_a: &Pose) -> bool {
    let difference = Difference::new(a, b, b_in_a);
    let [r_a, r_b] = difference.radii();
    let end = Gjk::start(&difference, Vec3::ZERO).run(&difference, Goal::Within(r_a + r_b));
    end.distance.is_none_or(|distance| distance <= r_a + r_b)
}

/// What GJK is asked for.
#[derive(Clone, Copy)]
enum Goal {
    /// The distance.
    Distance,
    /// Whether the distance is at most this.
    Within(f64),
}

/// The state of a search.
struct Gjk {
    corner: [Vertex; 4],
    weight: [f64; 4],
    len: usize,
    nearest: Vec3,
    size_squared: f64,
    iterations: u32,
    /// |v|, once the origin is known to lie outside.
    distance: Option<f64>,
}

impl Gjk {
    #[inline]
    fn start<A: Support, B: Support>(difference: &Difference<A, B>, hint: Vec3) -> Self {
        let toward_a = if hint == Vec3::ZERO { difference.center_offset() } else { hint };
        let first = difference.vertex(-toward_a);
        Self {
            corner: [first; 4],
            weight: [1.0, 0.0, 0.0, 0.0],
            len: 1,
            nearest: first.point,
            size_squared: first.size_squared(),
            iterations: 1,
            distance: None,
        }
    }

    #[inline]
    fn run<A: Support, B: Support>(mut self, difference: &Difference<A, B>, goal: Goal) -> Self {
        let tolerance = if difference.is_curved() { CURVED_TOLERANCE } else { POLYTOPE_TOLERANCE };
        let mut square = self.nearest.length_squared();
        while self.iterations < MAX_ITERATIONS {
            if square <= TOUCHING * TOUCHING * self.size_squared {
                return self;
            }
            let new = difference.vertex(-self.nearest);
            self.iterations += 1;
            self.size_squared = max(self.size_squared, new.size_squared());
            // |v| times what the bounds on the distance are still apart.
            let along = self.nearest.dot(new.point);
            let excess = square - along;
            if let Goal::Within(r) = goal
                && (square <= r * r || (along > 0.0 && along * along > r * r * square))
            {
                break;
            }
            let fine = tolerance * tolerance * self.size_squared * square;
            if excess <= 0.0 || excess * excess <= fine || self.corners().iter().any(|c| c.point == new.point)
            {
                break;
            }
            self.corner[self.len] = new;
            let points = self.corner.map(|c| c.point);
            let face = match self.len {
                1 => on_segment(&points, 0, 1),
                2 => on_triangle(&points, [0, 1, 2]),
                _ => match on_tetrahedron(&points) {
                    Some(face) => face,
                    None => {
                        self.len = 4;
                        return self;
                    }
                },
            };
            let closer = face.nearest.length_squared();
            // In exact arithmetic it always is; when rounding says no, v is as good as it gets.
            if closer.partial_cmp(&square) != Some(std::cmp::Ordering::Less) {
                break;
            }
            self.keep(&face);
            square = closer;
        }
        self.distance = Some(square.sqrt());
        self
    }

    /// Drops the corners that do not carry v.
    #[inline(always)]
    fn keep(&mut self, face: &Nearest) {
        self.len = face.len as usize;
        for i in 0..self.len {
            // Corners of a face come in ascending order, so none is overwritten before it is read.
            self.corner[i] = self.corner[face.corner[i] as usize];
            self.weight[i] = face.weight[i];
        }
        self.nearest = face.nearest;
    }

    #[inline(always)]
    fn corners(&self) -> &[Vertex] {
        &self.corner[..self.len]
    }

    /// Halfway between the witness points of the cores.
    #[inline(always)]
    fn middle(&self) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (corner, weight) in self.corners().iter().zip(self.weight) {
            sum += corner.middle() * weight;
        }
        sum
    }
}
