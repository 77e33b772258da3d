//! Rest and seams: cases 28, 30, 31, 66.

use crate::Figures;
use crate::lab::{DT, G, Lab, at, ball, cuboid, largest};
use rapier::prelude::*;

pub const CASES: &[(u32, fn() -> Figures)] =
    &[(28, resting_force), (30, stack), (31, heavy_on_light), (66, ghost_edge)];

fn resting_force() -> Figures {
    let mut lab = Lab::new(DT);
    lab.floor(Vector::Z, 0.5, 0.0);
    lab.add(at(0.0, 0.0, 0.5), cuboid(1.0, 1.0, 1.0, 0.5).mass(1.0));
    lab.run(1000);
    let forces = lab.forces(|_, _| true);
    let uneven = largest(forces.iter().map(|f| (f - 0.25 * G).abs()));
    vec![("Σp_n/h".into(), forces.iter().sum()), ("corner off mg/4, over mg".into(), uneven / G)]
}

fn stack() -> Figures {
    let mut figures = Vec::new();
    for n in [10, 30, 100] {
        let mut lab = Lab::new(DT);
        lab.floor(Vector::Z, 0.5, 0.0);
        let cubes: Vec<RigidBodyHandle> =
            (0..n).map(|i| lab.add(at(0.0, 0.0, 0.5 + f64::from(i)), cuboid(1.0, 1.0, 1.0, 0.5))).collect();
        let mut overlap: f64 = 0.0;
        for _ in 0..5000 {
            lab.run(1);
            overlap = largest([overlap, lab.overlap()]);
        }
        let speed = largest(cubes.iter().map(|cube| lab.v(*cube).length()));
        let sunk = (f64::from(n) - 0.5 - lab.x(cubes[cubes.len() - 1]).z).abs() / f64::from(n);
        figures.push((format!("overlap of {n}"), overlap));
        figures.push((format!("speed of {n}"), speed));
        figures.push((format!("top of {n} off its place, per cube"), sunk));
    }
    figures
}

fn heavy_on_light() -> Figures {
    let mut figures = Vec::new();
    for ratio in [100.0, 1e3, 1e4] {
        let mut lab = Lab::new(DT);
        lab.floor(Vector::Z, 0.5, 0.0);
        let light = lab.add(at(0.0, 0.0, 0.5), cuboid(1.0, 1.0, 1.0, 0.5).mass(1.0));
        let heavy = lab.add(at(0.0, 0.0, 1.5), cuboid(1.0, 1.0, 1.0, 0.5).mass(ratio));
        let mut overlap: f64 = 0.0;
        for _ in 0..2000 {
            lab.run(1);
            overlap = largest([overlap, lab.overlap()]);
        }
        let between = |a, b| (a == light && b == heavy) || (a == heavy && b == light);
        let upper: f64 = lab.forces(between).iter().sum();
        let lower: f64 = lab.forces(|a, b| !between(a, b)).iter().sum();
        figures.push((format!("overlap at 1:{ratio}"), overlap));
        figures.push((format!("force on the floor at 1:{ratio}"), lower));
        figures.push((format!("force between at 1:{ratio}"), upper));
    }
    figures
}

fn ghost_edge() -> Figures {
    let turned = Rotation::from_rotation_x(0.0);
    let sliders = [
        ("ball", ball(0.1, 0.0, 0.0)),
        ("box", cuboid(0.2, 0.2, 0.2, 0.0)),
        ("capsule", ColliderBuilder::capsule_y(0.1, 0.1).density(1000.0).friction(0.0)),
    ];
    let mut figures = Vec::new();
    for (name, shape) in sliders {
        let mut lab = Lab::new(DT);
        for x in [-1.0, 1.0] {
            let tile = RigidBodyBuilder::fixed().translation(Vector::new(x, 0.0, -0.5));
            lab.add(tile, cuboid(2.0, 2.0, 1.0, 0.0));
        }
        let body = at(-1.0, 0.03, 0.1).linvel(Vector::X * 5.0);
        let body = lab.add(body.pose(Pose::from_parts(Vector::new(-1.0, 0.03, 0.1), turned)), shape);
        let [mut up, mut side, mut loss]: [f64; 3] = [0.0; 3];
        for _ in 0..400 {
            lab.run(1);
            up = largest([up, lab.v(body).z.abs()]);
            side = largest([side, (lab.x(body).y - 0.03).abs()]);
            loss = largest([loss, 5.0 - lab.v(body).x]);
        }
        figures.push((format!("vertical speed of the {name}"), up));
        figures.push((format!("sideways of the {name}"), side));
        figures.push((format!("loss of speed of the {name}"), loss));
    }
    figures
}
