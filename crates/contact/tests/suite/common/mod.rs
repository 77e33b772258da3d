//! A toy world for tests: bodies, one hand-made tree, contacts and rows, without shapes.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod trees;

use huygens_contact::*;
use huygens_math::{
    BlockInertia, FreeInertia, FreeMass, SplitMix, Sum, Sym3, TreeInertia, TreeLdl, Twist, Vec3,
};

/// Mass and inertia of a free body, with what is locked.
#[derive(Clone, Copy)]
pub struct Body {
    pub mass: f64,
    pub inertia: Sym3,
}

/// A problem that owns its data.
#[derive(Clone, Default)]
pub struct Toy {
    pub h: f64,
    pub bodies: Vec<Body>,
    /// Mass matrix of the one tree: entries 11, 12, 22.
    pub tree_mass: [f64; 3],
    pub v_start: Velocity,
    pub v_free: Velocity,
    pub inertia: BlockInertia,
    pub groups: Groups,
    /// As the last [`Toy::bounce`] left it.
    pub airborne: Vec<bool>,
    pub cap_left: Vec<f64>,
    pub length: f64,
    pub speed: f64,
}

pub const STEEL: Material = Material {
    restitution: 0.0,
    friction_static: 0.0,
    friction_dynamic: 0.0,
    friction_torsional: 0.0,
    friction_rolling: 0.0,
};

pub fn rough(mu: f64) -> Material {
    Material { friction_static: mu, friction_dynamic: mu, ..STEEL }
}

pub fn bouncy(e: f64, mu: f64) -> Material {
    Material { restitution: e, ..rough(mu) }
}

/// A velocity bias without a cap.
pub fn baumgarte(erp: f64) -> Recovery {
    Recovery::Baumgarte { erp, cap: f64::INFINITY, max_step: f64::INFINITY }
}

/// Displacements that undo a share of the overlap beyond a slop [m].
pub const fn split_impulse(beta: f64, slop: f64) -> Recovery {
    Recovery::SplitImpulse { beta, slop, max_step: f64::INFINITY }
}

/// Models that claim one of these laws.
pub fn claiming(claims: &[Claim]) -> impl Iterator<Item = SolverKind> {
    SolverKind::ALL.iter().copied().filter(|kind| claims.contains(&kind.claim()))
}

/// Models with friction against the slip.
pub fn exact() -> impl Iterator<Item = SolverKind> {
    claiming(&[Claim::Coulomb])
}

/// Models that keep contacts closed and know friction.
pub fn rough_and_hard() -> impl Iterator<Item = SolverKind> {
    claiming(&[Claim::Coulomb, Claim::OnCone])
}

/// Models with friction between rigid bodies.
pub fn with_friction() -> impl Iterator<Item = SolverKind> {
    rigid().filter(|kind| kind.claim() != Claim::Frictionless)
}

/// Models that sweep until a hard law holds. `soft-step` and the convex models have tests of their own.
pub fn hard() -> impl Iterator<Item = SolverKind> {
    SolverKind::ALL.iter().copied().filter(|kind| !matches!(kind.claim(), Claim::Cone | Claim::Soft))
}

/// Models whose rows are rigid unless they are asked to give way.
pub fn rigid() -> impl Iterator<Item = SolverKind> {
    SolverKind::ALL.iter().copied().filter(|kind| kind.claim() != Claim::Soft)
}

impl Toy {
    pub fn new(h: f64) -> Self {
        let groups = Groups { demands: vec![Demand::default()], ..Groups::default() };
        Self { h, length: 1.0, speed: 3.0, groups, ..Self::default() }
    }

    /// Adds a free body with velocity before and after the kick.
    pub fn body(&mut self, mass: f64, inertia: Sym3, start: Twist, free: Twist) -> Side {
        self.bodies.push(Body { mass, inertia });
        let inv_inertia = inertia.inverse().expect("a real inertia");
        self.inertia.free.push(FreeInertia { inv_mass: Vec3::splat(1.0 / mass), inv_inertia });
        self.inertia.mass.push(FreeMass { mass: Vec3::splat(mass), inertia });
        self.v_start.free.push(start);
        self.v_free.free.push(free);
        Side::Free(self.bodies.len() as u32 - 1)
    }

    /// A solid sphere of mass m and radius r.
    pub fn sphere(&mut self, mass: f64, radius: f64, linear: Vec3) -> Side {
        let twist = Twist::new(linear, Vec3::ZERO);
        self.body(mass, Sym3::diagonal(Vec3::splat(0.4 * mass * radius * radius)), twist, twist)
    }

    /// Kicks every free body by gravity.
    pub fn gravity(&mut self, g: Vec3) {
        for (free, start) in self.v_free.free.iter_mut().zip(&self.v_start.free) {
            *free = Twist::new(start.linear + g * self.h, start.angular);
        }
    }

    /// Locks all translation of body `i`.
    pub fn lock_translation(&mut self, i: usize) {
        self.inertia.free[i].inv_mass = Vec3::ZERO;
    }

    /// Adds the tree with two dofs.
    pub fn tree(&mut self, mass: [f64; 3], start: [f64; 2], free: [f64; 2]) -> Side {
        self.tree_mass = mass;
        self.v_start.dof = start.to_vec();
        self.v_free.dof = free.to_vec();
        let mut ldl = TreeLdl::new(&[None, Some(0)]);
        let [a, b, c] = mass;
        ldl.matrix_mut().copy_from_slice(&[a, b, b, c]);
        ldl.factor().expect("a real mass");
        self.inertia.trees.push(TreeInertia { first_dof: 0, ldl, ..TreeInertia::default() });
        Side::Tree(0)
    }

    /// Rows over the tree's two dofs; returns the index of their spans. `j` holds the rows one after the other.
    pub fn tree_rows(&mut self, j: &[f64], side: usize) -> Option<SpanIdx> {
        let rows = &mut self.groups.tree;
        let path = rows.push_path([0, 1]);
        let (y, j_at) = (rows.y.len() as u32, rows.j.len() as u32);
        let [a, b, c] = self.tree_mass;
        let det = a * c - b * b;
        for row in j.chunks(2) {
            rows.j.extend_from_slice(row);
            let y = [(c * row[0] - b * row[1]) / det, (a * row[1] - b * row[0]) / det];
            rows.y.extend_from_slice(&y);
        }
        let mut spans = [TreeSpan::default(); 2];
        spans[side] = TreeSpan { first_dof: 0, len: 2, y, path, j: j_at };
        Some(rows.push(spans))
    }

    /// Makes the points of each group points of two rigid bodies: both arms to them differ by the way between the centres. Models that solve
    /// a manifold in its six relative motions rely on it.
    pub fn make_rigid(&mut self) {
        for head in &self.groups.heads {
            if head.law == Law::Contact {
                let first = self.groups.points[head.first as usize].arm;
                for point in &mut self.groups.points[head.range()] {
                    point.arm[1] = point.arm[0] + (first[1] - first[0]);
                }
            }
        }
    }

    pub fn driven(&mut self, twist: Twist) -> Side {
        self.groups.driven.push(twist);
        Side::Driven(self.groups.driven.len() as u32 - 1)
    }

    /// Adds a contact group; points are (arm of A, arm of B, gap).
    pub fn contact(
        &mut self,
        side: [Side; 2],
        normal: Vec3,
        points: &[(Vec3, Vec3, f64)],
        material: Material,
    ) -> usize {
        let groups = &mut self.groups;
        groups.materials.push(material);
        let index = groups.heads.len() as u32;
        groups.heads.push(Head {
            key: GroupKey::contact([index, index + 1], [0; 2]),
            side,
            law: Law::Contact,
            demand: 0,
            is_soft: false,
            first: groups.points.len() as u32,
            len: points.len() as u8,
            material: groups.materials.len() as u32 - 1,
            couple: NO_COUPLE,
            normal,
            tangent: normal.any_orthonormal_vector(),
        });
        for (k, &(a, b, gap)) in points.iter().enumerate() {
            groups.points.push(Point { arm: [a, b], gap, feature: [k as u32, 0], tree: None });
        }
        index as usize
    }

    /// Gives the points of a contact couples, as the engine does for materials with a lever.
    pub fn couple(&mut self, contact: usize) {
        let mut head = self.groups.heads[contact];
        self.groups.add_couples(&mut head);
        self.groups.heads[contact] = head;
    }

    /// Gives every contact of two bodies levers of that length [m].
    pub fn add_levers(&mut self, lever: f64) {
        for contact in 0..self.groups.heads.len() {
            let head = self.groups.heads[contact];
            if head.law == Law::Contact && !head.side.contains(&Side::Tree(0)) {
                let material = &mut self.groups.materials[head.material as usize];
                (material.friction_torsional, material.friction_rolling) = (lever, lever);
                self.couple(contact);
            }
        }
    }

    /// Adds a group with one scalar row.
    pub fn row(&mut self, side: [Side; 2], law: Law, row: Row) {
        let groups = &mut self.groups;
        let index = groups.heads.len() as u32;
        if groups.materials.is_empty() {
            groups.materials.push(STEEL);
        }
        groups.heads.push(Head {
            key: GroupKey::contact([index, index + 1], [0; 2]),
            side,
            law,
            demand: 0,
            is_soft: false,
            first: groups.rows.len() as u32,
            len: 1,
            material: 0,
            couple: NO_COUPLE,
            normal: Vec3::X,
            tangent: Vec3::Y,
        });
        groups.rows.push(row);
    }

    pub fn scale(&self) -> Scale {
        Scale { length: self.length, speed: self.speed }
    }

    pub fn problem(&self) -> ContactProblem<'_> {
        ContactProblem {
            h: self.h,
            v_start: &self.v_start,
            v_free: &self.v_free,
            move_inertia: &self.inertia,
            groups: &self.groups,
            // Tests change groups between views; a few bytes are left behind for each.
            graph: Box::leak(Box::new(ContactGraph::of(&self.groups, &self.inertia))),
            airborne: &self.airborne,
            cap_left: &self.cap_left,
            scale: self.scale(),
        }
    }

    /// The same problem, whose contacts and rows undo overlap that way.
    pub fn recovering(&self, recovery: Recovery) -> Self {
        let mut toy = self.clone();
        toy.groups.demands[0].recovery = recovery;
        toy
    }

    /// Settings with many sweeps and tight tolerances.
    pub fn exact(&self) -> Settings {
        Settings {
            iterations: 5000,
            tolerance: 1e-15,
            restitution_threshold: 0.0,
            ..Settings::for_scale(self.scale())
        }
    }

    pub fn solve(&self, kind: SolverKind, settings: &Settings) -> (Solution, SolveReport) {
        let mut out = Solution::default();
        let report =
            kind.solve(settings, &self.problem(), Warm::default(), &mut Scratch::default(), &mut out);
        (out, report)
    }

    /// An answer held to the law that its model claims.
    pub fn judge(&self, kind: SolverKind, out: &Solution) -> Certificate {
        Certificate::of_claim(kind.claim(), &self.problem(), out.all(), &out.v)
    }

    /// The problem of the impact stage.
    pub fn impacts<'a>(&'a self, acceleration: &'a Velocity) -> ImpactProblem<'a> {
        let scale = self.scale();
        let graph = Box::leak(Box::new(ContactGraph::of(&self.groups, &self.inertia)));
        ImpactProblem {
            h: self.h,
            acceleration,
            inertia: &self.inertia,
            groups: &self.groups,
            graph,
            scale,
            friction: true,
        }
    }

    /// Runs the impact stage on the start velocity and kicks from there.
    pub fn bounce(&mut self, settings: &Settings) -> ImpactOutcome {
        let acceleration = self.acceleration();
        let mut v = self.v_start.clone();
        let mut out = ImpactOutcome::default();
        impact(settings, &self.impacts(&acceleration), &mut v, &mut Scratch::default(), &mut out);
        self.v_free = combine(&v, 1.0, &acceleration, self.h);
        self.v_start = v;
        self.airborne.clone_from(&out.airborne);
        self.cap_left.clone_from(&out.cap_left);
        self.groups = out.revised.or(&self.groups).clone();
        out
    }

    pub fn acceleration(&self) -> Velocity {
        combine(&self.v_free, 1.0 / self.h, &self.v_start, -1.0 / self.h)
    }

    /// aᵀ M b: with a = b twice the kinetic energy, else a momentum times a velocity.
    pub fn weigh(&self, a: &Velocity, b: &Velocity) -> f64 {
        let mut sum = Sum::default();
        for (body, (a, b)) in self.bodies.iter().zip(a.free.iter().zip(&b.free)) {
            sum.add(body.mass * a.linear.dot(b.linear));
            sum.add((body.inertia * a.angular).dot(b.angular));
        }
        if let (&[a0, a1], &[b0, b1]) = (a.dof.as_slice(), b.dof.as_slice()) {
            let m = self.tree_mass;
            sum.add((m[0] * a0 + m[1] * a1) * b0 + (m[1] * a0 + m[2] * a1) * b1);
        }
        sum.value()
    }

    pub fn kinetic(&self, v: &Velocity) -> f64 {
        0.5 * self.weigh(v, v)
    }
}

/// x a + y b.
pub fn combine(a: &Velocity, x: f64, b: &Velocity, y: f64) -> Velocity {
    Velocity {
        free: a.free.iter().zip(&b.free).map(|(a, b)| *a * x + *b * y).collect(),
        dof: a.dof.iter().zip(&b.dof).map(|(a, b)| a * x + b * y).collect(),
    }
}

/// The integrator's displacement of kick-drift-kick.
pub fn drift(h: f64, start: &Velocity, end: &Velocity) -> Velocity {
    combine(start, 0.5 * h, end, 0.5 * h)
}

pub fn twist(r: &mut SplitMix, size: f64) -> Twist {
    Twist::new(r.in_cube() * size, r.in_cube() * size)
}

pub fn random_inertia(r: &mut SplitMix, mass: f64) -> Sym3 {
    let [a, b, c] = [r.range(0.1, 0.5), r.range(0.1, 0.5), r.range(0.1, 0.5)];
    Sym3::rotated_diagonal(Vec3::new(b + c, a + c, a + b) * mass, r.rotation())
}

/// What a random problem may contain.
#[derive(Clone, Copy)]
pub struct Recipe {
    pub bodies: usize,
    pub contacts: usize,
    pub mu: f64,
    pub restitution: f64,
    /// Masses from 10^−x to 10^x.
    pub mass_decades: f64,
    pub rows: bool,
    pub extras: bool,
}

impl Default for Recipe {
    /// One body that touches once, without friction; the rest is for a test to say.
    fn default() -> Self {
        Self {
            bodies: 1,
            contacts: 1,
            mu: 0.0,
            restitution: 0.0,
            mass_decades: 1.0,
            rows: false,
            extras: false,
        }
    }
}

/// Bodies in a cloud with contacts of 1 to 4 points between them, with the world, a driver and a tree.
pub fn random(r: &mut SplitMix, recipe: Recipe) -> Toy {
    let mut toy = Toy::new(0.01);
    let mut sides = vec![];
    for _ in 0..recipe.bodies {
        let mass = huygens_math::trig::pow(10.0, r.range(-recipe.mass_decades, recipe.mass_decades));
        let inertia = random_inertia(r, mass);
        let start = twist(r, 1.0);
        let free = start + twist(r, 0.1);
        sides.push(toy.body(mass, inertia, start, free));
    }
    if recipe.extras {
        sides.push(Side::Fixed);
        sides.push(toy.driven(twist(r, 1.0)));
        let (start, free) = ([r.range(-1.0, 1.0), 0.3], [r.range(-1.0, 1.0), 0.1]);
        sides.push(toy.tree([2.0, 0.5, 1.0], start, free));
    } else {
        sides.push(Side::Fixed);
    }
    for k in 0..recipe.contacts {
        // A free body on one side, so that something moves.
        let a = Side::Free((k % recipe.bodies) as u32);
        let b = sides[r.index(sides.len())];
        if a == b {
            continue;
        }
        let material = Material {
            restitution: recipe.restitution * r.unit(),
            friction_static: recipe.mu,
            friction_dynamic: recipe.mu * r.range(0.5, 1.0),
            ..STEEL
        };
        let points: Vec<_> =
            (0..1 + r.index(4)).map(|_| (r.in_cube(), r.in_cube(), r.range(-0.01, 0.005))).collect();
        let normal = r.direction();
        toy.contact([a, b], normal, &points, material);
        if b == Side::Tree(0) {
            let first = toy.groups.points.len() - points.len();
            for i in first..toy.groups.points.len() {
                let j: [f64; 6] = std::array::from_fn(|_| r.range(-1.0, 1.0));
                toy.groups.points[i].tree = toy.tree_rows(&j, 1);
            }
        }
    }
    if recipe.rows {
        random_rows(r, &mut toy, &sides);
    }
    toy
}

fn random_rows(r: &mut SplitMix, toy: &mut Toy, sides: &[Side]) {
    for law in [Law::Equality, Law::Unilateral, Law::Bounded { lo: -0.1, hi: 0.2 }] {
        for &b in &sides[1..] {
            let mut row = Row {
                linear: r.direction(),
                angular: [r.in_cube(), r.in_cube()],
                target: r.range(-0.1, 0.1),
                error: r.range(-0.01, 0.01),
                tree: None,
            };
            if b == Side::Tree(0) {
                row.tree = toy.tree_rows(&[r.range(-1.0, 1.0), r.range(-1.0, 1.0)], 1);
            }
            toy.row([sides[0], b], law, row);
        }
    }
}
