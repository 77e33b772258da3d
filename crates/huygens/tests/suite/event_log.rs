//! Events against a log that is made by asking the world, after every step, what touches, who sleeps, who was taken out and which joints there are.

use crate::common::step;
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, Joint, JointKind, Scene, Shape};
use huygens::{BodyId, EventKind, JointId, ShapeId, World};
use std::collections::{BTreeMap, BTreeSet};

type Pair = [ShapeId; 2];

/// An entry of a log: what happened, to which shapes, to which bodies, which joint.
type Entry = (EventKind, Option<[(usize, ShapeId); 2]>, Vec<BodyId>, Option<JointId>);

/// What a user who polls remembers of the last step.
#[derive(Default)]
struct Memory {
    touching: BTreeSet<Pair>,
    asleep: BTreeSet<usize>,
    bodies: BTreeMap<usize, (BodyId, String)>,
    quarantined: BTreeSet<usize>,
    joints: BTreeMap<String, (JointId, [Option<BodyId>; 2])>,
    /// The body of each shape that was ever seen.
    of: BTreeMap<ShapeId, BodyId>,
}

impl Memory {
    /// Asks the world, and says what happened since it was asked last.
    fn poll(&mut self, world: &World) -> Vec<Entry> {
        let mut log = Vec::new();
        for body in world.bodies() {
            self.of.extend(world.shapes_of(body.id).unwrap().map(|shape| (shape.id, body.id)));
        }
        let mut touching: BTreeSet<Pair> = world.touches(0.0).map(|touch| touch.shapes).collect();
        // Contacts are those of pairs that touch, and what began says so of itself.
        for contact in world.contacts() {
            let asleep = contact.bodies.iter().any(|body| world.is_asleep(*body).unwrap());
            assert!(asleep || touching.contains(&contact.shapes), "{contact:?}");
        }
        for touch in world.touches(0.0) {
            assert_eq!(touch.began, !self.touching.contains(&touch.shapes), "{touch:?}");
        }
        // Sleepers touch on: each other, and what no force moves. Whoever left one as it fell asleep is awake.
        let rests = |shape: &ShapeId| world.is_asleep(self.of[shape]) == Ok(true);
        let stays = |shape: &ShapeId| {
            world.body(self.of[shape]).is_ok_and(|b| b.asleep || !b.motion.is_moved_by_forces())
        };
        touching.extend(self.touching.iter().filter(|pair| pair.iter().any(rests) && pair.iter().all(stays)));
        let entry = |kind, pair: &Pair| {
            let shapes = pair.map(|shape| (shape.index(), shape));
            (kind, Some(shapes), pair.map(|shape| self.of[&shape]).to_vec(), None)
        };
        log.extend(self.touching.difference(&touching).map(|pair| entry(EventKind::End, pair)));
        log.extend(touching.difference(&self.touching).map(|pair| entry(EventKind::Begin, pair)));
        log.sort_by_key(|(kind, shapes, ..)| (shapes.map(|shapes| shapes.map(|(slot, _)| slot)), *kind));
        let now: BTreeMap<usize, _> =
            world.bodies().map(|body| (body.id.index(), (body.id, body.name.to_owned()))).collect();
        let asleep: BTreeSet<usize> =
            world.bodies().filter(|body| body.asleep).map(|body| body.id.index()).collect();
        let about = |kind, slot: &usize| (kind, None, vec![now[slot].0; 2], None);
        for slot in now.keys() {
            let same = self.bodies.get(slot).is_some_and(|(id, _)| *id == now[slot].0);
            match (same && self.asleep.contains(slot), asleep.contains(slot)) {
                (true, false) => log.push(about(EventKind::Wake, slot)),
                (false, true) => log.push(about(EventKind::Sleep, slot)),
                _ => {}
            }
        }
        let out: BTreeSet<usize> =
            world.bodies().filter(|body| body.quarantined).map(|body| body.id.index()).collect();
        log.extend(out.difference(&self.quarantined).map(|slot| about(EventKind::Quarantine, slot)));
        let joints: BTreeMap<String, _> =
            world.joints().map(|joint| (joint.name.to_owned(), (joint.id, joint.bodies))).collect();
        for (name, (id, [parent, child])) in &self.joints {
            if !joints.contains_key(name) {
                assert_eq!(
                    world.joint_name(*id),
                    Some(name.as_str()),
                    "the name of what broke is still there"
                );
                let child = child.unwrap();
                log.push((EventKind::Break, None, vec![parent.unwrap_or(child), child], Some(*id)));
            }
        }
        *self = Self {
            touching,
            asleep,
            bodies: now,
            quarantined: out,
            joints,
            of: std::mem::take(&mut self.of),
        };
        log
    }
}

/// What the world says.
fn told(world: &World) -> Vec<Entry> {
    let entry = |event: huygens::Event| {
        for body in event.bodies {
            assert!(world.name_of(body).is_some(), "{event:?} names its bodies");
        }
        let shapes = event.shapes.map(|shapes| shapes.map(|shape| (shape.index(), shape)));
        (event.kind, shapes, event.bodies.to_vec(), event.joint)
    };
    let mut log: Vec<Entry> = world.events().map(entry).collect();
    // Who was woken by a call and put to sleep by another one between two steps: polling sees neither.
    let both = |body: &BodyId| {
        let of = |kind| world.events().any(|event| event.kind == kind && event.bodies[0] == *body);
        of(EventKind::Wake) && of(EventKind::Sleep)
    };
    log.retain(|(kind, _, bodies, _)| {
        !matches!(kind, EventKind::Wake | EventKind::Sleep) || !both(&bodies[0])
    });
    log
}

/// Some hundred bodies that fall into a bin with a gate and a turning table, towers that fall asleep, rods on welds that break.
fn scene(random: &mut SplitMix) -> Scene {
    let mut scene = Scene::new()
        .dt(1.0 / random.range(60.0, 200.0))
        .body(Body::fixed("bin").shape(Shape::box_inside(4.0, 4.0, 20.0).friction(0.6)).at(0.0, 0.0, 10.0))
        .body(Body::fixed("gate").shape(Shape::cuboid(4.0, 4.0, 0.3).sensor()).at(0.0, 0.0, 1.5))
        .body(Body::driven("table", [0.0; 3], [0.0, 0.0, 2.0]).cuboid(0.8, 0.8, 0.2).at(-1.2, -1.2, 0.3))
        .body(Body::fixed("floor").shape(Shape::half_space()).at(9.0, 0.0, -1.0));
    for i in 0..90 {
        let shape = match random.index(4) {
            0 => Shape::sphere(random.range(0.08, 0.16)),
            1 => Shape::cuboid(random.range(0.1, 0.3), random.range(0.1, 0.3), random.range(0.1, 0.3)),
            2 => Shape::capsule(random.range(0.06, 0.1), random.range(0.1, 0.3)),
            _ => Shape::cylinder(random.range(0.06, 0.15), random.range(0.1, 0.3)),
        };
        let at = [random.range(-1.7, 1.7), random.range(-1.7, 1.7), random.range(0.5, 6.0)];
        let shape = shape.friction(0.5).restitution(random.range(0.0, 0.6));
        scene = scene
            .body(Body::dynamic(format!("b{i}")).shape(shape).position(at).turned(random.direction(), 1.0));
    }
    for i in 0..4 {
        let at = [random.range(-1.7, 1.7), random.range(-1.7, 1.7), 0.2];
        scene = scene.body(Body::dynamic(format!("mote {i}")).sphere(0.1).mass(1e-18).position(at));
    }
    for i in 0..3 {
        let (x, name) = (6.0 + f64::from(i), format!("tower {i}"));
        scene = scene
            .body(Body::dynamic(&name).cuboid(0.4, 0.4, 0.4).at(x, 0.0, -0.8))
            .body(Body::dynamic(format!("{name} top")).cuboid(0.3, 0.3, 0.3).at(x, 0.0, -0.45))
            .body(Body::dynamic(format!("rod {i}")).cuboid(0.6, 0.05, 0.05).mass(1.0).at(x, 3.0, 0.5))
            .joint(
                Joint::hinge(format!("weld {i}"), format!("rod {i}"))
                    .kind(JointKind::Fixed)
                    .anchor(x, 3.0, 0.5)
                    .breaks_at(11.0 + 20.0 * f64::from(i), f64::INFINITY),
            );
    }
    scene
}

#[test]
fn events_are_a_log_of_what_polling_sees_for_any_number_of_threads() {
    for round in 0..3 {
        let mut logs = Vec::new();
        for threads in [1, 2, 8] {
            let mut random = SplitMix::new(2025 + round);
            let mut world = World::new(&scene(&mut random)).unwrap();
            world.set_threads(threads).unwrap();
            let (mut memory, mut log) = (Memory::default(), Vec::new());
            assert!(memory.poll(&world).is_empty());
            for k in 0..260 {
                if k > 200 && k % 8 == 0 {
                    let top = world.find(&format!("tower {} top", k % 3));
                    if let Some(top) = top {
                        world.remove_body(top).unwrap();
                    }
                }
                if k % 23 == 5 {
                    let bodies: Vec<BodyId> = world.bodies().map(|body| body.id).collect();
                    let one = bodies[4 + random.index(60)];
                    match random.index(4) {
                        0 => world.remove_body(one).unwrap(),
                        1 => {
                            let mote = world.find(&format!("mote {}", random.index(4))).unwrap();
                            // 1e38 m/s² overflow what a contact model multiplies.
                            let _ = world.set_force(mote, Vec3::splat(1e20), Vec3::ZERO);
                        }
                        2 => {
                            let _ = world.apply_impulse(one, [0.0, 0.0, 3.0], [0.0; 3]);
                        }
                        _ => {
                            let _ = world.put_to_sleep(one);
                        }
                    }
                    let new = Body::dynamic(format!("new {k}")).sphere(0.15).at(0.0, 0.3, 4.0);
                    world.add_body(&new).unwrap();
                }
                let weld = world.find("rod 0").unwrap();
                world.set_force(weld, Vec3::Z * (-0.05 * f64::from(k)), Vec3::ZERO).unwrap();
                if k < 200 {
                    step(&mut world);
                } else {
                    world.step();
                }
                let polled = memory.poll(&world);
                assert_eq!(told(&world), polled, "round {round}, {threads} threads, step {k}");
                log.extend(polled.into_iter().map(|(kind, shapes, bodies, _)| {
                    let shapes = shapes.map(|shapes| shapes.map(|(slot, _)| slot));
                    (k, kind, shapes, bodies.into_iter().map(BodyId::index).collect::<Vec<_>>())
                }));
            }
            let count = |kind| log.iter().filter(|(_, of, ..)| *of == kind).count();
            assert!(count(EventKind::Begin) > 200 && count(EventKind::End) > 100, "{} events", log.len());
            assert!(count(EventKind::Break) == 1 && count(EventKind::Sleep) > 0, "{round}");
            logs.push(log);
        }
        assert!(logs.windows(2).all(|pair| pair[0] == pair[1]), "round {round}");
    }
}

/// A touch is the sum of its contacts; what began is as fast as the fall, and a threshold leaves out what presses less.
#[test]
fn touches_are_the_sums_of_contacts_and_say_how_fast_they_met() {
    let dt = 1.0 / 240.0;
    let mut scene = Scene::new()
        .dt(dt)
        .sleep(false)
        .body(Body::fixed("floor").shape(Shape::half_space().friction(0.4)))
        .body(Body::fixed("gate").shape(Shape::cuboid(9.0, 9.0, 0.1).sensor()).at(0.0, 0.0, 1.0));
    for i in 0..6 {
        let (x, h) = (1.5 * f64::from(i) - 4.0, 0.3 + 0.4 * f64::from(i));
        scene =
            scene.body(Body::dynamic(format!("b{i}")).cuboid(0.4, 0.4, 0.4).mass(2.0).at(x, 0.0, 0.2 + h));
    }
    let mut world = World::new(&scene).unwrap();
    let (mut met, mut gates) = (0, 0);
    for _ in 0..360 {
        world.step();
        for touch in world.touches(0.0) {
            let [a, b] = touch.bodies;
            let contacts = world.contacts_between(a, b).unwrap();
            let (mut impulse, mut pressed) = (Vec3::ZERO, 0.0);
            for contact in contacts.filter(|contact| contact.shapes == touch.shapes) {
                impulse += contact.impulse;
                pressed += contact.impulse.dot(contact.normal);
            }
            assert!((touch.impulse - impulse).length() < 1e-12 && (touch.force * dt - pressed).abs() < 1e-12);
            let name = world.name_of(b).unwrap();
            if touch.sensor {
                gates += usize::from(touch.began);
                assert_eq!(touch.force, 0.0);
            } else if touch.began {
                met += 1;
                // v² = 2 g h at the touch, of which the start of the step lacks up to g·dt.
                let h = 0.3 + 0.4 * name[1..].parse::<f64>().unwrap();
                let speed = (2.0 * 9.81 * h).sqrt();
                assert!((touch.speed - speed).abs() <= 9.81 * dt + 1e-3, "{name}: {} {speed}", touch.speed);
                // The blow: m v in one step.
                assert!((touch.force * dt - 2.0 * speed).abs() < 0.5, "{name}: {}", touch.force * dt);
            }
        }
        let all = world.touches(0.0).filter(|touch| touch.force >= 15.0).count();
        assert_eq!(world.touches(15.0).count(), all);
    }
    assert_eq!((met, gates), (6, 5), "b1 to b5 start above the gate, or in it");
    // At rest: the weight.
    for touch in world.touches(1.0) {
        assert!((touch.force - 2.0 * 9.81).abs() < 1e-3 && touch.speed.abs() < 0.1, "{touch:?}");
    }
    assert_eq!((world.touches(19.0).count(), world.touches(20.0).count()), (6, 0));
}

/// Bodies of one contact are in one island, and no body is in two.
#[test]
fn islands_hold_what_touches_together() {
    let mut random = SplitMix::new(5);
    let mut world = World::new(&scene(&mut random)).unwrap();
    let mut sleeping = 0;
    for _ in 0..300 {
        world.step();
        let mut island_of = BTreeMap::new();
        for (i, island) in world.islands().enumerate() {
            for body in island.bodies() {
                assert_eq!(world.is_asleep(body).unwrap(), island.asleep());
                assert!(island_of.insert(body.index(), i).is_none(), "no body is in two islands");
                sleeping += usize::from(island.asleep());
            }
        }
        let moves = |body: &BodyId| world.body(*body).is_ok_and(|body| body.motion.is_moved_by_forces());
        for contact in world.contacts() {
            let moving: Vec<usize> =
                contact.bodies.iter().filter(|body| moves(body)).map(|body| body.index()).collect();
            let islands: BTreeSet<_> = moving.iter().map(|body| island_of.get(body)).collect();
            assert!(islands.len() == 1 && !islands.contains(&None), "{contact:?}");
        }
    }
    assert!(sleeping > 0);
}
