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
use huygens_math::{Mat3, Pose, Quat, Vec3};

/// No manifold is kept beyond this rotation [rad], nor beyond a motion of this part of the smaller shape's size.
pub const REUSE_MOTION: f64 = 0.01;

/// Most that [`Manifold::carried`] is asked to stretch what [`Manifold::reuse`] allows. A distance within which nothing errs at all counts by
/// this part of itself there, so that it is not stretched.
pub const MOST_SLACK: f64 = 5.0;

/// Points that moved by less than this part of the smaller body are the same point, whatever their ids.
const SAME_PLACE: f64 = 0.02;

/// What a step needs of a kept manifold, in A's frame. Entries beyond the manifold's points mean nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried {
    /// Unit normal, from B to A.
    pub normal: Vec3,
    /// Half-way between the witness points of each point [m].
    pub middle: [Vec3; MAX_POINTS],
    /// Distance along the normal [m].
    pub gap: [f64; MAX_POINTS],
}

impl Carried {
    /// The smallest gap of its first `len` points [m]; infinite without points.
    #[inline(always)]
    pub fn least_gap(&self, len: usize) -> f64 {
        self.gap[..len].iter().fold(f64::INFINITY, |least, gap| min(least, *gap))
    }
}

/// True when the rotation is not beyond `turn` [rad]. The vector part is sin(δ/2) long. A comparison that NaN fails.
#[inline(always)]
fn is_within(q: Quat, turn: f64) -> bool {
    q.x * q.x + q.y * q.y + q.z * q.z <= 0.25 * turn * turn
}

impl Manifold {
    /// A cheap update of a kept manifold for the pose `b_in_a`; false when it cannot be kept. `self` must be as
    /// [`collide`](crate::collide) made it when B stood at `made_at` in A's frame; `size` [m] is that of the smaller shape
    /// ([`CollisionShape::size`](crate::CollisionShape::size)).
    ///
    /// The normal turns with the reference shape, and the gaps follow from points fixed in the bodies. With `slack` 1 the least gap differs
    /// by at most 1e-4 `size` from what a new manifold on the same features would have; the shapes may then have moved as far against
    /// each other as the narrow phase has said in [`Manifold::reuse`], and never beyond [`REUSE_MOTION`]. With more slack, [`MOST_SLACK`] at
    /// most, they may move that many times as far, and the error may be that many times as large.
    ///
    /// Gaps may have grown beyond the margin; no point is added or dropped.
    #[inline(always)]
    pub fn carried(&self, made_at: &Pose, b_in_a: &Pose, [size, slack]: [f64; 2], out: &mut Carried) -> bool {
        let turn = min(slack * self.reuse.turn, REUSE_MOTION);
        let q = made_at.rotation.conjugate() * b_in_a.rotation;
        if !is_within(q, turn) {
            return false;
        }
        let travel = min(slack * self.reuse.travel, REUSE_MOTION * size);
        let a_from_b = Mat3::from_quat(b_in_a.rotation);
        let t = b_in_a.translation;
        let [r_a, r_b] = self.round;
        let mut farthest = 0.0;
        match self.reference {
            Reference::A => {
                let n = self.normal;
                let inset = if r_b != 0.0 { made_at.inverse_rotate(n) * r_b } else { Vec3::ZERO };
                for (i, point) in self.points().iter().enumerate() {
                    let y = a_from_b * (point.on_b - inset) + t;
                    farthest = max(farthest, (y - (point.on_a - n * (point.gap + r_b))).length_squared());
                    let on_b = y + n * r_b;
                    let gap = n.dot(point.on_a - on_b);
                    (out.gap[i], out.middle[i]) = (gap, on_b + n * (0.5 * gap));
                }
                out.normal = n;
            }
            Reference::B => {
                let n = made_at.inverse_rotate(self.normal);
                let n_in_a = a_from_b * n;
                let b_from_a = a_from_b.transpose();
                for (i, point) in self.points().iter().enumerate() {
                    let x_in_a = point.on_a + self.normal * r_a;
                    let x = b_from_a * (x_in_a - t);
                    farthest = max(farthest, (x - (point.on_b + n * (point.gap + r_a))).length_squared());
                    let gap = n.dot(x - n * r_a - point.on_b);
                    (out.gap[i], out.middle[i]) = (gap, x_in_a - n_in_a * (r_a + 0.5 * gap));
                }
                out.normal = n_in_a;
            }
        }
        farthest <= travel * travel
    }
}

/// For each point of `current` the number of the same point in `previous`; no point is matched twice.
///
/// Points are the same when their feature ids are. Where an id is new, the point of `previous` counts that is left over
/// and closest, if it has moved by less than 2 % of the smaller body on both bodies: equal boxes on each other have
/// corner on face, face on corner or edge across edge at the same place, as the last bit decides.
pub fn match_points(previous: &Manifold, current: &Manifold) -> [Option<u8>; MAX_POINTS] {
    let mut out = [None; MAX_POINTS];
    if current.points().iter().map(|p| p.feature).eq(previous.points().iter().map(|p| p.feature)) {
        // As in most steps.
        for (i, same) in out[..current.points().len()].iter_mut().enumerate() {
            *same = Some(i as u8);
        }
        return out;
    }
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
