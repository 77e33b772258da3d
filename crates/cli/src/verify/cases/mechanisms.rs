//! Mechanisms: joints of all kinds, loops, couplings, springs, motors, stops. Case 100 + n is number n of the list of mechanisms.

use crate::verify::case::{Case, Figure, Measured, Trouble};
use crate::verify::lab::{DT, G, booked, joint, run, view, world};
use huygens::World;
use huygens::ledger::Account;
use huygens::math::{Sym3, Vec3, scalar, trig};
use huygens::scene::{Body, CouplingSpec, Integrator, Joint, JointKind, MotorSpec, Scene, Shape};
use std::f64::consts::PI;

pub(super) const fn case(number: u32, name: &'static str, title: &'static str, setup: &'static str) -> Case {
    Case {
        number,
        name,
        title,
        setup,
        expected: "the numbers of the list of mechanisms",
        source: "closed form, or two formulations that agree to 1e-12",
        tolerance: "ten times the error of the midpoint rule at 1 ms in minimal coordinates",
        contact: false,
        converges: false,
        long: false,
        measure: nothing,
    }
}

fn nothing(_: &str) -> Measured {
    Ok(Vec::new())
}

/// A case with its own measurement.
macro_rules! cases {
    ($($number:literal $name:literal $title:literal $setup:literal $measure:ident;)*) => {
        pub const CASES: &[Case] = &[$(Case { measure: $measure, ..case($number, $name, $title, $setup) }),*];
    };
}

cases! {
    101 "rod" "Rod on a hinge" "1 m, released at 90°, 120° and 170° from down; period" rod_pendulum;
    102 "spherical-pendulum" "Spherical pendulum" "Point mass on a ball joint, 60° from down, 1.5 m/s across; place after 1 s" spherical;
    103 "top" "Heavy top" "On a ball joint, 30° from up, 100 rad/s about its axis, dt = 0.1 ms; axis after 1 s" top;
    104 "cart" "Cart and pendulum" "1 kg on a rail, rod of 0.5 kg released at 120°; state after 1 s and 2 s" cart;
    106 "slider-crank" "Slider-crank, driven" "Crank 0.2 m at 10 rad/s by a motor, rod 0.6 m; slider, speed and torque at 30°, 90° and 210°" driven_crank;
    107 "slider-crank-free" "Slider-crank, free" "Released at 60°; crank after 0.5, 1 and 2 s, and its order in dt" free_crank;
    108 "four-bar" "Four-bar linkage" "0.35, 0.9 and 0.7 m, released at 20°; crank after 0.5, 1 and 2 s" four_bar;
    109 "bricard" "Bricard's linkage" "Six hinges across each other, 6 loop rows of rank 5; P3 after 1 s and 2 s" bricard;
    112 "watt" "Watt's linkage" "Arms 1 m, coupler 0.5 m, put to 5° to 25°; middle of the coupler" watt;
    113 "gears" "Gear train" "20:60 and 15:45 teeth, 1 N·m on the first shaft; accelerations" gears;
    114 "screw" "Falling screw" "Vertical, 0.1 m a turn, 2 kg, 0.01 kg·m²; acceleration" screw;
    115 "atwood" "Atwood's machine" "2 kg and 1 kg over a pulley of 0.05 kg·m² and 0.2 m; acceleration" atwood;
    118 "damped-spring" "Damped torsion spring" "0.2 kg·m², 20 N·m/rad, 0.4 N·m·s, from 1 rad; angle after 1 s" damped_spring;
    119 "limited-motor" "Velocity motor with a limit" "0.5 kg·m², gain 1 towards 10 rad/s, at most 2 N·m; after 2.5 s" limited_motor;
    120 "position-motor" "Position motor" "0.1 kg·m², gains 10 and 1.2, step of 1 rad; angle after 0.1, 0.2 and 0.5 s" position_motor;
    121 "stop" "Rod against a stop" "From 60°, stop at 0, e = 0.8; times and speeds of the hits" stop;
    122 "joint-friction" "Dry friction in a hinge" "0.2 kg·m², 20 N·m/rad, 0.5 N·m, from 0.42 rad; where and when it sticks" friction;
    123 "struck-pendulum" "Ball hits a double pendulum" "Two rods of 1 m and 1 kg, 0.5 kg at 3 m/s against the tip, e = 0 and 1" struck;
}

pub(super) fn planar(solver: &str) -> Scene {
    let scene = Scene::new().dt(DT).solver(solver).gravity(0.0, -G, 0.0);
    scene.world(|world| world.integrator = Integrator::Midpoint)
}

/// A shape that touches nothing.
fn ghost() -> Shape {
    Shape::sphere(0.01).groups(0, 0)
}

pub(super) fn mass(name: &str, mass: f64, inertia: Sym3, at: Vec3) -> Body {
    let body = Body::dynamic(name).shape(ghost()).mass(mass).center_of_mass(0.0, 0.0, 0.0);
    body.inertia(inertia).at(at.x, at.y, at.z)
}

/// A body that turns about z alone.
pub(super) fn flat(name: &str, m: f64, moment: f64, at: Vec3) -> Body {
    mass(name, m, Sym3::diagonal(Vec3::splat(moment)), at)
}

/// A slender rod between two points of a plane.
fn rod(name: &str, m: f64, a: Vec3, b: Vec3) -> Body {
    flat(name, m, m * (b - a).length_squared() / 12.0, (a + b) * 0.5)
}

pub(super) fn hinge(name: &str, child: &str, at: Vec3) -> Joint {
    Joint::hinge(name, child).anchor(at.x, at.y, at.z).axis(0.0, 0.0, 1.0)
}

pub(super) fn polar(length: f64, angle: f64) -> Vec3 {
    let (s, c) = trig::sin_cos(angle);
    Vec3::new(length * c, length * s, 0.0)
}

/// Place of a point of a body that is at `at` in the scene's pose.
fn follow(world: &World, body: &str, start: Vec3, at: Vec3) -> Vec3 {
    let view = view(world, body);
    view.position + view.orientation * (at - start)
}

fn steps(seconds: f64, dt: f64) -> usize {
    (seconds / dt).round() as usize
}

fn rod_pendulum(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for (degrees, period) in [(90.0, 1.9333348544), (120.0, 2.2487049289), (170.0, 3.9955458385)] {
        let angle: f64 = degrees * PI / 180.0;
        let scene = planar(solver)
            .body(rod("rod", 1.0, Vec3::ZERO, polar(1.0, angle - 0.5 * PI)))
            .joint(hinge("hinge", "rod", Vec3::ZERO));
        let mut world = world(&scene)?;
        let mut crossings = Vec::new();
        let mut before = angle;
        for _ in 0..8000 {
            world.step();
            let now = angle + joint(&world, "hinge").0;
            if now * before < 0.0 {
                crossings.push(world.time() - DT * now / (now - before));
            }
            before = now;
        }
        let measured = if let [first, _, third, ..] = crossings[..] { third - first } else { f64::NAN };
        figures.push(Figure::relative(format!("period from {degrees}°"), measured, period, 1e-5).unit("s"));
    }
    Ok(figures)
}

fn spherical(solver: &str) -> Measured {
    let (s, c) = trig::sin_cos(PI / 3.0);
    let scene = Scene::new().dt(DT).solver(solver).world(|world| world.integrator = Integrator::Midpoint);
    let bob = mass("bob", 1.0, Sym3::diagonal(Vec3::splat(1e-9)), Vec3::new(s, 0.0, -c));
    // v = ω × r: 1.5 along y from a spin across r.
    let at = Vec3::new(s, 0.0, -c);
    let spin = at.cross(Vec3::Y * 1.5);
    let mut ball = Joint::ball("ball", "bob").axis(spin.x, spin.y, spin.z);
    ball.velocity = spin.length();
    let mut world = world(&scene.body(bob).joint(ball))?;
    run(&mut world, 1000);
    let place = view(&world, "bob").position;
    let expected = Vec3::new(-0.7670905966, -0.3767837220, -0.5192360190);
    Ok(vec![Figure::at_most("distance from the expected place", (place - expected).length(), 2e-5).unit("m")])
}

fn top(solver: &str) -> Measured {
    let dt = 1e-4;
    let scene = Scene::new().dt(dt).solver(solver).world(|world| world.integrator = Integrator::Midpoint);
    let axis = Vec3::new(0.0, -0.5, 0.8660254038);
    let (m, l, pivot, axial) = (0.5, 0.05, 0.002, 0.0008);
    let across = pivot - m * l * l;
    let outer = Sym3::point_inertia(axis);
    // I₃ along the axis and I₁ across: point_inertia is |a|² − a aᵀ.
    let inertia = Sym3::diagonal(Vec3::splat(axial)) + outer * (across - axial);
    let mut ball = Joint::ball("ball", "top").axis(axis.x, axis.y, axis.z);
    ball.velocity = 100.0;
    let mut world = world(&scene.body(mass("top", m, inertia, axis * l)).joint(ball))?;
    run(&mut world, 10_000);
    let found = view(&world, "top").position / l;
    let expected = Vec3::new(-0.0833007008, 0.5742797793, 0.8144100493);
    Ok(vec![Figure::at_most("distance of the axis from the expected one", (found - expected).length(), 5e-4)])
}

fn cart(solver: &str) -> Measured {
    let angle = 2.0 * PI / 3.0;
    let scene = planar(solver)
        .body(flat("cart", 1.0, 1.0, Vec3::ZERO))
        .body(rod("rod", 0.5, Vec3::ZERO, polar(1.0, angle - 0.5 * PI)))
        .joint(Joint::slide("rail", "cart").axis(1.0, 0.0, 0.0))
        .joint(hinge("hinge", "rod", Vec3::ZERO).parent("cart"));
    let mut world = world(&scene)?;
    let mut figures = Vec::new();
    for (when, exact) in [
        (1, [0.2922958132, -2.0491597417, -0.0851878315, -1.1103565143]),
        (2, [-0.0126646723, 1.9130120475, 0.1248010899, 2.2314123465]),
    ] {
        run(&mut world, 1000);
        let ((x, v), (q, w)) = (joint(&world, "rail"), joint(&world, "hinge"));
        for (name, (found, exact)) in
            ["x", "θ", "v", "ω"].into_iter().zip([x, angle + q, v, w].into_iter().zip(exact))
        {
            figures.push(Figure::within(format!("{name} at {when} s"), found, exact, 2e-5));
        }
    }
    Ok(figures)
}

/// A slider-crank at the crank angle `angle`.
fn crank(solver: &str, dt: f64, angle: f64, motor: Option<MotorSpec>) -> Result<World, Trouble> {
    let (r, l) = (0.2, 0.6);
    let pin = polar(r, angle);
    let slider = Vec3::new(pin.x + (l * l - pin.y * pin.y).sqrt(), 0.0, 0.0);
    let mut first = hinge("crank", "crank", Vec3::ZERO);
    first.velocity = motor.map_or(0.0, |motor| motor.target);
    first.motor = motor;
    let scene = planar(solver)
        .dt(dt)
        .body(rod("crank", 1.0, Vec3::ZERO, pin))
        .body(rod("rod", 2.0, pin, slider))
        .body(flat("slider", 3.0, 1.0, slider))
        .joint(first)
        .joint(hinge("pin", "rod", pin).parent("crank"))
        .joint(hinge("wrist", "slider", slider).parent("rod"))
        .joint(Joint::slide("rail", "slider").anchor(slider.x, 0.0, 0.0).axis(1.0, 0.0, 0.0));
    world(&scene)
}

fn driven_crank(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for (degrees, torque) in [(30.0, 13.8712957091), (90.0, -5.6568542495), (210.0, 1.8967292754)] {
        // The angle is in the middle of the last step: there the mean torque of the step is that of the angle.
        let count = 50;
        let start = degrees * PI / 180.0 - 0.01 * (count as f64 - 0.5);
        let mut world = crank(solver, DT, start, Some(MotorSpec::velocity(10.0, 0.0)))?;
        run(&mut world, count - 1);
        let before = booked(&world, Account::Actuator);
        world.step();
        let work = booked(&world, Account::Actuator) - before;
        let angle = start + 0.01 * count as f64;
        let (s, c) = trig::sin_cos(angle);
        let root = (0.36 - 0.04 * s * s).sqrt();
        let (x, v) = (0.2 * c + root, -10.0 * (0.2 * s + 0.04 * s * c / root));
        let (found, speed) = (view(&world, "slider").position.x, view(&world, "slider").linear_velocity.x);
        figures.push(Figure::within(
            format!("crank after {degrees}°"),
            start + joint(&world, "crank").0,
            angle,
            1e-9,
        ));
        figures.push(Figure::within(format!("x after {degrees}°"), found, x, 1e-9).unit("m"));
        figures.push(Figure::within(format!("v after {degrees}°"), speed, v, 1e-8).unit("m/s"));
        figures.push(
            Figure::within(format!("torque at {degrees}°"), work / (10.0 * DT), torque, 1e-2).unit("N·m"),
        );
        figures.push(gap(&world));
        figures.push(crate::verify::lab::books(&world));
    }
    Ok(figures)
}

/// Largest error of loops and couplings.
pub(super) fn gap(world: &World) -> Figure {
    Figure::at_most("largest gap of loops", world.largest_gap(), 1e-8).unit("m or rad")
}

fn free_crank(solver: &str) -> Measured {
    let angle = PI / 3.0;
    let error = |dt: f64| -> Result<(f64, Vec<Figure>), Trouble> {
        let mut world = crank(solver, dt, angle, None)?;
        let start = world.energy();
        let (mut figures, mut first, mut off) = (Vec::new(), 0.0, 0.0);
        for (until, q, w) in [
            (0.5, -0.8065576442, -7.3231903252),
            (1.0, -4.1378418365, -1.1267061290),
            (2.0, 0.9191735776, 1.4591699162),
        ] {
            while (world.steps() as usize) < steps(until, dt) {
                world.step();
                off = scalar::max(off, (world.energy() - start).abs());
            }
            let (found, speed) = joint(&world, "crank");
            if until == 0.5 {
                first = (angle + found - q).abs();
            }
            figures.push(Figure::within(format!("θ at {until} s"), angle + found, q, 3e-4).unit("rad"));
            figures.push(Figure::within(format!("ω at {until} s"), speed, w, 2e-3).unit("rad/s"));
        }
        figures.push(gap(&world));
        figures.push(Figure::at_most(
            "largest error of the energy over that of the start",
            off / start.abs(),
            1e-6,
        ));
        Ok((first, figures))
    };
    let ((coarse, mut figures), (fine, _)) = (error(DT)?, error(0.5 * DT)?);
    let order = trig::ln(coarse / fine) / trig::ln(2.0);
    figures.push(Figure::within("order in dt", order, 2.0, 0.1));
    Ok(figures)
}

fn linkage(solver: &str, points: [Vec3; 4], masses: [f64; 3], dt: f64) -> Scene {
    let names = ["one", "two", "three"];
    let mut scene = planar(solver).dt(dt);
    for (k, name) in names.into_iter().enumerate() {
        scene = scene.body(rod(name, masses[k], points[k], points[k + 1]));
    }
    scene
        .joint(hinge("a", "one", points[0]))
        .joint(hinge("b", "two", points[1]).parent("one"))
        .joint(hinge("c", "three", points[2]).parent("two"))
        .joint(hinge("d", "three", points[3]))
}

fn four_bar(solver: &str) -> Measured {
    let angle = PI / 9.0;
    let points = [
        Vec3::ZERO,
        polar(0.35, angle),
        Vec3::new(1.0170056510, 0.6997934037, 0.0),
        Vec3::new(1.0, 0.0, 0.0),
    ];
    let mut world = world(&linkage(solver, points, [0.35, 0.9, 0.7], DT))?;
    let mut figures = Vec::new();
    for (until, q, w) in [
        (500, -2.4208250236, -13.5988062707),
        (1000, -3.7248309916, 3.6764929079),
        (2000, -0.7266288187, -5.8319471046),
    ] {
        while world.steps() < until {
            world.step();
        }
        let (found, speed) = joint(&world, "a");
        figures.push(Figure::within(format!("θ after {until} steps"), angle + found, q, 2e-4).unit("rad"));
        figures.push(Figure::within(format!("ω after {until} steps"), speed, w, 1e-3).unit("rad/s"));
    }
    figures.push(gap(&world));
    figures.push(crate::verify::lab::books(&world));
    Ok(figures)
}

fn bricard(solver: &str) -> Measured {
    let p = [
        Vec3::ZERO,
        Vec3::X,
        Vec3::new(1.0, -1.0, 0.0),
        Vec3::new(1.0, -1.0, 1.0),
        Vec3::new(0.0, -1.0, 1.0),
        Vec3::Z,
    ];
    let axes = [Vec3::Y, Vec3::Z, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X];
    let mut scene = planar(solver);
    for k in 0..5 {
        let along = p[k + 1] - p[k];
        // Square section of 0.1: 1/600 about its own line, 1.01/12 across.
        let inertia = Sym3::diagonal(Vec3::splat(1.0 / 600.0))
            + Sym3::point_inertia(along) * (1.01 / 12.0 - 1.0 / 600.0);
        scene = scene.body(mass(&format!("rod{k}"), 1.0, inertia, (p[k] + p[k + 1]) * 0.5));
    }
    for k in 0..6 {
        let (at, axis) = (p[k], axes[k]);
        let child = if k < 5 { format!("rod{k}") } else { "rod4".to_owned() };
        let mut joint =
            Joint::hinge(format!("j{k}"), child).anchor(at.x, at.y, at.z).axis(axis.x, axis.y, axis.z);
        if (1..5).contains(&k) {
            joint = joint.parent(format!("rod{}", k - 1));
        }
        scene = scene.joint(joint);
    }
    let mut world = world(&scene)?;
    let start = world.energy();
    let (mut figures, mut off) = (Vec::new(), 0.0);
    for (until, expected) in [
        (1000, Vec3::new(0.5105014612, -1.6491675994, 0.1401231146)),
        (2000, Vec3::new(-0.9693403448, -1.2212468950, 0.7542780108)),
        (10_000, Vec3::NAN),
    ] {
        while world.steps() < until {
            world.step();
            off = scalar::max(off, (world.energy() - start).abs());
        }
        if expected.is_finite() {
            let found = follow(&world, "rod2", (p[2] + p[3]) * 0.5, p[3]);
            let far = (found - expected).length();
            figures.push(Figure::at_most(format!("distance of P3 after {until} steps"), far, 5e-6).unit("m"));
        }
    }
    figures.push(gap(&world));
    figures.push(Figure::at_most("error of the energy in 10 s", off, 1e-6 * G).unit("J"));
    figures.push(crate::verify::lab::books(&world));
    Ok(figures)
}

fn watt(solver: &str) -> Measured {
    let (a, d) = (Vec3::new(-1.0, 0.25, 0.0), Vec3::new(1.0, -0.25, 0.0));
    let points = [a, a + Vec3::X, d - Vec3::X, d];
    let mut figures = Vec::new();
    for (degrees, x, y) in [
        (5.0, 2.538107e-6, 0.0871847437),
        (10.0, 8.2586803e-5, 0.1741152551),
        (15.0, 6.56073823e-4, 0.2612431781),
        (20.0, 3.051501131e-3, 0.3501820730),
        (25.0, 1.1584831987e-2, 0.4458656569),
    ] {
        let mut scene = linkage(solver, points, [1.0, 1.0, 1.0], DT);
        scene.joints[0].position = degrees * PI / 180.0;
        let found = view(&world(&scene)?, "two").position;
        figures.push(Figure::within(format!("x at {degrees}°"), found.x, x, 1e-9).unit("m"));
        figures.push(Figure::within(format!("y at {degrees}°"), found.y, y, 1e-9).unit("m"));
    }
    Ok(figures)
}

fn gears(solver: &str) -> Measured {
    let mut scene = planar(solver).gravity(0.0, 0.0, 0.0);
    for (k, moment) in [0.01, 0.05, 0.2].into_iter().enumerate() {
        let at = Vec3::X * k as f64;
        let name = format!("shaft{k}");
        let mut joint = hinge(&name, &name, at);
        if k == 0 {
            joint.motor = Some(MotorSpec::torque(1.0));
        }
        scene = scene.body(flat(&name, 1.0, moment, at)).joint(joint);
    }
    let scene = scene
        .coupling(CouplingSpec::gear("first", "shaft0", "shaft1", -3.0))
        .coupling(CouplingSpec::gear("second", "shaft1", "shaft2", -3.0));
    let mut world = world(&scene)?;
    run(&mut world, 1000);
    let expected = [55.4794520548, -18.4931506849, 6.1643835616];
    let speeds = (0..3).map(|k| joint(&world, &format!("shaft{k}")).1);
    let mut figures: Vec<Figure> = speeds
        .zip(expected)
        .enumerate()
        .map(|(k, (found, exact))| {
            Figure::within(format!("speed of shaft {k} after 1 s"), found, exact, 1e-8)
        })
        .collect();
    figures.push(crate::verify::lab::books(&world));
    Ok(figures)
}

fn screw(solver: &str) -> Measured {
    let scene = Scene::new().dt(DT).solver(solver).world(|world| world.integrator = Integrator::Midpoint);
    let joint_of = Joint::hinge("screw", "nut").kind(JointKind::Screw).pitch(0.1).axis(0.0, 0.0, 1.0);
    let mut world = world(&scene.body(flat("nut", 2.0, 0.01, Vec3::ZERO)).joint(joint_of))?;
    run(&mut world, 1000);
    let speed = view(&world, "nut").linear_velocity.z;
    Ok(vec![
        Figure::within("speed after 1 s", speed, -0.4730170805, 1e-9).unit("m/s"),
        Figure::within("spin after 1 s", joint(&world, "screw").1, -29.7205397040, 1e-8).unit("rad/s"),
    ])
}

fn atwood(solver: &str) -> Measured {
    let slide = |name: &str, x: f64| Joint::slide(name, name).anchor(x, 0.0, 0.0).axis(0.0, 1.0, 0.0);
    let scene = planar(solver)
        .body(flat("heavy", 2.0, 1.0, Vec3::new(-0.2, 0.0, 0.0)))
        .body(flat("light", 1.0, 1.0, Vec3::new(0.2, 0.0, 0.0)))
        .body(flat("pulley", 1.0, 0.05, Vec3::Y))
        .joint(slide("heavy", -0.2))
        .joint(slide("light", 0.2))
        .joint(hinge("pulley", "pulley", Vec3::Y))
        .coupling(CouplingSpec::gear("left", "heavy", "pulley", -0.2))
        .coupling(CouplingSpec::gear("right", "light", "pulley", 0.2));
    let mut world = world(&scene)?;
    run(&mut world, 1000);
    Ok(vec![Figure::within("speed after 1 s", joint(&world, "light").1, 2.3082352941, 1e-8).unit("m/s")])
}

/// A wheel on a hinge at the origin, without gravity.
fn wheel(solver: &str, moment: f64, joint: Joint) -> Result<World, Trouble> {
    let scene = planar(solver).gravity(0.0, 0.0, 0.0);
    world(&scene.body(flat("wheel", 1.0, moment, Vec3::ZERO)).joint(joint))
}

fn damped_spring(solver: &str) -> Measured {
    let joint_of = hinge("hinge", "wheel", Vec3::ZERO).spring(20.0, 0.0).damping(0.4).start(1.0, 0.0);
    let mut world = wheel(solver, 0.2, joint_of)?;
    run(&mut world, 1000);
    Ok(vec![
        Figure::within("θ at 1 s", joint(&world, "hinge").0, -0.3368516806, 2e-4).unit("rad"),
        crate::verify::lab::books(&world),
    ])
}

fn limited_motor(solver: &str) -> Measured {
    let motor = MotorSpec::velocity(10.0, 1.0).max_force(2.0);
    let mut world = wheel(solver, 0.5, hinge("hinge", "wheel", Vec3::ZERO).motor(motor))?;
    run(&mut world, 2000);
    let at_two = joint(&world, "hinge").1;
    run(&mut world, 500);
    let (q, v) = joint(&world, "hinge");
    Ok(vec![
        Figure::within("ω at 2 s", at_two, 8.0, 1e-5).unit("rad/s"),
        Figure::within("ω at 2.5 s", v, 9.2642411177, 1e-5).unit("rad/s"),
        Figure::within("θ at 2.5 s", q, 12.3678794412, 1e-5).unit("rad"),
        crate::verify::lab::books(&world),
    ])
}

fn position_motor(solver: &str) -> Measured {
    let motor = MotorSpec::position(1.0, 10.0, 1.2);
    let mut world = wheel(solver, 0.1, hinge("hinge", "wheel", Vec3::ZERO).motor(motor))?;
    let mut figures = Vec::new();
    for (until, expected) in [(100, 0.3223692235), (200, 0.7829953894), (500, 1.0608022328)] {
        while world.steps() < until {
            world.step();
        }
        let found = joint(&world, "hinge").0;
        figures.push(Figure::within(format!("θ after {until} steps"), found, expected, 2e-5).unit("rad"));
    }
    figures.push(crate::verify::lab::books(&world));
    Ok(figures)
}

fn stop(solver: &str) -> Measured {
    let angle = PI / 3.0;
    let joint_of = hinge("hinge", "rod", Vec3::ZERO).range(-angle, 1.0).restitution(0.8);
    let scene =
        planar(solver).body(rod("rod", 1.0, Vec3::ZERO, polar(1.0, angle - 0.5 * PI))).joint(joint_of);
    let mut world = world(&scene)?;
    let (mut hits, mut speeds, mut before) = (Vec::new(), Vec::new(), 0.0);
    for _ in 0..3000 {
        world.step();
        let (q, v) = joint(&world, "hinge");
        if before < 0.0 && v > 0.0 {
            // It left the stop at that time, with that speed.
            hits.push(world.time() - (q + angle) / v);
            speeds.push(v);
        }
        before = v;
    }
    let times = [0.4394537012, 1.2945079610, 2.1357478149, 2.9686575144];
    let mut figures = vec![Figure::all_of("hits", hits.len().min(4), 4)];
    for (k, (hit, expected)) in hits.iter().zip(times).enumerate() {
        figures.push(Figure::within(format!("time of hit {}", k + 1), *hit, expected, 1e-3).unit("s"));
        let speed = 3.8360135558 * trig::pow(0.8, k as f64 + 1.0);
        figures.push(
            Figure::relative(format!("speed after hit {}", k + 1), speeds[k], speed, 1e-3).unit("rad/s"),
        );
    }
    figures.push(crate::verify::lab::books(&world));
    Ok(figures)
}

fn friction(solver: &str) -> Measured {
    let joint_of = hinge("hinge", "wheel", Vec3::ZERO).spring(20.0, 0.0).friction(0.5).start(0.42, 0.0);
    let mut world = wheel(solver, 0.2, joint_of)?;
    let mut moved = 0.0;
    for _ in 0..4000 {
        world.step();
        if joint(&world, "hinge").1.abs() > 1e-9 {
            moved = world.time();
        }
    }
    let (q, v) = joint(&world, "hinge");
    Ok(vec![
        Figure::within("sticks at", q, 0.02, 1e-3).unit("rad"),
        Figure::within("sticks after", moved, 2.5132741229, 2e-3).unit("s"),
        Figure::at_most("speed then", v.abs(), 1e-12).unit("rad/s"),
        crate::verify::lab::books(&world),
    ])
}

fn struck(solver: &str) -> Measured {
    let mut figures = Vec::new();
    for (e, speed) in [(0.0, 36.0 / 19.0), (1.0, 15.0 / 19.0)] {
        let tip = |name: &str, top: f64| {
            let body = rod(name, 1.0, Vec3::Y * top, Vec3::Y * (top - 1.0));
            if name == "lower" {
                body.shape(Shape::sphere(0.05).at(0.0, -0.5, 0.0).friction(0.0).restitution(e))
            } else {
                body
            }
        };
        let ball = Body::dynamic("ball")
            .shape(Shape::sphere(0.05).friction(0.0).restitution(e))
            .mass(0.5)
            .at(-0.1, -2.0, 0.0)
            .velocity(3.0, 0.0, 0.0);
        let scene = planar(solver)
            .gravity(0.0, 0.0, 0.0)
            .body(tip("upper", 0.0))
            .body(tip("lower", -1.0))
            .body(ball)
            .joint(hinge("one", "upper", Vec3::ZERO))
            .joint(hinge("two", "lower", -Vec3::Y).parent("upper"));
        let mut world = world(&scene)?;
        world.step();
        let found = view(&world, "ball").linear_velocity.x;
        let (w1, w2) = (joint(&world, "one").1, joint(&world, "two").1);
        figures.push(Figure::within(format!("ball, e = {e}"), found, speed, 1e-6).unit("m/s"));
        let times = 1.0 + e;
        figures
            .push(Figure::within(format!("upper rod, e = {e}"), w1, -9.0 / 19.0 * times, 1e-2).unit("rad/s"));
        figures.push(
            Figure::within(format!("lower rod, e = {e}"), w1 + w2, 45.0 / 19.0 * times, 1e-2).unit("rad/s"),
        );
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::scene::CouplingKind;

    #[test]
    fn a_rod_between_free_bodies_keeps_its_length() -> Result<(), Box<dyn std::error::Error>> {
        let line =
            CouplingSpec::bodies("rod", CouplingKind::Distance, ["a", "b"], [[0.0; 3], [1.0, 0.0, 0.0]]);
        let scene = planar("soft-step")
            .body(flat("a", 1000.0, 1.0, Vec3::ZERO).velocity(0.0, 1.0, 0.0))
            .body(flat("b", 1.0, 1.0, Vec3::X))
            .coupling(line);
        let mut world = World::new(&scene)?;
        run(&mut world, 1000);
        let apart = view(&world, "a").position - view(&world, "b").position;
        assert!((apart.length() - 1.0).abs() < 1e-9, "{}", apart.length());
        Ok(())
    }
}
