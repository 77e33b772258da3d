//! The transport of everything else: trees, bodies with locked axes, surfaces that move between two movable bodies, and contacts with
//! friction against spinning and rolling. Each lane has a list of sides, and each side six rows J over its numbers (the six of a twist, or
//! the dofs of a tree) with Y = M⁻¹Jᵀ ([`super::side_rows`]). Rates are read lane by lane as J v, and changes written lane by lane as v += Y p.

#![allow(
    clippy::needless_range_loop,
    reason = "iterators are closures, which cannot be inlined into SIMD code"
)]

use super::batch::{At, Rates, Wide, ZERO, entry};
use super::body::{LentBodies, LentVelocity, Source};
use super::fill::{Fill, Geometry, Sides};
use super::side_rows::{Manifold, Place, SideRows, SideSpan, numbers};
use super::transport::{Motions, Transport};
use crate::transport::RANK;
use huygens_math::lanes::{Lane, WIDTH};
use huygens_math::{Twist, Vec3};

/// The sides of each lane, places in [`SideRows`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct General {
    first: [u32; WIDTH],
    len: [u32; WIDTH],
    /// Sum of the sizes of the terms that make up the diagonal of W: a W below round-off of that is none.
    size: [Wide; 6],
    /// R of the normals of each point, where they give way.
    regularisation: [Wide; 4],
}

/// Rates that were read, and impulses to be written.
#[derive(Clone, Copy)]
pub(super) struct Pending<L> {
    rates: Rates<L>,
    p: Rates<L>,
}

/// Adds J x of the chosen motions, for one number.
#[inline(always)]
fn add_rates(j: &[f64; 6], x: f64, motions: Motions, u: &mut [f64; 6]) {
    match motions {
        Motions::All => {
            for k in 0..6 {
                u[k] += j[k] * x;
            }
        }
        Motions::OfNormals => {
            u[0] += j[0] * x;
            u[4] += j[4] * x;
            u[5] += j[5] * x;
        }
    }
}

#[inline(always)]
fn change(y: &[f64; 6], p: &[f64; 6]) -> f64 {
    let mut sum = y[0] * p[0];
    for k in 1..6 {
        sum += y[k] * p[k];
    }
    sum
}

impl General {
    #[inline(always)]
    fn sides<'r>(&self, rows: &'r SideRows, lane: usize) -> &'r [SideSpan] {
        &rows.sides[self.first[lane] as usize..][..self.len[lane] as usize]
    }

    /// W of one lane, without what is round-off.
    fn lane_w(&self, rows: &SideRows, lane: usize) -> [f64; 21] {
        let mut w = [0.0; 21];
        for side in self.sides(rows, lane) {
            let answers = rows.y(side);
            for (number, of_j) in rows.j(side).iter().enumerate().filter(|_| !answers.is_empty()) {
                let number = match side.place {
                    Place::Tree { path, first_dof, .. } => {
                        (rows.path[path as usize + number] - first_dof) as usize
                    }
                    Place::Free(_) | Place::Prescribed(_) => number,
                };
                for j in 0..6 {
                    for i in 0..=j {
                        w[entry(i, j)] += of_j[i] * answers[number][j];
                    }
                }
            }
        }
        for i in 0..6 {
            let moves = w[entry(i, i)] > RANK * self.size[i][lane];
            for j in (0..6).filter(|_| !moves) {
                w[entry(i, j)] = 0.0;
            }
        }
        w
    }
}

impl Transport for General {
    const EMPTY: Self =
        Self { first: [0; WIDTH], len: [0; WIDTH], size: [ZERO; 6], regularisation: [ZERO; 4] };
    const MAY_BE_SINGULAR: bool = true;
    const AT_BASELINE: bool = true;
    const MAY_BE_SOFT: bool = true;
    type Frame<L: Lane> = ();
    type Motion<L: Lane> = Pending<L>;

    #[inline(always)]
    fn regularisation(&self) -> &[Wide; 4] {
        &self.regularisation
    }

    #[inline(always)]
    fn regularisation_mut(&mut self) -> Option<&mut [Wide; 4]> {
        Some(&mut self.regularisation)
    }

    #[inline(always)]
    fn fill<L: Lane, const N: usize>(
        &mut self,
        at: At<L>,
        fill: &Fill,
        sides: &Sides,
        geometry: &Geometry<L, N>,
        bodies: &LentBodies,
        rows: &mut SideRows,
    ) {
        let (mut q, mut axis) = ([[ZERO; 4]; 2], [ZERO; 2]);
        for j in 0..2 {
            at.store(geometry.axis[j], &mut axis[j]);
            for k in 0..N {
                at.store(geometry.q[j][k], &mut q[j][k]);
            }
        }
        for i in at.first()..at.first() + L::WIDTH {
            self.first[i] = rows.sides.len() as u32;
            let mut size = [0.0; 6];
            if let Some(item) = sides.item[i - at.first()] {
                let levers = [q[0].map(|q| q[i]), q[1].map(|q| q[i])];
                let axis = [axis[0][i], axis[1][i]];
                size = Manifold::new(fill, item, levers, axis).fill(fill, bodies, rows);
            }
            self.len[i] = rows.sides.len() as u32 - self.first[i];
            for k in 0..6 {
                self.size[k][i] = size[k];
            }
        }
    }

    #[inline(always)]
    fn frame<L: Lane>(&self, _: At<L>) {}

    #[inline(always)]
    fn gather<L: Lane>(&self, at: At<L>, rows: &SideRows, v: &impl Source, motions: Motions) -> Pending<L> {
        let mut wide = [ZERO; 6];
        for i in 0..L::WIDTH {
            let mut u = [0.0; 6];
            for side in self.sides(rows, at.first() + i) {
                match side.place {
                    Place::Free(body) | Place::Prescribed(body) => {
                        let x = numbers(v.twist(body));
                        for (j, x) in rows.j(side).iter().zip(x) {
                            add_rates(j, x, motions, &mut u);
                        }
                    }
                    Place::Tree { path, path_len, .. } => {
                        for (j, dof) in rows.j(side).iter().zip(rows.path(path, path_len)) {
                            add_rates(j, v.dof(*dof), motions, &mut u);
                        }
                    }
                }
            }
            for k in 0..6 {
                wide[k][i] = u[k];
            }
        }
        let mut rates = [at.splat(0.0); 6];
        for k in 0..6 {
            rates[k] = L::load(at.token, &wide[k]);
        }
        Pending { rates, p: [at.splat(0.0); 6] }
    }

    #[inline(always)]
    fn scatter<L: Lane>(&self, at: At<L>, rows: &SideRows, motion: &Pending<L>, v: &LentVelocity) {
        let mut spare = Twist::ZERO;
        let mut wide = [ZERO; 6];
        for k in 0..6 {
            motion.p[k].store(&mut wide[k]);
        }
        for i in 0..L::WIDTH {
            let p = [wide[0][i], wide[1][i], wide[2][i], wide[3][i], wide[4][i], wide[5][i]];
            for side in self.sides(rows, at.first() + i) {
                match side.place {
                    Place::Free(body) => {
                        let y = rows.y(side);
                        let linear = Vec3::new(change(&y[0], &p), change(&y[1], &p), change(&y[2], &p));
                        let angular = Vec3::new(change(&y[3], &p), change(&y[4], &p), change(&y[5], &p));
                        *v.moved(body, &mut spare) += Twist::new(linear, angular);
                    }
                    Place::Prescribed(_) => {}
                    Place::Tree { first_dof, dofs, .. } => {
                        for (x, y) in v.dofs(first_dof, dofs).iter_mut().zip(rows.y(side)) {
                            *x += change(y, &p);
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn normal_rates<L: Lane, const SPIN: bool>(&self, _: At<L>, (): &(), motion: &Pending<L>) -> [L; 3] {
        [motion.rates[0], motion.rates[4], motion.rates[5]]
    }

    #[inline(always)]
    fn rates<L: Lane, const SPIN: bool>(
        &self,
        _: At<L>,
        (): &(),
        motion: &Pending<L>,
        _: [L; 2],
    ) -> Rates<L> {
        motion.rates
    }

    #[inline(always)]
    fn apply_normals<L: Lane, const SPIN: bool>(
        &self,
        _: At<L>,
        (): &(),
        p: [L; 3],
        motion: &mut Pending<L>,
    ) {
        motion.p[0] += p[0];
        if SPIN {
            motion.p[4] += p[1];
            motion.p[5] += p[2];
        }
    }

    #[inline(always)]
    fn apply<L: Lane, const SPIN: bool>(
        &self,
        _: At<L>,
        (): &(),
        p: &Rates<L>,
        _: [L; 2],
        motion: &mut Pending<L>,
    ) {
        for k in 0..6 {
            motion.p[k] += p[k];
        }
    }

    #[inline(always)]
    fn point_w<L: Lane>(&self, at: At<L>, rows: &SideRows, frame: &()) -> [L; 6] {
        let w = self.face_w(at, rows, frame, [at.splat(0.0); 2]);
        [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)].map(|(i, j)| w[entry(i, j)])
    }

    #[inline(always)]
    fn face_w<L: Lane>(&self, at: At<L>, rows: &SideRows, (): &(), _: [L; 2]) -> [L; 21] {
        let mut wide = [ZERO; 21];
        for i in 0..L::WIDTH {
            let w = self.lane_w(rows, at.first() + i);
            for k in 0..21 {
                wide[k][i] = w[k];
            }
        }
        let mut out = [at.splat(0.0); 21];
        for k in 0..21 {
            out[k] = L::load(at.token, &wide[k]);
        }
        out
    }

    #[inline(always)]
    fn prefetch_bodies(&self, _: &LentVelocity) {}

    #[inline(always)]
    fn body(&self) -> Option<&[[u32; WIDTH]; 2]> {
        None
    }

    #[cfg(test)]
    fn numbers(&self, lane: usize) -> Vec<f64> {
        super::transport::lane_of(&[&self.size], lane)
    }
}
