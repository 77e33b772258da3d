//! Impulses of a user on links: all of the mechanism answers, and who holds it does its share of the work.

use huygens::ledger::Account;
use huygens::math::{SplitMix, Vec3, scalar};
use huygens::scene::{Body, CouplingKind, CouplingSpec, Joint, Scene};
use huygens::{BodyId, World};

fn vector(random: &mut SplitMix, size: f64) -> Vec3 {
    random.direction() * random.range(0.1, size)
}

/// A box that hangs on the world by two ball joints turns about the line through them alone, by the angular impulse about that line over its
/// inertia; the centres of the two links that the loop makes of it are one.
#[test]
fn a_body_on_two_ball_joints_turns_about_the_line_through_them() {
    let mut random = SplitMix::new(20261120);
    for round in 0..100 {
        let size: [f64; 3] = std::array::from_fn(|_| random.range(0.1, 1.0));
        let [a, b] = [0, 1].map(|_| vector(&mut random, 2.0));
        let at = vector(&mut random, 3.0);
        let mut body = Body::dynamic("body").cuboid(size[0], size[1], size[2]).at(at.x, at.y, at.z).mass(3.0);
        body.orientation = random.rotation();
        let mut scene = Scene::new().body(body);
        for (name, anchor) in [("a", a), ("b", b)] {
            scene = scene.joint(Joint::ball(name, "body").anchor(anchor.x, anchor.y, anchor.z));
        }
        let mut world = World::new(&scene).unwrap();
        let id = world.find("body").unwrap();
        let (p, l) = (vector(&mut random, 5.0), vector(&mut random, 5.0));
        world.apply_impulse(id, p, l).unwrap();
        let view = world.body(id).unwrap();
        let (n, arm) = ((b - a).normalize(), at - a);
        let turn = view.orientation.conjugate() * n;
        let [x, y, z] = size.map(|s| s * s);
        let own =
            3.0 / 12.0 * (turn.x * turn.x * (y + z) + turn.y * turn.y * (x + z) + turn.z * turn.z * (x + y));
        let inertia = own + 3.0 * n.cross(arm).length_squared();
        let expected = n * (n.dot(arm.cross(p) + l) / inertia);
        let found = view.angular_velocity;
        assert!(
            (found - expected).length() < 1e-9 * (1.0 + expected.length()),
            "{round}: {found} {expected}"
        );
        let energy = 0.5 * inertia * expected.length_squared();
        let booked = world.ledger().get(Account::User);
        assert!((booked - energy).abs() < 1e-9 * (1.0 + energy), "{round}: {booked} J for {energy} J");
    }
}

/// Change of the energy and sum of all accounts in a push [J].
fn pushed(world: &mut World, id: BodyId, impulse: [Vec3; 2]) -> [f64; 2] {
    let sums = |world: &World| {
        [world.energy(), Account::ALL.iter().map(|account| world.ledger().get(*account)).sum::<f64>()]
    };
    let before = sums(world);
    world.apply_impulse(id, impulse[0], impulse[1]).unwrap();
    let after = sums(world);
    [after[0] - before[0], after[1] - before[1]]
}

/// Rods tie links of a moving cart to the world, and to a second cart: their impulses at the carts are work of the drivers, too.
#[test]
fn drivers_give_what_rods_and_loops_pull_at_them() {
    let mut random = SplitMix::new(20261121);
    let mut most: f64 = 0.0;
    for round in 0..60 {
        let (linear, spin) = (vector(&mut random, 3.0).to_array(), vector(&mut random, 2.0).to_array());
        let mut scene = Scene::new().body(Body::driven("cart", linear, spin).cuboid(0.2, 0.2, 0.2));
        scene = scene.body(Body::driven("other", spin, linear).cuboid(0.2, 0.2, 0.2).at(5.0, 0.0, 0.0));
        let mut parent = "cart".to_owned();
        for k in 0..3 {
            let (x, name) = (f64::from(k) + 1.0, format!("link {k}"));
            scene = scene.body(Body::dynamic(name.clone()).cuboid(0.6, 0.2, 0.3).at(x, 0.2 * x, 0.0));
            let joint = Joint::ball(format!("joint {k}"), name.clone()).anchor(x - 0.5, 0.2 * x - 0.1, 0.0);
            scene = scene.joint(joint.parent(parent));
            parent = name;
        }
        if round % 2 == 0 {
            let ends = [[2.0, 0.4, 0.0], [2.0, 0.7, 1.5]];
            scene.couplings.push(CouplingSpec::bodies("rod", CouplingKind::Distance, ["link 1", ""], ends));
        } else {
            scene = scene.joint(Joint::ball("end", "link 2").parent("other").anchor(4.0, 0.5, 0.0));
        }
        let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
        let id = world.find("link 1").unwrap();
        let impulse = [vector(&mut random, 50.0), vector(&mut random, 10.0)];
        let [change, booked] = pushed(&mut world, id, impulse);
        most = scalar::max(most, world.ledger().get(Account::Driver).abs());
        assert!(
            (change - booked).abs() < 1e-9 * (1.0 + change.abs()),
            "{round}: {change} J, {booked} J booked"
        );
    }
    assert!(most > 1.0, "no driver gave anything");
}
