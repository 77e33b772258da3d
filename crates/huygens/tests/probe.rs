//! Probe.
use huygens::World;
use huygens::ledger::Account;
use huygens::scene::*;

fn report(world: &World) {
    println!("t = {}", world.time());
    for b in world.bodies() {
        println!("  {} x {} v {} w {}", b.name, b.position, b.linear_velocity, b.angular_velocity);
    }
    for a in Account::ALL {
        let x = world.ledger().get(a);
        if x != 0.0 {
            println!("    {} {x:e}", a.name());
        }
    }
    println!(
        "    unexplained {:e} worst {:e} ratio {:e}",
        world.ledger().unexplained(),
        world.ledger().worst_step_unexplained(),
        world.ledger().worst_ratio()
    );
    for d in world.drivers() {
        println!("  driver {} {:?}", d.name, d.record);
    }
    let r = world.report();
    println!("  contacts {} pen {:e} solve {:?}", r.contacts, world.max_penetration(), r.solve);
}

fn floor() -> Body {
    Body::fixed("floor").shape(Shape::half_space())
}

#[test]
fn free_fall() {
    let scene = Scene::new()
        .dt(1.0 / 60.0)
        .body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 10.0).velocity(3.0, 0.0, 0.0));
    let mut w = World::new(&scene).unwrap();
    for _ in 0..60 {
        w.step();
    }
    report(&w);
}

#[test]
fn resting_box() {
    let scene = Scene::new()
        .dt(0.016)
        .body(floor())
        .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5));
    let mut w = World::new(&scene).unwrap();
    for _ in 0..1000 {
        w.step();
    }
    report(&w);
}

#[test]
fn stack() {
    let mut scene = Scene::new().dt(1.0 / 240.0).body(floor());
    for i in 0..5 {
        scene = scene.body(Body::dynamic(format!("b{i}")).cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5 + i as f64));
    }
    let mut w = World::new(&scene).unwrap();
    for _ in 0..1000 {
        w.step();
    }
    report(&w);
}

#[test]
fn slide() {
    let scene = Scene::new().dt(1.0 / 240.0).body(floor()).body(
        Body::dynamic("box")
            .shape(Shape::cuboid(1.0, 1.0, 0.2).friction(0.18))
            .at(0.0, 0.0, 0.1)
            .velocity(3.0, 0.0, 0.0),
    );
    let mut w = World::new(&scene).unwrap();
    for _ in 0..400 {
        w.step();
    }
    report(&w);
}

#[test]
fn capsule_spin() {
    for (stab, name) in [
        (StabilisationSpec::None, "none"),
        (StabilisationSpec::Baumgarte { erp: 0.7, cap: None }, "baumgarte"),
    ] {
        for solver in ["nbgs/approximate-decoupling", "sequential-impulse"] {
            let cap = || Shape::capsule(0.2, 1.0).along(Axis::X).density(2.8).friction(0.0);
            let mut scene = Scene::new()
                .gravity(0.0, 0.0, 0.0)
                .dt(0.001)
                .solver(solver)
                .stabilisation(stab)
                .world(|w| w.speculative = false)
                .body(Body::driven("rotor", [0.0; 3], [0.0, 0.0, std::f64::consts::TAU]).shape(cap()))
                .body(Body::dynamic("paddle").shape(cap()).at(0.7, 0.7, 0.0));
            scene.bodies[1].lock.linear = [true; 3];
            let mut w = World::new(&scene).unwrap();
            for _ in 0..120 {
                w.step();
            }
            println!("{name} {solver}");
            report(&w);
        }
    }
}

#[test]
fn drop() {
    for e in [0.5, 1.0] {
        let scene = Scene::new()
            .dt(1.0 / 240.0)
            .body(Body::fixed("floor").shape(Shape::half_space().restitution(e)))
            .body(Body::dynamic("ball").shape(Shape::sphere(0.5).restitution(e)).at(0.0, 0.0, 1.5));
        let mut w = World::new(&scene).unwrap();
        let mut top: f64 = 0.0;
        for i in 0..480 {
            w.step();
            if i > 120 {
                top = top.max(w.bodies().nth(1).unwrap().position.z)
            };
        }
        println!("top {top}");
        report(&w);
    }
}

#[test]
fn stack_trace() {
    let mut scene = Scene::new().dt(1.0 / 240.0).body(floor());
    for i in 0..5 {
        scene = scene.body(Body::dynamic(format!("b{i}")).cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5 + i as f64));
    }
    let mut w = World::new(&scene).unwrap();
    for k in 0..300 {
        w.step();
        if k < 20 || k % 20 == 0 {
            let r = w.report();
            let gaps: Vec<f64> = w
                .state()
                .contacts
                .iter()
                .flat_map(|c| c.manifold.points().iter().map(|p| p.gap).collect::<Vec<_>>())
                .collect();
            let n: Vec<usize> = w.state().contacts.iter().map(|c| c.manifold.points().len()).collect();
            println!(
                "{k} it {} res {:.1e} KE {:.1e} gap {:.1e}..{:.1e} n {n:?}",
                r.solve.iterations,
                r.solve.residual,
                w.kinetic_energy(),
                gaps.iter().cloned().fold(1.0, f64::min),
                gaps.iter().cloned().fold(-1.0, f64::max)
            );
        }
    }
    let c = &w.state().contacts[4];
    for (p, i) in c.manifold.points().iter().zip(&c.impulses) {
        println!("{:?} {} {}", p.feature, p.on_a, i);
    }
}
