//! Where a tree with equalities starts: coordinates and velocities that satisfy them and what the scene says of its joints.

use huygens_dynamics::{
    Tree, TreeKinematics, TreeScratch, advance, equality_gaps, equality_projection, equality_rates,
    joint_inertia, kinematics,
};
use huygens_math::{Projection, Twist, scalar};

/// What the scene says of a dof at the start; a number that is 0 leaves it to the equalities.
pub(super) struct Given {
    pub dof: usize,
    pub position: f64,
    pub velocity: f64,
}

/// Most iterations of Newton's method.
const ITERATIONS: usize = 100;
/// Error at which the equalities are closed, for a tree of the size of a metre [m, rad].
const CLOSED: f64 = 1e-12;
/// Error above which they cannot be closed.
const OPEN: f64 = 1e-9;

/// Sets coordinates and velocities to what `given` says, then closes the equalities by the smallest change of all others.
///
/// # Errors
/// When they cannot be closed: what is wrong, in a sentence.
pub(super) fn assemble(tree: &Tree, given: &[Given], q: &mut [f64], v: &mut [f64]) -> Result<(), String> {
    for given in given {
        if let Some(at) = tree.coordinate_of(given.dof) {
            q[at] = given.position;
        }
        v[given.dof] = given.velocity;
    }
    if tree.equalities().is_empty() {
        return Ok(());
    }
    let mut system = System::new(tree);
    for _ in 0..ITERATIONS {
        system.place(tree, q, given.iter().filter(|given| given.position != 0.0).map(|given| given.dof))?;
        if system.size() < CLOSED {
            break;
        }
        let step = system.solve();
        advance(tree, q, &step);
    }
    system.place(tree, q, std::iter::empty())?;
    if system.size() > OPEN {
        return Err(format!(
            "the loops and couplings of its tree cannot be closed: {:.3e} m or rad are left",
            system.size()
        ));
    }
    if v.is_empty() {
        return Ok(());
    }
    let told: Vec<&Given> = given.iter().filter(|given| given.velocity != 0.0).collect();
    system.place(tree, q, told.iter().map(|given| given.dof))?;
    // G v = 0 and v = given, by the smallest change of all velocities.
    let rates: Vec<f64> = system.rows.rate(v).collect();
    let wanted: Vec<f64> = equality_rates(tree, v).chain(told.iter().map(|given| given.velocity)).collect();
    system.gap = rates.iter().zip(&wanted).map(|(rate, wanted)| rate - wanted).collect();
    let change = system.solve();
    v.iter_mut().zip(&change).for_each(|(v, change)| *v += change);
    let off = system.rows.rate(v).zip(wanted).fold(0.0, |most, (a, b)| scalar::max(most, (a - b).abs()));
    let size = told.iter().fold(1.0, |most, given| scalar::max(most, given.velocity.abs()));
    if off > 1e-8 * size {
        return Err(format!(
            "the velocities of its joints do not fit its loops and couplings: {off:.3e} m/s or rad/s are left"
        ));
    }
    Ok(())
}

/// Sets the velocities `v` to those with the momentum of links with these twists: what is left when joints take hold of moving bodies.
/// Prescribed bases keep theirs.
pub(super) fn velocities_with_momentum(tree: &Tree, q: &[f64], twists: &[Twist], v: &mut [f64]) {
    let mut system = System::new(tree);
    kinematics(tree, q, &system.zero, &mut system.kin);
    if joint_inertia(tree, &system.kin, &mut system.scratch, &mut system.ldl).is_err() {
        return;
    }
    let base: Vec<f64> = (0..v.len()).map(|dof| if tree.is_held(dof) { v[dof] } else { 0.0 }).collect();
    let mut momentum = base.clone();
    system.ldl.times(&mut momentum);
    momentum.iter_mut().for_each(|p| *p = -*p);
    for (link, twist) in twists.iter().enumerate() {
        let (mass, com) = (tree.links()[link].mass, system.kin.com[link]);
        let (linear, spin) = (twist.linear * mass, system.kin.inertia[link] * twist.angular);
        for dof in tree.path(link) {
            let axis = &system.kin.axis[dof];
            momentum[dof] += axis.at(com).dot(linear) + axis.angular.dot(spin);
        }
    }
    system.ldl.solve(&mut momentum);
    for (v, (answer, base)) in v.iter_mut().zip(momentum.iter().zip(&base)) {
        *v = answer + base;
    }
}

/// Rows of the equalities, and a row for each dof that keeps its value.
struct System {
    kin: TreeKinematics,
    scratch: TreeScratch,
    ldl: huygens_math::TreeLdl,
    rows: Projection,
    own: Projection,
    gap: Vec<f64>,
    zero: Vec<f64>,
}

impl System {
    fn new(tree: &Tree) -> Self {
        Self {
            kin: TreeKinematics::default(),
            scratch: TreeScratch::default(),
            ldl: tree.new_ldl(),
            rows: Projection::default(),
            own: Projection::default(),
            gap: Vec::new(),
            zero: vec![0.0; tree.dofs()],
        }
    }

    fn place(&mut self, tree: &Tree, q: &[f64], kept: impl Iterator<Item = usize>) -> Result<(), String> {
        kinematics(tree, q, &self.zero, &mut self.kin);
        joint_inertia(tree, &self.kin, &mut self.scratch, &mut self.ldl)
            .map_err(|_| "its mass matrix is singular where its loops close".to_owned())?;
        equality_projection(tree, &self.kin, q, &self.ldl, &mut self.own);
        equality_gaps(tree, &self.kin, q, &mut self.gap);
        let (n, m, kept) = (tree.dofs(), self.own.rows(), kept.collect::<Vec<_>>());
        let rows = self.rows.begin(m + kept.len(), n);
        for i in 0..m {
            rows[i * n..(i + 1) * n].copy_from_slice(self.own.row(i));
        }
        for (k, dof) in kept.iter().enumerate() {
            rows[(m + k) * n + dof] = 1.0;
        }
        self.gap.resize(m + kept.len(), 0.0);
        let scale = self.own.scale().to_vec();
        self.rows.factor(&self.ldl, |diagonal| diagonal[..m].copy_from_slice(&scale));
        Ok(())
    }

    fn size(&self) -> f64 {
        self.gap.iter().fold(0.0, |most, gap| scalar::max(most, gap.abs()))
    }

    /// The smallest change that takes the gaps away.
    fn solve(&mut self) -> Vec<f64> {
        let mut step = self.zero.clone();
        let mut room = vec![0.0; self.gap.len()];
        self.rows.correct(&mut self.gap, &mut room, &mut step);
        step
    }
}
