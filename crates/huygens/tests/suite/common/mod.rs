//! Small scenes, and a run that holds the books to their bound at every step.
#![allow(dead_code, reason = "each test binary uses a part of this")]

use huygens::World;
use huygens::contact::{Claim, SolverKind};
use huygens::ledger::Account;
use huygens::math::Vec3;
use huygens::scene::{Body, Scene, Shape};

/// Standard gravity of the cases [m/s²].
pub const G: f64 = 9.81;

/// Every contact model.
pub fn solvers() -> impl Iterator<Item = &'static str> {
    SolverKind::ALL.iter().map(|kind| kind.name())
}

/// The models that the catalogue names: the default, and one of each family that sweeps.
pub fn catalogue_solvers() -> impl Iterator<Item = &'static str> {
    ["soft-step", "sequential-impulse", "nbgs/approximate-decoupling"].into_iter()
}

/// Models that claim one of these laws.
fn claiming(claims: &'static [Claim]) -> impl Iterator<Item = &'static str> {
    SolverKind::ALL.iter().filter(|kind| claims.contains(&kind.claim())).map(|kind| kind.name())
}

/// Those that sweep until the hard law holds. `soft-step` takes a set number of sub-steps: what it makes of the same cases stands
/// in `tests/soft_step.rs` and, with its figure, in `huygens verify`.
pub fn hard_solvers() -> impl Iterator<Item = &'static str> {
    rigid_solvers().filter(|name| *name != SolverKind::SoftStep.name())
}

/// Models whose contacts are rigid: they keep bodies apart, and bounce by a coefficient.
pub fn rigid_solvers() -> impl Iterator<Item = &'static str> {
    SolverKind::ALL.iter().filter(|kind| kind.claim() != Claim::Soft).map(|kind| kind.name())
}

/// Models whose friction points against the slip at every point. Others lean from it at the corners of a box: see
/// `approximate_decoupling_slides_a_corner_contact_too_far` in friction.rs.
pub fn exact_cone_solvers() -> impl Iterator<Item = &'static str> {
    claiming(&[Claim::Coulomb])
}

/// Models with friction that keep a sliding contact closed; friction is against the slip of round bodies.
pub fn closed_friction_solvers() -> impl Iterator<Item = &'static str> {
    claiming(&[Claim::Coulomb, Claim::OnCone])
}

/// Models with friction between rigid bodies.
pub fn friction_solvers() -> impl Iterator<Item = &'static str> {
    rigid_solvers().filter(|name| *name != SolverKind::NbgsFrictionless.name())
}

/// The floor z = 0.
pub fn floor(friction: f64, restitution: f64) -> Body {
    Body::fixed("floor").shape(Shape::half_space().friction(friction).restitution(restitution))
}

/// The start of a scene. Most tests are claims about what moves: nothing sleeps where the scene does not say so.
pub fn world(scene: &Scene) -> World {
    let mut scene = scene.clone();
    scene.world.sleep.get_or_insert(false);
    World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"))
}

/// One step; the book must close within what round-off may leave.
pub fn step(world: &mut World) {
    let report = world.step();
    let (left, bound) = (report.unexplained, report.unexplained_bound);
    assert!(left.abs() <= bound, "step {}: {left:e} J unexplained, bound {bound:e} J", world.steps());
}

/// That many steps.
pub fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        step(world);
    }
}

/// Slots of the shapes of an event: the same in all worlds of a scene.
pub fn slots(event: &huygens::Event) -> Option<[usize; 2]> {
    event.shapes.map(|shapes| shapes.map(huygens::ShapeId::index))
}

/// Position of a body's frame.
pub fn position(world: &World, name: &str) -> Vec3 {
    view(world, name).position
}

/// Velocity of a body's centre of mass.
pub fn velocity(world: &World, name: &str) -> Vec3 {
    view(world, name).linear_velocity
}

/// Spin of a body.
pub fn spin(world: &World, name: &str) -> Vec3 {
    view(world, name).angular_velocity
}

/// All that is known of a body.
pub fn view<'a>(world: &'a World, name: &str) -> huygens::BodyView<'a> {
    world.bodies().find(|body| body.name == name).unwrap_or_else(|| panic!("no body {name}"))
}

/// Energy that an account brought in [J].
pub fn booked(world: &World, account: Account) -> f64 {
    world.ledger().get(account)
}

/// Asserts that `value` is within `tolerance` of `expected`.
#[track_caller]
pub fn near(value: f64, expected: f64, tolerance: f64, why: &str) {
    let off = (value - expected).abs();
    assert!(off <= tolerance, "{value} is {off:e} off {expected}; allowed {tolerance:e}: {why}");
}
