//! What carries over from one step to the next: the identity of points, and whole manifolds while little moves.

use crate::manifold::{MAX_POINTS, Manifold};
use huygens_math::Pose;

impl Manifold {
    /// A cheap update of a kept manifold that was made when B stood at `made_at` in A's frame, for the pose `b_in_a`.
    ///
    /// `size` [m] is that of the smaller shape. `None` when the shapes have moved too far against each other.
    pub fn refreshed(&self, made_at: &Pose, b_in_a: &Pose, size: f64) -> Option<Manifold> {
        let _ = (made_at, b_in_a, size);
        None
    }
}

/// For each point of `current` the number of the same point in `previous`.
pub fn match_points(previous: &Manifold, current: &Manifold) -> [Option<u8>; MAX_POINTS] {
    let mut out = [None; MAX_POINTS];
    for (i, point) in current.points().iter().enumerate() {
        out[i] = previous.points().iter().position(|p| p.feature == point.feature).map(|j| j as u8);
    }
    out
}
