//! Random bodies of every shape: also compounds, loaded balls and extreme proportions.

use huygens::math::{SplitMix, Vec3, trig};
use huygens::scene::{Axis, Body, HullSource, Shape, ShapeKind};

/// Kinds of convex solid that [`solid`] chooses from.
const SOLIDS: usize = 7;

/// A number between two bounds, uniform in its logarithm.
pub fn log_range(random: &mut SplitMix, low: f64, high: f64) -> f64 {
    let octaves = random.range(0.0, 1.0);
    low * trig::exp(octaves * trig::ln(high / low))
}

/// True with the given probability.
pub fn chance(random: &mut SplitMix, probability: f64) -> bool {
    random.unit() < probability
}

/// A convex solid whose largest half extent is at most `size` [m].
pub fn solid(random: &mut SplitMix, size: f64) -> ShapeKind {
    // One in five is long or flat.
    let thin = if chance(random, 0.2) { 0.02 } else { 0.3 };
    let share = |random: &mut SplitMix| log_range(random, thin, 1.0);
    match random.index(SOLIDS) {
        0 => ShapeKind::Sphere { radius: size },
        1 => {
            let radius = size * 0.9 * share(random);
            ShapeKind::Capsule { radius, length: 2.0 * (size - radius), axis: axis(random) }
        }
        2 => {
            let (radius, half) = disc(random, size, thin);
            ShapeKind::Cylinder { radius, length: 2.0 * half, axis: axis(random) }
        }
        3 => {
            let (radius, half) = disc(random, size, thin);
            ShapeKind::Cone { radius, length: 2.0 * half, axis: axis(random) }
        }
        4 => ShapeKind::Box {
            size: 2.0 * size * Vec3::new(share(random), share(random), 1.0) / 3.0_f64.sqrt(),
        },
        5 => ShapeKind::Ellipsoid { radii: size * Vec3::new(share(random), share(random), 1.0) },
        _ => hull(random, size),
    }
}

/// Radius and half length of a disc or a rod that fits into a ball of radius `size`; their ratio is at least `thin`.
fn disc(random: &mut SplitMix, size: f64, thin: f64) -> (f64, f64) {
    let share = log_range(random, thin, 1.0);
    let across = size / (1.0 + share * share).sqrt();
    if chance(random, 0.5) { (across * share, across) } else { (across, across * share) }
}

fn axis(random: &mut SplitMix) -> Axis {
    [Axis::X, Axis::Y, Axis::Z][random.index(3)]
}

/// A hull of 6 to 14 points near a ball, never flat.
fn hull(random: &mut SplitMix, size: f64) -> ShapeKind {
    let mut points: Vec<Vec3> =
        [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::ONE / 3.0_f64.sqrt()].map(|p| p * size).into();
    for _ in 0..2 + random.index(9) {
        points.push(random.direction() * size * random.range(0.7, 1.0));
    }
    ShapeKind::Hull { source: HullSource::Points(points), scale: Vec3::ONE }
}

/// A dynamic body no point of which is farther than `size` from its origin [m]: one solid, a compound of two or three, or a ball whose
/// centre of mass is off its middle. Without place, velocity and material.
pub fn body(random: &mut SplitMix, name: &str, size: f64) -> Body {
    let mut body = Body { name: name.into(), orientation: random.rotation(), ..Body::default() };
    let form = random.unit();
    if form < 0.1 {
        body.shapes = vec![Shape::new(ShapeKind::Sphere { radius: size })];
        body.center_of_mass = Some(random.direction() * size * random.range(0.05, 0.5));
    } else if form < 0.25 {
        for _ in 0..2 + random.index(2) {
            let part = size * random.range(0.3, 0.6);
            let mut shape = Shape::new(solid(random, part));
            shape.position = random.direction() * (size - part) * random.unit();
            shape.orientation = random.rotation();
            body.shapes.push(shape);
        }
    } else {
        body.shapes = vec![Shape::new(solid(random, size))];
    }
    for shape in &mut body.shapes {
        shape.density = Some(1000.0);
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::{Scene, World};

    #[test]
    fn every_random_body_can_be_and_stays_within_its_size() {
        let mut random = SplitMix::new(1);
        let mut words: Vec<&str> = Vec::new();
        for _ in 0..500 {
            let size = log_range(&mut random, 0.02, 2.0);
            let spec = body(&mut random, "body", size);
            words.extend(spec.shapes.iter().map(|shape| shape.kind.word()));
            let mut scene = Scene::default();
            scene.bodies.push(spec.clone());
            let world = World::new(&scene).expect("a body that can be");
            for shape in &world.model().shapes {
                let offset = (shape.in_body.translation + world.model().bodies[0].center).length();
                assert!(shape.reach <= 2.0 * size * (1.0 + 1e-9) + offset, "{spec:?}");
            }
        }
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), SOLIDS);
    }
}
