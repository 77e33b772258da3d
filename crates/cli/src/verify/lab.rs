//! What the cases share: floors, bounded runs, and how to read a world.

use super::case::{Figure, Trouble};
use huygens::ledger::Account;
use huygens::math::Vec3;
use huygens::math::scalar::max;
use huygens::scene::{Body, Scene, Shape};
use huygens::{BodyView, World};

/// Gravity of every case that names no other [m/s²].
pub const G: f64 = 9.81;
/// Step of every case that names no other [s].
pub const DT: f64 = 1e-3;

/// A scene with the step of the list.
pub fn scene(solver: &str) -> Scene {
    Scene::new().dt(DT).solver(solver)
}

/// The same without gravity.
pub fn weightless(solver: &str) -> Scene {
    scene(solver).gravity(0.0, 0.0, 0.0)
}

/// The floor z = 0. Both bodies of a pair carry the same numbers, and the default rule gives them back.
pub fn floor(friction: f64, restitution: f64) -> Body {
    Body::fixed("floor").shape(Shape::half_space().friction(friction).restitution(restitution))
}

/// The start of a scene. Cases are about motion: nothing sleeps where the scene does not say so.
pub fn world(scene: &Scene) -> Result<World, Trouble> {
    let mut scene = scene.clone();
    // Cases run side by side.
    scene.world.threads.get_or_insert(1);
    scene.world.sleep.get_or_insert(false);
    Ok(World::new(&scene)?)
}

/// That many steps.
pub fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step();
    }
}

/// Steps while `going` says so, at most `limit` of them; `true` when it said no.
pub fn run_while(world: &mut World, limit: usize, going: impl Fn(&World) -> bool) -> bool {
    for _ in 0..limit {
        if !going(world) {
            return true;
        }
        world.step();
    }
    !going(world)
}

/// A body by its name. The cases name their own bodies.
pub fn view<'a>(world: &'a World, name: &str) -> BodyView<'a> {
    let found = world.bodies().find(|body| body.name == name);
    found.unwrap_or_else(|| unreachable!("the case has no body {name}"))
}

/// Place of a body's frame [m].
pub fn position(world: &World, name: &str) -> Vec3 {
    view(world, name).position
}

/// Velocity of a body's centre of mass [m/s].
pub fn velocity(world: &World, name: &str) -> Vec3 {
    view(world, name).linear_velocity
}

/// Spin of a body [rad/s].
pub fn spin(world: &World, name: &str) -> Vec3 {
    view(world, name).angular_velocity
}

/// Joint coordinate [rad] and its rate [rad/s].
pub fn joint(world: &World, name: &str) -> (f64, f64) {
    let found = world.joints().find(|joint| joint.name == name);
    found.map_or((f64::NAN, f64::NAN), |joint| (joint.q, joint.v))
}

/// Energy that an account brought in so far [J].
pub fn booked(world: &World, account: Account) -> f64 {
    world.ledger().get(account)
}

/// What the normal impulses and the corrections of positions that belong to them took so far [J].
pub fn normal_loss(world: &World) -> f64 {
    -booked(world, Account::Impact) - booked(world, Account::Correction)
}

/// Sum of the normal impulses of the last step over dt, for contacts whose normal is along z, point by point [N].
pub fn normal_forces(world: &World, keep: impl Fn(u32, u32) -> bool) -> Vec<f64> {
    let dt = world.model().settings.dt;
    let mut forces = Vec::new();
    for (_, points) in world.state().contacts.iter().filter(|(key, _)| keep(key.shapes()[0], key.shapes()[1]))
    {
        forces.extend(points.iter().map(|point| point.impulse.z.abs() / dt));
    }
    forces
}

/// Momentum and angular momentum about the origin of everything that moves.
pub fn momenta(world: &World) -> (Vec3, Vec3) {
    let (mut momentum, mut angular) = (Vec3::ZERO, Vec3::ZERO);
    let state = world.state();
    for (slot, body) in world.model().bodies.iter().enumerate() {
        let (q, x, v) = (state.orientation[slot], state.position[slot], state.velocity.free[slot]);
        let p = v.linear * body.mass;
        momentum += p;
        angular += x.cross(p) + q * (body.inertia * (q.conjugate() * v.angular));
    }
    (momentum, angular)
}

/// The books: the worst step's unexplained energy over what round-off may leave.
pub fn books(world: &World) -> Figure {
    Figure::at_most("unexplained energy over its round-off bound", world.ledger().worst_ratio(), 1.0)
}

/// Largest of a list, 0 when it is empty; a NaN stays.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |a: f64, b| if b.is_nan() || a.is_nan() { f64::NAN } else { max(a, b) })
}

/// Smallest of a list, infinite when it is empty; a NaN stays.
pub fn smallest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, |a: f64, b| {
        if b.is_nan() || a.is_nan() {
            f64::NAN
        } else if b < a {
            b
        } else {
            a
        }
    })
}

/// Slope and offset of the straight line through points, by least squares.
pub fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = |f: fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let xx: f64 = points.iter().map(|p| (p.0 - x) * (p.0 - x)).sum();
    let xy: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (xy / xx, y - xy / xx * x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_points_on_a_line_is_that_line() {
        let (slope, offset) = line(&[(0.0, 1.0), (1.0, 3.0), (3.0, 7.0)]);
        assert!((slope - 2.0).abs() < 1e-12 && (offset - 1.0).abs() < 1e-12);
    }

    #[test]
    fn extremes_keep_what_is_not_a_number() {
        assert!(largest([1.0, f64::NAN, 2.0]).is_nan());
        assert!(smallest([f64::NAN, 2.0]).is_nan());
        assert_eq!(largest([]), 0.0);
    }
}
