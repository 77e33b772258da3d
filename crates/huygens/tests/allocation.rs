//! A step allocates nothing once the world is warm.

use huygens::World;
use huygens::math::{SplitMix, Vec3};
use huygens::scene::{Body, BodyMediumSpec, MediumSpec, Scene, Shape, ShapeKind, Spring, WindSpec};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what the thread of a test allocates; other tests of this binary run beside it.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    /// Bytes that this thread has and did not give back.
    static LIVE: Cell<i64> = const { Cell::new(0) };
}

fn count(bytes: i64) {
    COUNT.with(|count| count.set(count.get() + 1));
    live(bytes);
}

fn live(bytes: i64) {
    // A thread that ends gives back after its counter is gone.
    let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
}

// SAFETY: every call goes on to the system allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        live(-(layout.size() as i64));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Boxes alone, or with capsules, balls and ellipsoids, somewhere above the floor of a bin of static boxes.
fn pile(solver: &str, restitution: f64, kinds: i32, count: i32) -> Scene {
    let wall = |name: &str, size: [f64; 3], at: [f64; 3]| {
        Body::fixed(name).cuboid(size[0], size[1], size[2]).at(at[0], at[1], at[2])
    };
    let mut scene = Scene::new()
        .dt(1.0 / 60.0)
        .solver(solver)
        .world(|w| w.iterations = 8)
        .body(wall("floor", [3.0, 3.0, 0.5], [0.0, 0.0, -0.25]))
        .body(wall("left", [0.5, 3.0, 8.0], [-1.5, 0.0, 4.0]))
        .body(wall("right", [0.5, 3.0, 8.0], [1.5, 0.0, 4.0]))
        .body(wall("front", [3.0, 0.5, 8.0], [0.0, -1.5, 4.0]))
        .body(wall("back", [3.0, 0.5, 8.0], [0.0, 1.5, 4.0]));
    let mut random = SplitMix::new(500);
    for i in 0..count {
        let size = random.range(0.7, 1.2);
        let shape = match i % kinds {
            0 => Shape::cuboid(0.2 * size, 0.25 * size, 0.18 * size),
            1 => Shape::capsule(0.09 * size, 0.2 * size),
            3 => Shape::new(ShapeKind::Ellipsoid { radii: Vec3::new(0.16, 0.12, 0.08) * size }),
            _ => Shape::sphere(0.13 * size),
        };
        let (column, layer) = (i % 25, i / 25);
        let place = |k: i32, shift: f64| f64::from(k - 2) * 0.46 + shift;
        let (axis, x, y) = (random.direction(), random.range(-0.02, 0.02), random.range(-0.02, 0.02));
        let body = Body::dynamic(format!("body{i}"))
            .shape(shape.restitution(restitution).friction(0.4))
            .at(place(column % 5, x), place(column / 5, y), 0.4 + 0.4 * f64::from(layer))
            .turned(axis.to_array(), random.range(0.0, 3.0));
        scene = scene.body(body);
    }
    scene
}

/// Steps that may allocate: the first builds the tree of the broad phase, and nothing has fallen yet.
const WARM_UP: usize = 1;

fn allocations_of(solver: &str, restitution: f64, kinds: i32, count: i32) -> (Vec<(usize, u64)>, World) {
    steps_of(solver, &pile(solver, restitution, kinds, count))
}

/// Allocations of each step that made any.
fn steps_of(solver: &str, scene: &Scene) -> (Vec<(usize, u64)>, World) {
    const STEPS: usize = 80;
    let mut world = World::new(scene).unwrap_or_else(|errors| panic!("{errors}"));
    let mut seen = Vec::with_capacity(STEPS);
    let (mut pairs, mut points) = (0, 0);
    for i in 0..STEPS {
        let before = COUNT.with(Cell::get);
        world.step();
        let made = COUNT.with(Cell::get) - before;
        if made > 0 {
            seen.push((i, made));
        }
        pairs = pairs.max(world.state().contacts.len());
        points = points.max(world.state().contacts.points.len());
    }
    println!("{solver}: at most {pairs} manifolds, {points} points; allocations {seen:?}");
    (seen, world)
}

/// Groups of contacts, those of sleepers too.
fn contacts(world: &World) -> usize {
    world.state().contacts.len() + world.state().sleep.contacts.len()
}

#[test]
fn a_pile_of_500_falls_without_allocating() {
    for (solver, restitution, kinds) in [
        ("sequential-impulse", 0.0, 3),
        ("nbgs/approximate-decoupling", 0.3, 3),
        ("sequential-impulse", 0.0, 1),
        ("sequential-impulse", 0.0, 4),
    ] {
        let (seen, world) = allocations_of(solver, restitution, kinds, 500);
        let late: Vec<_> = seen.iter().filter(|(step, _)| *step >= WARM_UP).collect();
        assert!(late.is_empty(), "{solver}, (step, allocations): {late:?}");
        assert!(contacts(&world) > 500, "the pile has fallen together");
    }
}

#[test]
fn models_that_solve_islands_whole_do_not_allocate_either() {
    for solver in ["active-set", "ncp/newton"] {
        // Few enough for islands that are solved whole, up to the last steps: what is larger is swept.
        let (seen, world) = allocations_of(solver, 0.3, 3, 30);
        let late: Vec<_> = seen.iter().filter(|(step, _)| *step >= WARM_UP).collect();
        assert!(late.is_empty(), "{solver}, (step, allocations): {late:?}");
        assert!(contacts(&world) > 30, "{solver}: the pile has fallen together");
    }
}

#[test]
fn a_medium_and_springs_do_not_allocate() {
    // `soft-step` makes room for batches as contacts come: there, bodies that do not meet.
    for (solver, meet) in [("sequential-impulse", true), ("soft-step", false)] {
        let mut scene = pile(solver, 0.0, 4, 60)
            .medium(MediumSpec::new(400.0).surface(0.5).wind(WindSpec::uniform(1.0, 0.0, 0.0)));
        let places: Vec<[f64; 3]> = scene.bodies.iter().map(|body| body.position.to_array()).collect();
        let moving = scene.bodies.iter_mut().filter(|body| body.name.starts_with("body"));
        for body in moving {
            let shapes = body.shapes.iter_mut().filter(|_| !meet);
            shapes.for_each(|shape| shape.mask = 0);
            let medium =
                BodyMediumSpec { buoyancy: true, magnus: 1e-3, lift: 0.1, ..BodyMediumSpec::drag(0.5) };
            body.medium = Some(medium);
            (body.linear_damping, body.angular_damping) = (0.1, 0.1);
        }
        let names: Vec<String> = scene.bodies.iter().map(|body| body.name.clone()).collect();
        for i in (5..names.len() - 1).step_by(2) {
            let bodies = [names[i].as_str(), names[i + 1].as_str()];
            let spring = Spring::between(format!("s{i}"), bodies, [places[i], places[i + 1]], 5.0);
            scene = scene.spring(spring.damping(0.1));
        }
        let (seen, world) = steps_of(solver, &scene);
        let late: Vec<_> = seen.iter().filter(|(step, _)| *step >= WARM_UP).collect();
        assert!(late.is_empty(), "{solver}, (step, allocations): {late:?}");
        let contacts = contacts(&world);
        assert!(if meet { contacts > 30 } else { contacts == 0 }, "{solver}: {contacts} contacts");
    }
}

#[test]
fn looking_at_a_world_allocates_nothing() {
    let (_, world) = steps_of("soft-step", &pile("soft-step", 0.0, 3, 100).sleep(false));
    let before = COUNT.with(Cell::get);
    let mut seen = [0; 7];
    for body in world.bodies() {
        seen[0] += world.shapes_of(body.id).map_or(0, |shapes| shapes.filter(|shape| !shape.sensor).count());
        seen[1] += world.contacts_of(body.id).map_or(0, Iterator::count);
        seen[2] += usize::from(world.find(body.name) == Some(body.id));
    }
    seen[3] = world.contacts().filter(|contact| contact.impulse.z != 0.0).count();
    seen[4] = world.touches(0.0).count();
    seen[5] = world.islands().map(|island| island.bodies().count()).sum();
    let events = world.events().count();
    let joints = world.joints().count() + world.drivers().count() + world.tendons().count();
    seen[6] = 1 + world.broken().len();
    assert_eq!(COUNT.with(Cell::get), before, "{seen:?} {events} {joints}");
    assert!(seen.iter().all(|n| *n > 0), "{seen:?}");
}

/// Bodies that come and go, with surfaces, drivers and joints of their own, leave nothing behind.
#[test]
fn the_memory_of_a_world_does_not_grow_with_edits() {
    let mut scene = Scene::new().body(Body::fixed("floor").shape(Shape::half_space()));
    scene.world.threads = Some(1);
    let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
    let (mut random, mut ids) = (SplitMix::new(3), Vec::new());
    let mut cycles = |world: &mut World, from: u32, to: u32| {
        for i in from..to {
            let (name, at) = (format!("b{i:08}"), random.in_cube() + Vec3::Z * 1.5);
            let shape = Shape::sphere(0.1).friction(random.range(0.0, 1.0));
            let body = match i % 3 {
                0 => Body::driven(&name, [0.1, 0.0, 0.0], [0.0; 3]),
                _ => Body::dynamic(&name),
            };
            let id = world.add_body(&body.shape(shape).position(at)).expect("a body");
            if i % 3 == 1 {
                let joint = huygens::scene::Joint::ball(&name, &name).anchor(at.x, at.y, at.z + 0.5);
                world.add_joint(&joint).expect("a joint");
            }
            let _ = world.put_to_sleep(id);
            ids.push(id);
            if ids.len() > 12 {
                world.remove_body(ids.remove(random.index(ids.len()))).expect("it is there");
            }
            if i % 4 == 0 {
                world.step();
            }
        }
        LIVE.with(Cell::get)
    };
    let warm = cycles(&mut world, 0, 1500);
    let end = cycles(&mut world, 1500, 6000);
    // Lists that double once more.
    assert!(end - warm < 40_000, "{} bytes more after 4,500 bodies", end - warm);
}
