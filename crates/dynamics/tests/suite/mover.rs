//! A tree that moves without constraints, step by step.

use huygens_dynamics::{
    Drift, ForceAt, Integrator, SmoothForces, Tree, TreeKick, TreeKinematics, advance, kinematics,
};
use huygens_math::{TreeLdl, Vec3};

/// A tree that moves without constraints.
pub struct Mover {
    pub tree: Tree,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub kick: TreeKick,
    pub ldl: TreeLdl,
    pub displacement: Vec<f64>,
    pub end: TreeKinematics,
}

impl Mover {
    pub fn new(tree: Tree, q: Vec<f64>, v: Vec<f64>) -> Self {
        let (ldl, displacement) = (tree.new_ldl(), vec![0.0; tree.dofs()]);
        Self { tree, q, v, kick: TreeKick::default(), ldl, displacement, end: TreeKinematics::default() }
    }

    pub fn step(&mut self, h: f64, gravity: Vec3, scheme: Scheme) {
        self.kick(&SmoothForces { h, at: scheme.at, gravity, external: &[], joint: &[] });
        let v_plus = self.kick.v_free.clone();
        self.drift(h, &v_plus, scheme);
    }

    pub fn kick(&mut self, forces: &SmoothForces) {
        self.kick.begin(&self.tree, &self.q, &self.v, &mut self.ldl).unwrap();
        self.kick.kick(&self.tree, &self.q, &self.v, forces, &self.ldl).unwrap();
    }

    pub fn drift(&mut self, h: f64, v_plus: &[f64], scheme: Scheme) {
        for ((s, v), plus) in self.displacement.iter_mut().zip(&self.v).zip(v_plus) {
            *s = match scheme.integrator {
                Integrator::KickDriftKick => 0.5 * h * (v + plus),
                Integrator::SymplecticEuler => h * plus,
            };
        }
        if scheme.drift {
            let drift = Drift {
                integrator: scheme.integrator,
                h,
                v: &self.v,
                v_plus,
                displacement: &self.displacement,
            };
            self.kick.drift(&self.tree, &mut self.q, &drift, &mut self.end);
        } else {
            advance(&self.tree, &mut self.q, &self.displacement);
            kinematics(&self.tree, &self.q, v_plus, &mut self.end);
        }
        self.v.copy_from_slice(&self.end.velocity);
    }
}

/// How a tree is stepped: where the forces are taken, what displaces it, and whether [`TreeKick::drift`] moves it or
/// [`advance`] alone.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    pub at: ForceAt,
    pub integrator: Integrator,
    pub drift: bool,
}

/// Second order, and what the engine should use.
pub const BEST: Scheme =
    Scheme { at: ForceAt::MiddlePose, integrator: Integrator::KickDriftKick, drift: true };
pub const EULER: Scheme =
    Scheme { at: ForceAt::Start, integrator: Integrator::SymplecticEuler, drift: false };
pub const START: Scheme = Scheme { at: ForceAt::Start, integrator: Integrator::KickDriftKick, drift: false };
