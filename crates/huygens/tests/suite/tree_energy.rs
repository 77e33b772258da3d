//! The bound on the energy of mechanisms (`stage/tree_bound.rs`): nothing makes them gain, and in good steps it does nothing.

use crate::common::step;
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{SplitMix, Vec3, scalar};
use huygens::scene::{Body, CouplingKind, CouplingSpec, Integrator, Joint, JointKind, Scene, Shape};

/// A random arm of links of all sizes, on the world or floating; every third one is tied to the world by a rod.
fn mechanism(random: &mut SplitMix, dt: f64, stiff: bool) -> Scene {
    const KINDS: [JointKind; 5] =
        [JointKind::Hinge, JointKind::Ball, JointKind::Slide, JointKind::Universal, JointKind::Cylindrical];
    let size = if stiff { random.range(0.01, 0.5) } else { 0.5 };
    let (count, floats) = (2 + random.index(4), random.index(3) == 0);
    let mut scene = Scene::new().dt(dt);
    for k in 0..count {
        let name = format!("link {k}");
        let at = Vec3::new(k as f64, 0.3 * random.unit(), 0.3 * random.unit()) * size;
        let edge = [0.9, 0.3, 0.2].map(|edge| edge * size);
        let shape = Shape::cuboid(edge[0], edge[1], edge[2]).groups(0, 0);
        let mut body = Body::dynamic(name.clone()).shape(shape).at(at.x, at.y, at.z);
        (body.orientation, body.mass) = (random.rotation(), Some(random.range(0.5, 2.0)));
        scene = scene.body(body);
        if k == 0 && floats {
            continue;
        }
        let (axis, anchor) = (random.direction(), at - Vec3::X * (0.5 * size));
        let mut joint = Joint::hinge(format!("joint {k}"), name).kind(KINDS[random.index(KINDS.len())]);
        joint = joint.anchor(anchor.x, anchor.y, anchor.z).axis(axis.x, axis.y, axis.z);
        (joint.axis2, joint.damping) = (Some(random.direction()), 0.1 * random.unit());
        joint.parent = (k > 0).then(|| format!("link {}", k - 1));
        if joint.kind != JointKind::Ball {
            let stiffness = if stiff { 10.0 / random.range(1e-5, 1.0) } else { 5.0 };
            joint = joint.spring(stiffness, random.range(-0.5, 0.5));
        }
        scene = scene.joint(joint);
    }
    if stiff && random.index(3) == 0 && !floats {
        let at = scene.bodies[count - 1].position;
        let ends = [at, at + random.direction() * (2.0 * size)].map(|end| end.to_array());
        let last = format!("link {}", count - 1);
        scene.couplings.push(CouplingSpec::bodies("rod", CouplingKind::Distance, [&last, ""], ends));
    }
    scene
}

/// Coarse steps of stiff mechanisms, by every integrator: above its start the energy of a tree rises by no more than what the order of the
/// integrator explains, C·S of `stage/tree_bound.rs`.
#[test]
fn no_integrator_lets_a_mechanism_gain() {
    let mut random = SplitMix::new(20261119);
    let (mut taken, mut most) = (0, 0.0);
    for round in 0..96 {
        let integrator = Integrator::ALL[round % 8];
        let dt = 1.0 / random.range(30.0, 500.0);
        let mut scene = mechanism(&mut random, dt, true);
        scene.world.integrator = integrator;
        let Ok(mut world) = World::new(&scene) else { continue };
        let (start, first) = (world.energy(), Account::Viscous);
        let share = if world.model().settings.integrator.follows_parabola() { 0.5 } else { 1.0 };
        for k in 0..150 {
            step(&mut world);
            // Dampers only lose.
            assert!(world.ledger().get(first) <= 1e-9 * (1.0 + start.abs()), "{round}");
            let lost = -world.ledger().get(first);
            let scale: f64 = world.state().tree_credits.iter().map(|credit| credit.scale).sum();
            let rise = world.energy() + lost - start;
            let size = 1.0 + start.abs() + world.kinetic_energy();
            assert!(
                rise <= share * scale + 1e-9 * size,
                "{round}, step {k}, {integrator}: {rise} J, scale {scale} J"
            );
            most = scalar::max(most, rise / size);
        }
        taken += usize::from(world.ledger().get(Account::Numerical) != 0.0);
    }
    println!("taken in {taken} of 96, largest rise {most:e}");
    assert!(taken > 0, "the bound was never needed: the test tells nothing");
}

/// In fine steps of ordinary mechanisms the bound changes no bit: it books nothing.
#[test]
fn in_good_steps_the_bound_does_nothing() {
    let mut random = SplitMix::new(20261120);
    for round in 0..40 {
        let mut scene = mechanism(&mut random, 1e-3, false);
        scene.world.integrator =
            [Integrator::KickDriftKick, Integrator::Midpoint, Integrator::Rk4][round % 3];
        let Ok(mut world) = World::new(&scene) else { continue };
        for _ in 0..1000 {
            step(&mut world);
        }
        assert_eq!(world.ledger().get(Account::Numerical), 0.0, "{round}: {}", scene.world.integrator);
    }
}
