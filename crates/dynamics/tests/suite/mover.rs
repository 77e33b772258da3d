//! A tree that moves without constraints, step by step.

use huygens_dynamics::{
    Drift, ForceAt, Integrator, SmoothForces, Tree, TreeKick, TreeKinematics, advance, kinematics,
};
use huygens_math::{TreeInertia, Vec3};

/// A tree that moves without constraints.
pub struct Mover {
    pub tree: Tree,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub kick: TreeKick,
    pub block: TreeInertia,
    pub forces: (f64, ForceAt, Vec3),
    pub displacement: Vec<f64>,
    pub end: TreeKinematics,
}

impl Mover {
    pub fn new(tree: Tree, q: Vec<f64>, v: Vec<f64>) -> Self {
        let block = TreeInertia { ldl: tree.new_ldl(), ..TreeInertia::default() };
        let displacement = vec![0.0; tree.dofs()];
        let (kick, end) = (TreeKick::default(), TreeKinematics::default());
        Self { tree, q, v, kick, block, forces: (0.0, ForceAt::Start, Vec3::ZERO), displacement, end }
    }

    pub fn step(&mut self, h: f64, gravity: Vec3, scheme: Scheme) {
        self.kick(&SmoothForces { h, at: scheme.at, gravity, external: &[], joint: &[], drives: &[] });
        let v_plus = self.kick.v_free.clone();
        self.drift(h, &v_plus, scheme);
    }

    pub fn kick(&mut self, forces: &SmoothForces) {
        self.kick.begin(&self.tree, &self.q, &self.v);
        self.kick.factor(&self.tree, &self.q, forces, &mut self.block).unwrap();
        self.kick.kick(&self.tree, &self.q, &self.v, forces, &self.block).unwrap();
        self.forces = (forces.h, forces.at, forces.gravity);
    }

    pub fn drift(&mut self, h: f64, v_plus: &[f64], scheme: Scheme) {
        for ((s, v), plus) in self.displacement.iter_mut().zip(&self.v).zip(v_plus) {
            *s = scheme.integrator.path(*v, *plus, h);
        }
        if scheme.drift {
            let (h, at, gravity) = self.forces;
            let forces = &SmoothForces { h, at, gravity, external: &[], joint: &[], drives: &[] };
            let drift = Drift {
                integrator: scheme.integrator,
                h,
                v: &self.v,
                v_plus,
                displacement: &self.displacement,
                impulse: &[],
                forces,
                block: &self.block,
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
/// The implicit midpoint rule.
pub const MIDPOINT: Scheme = Scheme { at: ForceAt::Implicit, integrator: Integrator::Midpoint, drift: true };
