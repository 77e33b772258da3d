//! What carries over from one step to the next: the identity of points, and whole manifolds while little moves.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | x, y | `core_a`, `core_b` | points fixed in A and in B behind the witness points | m |
//! | n | `normal` | fixed in the reference shape | – |
//! | r | `round` | radii of curvature | m |
//! | δ, ℓ | | relative rotation, relative motion of a point, since the manifold was made | rad, m |
//!
//! The gap of a kept point is n·(x − y) − r_A − r_B. For a corner over a face, a ball over a face and a rod over a face
//! that is exact. Otherwise the normal should have turned, and the closest points moved, by something of the order
//! of δ and ℓ/r; since the distance is stationary with respect to both, the error is of second order. The narrow phase
//! chooses the limits of δ and ℓ for each manifold so that the error stays below 1e-4 of the smaller shape's size.

use crate::manifold::{MAX_POINTS, Manifold, ManifoldPoint, Reference};
use huygens_math::scalar::{max, min};
use huygens_math::{Pose, Vec3};

/// No manifold is kept beyond this rotation [rad], nor beyond a motion of this part of the smaller shape's size.
pub const REUSE_MOTION: f64 = 0.01;

/// Points that moved by less than this part of the smaller body are the same point, whatever their ids.
const SAME_PLACE: f64 = 0.02;

impl Manifold {
    /// A cheap update of a kept manifold for the pose `b_in_a`. `self` must be as [`collide`](crate::collide) made it when
    /// B stood at `made_at` in A's frame; `size` [m] is that of the smaller shape ([`Shape::size`](crate::Shape::size)).
    ///
    /// The normal turns with the reference shape, and the gaps follow from points fixed in the bodies. The least gap
    /// differs by at most 1e-4 `size` from what a new manifold on the same features would have. `None` when the shapes
    /// have moved too far against each other for that: never beyond [`REUSE_MOTION`], and less where the narrow phase
    /// has said so in [`Manifold::reuse`].
    ///
    /// Gaps may have grown beyond the margin; no point is added or dropped.
    #[inline]
    pub fn refreshed(&self, made_at: &Pose, b_in_a: &Pose, size: f64) -> Option<Manifold> {
        let turn = min(self.reuse.turn, REUSE_MOTION);
        let travel = min(self.reuse.travel, REUSE_MOTION * size);
        let q = made_at.rotation.conjugate() * b_in_a.rotation;
        // The vector part is sin(δ/2) long. A comparison that NaN fails.
        let within = q.x * q.x + q.y * q.y + q.z * q.z <= 0.25 * turn * turn;
        if !within {
            return None;
        }
        match self.reference {
            Reference::A => self.carried(made_at, b_in_a, travel),
            Reference::B => {
                // The same with the roles exchanged, in B's frame, where the normal stands still.
                let a_in_b = b_in_a.inverse();
                let found = self.swapped(made_at).carried(&made_at.inverse(), &a_in_b, travel)?;
                Some(found.swapped(&a_in_b))
            }
        }
    }

    /// The points carried along with B while the normal stands still in A.
    #[inline(always)]
    fn carried(&self, made_at: &Pose, b_in_a: &Pose, travel: f64) -> Option<Manifold> {
        let (n, r) = (self.normal, self.round[1]);
        let (then, now) = if r == 0.0 {
            (Vec3::ZERO, Vec3::ZERO)
        } else {
            (made_at.inverse_rotate(n) * r, b_in_a.inverse_rotate(n) * r)
        };
        let mut out = *self;
        for point in out.points_mut() {
            // Behind B's witness there is the point y of B, which was at on_a − (gap + r) n.
            let y_in_b = point.on_b - then;
            let y = b_in_a.transform(y_in_b);
            let moved = y - (point.on_a - n * (point.gap + r));
            if moved.length_squared() > travel * travel {
                return None;
            }
            let on_b = y + n * r;
            point.gap = n.dot(point.on_a - on_b);
            point.on_a = on_b + n * point.gap;
            point.on_b = y_in_b + now;
        }
        Some(out)
    }
}

/// For each point of `current` the number of the same point in `previous`; no point is matched twice.
///
/// Points are the same when their feature ids are. Where an id is new, the point of `previous` counts that is left over
/// and closest, if it has moved by less than 2 % of the smaller body on both bodies: equal boxes on each other have
/// corner on face, face on corner or edge across edge at the same place, as the last bit decides.
pub fn match_points(previous: &Manifold, current: &Manifold) -> [Option<u8>; MAX_POINTS] {
    let mut out = [None; MAX_POINTS];
    let mut taken = [false; MAX_POINTS];
    for (i, point) in current.points().iter().enumerate() {
        let same = |(j, p): (usize, &ManifoldPoint)| !taken[j] && p.feature == point.feature;
        if let Some(j) = previous.points().iter().enumerate().position(same) {
            taken[j] = true;
            out[i] = Some(j as u8);
        }
    }
    let near = SAME_PLACE * body_size(current);
    for (i, point) in current.points().iter().enumerate() {
        if out[i].is_some() {
            continue;
        }
        let mut best: Option<(usize, f64)> = None;
        for (j, p) in previous.points().iter().enumerate() {
            let moved = max((p.on_a - point.on_a).length(), (p.on_b - point.on_b).length());
            if !taken[j] && moved <= near && best.is_none_or(|(_, least)| moved < least) {
                best = Some((j, moved));
            }
        }
        if let Some((j, _)) = best {
            taken[j] = true;
            out[i] = Some(j as u8);
        }
    }
    out
}

/// How far the points lie from the origin of the body where that is less.
fn body_size(m: &Manifold) -> f64 {
    let (a, b) =
        m.points().iter().fold((0.0, 0.0), |(a, b), p| (max(a, p.on_a.length()), max(b, p.on_b.length())));
    min(a, b)
}
