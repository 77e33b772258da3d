//! Pictures whose pixels can be told beforehand.

use super::*;
use huygens::World;
use huygens::scene::{Body, Scene, Shape};
use std::io;

/// The pixels of a picture of a world: width, and three bytes each.
fn pixels(world: &World, options: &Options) -> (usize, Vec<u8>) {
    let file = png(world, options).unwrap();
    let mut reader = ::png::Decoder::new(io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.height), (options.width, options.height));
    (info.width as usize, bytes)
}

fn small() -> Options {
    Options { width: 160, height: 120, ..Options::default() }
}

fn world(bodies: impl IntoIterator<Item = Body>) -> World {
    World::new(&bodies.into_iter().fold(Scene::new(), Scene::body)).unwrap()
}

/// How much redder than blue a pixel is.
fn warmth((width, bytes): &(usize, Vec<u8>), x: usize, y: usize) -> i32 {
    let at = 3 * (y * width + x);
    i32::from(bytes[at]) - i32::from(bytes[at + 2])
}

#[test]
fn the_nearer_body_hides_the_farther_one_and_both_fill_the_picture() {
    // Seen from the side, along x: the driven one (orange) is before or behind a blue wall.
    let view = View::parse("side").unwrap();
    let scene = |x: f64| {
        world([
            Body::driven("ball", [0.0; 3], [0.0; 3]).sphere(0.5).at(x, 0.0, 0.0),
            // Its name makes it blue; a static one would be seen through.
            Body::dynamic("bob").cuboid(0.1, 2.0, 2.0),
        ])
    };
    let options = Options { view, ..small() };
    assert!(warmth(&pixels(&scene(-1.0), &options), 80, 60) > 60, "before");
    assert!(warmth(&pixels(&scene(1.0), &options), 80, 60) < 20, "behind");
}

#[test]
fn what_is_framed_touches_no_border_and_is_not_small() {
    for name in ["corner", "front", "side", "top", "200,45"] {
        let options = Options { view: View::parse(name).unwrap(), ..small() };
        let picture = pixels(&world([Body::driven("b", [0.0; 3], [0.0; 3]).cuboid(3.0, 1.0, 0.5)]), &options);
        let seen: Vec<(usize, usize)> = (0..160 * 120)
            .map(|i| (i % 160, i / 160))
            .filter(|(x, y)| warmth(&picture, *x, *y) > 40)
            .collect();
        let span = |axis: fn(&(usize, usize)) -> usize, most: usize| {
            let (low, high) = (seen.iter().map(axis).min().unwrap(), seen.iter().map(axis).max().unwrap());
            assert!(low > 0 && high < most - 1, "{name}: {low} to {high}");
            (high - low) as f64 / most as f64
        };
        let (wide, high) = (span(|p| p.0, 160), span(|p| p.1, 120));
        assert!(wide > 0.75 || high > 0.75, "{name}: {wide} {high}");
    }
}

#[test]
fn every_shape_is_drawn_in_both_forms_whatever_the_view() {
    let shapes = [
        Shape::sphere(0.5),
        Shape::capsule(0.3, 0.8),
        Shape::cylinder(0.4, 0.9),
        Shape::cuboid(1.0, 0.5, 0.7),
        Shape::hull([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
        Shape::half_space(),
        Shape::wall(1.0, 2.0),
        Shape::box_inside(2.0, 2.0, 2.0),
        Shape::cylinder_inside(1.0, 2.0),
    ];
    for shape in shapes {
        let kind = shape.kind.word();
        let world = world([Body::fixed("it").shape(shape), Body::dynamic("ball").sphere(0.2)]);
        for view in ["corner", "top", "0,0", "-30,-60"] {
            let options =
                Options { view: View::parse(view).unwrap(), width: 64, height: 48, ..Options::default() };
            let empty = svg(&World::new(&Scene::new()).unwrap(), &options).matches("<path").count();
            assert_eq!(empty, 0);
            let drawn = svg(&world, &options).matches("<path").count();
            assert!(drawn > 20, "{kind} {view}: {drawn}");
            assert_eq!(pixels(&world, &options).1.len(), 64 * 48 * 3);
        }
    }
}

#[test]
fn a_body_throws_a_shadow_on_the_ground() {
    let with = |bodies: Vec<Body>| {
        let floor = Body::fixed("floor").shape(Shape::half_space());
        let frame = Body::dynamic("frame").sphere(0.01).at(-1.5, -1.5, 0.0);
        let other = Body::dynamic("other").sphere(0.01).at(1.5, 1.5, 1.5);
        let options = Options { view: View::parse("top").unwrap(), ..small() };
        pixels(&world([floor, frame, other].into_iter().chain(bodies)), &options)
    };
    let bare = with(vec![]).1;
    let shaded = with(vec![Body::dynamic("ball").sphere(0.4).at(0.0, 0.0, 0.9)]).1;
    let darker = bare.chunks(3).zip(shaded.chunks(3)).filter(|(a, b)| {
        // Greyer by a quarter, but no other colour.
        let fall = |i: usize| f64::from(b[i]) / f64::from(a[i].max(1));
        fall(0) < 0.85 && (fall(0) - fall(1)).abs() < 0.05 && (fall(1) - fall(2)).abs() < 0.06
    });
    let share = darker.count() as f64 / (160.0 * 120.0);
    assert!(share > 0.01, "{share}");
}

#[test]
fn forces_are_drawn_when_asked_for() {
    let scene = Scene::new()
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 0.5));
    let mut world = World::new(&scene).unwrap();
    world.step();
    let count = |forces: bool| svg(&world, &Options { forces, ..small() }).matches("<path").count();
    assert!(count(true) > count(false) + 40, "four arrows of a dozen sides each");
    let red = |forces: bool| {
        let (_, bytes) = pixels(&world, &Options { forces, ..small() });
        bytes.chunks(3).filter(|p| p[0] > 120 && p[1] < 60).count()
    };
    assert!(red(true) > 20 && red(false) == 0, "{} {}", red(true), red(false));
}

#[test]
fn views_are_names_or_angles() {
    assert_eq!(View::parse("corner"), Some(View::default()));
    assert_eq!(View::parse("90, 5"), View::parse("front"));
    for bad in ["", "up", "1", "1,2,3", "0,91", "nan,0", "1e9,0"] {
        assert_eq!(View::parse(bad), None, "{bad}");
    }
}

#[test]
fn hostile_worlds_and_sizes_are_drawn_or_refused() {
    let far = world([
        Body::dynamic("a").sphere(1e-6).at(1e15, 0.0, 0.0),
        Body::dynamic("b").sphere(1e6).at(-1e15, 0.0, 0.0),
    ]);
    let options = Options { width: 16, height: 16, ..Options::default() };
    assert!(png(&far, &options).is_ok());
    assert!(png(&far, &Options { width: 0, ..options.clone() }).is_err());
    assert!(png(&far, &Options { height: 9000, ..options }).is_err());
}

/// Pixels that are redder than blue by more than `least`.
fn warm(world: &World, options: &Options, least: i32) -> usize {
    let picture = pixels(world, options);
    (0..160 * 120).filter(|i| warmth(&picture, i % 160, i / 160) > least).count()
}

#[test]
fn a_wall_before_what_moves_is_seen_through() {
    // Seen from the side, along x: a driven ball (orange) in a bin of four boards.
    let view = View::parse("side").unwrap();
    let options = Options { view, ..small() };
    let ball = || Body::driven("ball", [0.0; 3], [0.0; 3]).sphere(0.5);
    let board = |name: &str, x: f64| Body::fixed(name).cuboid(0.1, 2.0, 2.0).at(x, 0.0, 0.0);
    let open = warm(&world([ball(), board("back", 1.0)]), &options, 15);
    let closed = warm(&world([ball(), board("back", 1.0), board("front", -1.0)]), &options, 15);
    // With two boards the eye stands farther away. A board that hid the ball would leave nothing of it.
    assert!(closed > open / 4 && open > 1000, "{closed} of {open} pixels of the ball are seen");
}

#[test]
fn hide_zoom_follow_and_look_at_do_what_they_say() {
    let two = world([
        Body::driven("a", [0.0; 3], [0.0; 3]).sphere(0.5),
        Body::driven("b", [0.0; 3], [0.0; 3]).sphere(0.5).at(0.0, 4.0, 0.0),
        Body::driven("c[0]", [0.0; 3], [0.0; 3]).sphere(0.5).at(0.0, 8.0, 0.0),
    ]);
    let view = View::parse("side").unwrap();
    let options = || Options { view, ..small() };
    let all = warm(&two, &options(), 40);
    let hidden = Options { hide: vec!["a".to_owned()], ..options() };
    // Without it the others come nearer, so that two are larger than three were.
    assert_ne!(warm(&two, &hidden, 40), all);
    assert!(warm(&two, &Options { hide: vec!["a".into(), "b".into(), "c".into()], ..options() }, 40) == 0);
    let zoomed = warm(&two, &Options { zoom: 3.0, follow: Some("b".to_owned()), ..options() }, 40);
    assert!(zoomed as f64 > 2.0 * all as f64, "{zoomed} {all}");
    let middle = |options: Options| warmth(&pixels(&two, &options), 80, 60);
    assert!(
        middle(Options { zoom: 3.0, follow: Some("a".to_owned()), ..options() }) > 40,
        "a is in the middle"
    );
    let beside = Options { zoom: 3.0, look_at: Some(huygens_math::Vec3::new(0.0, 2.0, 0.0)), ..options() };
    assert!(middle(beside) < 20, "between a and b there is nothing");
}

#[test]
fn springs_are_drawn_and_framed() {
    let scene = Scene::new().body(Body::dynamic("bob").sphere(0.2));
    let spring = huygens::scene::Spring::to_world("s", "bob", [[0.0, 0.0, 0.2], [0.0, 0.0, 3.0]], 10.0);
    let faces = |scene: &Scene| svg(&World::new(scene).unwrap(), &small()).matches("<path").count();
    let sprung = scene.clone().spring(spring);
    assert!(faces(&sprung) > faces(&scene) + 14, "{} {}", faces(&sprung), faces(&scene));
    let hidden = Options { hide: vec!["bob".to_owned()], ..small() };
    let nothing = svg(&World::new(&sprung).unwrap(), &hidden).matches("<path").count();
    assert!(nothing < 14, "{nothing}");
}

#[test]
fn joints_trails_and_colours_are_drawn() {
    let scene = Scene::new()
        .body(Body::dynamic("bob").sphere(0.2).at(1.0, 0.0, 0.0).color(255, 0, 0))
        .joint(huygens::scene::Joint::hinge("pivot", "bob").anchor(0.0, 0.0, 0.0).axis(0.0, 1.0, 0.0));
    let mut world = World::new(&scene).unwrap();
    let look = Look::of(&scene, &world);
    let mut trail = Trail { body: "bob".to_owned(), points: Vec::new() };
    for _ in 0..100 {
        world.step();
        trail.points.push(world.bodies().next().unwrap().position);
    }
    let faces = |options: &Options| svg(&world, options).matches("<path").count();
    let bare = Options { view: View::parse("front").unwrap(), ..small() };
    let jointed = Options { look, ..bare.clone() };
    assert!(faces(&jointed) > faces(&bare) + 8, "a rod and a pivot");
    let trailed = Options { trails: vec![trail], ..jointed.clone() };
    assert!(faces(&trailed) > faces(&jointed) + 50);
    let red = |options: &Options| {
        let (_, bytes) = pixels(&world, options);
        bytes.chunks(3).filter(|p| p[0] > 100 && p[1] < 50 && p[2] < 50).count()
    };
    assert!(red(&jointed) > 100 && red(&bare) == 0, "{} {}", red(&jointed), red(&bare));
}
