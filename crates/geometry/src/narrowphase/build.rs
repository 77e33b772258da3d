//! Manifolds from contact candidates.

use crate::clip::PlaneFrame;
use crate::manifold::{FeatureId, Manifold, ManifoldPoint, Reference};
use crate::reduce::{Candidate, reduce};
use huygens_math::scalar::{max, min};
use huygens_math::{Pose, Vec2, Vec3};
use std::cell::Cell;

/// What the pair functions need to know of a pair besides shapes and pose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting<'c> {
    /// Largest gap that is reported [m].
    pub margin: f64,
    /// Size of the smaller shape [m].
    pub size: f64,
    /// Radius of the ball about the shape that has the smaller one [m].
    pub reach: f64,
    /// True when A, as the pair function sees it, has the larger ball: ties are then broken along a direction of B.
    pub a_is_larger: bool,
    /// What is known about the distance where nothing is reported: at least this [m].
    pub clearance: &'c Cell<f64>,
}

/// How the incident shape lies on a face.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lie {
    /// Sine of the angle between the two surfaces.
    pub slope: f64,
    /// Largest rotation for which its candidates keep their places [rad].
    pub turn: f64,
    /// Direction along which the gaps are measured, from the face to what lies on it; the face's normal if not given.
    pub up: Option<Vec3>,
}

impl Lie {
    pub fn sloped(slope: f64) -> Self {
        Self { slope, turn: f64::INFINITY, up: None }
    }
}

/// A direction along no axis, diagonal or other symmetry of a shape.
const ODD: Vec3 = Vec3::new(0.740_536_4, 0.543_201_9, 0.395_718_2);

impl Setting<'_> {
    /// Says that the shapes are so far apart, which is beyond the margin.
    #[inline(always)]
    pub fn part(&self, distance: f64) -> bool {
        self.clearance.set(distance);
        false
    }

    /// The same pair seen with the roles exchanged.
    pub fn swapped(&self) -> Self {
        Self { a_is_larger: !self.a_is_larger, ..*self }
    }

    /// In the plane of a face of A, the direction that breaks ties.
    pub fn tie(&self, frame: &PlaneFrame, b_in_a: &Pose) -> Vec2 {
        let odd = if self.a_is_larger { b_in_a.rotate(ODD) } else { ODD };
        Vec2::new(odd.dot(frame.x), odd.dot(frame.y))
    }
}

/// Least gap of some candidates; infinite without any.
#[inline]
pub(crate) fn least_gap(candidates: &[Candidate]) -> f64 {
    candidates.iter().fold(f64::INFINITY, |least, c| min(least, c.gap))
}

/// Adds the manifold of a face of A with what lies over it; `candidates`, one at least, are in the plane `frame` of A's
/// frame.
pub(crate) fn face_manifold<'o>(
    frame: &PlaneFrame,
    candidates: &mut [Candidate],
    b_in_a: &Pose,
    (set, lie): (&Setting, &Lie),
    out: &'o mut Vec<Manifold>,
) -> &'o mut Manifold {
    let kept = reduce(candidates, set.tie(frame, b_in_a), set.size);
    let up = lie.up.unwrap_or(frame.normal);
    out.push(Manifold::new(-up, Reference::A));
    let last = out.len() - 1;
    let out = &mut out[last];
    let (mut gap, mut slide) = (f64::INFINITY, 0.0);
    for c in &candidates[..kept.len] {
        let on_a = frame.lift(c.at);
        out.push(ManifoldPoint {
            on_a,
            on_b: b_in_a.inverse_transform(on_a + up * c.gap),
            gap: c.gap,
            feature: FeatureId { a: c.reference, b: c.incident },
        });
        gap = min(gap, c.gap);
        slide = max(slide, c.slide);
    }
    out.reuse = set.reuse_on_face(gap, lie.slope, slide);
    out.reuse.turn = min(out.reuse.turn, lie.turn);
    if kept.len > 1 {
        out.reuse.travel = min(out.reuse.travel, set.travel_on_patch(kept.extent));
    }
    if kept.dropped < f64::INFINITY {
        out.reuse.turn = min(out.reuse.turn, set.turn_with_dropped(gap - kept.dropped));
    }
    out
}

/// One contact point with witness points in A's frame.
#[inline]
pub(crate) fn point(on_a: Vec3, on_b: Vec3, gap: f64, b_in_a: &Pose, feature: FeatureId) -> ManifoldPoint {
    ManifoldPoint { on_a, on_b: b_in_a.inverse_transform(on_b), gap, feature }
}
