//! Manifolds from contact candidates, and how long they may be kept.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | s | `size` | thickness of the smaller shape | m |
//! | ρ | `reach` | radius of the ball about the smaller shape | m |
//! | σ | `slope` | sine of the angle between the surfaces that meet | – |
//! | ℓ, δ | `travel`, `turn` | relative motion at the points, relative rotation | m, rad |
//!
//! A kept manifold carries its points along with the bodies. Its least gap then differs from a new one's because
//!
//! * a feature left out for its gap above the margin comes down: it does so by 2ρδ at most against a kept one, so
//!   2ρδ ≤ margin − gap keeps it out;
//! * a point where an edge crosses an outline is another point of that edge by then: ℓ(σ + δ) ≤ 1e-4 s;
//! * a point dropped because four are enough was no deeper than those, and gets deeper by δ·2ρ ≤ 1e-4 s at most.

use crate::clip::PlaneFrame;
use crate::manifold::{FeatureId, Manifold, ManifoldPoint, Reference, Reuse};
use crate::reduce::{Candidate, reduce};
use huygens_math::scalar::{max, min};
use huygens_math::{Pose, Vec2, Vec3};

/// Bound on the error of a kept manifold's gaps, in parts of the smaller shape's size.
pub(crate) const REUSE_ERROR: f64 = 1e-4;

/// Most relative rotation of a kept manifold [rad], and most relative motion in parts of the size.
pub(crate) const REUSE_MOTION: f64 = 0.01;

/// What the pair functions need to know of a pair besides shapes and pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Largest gap that is reported [m].
    pub margin: f64,
    /// Size of the smaller shape [m].
    pub size: f64,
    /// Radius of the ball about the shape that has the smaller one [m].
    pub reach: f64,
    /// True when A, as the pair function sees it, has the larger ball: ties are then broken along a direction of B.
    pub a_is_larger: bool,
}

impl Setting {
    /// How long a manifold may be kept whose least gap is `gap`, when nothing but the margin left points out.
    pub fn reuse(&self, gap: f64, slope: f64) -> Reuse {
        let room = max(self.margin - gap, 0.0);
        let turn = min(REUSE_MOTION, room / (2.0 * self.reach));
        let travel = REUSE_ERROR * self.size / (slope + REUSE_MOTION);
        Reuse { turn, travel }
    }
}

/// A direction along no axis, diagonal or other symmetry of a shape.
const ODD: Vec3 = Vec3::new(0.740_536_4, 0.543_201_9, 0.395_718_2);

impl Setting {
    /// The same pair seen with the roles exchanged.
    pub fn swapped(&self) -> Self {
        Self { a_is_larger: !self.a_is_larger, ..*self }
    }

    /// In the plane of a face of A, the direction that breaks ties.
    fn tie(&self, frame: &PlaneFrame, b_in_a: &Pose) -> Vec2 {
        let odd = if self.a_is_larger { b_in_a.rotate(ODD) } else { ODD };
        Vec2::new(odd.dot(frame.x), odd.dot(frame.y))
    }
}

/// The manifold of a face of A with what lies over it, and the least gap of all candidates; `candidates` are in the
/// plane `frame` of A's frame.
pub(crate) fn face_manifold(
    frame: &PlaneFrame,
    candidates: &mut [Candidate],
    b_in_a: &Pose,
    set: &Setting,
    slope: f64,
) -> Option<(Manifold, f64)> {
    if candidates.is_empty() {
        return None;
    }
    let kept = reduce(candidates, set.tie(frame, b_in_a), set.size);
    let mut out = Manifold::new(-frame.normal, Reference::A);
    for c in &candidates[..kept.len] {
        let on_a = frame.lift(c.at);
        out.push(ManifoldPoint {
            on_a,
            on_b: b_in_a.inverse_transform(on_a + frame.normal * c.gap),
            gap: c.gap,
            feature: FeatureId { a: c.reference, b: c.incident },
        });
    }
    let gap = out.gap();
    out.reuse = set.reuse(gap, slope);
    if kept.dropped < f64::INFINITY {
        let left = REUSE_ERROR * set.size - max(gap - kept.dropped, 0.0);
        out.reuse.turn = min(out.reuse.turn, max(left, 0.0) / (2.0 * set.reach));
    }
    Some((out, min(gap, kept.dropped)))
}

/// One contact point with witness points in A's frame.
#[inline]
pub(crate) fn point(on_a: Vec3, on_b: Vec3, gap: f64, b_in_a: &Pose, feature: FeatureId) -> ManifoldPoint {
    ManifoldPoint { on_a, on_b: b_in_a.inverse_transform(on_b), gap, feature }
}
