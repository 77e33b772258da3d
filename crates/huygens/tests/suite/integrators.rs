//! The integrators by name: their orders, what they keep, and their books.

use crate::common::{run, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{SplitMix, Sym3, Vec3, scalar, trig};
use huygens::scene::{Body, Integrator, Joint, JointKind, MotorSpec, Scene, Shape, Spring};

/// A body that touches nothing.
fn link(name: &str, at: Vec3) -> Body {
    let body = Body::dynamic(name).shape(Shape::sphere(0.1).groups(0, 0)).mass(1.5);
    body.inertia(Sym3::diagonal(Vec3::new(0.1, 0.15, 0.2))).at(at.x, at.y, at.z)
}

/// An arm of a ball joint, a hinge with a spring, a damper and a motor, and a slide.
fn arm(integrator: Integrator, dt: f64) -> World {
    let mut ball = Joint::ball("ball", "one").axis(0.3, 1.0, 0.2);
    ball.velocity = 2.0;
    let mut hinge = Joint::hinge("hinge", "two").parent("one").anchor(0.8, 0.0, 0.0).axis(0.2, 1.0, 0.5);
    hinge.motor = Some(MotorSpec::velocity(1.0, 0.3));
    let slide = Joint::slide("slide", "three").parent("two").anchor(1.6, 0.0, 0.0).axis(1.0, 0.0, 0.0);
    let scene = Scene::new()
        .dt(dt)
        .world(|world| world.integrator = integrator)
        .body(link("one", Vec3::new(0.4, 0.0, 0.0)))
        .body(link("two", Vec3::new(1.2, 0.1, 0.0)))
        .body(link("three", Vec3::new(1.8, 0.0, 0.1)))
        .joint(ball)
        .joint(hinge.spring(8.0, 0.3).damping(0.4))
        .joint(slide.spring(60.0, 0.05).damping(0.5));
    world(&scene)
}

/// Where the arm is after half a second, and what the account `integration` has by then.
fn after(integrator: Integrator, steps: usize) -> (Vec<f64>, f64) {
    let mut world = arm(integrator, 0.5 / steps as f64);
    run(&mut world, steps);
    assert!(world.ledger().worst_ratio() < 1.0, "{integrator}: {}", world.ledger().worst_ratio());
    let state = world.bodies().flat_map(|body| {
        body.position.to_array().into_iter().chain(body.linear_velocity.to_array()).collect::<Vec<f64>>()
    });
    (state.collect(), world.ledger().get(Account::Integration))
}

#[test]
fn every_integrator_has_its_order_in_state_and_in_the_account_of_its_error() {
    let (exact, _) = after(Integrator::Rk4, 8000);
    let off =
        |state: &[f64]| state.iter().zip(&exact).fold(0.0, |off, (a, b)| scalar::max(off, (a - b).abs()));
    for integrator in Integrator::ALL {
        let order = match integrator {
            Integrator::KickDriftKick | Integrator::Midpoint => 2.0,
            Integrator::Rk4 => 4.0,
            Integrator::SymplecticEuler
            | Integrator::Euler
            | Integrator::ImplicitFast
            | Integrator::Implicit
            | Integrator::ApproximateImplicitFast => 1.0,
        };
        let steps = if integrator == Integrator::Rk4 { 100 } else { 1000 };
        let ((coarse, lost), (fine, less)) = (after(integrator, steps), after(integrator, 2 * steps));
        let found = trig::ln(off(&coarse) / off(&fine)) / trig::ln(2.0);
        println!(
            "{integrator}: {:.2e} {:.2e}, order {found:.2}; integration {lost:.2e} {less:.2e}",
            off(&coarse),
            off(&fine)
        );
        assert!((found - order).abs() < 0.25, "{integrator}: order {found}");
        // Of the midpoint rule only round-off is left.
        if integrator == Integrator::Midpoint {
            assert!(lost.abs() < 1e-10, "{lost}");
        } else {
            let found = trig::ln((lost / less).abs()) / trig::ln(2.0);
            assert!(found > order - 0.3, "{integrator}: integration falls with order {found}");
        }
    }
}

#[test]
fn a_floating_tree_keeps_momentum_and_angular_momentum_with_every_integrator() {
    let mut r = SplitMix::new(57);
    for integrator in Integrator::ALL {
        let mut scene =
            Scene::new().dt(5e-3).gravity(0.0, 0.0, 0.0).world(|world| world.integrator = integrator);
        for k in 0..5 {
            let at = Vec3::new(f64::from(k), 0.0, 0.0) + r.in_cube() * 0.3;
            let mut body = link(&format!("b{k}"), at);
            if k == 0 {
                (body.linear_velocity, body.angular_velocity) = (r.in_cube(), r.in_cube() * 2.0);
            }
            scene = scene.body(body);
            if k > 0 {
                let kinds = [JointKind::Ball, JointKind::Hinge, JointKind::Universal, JointKind::Slide];
                let (at, axis) = (at - Vec3::X * 0.5, r.direction());
                let mut joint = Joint::hinge(format!("j{k}"), format!("b{k}")).parent(format!("b{}", k - 1));
                joint = joint.kind(kinds[r.index(4)]).anchor(at.x, at.y, at.z).axis(axis.x, axis.y, axis.z);
                joint.velocity = r.range(-2.0, 2.0);
                scene = scene.joint(joint.damping(0.05));
            }
        }
        let mut world = world(&scene);
        let [p, l] = momenta(&world);
        run(&mut world, 400);
        let [p_end, l_end] = momenta(&world);
        assert!((p_end - p).length() < 1e-12 * p.length(), "{integrator}: {p} {p_end}");
        assert!((l_end - l).length() < 1e-12 * l.length(), "{integrator}: {l} {l_end}");
    }
}

fn momenta(world: &World) -> [Vec3; 2] {
    world.bodies().fold([Vec3::ZERO; 2], |[p, l], body| {
        let own = body.linear_velocity * body.mass;
        let spin = body.orientation.conjugate() * body.angular_velocity;
        let spin = body.orientation * (Vec3::new(0.1, 0.15, 0.2) * spin);
        [p + own, l + body.position.cross(own) + spin]
    })
}

#[test]
fn the_energy_of_a_free_body_on_a_spring_is_bounded_with_every_integrator() {
    for integrator in Integrator::ALL {
        let scene = Scene::new()
            .dt(0.01)
            .gravity(0.0, 0.0, 0.0)
            .world(|world| world.integrator = integrator)
            .body(Body::dynamic("ball").sphere(0.1).mass(1.0).at(1.0, 0.0, 0.0))
            .spring(Spring::to_world("spring", "ball", [[1.0, 0.0, 0.0], [0.0; 3]], 100.0).length(0.5));
        let mut world = world(&scene);
        let (start, mut most) = (world.energy(), 0.0);
        for _ in 0..2000 {
            world.step();
            most = scalar::max(most, (world.energy() - start).abs());
        }
        // It breathes with (hω)²/4 of the energy, symplectic Euler with hω/2.
        let share = if integrator.start_share() > 0.0 { 0.01 } else { 0.06 };
        assert!(most < share * start, "{integrator}: {most} of {start}");
    }
}
