//! The rattleback: case 52.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{books, floor, largest, scene, view, world};
use huygens::World;
use huygens::math::{Quat, Sym3, Vec3};
use huygens::scene::{Body, Shape, ShapeKind};

pub const CASES: &[Case] = &[Case {
    number: 52,
    name: "rattleback",
    title: "A rattleback turns back",
    setup: "Kane and Levinson's: half axes 200, 30, 20 mm, 1 kg, inertia (2, 16, 17)e-4 with product −2e-5 kg·m², centre of mass 10 mm low; spun at −5 and +5 rad/s, 5 s",
    expected: "−5 rad/s turns back (at 3 s), +5 rad/s does not; energy never rises",
    source: "Kane & Levinson 1982; a fine integration of rolling without slip",
    tolerance: "both outcomes right; rise of energy 1e-9",
    contact: true,
    converges: false,
    long: false,
    measure: rattleback,
}];

const RADII: Vec3 = Vec3::new(0.2, 0.03, 0.02);
const LOW: f64 = 0.01;

fn spun(solver: &str, rate: f64) -> Result<World, Trouble> {
    // Vertical in body axes: a little off z, so that it rattles.
    let up = Vec3::new(0.005, 0.005, 1.0).normalize();
    let orientation = Quat::from_rotation_arc(up, Vec3::Z);
    let square = RADII * RADII;
    // Lowest point seen from the centre of mass, in body axes; rolling without slip gives the velocity there.
    let lowest = -(square * up) / (square * up * up).element_sum().sqrt() + Vec3::Z * LOW;
    let omega = Vec3::new(0.01, 0.02, rate);
    let (v, w) = (orientation * lowest.cross(omega), orientation * omega);
    let inertia = Sym3 { xx: 2e-4, yy: 16e-4, zz: 17e-4, xy: -2e-5, xz: 0.0, yz: 0.0 };
    let mut body = Body::dynamic("stone")
        .shape(Shape::new(ShapeKind::Ellipsoid { radii: RADII }).at(0.0, 0.0, LOW).friction(2.0))
        .mass(1.0)
        .center_of_mass(0.0, 0.0, 0.0)
        .inertia(inertia)
        .at(0.0, 0.0, -lowest.dot(up))
        .velocity(v.x, v.y, v.z)
        .spin(w.x, w.y, w.z);
    body.orientation = orientation;
    world(&scene(solver).world(|world| world.length = 0.1).body(floor(2.0, 0.0)).body(body))
}

fn rattleback(solver: &str) -> Measured {
    let mut figures = Vec::new();
    let mut right = 0;
    for (rate, turns) in [(-5.0, true), (5.0, false)] {
        let mut world = spun(solver, rate)?;
        let (start, mut energy, mut rise) = (world.energy(), world.energy(), 0.0);
        let mut turned = false;
        for _ in 0..5000 {
            world.step();
            // Half a radian per second the other way is no noise.
            turned |= view(&world, "stone").angular_velocity.z * rate < -0.5 * rate.abs();
            rise = largest([rise, (world.energy() - energy) / start]);
            energy = world.energy();
        }
        right += usize::from(turned == turns);
        figures.push(Figure::at_most(format!("rise of energy from {rate} rad/s, relative"), rise, 1e-9));
        figures.push(books(&world));
        figures.push(Figure::told(
            format!("spin after 5 s from {rate} rad/s"),
            view(&world, "stone").angular_velocity.z,
        ));
    }
    figures.insert(0, Figure::all_of("outcomes that are right, of 2", right, 2));
    Ok(figures)
}
