//! Every kernel of `soft-step` gives a lane the bits that it has alone, whatever is beside it.
//!
//! Random batches run with one lane, with four and with eight; contacts are given their lanes in random
//! order, with lanes without a contact between them. After each kernel every number of a contact, and every velocity and displacement,
//! must have the bits of the run with one lane.

use super::balls::Balls;
use super::batch::PADDING;
use super::body::{Bodies, LentBodies};
use super::build::{Item, NO_SURFACE, SurfaceSide};
use super::fill::Fill;
use super::kind::{
    GeneralFace, GeneralPair, GeneralPoint, Kind, LeverFace, LeverPair, LeverPoint, List, PlainFace,
    PlainPair, PlainPoint, contact_pass_in, normal_pass_in, prepare_in,
};
use super::pass::PassOptions;
use super::side_rows::SideRows;
use super::softness::Softness;
use crate::{
    ContactGraph, ContactProblem, CoupleImpulse, Demand, GroupKey, Groups, Head, Impulse, Law, Material,
    NO_COUPLE, Point, Recovery, Scale, Settings, Side, TreePath, TreeSpan, Velocity, Warm,
};
use huygens_math::lanes::{Lane, Level, WIDTH, f64x4, f64x8};
use huygens_math::{BlockInertia, FreeInertia, Pool, SplitMix, Sym3, TreeInertia, TreeLdl, Twist, Vec3};

const H: f64 = 0.01;
const SUBSTEPS: u32 = 2;
const SLOP: f64 = 5e-4;
const SCALE: Scale = Scale { length: 1.0, speed: 3.0 };

/// Which item each lane of each batch is.
type Layout = Vec<[u32; WIDTH]>;

/// Contacts that a kind of batch takes.
#[derive(Clone, Copy)]
struct Sort {
    /// Points of a contact: the least and the most.
    points: [usize; 2],
    are_balls: bool,
    /// Trees and locked bodies.
    is_general: bool,
    /// Levers of friction.
    has_levers: bool,
}

/// Contacts of which no two share a movable body.
struct Case {
    v_start: Velocity,
    v_free: Velocity,
    inertia: BlockInertia,
    groups: Groups,
    graph: ContactGraph,
    airborne: Vec<bool>,
    warm: Vec<Impulse>,
    /// Displacement that each body has already, by contacts of another colour.
    moved: Vec<Twist>,
    /// The same of the dofs of trees.
    moved_dofs: Vec<f64>,
    items: Vec<Item>,
    surfaces: Vec<SurfaceSide>,
    warm_couples: Vec<CoupleImpulse>,
    settings: Settings,
    recovery: Recovery,
}

/// A number that is often zero, of either sign.
fn or_zero(r: &mut SplitMix, x: f64) -> f64 {
    match r.index(6) {
        0 => 0.0,
        1 => -0.0,
        _ => x,
    }
}

/// A random vector up to that size, with zeros of either sign in it.
fn sparse(r: &mut SplitMix, size: f64) -> Vec3 {
    let v = r.in_cube() * size;
    Vec3::new(or_zero(r, v.x), or_zero(r, v.y), or_zero(r, v.z))
}

fn recovery(r: &mut SplitMix) -> Recovery {
    match r.index(4) {
        0 => Recovery::None,
        1 => Recovery::Baumgarte { erp: 0.2, cap: 1.0, max_step: f64::INFINITY },
        _ => Recovery::SplitImpulse { beta: 0.2, slop: SLOP, max_step: f64::INFINITY },
    }
}

/// A lever of friction, often none.
fn lever(r: &mut SplitMix, sort: Sort) -> f64 {
    if sort.has_levers { [0.0, 1e-3, 0.02, 0.05][r.index(4)] } else { 0.0 }
}

/// What came of a case.
struct History {
    /// The bits of every contact and of every body after each kernel.
    seen: Vec<Vec<u64>>,
    /// [`Kind::impulse`] of every contact at the end.
    impulses: Vec<[f64; 2]>,
}

/// How many contacts of each kind were compared: deep, open, without impulse, sticking, slipping.
#[derive(Debug, Default)]
struct Kinds {
    deep: usize,
    open: usize,
    free: usize,
    sticking: usize,
    slipping: usize,
}

impl Kinds {
    fn count(&mut self, case: &Case, impulses: &[[f64; 2]]) {
        for (head, [normal, tangential]) in case.groups.heads.iter().zip(impulses) {
            let gaps = || case.groups.points[head.range()].iter().map(|point| point.gap);
            let has_slop = matches!(case.recovery, Recovery::SplitImpulse { .. });
            self.deep += usize::from(has_slop && gaps().any(|gap| gap < -SLOP));
            self.open += usize::from(gaps().any(|gap| gap > 0.0));
            self.free += usize::from(*normal == 0.0);
            let bound = case.groups.materials[head.material as usize].friction_dynamic * normal;
            self.sticking += usize::from(*tangential > 0.0 && *tangential < 0.9 * bound);
            self.slipping += usize::from(bound > 0.0 && *tangential > 0.99 * bound);
        }
    }
}

impl Case {
    fn random(r: &mut SplitMix, contacts: usize, sort: Sort) -> Self {
        let recovery = recovery(r);
        let mut settings = Settings::for_scale(SCALE);
        settings.soft.substeps = SUBSTEPS;
        let mut case = Self {
            v_start: Velocity::default(),
            v_free: Velocity::default(),
            inertia: BlockInertia::default(),
            groups: Groups::default(),
            graph: ContactGraph::default(),
            airborne: Vec::new(),
            warm: Vec::new(),
            moved: Vec::new(),
            moved_dofs: Vec::new(),
            items: Vec::new(),
            surfaces: Vec::new(),
            warm_couples: Vec::new(),
            settings,
            recovery,
        };
        // Two drivers that several contacts share; one of them has zeros of both signs.
        case.groups.driven = vec![
            Twist::new(Vec3::new(-0.0, 0.0, -0.0), Vec3::new(0.0, -0.0, -0.0)),
            Twist::new(sparse(r, 1.0), sparse(r, 1.0)),
        ];
        let is_warm = r.index(4) > 0;
        for _ in 0..contacts {
            let len = sort.points[0] + r.index(sort.points[1] - sort.points[0] + 1);
            case.contact(r, len, sort);
        }
        if !is_warm {
            case.warm.clear();
            case.warm_couples.clear();
        }
        case.graph.build(&case.groups, &case.inertia);
        case
    }

    fn body(&mut self, r: &mut SplitMix, sort: Sort) -> Side {
        if sort.is_general && r.index(2) == 0 {
            return self.tree(r);
        }
        let inv_mass = if r.index(12) == 0 { 0.0 } else { 1.0 / r.range(0.1, 20.0) };
        let moments = Vec3::new(r.range(0.5, 60.0), r.range(0.5, 60.0), r.range(0.5, 60.0)) * inv_mass;
        let mut inv_inertia = if sort.are_balls {
            Sym3::diagonal(Vec3::splat(moments.x))
        } else {
            Sym3::rotated_diagonal(moments, r.rotation())
        };
        let mut inv_mass = Vec3::splat(inv_mass);
        if sort.is_general && r.index(3) == 0 {
            // Locked axes: some of the three directions, all turns but one.
            inv_mass *= [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 0.0, 1.0)][r.index(3)];
            inv_inertia = Sym3::diagonal(Vec3::new(0.0, moments.y, 0.0));
        }
        self.inertia.free.push(FreeInertia { inv_mass, inv_inertia });
        let start = Twist::new(sparse(r, 1.0), sparse(r, 3.0));
        let kick = Vec3::new(0.0, 0.0, or_zero(r, -9.81 * H));
        self.v_start.free.push(start);
        self.v_free.free.push(Twist::new(start.linear + kick, start.angular));
        // A displacement is a sum that begins with +0, so that it is never −0.
        let moved = Twist::new(r.in_cube() * 2e-3, r.in_cube() * 2e-3);
        self.moved.push(if r.index(3) > 0 { moved } else { Twist::ZERO });
        Side::Free(self.v_start.free.len() as u32 - 1)
    }

    /// A tree with a diagonal mass matrix: its dofs, their rows come with the points.
    fn tree(&mut self, r: &mut SplitMix) -> Side {
        let dofs = 1 + r.index(8);
        let mut ldl = TreeLdl::new(&vec![None; dofs]);
        (0..dofs).for_each(|i| ldl.matrix_mut()[i * dofs + i] = r.range(0.1, 5.0));
        ldl.factor().expect("positive definite");
        self.inertia.trees.push(TreeInertia {
            first_dof: self.v_start.dof.len() as u32,
            ldl,
            ..TreeInertia::default()
        });
        for _ in 0..dofs {
            let (start, kick) = (or_zero(r, 1.0), or_zero(r, -0.05));
            self.v_start.dof.push(start * r.range(-1.0, 1.0));
            self.v_free.dof.push(self.v_start.dof.last().copied().unwrap_or_default() + kick);
            self.moved_dofs.push(if r.index(3) > 0 { r.range(-1e-3, 1e-3) } else { 0.0 });
        }
        Side::Tree(self.inertia.trees.len() as u32 - 1)
    }

    /// Rows of the points of a contact, and of its spin, over the dofs of its trees: each dof moves its link by a random twist.
    fn tree_rows(&mut self, r: &mut SplitMix, head: &Head) {
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        let mut twists: [Vec<Twist>; 2] = Default::default();
        let mut paths = [TreePath::default(); 2];
        for k in 0..2 {
            let Side::Tree(tree) = head.side[k] else { continue };
            let block = &self.inertia.trees[tree as usize];
            let dofs = block.first_dof..block.first_dof + block.ldl.len() as u32;
            // Every other dof may not be on the path.
            let path: Vec<u32> = dofs.filter(|_| r.index(4) > 0).collect();
            twists[k] = path.iter().map(|_| Twist::new(sparse(r, 1.0), sparse(r, 2.0))).collect();
            paths[k] = self.groups.tree.push_path(path);
        }
        let rows = &mut self.groups.tree;
        for i in head.range() {
            let mut spans = [TreeSpan::default(); 2];
            for k in 0..2 {
                let Side::Tree(tree) = head.side[k] else { continue };
                let (sign, arm) = (if k == 0 { 1.0 } else { -1.0 }, self.groups.points[i].arm[k]);
                let block = &self.inertia.trees[tree as usize];
                let point = |n: usize| axes.map(|axis| sign * axis.dot(twists[k][n].at(arm)));
                spans[k] = if head.couple == NO_COUPLE {
                    rows.push_span(block, paths[k], |n, _| point(n))
                } else {
                    rows.push_span(block, paths[k], |n, _| {
                        let [a, b, c] = axes.map(|axis| sign * axis.dot(twists[k][n].angular));
                        let [x, y, z] = point(n);
                        [x, y, z, a, b, c]
                    })
                };
            }
            self.groups.points[i].tree = Some(rows.push(spans));
        }
    }

    fn contact(&mut self, r: &mut SplitMix, len: usize, sort: Sort) {
        let are_balls = sort.are_balls;
        let other = match r.index(if are_balls { 3 } else { 6 }) {
            0 => Side::Fixed,
            3 => Side::Driven(0),
            4 => Side::Driven(1),
            _ => self.body(r, sort),
        };
        let mut side = [self.body(r, sort), other];
        if r.index(2) == 0 {
            side.swap(0, 1);
        }
        let normal = r.direction();
        // Levers take part of what friction would hold: more of them stick with more friction.
        let mu = [if sort.has_levers { 2.0 } else { 0.0 }, 0.05, 0.5, 2.0][r.index(4)];
        let (spinning, rolling) = (lever(r, sort), lever(r, sort));
        self.groups.materials.push(Material {
            restitution: 0.0,
            friction_static: mu * 1.2,
            friction_dynamic: mu,
            friction_torsional: spinning,
            friction_rolling: rolling,
        });
        let mut couple = NO_COUPLE;
        if spinning > 0.0 || rolling > 0.0 {
            couple = self.groups.couples;
            self.groups.couples += len as u32;
            self.warm_couples.extend((0..len).map(|_| [1e-3, -1e-3, 1e-2].map(|size| or_zero(r, size))));
        }
        let (at, first) = (self.groups.heads.len() as u32, self.groups.points.len() as u32);
        let head = Head {
            key: GroupKey::contact([at, 0], [0; 2]),
            side,
            law: Law::Contact,
            demand: 0,
            is_soft: false,
            first,
            len: len as u8,
            material: at,
            couple,
            normal,
            tangent: normal.any_orthonormal_vector(),
        };
        self.groups.heads.push(head);
        let surface = if !are_balls && matches!(other, Side::Fixed | Side::Driven(_)) && r.index(2) == 0 {
            let side = usize::from(head.side[1] == other);
            let [twist, run] = [1.0, 0.1].map(|size| Twist::new(sparse(r, size), Vec3::ZERO));
            self.surfaces.push(SurfaceSide { side, twist, half_change: run });
            self.surfaces.len() as u32 - 1
        } else if sort.is_general && r.index(4) == 0 {
            let [twist, run] = [1.0, 0.1].map(|size| Twist::new(sparse(r, size), Vec3::ZERO));
            self.surfaces.push(SurfaceSide { side: 2, twist, half_change: run });
            self.surfaces.len() as u32 - 1
        } else {
            NO_SURFACE
        };
        self.points(r, &head, are_balls);
        if head.side.iter().any(|side| matches!(side, Side::Tree(_))) {
            self.tree_rows(r, &head);
        }
        let list = [0, 1, 2, 3];
        let (len, is_point) = (len as u8, sort.is_general && len == 1 && r.index(2) == 0);
        self.items.push(Item { head: at, first, list, len, is_point, kind: 0, class: 0, colour: 0, surface });
    }

    fn points(&mut self, r: &mut SplitMix, head: &Head, are_balls: bool) {
        let apart = r.in_cube();
        // Deep, within the slop, closed, or open; the points of a manifold are mostly alike.
        let kind = r.index(6);
        for _ in 0..head.len {
            let arm = if are_balls {
                [head.normal * -r.range(0.1, 0.5), head.normal * r.range(0.1, 0.5)]
            } else {
                let arm = r.in_cube() * 0.5;
                [arm, arm + apart]
            };
            let kind = if r.index(4) == 0 { r.index(6) } else { kind };
            let gap = match kind {
                0 | 5 => -r.range(6e-4, 0.02),
                1 => -r.range(0.0, 5e-4),
                2 => or_zero(r, -0.0),
                3 => r.range(0.0, 1e-3),
                _ => r.range(0.0, 0.02),
            };
            self.groups.points.push(Point { arm, gap, feature: [0; 2], tree: None });
            self.airborne.push(kind == 4 && r.index(3) == 0);
            let pressed = r.range(-0.02, 0.1);
            self.warm.push([or_zero(r, pressed), or_zero(r, 0.3 * pressed), or_zero(r, -0.2 * pressed)]);
        }
    }

    fn problem(&self) -> ContactProblem<'_> {
        ContactProblem {
            h: H,
            v_start: &self.v_start,
            v_free: &self.v_free,
            move_inertia: &self.inertia,
            groups: &self.groups,
            graph: &self.graph,
            airborne: &self.airborne,
            cap_left: &[],
            scale: SCALE,
        }
    }

    /// Two sub-steps.
    fn history<L: Lane, K: Kind>(&self, token: L::Token, layout: &Layout) -> History {
        let problem = self.problem();
        let demand = Demand { recovery: self.recovery, ..Demand::default() };
        let soft = Softness::new(&self.settings, &demand, H, SCALE);
        let share = 1.0 / f64::from(SUBSTEPS);
        let (items, surfaces) = (&self.items, &self.surfaces);
        let warm = Warm { points: &self.warm, couples: &self.warm_couples, rows: &[] };
        let fill = Fill { problem: &problem, warm, share, items, surfaces };
        let mut bodies = Bodies::default();
        bodies.start(&problem, f64::from(SUBSTEPS));
        bodies.add(&self.surfaces);
        bodies.s.free[..self.moved.len()].copy_from_slice(&self.moved);
        bodies.s.dof.copy_from_slice(&self.moved_dofs);
        let mut list = List {
            batches: vec![K::EMPTY; layout.len()],
            lanes: layout.clone(),
            class: vec![0; layout.len()],
        };
        let mut seen = Vec::new();
        let lanes = (&list.lanes[..], &list.class[..]);
        let (lent, side_rows) = lend(&mut bodies);
        let soft_one = std::slice::from_ref(&soft);
        prepare_in::<L, K>(token, &mut list.batches, lanes, &fill, soft_one, (&lent, side_rows));
        seen.push(bits(layout, &list.batches, &bodies));
        for k in 0..SUBSTEPS {
            if k > 0 {
                bodies.extrapolate::<L>(token, &Pool::default());
            }
            for (push_out, over_relaxation) in [(k == 0, 1.7), (false, 1.0)] {
                let options = PassOptions { push_out, over_relaxation };
                let (lent, side_rows) = lend(&mut bodies);
                normal_pass_in::<L, K>(token, &mut list.batches, &soft, options, (&lent, side_rows));
                seen.push(bits(layout, &list.batches, &bodies));
            }
            bodies.advance::<L>(token, &Pool::default(), soft.h);
            for is_last in [false, true] {
                let (lent, side_rows) = lend(&mut bodies);
                contact_pass_in::<L, K>(token, &mut list.batches, &soft, is_last, (&lent, side_rows));
                seen.push(bits(layout, &list.batches, &bodies));
            }
        }
        let impulses = places(layout).map(|[batch, lane]| list.batches[batch].impulse(lane)).collect();
        History { seen, impulses }
    }

    /// As [`Case::history`], with four lanes and with eight, with the instructions that every CPU of the kind has. That the other levels have
    /// the same bits is tested operation by operation in `huygens_math::lanes`, and on whole solves in `tests/suite/lanes.rs`. Three levels here
    /// took twice as long to build.
    fn wide<K: Kind>(&self, layout: &Layout) -> [History; 2] {
        #[cfg(target_arch = "x86_64")]
        {
            let simd = Level::new().as_sse2().expect("every x86-64 has SSE2");
            [self.history::<f64x4<_>, K>(simd, layout), self.history::<f64x8<_>, K>(simd, layout)]
        }
        #[cfg(not(target_arch = "x86_64"))]
        huygens_math::lanes::dispatch!(Level::baseline(), simd => [
            self.history::<f64x4<_>, K>(simd, layout),
            self.history::<f64x8<_>, K>(simd, layout),
        ])
    }
}

/// All bodies, for one batch after the other.
fn lend(bodies: &mut Bodies) -> (LentBodies<'_>, &mut SideRows) {
    // SAFETY: no two batches are worked on at the same time.
    unsafe { bodies.lend() }
}

/// The bits of each contact, in their order, then of all bodies.
fn bits<K: Kind>(layout: &Layout, batches: &[K], bodies: &Bodies) -> Vec<u64> {
    let mut all: Vec<f64> = places(layout).flat_map(|[batch, lane]| batches[batch].numbers(lane)).collect();
    for twist in bodies.v.free.iter().chain(&bodies.s.free) {
        all.extend(twist.linear.to_array().into_iter().chain(twist.angular.to_array()));
    }
    all.extend(bodies.v.dof.iter().chain(&bodies.s.dof));
    all.into_iter().map(f64::to_bits).collect()
}

/// Batch and lane of each contact, in their order.
fn places(layout: &Layout) -> impl Iterator<Item = [usize; 2]> {
    let mut places: Vec<(u32, [usize; 2])> = Vec::new();
    for (batch, lanes) in layout.iter().enumerate() {
        let taken = lanes.iter().enumerate().filter(|(_, item)| **item != PADDING);
        places.extend(taken.map(|(lane, item)| (*item, [batch, lane])));
    }
    places.sort_unstable();
    places.into_iter().map(|(_, place)| place)
}

/// Each contact in a lane that a kernel of one lane visits: the first of a half.
fn one_by_one(contacts: usize) -> Layout {
    let mut layout = vec![[PADDING; WIDTH]; contacts.div_ceil(2)];
    (0..contacts).for_each(|i| layout[i / 2][4 * (i % 2)] = i as u32);
    layout
}

/// All contacts in random lanes, with at least so many lanes without a contact between them.
fn scattered(r: &mut SplitMix, contacts: usize, padding: usize) -> Layout {
    let mut lanes: Vec<u32> = (0..contacts as u32).collect();
    lanes.resize((contacts + padding).div_ceil(WIDTH) * WIDTH, PADDING);
    for i in (1..lanes.len()).rev() {
        lanes.swap(i, r.index(i + 1));
    }
    lanes.chunks_exact(WIDTH).map(|batch| *batch.first_chunk().expect("eight lanes")).collect()
}

fn compare<K: Kind>(name: &str, seed: u64, sort: Sort) {
    let mut r = SplitMix::new(seed);
    let cases = if cfg!(debug_assertions) { 100 } else { 1000 };
    let mut kinds = Kinds::default();
    for round in 0..cases {
        let contacts = 1 + r.index(24);
        let case = Case::random(&mut r, contacts, sort);
        let alone = case.history::<f64, K>((), &one_by_one(contacts));
        kinds.count(&case, &alone.impulses);
        for padding in [0, 0, 5, 40] {
            let layout = scattered(&mut r, contacts, padding);
            for (found, lanes) in case.wide::<K>(&layout).iter().zip([4, 8]) {
                for (kernel, (alone, beside)) in alone.seen.iter().zip(&found.seen).enumerate() {
                    let differs = alone.iter().zip(beside).position(|(a, b)| a != b);
                    let values = differs.map(|at| (at, [alone[at], beside[at]].map(f64::from_bits)));
                    assert_eq!(
                        values, None,
                        "{name}, round {round}, {lanes} lanes, kernel {kernel} of the run"
                    );
                }
            }
        }
    }
    let Kinds { deep, open, free, sticking, slipping } = kinds;
    assert!([deep, open, free, sticking, slipping].into_iter().all(|count| count > cases), "{kinds:?}");
}

fn sort(least: usize, most: usize) -> Sort {
    Sort { points: [least, most], are_balls: false, is_general: false, has_levers: false }
}

fn general(least: usize, most: usize) -> Sort {
    Sort { is_general: true, ..sort(least, most) }
}

#[test]
fn balls_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<Balls>("balls", 1, Sort { are_balls: true, ..sort(1, 1) });
}

#[test]
fn single_points_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<PlainPoint>("one point", 2, sort(1, 1));
}

#[test]
fn pairs_of_points_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<PlainPair>("two points", 3, sort(2, 2));
}

#[test]
fn faces_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<PlainFace>("faces", 4, sort(3, 4));
}

fn with_levers(least: usize, most: usize) -> Sort {
    Sort { has_levers: true, ..general(least, most) }
}

#[test]
fn single_points_of_trees_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<GeneralPoint>("general, one point", 5, general(1, 1));
}

#[test]
fn pairs_of_points_of_trees_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<GeneralPair>("general, two points", 6, general(2, 2));
}

#[test]
fn faces_of_trees_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<GeneralFace>("general, faces", 7, general(3, 4));
}

#[test]
fn single_points_with_levers_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<LeverPoint>("levers, one point", 8, with_levers(1, 1));
}

#[test]
fn pairs_of_points_with_levers_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<LeverPair>("levers, two points", 9, with_levers(2, 2));
}

#[test]
fn faces_with_levers_have_the_same_bits_in_one_lane_in_four_and_in_eight() {
    compare::<LeverFace>("levers, faces", 10, with_levers(3, 4));
}
