//! Every model has one law for all bodies: a free body does what a tree of six dofs with the same mass and the same rows does.

use crate::common::*;
use huygens::World;
use huygens::contact::{
    ContactGraph, Groups, Head, Material, NO_COUPLE, Recovery, Scratch, Settings, Side, Solution, SolverKind,
    StoredProblem, TreeSpan, Warm,
};
use huygens::math::{Mat3, SplitMix, TreeInertia, TreeLdl, Twist, Vec3};
use huygens::scene::{self, Body, Combine, Scene, Shape};

/// A heap of shapes that touch at one point, two, and up to four, with levers of friction in every second.
fn heap(seed: u64) -> Scene {
    let mut random = SplitMix::new(seed);
    let lever = if seed % 2 == 1 { random.range(0.001, 0.01) } else { 0.0 };
    let mut scene = Scene::new().dt(1.0 / 120.0).solver("soft-step").body(floor(0.0, 0.5));
    scene = scene.material("surface", scene::Material::new().levers(lever, 0.5 * lever));
    scene.world.combine = Combine::Max;
    for k in 0..12 {
        let size = random.range(0.2, 0.4);
        let shape = match random.index(4) {
            0 => Shape::sphere(0.5 * size),
            1 => Shape::capsule(0.3 * size, size),
            2 => Shape::cylinder(0.4 * size, size),
            _ => Shape::cuboid(size, 0.8 * size, 0.6 * size),
        };
        let shape = shape.material("surface").friction(random.range(0.0, 1.0));
        let [x, y] = [0.25 * random.range(-1.0, 1.0), 0.25 * random.range(-1.0, 1.0)];
        let body = Body::dynamic(format!("{k}")).shape(shape).at(x, y, 0.3 + 0.3 * k as f64);
        let spin = random.in_cube() * 3.0;
        scene = scene.body(body.velocity(0.0, 0.0, -1.0).spin(spin.x, spin.y, spin.z));
    }
    scene
}

/// The mass matrix of a free body.
fn mass_of(inertia: &huygens::math::FreeInertia) -> Option<TreeLdl> {
    let inverse: Mat3 = inertia.inv_inertia.to_mat3();
    let moments = inverse.inverse();
    let mut ldl = TreeLdl::new(&[None, Some(0), Some(1), Some(2), Some(3), Some(4)]);
    let m = ldl.matrix_mut();
    for i in 0..3 {
        m[i * 6 + i] = 1.0 / inertia.inv_mass[i];
        for j in 0..3 {
            m[(3 + i) * 6 + 3 + j] = moments.col(j)[i];
        }
    }
    ldl.factor().ok()?;
    Some(ldl)
}

fn numbers(twist: &Twist) -> [f64; 6] {
    let (l, a) = (twist.linear, twist.angular);
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

/// The same problem with a tree of six dofs for each free body; bodies that cannot move stay. Tree i has body `bodies[i]`.
fn on_trees(problem: &StoredProblem) -> (StoredProblem, Vec<usize>) {
    let mut out = problem.clone();
    let mut tree_of = vec![None; problem.v_start.free.len()];
    let mut bodies = Vec::new();
    for (body, inertia) in problem.move_inertia.free.iter().enumerate().filter(|(_, m)| m.can_move()) {
        let ldl = mass_of(inertia).expect("a free body has a mass");
        tree_of[body] = Some(bodies.len() as u32);
        bodies.push(body);
        out.move_inertia.trees.push(TreeInertia {
            first_dof: out.v_start.dof.len() as u32,
            ldl,
            ..TreeInertia::default()
        });
        out.v_start.dof.extend(numbers(&problem.v_start.free[body]));
        out.v_free.dof.extend(numbers(&problem.v_free.free[body]));
    }
    for at in 0..problem.groups.heads.len() {
        let side = problem.groups.heads[at].side.map(|side| match side {
            Side::Free(body) => tree_of[body as usize].map_or(Side::Fixed, Side::Tree),
            other => other,
        });
        out.groups.heads[at].side = side;
        rows(&mut out, at);
    }
    out.graph = ContactGraph::of(&out.groups, &out.move_inertia);
    (out, bodies)
}

/// Writes the rows of a contact over the dofs of its trees.
fn rows(out: &mut StoredProblem, at: usize) {
    let Groups { heads, points, tree, .. } = &mut out.groups;
    let head = &heads[at];
    let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
    for i in head.range() {
        let mut spans = [TreeSpan::default(); 2];
        for (k, span) in spans.iter_mut().enumerate() {
            let Side::Tree(t) = head.side[k] else { continue };
            let (block, sign) = (&out.move_inertia.trees[t as usize], if k == 0 { 1.0 } else { -1.0 });
            let path = tree.push_path(block.first_dof..block.first_dof + 6);
            let arm = points[i].arm[k];
            let [n, x, y] = axes.map(|axis| numbers(&Twist::new(axis * sign, arm.cross(axis) * sign)));
            let [a, b, c] = axes.map(|axis| numbers(&Twist::new(Vec3::ZERO, axis * sign)));
            *span = if head.couple == NO_COUPLE {
                tree.push_span(block, path, |d, _| [n[d], x[d], y[d]])
            } else {
                tree.push_span(block, path, |d, _| [n[d], x[d], y[d], a[d], b[d], c[d]])
            };
        }
        points[i].tree = Some(tree.push(spans));
    }
}

fn solve(solver: SolverKind, problem: &StoredProblem, warm: Warm) -> Solution {
    let mut out = Solution::default();
    let mut settings = Settings { guard: false, ..Settings::for_scale(problem.scale) };
    // MuJoCo's mean over the translations of a side leaves out the turns of a free body and has those of a tree.
    settings.convex.exact_diagonal = true;
    if solver == SolverKind::ConvexCg {
        // Conjugate gradients end where the tolerance lets them; the law is what they tend to.
        (settings.iterations, settings.tolerance) = (1000, 1e-15);
    }
    solver.solve(&settings, &problem.view(), warm, &mut Scratch::default(), &mut out);
    out
}

/// How many contacts were compared, by what they did.
#[derive(Debug, Default)]
struct Seen {
    states: usize,
    points: [usize; 4],
    open: usize,
    deep: usize,
    pressed: usize,
    slipping: usize,
    couples: usize,
}

impl Seen {
    fn count(&mut self, problem: &StoredProblem, out: &Solution) {
        self.states += 1;
        self.couples += out.couples.iter().filter(|couple| **couple != [0.0; 3]).count();
        for head in &problem.groups.heads {
            self.contact(problem, head, out);
        }
    }

    fn contact(&mut self, problem: &StoredProblem, head: &Head, out: &Solution) {
        let mu = problem.groups.materials[head.material as usize].friction_dynamic;
        self.points[head.len as usize - 1] += 1;
        for i in head.range() {
            let (gap, p) = (problem.groups.points[i].gap, out.impulses[i]);
            self.open += usize::from(gap > 0.0);
            self.deep += usize::from(gap < -5e-4);
            self.pressed += usize::from(p[0] > 0.0);
            let size = (p[1] * p[1] + p[2] * p[2]).sqrt();
            self.slipping += usize::from(p[0] > 0.0 && mu > 0.0 && size > 0.99 * mu * p[0]);
        }
    }
}

/// Largest differences of a model between free bodies and trees: velocities and impulses as a share of the largest, or of 1 m/s and 1 N s.
#[derive(Clone, Debug, Default)]
struct Compared {
    largest: [f64; 2],
}

/// Solves of each model: 200 states, cold and warm.
const SOLVES: usize = 400;

impl Compared {
    fn add(&mut self, difference: [f64; 2]) {
        for (most, d) in self.largest.iter_mut().zip(difference) {
            *most = if d <= *most { *most } else { d };
        }
    }

    fn check(&self, solver: SolverKind) {
        // Velocities do not know how redundant contacts share a load. `active-set` shares it otherwise where Newton's method ends what rounds do
        // not settle, and round-off decides whether they do; what `ncp/newton` solves along a path ends wherever the residual is below 1e-10.
        let impulse = match solver {
            SolverKind::ActiveSet => f64::INFINITY,
            SolverKind::NcpNewton => 1e-8,
            _ => 1e-9,
        };
        assert!(self.largest[0] < 1e-9 && self.largest[1] < impulse, "{solver}: {self:?}");
    }
}

#[test]
fn a_free_body_does_what_a_tree_of_six_dofs_does_whatever_the_friction() {
    let mut random = SplitMix::new(11);
    let mut seen = Seen::default();
    let mut compared = vec![Compared::default(); SolverKind::ALL.len()];
    for seed in 0..20 {
        let mut world = World::new(&heap(seed)).expect("a scene");
        for _ in 0..10 {
            for _ in 0..8 {
                world.step();
            }
            let mut problem = StoredProblem::of(&world.contact_problem());
            problem.groups.materials.iter_mut().for_each(|material| rub(&mut random, material));
            let spring = Recovery::Spring {
                hertz: 30.0,
                damping_ratio: 10.0,
                substeps: 4,
                slop: 5e-4,
                max_speed: 3.0,
            };
            problem.groups.demands.iter_mut().for_each(|demand| demand.recovery = spring);
            let (trees, bodies) = on_trees(&problem);
            for (solver, compared) in SolverKind::ALL.iter().zip(&mut compared) {
                let cold = solve(*solver, &problem, Warm::default());
                compared.add(difference(&cold, &solve(*solver, &trees, Warm::default()), &bodies));
                let warm = cold.all();
                let again = solve(*solver, &problem, warm);
                compared.add(difference(&again, &solve(*solver, &trees, warm), &bodies));
                if *solver == SolverKind::SoftStep {
                    seen.count(&problem, &again);
                }
            }
        }
    }
    for (solver, compared) in SolverKind::ALL.iter().zip(&compared) {
        compared.check(*solver);
    }
    // A comparison that shows something has enough of everything.
    let Seen { states, points, open, deep, pressed, slipping, couples } = seen;
    assert_eq!(2 * states, SOLVES);
    let counts = [points[0], points[1], points[2], points[3], open, deep, pressed, slipping, couples];
    assert!(counts.iter().all(|count| *count >= 10), "{seen:?}");
}

/// Another friction, static and dynamic.
fn rub(random: &mut SplitMix, material: &mut Material) {
    let mu = [0.0, 0.2, 0.6, 1.0, 2.0][random.index(5)];
    (material.friction_static, material.friction_dynamic) = (mu * 1.2, mu);
}

/// Largest difference between what free bodies and what trees did, of velocities [m/s, rad/s] and of impulses [N·s, N·m·s].
fn difference(free: &Solution, tree: &Solution, bodies: &[usize]) -> [f64; 2] {
    let largest = |pairs: &mut dyn Iterator<Item = (f64, f64)>| {
        // A number that is not finite differs from everything.
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, |most, d| if d <= most { most } else { d })
    };
    let dofs = || bodies.iter().flat_map(|&body| numbers(&free.v.free[body]));
    // Small bodies spin at some 30 rad/s, and blows are of some 10 N s: round-off is a share of that.
    let size = |of: &mut dyn Iterator<Item = f64>| {
        of.fold(1.0, |most, x| if x.abs() > most { x.abs() } else { most })
    };
    let velocity = largest(&mut dofs().zip(tree.v.dof.iter().copied())) / size(&mut dofs());
    let flat =
        |out: &Solution| -> Vec<f64> { out.impulses.iter().chain(&out.couples).flatten().copied().collect() };
    let impulse = largest(&mut flat(free).into_iter().zip(flat(tree))) / size(&mut flat(free).into_iter());
    [velocity, impulse]
}
