//! Rows at a state: Jacobian, reference and regularisation of everything that constrains a mechanism.

use super::super::mech::{Forward, Mechanism, MechanismState};
use super::super::model::{JointKind, Softness as FileSoftness};
use super::contact::{self, SoftContact};
use super::equality;
use super::work::SoftModel;
use huygens::contact::convex::{Impedance, SoftBlock, SoftLaw, SoftRows, Softness};
use huygens_math::{Quat, Twist, Vec3, scalar, trig};

/// Kinds of rows, in MuJoCo's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words of MuJoCo")]
pub enum RowKind {
    Equality,
    FrictionDof,
    FrictionTendon,
    LimitJoint,
    LimitTendon,
    ContactFrictionless,
    ContactPyramidal,
    ContactElliptic,
}

impl RowKind {
    /// Its word in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Equality => "equality",
            Self::FrictionDof => "friction_dof",
            Self::FrictionTendon => "friction_tendon",
            Self::LimitJoint => "limit_joint",
            Self::LimitTendon => "limit_tendon",
            Self::ContactFrictionless => "contact_frictionless",
            Self::ContactPyramidal => "contact_pyramidal",
            Self::ContactElliptic => "contact_elliptic",
        }
    }
}

/// What a row is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowInfo {
    /// Its kind.
    pub kind: RowKind,
    /// Id of the equality, dof, tendon, joint or contact.
    pub id: usize,
    /// Violation [m or rad], negative when a limit or contact is passed.
    pub pos: f64,
    /// Violation at which the row begins to act.
    pub margin: f64,
    /// J v.
    pub vel: f64,
    /// The inverse mass that scales its softness.
    pub inverse_mass: f64,
}

impl RowInfo {
    pub(super) fn new(kind: RowKind, id: usize, inverse_mass: f64) -> Self {
        Self { kind, id, pos: 0.0, margin: 0.0, vel: 0.0, inverse_mass }
    }
}

impl From<FileSoftness> for Softness {
    fn from(s: FileSoftness) -> Self {
        Self { solref: s.solref, solimp: s.solimp }
    }
}

/// Where rows are made: the state and what was computed there.
pub(super) struct Place<'a> {
    pub soft: &'a SoftModel,
    pub m: &'a Mechanism,
    pub state: &'a MechanismState,
    pub f: &'a Forward,
    /// Accelerations of the links when no dof accelerates.
    pub links: &'a [Twist],
}

/// The rows that are being made.
pub(super) struct Making<'a> {
    pub rows: &'a mut SoftRows,
    pub info: &'a mut Vec<RowInfo>,
    pub columns: &'a mut Vec<usize>,
    pub ends: &'a mut Vec<End>,
}

/// A dof that moves one of two links.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub dof: usize,
    /// 1 for the second link, −1 for the first one, 0 for a dof that moves both as one.
    pub sign: f64,
}

impl Making<'_> {
    /// Adds a block over the dofs that move one of two links.
    pub fn between(&mut self, m: &Mechanism, links: [usize; 2], law: SoftLaw, count: usize) -> SoftBlock {
        self.columns.clear();
        for link in links {
            self.columns.extend(m.tree.path(link));
        }
        self.columns.sort_unstable();
        self.columns.dedup();
        self.rows.push(law, count, self.columns)
    }

    /// Adds a block over the dofs that move two links against each other, which are left in `ends`, ascending.
    pub fn against(
        &mut self,
        m: &Mechanism,
        [first, second]: [usize; 2],
        law: SoftLaw,
        count: usize,
    ) -> SoftBlock {
        self.ends.clear();
        let (mut a, mut b) = (m.tree.path(first).peekable(), m.tree.path(second).peekable());
        // Paths descend: the higher of the two dofs comes next, and from the first that they share on all move both links.
        while a.peek() != b.peek() {
            let (x, y) = (a.peek().copied(), b.peek().copied());
            let of_second = x < y;
            let Some(dof) = (if of_second { b.next() } else { a.next() }) else { break };
            self.ends.push(End { dof, sign: if of_second { 1.0 } else { -1.0 } });
        }
        if self.ends.is_empty() {
            self.ends.extend(a.map(|dof| End { dof, sign: 0.0 }));
        }
        self.ends.reverse();
        self.columns.clear();
        self.columns.extend(self.ends.iter().map(|end| end.dof));
        self.rows.push(law, count, self.columns)
    }

    /// Adds `sign` times the entries that `value` gives for a row and a dof of the link's path.
    pub fn add(
        &mut self,
        place: &Place<'_>,
        block: &SoftBlock,
        link: usize,
        sign: f64,
        value: &dyn Fn(usize, usize) -> f64,
    ) {
        for dof in place.m.tree.path(link) {
            let Ok(column) = self.columns.binary_search(&dof) else { continue };
            for row in 0..block.rows {
                self.rows.row_of_mut(block, row)[column] += sign * value(row, dof);
            }
        }
    }

    /// J v of a row.
    pub fn velocity(&self, block: &SoftBlock, row: usize, v: &[f64]) -> f64 {
        self.rows.row_of(block, row).iter().zip(self.rows.columns_of(block)).map(|(j, &dof)| j * v[dof]).sum()
    }

    /// Fills reference and regularisation of a row.
    pub fn finish(&mut self, block: &SoftBlock, row: usize, impedance: &Impedance, info: RowInfo) {
        let at = block.first + row;
        self.rows.aref[at] = impedance.reference(info.vel, info.pos - info.margin);
        self.rows.r[at] = impedance.regularisation(info.inverse_mass);
        self.info.push(info);
    }
}

/// Makes all rows at a state, in MuJoCo's order.
pub(super) fn make(place: &Place<'_>, contacts: &[SoftContact], making: &mut Making<'_>) {
    making.rows.clear();
    making.info.clear();
    let on = |flag: &str| place.soft.options.on(flag);
    if !on("constraint") {
        return;
    }
    if on("equality") {
        equality::rows(place, making);
    }
    if on("frictionloss") {
        friction(place, making);
    }
    if on("limit") {
        limits(place, making);
    }
    if on("contact") {
        contact::rows(place, contacts, making);
    }
    if place.soft.options.enabled.iter().any(|f| f == "diagexact") {
        exact_diagonal(place, making);
    }
}

/// A row of one block: its Jacobian is given dense or by one dof.
fn single(
    place: &Place<'_>,
    making: &mut Making<'_>,
    law: SoftLaw,
    entries: &[(usize, f64)],
) -> (SoftBlock, f64) {
    making.columns.clear();
    making.columns.extend(entries.iter().map(|(dof, _)| *dof));
    let block = making.rows.push(law, 1, making.columns);
    let row = making.rows.row_of_mut(&block, 0);
    row.iter_mut().zip(entries).for_each(|(to, (_, value))| *to = *value);
    let velocity = making.velocity(&block, 0, &place.state.qvel);
    (block, velocity)
}

fn tendon_entries(place: &Place<'_>, tendon: usize, factor: f64) -> Vec<(usize, f64)> {
    let n = place.m.tree.dofs();
    let row = &place.f.tendon_rows[tendon * n..(tendon + 1) * n];
    row.iter().enumerate().filter(|(_, j)| **j != 0.0).map(|(dof, j)| (dof, factor * j)).collect()
}

fn friction(place: &Place<'_>, making: &mut Making<'_>) {
    let soft = place.soft;
    let mut add = |entries: &[(usize, f64)], loss: f64, softness: FileSoftness, info: RowInfo| {
        let (block, vel) = single(place, making, SoftLaw::Friction { loss }, entries);
        let mut impedance = Softness::from(softness).at(0.0, soft.least_time);
        impedance.k = 0.0;
        making.finish(&block, 0, &impedance, RowInfo { vel, ..info });
    };
    for joint in soft.joints.iter().filter(|j| j.frictionloss > 0.0) {
        for dof in joint.dof..joint.dof + joint.kind.sizes()[1] {
            let info = RowInfo::new(RowKind::FrictionDof, dof, soft.weights.dof[dof]);
            add(&[(dof, 1.0)], joint.frictionloss, joint.friction, info);
        }
    }
    for (id, tendon) in soft.tendons.iter().enumerate().filter(|(_, t)| t.frictionloss > 0.0) {
        let entries = tendon_entries(place, id, 1.0);
        let info = RowInfo::new(RowKind::FrictionTendon, id, soft.weights.tendon[id]);
        add(&entries, tendon.frictionloss, tendon.friction, info);
    }
}

fn limits(place: &Place<'_>, making: &mut Making<'_>) {
    let soft = place.soft;
    let mut add = |entries: &[(usize, f64)], softness: FileSoftness, info: RowInfo| {
        let (block, vel) = single(place, making, SoftLaw::Unilateral, entries);
        let impedance = Softness::from(softness).at(info.pos - info.margin, soft.least_time);
        making.finish(&block, 0, &impedance, RowInfo { vel, ..info });
    };
    for (id, joint) in soft.joints.iter().enumerate().filter(|(_, j)| j.limited) {
        let info = RowInfo::new(RowKind::LimitJoint, id, soft.weights.dof[joint.dof]);
        let info = RowInfo { margin: joint.margin, ..info };
        match joint.kind {
            JointKind::Hinge | JointKind::Slide => {
                let q = place.state.qpos[joint.qpos];
                for (pos, sign) in [(q - joint.range[0], 1.0), (joint.range[1] - q, -1.0)] {
                    if pos < joint.margin {
                        add(&[(joint.dof, sign)], joint.limit, RowInfo { pos, ..info });
                    }
                }
            }
            JointKind::Ball => {
                let q = &place.state.qpos[joint.qpos..joint.qpos + 4];
                let (axis, angle) = axis_and_angle(Quat::from_xyzw(q[1], q[2], q[3], q[0]).normalize());
                let pos = scalar::max(joint.range[0], joint.range[1]) - angle;
                if pos < joint.margin {
                    let entries = [0, 1, 2].map(|k| (joint.dof + k, -axis[k]));
                    add(&entries, joint.limit, RowInfo { pos, ..info });
                }
            }
            JointKind::Free => {}
        }
    }
    for (id, tendon) in soft.tendons.iter().enumerate().filter(|(_, t)| t.limited) {
        let length = place.f.tendon_length[id];
        for (pos, sign) in [(length - tendon.range[0], 1.0), (tendon.range[1] - length, -1.0)] {
            if pos < tendon.margin {
                let info = RowInfo::new(RowKind::LimitTendon, id, soft.weights.tendon[id]);
                let info = RowInfo { pos, margin: tendon.margin, ..info };
                add(&tendon_entries(place, id, sign), tendon.limit, info);
            }
        }
    }
}

/// Unit axis and angle in [0, π] of a rotation.
fn axis_and_angle(q: Quat) -> (Vec3, f64) {
    let v = Vec3::new(q.x, q.y, q.z);
    let sine = v.length();
    if sine < 1e-15 {
        return (Vec3::X, 0.0);
    }
    let angle = 2.0 * trig::atan2(sine, q.w);
    if angle > std::f64::consts::PI {
        (-v / sine, 2.0 * std::f64::consts::PI - angle)
    } else {
        (v / sine, angle)
    }
}

/// Replaces the inverse masses of the start pose by those that rows have here.
fn exact_diagonal(place: &Place<'_>, making: &mut Making<'_>) {
    let n = place.m.tree.dofs();
    let exact = |rows: &SoftRows, block: &SoftBlock, row: usize| {
        let mut j = vec![0.0; n];
        rows.columns_of(block).iter().zip(rows.row_of(block, row)).for_each(|(&dof, x)| j[dof] = *x);
        let mut y = j.clone();
        place.f.factored.solve(&mut y);
        j.iter().zip(&y).map(|(j, y)| j * y).sum::<f64>()
    };
    for k in 0..making.rows.blocks.len() {
        let block = making.rows.blocks[k];
        let joint = matches!(block.law, SoftLaw::Pyramid | SoftLaw::Elliptic { .. });
        let mut factor = 1.0;
        for row in 0..block.rows {
            let at = block.first + row;
            // Rows of a contact keep their ratios: the inverse mass of the first one is made exact.
            if row == 0 || !joint {
                factor = exact(making.rows, &block, row) / scalar::max(1e-15, making.info[at].inverse_mass);
            }
            making.rows.r[at] = scalar::max(1e-15, making.rows.r[at] * factor);
        }
    }
}
