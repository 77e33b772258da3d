//! Manifolds from contact candidates.

use crate::clip::PlaneFrame;
use crate::manifold::{FeatureId, FeatureKind, Manifold, ManifoldPoint, Reference};
use crate::reduce::{Candidate, reduce};
use huygens_math::scalar::min;
use huygens_math::{Pose, Vec2, Vec3};

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

/// How the incident shape lies on a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lie {
    /// Sine of the angle between the two surfaces.
    pub slope: f64,
    /// Largest rotation for which its candidates keep their places [rad].
    pub turn: f64,
}

impl Lie {
    pub fn sloped(slope: f64) -> Self {
        Self { slope, turn: f64::INFINITY }
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
    lie: &Lie,
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
    let crossing =
        |c: &Candidate| c.reference.kind() == FeatureKind::Edge && c.incident.kind() == FeatureKind::Edge;
    let crossed = candidates[..kept.len].iter().any(crossing);
    out.reuse = set.reuse_on_face(gap, lie.slope, crossed);
    out.reuse.turn = min(out.reuse.turn, lie.turn);
    if kept.dropped < f64::INFINITY {
        out.reuse.turn = min(out.reuse.turn, set.turn_with_dropped(gap - kept.dropped));
    }
    Some((out, min(gap, kept.dropped)))
}

/// One contact point with witness points in A's frame.
#[inline]
pub(crate) fn point(on_a: Vec3, on_b: Vec3, gap: f64, b_in_a: &Pose, feature: FeatureId) -> ManifoldPoint {
    ManifoldPoint { on_a, on_b: b_in_a.inverse_transform(on_b), gap, feature }
}
