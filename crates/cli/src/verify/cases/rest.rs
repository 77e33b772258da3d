//! Rest: cases 28 to 31.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{G, booked, floor, largest, normal_forces, position, run, scene, view, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::trig;
use huygens::scene::{Body, Shape};

pub const CASES: &[Case] = &[
    Case {
        number: 28,
        name: "resting-force",
        title: "Contact forces of a box at rest",
        setup: "Unit cube of 1 kg on a floor, 1 s",
        expected: "Σp_n/h = mg, a quarter of it on every corner",
        source: "statics, symmetry",
        tolerance: "1e-9 of mg",
        contact: true,
        converges: false,
        long: false,
        measure: resting_force,
    },
    Case {
        number: 29,
        name: "resting-creep",
        title: "An hour at rest",
        setup: "Unit cube of 1 kg on a floor for 1 h at 240 Hz",
        expected: "no drift, no rotation, no heat",
        source: "statics",
        tolerance: "1e-6 m, 1e-6 rad, 1e-12 J",
        contact: true,
        converges: false,
        long: true,
        measure: resting_creep,
    },
    Case {
        number: 30,
        name: "stack",
        title: "Stacks of 10, 30 and 100 cubes",
        setup: "Unit cubes one on the other, 5 s",
        expected: "they stand: overlap below 1e-3 of the edge, speed below 1e-5 m/s",
        source: "statics; Avian PR1033, DART #867 exploded above 7 boxes",
        tolerance: "as stated",
        contact: true,
        converges: false,
        long: false,
        measure: stack,
    },
    Case {
        number: 31,
        name: "heavy-on-light",
        title: "Heavy on light",
        setup: "A cube of 1 m on a light one of the same size, mass ratio 1:100, 1:1e3, 1:1e4, 2 s",
        expected: "the light cube carries Mg and gives (M + m)g to the floor; it does not sink in",
        source: "statics; Jolt #1390: 1:100 clips",
        tolerance: "forces 1e-3, overlap 1 % of the edge",
        contact: true,
        converges: false,
        long: false,
        measure: heavy_on_light,
    },
];

fn cube_on_floor(solver: &str, dt: f64) -> Result<World, Trouble> {
    let cube = Body::dynamic("cube").cuboid(1.0, 1.0, 1.0).mass(1.0).at(0.0, 0.0, 0.5);
    world(&scene(solver).dt(dt).body(floor(0.5, 0.0)).body(cube))
}

fn resting_force(solver: &str) -> Measured {
    let mut world = cube_on_floor(solver, 1e-3)?;
    run(&mut world, 1000);
    let forces = normal_forces(&world, |_, _| true);
    if forces.len() != 4 {
        return Err(Trouble(format!("{} contact points instead of 4", forces.len())));
    }
    let uneven = largest(forces.iter().map(|f| (f - 0.25 * G).abs()));
    Ok(vec![
        Figure::relative("Σp_n/h", forces.iter().sum(), G, 1e-9).unit("N"),
        Figure::at_most("corner off mg/4, over mg", uneven / G, 1e-9),
    ])
}

/// All that contact took or gave, without sign [J].
fn heat(world: &World) -> f64 {
    [Account::Impact, Account::Friction, Account::Correction, Account::Stabilisation]
        .iter()
        .map(|account| booked(world, *account).abs())
        .sum()
}

fn resting_creep(solver: &str) -> Measured {
    let mut world = cube_on_floor(solver, 1.0 / 240.0)?;
    let start = position(&world, "cube");
    run(&mut world, 864_000);
    let cube = view(&world, "cube");
    Ok(vec![
        Figure::at_most("drift", (cube.position - start).length(), 1e-6).unit("m"),
        Figure::at_most("rotation", trig::rotation_angle(cube.orientation), 1e-6).unit("rad"),
        Figure::at_most("heat", heat(&world), 1e-12).unit("J"),
    ])
}

fn stack(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for n in [10, 30, 100] {
        let mut scene = scene(solver).body(floor(0.5, 0.0));
        for i in 0..n {
            let cube = Body::dynamic(format!("cube{i}")).shape(Shape::cuboid(1.0, 1.0, 1.0));
            scene = scene.body(cube.at(0.0, 0.0, 0.5 + f64::from(i)));
        }
        let mut world = world(&scene)?;
        run(&mut world, 5000);
        let speed = largest(world.bodies().map(|body| body.linear_velocity.length()));
        figures.push(Figure::at_most(format!("overlap of {n}"), world.max_penetration(), 1e-3).unit("m"));
        figures.push(Figure::at_most(format!("speed of {n}"), speed, 1e-5).unit("m/s"));
        let top = position(&world, &format!("cube{}", n - 1)).z;
        let sunk = (f64::from(n) - 0.5 - top).abs() / f64::from(n);
        figures.push(Figure::at_most(format!("top of {n} off its place, per cube"), sunk, 1e-3).unit("m"));
    }
    Ok(figures)
}

fn heavy_on_light(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for ratio in [100.0, 1e3, 1e4] {
        let cube = |name: &str, z: f64, mass: f64| {
            Body::dynamic(name).cuboid(1.0, 1.0, 1.0).mass(mass).at(0.0, 0.0, z)
        };
        let scene =
            scene(solver).body(floor(0.5, 0.0)).body(cube("light", 0.5, 1.0)).body(cube("heavy", 1.5, ratio));
        let mut world = world(&scene)?;
        run(&mut world, 2000);
        // Shape slots: floor 0, light 1, heavy 2.
        let lower: f64 = normal_forces(&world, |a, _| a == 0).iter().sum();
        let upper: f64 = normal_forces(&world, |a, _| a == 1).iter().sum();
        figures.extend([
            Figure::at_most(format!("overlap at 1:{ratio}"), world.max_penetration(), 0.01).unit("m"),
            Figure::relative(format!("force on the floor at 1:{ratio}"), lower, (ratio + 1.0) * G, 1e-3)
                .unit("N"),
            Figure::relative(format!("force between at 1:{ratio}"), upper, ratio * G, 1e-3).unit("N"),
        ]);
    }
    Ok(figures)
}
