//! A benchmark scene with another number of bodies, or another seed.

use huygens::Scene;
use huygens::math::Vec3;
use huygens::scene::{Motion, RepeatKind, ShapeKind};

/// More columns than memory has room for bodies are a slip of the hand.
const MOST_ACROSS: u32 = 1 << 14;

/// Gives the first pattern of a scene at least `bodies` bodies. A pile or a grid keeps its layers and gets more columns; what
/// stands still around it makes room: a body beside the middle moves out, a body across it grows.
///
/// # Errors
/// When the scene has no pattern that could grow.
pub fn resize(scene: &mut Scene, bodies: u64) -> Result<(), String> {
    let Some(repeat) = scene.repeats.first_mut() else {
        return Err("the scene has no [[repeat]] that could get more bodies".to_owned());
    };
    let grown = match repeat.kind {
        RepeatKind::Grid | RepeatKind::Pile => {
            let layers = u64::from(repeat.count[2]);
            let side = narrow(ceil_sqrt(bodies.div_ceil(layers)))?;
            let extra = |count: u32| (f64::from(side) - f64::from(count)) / 2.0;
            let grown =
                [extra(repeat.count[0]) * repeat.spacing.x, extra(repeat.count[1]) * repeat.spacing.y];
            repeat.count = [side, side, repeat.count[2]];
            grown
        }
        RepeatKind::Pyramid => {
            // n (n + 1) / 2 bodies in n rows.
            let rows = (1..=u64::from(u16::MAX)).find(|n| n * (n + 1) / 2 >= bodies);
            let rows = narrow(rows.ok_or("a pyramid cannot have so many bodies")?)?;
            let grown = (f64::from(rows) - f64::from(repeat.count[0])) / 2.0 * repeat.spacing.x;
            repeat.count = [rows, 1, 1];
            [grown, 0.0]
        }
        RepeatKind::Stack | RepeatKind::Wall => {
            return Err("a stack or a wall is not resized; change `count` with --set".to_owned());
        }
    };
    make_room(scene, grown);
    Ok(())
}

/// Gives every pattern of a scene that seed.
pub fn reseed(scene: &mut Scene, seed: u64) {
    for repeat in &mut scene.repeats {
        repeat.seed = Some(seed);
    }
}

/// Moves and stretches what stands still by so much on each side, across and deep [m].
fn make_room(scene: &mut Scene, grown: [f64; 2]) {
    let up = scene.world.up().abs();
    let (across, deep) = if up == Vec3::Z {
        (0, 1)
    } else if up == Vec3::Y {
        (0, 2)
    } else {
        (1, 2)
    };
    for body in scene.bodies.iter_mut().filter(|body| body.motion == Motion::Static) {
        for (axis, grown) in [(across, grown[0]), (deep, grown[1])] {
            if body.position[axis] != 0.0 {
                body.position[axis] += grown * body.position[axis].signum();
                continue;
            }
            for shape in &mut body.shapes {
                if let ShapeKind::Box { size } = &mut shape.kind {
                    size[axis] += 2.0 * grown;
                }
            }
        }
    }
}

fn narrow(n: u64) -> Result<u32, String> {
    u32::try_from(n)
        .ok()
        .filter(|n| *n <= MOST_ACROSS)
        .ok_or("so many bodies do not fit in one pattern".to_owned())
}

/// The least n ≥ 1 with n² ≥ x.
fn ceil_sqrt(x: u64) -> u64 {
    let floor = x.isqrt();
    (if floor * floor < x { floor + 1 } else { floor }).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::read;

    fn scene(name: &str) -> Scene {
        let Ok(loaded) = read(name, &[], false) else { panic!("{name} is built in") };
        loaded.scene
    }

    /// Position and size of a body that stands still.
    fn placed(scene: &Scene, name: &str) -> (Vec3, Vec3) {
        let body = scene.bodies.iter().find(|body| body.name == name).expect("a body of that name");
        let ShapeKind::Box { size } = body.shapes[0].kind else { panic!("{name} is a box") };
        (body.position, size)
    }

    #[test]
    fn a_pile_keeps_its_layers_and_its_distance_from_the_walls() {
        for (name, height) in [("pile", 60.0), ("spheres", 80.0)] {
            let mut scene = scene(name);
            let (left, _) = placed(&scene, "left");
            assert_eq!(resize(&mut scene, 64_000), Ok(()));
            let repeat = &scene.repeats[0];
            let layers = repeat.count[2];
            let side = repeat.count[0];
            assert!(side * side * layers >= 64_000 && (side - 1) * (side - 1) * layers < 64_000);
            let grown = f64::from(side - if name == "pile" { 20 } else { 25 }) / 2.0 * repeat.spacing.x;
            // The formulas of scenes.py with `half` = 15 m and what was added.
            let half = 15.0 + grown;
            let wall = placed(&scene, "left");
            assert!((wall.0 - Vec3::new(-half - 1.0, height / 2.0, 0.0)).length() < 1e-12, "{left}");
            assert!((wall.1 - Vec3::new(2.0, height, 2.0 * (half + 2.0))).length() < 1e-12);
            let wall = placed(&scene, "front");
            assert!((wall.0 - Vec3::new(0.0, height / 2.0, half + 1.0)).length() < 1e-12);
            let ground = placed(&scene, "ground");
            assert!((ground.1 - Vec3::new(2.0 * (half + 5.0), 2.0, 2.0 * (half + 5.0))).length() < 1e-12);
        }
    }

    #[test]
    fn the_number_of_bodies_of_the_scene_changes_nothing() {
        for (name, bodies) in [("pyramid", 820), ("towers", 1000), ("pile", 8000), ("spheres", 30_000)] {
            let mut same = scene(name);
            assert_eq!(resize(&mut same, bodies), Ok(()));
            assert_eq!(same, scene(name));
            assert_eq!(same.repeats[0].total(), Some(bodies));
        }
    }

    #[test]
    fn scenes_without_a_pattern_say_so() {
        assert!(resize(&mut Scene::default(), 10).is_err());
        assert!(resize(&mut scene("stack"), 10).is_err());
        assert!(resize(&mut scene("pyramid"), u64::MAX).is_err());
        assert!(resize(&mut scene("pile"), u64::MAX).is_err());
    }
}
