//! Ropes and joints that break. Case 100 + n is number n of the list of mechanisms.

use super::mechanisms::{case, flat, planar};
use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{DT, G, books, joint, run, scene, velocity, view, world};
use huygens::World;
use huygens::math::{Sym3, Vec3, scalar, trig};
use huygens::scene::{Body, CouplingKind, CouplingSpec, Joint, JointKind, Shape, TendonSpec};
use std::f64::consts::PI;

pub const CASES: &[Case] = &[
    Case {
        measure: atwood_rope,
        ..case(
            116,
            "atwood-rope",
            "Atwood's machine that lands",
            "2 kg and 1 kg on a rope over a pulley without mass; the heavy one lands dead after 0.5 m, the rope goes slack and taut",
        )
    },
    Case {
        measure: capstan,
        contact: true,
        ..case(
            117,
            "capstan",
            "Rope over 4, 8, 16 and 32 points",
            "Half a turn, μ = 0.3, 10 N at one end; at the other 1e-3 less and more than what slips",
        )
    },
    Case {
        measure: torn,
        ..case(
            124,
            "torn-joint",
            "A weld that breaks",
            "2 kg welded to the ceiling, breaks at 30 N, pulled down by 10 N/s · t; when, and its fall at 1.5 s",
        )
    },
];

fn atwood_rope(solver: &str) -> Measured {
    let (left, right) = (Vec3::X * -0.2, Vec3::X * 0.2);
    let up = Vec3::Y * 2.0;
    let mut rope =
        TendonSpec::through("rope", [("heavy", left), ("", left + up), ("", right + up), ("light", right)]);
    rope.range = Some([0.0, 4.0 + 0.4]);
    let slide = |name: &str, at: Vec3| Joint::slide(name, name).anchor(at.x, at.y, 0.0).axis(0.0, 1.0, 0.0);
    let scene = planar(solver)
        .body(flat("heavy", 2.0, 1.0, left))
        .body(flat("light", 1.0, 1.0, right))
        .joint(slide("heavy", left).range(-0.5, 10.0))
        .joint(slide("light", right))
        .tendon(rope);
    let mut world = world(&scene)?;
    // Landing, when the heavy one rises again, its speed and height then, and when it stands for good.
    let (mut landing, mut taut, mut fastest, mut highest, mut lies) = (f64::NAN, f64::NAN, 0.0, 0.0, 0.0);
    let mut light_speed = 0.0;
    for _ in 0..2000 {
        world.step();
        let (q, v) = joint(&world, "heavy");
        if landing.is_nan() {
            light_speed = scalar::max(light_speed, joint(&world, "light").1);
            if q <= -0.5 + 1e-9 {
                landing = world.time();
            }
        } else {
            if taut.is_nan() && v > 0.01 {
                taut = world.time();
            }
            if world.time() < landing + 0.6 {
                fastest = scalar::max(fastest, v);
                highest = scalar::max(highest, q + 0.5);
            }
            if q + 0.5 > 1e-6 {
                lies = world.time();
            }
        }
    }
    let event = 2.0 * DT;
    Ok(vec![
        Figure::within("lands after", landing, 0.5530012636, event).unit("s"),
        Figure::within("speed then", light_speed, 1.8083141320, G * DT).unit("m/s"),
        Figure::within("rope is slack for", taut - landing, 0.3686675091, event).unit("s"),
        Figure::within("speed when it is taut again", fastest, 0.6027713773, G * DT).unit("m/s"),
        Figure::within("height of the heavy one", highest, 1.0 / 18.0, 2e-3).unit("m"),
        // It rises seven times before it rises by less than 1e-6 m: 1 ms each, and 5 ms for all that follow.
        Figure::within("lies after", lies, 1.6590037908, 0.012).unit("s"),
        books(&world),
    ])
}

/// Speed of the last of `n` points of a rope on a drum after 50 ms, pulled by 10 N at one end and by `share` of the force that slips at
/// the other.
fn drum(solver: &str, n: u32, share: f64) -> Result<(f64, World), Trouble> {
    let (radius, bead, mu) = (1.0, 0.05, 0.3);
    let turn = PI / f64::from(n);
    let at = |k: i32| {
        let (s, c) = trig::sin_cos((f64::from(k) + 0.5) * turn);
        Vec3::new(c, s, 0.0) * (radius + bead)
    };
    let half = mu * {
        let (s, c) = trig::sin_cos(0.5 * turn);
        s / c
    };
    let ratio = trig::pow((1.0 + half) / (1.0 - half), f64::from(n));
    let surface = |shape: Shape| shape.friction(mu).restitution(0.0);
    let mut scene = scene(solver)
        .gravity(0.0, 0.0, 0.0)
        .body(Body::fixed("drum").shape(surface(Shape::cylinder(radius, 1.0))));
    let last = n as i32 - 1;
    for k in 0..=last {
        // Points, that is bodies that friction does not turn.
        let mut body = Body::dynamic(format!("point{k}"))
            .shape(surface(Shape::sphere(bead)))
            .mass(0.4 / f64::from(n))
            .inertia(Sym3::diagonal(Vec3::splat(100.0)))
            .at(at(k).x, at(k).y, 0.0);
        let mut pull = Vec3::ZERO;
        if k == 0 {
            pull += (at(-1) - at(0)).normalize() * 10.0;
        }
        if k == last {
            pull += (at(last + 1) - at(last)).normalize() * (10.0 * ratio * share);
        }
        body = body.force(pull.x, pull.y, 0.0);
        scene = scene.body(body);
        if k > 0 {
            let ends = [at(k - 1).to_array(), at(k).to_array()];
            let bodies = [format!("point{}", k - 1), format!("point{k}")];
            let names = bodies.each_ref().map(String::as_str);
            scene =
                scene.coupling(CouplingSpec::bodies(format!("line{k}"), CouplingKind::Distance, names, ends));
        }
    }
    let mut world = world(&scene)?;
    run(&mut world, 50);
    Ok((velocity(&world, &format!("point{last}")).length(), world))
}

fn capstan(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for n in [4, 8, 16, 32] {
        let (less, _) = drum(solver, n, 1.0 - 1e-3)?;
        let (more, world) = drum(solver, n, 1.0 + 1e-3)?;
        // An excess of 0.026 N moves 0.4 kg, of which friction makes up to 2.7 times as much: 1.2 to 3.2 mm/s.
        figures.push(Figure::at_most(format!("speed with 1e-3 less, {n} points"), less, 1e-4).unit("m/s"));
        figures.push(
            Figure::within(format!("speed with 1e-3 more, {n} points"), more, 2.2e-3, 1.2e-3).unit("m/s"),
        );
        figures.push(books(&world));
    }
    Ok(figures)
}

fn torn(solver: &str) -> Measured {
    let weld = Joint::hinge("weld", "weight").kind(JointKind::Fixed).breaks_at(30.0, f64::INFINITY);
    let mut world = world(&scene(solver).body(flat("weight", 2.0, 1.0, Vec3::ZERO)).joint(weld))?;
    let mut broke = f64::NAN;
    for k in 0..1500 {
        // The force of the middle of the step.
        let pull = 10.0 * DT * (f64::from(k) + 0.5);
        let Some(id) = world.find("weight") else { break };
        if world.apply_force(id, -Vec3::Z * pull, Vec3::ZERO).is_err() {
            break;
        }
        world.step();
        if broke.is_nan() && !world.state().broken.is_empty() {
            broke = world.time();
        }
    }
    let (fall, speed) = (view(&world, "weight").position.z, velocity(&world, "weight").z);
    Ok(vec![
        Figure::within("breaks after", broke, 1.038, 2.0 * DT).unit("s"),
        // One step later at most.
        Figure::within("speed at 1.5 s", speed, -7.46361, 0.03).unit("m/s"),
        Figure::within("place at 1.5 s", fall, -1.68300594, 0.015).unit("m"),
        books(&world),
    ])
}
