//! Debug drawing: the engine gives lines, points and triangles to a drawer; this one writes an SVG picture seen from the side.

use huygens::math::Vec3;
use huygens::scene::{Body, Scene, Shape};
use huygens::{DebugDraw, DebugParts, Ink, SceneErrors, World};
use std::fmt::Write;

/// Lines of an SVG picture, a metre to 80 pixels.
#[derive(Default)]
struct Svg(String);

impl DebugDraw for Svg {
    fn line(&mut self, from: Vec3, to: Vec3, ink: Ink) {
        let [(x1, y1), (x2, y2)] = [from, to].map(|p| (320.0 + 80.0 * p.x, 320.0 - 80.0 * p.z));
        let color = match ink {
            Ink::Moving => "steelblue",
            Ink::Force => "crimson",
            _ => "silver",
        };
        // Writing into a string cannot fail.
        let _ = writeln!(
            self.0,
            r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" stroke="{color}"/>"#
        );
    }

    fn point(&mut self, _at: Vec3, _ink: Ink) {}

    fn triangle(&mut self, _corners: [Vec3; 3], _ink: Ink) {}
}

/// Drops a few boxes and prints the picture.
pub fn main() -> Result<(), SceneErrors> {
    let mut scene = Scene::new()
        .dt(1.0 / 120.0)
        .body(Body::fixed("floor").shape(Shape::cuboid(6.0, 2.0, 0.1)).at(0.0, 0.0, -0.05));
    for i in 0..4 {
        let body = Body::dynamic(format!("box {i}")).cuboid(0.8, 0.6, 0.4);
        scene = scene
            .body(body.at(0.2 * f64::from(i), 0.0, 0.5 + 0.6 * f64::from(i)).turned([0.0, 1.0, 0.0], 0.1));
    }
    let mut world = World::new(&scene)?;
    while world.time() < 2.0 {
        world.step();
    }
    let mut drawn = Svg::default();
    world.debug_draw(DebugParts { force_scale: 1e-4, ..DebugParts::default() }, &mut drawn);
    println!(r#"<svg xmlns="http://www.w3.org/2000/svg" width="640" height="400">"#);
    println!("{}</svg>", drawn.0);
    assert!(drawn.0.lines().count() > 4 * 12);
    Ok(())
}
