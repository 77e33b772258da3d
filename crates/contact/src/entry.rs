//! Blocks: the entries of a group, whatever its law. The one file that asks whether a group is a contact.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | p, τ | `BlockRows` | impulses of a block: along n, t₁, t₂, then couples about n, t₁, t₂; a row has the first alone | N·s, N·m·s |
//! | u, ω | `BlockRows` | velocities of the same rows | m/s, rad/s |
//! | μ, a_s, a_r | `Cone` | friction, and the levers against spinning and rolling | –, m |
//!
//! A block has one leading row with an impulse in [lo, hi]: the normal of a contact point, or a row of a joint, a limit or a motor. The
//! further rows of a contact point are discs whose radii are multiples of its normal impulse: |p_t| ≤ μ p_n, |τ_n| ≤ a_s p_n and
//! |τ_t| ≤ a_r p_n. So a block is a row, or a point with 1, 3, 4, 5 or 6 rows.

use crate::demand::{Spring, Target};
use crate::prepare::{PointData, RowData};
use crate::solution::{Impulses, ImpulsesMut};
use crate::{
    ContactProblem, Groups, Head, Law, Material, NO_COUPLE, Point, RowPart, Scratch, SpanIdx, Velocity,
};
use huygens_math::BlockInertia;

/// Rows of a block; those that it does not have are zero.
pub(crate) type BlockRows = [f64; 6];

/// What bounds the further rows of a block: radii of discs for a leading impulse of 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cone {
    /// μ while it sticks.
    pub stick: f64,
    /// μ while it slips.
    pub slip: f64,
    /// Lever against spinning [m].
    pub spin: f64,
    /// Lever against rolling [m].
    pub roll: f64,
}

impl Cone {
    /// The cone of a material.
    pub(crate) fn of(material: &Material) -> Self {
        Self {
            stick: material.friction_static,
            slip: material.friction_dynamic,
            spin: material.friction_torsional,
            roll: material.friction_rolling,
        }
    }
}

impl Material {
    /// Whether contacts of this material resist spinning or rolling.
    pub fn has_levers(&self) -> bool {
        self.friction_torsional > 0.0 || self.friction_rolling > 0.0
    }
}

/// What an entry is.
#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    /// A contact point, with its place among the couples, or [`NO_COUPLE`].
    Point(&'a Point, u32),
    /// A row of another law.
    Row,
}

/// One block of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    groups: &'a Groups,
    pub head: &'a Head,
    /// Index into the points, or into the rows.
    pub index: usize,
    kind: Kind<'a>,
}

impl Head {
    /// True for a contact: its entries are points.
    #[inline(always)]
    fn is_contact(&self) -> bool {
        self.law == Law::Contact
    }

    /// True for motors and springs, which bring energy by right and have no place to keep.
    #[inline(always)]
    pub(crate) fn is_motor(&self) -> bool {
        self.is_soft || matches!(self.law, Law::Bounded { .. } | Law::Drive { .. })
    }

    /// True for rows that give way and store energy, which they return; a motor stores none: all that it does is its own work.
    pub fn stores_energy(&self) -> bool {
        self.is_soft && !matches!(self.law, Law::Bounded { .. } | Law::Drive { .. })
    }

    /// Places of the couples of its points in [`Solution::couples`]; empty where it has none.
    #[inline(always)]
    pub fn couples(&self) -> std::ops::Range<usize> {
        if self.couple == NO_COUPLE {
            return 0..0;
        }
        self.couple as usize..self.couple as usize + self.len as usize
    }
}

impl Groups {
    /// The blocks of a group.
    #[inline(always)]
    pub(crate) fn entries<'a>(
        &'a self,
        head: &'a Head,
    ) -> impl DoubleEndedIterator<Item = Entry<'a>> + ExactSizeIterator {
        head.range().map(move |index| self.entry(head, index))
    }

    /// Entry `index` of a group: a point or a row.
    #[inline(always)]
    pub(crate) fn entry<'a>(&'a self, head: &'a Head, index: usize) -> Entry<'a> {
        let kind = if head.is_contact() {
            let couple =
                if head.couple == NO_COUPLE { NO_COUPLE } else { head.couple + (index as u32 - head.first) };
            Kind::Point(&self.points[index], couple)
        } else {
            Kind::Row
        };
        Entry { groups: self, head, index, kind }
    }

    /// The points of a group; none for a group of rows.
    #[inline(always)]
    pub(crate) fn points_of(&self, head: &Head) -> &[Point] {
        &self.points[self.point_range(head)]
    }

    /// Places of the points of a group; empty for a group of rows.
    #[inline(always)]
    pub fn point_range(&self, head: &Head) -> std::ops::Range<usize> {
        if head.is_contact() { head.range() } else { 0..0 }
    }

    /// Places of the rows of a group; empty for a contact.
    #[inline(always)]
    pub(crate) fn row_range(&self, head: &Head) -> std::ops::Range<usize> {
        if head.is_contact() { 0..0 } else { head.range() }
    }

    /// Number of points or rows of which the entries of a group are some.
    #[inline(always)]
    pub(crate) fn entry_count(&self, head: &Head) -> usize {
        if head.is_contact() { self.points.len() } else { self.rows.len() }
    }

    /// Restitution of a group: that of its material for a rigid contact, else 0. A contact that gives way throws back by its spring.
    #[inline(always)]
    pub(crate) fn restitution(&self, head: &Head) -> f64 {
        let is_rigid_contact = head.is_contact() && !head.is_soft;
        if is_rigid_contact { self.materials[head.material as usize].restitution } else { 0.0 }
    }

    /// The contacts among the groups.
    pub fn contacts(&self) -> impl Iterator<Item = &Head> {
        self.heads.iter().filter(|head| head.is_contact())
    }

    /// The groups whose entries are rows: joints, limits and motors.
    pub(crate) fn row_groups(&self) -> impl Iterator<Item = &Head> {
        self.heads.iter().filter(|head| !head.is_contact())
    }

    /// Group `index`, if it is a contact.
    pub(crate) fn contact(&self, index: usize) -> Option<&Head> {
        self.heads.get(index).filter(|head| head.is_contact())
    }

    /// As [`Self::row_groups`], to be changed.
    pub(crate) fn row_groups_mut(&mut self) -> impl Iterator<Item = &mut Head> {
        self.heads.iter_mut().filter(|head| !head.is_contact())
    }

    /// The contacts of an island, which is given by its groups.
    #[inline(always)]
    pub(crate) fn contacts_among<'a>(&'a self, island: &'a [u32]) -> impl Iterator<Item = &'a Head> {
        island.iter().map(|&group| &self.heads[group as usize]).filter(|head| head.is_contact())
    }

    /// True for a group whose rows may act on more than its two sides.
    #[inline(always)]
    pub(crate) fn may_have_parts(&self, head: &Head) -> bool {
        !self.parts.is_empty() && !head.is_contact()
    }

    /// Bodies and trees that the rows of a group act on beyond its two sides; a contact has none.
    #[inline(always)]
    pub(crate) fn parts_of_group<'a>(&'a self, head: &Head) -> impl Iterator<Item = &'a RowPart> {
        let rows = if self.may_have_parts(head) { head.range() } else { 0..0 };
        rows.flat_map(|i| self.parts_of(i))
    }

    /// Numbers the points of a contact whose material has levers: they then have couples.
    pub fn add_couples(&mut self, head: &mut Head) {
        head.couple = NO_COUPLE;
        if self.materials[head.material as usize].has_levers() {
            head.couple = self.couples;
            self.couples += u32::from(head.len);
        }
    }
}

/// The rows of a block that has the first three, or one.
#[inline(always)]
fn lead<const N: usize>(u: [f64; N]) -> BlockRows {
    let mut rows = [0.0; 6];
    rows[..N].copy_from_slice(&u);
    rows
}

#[inline(always)]
fn both(u: [f64; 3], spin: [f64; 3]) -> BlockRows {
    [u[0], u[1], u[2], spin[0], spin[1], spin[2]]
}

/// The first three rows of a block.
#[inline(always)]
pub(crate) fn push_of(p: &BlockRows) -> [f64; 3] {
    [p[0], p[1], p[2]]
}

/// The last three rows of a block.
#[inline(always)]
pub(crate) fn couple_of(p: &BlockRows) -> [f64; 3] {
    [p[3], p[4], p[5]]
}

impl<'a> Entry<'a> {
    /// The contact point, or none for a row.
    #[inline(always)]
    pub(crate) fn point(&self) -> Option<&'a Point> {
        match self.kind {
            Kind::Point(point, _) => Some(point),
            Kind::Row => None,
        }
    }

    /// Rows of the entry over the dofs of trees.
    #[inline(always)]
    pub(crate) fn tree(&self) -> Option<SpanIdx> {
        match self.kind {
            Kind::Point(point, _) => point.tree,
            Kind::Row => self.groups.rows[self.index].tree,
        }
    }

    /// Place of its couple in [`Solution::couples`].
    #[inline(always)]
    pub(crate) fn couple(&self) -> Option<usize> {
        match self.kind {
            Kind::Point(_, couple) if couple != NO_COUPLE => Some(couple as usize),
            Kind::Point(..) | Kind::Row => None,
        }
    }

    /// Number of rows that its impulses are stored in: 1, 3 or 6.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        match self.kind {
            Kind::Row => 1,
            Kind::Point(_, NO_COUPLE) => 3,
            Kind::Point(..) => 6,
        }
    }

    /// Its cone; a row has none.
    pub(crate) fn cone(&self) -> Cone {
        match self.kind {
            Kind::Row => Cone::default(),
            Kind::Point(_, couple) => {
                let cone = Cone::of(&self.groups.materials[self.head.material as usize]);
                if couple == NO_COUPLE { Cone { spin: 0.0, roll: 0.0, ..cone } } else { cone }
            }
        }
    }

    /// Position error of the leading row [m or rad]: the gap of a contact point or a limit.
    #[inline(always)]
    pub(crate) fn error(&self) -> f64 {
        match self.kind {
            Kind::Point(point, _) => point.gap,
            Kind::Row => self.groups.rows[self.index].error,
        }
    }

    /// Velocity that a row is asked for beyond its position error; 0 for a contact point.
    #[inline(always)]
    pub(crate) fn row_target(&self) -> f64 {
        match self.kind {
            Kind::Point(..) => 0.0,
            Kind::Row => self.groups.rows[self.index].target,
        }
    }

    /// Part of the velocity that its leading row is asked for that stabilisation added; for a rigid row.
    pub(crate) fn bias(&self, problem: &ContactProblem) -> f64 {
        match self.kind {
            Kind::Point(..) if problem.airborne.get(self.index) == Some(&true) => 0.0,
            Kind::Point(..) => self.groups.point_target(problem.h, self.head, self.index).bias,
            Kind::Row => self.groups.row_target(problem.h, self.head, &self.groups.rows[self.index]).bias,
        }
    }

    /// Spring and damper of the leading row; `None` for a rigid one.
    pub(crate) fn spring(&self, m: &BlockInertia) -> Option<Spring> {
        let mass = if self.head.is_soft { self.first_mass(m) } else { 0.0 };
        if mass > 0.0 { self.groups.spring(self.head, 1.0 / mass) } else { None }
    }

    /// Number of rows that it needs: 1, 3, 4, 5 or 6, by its cone.
    pub(crate) fn dimension(&self) -> usize {
        let cone = self.cone();
        let has = [cone.stick > 0.0 || cone.slip > 0.0, cone.spin > 0.0, cone.roll > 0.0];
        1 + has.into_iter().zip([2, 1, 2]).map(|(has, rows)| if has { rows } else { 0 }).sum::<usize>()
    }

    /// Place among all entries: points first, rows after them.
    #[inline(always)]
    pub(crate) fn slot(&self) -> usize {
        match self.kind {
            Kind::Point(..) => self.index,
            Kind::Row => self.groups.points.len() + self.index,
        }
    }

    /// Velocities, prescribed ones included, targets not.
    #[inline(always)]
    pub(crate) fn relative(&self, v: &Velocity) -> BlockRows {
        match self.kind {
            Kind::Row => lead([self.groups.relative_row(self.head, self.index, v)]),
            Kind::Point(point, NO_COUPLE) => lead(self.groups.relative(self.head, point, v)),
            Kind::Point(point, _) => {
                both(self.groups.relative(self.head, point, v), self.groups.spin(self.head, point, v))
            }
        }
    }

    /// The same for a velocity of the end of the step, where the law holds.
    #[inline(always)]
    pub(crate) fn relative_at_end(&self, v: &Velocity) -> BlockRows {
        match self.kind {
            Kind::Row => lead([self.groups.relative_row(self.head, self.index, v)]),
            Kind::Point(point, NO_COUPLE) => lead(self.groups.relative_at_end(self.head, point, v)),
            Kind::Point(point, _) => {
                both(self.groups.relative_at_end(self.head, point, v), self.groups.spin(self.head, point, v))
            }
        }
    }

    /// Velocity of the leading row at the end of the step.
    #[inline(always)]
    pub(crate) fn first_at_end(&self, v: &Velocity) -> f64 {
        match self.kind {
            Kind::Row => self.groups.relative_row(self.head, self.index, v),
            Kind::Point(point, _) => self.groups.relative_at_end(self.head, point, v)[0],
        }
    }

    /// J v of the leading row: velocity, displacement or acceleration without what is prescribed.
    #[inline(always)]
    pub(crate) fn first_rate(&self, v: &Velocity) -> f64 {
        match self.kind {
            Kind::Row => self.groups.rate_row(self.head, self.index, v),
            Kind::Point(point, _) => self.groups.normal_rate(self.head, point, v),
        }
    }

    /// 1/W of the leading row; 0 when it cannot move.
    pub(crate) fn first_mass(&self, m: &BlockInertia) -> f64 {
        match self.kind {
            Kind::Row => self.groups.row_mass(m, self.head, self.index),
            Kind::Point(point, _) => self.groups.normal_mass(m, self.head, point),
        }
    }

    /// Adds M⁻¹Jᵀp to a velocity.
    #[inline(always)]
    pub(crate) fn apply(&self, m: &BlockInertia, p: &BlockRows, v: &mut Velocity) {
        match self.kind {
            Kind::Row => self.groups.apply_row(m, self.head, self.index, p[0], v),
            Kind::Point(point, couple) => {
                self.groups.apply(m, self.head, point, push_of(p), v);
                if couple != NO_COUPLE {
                    self.groups.apply_couple(m, self.head, point, couple_of(p), v);
                }
            }
        }
    }

    /// Adds what an impulse of the leading row alone does.
    #[inline(always)]
    pub(crate) fn apply_first(&self, m: &BlockInertia, p: f64, v: &mut Velocity) {
        match self.kind {
            Kind::Row => self.groups.apply_row(m, self.head, self.index, p, v),
            Kind::Point(point, _) => self.groups.apply(m, self.head, point, [p, 0.0, 0.0], v),
        }
    }

    /// Its impulses among those of a problem.
    #[inline(always)]
    pub(crate) fn impulse(&self, of: Impulses) -> BlockRows {
        match self.kind {
            Kind::Row => lead([of.rows[self.index]]),
            Kind::Point(_, NO_COUPLE) => lead(of.points[self.index]),
            Kind::Point(_, couple) => both(of.points[self.index], of.couples[couple as usize]),
        }
    }

    /// Puts its impulses in their places.
    #[inline(always)]
    pub(crate) fn set(&self, out: ImpulsesMut, p: &BlockRows) {
        match self.kind {
            Kind::Row => out.rows[self.index] = p[0],
            Kind::Point(_, couple) => {
                out.points[self.index] = push_of(p);
                if couple != NO_COUPLE {
                    out.couples[couple as usize] = couple_of(p);
                }
            }
        }
    }
}

/// What the sweeps need of all entries.
#[derive(Clone, Copy)]
pub(crate) struct Prepared<'a> {
    pub points: &'a [PointData],
    pub rows: &'a [RowData],
}

impl Prepared<'_> {
    /// W δ of an entry's own block, without its couple.
    #[inline(always)]
    pub(crate) fn answer(&self, entry: &Entry, delta: [f64; 3]) -> [f64; 3] {
        match entry.kind {
            Kind::Row => [self.rows[entry.index].w * delta[0], 0.0, 0.0],
            Kind::Point(..) => self.points[entry.index].answer(delta),
        }
    }

    /// R of the leading row of an entry; 0 for a rigid one.
    #[inline(always)]
    pub(crate) fn regularisation(&self, entry: &Entry) -> f64 {
        match entry.kind {
            Kind::Row => self.rows[entry.index].regularisation,
            Kind::Point(..) => self.points[entry.index].regularisation,
        }
    }

    /// Velocity that the leading row of an entry is asked for.
    #[inline(always)]
    pub(crate) fn target(&self, entry: &Entry) -> Target {
        match entry.kind {
            Kind::Row => self.rows[entry.index].target,
            Kind::Point(..) => self.points[entry.index].target,
        }
    }

    /// 1/W of the leading row of an entry, or 0 when it cannot move.
    #[inline(always)]
    pub(crate) fn inverse(&self, entry: &Entry) -> f64 {
        match entry.kind {
            Kind::Row => self.rows[entry.index].inverse,
            Kind::Point(..) => self.points[entry.index].block.inverse_nn,
        }
    }
}

impl Scratch {
    /// What the sweeps need of all entries.
    #[inline(always)]
    pub(crate) fn prepared(&self) -> Prepared<'_> {
        Prepared { points: &self.points, rows: &self.rows }
    }
}
