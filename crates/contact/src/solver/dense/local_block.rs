//! The problem of one contact with friction against spinning and rolling alone, solved exactly.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | W | `w` | the contact's own block, up to 6×6, positive definite |
//! | b | `b` | velocity without the own impulses |
//! | F | `f` | p₀ − max(0, z₀), and p − Proj(z) on each disc of radius μ max(0, z₀), with z = p − W p − b; zero exactly at answers |
//!
//! It is open when b₀ ≥ 0, and it stops altogether when −W⁻¹b is in the cone. Else normal and friction, spinning and rolling are taken in
//! turn, each exactly, which always leads on but slowly where they act on the same motion; so Newton's method on F tries to end it after
//! every few turns.

#![allow(clippy::needless_range_loop, reason = "one index goes through several small arrays")]

use super::law::{DISCS, Disc};
use super::local;
use crate::kernel::{Tangential, friction_disc};
use huygens_math::{Mat3, Vec3, scalar};

/// Most rows.
const MOST: usize = 6;

/// Turns before each attempt of Newton's method, attempts, and its steps.
const TURNS: usize = 4;
const ATTEMPTS: usize = 8;
const STEPS: usize = 8;

/// F below this share of b is round-off.
const ROUND_OFF: f64 = 4e-16;

type Rows = [f64; MOST];

/// One contact alone; its rows begin at 0.
pub(super) struct Block {
    pub n: usize,
    pub w: [Rows; MOST],
    pub b: Rows,
    pub discs: [Option<Disc>; DISCS],
    /// The first disc is that of friction.
    pub has_friction: bool,
}

impl Block {
    /// Its impulses; `p` are those so far.
    pub(super) fn solve(&self, p: Rows) -> Rows {
        if self.b[0] >= 0.0 {
            return [0.0; MOST];
        }
        if let Some(stuck) = self.stop() {
            return stuck;
        }
        let size = self.b[..self.n].iter().fold(0.0, |most, b| scalar::max(b.abs(), most));
        let mut now = p;
        let (mut best, mut least) = (p, self.residual(&p).1);
        for _ in 0..ATTEMPTS {
            (0..TURNS).for_each(|_| self.turn(&mut now));
            let mut tried = now;
            for _ in 0..=STEPS {
                let (f, left) = self.residual(&tried);
                if left < least {
                    (best, least) = (tried, left);
                }
                if least <= ROUND_OFF * size || !self.newton(&f, &mut tried) {
                    break;
                }
            }
            if least <= ROUND_OFF * size {
                break;
            }
        }
        best
    }

    fn discs(&self) -> impl Iterator<Item = Disc> {
        self.discs.iter().flatten().copied()
    }

    /// W p + b.
    fn velocity(&self, p: &Rows) -> Rows {
        let mut u = self.b;
        for (u, w) in u.iter_mut().zip(&self.w).take(self.n) {
            *u += w.iter().zip(p).map(|(w, p)| w * p).sum::<f64>();
        }
        u
    }

    /// The impulses that stop all motion, if they are in the cone.
    fn stop(&self) -> Option<Rows> {
        let mut a = self.w;
        let mut x = self.b.map(|b| -b);
        eliminate(&mut a, &mut x, self.n)?;
        let inside = x[0] >= 0.0 && self.discs().all(|disc| disc.size(&x) <= disc.radius * x[0]);
        inside.then_some(x)
    }

    /// Normal and friction, then each of the other discs, with what the others leave.
    fn turn(&self, p: &mut Rows) {
        let u = self.velocity(p);
        let mut discs = self.discs();
        if self.has_friction {
            let mu = discs.next().map_or(0.0, |disc| disc.radius);
            let column = |k: usize| Vec3::new(self.w[0][k], self.w[1][k], self.w[2][k]);
            let w = Mat3::from_cols(column(0), column(1), column(2));
            let now = Vec3::new(p[0], p[1], p[2]);
            let new = local::solve(&w, Vec3::new(u[0], u[1], u[2]) - w * now, [mu; 2], now);
            p[..3].copy_from_slice(&new.to_array());
        } else {
            p[0] = scalar::max(p[0] - u[0] / self.w[0][0], 0.0);
        }
        for disc in discs {
            let (u, i, most) = (self.velocity(p), disc.first, disc.radius * p[0]);
            if disc.len == 1 {
                p[i] = scalar::clamp(p[i] - u[i] / self.w[i][i], -most, most);
            } else {
                let own = plane(self.w[i][i], self.w[i][i + 1], self.w[i + 1][i + 1]);
                let new = friction_disc(&own, [u[i], u[i + 1]], [p[i], p[i + 1]], most, most);
                p[i..i + 2].copy_from_slice(&new);
            }
        }
    }

    /// F and its largest component.
    fn residual(&self, p: &Rows) -> (Rows, f64) {
        let u = self.velocity(p);
        let z: Rows = std::array::from_fn(|k| p[k] - u[k]);
        let mut f = [0.0; MOST];
        let load = scalar::max(z[0], 0.0);
        f[0] = p[0] - load;
        for disc in self.discs() {
            let (size, radius) = (disc.size(&z), disc.radius * load);
            let share = if size > radius { radius / size } else { 1.0 };
            for k in disc.rows() {
                f[k] = p[k] - share * z[k];
            }
        }
        let largest =
            f[..self.n].iter().fold(0.0, |most: f64, f| if f.abs() <= most { most } else { f.abs() });
        (f, largest)
    }

    /// One step of Newton's method; false when it is singular.
    fn newton(&self, f: &Rows, p: &mut Rows) -> bool {
        let u = self.velocity(p);
        let z: Rows = std::array::from_fn(|k| p[k] - u[k]);
        if z[0].is_nan() || z[0] <= 0.0 {
            return false;
        }
        // ∂F/∂p, with ∂z = 1 − W.
        let mut a = [[0.0; MOST]; MOST];
        let dz = |i: usize, j: usize| if i == j { 1.0 - self.w[i][j] } else { -self.w[i][j] };
        a[0][..self.n].copy_from_slice(&self.w[0][..self.n]);
        for disc in self.discs() {
            let (size, radius) = (disc.size(&z), disc.radius * z[0]);
            for k in disc.rows() {
                if size <= radius {
                    a[k][..self.n].copy_from_slice(&self.w[k][..self.n]);
                    continue;
                }
                let d = z[k] / size;
                for j in 0..self.n {
                    // d(radius z/|z|) = μ d dz₀ + (radius/|z|)(dz − d (d·dz)).
                    let along: f64 = disc.rows().map(|l| z[l] / size * dz(l, j)).sum();
                    let change = disc.radius * d * dz(0, j) + radius / size * (dz(k, j) - d * along);
                    a[k][j] = if j == k { 1.0 - change } else { -change };
                }
            }
        }
        let mut step = f.map(|f| -f);
        if eliminate(&mut a, &mut step, self.n).is_none() {
            return false;
        }
        p.iter_mut().zip(step).take(self.n).for_each(|(p, step)| *p += step);
        true
    }
}

/// W of one disc of two rows, with its inverse.
fn plane(a: f64, b: f64, c: f64) -> Tangential<f64> {
    let det = a * c - b * b;
    let largest = 0.5 * (a + c) + (0.25 * (a - c) * (a - c) + b * b).sqrt();
    Tangential { w: [a, b, c], inverse: [c / det, -b / det, a / det], largest, slack: f64::MAX }
}

/// Replaces `x` by A⁻¹x; none when A is singular.
fn eliminate(a: &mut [Rows; MOST], x: &mut Rows, n: usize) -> Option<()> {
    for k in 0..n {
        let pivot = (k..n).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
        a.swap(k, pivot);
        x.swap(k, pivot);
        if a[k][k] == 0.0 || !a[k][k].is_finite() {
            return None;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            let row = a[k];
            a[i].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (x[k] - known) / a[k][k];
    }
    x[..n].iter().all(|x| x.is_finite()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::SplitMix;

    /// A random contact with the discs that are asked for.
    fn random(r: &mut SplitMix, has: [bool; DISCS]) -> Block {
        let (mut first, mut discs) = (1, [None; DISCS]);
        for k in (0..DISCS).filter(|&k| has[k]) {
            let len = if k == 1 { 1 } else { 2 };
            discs[k] = Some(Disc { first, len, radius: r.range(0.0, 1.0) });
            first += len;
        }
        let n = first;
        let g: Vec<Rows> = (0..2 * n).map(|_| std::array::from_fn(|_| r.range(-1.0, 1.0))).collect();
        let mut w = [[0.0; MOST]; MOST];
        for i in 0..n {
            for j in 0..n {
                w[i][j] = g.iter().map(|g| g[i] * g[j]).sum::<f64>() / (2 * n) as f64;
            }
        }
        let b =
            std::array::from_fn(|k| if k < n { r.range(-1.0, if k == 0 { 0.3 } else { 1.0 }) } else { 0.0 });
        Block { n, w, b, discs, has_friction: has[0] }
    }

    #[test]
    fn every_random_contact_with_levers_is_solved_to_round_off() {
        let mut r = SplitMix::new(21);
        let (mut open, mut all, mut exact) = (0, 0, 0);
        for k in 0..4000 {
            let has = [k % 2 == 0, k % 3 != 0, k % 5 != 0];
            let block = random(&mut r, has);
            let p = block.solve([0.0; MOST]);
            all += 1;
            open += usize::from(p == [0.0; MOST]);
            let (_, left) = block.residual(&p);
            exact += usize::from(left < 1e-12);
        }
        // Where friction acts strongly on the normal there may be no answer near.
        assert!(1000 * exact >= 995 * all && open > 100 && open < all / 2, "{exact} of {all}, {open} open");
    }
}
