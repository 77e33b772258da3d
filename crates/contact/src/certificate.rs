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
//! | ω, τ | | spin and couple of a point with friction against spinning (a_s) and rolling (a_r) | rad/s, N·m·s |
//! | ℓ | `length` | length that makes a spin a speed: √(λ/λ_ω), λ_ω the largest eigenvalue of what a couple does to the spin | m |
//!
//! The law is hard contact with Coulomb friction and no restitution, whatever the settings: 0 ≤ p_n ⟂ u_n ≥ 0, |p_t| ≤ μ p_n, and
//! p_t = −μ_d p_n u_t/|u_t| where it slips. A velocity bias is not part of it, so Baumgarte shows as complementarity.
//! A point slips when |u_t| > 1e-8 U; μ is then μ_d, else μ_s.
//!
//! Couples are bounded by |τ_n| ≤ a_s p_n and |τ_t| ≤ a_r p_n, and at these bounds against the spin where it spins or rolls.
//!
//! The natural map is p − Proj_K(p − ρ(u + (μ|u_t| + a_s|ω_n| + a_r|ω_t|) n)) with De Saxcé's correction (Acary, Brogliato 2008): zero
//! exactly at solutions. K is the product cone of all rows of the point, spins are ℓω and couples τ/ℓ. Each point's part is divided by its
//! ρ, and the norm over all points and rows by that of q. A row is the same with its bounds for K.

use crate::entry::{BlockRows, Cone, Entry, couple_of};
use crate::solution::Impulses;
use crate::{ContactProblem, Head, Law, Velocity};
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
    /// Every row is soft: impulses are in their cones, bounded rows in their bounds, and nothing more. Bodies overlap by their load, slip creeps,
    /// and nothing bounces by a coefficient.
    Soft,
}

/// How far an answer is from the law; every number is dimensionless and 0 for an exact answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
    /// Judges impulses and the end velocity they give by Signorini's and Coulomb's law.
    ///
    /// # Panics
    /// When the impulses are not aligned with the problem: the caller's bug.
    pub fn of(problem: &ContactProblem, impulses: Impulses, v: &Velocity) -> Self {
        Self::of_claim(Claim::Coulomb, problem, impulses, v)
    }

    /// The same by the law that a model claims; what it does not claim is 0.
    ///
    /// # Panics
    /// When the impulses are not aligned with the problem: the caller's bug.
    pub fn of_claim(claim: Claim, problem: &ContactProblem, impulses: Impulses, v: &Velocity) -> Self {
        let groups = problem.groups;
        assert_eq!(impulses.points.len(), groups.points.len(), "one impulse per point");
        assert_eq!(impulses.couples.len(), groups.couples as usize, "one couple per point that has one");
        assert_eq!(impulses.rows.len(), groups.rows.len(), "one impulse per row");
        let mut judge = Judge::new(claim, problem, impulses, v);
        let mut worst = Self { momentum: momentum(problem, impulses, v, judge.speed), ..Self::default() };
        for head in &groups.heads {
            if claim == Claim::Cone && !groups.points_of(head).is_empty() {
                worst = worst.worst(judge.group(head, impulses));
                continue;
            }
            for entry in groups.entries(head) {
                let found = judge.entry(&entry, &entry.impulse(impulses));
                let of_cone = Self { cone: found.cone, ..Self::default() };
                worst = worst.worst(if claim == Claim::Soft { of_cone } else { found });
            }
        }
        if !matches!(claim, Claim::OnCone | Claim::Cone | Claim::Soft) {
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

/// Velocities of an entry minus what its leading row may have: what closes its gap, that of free flight when it is airborne, the target of
/// a row, or that of its spring.
fn velocity(problem: &ContactProblem, entry: &Entry, v: &Velocity) -> BlockRows {
    let mut u = entry.relative_at_end(v);
    if let Some(spring) = entry.spring(problem.move_inertia) {
        u[0] -= entry.row_target() + spring.target(problem.h, entry.error(), entry.head.law);
        return u;
    }
    let Some(point) = entry.point() else {
        let row = &problem.groups.rows[entry.index];
        let allowed =
            if entry.head.law == Law::Unilateral { scalar::max(row.error, 0.0) / problem.h } else { 0.0 };
        u[0] += allowed - row.target;
        return u;
    };
    let closing = -scalar::max(point.gap, 0.0) / problem.h;
    u[0] -= if problem.airborne.get(entry.index) == Some(&true) {
        scalar::min(entry.first_at_end(problem.v_free), closing)
    } else {
        closing
    };
    u
}

fn length(x: [f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]).sqrt()
}

/// Sizes of the further rows of a block: along the surface, about the normal, about the tangents.
fn sizes(x: &BlockRows) -> [f64; 3] {
    [length([x[1], x[2]]), x[3].abs(), length([x[4], x[5]])]
}

impl<'a> Judge<'a> {
    fn new(claim: Claim, problem: &'a ContactProblem<'a>, impulses: Impulses, v: &'a Velocity) -> Self {
        let groups = problem.groups;
        let (mut speed, mut impulse) = (problem.scale.speed, 0.0);
        for entry in groups.contacts().flat_map(|head| groups.entries(head)) {
            let (u, p) = (velocity(problem, &entry, problem.v_free), impulses.points[entry.index]);
            for k in 0..3 {
                speed = scalar::max(u[k].abs(), speed);
                impulse = scalar::max(p[k].abs(), impulse);
            }
        }
        Self { claim, problem, v, speed, impulse, natural: 0.0, q: 0.0 }
    }

    fn entry(&mut self, entry: &Entry, p: &BlockRows) -> Certificate {
        let mut u = velocity(self.problem, entry, self.v);
        if let Some(spring) = entry.spring(self.problem.move_inertia) {
            u[0] += spring.regularisation(self.problem.h) * p[0];
        }
        match entry.point() {
            Some(_) => self.point(entry, p, &u),
            None => self.row(entry, p[0], u[0]),
        }
    }

    fn point(&mut self, entry: &Entry, p: &BlockRows, u: &BlockRows) -> Certificate {
        let cone = if self.claim == Claim::Frictionless { Cone::default() } else { entry.cone() };
        let (p_size, u_size) = (sizes(p), sizes(u));
        // A soft contact that sticks creeps.
        let slips = u_size[0] > SLIPS * self.speed && self.claim != Claim::Soft;
        let radii = [if slips { cone.slip } else { cone.stick }, cone.spin, cone.roll];
        if self.claim != Claim::OnCone {
            self.natural_map(entry, p, u, radii);
        }
        let power = match self.claim {
            Claim::Associated => p[0] * u[0] + p[1] * u[1] + p[2] * u[2],
            _ => p[0] * u[0],
        };
        let outside = scalar::max(scalar::max(p_size[0] - radii[0] * p[0], -p[0]), 0.0);
        let turns = self.outside_levers(couple_of(p), p[0], &cone);
        Certificate {
            gap: ratio(scalar::max(-u[0], 0.0), self.speed, 0.0),
            cone: worse(ratio(outside, self.impulse, 0.0), turns),
            complementarity: ratio(power.abs(), self.impulse * self.speed, 0.0),
            dissipation: self.dissipation(p, u, radii),
            ..Certificate::default()
        }
    }

    /// How far a couple is outside what a load allows.
    fn outside_levers(&self, tau: [f64; 3], load: f64, cone: &Cone) -> f64 {
        let outside = worse(tau[0].abs() - cone.spin * load, length([tau[1], tau[2]]) - cone.roll * load);
        ratio(scalar::max(outside, 0.0), self.impulse * self.problem.scale.length, 0.0)
    }

    /// The impulses of a group together against its cone.
    fn group(&self, head: &Head, impulses: Impulses) -> Certificate {
        let cone = Cone::of(&self.problem.groups.materials[head.material as usize]);
        let mut sum = [0.0; 6];
        let mut pulls = 0.0;
        for entry in self.problem.groups.entries(head) {
            let p = entry.impulse(impulses);
            (0..6).for_each(|k| sum[k] += p[k]);
            pulls = worse(-p[0], pulls);
        }
        let outside = worse(length([sum[1], sum[2]]) - cone.stick * sum[0], pulls);
        let turns = self.outside_levers(couple_of(&sum), sum[0], &cone);
        let cone = worse(ratio(scalar::max(outside, 0.0), self.impulse, 0.0), turns);
        Certificate { cone, ..Certificate::default() }
    }

    /// How far friction is from opposing slip, spin and roll with full force, where there is any.
    fn dissipation(&self, p: &BlockRows, u: &BlockRows, radii: [f64; 3]) -> f64 {
        let (p_size, u_size) = (sizes(p), sizes(u));
        let products = [[p[1] * u[1], p[2] * u[2]], [p[3] * u[3], 0.0], [p[4] * u[4], p[5] * u[5]]];
        let spin = ratio(self.speed, self.problem.scale.length, 0.0);
        let mut most = 0.0;
        for (k, slow) in [self.speed, spin, spin].into_iter().enumerate() {
            if u_size[k] > SLIPS * slow {
                let alignment = p_size[k] * u_size[k] + products[k][0] + products[k][1];
                let size = (radii[k] * p[0] - p_size[k]).abs() * u_size[k];
                let is_free = k == 0 && self.claim == Claim::OnCone;
                most = worse(if is_free { size } else { alignment + size }, most);
            }
        }
        ratio(most, self.impulse * self.speed, 0.0)
    }

    fn natural_map(&mut self, entry: &Entry, p: &BlockRows, u: &BlockRows, mut radii: [f64; 3]) {
        let (groups, m) = (self.problem.groups, self.problem.move_inertia);
        let Some(point) = entry.point() else { return };
        let largest = |w| Sym3::from_mat3(&w).principal().0.z;
        let w = largest(groups.delassus(m, entry.head, point));
        let turns =
            if entry.couple().is_some() { largest(groups.delassus_spin(m, entry.head, point)) } else { 0.0 };
        let length = if turns > 0.0 && w > 0.0 { (w / turns).sqrt() } else { 1.0 };
        let q = velocity(self.problem, entry, self.problem.v_free);
        let speeds = |u: &BlockRows| [u[0], u[1], u[2], length * u[3], length * u[4], length * u[5]];
        self.q += speeds(&q).iter().map(|x| x * x).sum::<f64>();
        if w <= 0.0 {
            return;
        }
        let rho = 1.0 / w;
        let (mut u, p) = (speeds(u), [p[0], p[1], p[2], p[3] / length, p[4] / length, p[5] / length]);
        radii = [radii[0], radii[1] / length, radii[2] / length];
        let slips = sizes(&u);
        // The associated law is that of slipping alone.
        let first = usize::from(self.claim == Claim::Associated);
        u[0] += (first..3).map(|k| radii[k] * slips[k]).sum::<f64>();
        let nearest = project(std::array::from_fn(|k| p[k] - rho * u[k]), radii);
        for k in 0..6 {
            self.natural += scalar::square((p[k] - nearest[k]) / rho);
        }
    }

    fn row(&mut self, entry: &Entry, lambda: f64, u: f64) -> Certificate {
        let (head, row) = (entry.head, &self.problem.groups.rows[entry.index]);
        let q = velocity(self.problem, entry, self.problem.v_free)[0];
        let mass = entry.first_mass(self.problem.move_inertia);
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
            Law::Bounded { .. } | Law::Drive { .. } => {
                found.complementarity = ratio(residual, impulse, 0.0);
            }
        }
        found
    }
}

/// The nearest point of the cone whose further rows are in discs of these radii times the first: |p_t|, |τ_n| and |τ_t|.
fn project(p: BlockRows, radii: [f64; 3]) -> BlockRows {
    let size = sizes(&p);
    let mut n = scalar::max(p[0], 0.0);
    let mut outside: [bool; 3] = std::array::from_fn(|k| size[k] > radii[k] * n);
    // The first row with all discs that bind; it only grows as those that do not are left out. The last one binds.
    while outside.contains(&true) {
        let (mut sum, mut square) = (p[0], 1.0);
        for k in (0..3).filter(|&k| outside[k]) {
            sum += radii[k] * size[k];
            square += radii[k] * radii[k];
        }
        n = scalar::max(sum / square, 0.0);
        let binds: [bool; 3] = std::array::from_fn(|k| outside[k] && size[k] > radii[k] * n);
        if binds == outside || outside.iter().filter(|is| **is).count() == 1 {
            break;
        }
        outside = binds;
    }
    let scale: [f64; 3] =
        std::array::from_fn(|k| if outside[k] { ratio(radii[k] * n, size[k], 0.0) } else { 1.0 });
    [n, p[1] * scale[0], p[2] * scale[0], p[3] * scale[1], p[4] * scale[2], p[5] * scale[2]]
}

/// Largest velocity that the impulses do not explain, over the largest of its kind.
fn momentum(problem: &ContactProblem, impulses: Impulses, v: &Velocity, speed: f64) -> f64 {
    let groups = problem.groups;
    let mut explained = problem.v_free.clone();
    for entry in groups.heads.iter().flat_map(|head| groups.entries(head)) {
        entry.apply(problem.move_inertia, &entry.impulse(impulses), &mut explained);
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
    use huygens_math::SplitMix;

    #[test]
    fn the_cone_without_friction_is_a_ray() {
        let push = |x: [f64; 3]| [x[0], x[1], x[2], 0.0, 0.0, 0.0];
        assert_eq!(project(push([-1.0, 0.0, 0.0]), [0.0; 3]), [0.0; 6]);
        assert_eq!(project(push([2.0, 0.0, 0.0]), [0.0; 3]), push([2.0, 0.0, 0.0]));
        assert_eq!(project(push([2.0, 1.0, 0.0]), [0.0; 3]), push([2.0, 0.0, 0.0]));
        assert_eq!(project(push([-1.0, 1.0, 0.0]), [1.0, 0.0, 0.0]), [0.0; 6]);
    }

    #[test]
    fn the_nearest_point_of_a_cone_of_six_rows_is_nearer_than_every_other() {
        let mut r = SplitMix::new(6);
        for _ in 0..2000 {
            let radii = [r.range(0.0, 2.0), r.range(0.0, 1.0), r.range(0.0, 0.5)];
            let z: BlockRows = std::array::from_fn(|_| r.range(-1.0, 1.0));
            let p = project(z, radii);
            for (size, radius) in sizes(&p).into_iter().zip(radii) {
                assert!(p[0] >= 0.0 && size <= radius * p[0] * (1.0 + 1e-14) + 1e-300, "{p:?} {radii:?}");
            }
            // Moreau: what is left is in the polar cone, at right angles to the projection.
            let left: BlockRows = std::array::from_fn(|k| z[k] - p[k]);
            let across: f64 = left.iter().zip(&p).map(|(a, b)| a * b).sum();
            let support: f64 = left[0] + sizes(&left).iter().zip(radii).map(|(a, b)| a * b).sum::<f64>();
            assert!(across.abs() < 1e-14 && support < 1e-14, "{across} {support}");
        }
    }
}
