//! How long a manifold may be kept, so that its least gap stays within 1e-4 of the smaller shape's size.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | s | `size` | thickness of the smaller shape | m |
//! | ρ | `reach` | radius of the ball about the smaller shape | m |
//! | σ | `slope` | sine of the angle between the surfaces that meet | – |
//! | ℓ, δ | `travel`, `turn` | relative motion at the points, relative rotation | m, rad |
//! | D | `distance` | between the centres or centre lines of round things, or between sharp ones that are apart | m |
//!
//! A kept manifold carries its points along with the bodies. Its least gap then differs from a new one's because
//!
//! * a feature left out for its gap above the margin comes down: by 2ρδ at most against a kept one, so 2ρδ ≤ margin −
//!   gap keeps it out;
//! * a corner leaves the face that it stands over, and an edge takes its place: ℓ(σ + δ) ≤ 1e-4 s;
//! * a corner of the reference face is under another point of the incident face, which is higher there by the tangent
//!   of that angle: ℓ(σ/√(1 − σ²) + δ) ≤ 1e-4 s, which covers the former;
//! * a point where edges cross at an angle α is another point of these edges by then, ℓ/sin α away;
//! * a small patch in the corner of two faces is left behind altogether: ℓ is limited to a tenth of its extent;
//! * a point dropped because four are enough was no deeper than those, and gets deeper by 2ρδ at most;
//! * the normal of round things turns by ℓ/D: ℓ²/2D;
//! * the normal across two edges, or an edge and a rim, turns by many times δ where they are nearly parallel: a small δ
//!   for all of these;
//! * rim points leave home by 71 δ when a cylinder is tilted (see `cylinder`): 50 r(τ + δ)δ;
//! * a cylinder on its side rolls off the line it touched with: rδ²/2;
//! * of two rods beside each other the ends are kept, and the middle is closer by y²/2D where y is how far the ends
//!   have turned aside.

use super::build::Setting;
use crate::manifold::Reuse;
use crate::persistence::{MOST_SLACK, REUSE_MOTION};
use huygens_math::scalar::{max, min};

/// Bound on the error of a kept manifold's least gap, in parts of the smaller shape's size.
const ERROR: f64 = 1e-4;

/// √(1e-4 / 2): where round things roll, ℓ²/2D is then a quarter of the error allowed.
const ROLLING: f64 = 0.007_071;

/// The slide of a crossing counts this often: its angle changes too, and at a small one much faster.
const SAFETY: f64 = 10.0;

/// Part of its extent by which a patch may move.
const PATCH: f64 = 0.1;

/// Most rotation where the normal belongs to no face [rad].
pub(crate) const CROSSING_TURN: f64 = 5e-4;

impl Setting<'_> {
    /// For points on a face; `slide` is the largest of the points' (see `Candidate`).
    pub fn reuse_on_face(&self, gap: f64, slope: f64, slide: f64) -> Reuse {
        Reuse { turn: self.turn_on_face(gap), travel: self.travel_of_any(slope, slide) }
    }

    /// Rotation of what lies on a face with that least gap.
    pub fn turn_on_face(&self, gap: f64) -> f64 {
        min(REUSE_MOTION, self.turn_to_margin(gap))
    }

    /// Motion of a point on a face, whatever meets there.
    pub fn travel_of_any(&self, slope: f64, slide: f64) -> f64 {
        self.travel_on_face(slope, max(1.0, SAFETY * slide))
    }

    fn travel_on_face(&self, slope: f64, slide: f64) -> f64 {
        let tangent = slope / max(1.0 - slope * slope, f64::MIN_POSITIVE).sqrt();
        ERROR * self.size / ((tangent + REUSE_MOTION) * slide)
    }

    /// Motion of the crossing of two straight edges, or of a corner, which does not slide. A turn by δ at the angle α, whose sine is
    /// 1/`slide`, makes the slide 1/sin(α − δ) at most: less than twice as much unless the edges are all but parallel.
    pub fn travel_of_straight(&self, slope: f64, slide: f64) -> f64 {
        self.travel_on_face(slope, max(1.0, slide * min(1.0 + slide, SAFETY)))
    }

    /// Motion of a corner over a face that goes on for `room` before the surface turns by the sine `slope`.
    pub fn travel_of_corner(&self, room: f64, slope: f64) -> f64 {
        room / MOST_SLACK + self.travel_on_face(slope, 1.0)
    }

    /// Motion after which a patch of points of that extent is still a patch.
    pub fn travel_on_patch(&self, extent: f64) -> f64 {
        PATCH * extent
    }

    /// Rotation that brings down nothing that was beyond the margin.
    fn turn_to_margin(&self, gap: f64) -> f64 {
        max(self.margin - gap, 0.0) / (2.0 * self.reach)
    }

    /// Rotation for points of which some were dropped for want of room, the deepest of them `deeper` than those kept.
    pub fn turn_with_dropped(&self, deeper: f64) -> f64 {
        self.turn_beside(deeper, 2.0 * self.reach)
    }

    /// Rotation for a point dropped at the distance `arm` from a place between kept ones, and `deeper` than that place: a turn
    /// changes heights along a line evenly, and no place of a line is lower than both its ends. One that is deeper than what is kept was let
    /// go all the same (`reduce::DEEPEST_BAND`), and a new manifold would let it go again.
    pub fn turn_beside(&self, deeper: f64, arm: f64) -> f64 {
        (ERROR * self.size + max(-deeper, 0.0) / MOST_SLACK) / max(arm, f64::MIN_POSITIVE)
    }

    /// For a ball: its centre is all that matters. √(sD) is not less than the smaller of s and D.
    #[inline(always)]
    pub fn reuse_of_ball(&self, distance: f64) -> Reuse {
        Reuse { turn: REUSE_MOTION, travel: ROLLING * min(self.size, distance) }
    }

    /// For two rods whose kept points are farther apart than the rods by `farther`, and that share the length `shared`.
    pub fn reuse_of_rods(&self, gap: f64, distance: f64, farther: f64, shared: f64) -> Reuse {
        let aside = (2.0 * distance * max(farther, 0.0)).sqrt();
        let allowed = (0.5 * ERROR * self.size * distance).sqrt();
        let turn = max(allowed - aside, 0.0) / max(shared, f64::MIN_POSITIVE);
        Reuse {
            turn: min(min(REUSE_MOTION, turn), self.turn_to_margin(gap)),
            travel: self.reuse_of_ball(distance).travel / 10.0,
        }
    }

    /// For a single point without a face.
    pub fn reuse_of_point(&self, gap: f64, distance: f64) -> Reuse {
        Reuse {
            turn: min(CROSSING_TURN, self.turn_to_margin(gap)),
            travel: min(0.1 * ERROR * self.size, self.reuse_of_ball(distance).travel),
        }
    }

    /// Rotation for a cylinder of that radius that lies on its side: it may roll about a line of its side.
    pub fn turn_of_side(&self, radius: f64) -> f64 {
        (0.5 * ERROR * self.size / radius).sqrt()
    }

    /// Rotation for a cylinder of that radius whose cap is tilted by `tilt` against a face.
    pub fn turn_of_rim(&self, radius: f64, tilt: f64) -> f64 {
        let allowed = 0.01 * ERROR * self.size / radius;
        0.5 * ((tilt * tilt + 4.0 * allowed).sqrt() - tilt)
    }
}
