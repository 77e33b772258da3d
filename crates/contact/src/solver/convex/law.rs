//! Cost, force and curvature of a block of rows.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | x | `x` | J a − a_ref |
//! | D | `d` | 1/R |
//! | N, U, T | `n`, `u`, `t` | μ x₀, cⱼ xⱼ and its length: where the block is relative to the cone N = μ T |
//!
//! Under `signorini` the friction of an elliptic contact has the radius c·fₙ, where fₙ is that of the last iterate (`latched`).

use super::rows::SoftLaw;

/// Cost along a line and its first two derivatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Along {
    pub cost: f64,
    pub slope: f64,
    pub curvature: f64,
}

/// A symmetric matrix over the rows of an elliptic contact.
pub(super) type Block6 = [[f64; 6]; 6];

/// What the second derivative of a block is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Curvature {
    /// D of each row on which the block acts, 0 elsewhere.
    Diagonal,
    /// A full matrix.
    Full,
}

/// Where an elliptic contact is.
enum Zone {
    Open,
    Quadratic,
    /// On the cone's flank: Dₘ, N, T.
    Flank(f64, f64, f64),
}

fn zone(friction: &[f64; 5], mu: f64, x: &[f64], d: &[f64]) -> Zone {
    let n = mu * x[0];
    let t = x[1..].iter().zip(friction).map(|(x, c)| (c * x) * (c * x)).sum::<f64>().sqrt();
    if n >= mu * t {
        Zone::Open
    } else if mu * n + t <= 0.0 {
        Zone::Quadratic
    } else {
        Zone::Flank(d[0] / (mu * mu * (1.0 + mu * mu)), n, t)
    }
}

/// Rows of friction of a contact that share a disc: sliding, spin, rolling.
const DISCS: [std::ops::Range<usize>; 3] = [1..3, 3..4, 4..6];

fn discs(rows: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    DISCS.into_iter().filter(move |disc| disc.start < rows).map(move |disc| disc.start..disc.end.min(rows))
}

/// Cost, force and weight of one row whose law looks at no other row.
#[inline]
fn row(law: &SoftLaw, x: f64, d: f64) -> [f64; 3] {
    let acts = match *law {
        SoftLaw::Friction { loss } if x.abs() * d >= loss => {
            return [loss * x.abs() - 0.5 * loss * loss / d, if x > 0.0 { -loss } else { loss }, 0.0];
        }
        // The cost goes on as a line, with the slope −f of the bound.
        SoftLaw::Bounded { lo, .. } if -d * x <= lo => return [-lo * x - 0.5 * lo * lo / d, lo, 0.0],
        SoftLaw::Bounded { hi, .. } if -d * x >= hi => return [-hi * x - 0.5 * hi * hi / d, hi, 0.0],
        SoftLaw::Equality | SoftLaw::Friction { .. } | SoftLaw::Bounded { .. } => true,
        SoftLaw::Unilateral | SoftLaw::Pyramid | SoftLaw::Elliptic { .. } => x < 0.0,
    };
    if acts { [0.5 * d * x * x, -d * x, d] } else { [0.0; 3] }
}

/// Cost of a block; fills its forces.
pub(super) fn cost(law: &SoftLaw, x: &[f64], d: &[f64], latched: Option<f64>, force: &mut [f64]) -> f64 {
    let SoftLaw::Elliptic { friction, mu } = law else {
        let mut sum = 0.0;
        for ((x, d), f) in x.iter().zip(d).zip(force) {
            let [cost, acting, _] = row(law, *x, *d);
            *f = acting;
            sum += cost;
        }
        return sum;
    };
    let Some(normal) = latched else { return elliptic_cost(friction, *mu, x, d, force) };
    let [mut sum, acting, _] = row(law, x[0], d[0]);
    force[0] = acting;
    for disc in discs(x.len()) {
        let (radius, stiffness) = (friction[disc.start - 1] * normal, d[disc.start]);
        let t = length(&x[disc.clone()]);
        let sticks = stiffness * t <= radius;
        let factor = if sticks { stiffness } else { radius / t };
        disc.for_each(|j| force[j] = -factor * x[j]);
        sum += if sticks { 0.5 * stiffness * t * t } else { radius * t - 0.5 * radius * radius / stiffness };
    }
    sum
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Second derivative of one row whose law looks at no other row.
pub(super) fn row_curvature(law: &SoftLaw, x: f64, d: f64) -> f64 {
    row(law, x, d)[2]
}

fn elliptic_cost(friction: &[f64; 5], mu: f64, x: &[f64], d: &[f64], force: &mut [f64]) -> f64 {
    match zone(friction, mu, x, d) {
        Zone::Open => {
            force.fill(0.0);
            0.0
        }
        Zone::Quadratic => {
            let mut sum = 0.0;
            for ((x, d), f) in x.iter().zip(d).zip(force) {
                *f = -d * x;
                sum += 0.5 * d * x * x;
            }
            sum
        }
        Zone::Flank(dm, n, t) => {
            let out = n - mu * t;
            force[0] = -dm * mu * out;
            for j in 1..x.len() {
                let c = friction[j - 1];
                force[j] = -force[0] / t * (c * x[j]) * c;
            }
            0.5 * dm * out * out
        }
    }
}

/// Second derivative of a block: weights of its rows in `weight`, or a whole matrix in `full`.
pub(super) fn curvature(
    law: &SoftLaw,
    x: &[f64],
    d: &[f64],
    latched: Option<f64>,
    weight: &mut [f64],
    full: &mut Block6,
) -> Curvature {
    let SoftLaw::Elliptic { friction, mu } = law else {
        for ((x, d), w) in x.iter().zip(d).zip(weight) {
            *w = row(law, *x, *d)[2];
        }
        return Curvature::Diagonal;
    };
    if let Some(normal) = latched {
        latched_curvature(friction, x, d, normal, full);
        return Curvature::Full;
    }
    match zone(friction, *mu, x, d) {
        Zone::Open => weight.fill(0.0),
        Zone::Quadratic => weight.copy_from_slice(d),
        Zone::Flank(dm, n, t) => {
            flank(friction, *mu, x, [dm, n, t], full);
            return Curvature::Full;
        }
    }
    Curvature::Diagonal
}

fn flank(friction: &[f64; 5], mu: f64, x: &[f64], [dm, n, t]: [f64; 3], full: &mut Block6) {
    let rows = x.len();
    let mut u = [0.0; 6];
    let mut scale = [mu; 6];
    for j in 1..rows {
        scale[j] = friction[j - 1];
        u[j] = scale[j] * x[j];
    }
    full[0][0] = 1.0;
    for j in 1..rows {
        let cross = -mu * u[j] / t;
        (full[0][j], full[j][0]) = (cross, cross);
        for k in 1..rows {
            full[j][k] = mu * n * u[j] * u[k] / (t * t * t);
        }
        full[j][j] += mu * mu - mu * n / t;
    }
    for j in 0..rows {
        for k in 0..rows {
            full[j][k] *= dm * scale[j] * scale[k];
        }
    }
}

fn latched_curvature(friction: &[f64; 5], x: &[f64], d: &[f64], normal: f64, full: &mut Block6) {
    *full = Block6::default();
    full[0][0] = if x[0] < 0.0 { d[0] } else { 0.0 };
    for disc in discs(x.len()) {
        let (radius, stiffness) = (friction[disc.start - 1] * normal, d[disc.start]);
        let t = length(&x[disc.clone()]);
        for j in disc.clone() {
            if stiffness * t <= radius {
                full[j][j] = stiffness;
            } else {
                full[j][j] = radius / t;
                for k in disc.clone() {
                    full[j][k] -= radius * x[j] * x[k] / (t * t * t);
                }
            }
        }
    }
}

/// Cost of a block at `x` and its derivatives along `y`.
pub(super) fn along(law: &SoftLaw, x: &[f64], y: &[f64], d: &[f64], latched: Option<f64>) -> Along {
    let mut out = Along::default();
    if let SoftLaw::Elliptic { .. } = law {
        let (mut force, mut weight) = ([0.0; 6], [0.0; 6]);
        let rows = x.len();
        let mut full = Block6::default();
        out.cost = cost(law, x, d, latched, &mut force[..rows]);
        out.slope = -force.iter().zip(y).map(|(f, y)| f * y).sum::<f64>();
        out.curvature = match curvature(law, x, d, latched, &mut weight[..rows], &mut full) {
            Curvature::Diagonal => weight.iter().zip(y).map(|(w, y)| w * y * y).sum(),
            Curvature::Full => {
                let row = |j: usize| full[j].iter().zip(y).map(|(h, y)| h * y).sum::<f64>();
                (0..rows).map(|j| y[j] * row(j)).sum()
            }
        };
        return out;
    }
    for ((x, y), d) in x.iter().zip(y).zip(d) {
        let [cost, force, weight] = row(law, *x, *d);
        out.cost += cost;
        out.slope -= force * y;
        out.curvature += weight * y * y;
    }
    out
}
