//! The default model on cases with a known answer. It takes a set number of sub-steps, so each tolerance is what it reaches, with
//! some room; `huygens verify` shows its figures beside those of the models that sweep until the law holds.

use crate::common::{G, floor, near, position, run, step, velocity, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{SimdLevel, Twist, Vec3};
use huygens::scene::{Body, Lock, Scene, Shape, StabilisationSpec};

const SOFT: &str = "soft-step";

fn cube(name: &str, z: f64) -> Body {
    Body::dynamic(name).shape(Shape::cuboid(1.0, 1.0, 1.0).friction(0.5)).at(0.0, 0.0, z)
}

fn tower(count: u32, dt: f64) -> Scene {
    (0..count).fold(Scene::new().dt(dt).solver(SOFT).body(floor(0.5, 0.0)), |scene, i| {
        scene.body(cube(&format!("c{i}"), 0.5 + f64::from(i)))
    })
}

fn assert_closed(world: &World) {
    let report = world.report();
    assert!(report.unexplained.abs() <= report.unexplained_bound, "{:e}", report.unexplained);
}

#[test]
fn it_is_the_default() {
    assert_eq!(Scene::new().world.solver, SOFT);
}

#[test]
fn ten_cubes_stand_and_lose_no_height() {
    let mut w = world(&tower(10, 1.0 / 60.0));
    for _ in 0..600 {
        step(&mut w);
        assert_closed(&w);
    }
    let top = position(&w, "c9");
    // A step from nothing to a full load leaves some of the fall: 22 µm under ten cubes.
    near(top.z, 9.5, 1e-4, "height of the top");
    assert!(top.truncate().length() < 1e-12, "it does not lean: {top}");
    near(velocity(&w, "c9").length(), 0.0, 1e-12, "it rests");
}

#[test]
fn a_tower_that_is_pushed_comes_to_rest_and_stands() {
    let mut w = world(&tower(6, 1.0 / 60.0));
    run(&mut w, 30);
    let body = w.find("c5").expect("it is there");
    let push = Twist { linear: Vec3::new(0.1, 0.05, 0.0), angular: Vec3::new(0.0, 0.0, 0.2) };
    w.set_velocity(body, push).expect("a free body");
    // It sways for some seconds: the impulses of a step start from those of the last one, like a spring.
    for _ in 0..2400 {
        step(&mut w);
        assert_closed(&w);
    }
    let top = position(&w, "c5");
    // Each of the six contacts may keep the slop, 0.5 mm, and a tilt of some tenths of a milliradian comes on top.
    near(top.z, 5.5, 3.5e-3, "height of the top");
    assert!(top.truncate().length() < 5e-3, "it has moved no farther than the push took it: {top}");
    near(velocity(&w, "c5").length(), 0.0, 1e-4, "it rests");
}

#[test]
fn a_pyramid_of_boxes_side_by_side_stands() {
    for gap in [0.0, 1e-4] {
        let mut scene = Scene::new().dt(1.0 / 60.0).solver(SOFT).body(floor(0.6, 0.0));
        let rows: i32 = 8;
        for row in 0..rows {
            for i in 0..rows - row {
                let x = (f64::from(i) - 0.5 * f64::from(rows - row)) * (1.0 + gap);
                let shape = Shape::cuboid(1.0, 1.0, 1.0).friction(0.6);
                scene = scene.body(Body::dynamic(format!("{row}/{i}")).shape(shape).at(
                    x,
                    0.0,
                    0.5 + f64::from(row),
                ));
            }
        }
        let mut w = world(&scene);
        for _ in 0..300 {
            step(&mut w);
            assert_closed(&w);
        }
        let top = position(&w, "7/0");
        // Eight contacts, each with its slop of half a millimetre.
        near(top.z, 7.5, 4e-3, "height of the top");
        assert!(top.y.abs() < 1e-3 && (top.x + 0.5 * (1.0 + gap)).abs() < 1e-2, "{top}");
        assert!(w.max_penetration() < 2e-3, "{}", w.max_penetration());
    }
}

#[test]
fn a_ball_comes_back_to_e_squared_of_its_height() {
    for dt in [1.0 / 240.0, 1.0 / 60.0] {
        for (k, e) in [0.3, 0.5, 0.8, 1.0].into_iter().enumerate() {
            let h = 1.0 + 0.013 * k as f64;
            let ball = Body::dynamic("ball").shape(Shape::sphere(0.1).restitution(e)).at(0.0, 0.0, 0.1 + h);
            let mut w = world(&Scene::new().dt(dt).solver(SOFT).body(floor(0.5, e)).body(ball));
            let mut top: f64 = 0.0;
            let mut has_bounced = false;
            for _ in 0..(1.6 / dt) as usize {
                step(&mut w);
                has_bounced |= velocity(&w, "ball").z > 0.1;
                let height = position(&w, "ball").z - 0.1;
                top = if has_bounced && height > top { height } else { top };
                if has_bounced && velocity(&w, "ball").z < 0.0 {
                    break;
                }
            }
            // The apex falls between two steps: v² / 2g below it at most, with v = g dt.
            let missed = 0.5 * G * dt * dt;
            assert!(
                top <= e * e * h * (1.0 + 1e-9) && top >= e * e * h - missed - 0.01 * h,
                "{e} {dt}: {top}"
            );
        }
    }
}

#[test]
fn what_lands_slowly_comes_to_rest_at_the_surface_and_its_loss_is_what_it_fell() {
    for (k, dt) in [1e-3, 1.0 / 240.0, 0.01].into_iter().enumerate() {
        // Fast and slow beside g dt: from a thousandth of a step's fall to a hundred of them.
        for height in [1e-3, 0.1, 0.7, 3.0, 100.0].map(|share| share * G * dt * dt) {
            let ball = Body::dynamic("ball").shape(Shape::sphere(0.5)).at(0.0, 0.0, 0.5 + height);
            let cube = cube("cube", 0.5 + height).at(3.0, k as f64, 0.5 + height);
            let mut w = world(&Scene::new().dt(dt).solver(SOFT).body(floor(0.5, 0.0)).body(ball).body(cube));
            run(&mut w, 60);
            for name in ["ball", "cube"] {
                // The gap that counts as closed is 1 nm.
                near(position(&w, name).z, 0.5, 1.1e-9, "height at rest");
                assert_eq!(velocity(&w, name).length(), 0.0, "{name} rests");
            }
            let weight = G * w.bodies().map(|body| body.mass).sum::<f64>();
            let lost = -w.ledger().get(Account::Impact) - w.ledger().get(Account::Correction);
            near(lost / weight, height, 1.1e-9, "what the fall gave, over the weight");
        }
    }
}

#[test]
fn a_thousand_times_its_weight_does_not_press_a_cube_in_with_64_sub_steps() {
    let mut scene = Scene::new().dt(1.0 / 240.0).solver(SOFT).body(floor(0.5, 0.0));
    scene.world.soft_step.substeps = 64;
    let heavy = Body::dynamic("heavy").shape(Shape::cuboid(1.0, 1.0, 1.0).density(1e6)).at(0.0, 0.0, 1.5);
    let mut w = world(&scene.body(cube("light", 0.5)).body(heavy));
    run(&mut w, 480);
    // 1 % of the edge, case 31.
    assert!(w.max_penetration() < 0.01, "{}", w.max_penetration());
    near(position(&w, "heavy").z, 1.5, 0.01, "the heavy cube stays on top");
}

#[test]
fn a_slab_slides_to_a_stop_where_it_should() {
    let slab = Body::dynamic("slab").shape(Shape::cuboid(1.0, 1.0, 0.2).friction(0.3)).at(0.0, 0.0, 0.1);
    let mut w = world(
        &Scene::new().dt(1.0 / 240.0).solver(SOFT).body(floor(0.3, 0.0)).body(slab.velocity(3.0, 0.0, 0.0)),
    );
    run(&mut w, 400);
    let d = 9.0 / (2.0 * 0.3 * G);
    near(position(&w, "slab").x, d, 2e-3 * d, "case 37: v²/2μg");
    near(velocity(&w, "slab").length(), 0.0, 1e-9, "it has stopped");
}

#[test]
fn every_simd_level_and_a_dropped_workspace_give_the_same_bits() {
    let scene = tower(6, 1.0 / 60.0);
    let hash = |level: SimdLevel, drop: bool| {
        let mut w = world(&scene);
        w.set_simd_level(level).expect("checked before");
        for _ in 0..60 {
            step(&mut w);
            if drop {
                w.drop_workspace();
            }
        }
        w.hash()
    };
    let best = hash(SimdLevel::Best, false);
    assert_eq!(hash(SimdLevel::Best, true), best, "workspace dropped");
    for level in SimdLevel::ALL.into_iter().filter(|level| level.level().is_some()) {
        assert_eq!(hash(level, false), best, "{}", level.name());
    }
}

#[test]
fn friction_at_each_point_holds_a_slope_too() {
    for friction in [huygens::scene::FrictionAt::Patch, huygens::scene::FrictionAt::Point] {
        let (s, c) = (0.4_f64, 0.84_f64.sqrt());
        let mut scene =
            Scene::new().gravity(G * s, 0.0, -G * c).dt(1.0 / 120.0).solver(SOFT).body(floor(0.5, 0.0));
        scene.world.soft_step.friction = friction;
        let mut w = world(&scene.body(cube("c", 0.5)));
        run(&mut w, 240);
        // tan = 0.436 < 0.5.
        near(velocity(&w, "c").length(), 0.0, 1e-6, "it sticks");
        near(position(&w, "c").x, 0.0, 2e-3, "where it was put");
    }
}

#[test]
fn baumgartes_bias_is_a_velocity_and_its_work_is_booked_as_such() {
    // A body that is 10 mm deep leaves with erp·depth/h, in lanes of one point and of four, and as a locked body by itself.
    let (h, erp, depth) = (1.0 / 100.0, 0.5, 0.01);
    let locked = Body::dynamic("body")
        .shape(Shape::sphere(0.5))
        .lock(Lock { linear: [true, false, false], ..Lock::NONE });
    let bodies = [
        Body::dynamic("body").shape(Shape::sphere(0.5)),
        Body::dynamic("body").shape(Shape::cuboid(1.0, 1.0, 1.0)),
        locked,
    ];
    for body in bodies {
        let scene = Scene::new()
            .dt(h)
            .solver(SOFT)
            .gravity(0.0, 0.0, 0.0)
            .stabilisation(StabilisationSpec::Baumgarte { erp, cap: None })
            .body(floor(0.5, 0.0))
            .body(body.at(0.0, 0.0, 0.5 - depth));
        let mut w = world(&scene);
        step(&mut w);
        assert_closed(&w);
        near(velocity(&w, "body").z, erp * depth / h, 1e-12, "speed");
        near(w.ledger().get(Account::Stabilisation) / w.kinetic_energy(), 1.0, 1e-12, "work");
        near(w.ledger().get(Account::Impact) / w.kinetic_energy(), 0.0, 1e-12, "impact");
        run(&mut w, 10);
        assert!(w.penetration() == 0.0, "it came out");
    }
}
