//! The judge: how far impulses and end velocity are from the law, from problem and answer alone.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | u | `u` | velocity of a point at the end, in (n, t₁, t₂), minus what the gap allows: u_n + max(gap, 0)/h, or that of free flight when airborne | m/s |
//! | q | `q` | the same at zero impulse | m/s |
//! | p | `p` | impulse of a point | N·s |
//! | U | `speed` | the larger of the scene's speed and the fastest row in q | m/s |
//! | P | `impulse` | the largest impulse of a point | N·s |
//! | ρ | `rho` | 1/λ with the largest eigenvalue λ of a point's own W | kg |
//!
//! The law is hard contact with Coulomb friction and no restitution, whatever the settings: 0 ≤ p_n ⟂ u_n ≥ 0, |p_t| ≤ μ p_n, and
//! p_t = −μ_d p_n u_t/|u_t| where it slips. A velocity bias is not part of it, so Baumgarte shows as complementarity.
//! A point slips when |u_t| > 1e-8 U; μ is then μ_d, else μ_s.
//!
//! The natural map is p − Proj_K(p − ρ(u + μ|u_t| n)) with De Saxcé's correction (Acary, Brogliato 2008): zero exactly at
//! solutions. Each point's part is divided by its ρ, and the norm over all points and rows by that of q.

use crate::couple::Couple;
use crate::{ContactProblem, Head, Impulse, Law, Material, Row, Velocity};
use huygens_math::{Sym3, scalar};

/// Tangential speed, as a share of the problem's, above which a point slips.
const SLIPS: f64 = 1e-8;

/// What a contact model says about its converged answers: which law [`Certificate::of_claim`] holds it to.
///
/// Every model claims momentum, impulses in their friction cones and rows by their law.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// Signorini's and Coulomb's law: every residual vanishes, and friction is against the slip.
    Coulomb,
    /// The same law without friction, whatever the materials say.
    Frictionless,
    /// Signorini's law, and full friction where a point slips; its direction is the model's own: all vanish but the
    /// alignment with the slip, and with it the natural map.
    OnCone,
    /// The convex relaxation K ∋ p ⟂ u ∈ K*: a point that slips opens with u_n = μ|u_t|. Complementarity is |p·u| then, and
    /// the natural map that without De Saxcé's correction.
    Associated,
    /// The impulses of a group of points taken together are in the cone, |Σp_t| ≤ μ_s Σp_n with p_n ≥ 0, and nothing more: contacts
    /// may be soft, and where in the group friction acts is the model's own.
    Cone,
}

/// How far an answer is from the law; every number is dimensionless and 0 for an exact answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Largest velocity into the other body, −u_n / U; for equalities |u − target| / U.
    pub gap: f64,
    /// Largest impulse outside the friction cone, (|p_t| − μ p_n)/P or −p_n/P; for bounded rows outside their bounds.
    pub cone: f64,
    /// Largest |p_n u_n| / (P U); for bounded rows the part of λ that should have gone further.
    pub complementarity: f64,
    /// Largest (|p_t||u_t| + p_t·u_t + |μ_d p_n − |p_t|| |u_t|)/(P U) of a slipping point.
    pub dissipation: f64,
    /// Largest velocity that the impulses do not explain, |v⁺ − v_free − M⁻¹Jᵀp|, over the largest speed of its kind
    /// (linear: at least U, angular: at least U/length).
    pub momentum: f64,
    /// Natural map relative to ‖q‖.
    pub natural_map: f64,
}

/// Sums and scales of one judgement.
struct Judge<'a> {
    claim: Claim,
    problem: &'a ContactProblem<'a>,
    v: &'a Velocity,
    speed: f64,
    impulse: f64,
    /// Σ of squared natural maps, each over its ρ, and of squared q.
    natural: f64,
    q: f64,
}

impl Certificate {
    /// Judges impulses of points and rows and the end velocity they give by Signorini's and Coulomb's law.
    ///
    /// # Panics
    /// When the impulses are not aligned with the problem: the caller's bug.
    pub fn of(problem: &ContactProblem, impulses: &[Impulse], rows: &[f64], v: &Velocity) -> Self {
        Self::of_claim(Claim::Coulomb, problem, impulses, rows, v)
    }

    /// The same by the law that a model claims; what it does not claim is 0.
    ///
    /// # Panics
    /// When the impulses are not aligned with the problem: the caller's bug.
    pub fn of_claim(
        claim: Claim,
        problem: &ContactProblem,
        impulses: &[Impulse],
        rows: &[f64],
        v: &Velocity,
    ) -> Self {
        let groups = problem.groups;
        assert_eq!(impulses.len(), groups.points.len(), "one impulse per point");
        assert_eq!(rows.len(), groups.rows.len(), "one impulse per row");
        let mut judge = Judge::new(claim, problem, impulses, v);
        let mut worst =
            Self { momentum: momentum(problem, impulses, rows, v, judge.speed), ..Self::default() };
        for head in &groups.heads {
            if let Law::Couple { contact } = head.law {
                let contact = &groups.heads[contact as usize];
                let load = impulses[contact.range()].iter().map(|p| p[0]).sum();
                worst = worst.worst(judge.couple(head, rows, load));
            }
            if claim == Claim::Cone && head.law == Law::Contact {
                worst = worst.worst(judge.group(head, &impulses[head.range()]));
                continue;
            }
            for i in head.range() {
                worst = worst.worst(match head.law {
                    Law::Contact => judge.point(head, i, impulses[i]),
                    Law::Couple { .. } => continue,
                    _ => judge.row(head, &groups.rows[i], rows[i]),
                });
            }
        }
        if !matches!(claim, Claim::OnCone | Claim::Cone) {
            worst.natural_map = ratio(judge.natural.sqrt(), judge.q.sqrt(), judge.speed);
        }
        worst
    }

    /// The largest of all residuals; a NaN stays.
    pub fn largest(&self) -> f64 {
        [self.gap, self.cone, self.complementarity, self.dissipation, self.momentum, self.natural_map]
            .into_iter()
            .fold(0.0, |a, b| worse(b, a))
    }

    /// The worse of two, number by number; a NaN stays.
    #[must_use]
    pub fn worst(self, other: Self) -> Self {
        Self {
            gap: worse(self.gap, other.gap),
            cone: worse(self.cone, other.cone),
            complementarity: worse(self.complementarity, other.complementarity),
            dissipation: worse(self.dissipation, other.dissipation),
            momentum: worse(self.momentum, other.momentum),
            natural_map: worse(self.natural_map, other.natural_map),
        }
    }
}

/// The larger of two; a NaN stays.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// x/scale; with a scale of zero x/other, or x itself.
fn ratio(x: f64, scale: f64, other: f64) -> f64 {
    let scale = if scale > 0.0 { scale } else { other };
    if scale > 0.0 { x / scale } else { x }
}

/// Velocity of point `i` minus what it may have: that which closes its gap, or that of free flight when it is airborne.
fn velocity(problem: &ContactProblem, head: &Head, i: usize, v: &Velocity) -> [f64; 3] {
    let point = &problem.groups.points[i];
    let mut u = problem.groups.relative_at_end(head, point, v);
    let closing = -scalar::max(point.gap, 0.0) / problem.h;
    u[0] -= if problem.airborne.get(i) == Some(&true) {
        scalar::min(problem.groups.relative_at_end(head, point, problem.v_free)[0], closing)
    } else {
        closing
    };
    u
}

fn length(x: [f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

impl<'a> Judge<'a> {
    fn new(claim: Claim, problem: &'a ContactProblem<'a>, impulses: &[Impulse], v: &'a Velocity) -> Self {
        let groups = problem.groups;
        let (mut speed, mut impulse) = (problem.scale.speed, 0.0);
        for head in groups.heads.iter().filter(|head| head.law == Law::Contact) {
            for i in head.range() {
                for u in velocity(problem, head, i, problem.v_free) {
                    speed = scalar::max(u.abs(), speed);
                }
                for p in impulses[i] {
                    impulse = scalar::max(p.abs(), impulse);
                }
            }
        }
        Self { claim, problem, v, speed, impulse, natural: 0.0, q: 0.0 }
    }

    fn point(&mut self, head: &Head, i: usize, p: Impulse) -> Certificate {
        let u = velocity(self.problem, head, i, self.v);
        let mut material = self.problem.groups.materials[head.material as usize];
        if self.claim == Claim::Frictionless {
            (material.friction_static, material.friction_dynamic) = (0.0, 0.0);
        }
        let (p_t, u_t) = (length([p[1], p[2]]), length([u[1], u[2]]));
        let slips = u_t > SLIPS * self.speed;
        let mu = if slips { material.friction_dynamic } else { material.friction_static };
        if self.claim != Claim::OnCone {
            self.natural_map(head, i, p, u, mu);
        }
        let power = match self.claim {
            Claim::Associated => p[0] * u[0] + p[1] * u[1] + p[2] * u[2],
            _ => p[0] * u[0],
        };
        Certificate {
            gap: ratio(scalar::max(-u[0], 0.0), self.speed, 0.0),
            cone: ratio(scalar::max(scalar::max(p_t - mu * p[0], -p[0]), 0.0), self.impulse, 0.0),
            complementarity: ratio(power.abs(), self.impulse * self.speed, 0.0),
            dissipation: if slips { self.dissipation(&material, p, u) } else { 0.0 },
            ..Certificate::default()
        }
    }

    /// The impulses of a group together against its cone.
    fn group(&self, head: &Head, impulses: &[Impulse]) -> Certificate {
        let mu = self.problem.groups.materials[head.material as usize].friction_static;
        let mut sum = [0.0; 3];
        let mut pulls = 0.0;
        for p in impulses {
            (0..3).for_each(|k| sum[k] += p[k]);
            pulls = worse(-p[0], pulls);
        }
        let outside = worse(length([sum[1], sum[2]]) - mu * sum[0], pulls);
        Certificate { cone: ratio(scalar::max(outside, 0.0), self.impulse, 0.0), ..Certificate::default() }
    }

    /// How far friction is from opposing the slip with full force.
    fn dissipation(&self, material: &Material, p: Impulse, u: [f64; 3]) -> f64 {
        let (p_t, u_t) = (length([p[1], p[2]]), length([u[1], u[2]]));
        let alignment = p_t * u_t + p[1] * u[1] + p[2] * u[2];
        let size = (material.friction_dynamic * p[0] - p_t).abs() * u_t;
        let off = match self.claim {
            Claim::OnCone => size,
            _ => alignment + size,
        };
        ratio(off, self.impulse * self.speed, 0.0)
    }

    fn natural_map(&mut self, head: &Head, i: usize, p: Impulse, u: [f64; 3], mu: f64) {
        let point = &self.problem.groups.points[i];
        let q = velocity(self.problem, head, i, self.problem.v_free);
        self.q += q.iter().map(|x| x * x).sum::<f64>();
        let w = self.problem.groups.delassus(self.problem.move_inertia, head, point);
        let largest = Sym3::from_mat3(&w).principal().0.z;
        if largest <= 0.0 {
            return;
        }
        let rho = 1.0 / largest;
        let lift = if self.claim == Claim::Associated { 0.0 } else { mu * length([u[1], u[2]]) };
        let corrected = u[0] + lift;
        let moved = [p[0] - rho * corrected, p[1] - rho * u[1], p[2] - rho * u[2]];
        let nearest = project(moved, mu);
        for k in 0..3 {
            self.natural += scalar::square((p[k] - nearest[k]) / rho);
        }
    }

    fn row(&mut self, head: &Head, row: &Row, lambda: f64) -> Certificate {
        let (groups, h) = (self.problem.groups, self.problem.h);
        let allowed = if head.law == Law::Unilateral { scalar::max(row.error, 0.0) / h } else { 0.0 };
        let u = groups.relative_row(head, row, self.v) - row.target + allowed;
        let q = groups.relative_row(head, row, self.problem.v_free) - row.target + allowed;
        let mass = groups.row_mass(self.problem.move_inertia, head, row);
        // A row of spins is measured against the scene's spin.
        let speed = if row.linear.length_squared() > 0.0 {
            self.speed
        } else {
            ratio(self.speed, self.problem.scale.length, 0.0)
        };
        let impulse = scalar::max(lambda.abs(), mass * speed);
        let (low, high) = head.law.bounds();
        let outside = (lambda - scalar::clamp(lambda, low, high)).abs();
        let residual = (lambda - scalar::clamp(lambda - mass * u, low, high)).abs();
        if mass > 0.0 {
            self.natural += scalar::square(residual / mass);
        }
        self.q += q * q;
        let mut found = Certificate { cone: ratio(outside, impulse, 0.0), ..Certificate::default() };
        match head.law {
            Law::Contact | Law::Equality => found.gap = ratio(u.abs(), speed, 0.0),
            Law::Unilateral => {
                found.gap = ratio(scalar::max(-u, 0.0), speed, 0.0);
                found.complementarity = ratio((lambda * u).abs(), impulse * speed, 0.0);
            }
            Law::Bounded { .. } | Law::Drive { .. } | Law::Couple { .. } => {
                found.complementarity = ratio(residual, impulse, 0.0);
            }
        }
        found
    }

    /// Friction against spinning and rolling: the couple within its bounds, and against the spin where it is at them.
    fn couple(&mut self, head: &Head, rows: &[f64], load: f64) -> Certificate {
        let (groups, inertia) = (self.problem.groups, self.problem.move_inertia);
        let couple = Couple::new(self.problem, head);
        let spin = self.problem.spin_of(head, self.v);
        let tau = Couple::of_rows(head, rows);
        let moved = couple.alone(spin, tau, load);
        let mut found = Certificate::default();
        for (k, i) in head.range().enumerate() {
            let mass = groups.row_mass(inertia, head, &groups.rows[i]);
            let speed = ratio(self.speed, self.problem.scale.length, 0.0);
            let impulse = scalar::max(tau[k].abs(), mass * speed);
            let residual = (tau[k] - moved[k]).abs();
            if mass > 0.0 {
                self.natural += scalar::square(residual / mass * self.problem.scale.length);
            }
            found.complementarity = worse(found.complementarity, ratio(residual, impulse, 0.0));
        }
        let outside = couple.outside(tau, load);
        let impulse = self.impulse * self.problem.scale.length;
        found.cone = ratio(outside, impulse, 0.0);
        found
    }
}

/// The nearest point of the cone |p_t| ≤ μ p_n.
fn project(p: [f64; 3], mu: f64) -> [f64; 3] {
    let t = length([p[1], p[2]]);
    // Without friction the cone is a ray, and −1 would pass the test below: 0 ≤ 0·(−1).
    if p[0] >= 0.0 && t <= mu * p[0] {
        return p;
    }
    if mu * t <= -p[0] {
        return [0.0; 3];
    }
    let n = (p[0] + mu * t) / (1.0 + mu * mu);
    let scale = ratio(mu * n, t, 0.0);
    [n, p[1] * scale, p[2] * scale]
}

/// Largest velocity that the impulses do not explain, over the largest of its kind.
fn momentum(problem: &ContactProblem, impulses: &[Impulse], rows: &[f64], v: &Velocity, speed: f64) -> f64 {
    let groups = problem.groups;
    let mut explained = problem.v_free.clone();
    for head in &groups.heads {
        for i in head.range() {
            if head.law == Law::Contact {
                groups.apply(problem.move_inertia, head, &groups.points[i], impulses[i], &mut explained);
            } else {
                groups.apply_row(problem.move_inertia, head, &groups.rows[i], rows[i], &mut explained);
            }
        }
    }
    let spin = ratio(speed, problem.scale.length, 0.0);
    let (mut linear, mut angular, mut dof) = ((0.0, speed), (0.0, spin), (0.0, 0.0));
    let see = |(worst, size): &mut (f64, f64), error: f64, x: f64| {
        *worst = worse(*worst, error);
        *size = scalar::max(x, *size);
    };
    for (a, b) in v.free.iter().zip(&explained.free) {
        see(&mut linear, (a.linear - b.linear).length(), a.linear.length());
        see(&mut angular, (a.angular - b.angular).length(), a.angular.length());
    }
    // Dofs have no scale of their own but what they do without contact.
    for ((a, b), free) in v.dof.iter().zip(&explained.dof).zip(&problem.v_free.dof) {
        see(&mut dof, (a - b).abs(), scalar::max(a.abs(), free.abs()));
    }
    let [linear, angular, dof] = [linear, angular, dof].map(|(worst, size)| ratio(worst, size, 0.0));
    worse(worse(linear, angular), dof)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cone_without_friction_is_a_ray() {
        assert_eq!(project([-1.0, 0.0, 0.0], 0.0), [0.0; 3]);
        assert_eq!(project([2.0, 0.0, 0.0], 0.0), [2.0, 0.0, 0.0]);
        assert_eq!(project([2.0, 1.0, 0.0], 0.0), [2.0, 0.0, 0.0]);
        assert_eq!(project([-1.0, 1.0, 0.0], 1.0), [0.0; 3]);
    }
}
