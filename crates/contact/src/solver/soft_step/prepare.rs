//! From the raw numbers of each lane to what the passes need, in lanes; and the warm start.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Batch, entry, load, store};
use super::body::LentBodies;
use super::face_normals::FaceNormals;
use super::law::{extremes, inverse_of, is_deep, open_gap, pair, plane_of, singular_plane_of};
use super::levers::{admissible, along_axis, joint_inverse, joint_w};
use super::side_rows::SideRows;
use super::softness::Softness;
use super::transport::{Motions, Transport};
use huygens_math::lanes::Lane;

impl<X: Transport, const N: usize, const M: usize, const T: usize, const C: usize> Batch<X, N, M, T, C> {
    /// Prepares lanes that are filled, and applies the impulses that they start from; `h` is the whole step.
    #[inline(always)]
    pub fn prepare_lanes<L: Lane>(
        &mut self,
        at: At<L>,
        h: f64,
        soft: &Softness,
        bodies: &LentBodies,
        rows: &SideRows,
    ) {
        let zero = at.splat(0.0);
        let LentBodies { v, kick, .. } = bodies;
        let frame = self.transport.frame(at);
        store(at, &[zero; N], &mut self.total);
        store(at, &[zero; 2], &mut self.tangential_total);
        for i in 0..T {
            at.store(zero, &mut self.face[i].twist_total);
        }
        if T == 0 {
            self.prepare_point(at, rows, &frame);
        } else {
            self.prepare_motions(at, rows, &frame);
        }
        self.prepare_springs(at, soft);
        if N > 1 {
            self.prepare_face_normals(at);
            self.share_evenly(at);
        }
        let [least, most] = extremes(&load(at, &self.gap));
        let is_open = L::any(zero.lt(most));
        if is_open {
            let kicked = self.transport.gather(at, rows, *kick, Motions::OfNormals);
            let speeds = self.speeds(at, &frame, &kicked);
            for k in 0..N {
                at.store(open_gap(at.load(&self.gap[k]), speeds[k], h), &mut self.gap[k]);
            }
        }
        let is_biased = soft.bias[0] > 0.0 && L::any(least.lt(zero));
        self.is_open[at.half()] = is_open || is_biased || (X::MAY_BE_SOFT && soft.spring.is_some());
        self.is_deep[at.half()] = L::any(is_deep(soft, least));
        let mut motion = self.transport.gather(at, rows, v, Motions::OfNormals);
        let [push, a, b] = self.sum_normals(at, &load(at, &self.lambda));
        let [t1, t2]: [L; 2] = load(at, &self.tangential);
        let mut start = [push, t1, t2, zero, a, b];
        if N > 1 {
            for i in 0..T {
                start[3] = at.load(&self.face[i].twist);
            }
        }
        self.prepare_couple(at, push, &mut start);
        let axis = self.axis(at);
        if T == 0 {
            self.transport.apply::<L, false>(at, &frame, &start, axis, &mut motion);
        } else {
            self.transport.apply::<L, true>(at, &frame, &start, axis, &mut motion);
        }
        self.transport.scatter(at, rows, &motion, v);
    }

    /// W of a single point: its three pushes.
    #[inline(always)]
    fn prepare_point<L: Lane>(&mut self, at: At<L>, rows: &SideRows, frame: &X::Frame<L>) {
        let [nn, n1, n2, w11, w12, w22] = self.transport.point_w(at, rows, frame);
        let is_real = at.load(&self.inverse[0]);
        at.store(inverse_of(nn * is_real), &mut self.inverse[0]);
        store(at, &[n1, n2], &mut self.cross);
        store(at, &plane_of(w11, w12, w22), &mut self.plane);
    }

    /// W of the six relative motions, then of the points.
    #[inline(always)]
    fn prepare_motions<L: Lane>(&mut self, at: At<L>, rows: &SideRows, frame: &X::Frame<L>) {
        for i in 0..T {
            let w = self.transport.face_w(at, rows, frame, self.axis(at));
            let face = &mut self.face[i];
            store(at, &w, &mut face.w);
            let has_twist = at.load(&face.inverse);
            at.store(inverse_of(w[entry(3, 3)] * has_twist), &mut face.inverse);
            let q: [[L; N]; 2] = [load(at, &face.q[0]), load(at, &face.q[1])];
            for k in 0..N {
                at.store((q[0][k] * q[0][k] + q[1][k] * q[1][k]).sqrt(), &mut face.lever[k]);
            }
            // u of point i responds to an impulse at j by (1, q_i) W (1, q_j).
            for j in 0..N {
                let column = [
                    w[entry(0, 0)] + w[entry(0, 4)] * q[0][j] + w[entry(0, 5)] * q[1][j],
                    w[entry(4, 0)] + w[entry(4, 4)] * q[0][j] + w[entry(4, 5)] * q[1][j],
                    w[entry(5, 0)] + w[entry(5, 4)] * q[0][j] + w[entry(5, 5)] * q[1][j],
                ];
                for i in 0..j {
                    let w = column[0] + q[0][i] * column[1] + q[1][i] * column[2];
                    at.store(w, &mut self.coupling[pair(i, j)]);
                }
                let own = column[0] + q[0][j] * column[1] + q[1][j] * column[2];
                let is_real = at.load(&self.inverse[j]);
                at.store(inverse_of(own * is_real), &mut self.inverse[j]);
            }
            let [w11, w12, w22] = [w[entry(1, 1)], w[entry(1, 2)], w[entry(2, 2)]];
            let plane =
                if X::MAY_BE_SINGULAR { singular_plane_of(w11, w12, w22) } else { plane_of(w11, w12, w22) };
            store(at, &plane, &mut self.plane);
            if N == 1 {
                store(at, &[w[entry(0, 1)], w[entry(0, 2)]], &mut self.cross);
            }
        }
    }

    /// R of normals that give way, and their inverses with it.
    #[inline(always)]
    fn prepare_springs<L: Lane>(&mut self, at: At<L>, soft: &Softness) {
        let (Some(spring), Some(kept)) = (&soft.spring, self.transport.regularisation_mut()) else { return };
        let zero = at.splat(0.0);
        for k in 0..N {
            let w = inverse_of(at.load(&self.inverse[k]));
            let r = at.splat(spring.constant) + at.splat(spring.relative) * w;
            at.store(r, &mut kept[k]);
            at.store(inverse_of(L::select(zero.lt(w), w + r, zero)), &mut self.inverse[k]);
        }
    }

    /// The response of all normals at once.
    #[inline(always)]
    fn prepare_face_normals<L: Lane>(&mut self, at: At<L>) {
        for i in 0..T {
            let face = &self.face[i];
            let q: [[L; N]; 2] = [load(at, &face.q[0]), load(at, &face.q[1])];
            let rows = self.normals(at);
            let normals = if N == 2 {
                FaceNormals::of_two(&rows, &q)
            } else {
                let w: [L; 21] = load(at, &face.w);
                let felt = [0, 4, 5];
                let mut block = [[w[0]; 3]; 3];
                for i in 0..3 {
                    for j in 0..3 {
                        block[i][j] = w[entry(felt[i], felt[j])];
                    }
                }
                FaceNormals::of_face(&rows, &q, &block)
            };
            let face = &mut self.face[i];
            for j in 0..3 {
                store(at, &normals.response[j], &mut face.response[j]);
            }
            at.store(normals.exists, &mut face.has_response);
        }
    }

    /// Takes from the warm start of four points the part that presses two diagonal points and lifts the others: it does nothing to the bodies, and
    /// the next step would keep whatever one step leaves of it. So the corners of a box at rest carry a quarter of its weight each.
    #[inline(always)]
    fn share_evenly<L: Lane>(&mut self, at: At<L>) {
        if N < 4 {
            return;
        }
        let zero = at.splat(0.0);
        for i in 0..T {
            let q: [[L; N]; 2] = [load(at, &self.face[i].q[0]), load(at, &self.face[i].q[1])];
            // Twice the area of the triangle that leaves out one corner, with alternating signs: Σz = 0 and Σz q = 0.
            let mut z = [zero; N];
            for k in 0..4 {
                let (a, b, c) = ((k + 1) % 4, (k + 2) % 4, (k + 3) % 4);
                let area =
                    (q[0][b] - q[0][a]) * (q[1][c] - q[1][a]) - (q[1][b] - q[1][a]) * (q[0][c] - q[0][a]);
                z[k] = if k % 2 == 0 { area } else { -area };
            }
            let lambda: [L; N] = load(at, &self.lambda);
            let (mut along, mut square) = (zero, zero);
            for k in 0..N {
                along += z[k] * lambda[k];
                square += z[k] * z[k];
            }
            let is_full = zero.lt(at.load(&self.inverse[3]));
            let share = along * inverse_of(L::select(is_full, square, zero));
            let mut new = lambda;
            let mut least = new[0] - z[0] * share;
            for k in 0..N {
                new[k] -= z[k] * share;
                least = least.min(new[k]);
            }
            let pulls = least.lt(zero);
            for k in 0..N {
                at.store(L::select(pulls, lambda[k], new[k]), &mut self.lambda[k]);
            }
        }
    }

    /// W of the couple against spinning and rolling, and the couple to start from, which `start` gets.
    #[inline(always)]
    fn prepare_couple<L: Lane>(&mut self, at: At<L>, normal_load: L, start: &mut [L; 6]) {
        let (zero, axis) = (at.splat(0.0), self.axis(at));
        for i in 0..C {
            store(at, &[zero; 3], &mut self.couple[i].couple_total);
            for t in 0..T {
                let w = joint_w(&load(at, &self.face[t].w), axis);
                let data = &mut self.couple[i];
                let lever: [L; 2] = load(at, &data.lever);
                at.store(inverse_of(w[entry(2, 2)]), &mut data.inverse);
                store(
                    at,
                    &singular_plane_of(w[entry(3, 3)], w[entry(3, 4)], w[entry(4, 4)]),
                    &mut data.plane,
                );
                let (joint, exists) = joint_inverse(&w, lever);
                store(at, &joint, &mut data.joint);
                at.store(exists, &mut data.has_joint);
                let couple = admissible(load(at, &data.couple), lever, normal_load);
                store(at, &couple, &mut data.couple);
                let own = along_axis(couple, axis);
                for k in 0..3 {
                    start[3 + k] += own[k];
                }
            }
        }
    }
}
