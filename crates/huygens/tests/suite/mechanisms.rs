//! Mechanisms: loops, couplings, springs, motors, friction and stops in one world with contacts; laws that hold for all of them.

use crate::common::world;
use huygens::World;
use huygens::math::{SplitMix, Sym3, Vec3};
use huygens::scene::{
    Body, CouplingKind, CouplingSpec, Integrator, Joint, JointKind, MotorSpec, Scene, Shape,
};

fn rod(name: &str, a: Vec3, b: Vec3) -> Body {
    let (at, length) = ((a + b) * 0.5, (b - a).length());
    let inertia = Sym3::point_inertia(b - a) * (1.0 / 12.0) + Sym3::diagonal(Vec3::splat(1e-3));
    let tip = Shape::sphere(0.1).friction(0.5).restitution(0.3);
    Body::dynamic(name)
        .shape(tip)
        .mass(length)
        .center_of_mass(0.0, 0.0, 0.0)
        .inertia(inertia)
        .at(at.x, at.y, at.z)
}

fn hinge(name: &str, child: &str, at: Vec3) -> Joint {
    Joint::hinge(name, child).anchor(at.x, at.y, at.z).axis(0.0, 1.0, 0.0)
}

/// A four-bar linkage with a spring, a damper, dry friction and a motor, geared to a wheel with a limited motor; an arm between stops; a ball
/// that falls on the linkage.
pub fn mechanism() -> Scene {
    let p = [Vec3::Z, Vec3::new(0.4, 0.0, 1.2), Vec3::new(1.1, 0.0, 1.6), Vec3::new(1.0, 0.0, 1.0)];
    let wheel = Vec3::new(-2.0, 0.0, 1.0);
    let [arm, tip] = [Vec3::new(4.0, 0.0, 2.0), Vec3::new(5.0, 0.0, 2.0)];
    let ball = Body::dynamic("body0").shape(Shape::sphere(0.1).friction(0.5).restitution(0.3)).mass(0.5);
    Scene::new()
        .dt(2e-3)
        .body(rod("one", p[0], p[1]))
        .body(rod("two", p[1], p[2]))
        .body(rod("three", p[2], p[3]))
        .body(rod("wheel", wheel - Vec3::X, wheel + Vec3::X))
        .body(rod("arm", arm, tip))
        .body(ball.at(0.75, 0.02, 1.9))
        .joint(hinge("a", "one", p[0]).spring(3.0, 0.4).damping(0.05).armature(0.01))
        .joint(hinge("b", "two", p[1]).parent("one").friction(0.05))
        .joint(hinge("c", "three", p[2]).parent("two").motor(MotorSpec::position(0.2, 2.0, 0.1)))
        .joint(hinge("d", "three", p[3]))
        .joint(hinge("wheel", "wheel", wheel).motor(MotorSpec::velocity(3.0, 0.5).max_force(1.0)))
        .joint(hinge("arm", "arm", arm).range(-0.4, 0.3).restitution(0.6))
        .coupling(CouplingSpec::gear("gear", "a", "wheel", 0.5))
}

/// A four-bar linkage that turns fast, in large steps: its loop does much work back and forth. A free ball beside it.
pub fn spinning() -> Scene {
    let p = [Vec3::Z, Vec3::new(0.4, 0.0, 1.2), Vec3::new(1.1, 0.0, 1.6), Vec3::new(1.0, 0.0, 1.0)];
    let link = |name: &str, a: Vec3, b: Vec3| {
        let at = (a + b) * 0.5;
        let body = Body::dynamic(name).shape(Shape::sphere(0.1).groups(0, 0)).mass(1.0);
        body.inertia(Sym3::diagonal(Vec3::splat(0.1))).at(at.x, at.y, at.z)
    };
    Scene::new()
        .dt(5e-3)
        .body(link("one", p[0], p[1]))
        .body(link("two", p[1], p[2]))
        .body(link("three", p[2], p[3]))
        .body(Body::dynamic("body0").sphere(0.1).mass(1e-3).at(9.0, 0.0, 0.0))
        .joint(hinge("a", "one", p[0]).start(0.0, 15.0))
        .joint(hinge("b", "two", p[1]).parent("one"))
        .joint(hinge("c", "three", p[2]).parent("two"))
        .joint(hinge("d", "three", p[3]))
}

#[test]
fn books_of_mechanisms_close_with_every_model_and_integrator() {
    for integrator in [Integrator::KickDriftKick, Integrator::Midpoint, Integrator::SymplecticEuler] {
        for solver in ["soft-step", "sequential-impulse", "ncp/newton"] {
            let mut world = world(&mechanism().solver(solver).world(|world| world.integrator = integrator));
            for _ in 0..500 {
                world.step();
            }
            let (ratio, gap) = (world.ledger().worst_ratio(), world.largest_gap());
            println!("{integrator} {solver}: {ratio:.3} of the bound, gap {gap:.1e}");
            assert!(ratio < 1.0, "{integrator} {solver}: {ratio}");
            assert!(gap < 1e-10, "{integrator} {solver}: {gap}");
        }
    }
}

/// A ring of bodies at random places on joints of random kinds, with one or two of them on the world.
fn random_ring(seed: u64) -> Scene {
    let mut r = SplitMix::new(seed);
    let count = 3 + r.index(4);
    let mut scene = Scene::new().dt(1e-3).world(|world| world.integrator = Integrator::Midpoint);
    let places: Vec<Vec3> = (0..count).map(|_| r.in_cube() * 2.0).collect();
    for (k, p) in places.iter().enumerate() {
        let moments = Vec3::new(r.range(0.1, 0.2), r.range(0.2, 0.3), r.range(0.2, 0.3));
        let body =
            Body::dynamic(format!("b{k}")).shape(Shape::sphere(0.1).groups(0, 0)).mass(r.range(0.5, 2.0));
        scene = scene.body(body.inertia(Sym3::diagonal(moments)).at(p.x, p.y, p.z));
    }
    let kinds =
        [JointKind::Ball, JointKind::Ball, JointKind::Universal, JointKind::Cylindrical, JointKind::Hinge];
    for k in 0..count {
        let (next, at) = ((k + 1) % count, r.in_cube() * 2.0);
        let (axis, axis2) = (r.direction(), r.direction());
        let joint = Joint::hinge(format!("j{k}"), format!("b{next}"))
            .parent(format!("b{k}"))
            .kind(kinds[r.index(kinds.len())])
            .anchor(at.x, at.y, at.z)
            .axis(axis.x, axis.y, axis.z)
            .axis2(axis2.x, axis2.y, axis2.z);
        scene = scene.joint(joint);
    }
    if r.index(2) == 0 {
        scene = scene.joint(Joint::ball("world", "b0").anchor(places[0].x, places[0].y, places[0].z + 0.5));
    }
    if r.index(2) == 0 {
        let ends = [places[0].to_array(), (places[1] + Vec3::X * 3.0).to_array()];
        scene = scene.coupling(CouplingSpec::bodies("rod", CouplingKind::Distance, ["b0", "b1"], ends));
    }
    scene
}

/// Momentum less that of gravity.
fn momentum(world: &World) -> Vec3 {
    let bodies = world.bodies();
    let all: Vec3 =
        bodies.map(|body| (body.linear_velocity + Vec3::Z * (9.81 * world.time())) * body.mass).sum();
    all
}

#[test]
fn random_rings_stay_closed_and_keep_energy_and_momentum() {
    let mut worst: [f64; 3] = [0.0; 3];
    for seed in 0..30 {
        let scene = random_ring(seed);
        let mut world = match World::new(&scene) {
            Ok(world) => world,
            Err(errors) => panic!("{seed}: {errors}"),
        };
        let (start, floats) = (world.energy(), !scene.joints.iter().any(|joint| joint.name == "world"));
        let (mut gap, mut off) = (0.0, 0.0);
        for _ in 0..300 {
            world.step();
            gap = if world.largest_gap() > gap { world.largest_gap() } else { gap };
            let energy = (world.energy() - start).abs();
            off = if energy > off { energy } else { off };
        }
        let drift = if floats { momentum(&world).length() } else { 0.0 };
        let size = world.kinetic_energy() + 1.0;
        println!("{seed}: gap {gap:.1e} energy {:.1e} momentum {drift:.1e}", off / size);
        for (worst, now) in worst.iter_mut().zip([gap, off / size, drift]) {
            *worst = if now > *worst { now } else { *worst };
        }
        assert!(world.ledger().worst_ratio() < 1.0, "{seed}: {}", world.ledger().worst_ratio());
    }
    assert!(worst[0] < 1e-8 && worst[1] < 1e-6 && worst[2] < 1e-9, "{worst:?}");
}

#[test]
fn a_loop_that_cannot_close_is_an_error_that_names_a_joint() {
    let mut scene = mechanism();
    let ends = [[0.2, 0.0, 1.1], [9.0, 0.0, 1.0]];
    scene =
        scene.coupling(CouplingSpec::bodies("rod", CouplingKind::Distance, ["one", ""], ends).length(50.0));
    let error = World::new(&scene).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("joint.\"a\"") && error.contains("cannot be closed"), "{error}");
}

#[test]
fn loops_and_welds_of_bodies_that_weigh_1_to_1000_stay_together_with_every_model() {
    let corner = |k: usize| {
        let (s, c) = huygens::math::trig::sin_cos(k as f64 * std::f64::consts::PI / 3.0);
        Vec3::new(0.5 * c, 0.0, 0.5 * s)
    };
    let mass = |k: usize| if k.is_multiple_of(2) { 1.0 } else { 1000.0 };
    let mut scene =
        Scene::new().dt(1.0 / 120.0).body(Body::fixed("floor").shape(Shape::half_space()).at(0.0, 0.0, -1.2));
    // A ring that falls on the floor, and two bodies that are welded together and fall on the ring.
    for k in 0..6 {
        let body = rod(&format!("rod{k}"), corner(k), corner(k + 1)).mass(mass(k));
        let at = corner(k);
        let mut joint =
            hinge(&format!("joint{k}"), &format!("rod{k}"), at).parent(format!("rod{}", (k + 5) % 6));
        joint.kind = if k.is_multiple_of(2) { JointKind::Ball } else { JointKind::Hinge };
        scene = scene.body(body).joint(joint);
    }
    for (k, height) in [(0, 1.5), (1, 1.2)] {
        let body = Body::dynamic(format!("block{k}")).cuboid(0.1, 0.1, 0.1).mass(mass(k));
        scene = scene.body(body.at(0.0, 0.0, height));
    }
    let middle = [[0.0, 0.0, 1.35]; 2];
    scene = scene.coupling(CouplingSpec::bodies("weld", CouplingKind::Weld, ["block0", "block1"], middle));
    let kinds = huygens::contact::SolverKind::ALL.iter().map(|kind| kind.name());
    let mut failed = Vec::new();
    for name in kinds {
        let mut world = world(&scene.clone().solver(name));
        let start = world.energy();
        // A minute with the default, a few seconds with the others: what drifts does so in every step.
        let steps = if name == "soft-step" { 7200 } else { 300 };
        let (mut worst, mut most): (f64, f64) = (0.0, start);
        for _ in 0..steps {
            world.step();
            let gap = world.largest_gap();
            worst = if gap > worst || gap.is_nan() { gap } else { worst };
            let energy = world.energy();
            most = if energy > most || energy.is_nan() { energy } else { most };
        }
        println!(
            "{name}: gap {worst:.1e}, energy {start:.1} J, at most {most:.1} J, at the end {:.1} J",
            world.energy()
        );
        failed.extend((worst >= 1e-9 || worst.is_nan()).then(|| format!("{name}: {worst:e}")));
        failed
            .extend((most > start + 1e-6 * start.abs()).then(|| format!("{name}: {start} J, then {most} J")));
        let ends = ["block0", "block1"].map(|name| {
            let slot = world.model().bodies.iter().position(|body| body.name == name).unwrap_or(0);
            world.state().position[slot]
        });
        let apart = (ends[0] - ends[1]).length();
        failed.extend(((apart - 0.3).abs() >= 1e-9).then(|| format!("{name}: {apart} m apart")));
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// Bodies on fixed joints alone, on the world or on each other, with couplings between them: trees without any dof, or with those of a root
/// alone, whose equalities tell nothing that is not so anyway.
#[test]
fn what_cannot_move_against_each_other_stands_with_its_couplings() {
    for seed in 0..60 {
        let mut r = SplitMix::new(seed);
        let count = 2 + r.index(4);
        let mut scene =
            Scene::new().dt(1e-3).body(Body::fixed("floor").shape(Shape::half_space()).at(0.0, 0.0, -9.0));
        for k in 0..count {
            let at = r.in_cube() * 3.0;
            scene = scene.body(
                Body::dynamic(format!("b{k}")).shape(Shape::sphere(0.1).groups(0, 0)).at(at.x, at.y, at.z),
            );
            let mut joint = Joint::hinge(format!("j{k}"), format!("b{k}")).anchor(at.x, at.y, at.z);
            joint.kind = JointKind::Fixed;
            // Several may hang on the world, as roots of their own.
            if k > 0 && r.index(3) > 0 {
                joint = joint.parent(format!("b{}", r.index(k)));
            }
            let floats = k == 0 && r.index(2) == 0;
            if !floats {
                scene = scene.joint(joint);
            }
        }
        for k in 0..1 + r.index(3) {
            let kind = [CouplingKind::Weld, CouplingKind::Connect, CouplingKind::Distance][r.index(3)];
            let first = r.index(count);
            let second = (first + 1 + r.index(count - 1)) % count;
            let names = [format!("b{first}"), format!("b{second}")];
            let ends = match kind {
                CouplingKind::Distance => [(r.in_cube() * 3.0).to_array(), (r.in_cube() * 3.0).to_array()],
                _ => [(r.in_cube() * 3.0).to_array(); 2],
            };
            let names = names.each_ref().map(String::as_str);
            scene = scene.coupling(CouplingSpec::bodies(format!("c{k}"), kind, names, ends));
        }
        let mut world = match World::new(&scene) {
            Ok(world) => world,
            Err(errors) => panic!("{seed}: {errors}"),
        };
        let start = world.energy();
        for _ in 0..50 {
            world.step();
        }
        assert!(world.largest_gap() < 1e-9, "{seed}: {}", world.largest_gap());
        assert!(
            (world.energy() - start).abs() < 1e-8 * (1.0 + start.abs()),
            "{seed}: {start}, {}",
            world.energy()
        );
        assert!(world.ledger().worst_ratio() < 1.0, "{seed}: {}", world.ledger().worst_ratio());
    }
}
