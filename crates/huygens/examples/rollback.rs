//! Rollback for a game over a network: the input of another player arrives eight frames late, and the frames are played again with it.

use huygens::math::Vec3;
use huygens::scene::{Body, Scene, Shape};
use huygens::{SceneErrors, World};

const LATE: usize = 8;

fn scene() -> Scene {
    let ground = Body::fixed("floor").shape(Shape::half_space().friction(0.6));
    let scene = Scene::new().dt(1.0 / 60.0).body(ground);
    let here = Body::dynamic("here").sphere(0.5).at(-2.0, 0.0, 0.5);
    scene.body(here).body(Body::dynamic("there").cuboid(0.8, 0.8, 0.8).at(2.0, 0.0, 0.4))
}

/// What the other player does in a frame.
fn input(frame: usize) -> Vec3 {
    if frame.is_multiple_of(20) { Vec3::new(-300.0, 40.0, 600.0) } else { Vec3::ZERO }
}

/// One frame with the input of the other player.
fn play(world: &mut World, push: Vec3) {
    if let Some(there) = world.find("there") {
        assert!(world.apply_force(there, push * 10.0, Vec3::ZERO).is_ok());
    }
    world.step();
}

/// Plays two worlds, one that has every input at once and one that has it late, and compares their bits.
pub fn main() -> Result<(), SceneErrors> {
    let (mut true_world, mut world) = (World::new(&scene())?, World::new(&scene())?);
    let mut saved: Vec<Vec<u8>> = Vec::new();
    let frames = 300;
    for frame in 0..frames + LATE {
        if frame < frames {
            play(&mut true_world, input(frame));
        }
        // The input of `known` has just come: go back to that frame, and play all frames since with what is known.
        if let Some(known) = frame.checked_sub(LATE) {
            let went_back = world.restore(&saved[known]);
            assert!(went_back.is_ok());
            saved.truncate(known);
            for again in known..frame.min(frames) {
                saved.push(world.snapshot());
                play(&mut world, if again == known { input(again) } else { Vec3::ZERO });
            }
        }
        if frame < frames {
            saved.push(world.snapshot());
            play(&mut world, Vec3::ZERO);
        }
    }
    // The last frames again, now that all is known.
    println!("{} bytes a frame; {:016x} and {:016x}", saved[0].len(), true_world.hash(), world.hash());
    assert_eq!(true_world.hash(), world.hash());
    Ok(())
}
