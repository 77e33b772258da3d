//! Trees in motion: periods, reference trajectories, momenta and the ledger's account of a step.

use crate::common::{
    double_pendulum, momenta, pendulum_link, placed, random_coordinates, random_mechanism, random_tree,
    random_velocities,
};
use crate::mover::{BEST, EULER, Mover, START, Scheme};
use huygens_dynamics::{
    ForceAt, Gyroscopic, Joint, JointKind, KickWork, Link, SmoothForces, Tree, TreeKinematics, TreeScratch,
    Wrench, bias, jacobian, kinetic_energy, potential, rotate,
};
use huygens_math::trig::ln;
use huygens_math::{SplitMix, Sym3, Vec3};
use std::f64::consts::{FRAC_PI_2, LN_2, PI};

const G: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// Period of the pendulum of case 12 started at rest at `angle`: between two crossings of the vertical the same way.
fn period(angle: f64, h: f64, scheme: Scheme) -> f64 {
    let tree = Tree::new(vec![pendulum_link(None, Vec3::ZERO, 1.0, 1.0)]).unwrap();
    let mut pendulum = Mover::new(tree, vec![angle], vec![0.0]);
    let (mut crossings, mut last) = (Vec::new(), angle);
    for step in 0..(12.0 / h) as usize {
        pendulum.step(h, G, scheme);
        let now = pendulum.q[0];
        if now * last < 0.0 {
            crossings.push(h * (step as f64 + last / (last - now)));
        }
        last = now;
    }
    crossings[2] - crossings[0]
}

#[test]
fn the_pendulum_swings_with_the_period_of_the_elliptic_integral() {
    // Case 12, within 1e-4 at 1 ms.
    let small = 2.0060667 * (1.0 + 0.01 * 0.01 / 16.0);
    for (angle, expected) in [(0.01, small), (FRAC_PI_2, 2.3678419), (PI * 5.0 / 6.0, 3.5350982)] {
        let error = |scheme| period(angle, 1e-3, scheme) / expected - 1.0;
        let [best, euler, start] = [BEST, EULER, START].map(error);
        println!("{angle:.3} rad: best {best:.2e}, Euler {euler:.2e}, start {start:.2e}");
        // A hundred times better than the case asks: second order, (Ωh)²/24 at small angles.
        assert!(best.abs() < 1e-6, "{best}");
        assert!(euler.abs() < 1e-4, "{euler}");
    }
    // Why the force at the start does not do for kick-drift-kick: first order, 1.3e-3 at 90° and 1 ms.
    let off = |h| period(FRAC_PI_2, h, START) / 2.3678419 - 1.0;
    let order = ln(off(2e-3) / off(1e-3)) / LN_2;
    println!("start: order {order}");
    assert!((order - 1.0).abs() < 0.1, "{order}");
}

/// Largest error of the energy in each half of a run, relative to `scale`.
fn energy_swing(mut mover: Mover, h: f64, scheme: Scheme, seconds: f64, scale: f64) -> [f64; 2] {
    let energy = |mover: &Mover| {
        let kin = placed(&mover.tree, &mover.q, &mover.v);
        kinetic_energy(&mover.tree, &kin) + potential(&mover.tree, &kin, G, Vec3::ZERO)
    };
    let start = energy(&mover);
    let steps = (0.5 * seconds / h) as usize;
    std::array::from_fn(|_| {
        crate::common::largest((0..steps).map(|_| {
            mover.step(h, G, scheme);
            (energy(&mover) - start) / scale
        }))
    })
}

#[test]
fn energy_of_a_swinging_pendulum_does_not_grow() {
    let tree = Tree::new(vec![pendulum_link(None, Vec3::ZERO, 1.0, 1.0)]).unwrap();
    let swing = |h, scheme| {
        energy_swing(Mover::new(tree.clone(), vec![FRAC_PI_2], vec![0.0]), h, scheme, 200.0, 9.81)
    };
    let (coarse, fine) = (swing(4e-3, BEST), swing(2e-3, BEST));
    println!("pendulum, 200 s: {coarse:?} {fine:?}, force at the start {:?}", swing(2e-3, START));
    // Drift–kick–drift is symplectic: the energy swings with h², and no more at the end than at the start.
    assert!(coarse[1] < 1.01 * coarse[0] && fine[1] < 1.01 * fine[0]);
    assert!((ln(coarse[0] / fine[0]) / LN_2 - 2.0).abs() < 0.1);
    // The inertia of the double pendulum changes, so its energy drifts, but with a higher order than the motion.
    let double = |h, scheme| {
        energy_swing(Mover::new(double_pendulum(), vec![2.0, 1.0], vec![0.0; 2]), h, scheme, 10.0, 9.81)
    };
    let [coarse, fine] = [1e-3, 5e-4].map(|h| double(h, BEST)[1]);
    println!("double pendulum, 10 s: {coarse:.2e} {fine:.2e}");
    assert!(coarse < 1e-3 && coarse / fine > 4.0);
}

#[test]
fn forces_at_rest_are_those_of_gravity_alone() {
    let mut r = SplitMix::new(31);
    for base in [JointKind::Free, JointKind::Hinge] {
        let tree = random_tree(&mut r, 5, base);
        let q = random_coordinates(&mut r, &tree);
        let rest = vec![0.0; tree.dofs()];
        let mut expected = rest.clone();
        bias(&tree, &placed(&tree, &q, &rest), G, &[], &mut TreeScratch::default(), &mut expected);
        let mut mover = Mover::new(tree, q, rest.clone());
        mover.kick(&SmoothForces {
            h: 1e-3,
            at: ForceAt::MiddlePose,
            gravity: G,
            external: &[],
            joint: &[],
            drives: &[],
        });
        let size = crate::common::largest(expected.iter().copied());
        let off = crate::common::largest(mover.kick.smooth.iter().zip(&expected).map(|(a, b)| a - b));
        assert!(off < 1e-12 * size, "{off}"); // through the factored matrix and back
        // Held still by constraints it stays where it is.
        let q = mover.q.clone();
        mover.drift(1e-3, &rest, BEST);
        assert!(crate::common::largest(mover.q.iter().zip(&q).map(|(a, b)| a - b)) < 1e-15);
        assert!(crate::common::largest(mover.v.iter().copied()) < 1e-15);
    }
}

/// Angles and rates (absolute, as case 13 has them) of the double pendulum at t = 1 s and 2 s.
fn double_pendulum_at(h: f64, scheme: Scheme) -> [[f64; 4]; 2] {
    let mut mover = Mover::new(double_pendulum(), vec![FRAC_PI_2, 0.0], vec![0.0, 0.0]);
    let steps = (1.0 / h).round() as usize;
    std::array::from_fn(|_| {
        for _ in 0..steps {
            mover.step(h, G, scheme);
        }
        let (q, v) = (&mover.q, &mover.v);
        [q[0], q[0] + q[1], v[0], v[0] + v[1]]
    })
}

/// Case 13: angles and rates at 1 s and 2 s.
const DOUBLE: [[f64; 4]; 2] = [
    [-0.6250876998, -1.0345850857, -3.9222795729, -1.3030992487],
    [-0.482971534, -1.324048712, 3.065288192, 2.949271548],
];

fn double_error(h: f64, scheme: Scheme) -> [f64; 2] {
    let found = double_pendulum_at(h, scheme);
    std::array::from_fn(|k| crate::common::largest((0..4).map(|i| found[k][i] - DOUBLE[k][i])))
}

#[test]
fn the_double_pendulum_follows_the_reference() {
    let euler = double_error(1e-4, EULER);
    println!("errors at 1e-4 s: symplectic Euler {euler:?}");
    assert!(euler[0] < 1e-3 && euler[1] < 1e-3, "{euler:?}"); // case 13
    let fine = double_error(1e-4, BEST);
    println!("errors at 1e-4 s: {fine:?}");
    assert!(fine[0] < 1e-5 && fine[1] < 1e-5, "{fine:?}"); // a hundred times better than case 13 asks
    let errors = [4e-3, 2e-3, 1e-3].map(|h| double_error(h, BEST)[0]);
    for pair in errors.windows(2) {
        let order = ln(pair[0] / pair[1]) / LN_2;
        println!("order {order}");
        assert!(order > 1.85, "{order}"); // the integrator's order is 2
    }
}

fn free_mover(seed: u64) -> Mover {
    let mut r = SplitMix::new(seed);
    let tree = random_tree(&mut r, 5, JointKind::Free);
    let q = random_coordinates(&mut r, &tree);
    let v = random_velocities(&mut r, tree.dofs());
    Mover::new(tree, q, v)
}

/// A tree of all kinds of joints on a free base, several of them on one link, links without mass among them.
fn free_mechanism(seed: u64) -> Mover {
    let mut r = SplitMix::new(seed);
    let tree = random_mechanism(&mut r, 6, JointKind::Free);
    let q = random_coordinates(&mut r, &tree);
    let v = random_velocities(&mut r, tree.dofs());
    Mover::new(tree, q, v)
}

/// Relative change of the momenta of a free tree in one second of flight without gravity.
fn momentum_error(mover: impl Fn() -> Mover, h: f64, scheme: Scheme) -> f64 {
    let mut mover = mover();
    let before = momenta(&mover.tree, &placed(&mover.tree, &mover.q, &mover.v));
    for _ in 0..(1.0 / h).round() as usize {
        mover.step(h, Vec3::ZERO, scheme);
    }
    let after = momenta(&mover.tree, &placed(&mover.tree, &mover.q, &mover.v));
    (after.0 - before.0).length() / before.0.length() + (after.1 - before.1).length() / before.1.length()
}

#[test]
fn without_the_drift_a_free_tree_keeps_its_momenta_with_the_order_of_the_kick() {
    let errors = [4e-3, 2e-3, 1e-3].map(|h| momentum_error(|| free_mover(42), h, START));
    println!("{errors:?}");
    for pair in errors.windows(2) {
        let order = ln(pair[0] / pair[1]) / LN_2;
        assert!(order > 0.85, "{order}");
    }
}

#[test]
fn with_the_drift_a_free_tree_keeps_its_momenta_to_rounding() {
    for scheme in [BEST, Scheme { drift: true, ..EULER }, Scheme { drift: true, ..START }] {
        for (kind, seed) in [("hinges", 42), ("all joints", 45), ("all joints", 46)] {
            let mover = || if kind == "hinges" { free_mover(seed) } else { free_mechanism(seed) };
            let error = momentum_error(mover, 1e-3, scheme);
            println!("{scheme:?}, {kind}: {error:.1e}");
            assert!(error < 1e-12, "{error}"); // a thousand steps of a few roundings
        }
    }
}

fn centre_of(tree: &Tree, kin: &TreeKinematics) -> (f64, Vec3) {
    let mass: f64 = tree.links().iter().map(|link| link.mass).sum();
    (mass, tree.links().iter().zip(&kin.com).map(|(link, com)| *com * (link.mass / mass)).sum())
}

#[test]
fn the_centre_of_a_free_tree_falls_exactly_and_impulses_give_it_their_momentum() {
    let mut mover = free_mover(43);
    let (h, n) = (2e-3, mover.tree.dofs());
    let mut r = SplitMix::new(44);
    let kin = placed(&mover.tree, &mover.q, &mover.v);
    let (mass, mut com) = centre_of(&mover.tree, &kin);
    let (mut p, origin) = momenta(&mover.tree, &kin);
    let mut spin = origin - com.cross(p);
    let mut rows = vec![0.0; 3 * n];
    for step in 0..1000 {
        mover.kick(&SmoothForces {
            h,
            at: ForceAt::MiddlePose,
            gravity: G,
            external: &[],
            joint: &[],
            drives: &[],
        });
        let mut v_plus = mover.kick.v_free.clone();
        let before = p;
        if step % 5 == 0 {
            let link = r.index(mover.tree.links().len());
            let (arm, impulse) = (r.in_cube(), r.in_cube());
            let point = mover.kick.start.com[link] + arm;
            jacobian(&mover.tree, &mover.kick.start, link, point, &Vec3::AXES, &mut rows);
            let mut gain: Vec<f64> =
                (0..n).map(|j| (0..3).map(|k| rows[k * n + j] * impulse[k]).sum()).collect();
            mover.block.ldl.solve(&mut gain);
            v_plus.iter_mut().zip(&gain).for_each(|(v, g)| *v += g);
            p += impulse;
            spin += (point - com).cross(impulse);
        }
        p += G * (mass * h);
        mover.drift(h, &v_plus, BEST);
        com += (before + p) * (0.5 * h / mass);
        let (linear, about_origin) = momenta(&mover.tree, &mover.end);
        let found = centre_of(&mover.tree, &mover.end).1;
        // A thousand steps of rounding, through a mass matrix of condition 1e3 for the impulses.
        let size = p.length() + spin.length();
        assert!((linear - p).length() < 1e-10 * size, "{step}: {}", linear - p);
        assert!((about_origin - found.cross(linear) - spin).length() < 1e-10 * size, "{step}");
        assert!((found - com).length() < 1e-10 * com.length(), "{step}: {}", found - com);
    }
}

#[test]
fn a_single_free_link_flies_as_a_free_body() {
    let inertia = Sym3::diagonal(Vec3::new(0.3, 0.2, 0.15));
    let com = Vec3::new(0.1, -0.2, 0.3);
    let tree = Tree::new(vec![Link::new(None, Joint::free(), 2.0, inertia).with_com(com)]).unwrap();
    let v = vec![1.0, 2.0, 3.0, 1.0, 2.0, 3.0];
    let apart = |h: f64| {
        let steps = (1.0 / h).round() as usize;
        let mut mover = Mover::new(tree.clone(), tree.neutral(), v.clone());
        let (mut q, mut omega) = (huygens_math::Quat::IDENTITY, Vec3::new(1.0, 2.0, 3.0));
        for _ in 0..steps {
            mover.step(h, G, BEST);
            let turned = rotate(&inertia, q, omega, omega, h, Gyroscopic::Midpoint);
            (q, omega) = (turned.orientation, turned.omega);
        }
        let kin = placed(&tree, &mover.q, &mover.v);
        // The centre of mass falls exactly: kick-drift-kick.
        let fall = com + Vec3::new(1.0, 2.0, 3.0) + G * 0.5;
        assert!((kin.com[0] - fall).length() < 1e-12, "{}", kin.com[0] - fall);
        let rotation = kin.world_from_link[0].rotation;
        (kin.twist[0].angular - omega).length() + (rotation * Vec3::X - q * Vec3::X).length()
    };
    let (coarse, fine) = (apart(2e-3), apart(1e-3));
    println!("apart {coarse:.2e} {fine:.2e}");
    assert!(fine < 1e-5 && ln(coarse / fine) / LN_2 > 1.9); // both are of second order
}

/// Steps a tree with random impulses at random points and checks that every step closes; returns the worst defect
/// over its bound.
fn worst_ledger_defect(mover: &mut Mover, r: &mut SplitMix, steps: usize, scheme: Scheme) -> f64 {
    let (n, links) = (mover.tree.dofs(), mover.tree.links().len());
    let (h, mut worst) = (2e-3, 0.0f64);
    let wrenches: Vec<Wrench> =
        (0..links).map(|_| Wrench { force: r.in_cube(), torque: r.in_cube() }).collect();
    let torques = random_velocities(r, n);
    let mut rows = vec![0.0; 3 * n];
    for _ in 0..steps {
        mover.kick(&SmoothForces {
            h,
            at: scheme.at,
            gravity: G,
            external: &wrenches,
            joint: &torques,
            drives: &[],
        });
        let (v, mut v_plus) = (mover.v.clone(), mover.kick.v_free.clone());
        let start = mover.kick.start.clone();
        let kinetic_before = kinetic_energy(&mover.tree, &start);
        // An impulse on a point of a link, now and then.
        let (mut impulse_work, mut work_size) = (0.0, 0.0);
        if r.index(4) == 0 {
            let link = r.index(links);
            let point = start.com[link] + r.in_cube();
            let p = r.in_cube();
            jacobian(&mover.tree, &start, link, point, &Vec3::AXES, &mut rows);
            let mut gain: Vec<f64> = (0..n).map(|j| (0..3).map(|k| rows[k * n + j] * p[k]).sum()).collect();
            mover.block.ldl.solve(&mut gain);
            v_plus.iter_mut().zip(&gain).for_each(|(v, g)| *v += g);
            for k in 0..3 {
                let u: f64 = (0..n).map(|j| rows[k * n + j] * (v[j] + v_plus[j])).sum();
                impulse_work += 0.5 * p[k] * u;
                work_size += (0.5 * p[k] * u).abs();
            }
        }
        mover.drift(h, &v_plus, scheme);
        let kinetic_after = kinetic_energy(&mover.tree, &mover.end);
        let potential: f64 = mover
            .tree
            .links()
            .iter()
            .zip(mover.end.com.iter().zip(&start.com))
            .map(|(link, (to, from))| -link.mass * link.gravity_scale * G.dot(*to - *from))
            .sum();
        let work = |force: &[f64]| KickWork { h, force, v: &v, v_plus: &v_plus }.work();
        let user = work(&mover.kick.user);
        // −h v̄·D(v + share (v⁺ − v)): the damper acts where the step leads to.
        let share = scheme.at.stiffening(h).damping / h;
        let damping = work(&mover.kick.damping)
            - (0..n)
                .map(|i| 0.5 * h * share * mover.tree.damping()[i] * (v_plus[i] - v[i]) * (v[i] + v_plus[i]))
                .sum::<f64>();
        let smooth = mover.kick.smooth.clone();
        let account = KickWork { h, force: &smooth, v: &v, v_plus: &v_plus };
        let integration = mover.kick.integration_energy(&mover.tree, &mover.end, G, &account);
        let measured = kinetic_after - kinetic_before + potential;
        let defect = measured - integration - user - damping - impulse_work;
        let pivots: Vec<f64> = mover.block.ldl.pivots().collect();
        let smallest = pivots.iter().fold(f64::INFINITY, |a, &b| if b < a { b } else { a });
        let kappa = crate::common::largest(pivots.iter().copied()) / smallest;
        let terms = integration.abs() + user.abs() + damping.abs() + work_size;
        let size = kinetic_after + kinetic_before + potential.abs() + terms;
        let bound = 64.0 * f64::EPSILON * kappa * size; // reference/ledger.md
        worst = if defect.abs() / bound > worst { defect.abs() / bound } else { worst };
    }
    worst
}

#[test]
fn every_step_of_a_kicked_double_pendulum_closes_to_rounding() {
    for scheme in [BEST, EULER, START] {
        let mut mover = Mover::new(double_pendulum(), vec![2.0, 1.0], vec![0.5, -3.0]);
        let worst = worst_ledger_defect(&mut mover, &mut SplitMix::new(9), 1000, scheme);
        println!("double pendulum, {scheme:?}: {worst:.3} of the bound");
        assert!(worst < 1.0);
    }
}

#[test]
fn every_step_of_kicked_random_trees_closes_to_rounding() {
    for seed in 0..24 {
        let mut r = SplitMix::new(50 + seed);
        let base = [JointKind::Free, JointKind::Hinge, JointKind::Ball][seed as usize % 3];
        let links = 2 + r.index(5);
        let plain = if seed < 12 && base != JointKind::Ball {
            random_tree(&mut r, links, base)
        } else {
            random_mechanism(&mut r, links, base)
        };
        let damped = plain.links().iter().enumerate().map(|(i, link)| Link {
            joints: link.joints.iter().map(|joint| Joint { damping: 0.1, ..*joint }).collect(),
            gravity_scale: if i == 1 { 0.5 } else { 1.0 },
            ..link.clone()
        });
        let tree = Tree::new(damped.collect()).unwrap();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, tree.dofs());
        let mut mover = Mover::new(tree, q, v);
        let worst = worst_ledger_defect(&mut mover, &mut r, 200, if seed % 4 == 0 { START } else { BEST });
        println!("{base:?} base, {links} links: {worst:.3} of the bound");
        assert!(worst < 1.0);
    }
}

#[test]
fn a_fast_top_with_a_horizontal_axis_precesses_steadily() {
    // Case 10: a disc of 1 kg and 0.1 m on an arm of 0.1 m, spin 200 rad/s, launched at Ω = mgl/(I₃ω₃). Gimbals without
    // mass: about z, about y, then the spin about x.
    let gimbal =
        |parent, axis| Link::new(parent, Joint::hinge(huygens_math::Pose::IDENTITY, axis), 0.0, Sym3::ZERO);
    let disc = Sym3::diagonal(Vec3::new(0.005, 0.0025, 0.0025));
    let spin = Link::new(Some(1), Joint::hinge(huygens_math::Pose::IDENTITY, Vec3::X), 1.0, disc)
        .with_com(Vec3::X * 0.1);
    let tree = Tree::new(vec![gimbal(None, Vec3::Z), gimbal(Some(0), Vec3::Y), spin]).unwrap();
    let rate = 9.81 * 0.1 / (0.005 * 200.0);
    let mut top = Mover::new(tree, vec![0.0; 3], vec![rate, 0.0, 200.0]);
    for _ in 0..2000 {
        top.step(1e-3, G, BEST);
        assert!(top.q[1].abs() < 1e-9, "{:?}", top.q); // the axis stays horizontal: an exact solution
    }
    println!("precession {} rad/s", top.q[0] / 2.0);
    assert!((top.q[0] / 2.0 / 0.981 - 1.0).abs() < 1e-9); // the case asks for 1e-3
}

#[test]
fn external_forces_give_a_free_tree_the_momentum_that_the_kick_gave() {
    // From rest the kick is H⁻¹ of the external forces alone, and the first six rows of H v are the momentum of the whole
    // tree: the drift, which adds the forces up link by link, must come to the same.
    let mut r = SplitMix::new(61);
    for seed in 0..20 {
        let mut mover = free_mover(seed);
        mover.v.fill(0.0);
        let links = mover
            .tree
            .links()
            .iter()
            .enumerate()
            .map(|(i, link)| Link { gravity_scale: 0.3 * i as f64, ..link.clone() });
        mover.tree = Tree::new(links.collect()).unwrap();
        let wrenches: Vec<Wrench> = (0..mover.tree.links().len())
            .map(|_| Wrench { force: r.in_cube() * 20.0, torque: r.in_cube() * 20.0 })
            .collect();
        let joint: Vec<f64> = random_velocities(&mut r, mover.tree.dofs()).iter().map(|f| f * 20.0).collect();
        let h = 0.01;
        mover.kick(&SmoothForces {
            h,
            at: ForceAt::Start,
            gravity: G,
            external: &wrenches,
            joint: &joint,
            drives: &[],
        });
        let v_plus = mover.kick.v_free.clone();
        let spin = |tree: &Tree, kin: &TreeKinematics| {
            let (p, l) = momenta(tree, kin);
            (p, l - centre_of(tree, kin).1.cross(p))
        };
        let expected = spin(&mover.tree, &placed(&mover.tree, &mover.q, &v_plus));
        mover.drift(h, &v_plus, Scheme { drift: true, ..START });
        let found = spin(&mover.tree, &mover.end);
        let size = expected.0.length() + expected.1.length();
        // Rounding through a mass matrix of condition 1e3.
        assert!((found.0 - expected.0).length() < 1e-12 * size, "{}", found.0 - expected.0);
        assert!((found.1 - expected.1).length() < 1e-12 * size, "{}", found.1 - expected.1);
    }
}
