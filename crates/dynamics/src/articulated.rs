//! The mass matrix of a tree as a recursion over its links: factored and solved at a cost that is linear in them.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | S | `motion` | twist that a dof with velocity 1 gives to its link, at the link's centre of mass | |
//! | A, B, C | `Articulated` | force and torque (about the centre of mass) for each unit of acceleration of a link, when all that hangs on it may give way: f = A a + B α, t = Bᵀa + C α | kg, kg m, kg m² |
//! | U, d | `give`, `pivots` | (A, B, C) S, and S·U with what the diagonal has beside | |
//!
//! Articulated bodies (Featherstone 2008, section 7.2), dof after dof: where dof j may give way, what hangs on it weighs less by UUᵀ/d.
//! The numbers d are the pivots of the factorisation LᵀDL of the mass matrix. World axes, every link about its own centre of mass.

use crate::kinematics::TreeKinematics;
use crate::tree::Tree;
use huygens_math::{Mat3, Singular, Sym3, Twist, Vec3, scalar};

/// A pivot below this share of what its dof moved before neighbours gave way is round-off.
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

/// Pivot of a dof that no force moves.
const HELD: f64 = f64::INFINITY;

/// Inertia of a link with all that hangs on it and may give way, about the centre of mass of the link.
#[derive(Clone, Copy, Debug, Default)]
struct Articulated {
    a: Sym3,
    b: Mat3,
    c: Sym3,
}

impl Articulated {
    #[inline]
    fn times(&self, s: &Twist) -> Twist {
        Twist::new(self.a * s.linear + self.b * s.angular, self.b.transpose() * s.linear + self.c * s.angular)
    }

    /// Takes UUᵀ·`share` away.
    #[inline]
    fn give_way(&mut self, u: &Twist, share: f64) {
        let scaled = *u * share;
        self.a = self.a + Sym3::outer(u.linear) * -share;
        self.b -= Mat3::from_cols(
            u.linear * scaled.angular.x,
            u.linear * scaled.angular.y,
            u.linear * scaled.angular.z,
        );
        self.c = self.c + Sym3::outer(u.angular) * -share;
    }

    /// The same, about the point from which the centre of mass is at `arm`.
    #[inline]
    fn moved(&self, arm: Vec3) -> Self {
        let Self { a, b, c } = self;
        // X = [arm]×: a link that turns about the other point moves its centre of mass by −X α.
        let x = cross(arm);
        let ax = a.to_mat3() * x;
        let moved = *b - ax;
        // C − BᵀX + X B − X A X = C + (X B) + (X B)ᵀ − X A X, as Xᵀ = −X.
        let xb = x * *b;
        let turn = xb + xb.transpose() - x * ax;
        Self { a: *a, b: moved, c: *c + Sym3::from_mat3(&turn) }
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        self.a = self.a + other.a;
        self.b += other.b;
        self.c = self.c + other.c;
    }
}

/// The matrix r ↦ arm × r.
#[inline]
fn cross(arm: Vec3) -> Mat3 {
    Mat3::from_cols(
        Vec3::new(0.0, arm.z, -arm.y),
        Vec3::new(-arm.z, 0.0, arm.x),
        Vec3::new(arm.y, -arm.x, 0.0),
    )
}

/// The factored mass matrix of a tree at one pose. Room is kept from call to call.
#[derive(Clone, Debug, Default)]
pub struct ArticulatedInertia {
    /// By dof.
    motion: Vec<Twist>,
    give: Vec<Twist>,
    pivots: Vec<f64>,
    /// By link: displacement of its centre of mass from that of its parent.
    arm: Vec<Vec3>,
    bodies: Vec<Articulated>,
    wrench: Vec<Twist>,
}

impl ArticulatedInertia {
    /// Factors the mass matrix at the poses of `kin`, with `more` on the diagonal of each dof.
    ///
    /// # Errors
    /// When the matrix is not positive definite: a dof moves no mass.
    pub fn factor(
        &mut self,
        tree: &Tree,
        kin: &TreeKinematics,
        more: impl Fn(usize) -> f64,
    ) -> Result<(), Singular> {
        let (links, n) = (tree.links(), tree.dofs());
        self.motion.resize(n, Twist::ZERO);
        self.give.resize(n, Twist::ZERO);
        self.pivots.resize(n, 0.0);
        self.arm.resize(links.len(), Vec3::ZERO);
        self.bodies.clear();
        self.bodies.extend(links.iter().zip(&kin.inertia).map(|(link, inertia)| Articulated {
            a: Sym3::diagonal(Vec3::splat(link.mass)),
            b: Mat3::ZERO,
            c: *inertia,
        }));
        for (i, link) in links.iter().enumerate().rev() {
            let mut body = self.bodies[i];
            let whole = body;
            let com = kin.com[i];
            for dof in tree.dofs_of(i).rev() {
                let axis = &kin.axis[dof];
                let s = Twist::new(axis.at(com), axis.angular);
                if tree.is_held(dof) {
                    (self.motion[dof], self.give[dof], self.pivots[dof]) = (s, Twist::ZERO, HELD);
                    continue;
                }
                let u = body.times(&s);
                let extra = tree.armature()[dof] + more(dof);
                let pivot = dot(&s, &u) + extra;
                let before = dot(&s, &whole.times(&s)) + extra;
                // A comparison with what is not a number is false.
                if !(pivot > ROUND_OFF * before && pivot.is_finite()) {
                    return Err(Singular { dof, pivot });
                }
                (self.motion[dof], self.give[dof], self.pivots[dof]) = (s, u, pivot);
                body.give_way(&u, 1.0 / pivot);
            }
            if let Some(parent) = link.parent {
                self.arm[i] = com - kin.com[parent];
                let moved = body.moved(self.arm[i]);
                self.bodies[parent].add(&moved);
            }
        }
        Ok(())
    }

    /// Replaces the forces `x` by the accelerations that they give.
    ///
    /// # Panics
    /// When `x` has not one number per dof.
    pub fn solve(&mut self, tree: &Tree, x: &mut [f64]) {
        assert_eq!(x.len(), self.pivots.len(), "one number per dof");
        let Self { motion, give, pivots, arm, wrench, .. } = self;
        wrench.clear();
        wrench.resize(tree.links().len(), Twist::ZERO);
        for (i, link) in tree.links().iter().enumerate().rev() {
            let mut passed = wrench[i];
            for dof in tree.dofs_of(i).rev() {
                x[dof] -= dot(&motion[dof], &passed);
                passed += give[dof] * (x[dof] / pivots[dof]);
            }
            if let Some(parent) = link.parent {
                let turn = arm[i].cross(passed.linear);
                wrench[parent] += Twist::new(passed.linear, passed.angular + turn);
            }
        }
        // From now on accelerations.
        for (i, link) in tree.links().iter().enumerate() {
            let mut a = link.parent.map_or(Twist::ZERO, |parent| {
                let above = wrench[parent];
                Twist::new(above.at(arm[i]), above.angular)
            });
            for dof in tree.dofs_of(i) {
                x[dof] = (x[dof] - dot(&give[dof], &a)) / pivots[dof];
                a += motion[dof] * x[dof];
            }
            wrench[i] = a;
        }
    }

    /// Quotient of the largest pivot and the smallest one: how much round-off grows.
    pub fn spread(&self) -> f64 {
        let (low, high) = self
            .pivots
            .iter()
            .filter(|pivot| **pivot != HELD)
            .fold((f64::INFINITY, 0.0), |(low, high), &pivot| {
                (scalar::min(low, pivot), scalar::max(high, pivot))
            });
        if low > 0.0 && low.is_finite() { high / low } else { 1.0 }
    }
}

#[inline]
fn dot(a: &Twist, b: &Twist) -> f64 {
    a.linear.dot(b.linear) + a.angular.dot(b.angular)
}
