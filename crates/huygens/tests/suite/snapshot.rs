//! A world that was saved goes on as if nothing had been, and bytes that are no snapshot change nothing.

use crate::common::{floor, run, world};
use crate::determinism::{heap, works};
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Scene};
use huygens::{SnapshotError, World};

/// Hash of the state and all totals of the ledger.
fn trace(world: &World) -> (u64, String) {
    (world.hash(), format!("{:?}", world.ledger()))
}

#[test]
fn a_world_restored_at_any_of_200_steps_goes_on_with_the_same_bits() {
    for scene in [heap(), works()] {
        let mut first = world(&scene);
        let mut saved = Vec::new();
        let mut traces = Vec::new();
        for _ in 0..300 {
            saved.push(first.snapshot());
            traces.push(trace(&first));
            first.step();
        }
        // One world jumps about, so that nothing of an earlier state is left; one is new each time.
        let mut jumping = world(&scene);
        for at in (0..200).map(|k| k * 77 % 200) {
            let mut fresh = world(&scene);
            for other in [&mut jumping, &mut fresh] {
                other.restore(&saved[at]).unwrap();
                assert_eq!(other.snapshot(), saved[at], "step {at}: the same bytes again");
                let steps = if at % 20 == 0 { 100 } else { 10 };
                for step in 0..steps {
                    assert_eq!(trace(other), traces[at + step], "{step} steps after step {at}");
                    other.step();
                }
            }
        }
    }
}

#[test]
fn events_go_on_after_a_restore() {
    let scene = heap();
    let mut first = world(&scene);
    run(&mut first, 40);
    let saved = first.snapshot();
    let mut second = world(&scene);
    second.restore(&saved).unwrap();
    let events = |world: &mut World| {
        let mut all = Vec::new();
        for _ in 0..60 {
            world.step();
            all.extend(world.events().map(|event| (event.kind, crate::common::slots(&event))));
        }
        all
    };
    let expected = events(&mut first);
    assert!(expected.len() > 10, "{} events", expected.len());
    assert_eq!(events(&mut second), expected);
}

#[test]
fn a_clone_goes_on_by_itself_and_shares_handles() {
    let mut first = world(&heap());
    run(&mut first, 50);
    let mut second = first.clone();
    let ball = first.find("b1").unwrap();
    first.step();
    assert_ne!(second.hash(), first.hash(), "it stays where it was");
    second.step();
    assert_eq!(trace(&second), trace(&first));
    second.remove_body(ball).unwrap();
    assert!(first.body(ball).is_ok() && second.body(ball).is_err());
}

#[test]
fn a_snapshot_of_another_world_is_refused() {
    let ball =
        |mass: f64| Scene::new().body(floor(0.5, 0.0)).body(Body::dynamic("ball").sphere(0.5).mass(mass));
    let (mut one, other) = (world(&ball(1.0)), world(&ball(1.0 + 1e-15)));
    let before = one.snapshot();
    assert_eq!(one.restore(&other.snapshot()), Err(SnapshotError::OtherScene));
    let mut edited = world(&ball(1.0));
    edited.add_body(&Body::dynamic("more").sphere(0.1).at(0.0, 0.0, 5.0)).unwrap();
    assert_eq!(one.restore(&edited.snapshot()), Err(SnapshotError::OtherScene));
    let mut newer = before.clone();
    newer[8] += 1;
    assert_eq!(one.restore(&newer), Err(SnapshotError::Version(u32::from(newer[8]))));
    assert_eq!(one.restore(b"a picture"), Err(SnapshotError::NoSnapshot));
    assert_eq!(one.restore(&[]), Err(SnapshotError::NoSnapshot));
    assert_eq!(one.snapshot(), before, "nothing was changed");
}

#[test]
fn a_static_body_that_was_moved_is_where_the_snapshot_has_it() {
    let scene = Scene::new()
        .body(floor(0.5, 0.0))
        .body(Body::fixed("step").cuboid(1.0, 1.0, 1.0))
        .body(Body::dynamic("ball").sphere(0.2).at(0.0, 0.0, 0.7));
    let mut first = world(&scene);
    run(&mut first, 5);
    let saved = first.snapshot();
    run(&mut first, 50);
    let rests = trace(&first);
    let block = first.find("step").unwrap();
    first.set_pose(block, huygens::math::Pose::at(Vec3::new(9.0, 0.0, 0.0))).unwrap();
    run(&mut first, 50);
    first.restore(&saved).unwrap();
    run(&mut first, 50);
    assert_eq!(trace(&first), rests);
}

#[test]
fn a_hundred_thousand_damaged_snapshots_are_refused_and_change_nothing() {
    let scene = Scene::new()
        .body(floor(0.5, 0.0))
        .body(Body::dynamic("a").cuboid(0.5, 0.5, 0.5).at(0.0, 0.0, 0.25))
        .body(Body::dynamic("b").cuboid(0.5, 0.5, 0.5).at(0.1, 0.0, 0.75));
    let mut world = world(&scene);
    run(&mut world, 3);
    let good = world.snapshot();
    let mut random = SplitMix::new(7);
    for _ in 0..100_000 {
        let mut bad = good.clone();
        match random.index(3) {
            0 => bad.truncate(random.index(good.len())),
            1 => bad.push(0),
            _ => {
                let at = random.index(good.len());
                bad[at] ^= 1 << random.index(8);
            }
        }
        assert!(world.restore(&bad).is_err());
    }
    assert_eq!(world.snapshot(), good);
}
