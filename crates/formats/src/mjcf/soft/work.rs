//! A model's soft constraints, and the solve at a state.

use super::super::error::Fault;
use super::super::mech::{Forward, Mechanism, MechanismState, forward};
use super::super::mechanism::Machine;
use super::super::model::{Joint, Model, Options, Tendon};
use super::contact::SoftContact;
use super::equality::{self, SoftEquality};
use super::rows::{End, Making, Place, RowInfo, make};
use super::weights::Weights;
use huygens::contact::convex::{
    MassBlocks, Method, SoftOptions, SoftProblem, SoftReport, SoftRows, SoftScratch, SoftSolution, solve_soft,
};
use huygens_math::Twist;

/// What of a model's constraints does not change with its state.
#[derive(Clone, Debug)]
pub struct SoftModel {
    pub(super) options: Options,
    pub(super) joints: Vec<Joint>,
    pub(super) tendons: Vec<Tendon>,
    pub(super) equalities: Vec<SoftEquality>,
    pub(super) weights: Weights,
    /// The first dof of the tree of each dof.
    roots: Vec<usize>,
    /// Least time constant of a reference: two steps, unless `refsafe` is off [s].
    pub(super) least_time: f64,
    /// Options of the solve.
    pub solver: SoftOptions,
}

impl SoftModel {
    /// The constraints of a model.
    ///
    /// # Errors
    /// When a dof moves no mass.
    pub fn new(model: &Model) -> Result<Self, Fault> {
        let machine = Machine::bare(model)?;
        let (m, mut start) = (&machine.mechanism, Forward::default());
        forward(m, &machine.start(), &mut start);
        let o = &model.options;
        let count = |x: i64| u32::try_from(x.max(0)).unwrap_or(u32::MAX);
        let solver = SoftOptions {
            method: if o.solver == "CG" { Method::Cg } else { Method::Newton },
            iterations: count(o.iterations),
            tolerance: o.tolerance,
            noslip_iterations: count(o.noslip_iterations),
            ..SoftOptions::default()
        };
        Ok(Self {
            options: o.clone(),
            joints: model.joints.clone(),
            tendons: model.tendons.clone(),
            equalities: equality::resolve(model, m, &start),
            weights: Weights::new(model, m, &start),
            roots: (0..m.tree.dofs()).map(|dof| m.tree.path_from_dof(dof).last().unwrap_or(dof)).collect(),
            least_time: if o.on("refsafe") { 2.0 * o.timestep } else { 0.0 },
            solver,
        })
    }

    /// Switches equalities on or off, in the model's order.
    pub fn set_active(&mut self, active: &[bool]) {
        self.equalities.iter_mut().zip(active).for_each(|(e, active)| e.active = *active);
    }
}

/// Rows, forces and accelerations at a state, and room for the next ones.
#[derive(Clone, Debug, Default)]
pub struct SoftWork {
    /// The rows.
    pub rows: SoftRows,
    /// What each row is about.
    pub info: Vec<RowInfo>,
    /// Accelerations and forces.
    pub solution: SoftSolution,
    /// Acceleration from which the next solve starts; empty: zeros.
    pub warm: Vec<f64>,
    /// Acceleration of the first solve of a step, from which the next step starts.
    noted: Vec<f64>,
    mass: MassBlocks,
    scratch: SoftScratch,
    columns: Vec<usize>,
    ends: Vec<End>,
    links: Vec<Twist>,
}

impl SoftWork {
    /// Makes the rows at a state and solves them: `f` has acceleration and force with constraints afterwards.
    pub fn constrain(
        &mut self,
        soft: &SoftModel,
        m: &Mechanism,
        state: &MechanismState,
        contacts: &[SoftContact],
        f: &mut Forward,
    ) -> SoftReport {
        self.make_rows(soft, m, state, contacts, f);
        self.solve(soft, m, f)
    }

    /// Makes the rows at a state.
    pub fn make_rows(
        &mut self,
        soft: &SoftModel,
        m: &Mechanism,
        state: &MechanismState,
        contacts: &[SoftContact],
        f: &Forward,
    ) {
        // Equalities alone ask how links accelerate.
        if !soft.equalities.is_empty() {
            huygens_dynamics::accelerations(&m.tree, &f.kin, &[], &mut self.links);
        }
        let place = Place { soft, m, state, f, links: &self.links };
        let Self { rows, info, columns, ends, .. } = self;
        let mut making = Making { rows, info, columns, ends };
        make(&place, contacts, &mut making);
    }

    /// Solves the rows: `f` has acceleration and force with constraints afterwards.
    pub fn solve(&mut self, soft: &SoftModel, m: &Mechanism, f: &mut Forward) -> SoftReport {
        let n = m.tree.dofs();
        self.mass.fill_from_dense(&f.mass, n, |dof| soft.roots[dof]);
        self.warm.resize(n, 0.0);
        if !soft.options.on("warmstart") {
            self.warm.fill(0.0);
        }
        let problem =
            SoftProblem { mass: &self.mass, rows: &self.rows, smooth: &f.qacc_smooth, last: &self.warm };
        let report = solve_soft(&problem, &soft.solver, &mut self.scratch, &mut self.solution);
        f.qacc.clone_from(&self.solution.a);
        f.force.clone_from(&f.smooth);
        self.rows.add_transposed(&self.solution.force, &mut f.force);
        report
    }

    /// Notes the acceleration of this solve; [`Self::take_warm`] takes it as the start of the next one, when those between have started where
    /// this one did.
    pub(super) fn note_warm(&mut self) {
        self.noted.clone_from(&self.solution.warm);
    }

    pub(super) fn take_warm(&mut self) {
        std::mem::swap(&mut self.warm, &mut self.noted);
    }

    /// Takes the acceleration of this solve as the start of the next one.
    pub fn keep_warm(&mut self) {
        self.warm.clone_from(&self.solution.warm);
    }
}
