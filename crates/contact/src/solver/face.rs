//! The points of one manifold together.
//!
//! Up to four points of a face share one normal, so their rows have rank six at most: point after point they converge
//! slowly, and to shares that depend on the order of the visits. Solved together, for impulses of the form that the six
//! relative motions of two bodies give, they are right at once and shared evenly, whether all points stick or all slip.
//! What is neither is left to the points.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | W | `w` | J M⁻¹ Jᵀ between the points, in (n, t₁, t₂) | 1/kg |
//! | u | `u` | velocity of each point with all impulses, u₀ without those of this face | m/s |
//! | φ | `basis` | impulses of a push or a turn: along n, about t₂ and t₁, then along t₁, t₂, about n | |
//! | b | `target` | normal velocity asked for | m/s |
//! | z | `plane_motion` | slip of the face: along t₁, along t₂, about n | m/s |

use crate::{ContactProblem, Head, Impulse};
use huygens_math::dense::{pseudo_inverse, solve_general};
use huygens_math::scalar::max;
use huygens_math::{Mat3, Vec3};

/// Most points of a manifold.
const MAX: usize = 4;

/// Relative motions of two bodies.
const MOTIONS: usize = 6;

/// Eigenvalues of φᵀWφ below this share of the largest belong to what cannot move.
const RANK: f64 = 1e-12;

/// A face thinner than this share of its length is a line: it cannot hold a turn about it.
const LINE: f64 = 1e-6;

/// A face is at its targets when it misses them by less than this share of its speeds.
const REACHED: f64 = 1e-12;

/// Most Newton steps for a face that slips.
const NEWTON: usize = 8;

type Matrix = [[f64; MOTIONS]; MOTIONS];

/// A linear system and its right side.
#[derive(Clone, Copy, Debug, Default)]
struct System {
    matrix: Matrix,
    right: [f64; MOTIONS],
}

/// Velocities or impulses of the points.
pub(crate) type Points = [[f64; 3]; MAX];

/// The points of one manifold together; empty unless it has several.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Face {
    w: [[Mat3; MAX]; MAX],
    basis: [[Vec3; MAX]; MOTIONS],
    /// Of these, so many are normal: the first ones. The last three are tangential.
    normal_motions: usize,
    /// (φᵀWφ)⁻¹ on the space that can move.
    inverse: Matrix,
    len: usize,
}

/// What a visit to the whole face changes.
pub(crate) struct FaceChange {
    /// New impulse of each point.
    pub p: [Impulse; MAX],
    /// Velocity of each point after it.
    pub u: Points,
    /// Work of the change [J].
    pub work: f64,
}

impl Face {
    /// The points of a contact group; empty for another group, and for a contact whose normals give way.
    pub(crate) fn new(problem: &ContactProblem, head: &Head) -> Self {
        let mut face = Self::default();
        let points = problem.groups.points_of(head);
        if head.is_soft || !(2..=MAX).contains(&points.len()) {
            return face;
        }
        face.len = points.len();
        for i in 0..face.len {
            for j in 0..=i {
                let w = problem.groups.delassus_between(problem.move_inertia, head, &points[i], &points[j]);
                face.w[i][j] = w;
                face.w[j][i] = w.transpose();
            }
        }
        // Either side's arms do: they differ by a constant.
        let middle = points.iter().fold(Vec3::ZERO, |sum, p| sum + p.arm[0]) / face.len as f64;
        let mut arm = [[0.0; 2]; MAX];
        for (arm, point) in arm.iter_mut().zip(points) {
            let local = head.to_local(point.arm[0] - middle);
            *arm = [local[1], local[2]];
        }
        face.set_basis(&arm);
        face.set_inverse();
        face
    }

    /// Number of points; 0 when they are visited one by one.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn set_basis(&mut self, arm: &[[f64; 2]; MAX]) {
        let arms = &arm[..self.len];
        let moment = |f: &dyn Fn(&[f64; 2]) -> f64| arms.iter().map(f).sum::<f64>();
        let (xx, xy, yy) = (moment(&|a| a[0] * a[0]), moment(&|a| a[0] * a[1]), moment(&|a| a[1] * a[1]));
        // The direction in which the points lie farthest apart, and across it; both in units of their spread.
        let spread = 0.5 * (xx + yy) + (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt();
        let long = if xx >= yy { Vec3::new(0.0, spread - yy, xy) } else { Vec3::new(0.0, xy, spread - xx) };
        let long = if long.length() > 0.0 { long.normalize() } else { Vec3::Y };
        let across = Vec3::new(0.0, -long.z, long.y);
        let unit = 1.0 / (spread / self.len as f64).sqrt();
        let unit = if unit.is_finite() { unit } else { 0.0 };
        let thin = xx + yy - spread <= LINE * LINE * spread;
        self.normal_motions = if thin { 2 } else { 3 };
        for (i, a) in arms.iter().enumerate() {
            let rho = Vec3::new(0.0, a[0], a[1]) * unit;
            self.basis[0][i] = Vec3::X;
            self.basis[1][i] = Vec3::X * long.dot(rho);
            self.basis[2][i] = Vec3::X * across.dot(rho);
            let first = self.normal_motions;
            self.basis[first][i] = Vec3::Y;
            self.basis[first + 1][i] = Vec3::Z;
            self.basis[first + 2][i] = Vec3::new(0.0, -rho.z, rho.y);
        }
    }

    fn set_inverse(&mut self) {
        let n = self.normal_motions + 3;
        let mut m = Matrix::default();
        for l in 0..n {
            let answer = self.answer(&self.basis[l]);
            for (k, row) in m.iter_mut().enumerate().take(n) {
                row[l] = (0..self.len).map(|i| self.basis[k][i].dot(answer[i])).sum();
            }
        }
        self.inverse = pseudo_inverse(&m, n, RANK);
    }

    /// W p.
    fn answer(&self, p: &[Vec3; MAX]) -> [Vec3; MAX] {
        let mut out = [Vec3::ZERO; MAX];
        for (i, out) in out.iter_mut().enumerate().take(self.len) {
            for (j, p) in p.iter().enumerate().take(self.len) {
                *out += self.w[i][j] * *p;
            }
        }
        out
    }

    /// Velocities without the impulses of this face.
    pub(crate) fn without_own(&self, u: &Points, p: &[Impulse; MAX]) -> Points {
        let own = self.answer(&p.map(Vec3::from_array));
        std::array::from_fn(|i| (Vec3::from_array(u[i]) - own[i]).to_array())
    }

    /// True when the face is at its targets, and at rest along its plane where `sticks`, else slips against its friction, but
    /// for round-off of the speeds that were there before. Points that do not lie in one plane, or whose targets do not, have more than six motions to answer for.
    pub(crate) fn is_reached(
        &self,
        new: &FaceChange,
        u0: &Points,
        target: &[f64; MAX],
        sticks: bool,
    ) -> bool {
        let (u, p) = (&new.u, &new.p);
        let mut size = 0.0;
        let mut off = 0.0;
        for i in 0..self.len {
            // Friction that slips must be against the slip: nothing of it across, nothing along.
            let across = (u[i][1] * p[i][2] - u[i][2] * p[i][1]).abs();
            let along = u[i][1] * p[i][1] + u[i][2] * p[i][2];
            let force = (p[i][1] * p[i][1] + p[i][2] * p[i][2]).sqrt();
            let tangential = if sticks {
                u[i][1].abs() + u[i][2].abs()
            } else if along > 0.0 {
                f64::INFINITY
            } else if force > 0.0 {
                across / force
            } else {
                0.0
            };
            off = max((u[i][0] - target[i]).abs() + tangential, off);
            size = max(u0[i].iter().map(|x| x.abs()).sum::<f64>() + target[i].abs(), size);
        }
        off <= REACHED * size
    }

    /// The impulses with which every point is at its target and sticks; `None` when one would have to pull or slip.
    pub(crate) fn stick(&self, u0: &Points, target: &[f64; MAX], mu: f64) -> Option<[Impulse; MAX]> {
        let n = self.normal_motions + 3;
        let mut r = [0.0; MOTIONS];
        for (k, r) in r.iter_mut().enumerate().take(n) {
            for i in 0..self.len {
                *r += self.basis[k][i].dot(Vec3::from_array(u0[i]) - Vec3::X * target[i]);
            }
        }
        let mut p = [[0.0; 3]; MAX];
        for (i, p) in p.iter_mut().enumerate().take(self.len) {
            let mut sum = Vec3::ZERO;
            for (k, row) in self.inverse.iter().enumerate().take(n) {
                let x: f64 = row.iter().zip(&r).map(|(m, r)| m * r).sum();
                sum -= self.basis[k][i] * x;
            }
            *p = sum.to_array();
            let [n, t1, t2] = *p;
            let sticks = n >= 0.0 && t1 * t1 + t2 * t2 <= mu * mu * n * n;
            if !sticks {
                return None;
            }
        }
        Some(p)
    }

    /// The impulses with which every point is at its target and on its friction disc, against the slip that it then has;
    /// `None` when one would have to pull, or Newton's method does not get there.
    ///
    /// Unknown are the normal impulses, in the basis φ, and the slip of the face as a motion z in its plane. The slip has to
    /// be implicit: taken from the last visit, a turn of 1e-15 rad/s grows by friction/slip, 450 times at the critical angle.
    pub(crate) fn slip(
        &self,
        u: &Points,
        u0: &Points,
        target: &[f64; MAX],
        p: &[Impulse; MAX],
        mu: f64,
    ) -> Option<[Impulse; MAX]> {
        let n = self.normal_motions;
        let mut y = [0.0; MOTIONS];
        for (k, y) in y.iter_mut().enumerate().take(n) {
            let (along, size) = (0..self.len).fold((0.0, 0.0), |(along, size), i| {
                let phi = self.basis[k][i].x;
                (along + phi * p[i][0], size + phi * phi)
            });
            *y = if size > 0.0 { along / size } else { 0.0 };
        }
        self.plane_motion(&u.map(Vec3::from_array)).iter().zip(&mut y[n..]).for_each(|(z, y)| *y = *z);
        let speed = max(
            u0.iter().flatten().fold(0.0, |m, x| max(x.abs(), m)),
            target.iter().fold(0.0, |m, x| max(x.abs(), m)),
        );
        let mut before = f64::INFINITY;
        for step in 0..NEWTON {
            let mut system = self.slip_system(&y, u0, target, mu)?;
            let left = (0..n + 3).fold(0.0, |m, k| max(system.right[k].abs(), m));
            if left <= 1e-15 * speed {
                break;
            }
            // Newton's method that has not begun to converge by its third step will not: the face sticks somewhere.
            if step > 2 && left > 0.25 * before && left > 1e-13 * speed {
                return None;
            }
            before = left;
            let step = solve_general(&mut system.matrix, &mut system.right, n + 3)?;
            y.iter_mut().zip(step).for_each(|(y, step)| *y += step);
        }
        let p = self.slip_impulses(&y, mu)?.map(|p| p.to_array());
        p[..self.len].iter().all(|p| p[0] >= 0.0).then_some(p)
    }

    /// The motion in the plane that velocities of the points show: along t₁, along t₂, about n.
    fn plane_motion(&self, u: &[Vec3; MAX]) -> [f64; 3] {
        let turn = &self.basis[self.normal_motions + 2];
        let size: f64 = turn[..self.len].iter().map(|t| t.length_squared()).sum();
        let mut z = [0.0; 3];
        for (u, turn) in u.iter().zip(turn).take(self.len) {
            z[0] += u.y / self.len as f64;
            z[1] += u.z / self.len as f64;
            z[2] += if size > 0.0 { turn.dot(*u) / size } else { 0.0 };
        }
        z
    }

    /// Slip of point `i` in the motion of the unknowns `y`.
    fn slip_of(&self, y: &[f64; MOTIONS], i: usize) -> Vec3 {
        let n = self.normal_motions;
        self.basis[n][i] * y[n] + self.basis[n + 1][i] * y[n + 1] + self.basis[n + 2][i] * y[n + 2]
    }

    fn load_of(&self, y: &[f64; MOTIONS], i: usize) -> f64 {
        (0..self.normal_motions).map(|k| y[k] * self.basis[k][i].x).sum()
    }

    /// Impulses of the unknowns `y`; `None` where a point does not slip.
    fn slip_impulses(&self, y: &[f64; MOTIONS], mu: f64) -> Option<[Vec3; MAX]> {
        let mut p = [Vec3::ZERO; MAX];
        for (i, p) in p.iter_mut().enumerate().take(self.len) {
            let (slip, load) = (self.slip_of(y, i), self.load_of(y, i));
            let speed = slip.length();
            if mu > 0.0 && (speed.is_nan() || speed <= 0.0) {
                return None;
            }
            *p = Vec3::X * load - if mu > 0.0 { slip * (mu * load / speed) } else { Vec3::ZERO };
        }
        Some(p)
    }

    /// Newton's linear system at `y`: normal velocities at their targets, and the slip that the impulses leave is that of z.
    fn slip_system(&self, y: &[f64; MOTIONS], u0: &Points, target: &[f64; MAX], mu: f64) -> Option<System> {
        let n = self.normal_motions;
        let mut system = System::default();
        let impulses = self.slip_impulses(y, mu)?;
        let answer = self.answer(&impulses);
        let velocity: [Vec3; MAX] = std::array::from_fn(|i| Vec3::from_array(u0[i]) + answer[i]);
        // Along the normal motions, then against the slip.
        let column_of = |u: &[Vec3; MAX]| -> [f64; MOTIONS] {
            let mut column = [0.0; MOTIONS];
            for (k, entry) in column.iter_mut().enumerate().take(n) {
                *entry = (0..self.len).map(|i| self.basis[k][i].x * u[i].x).sum::<f64>();
            }
            column[n..n + 3].iter_mut().zip(self.plane_motion(u)).for_each(|(entry, z)| *entry = -z);
            column
        };
        let excess: [Vec3; MAX] = std::array::from_fn(|i| velocity[i] - Vec3::X * target[i]);
        system.right = column_of(&excess).map(|x| -x);
        system.right[n..n + 3].iter_mut().zip(&y[n..n + 3]).for_each(|(right, y)| *right -= y);
        for l in 0..n + 3 {
            let change: [Vec3; MAX] = std::array::from_fn(|i| {
                if i >= self.len {
                    return Vec3::ZERO;
                }
                let slip = self.slip_of(y, i);
                let speed = if mu > 0.0 { slip.length() } else { 1.0 };
                let direction = slip / speed;
                if l < n {
                    (Vec3::X - direction * mu) * self.basis[l][i].x
                } else {
                    let along = self.basis[l][i];
                    (along - direction * direction.dot(along)) * (-mu * self.load_of(y, i) / speed)
                }
            });
            let column = column_of(&self.answer(&change));
            system.matrix.iter_mut().zip(column).for_each(|(row, entry)| row[l] = entry);
            if l >= n {
                system.matrix[l][l] += 1.0;
            }
        }
        Some(system)
    }

    /// The change from `p` to `new` at the velocities `u`, with its work δ·(u + ½Wδ).
    pub(crate) fn change(&self, u: &Points, p: &[Impulse; MAX], new: [Impulse; MAX]) -> FaceChange {
        let delta: [Vec3; MAX] = std::array::from_fn(|i| Vec3::from_array(new[i]) - Vec3::from_array(p[i]));
        let answer = self.answer(&delta);
        let mut after = *u;
        let mut work = 0.0;
        for i in 0..self.len {
            let before = Vec3::from_array(u[i]);
            after[i] = (before + answer[i]).to_array();
            work += delta[i].dot(before + answer[i] * 0.5);
        }
        FaceChange { p: new, u: after, work }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square plate of mass 1 and unit inertia on its corners, `height` below its centre of mass.
    fn plate(height: f64) -> Face {
        let corner = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        let mut face = Face { len: 4, ..Face::default() };
        let arm: [Vec3; 4] = std::array::from_fn(|i| Vec3::new(-height, corner[i][0], corner[i][1]));
        for i in 0..4 {
            for j in 0..4 {
                let column = |axis: Vec3| axis + arm[j].cross(axis).cross(arm[i]);
                face.w[i][j] = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
            }
        }
        face.set_basis(&corner);
        face.set_inverse();
        face
    }

    #[test]
    fn four_equal_corners_share_a_load_evenly() {
        let face = plate(0.0);
        let falling = [[-2.0, 0.0, 0.0]; 4];
        let p = face.stick(&falling, &[0.0; 4], 0.5).unwrap();
        for p in p {
            assert!((p[0] - 0.5).abs() < 1e-14 && p[1].abs() < 1e-14, "{p:?}");
        }
        let change = face.change(&falling, &[[0.0; 3]; 4], p);
        assert!((change.work + 2.0).abs() < 1e-13, "½ m u² of a unit mass at 2 m/s");
        let lifted = [[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        assert!(face.stick(&lifted, &[0.0; 4], 0.5).is_none(), "a corner would have to pull");
    }

    #[test]
    fn a_face_that_slides_and_turns_is_stopped_at_once() {
        let face = plate(0.3);
        let corner = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]];
        let u: Points = std::array::from_fn(|i| [-5.0, 0.3 - 0.2 * corner[i][1], -0.1 + 0.2 * corner[i][0]]);
        let p = face.stick(&u, &[0.0; 4], 1.0).unwrap();
        for after in face.change(&u, &[[0.0; 3]; 4], p).u {
            assert!(after.iter().all(|x| x.abs() < 1e-13), "{after:?}");
        }
        assert!(face.stick(&u, &[0.0; 4], 1e-3).is_none(), "too little friction to stick");
    }

    #[test]
    fn a_face_that_slides_gets_friction_against_its_slip_while_its_load_shifts_forward() {
        let (face, mu) = (plate(0.3), 0.1);
        let u = [[-4.0, 2.0, 0.0]; 4];
        let p = face.slip(&u, &u, &[0.0; 4], &[[0.0; 3]; 4], mu).unwrap();
        let after = face.change(&u, &[[0.0; 3]; 4], p).u;
        let load: f64 = p.iter().map(|p| p[0]).sum();
        assert!((load - 4.0).abs() < 1e-13, "the whole momentum");
        for (p, u) in p.iter().zip(after) {
            assert!((p[1] + mu * p[0]).abs() < 1e-13 && p[2].abs() < 1e-13, "{p:?}");
            assert!(u[0].abs() < 1e-13 && (u[1] - (2.0 - mu * load)).abs() < 1e-13, "{u:?}");
        }
        assert!(p[0][0] > p[1][0], "friction below the centre of mass loads the leading corners");
        let none = face.slip(&u, &u, &[0.0; 4], &[[0.0; 3]; 4], 0.9);
        assert!(
            none.is_none_or(|p| !face.is_reached(&face.change(&u, &[[0.0; 3]; 4], p), &u, &[0.0; 4], false)),
            "it would stick"
        );
    }

    #[test]
    fn two_points_carry_a_load_and_no_turn_about_their_line() {
        let mut face = Face { len: 2, ..Face::default() };
        let arm = [Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, -1.0, 0.0)];
        for i in 0..2 {
            for j in 0..2 {
                let column = |axis: Vec3| axis + arm[j].cross(axis).cross(arm[i]);
                face.w[i][j] = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
            }
        }
        face.set_basis(&[[1.0, 0.0], [-1.0, 0.0], [0.0; 2], [0.0; 2]]);
        face.set_inverse();
        let u = [[-1.0, 0.1, 0.2], [-3.0, 0.1, -0.2], [0.0; 3], [0.0; 3]];
        let p = face.stick(&u, &[0.0; 4], 1.0).unwrap();
        for after in &face.change(&u, &[[0.0; 3]; 4], p).u[..2] {
            assert!(after.iter().all(|x| x.abs() < 1e-13), "{after:?}");
        }
    }
}
