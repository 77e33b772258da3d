//! Files as they are read back, and what a full disk leaves of them.

use super::frame::{Cast, Frame};
use super::npz::Npz;
use super::store::small::{SmallDisk, SmallFile};
use super::text::{Text, TextKind};
use super::vtk::Vtk;
use super::writer::Sink;
use super::{Writer, Written, crc};
use huygens::World;
use huygens::scene::{Body, Joint, Scene, Shape};
use std::collections::BTreeMap;
use std::io;

const PLENTY: usize = 1 << 24;

/// A ball falls onto a floor beside a box that rests there; the comma is there to be escaped.
fn world() -> World {
    let scene = Scene::new()
        .dt(0.01)
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(Body::dynamic("ball, \"red\"").sphere(0.5).mass(2.0).at(2.0, 0.0, 0.5 + 0.0981))
        .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).mass(3.0).at(0.0, 0.0, 0.5));
    World::new(&scene).unwrap()
}

/// The frames of `steps` steps, flushed one by one, until the disk is full.
fn record(sink: &mut dyn Sink, steps: u64) -> io::Result<()> {
    let mut world = world();
    let cast = Cast::of(&world);
    let mut frame = Frame::default();
    for step in 0..=steps {
        if step > 0 {
            world.step();
        }
        frame.read(&world, &cast)?;
        sink.frame(&frame, &cast)?;
        sink.flush()?;
    }
    Ok(())
}

/// One array of an `.npz` file: its header's words, its shape, its bytes.
struct Read {
    words: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Read {
    fn floats(&self) -> Vec<f64> {
        self.bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    }
}

fn number(bytes: &[u8], at: usize, size: usize) -> usize {
    bytes[at..at + size].iter().rev().fold(0, |x, byte| (x << 8) | usize::from(*byte))
}

/// Reads a zip file by its directory, as numpy does, and checks every checksum and both copies of every header.
fn read_npz(file: &[u8]) -> BTreeMap<String, Read> {
    let end = file.len() - 22;
    assert_eq!(number(file, end, 4), 0x0605_4B50, "the directory ends the file");
    let mut at = number(file, end + 16, 4);
    let mut arrays = BTreeMap::new();
    for _ in 0..number(file, end + 10, 2) {
        assert_eq!(number(file, at, 4), 0x0201_4B50);
        let (sum, size, length) =
            (number(file, at + 16, 4), number(file, at + 20, 4), number(file, at + 28, 2));
        let local = number(file, at + 42, 4);
        let name = String::from_utf8(file[at + 46..at + 46 + length].to_vec()).unwrap();
        assert_eq!(number(file, local, 4), 0x0403_4B50);
        assert_eq!([number(file, local + 14, 4), number(file, local + 18, 4)], [sum, size], "{name}");
        let start = local + 30 + number(file, local + 26, 2) + number(file, local + 28, 2);
        let contents = &file[start..start + size];
        assert_eq!(crc::extend(0, contents) as usize, sum, "{name}");
        assert_eq!(&contents[..8], b"\x93NUMPY\x01\x00");
        let header = 10 + number(contents, 8, 2);
        assert_eq!(header % 64, 0);
        let words = String::from_utf8(contents[10..header].to_vec()).unwrap();
        let shape = words.rsplit_once("'shape': (").unwrap().1.split_once(')').unwrap().0;
        let shape = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        arrays.insert(name, Read { words, shape, bytes: contents[header..].to_vec() });
        at += 46 + length + number(file, at + 30, 2);
    }
    assert_eq!(at, end);
    arrays
}

fn npz(file: SmallFile, frames: u64) -> io::Result<Npz<SmallFile>> {
    Npz::new(file, &Cast::of(&world()), frames)
}

#[test]
fn an_npz_has_every_array_with_its_shape_and_the_numbers_of_the_run() {
    let file = SmallDisk::new(PLENTY).file();
    let mut sink = npz(file.clone(), 21).unwrap();
    assert_eq!(read_npz(&file.contents())["position.npy"].shape, [0, 2, 3], "whole before the first step");
    record(&mut sink, 20).unwrap();
    assert_eq!(sink.written(), Written { steps: 21, last: Some(20) });
    let arrays = read_npz(&file.contents());
    let shape = |name: &str| arrays[name].shape.clone();
    for (name, inner) in [
        ("step.npy", vec![]),
        ("time.npy", vec![]),
        ("energy.npy", vec![]),
        ("kinetic_energy.npy", vec![]),
        ("contact_count.npy", vec![]),
        ("ledger.npy", vec![18]),
        ("position.npy", vec![2, 3]),
        ("orientation.npy", vec![2, 4]),
        ("linear_velocity.npy", vec![2, 3]),
        ("angular_velocity.npy", vec![2, 3]),
        ("body_energy.npy", vec![2]),
    ] {
        assert_eq!(shape(name), [vec![21], inner].concat(), "{name}");
    }
    assert_eq!((shape("names.npy"), shape("accounts.npy")), (vec![2], vec![18]));
    assert!(arrays["names.npy"].words.contains("'<U11'"));
    // The world that was recorded, stepped once more.
    let mut again = world();
    for step in 0..=20 {
        let ball = again.bodies().nth(1).unwrap();
        assert_eq!(arrays["position.npy"].floats()[6 * step..6 * step + 3], ball.position.to_array());
        let q = ball.orientation;
        assert_eq!(arrays["orientation.npy"].floats()[8 * step..8 * step + 4], [q.w, q.x, q.y, q.z]);
        assert_eq!(arrays["energy.npy"].floats()[step], again.energy());
        again.step();
    }
}

#[test]
fn the_contacts_of_an_npz_carry_the_weight() {
    let file = SmallDisk::new(PLENTY).file();
    record(&mut npz(file.clone(), 101).unwrap(), 100).unwrap();
    let arrays = read_npz(&file.contents());
    let counts = &arrays["contact_count.npy"].bytes;
    let contacts = &arrays["contacts.npy"];
    let last = number(counts, 800, 8);
    assert_eq!(last, 5, "four corners of the box and the ball");
    let record = 120;
    let at = contacts.bytes.len() - last * record;
    // step, bodies, point, normal, force: the force's z is the 14th word of 8 bytes.
    let force = |i: usize| {
        let z = at + i * record + 16 + 8 * 8;
        f64::from_le_bytes(contacts.bytes[z..z + 8].try_into().unwrap())
    };
    let total: f64 = (0..last).map(force).sum();
    // The floor is the first body, so the forces point down on it: the weight of 5 kg, to the tolerance of the solver.
    assert!((total + 5.0 * 9.81).abs() < 1e-6, "{total}");
}

#[test]
fn an_npz_without_bodies_has_its_steps_still() {
    let world = World::new(&Scene::new()).unwrap();
    let cast = Cast::of(&world);
    let file = SmallDisk::new(PLENTY).file();
    let mut sink = Npz::new(file.clone(), &cast, 1).unwrap();
    let mut frame = Frame::default();
    frame.read(&world, &cast).unwrap();
    sink.frame(&frame, &cast).unwrap();
    sink.flush().unwrap();
    assert_eq!(read_npz(&file.contents())["position.npy"].shape, [1, 0, 3]);
    assert!(sink.frame(&frame, &cast).is_err(), "more steps than were planned");
}

#[test]
fn a_full_disk_leaves_an_npz_whole_up_to_the_step_it_names() {
    let whole = SmallDisk::new(PLENTY).file();
    record(&mut npz(whole.clone(), 51).unwrap(), 50).unwrap();
    let whole = read_npz(&whole.contents());
    let mut partial = 0;
    for room in (2000..40_000).step_by(1237) {
        let file = SmallDisk::new(room).file();
        let Ok(mut sink) = npz(file.clone(), 51) else { continue };
        let result = record(&mut sink, 50);
        let steps = sink.written().steps;
        assert_eq!(result.is_ok(), steps == 51, "{room}: {result:?}");
        partial += usize::from(steps > 0 && steps < 51);
        let arrays = read_npz(&file.contents());
        assert_eq!(arrays["position.npy"].shape, [steps as usize, 2, 3], "room for {room} bytes");
        for (name, array) in &arrays {
            assert_eq!(array.bytes, whole[name].bytes[..array.bytes.len()], "{name}, room for {room} bytes");
        }
    }
    assert!(partial > 10, "{partial} sizes of disk stopped it on the way");
}

#[test]
fn a_file_that_may_not_grow_has_as_many_steps_as_fit_in_it() {
    let whole = SmallDisk::new(PLENTY).file();
    record(&mut npz(whole.clone(), 71).unwrap(), 70).unwrap();
    let size = whole.contents().len() as u64;
    let whole = read_npz(&whole.contents());
    let mut last = 0;
    for limit in (3500..size).step_by(2741).chain([size - 1, size, size + 1]) {
        let file = SmallDisk::new(PLENTY).file().no_longer_than(limit);
        let Ok(mut sink) = npz(file.clone(), 71) else { continue };
        let result = record(&mut sink, 70);
        let steps = sink.written().steps;
        assert_eq!(result.is_ok(), limit >= size, "{limit} bytes: {result:?}");
        if let Err(error) = result {
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        }
        assert_eq!(sink.written().last, steps.checked_sub(1), "{limit} bytes");
        let bytes = file.contents();
        let arrays = read_npz(&bytes);
        assert_eq!(arrays["position.npy"].shape, [steps as usize, 2, 3], "{limit} bytes");
        let contacts = arrays["contact_count.npy"].bytes.chunks(8).map(|count| number(count, 0, 8)).sum();
        assert_eq!(arrays["contacts.npy"].shape, [contacts], "{limit} bytes");
        for (name, array) in &arrays {
            assert_eq!(array.bytes, whole[name].bytes[..array.bytes.len()], "{name}, {limit} bytes");
        }
        // A step is 416 bytes and 120 for each of at most 5 contacts. Nothing comes together for the last 1/256 of the steps, and the directory
        // is allowed for as if sizes had 64 bits.
        let missed = limit.min(size) - bytes.len() as u64;
        assert!(missed < 2500, "{limit} bytes: {steps} steps, {missed} bytes left");
        assert!(steps >= last, "{limit} bytes: {steps} steps, with less room {last}");
        last = steps;
    }
    assert_eq!(last, 71);
}

/// The files that a collection names, in order.
fn entries(collection: &SmallFile) -> Vec<String> {
    let text = String::from_utf8(collection.contents()).unwrap();
    assert!(text.starts_with("<?xml") && text.ends_with("</Collection>\n</VTKFile>\n"), "{text}");
    text.split("file=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0.to_owned()).collect()
}

#[test]
fn a_full_disk_leaves_collections_that_name_whole_grids() {
    let mut partial = 0;
    for room in (20_000..340_000).step_by(21_741) {
        let disk = SmallDisk::new(room);
        let Ok(mut sink) = Vtk::new(disk, "run", &Cast::of(&world())) else { continue };
        let result = record(&mut sink, 10);
        let steps = sink.written().steps;
        assert_eq!(result.is_ok(), steps == 11);
        partial += usize::from(steps > 0 && steps < 11);
        let files = &sink.disk().files;
        for name in ["run.pvd", "run_contacts.pvd", "run_surfaces.pvd", "run_joints.pvd"] {
            let entries = entries(&files[name]);
            assert_eq!(entries.len() as u64, steps, "{name}, room for {room} bytes");
            for entry in entries {
                let grid = files[&entry].contents();
                assert!(grid.ends_with(b"</UnstructuredGrid>\n</VTKFile>\n"), "{entry}");
            }
        }
    }
    assert!(partial > 5, "{partial} sizes of disk stopped it on the way");
}

#[test]
fn names_tell_the_ids_of_moving_and_static_bodies() {
    let mut sink = Vtk::new(SmallDisk::new(PLENTY), "run", &Cast::of(&world())).unwrap();
    record(&mut sink, 1).unwrap();
    let names = sink.disk().files["run/names.csv"].contents();
    assert_eq!(names, b"id,name,static\n0,\"ball, \"\"red\"\"\",0\n1,box,0\n2,floor,1\n");
}

#[test]
fn csv_has_a_header_and_a_row_for_each_body_and_step() {
    let file = SmallDisk::new(PLENTY).file();
    record(&mut Text::new(file.clone(), TextKind::Csv, &Cast::of(&world())), 1).unwrap();
    let text = String::from_utf8(file.contents()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[0], "step,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
    assert_eq!(
        lines[1],
        "0,0.0,\"ball, \"\"red\"\"\",2.0,0.0,0.5981,1.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0"
    );
    assert!(lines[4].starts_with("1,0.01,box,"), "{}", lines[4]);
}

#[test]
fn csv_has_the_joint_that_carries_a_body() {
    let scene = Scene::new()
        .body(Body::dynamic("arm").cuboid(0.6, 0.1, 0.1).at(0.3, 0.0, 0.0))
        .body(Body::dynamic("ball").sphere(0.1).at(3.0, 0.0, 0.0))
        .joint(Joint::hinge("hinge, left", "arm").axis(0.0, 1.0, 0.0));
    let mut world = World::new(&scene).unwrap();
    world.step();
    let path = std::env::temp_dir().join(format!("huygens-joints-{}.csv", std::process::id()));
    let mut writer = Writer::create_for(&path, &scene, &world, 2).unwrap();
    writer.record(&world).unwrap();
    writer.flush().unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].ends_with(",wx,wy,wz,joint,q,v"), "{}", lines[0]);
    let joint = world.joints().next().unwrap();
    let expected = format!(",\"hinge, left\",{:?},{:?}", joint.q, joint.v);
    assert!(lines[1].starts_with("1,") && lines[1].ends_with(&expected), "{}", lines[1]);
    assert!(lines[2].contains(",ball,") && lines[2].ends_with(",,,"), "{}", lines[2]);
}

#[test]
fn jsonl_has_an_object_on_each_line_with_everything_of_a_step() {
    let file = SmallDisk::new(PLENTY).file();
    record(&mut Text::new(file.clone(), TextKind::Jsonl, &Cast::of(&world())), 1).unwrap();
    let text = String::from_utf8(file.contents()).unwrap();
    assert_eq!(text.lines().count(), 2);
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("{\"step\":1,\"time\":0.01,\"energy\":"), "{last}");
    for part in [
        "\"ledger\":{\"gravity\":0.0,",
        "\"bodies\":[{\"name\":\"ball, \\\"red\\\"\",\"position\":[2.0,0.0,",
        "\"contacts\":[{\"bodies\":[\"floor\",\"box\"],\"point\":[",
        "\"gap\":",
        "\"slip\":[",
    ] {
        assert!(last.contains(part), "no {part} in {last}");
    }
}

#[test]
fn a_full_disk_leaves_whole_steps_of_text() {
    for room in [10, 500, 3000, 3001, 3100] {
        let file = SmallDisk::new(room).file();
        let mut sink = Text::new(file.clone(), TextKind::Csv, &Cast::of(&world()));
        let error = record(&mut sink, 1000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        let text = String::from_utf8(file.contents()).unwrap();
        assert!(text.is_empty() || text.ends_with('\n'));
        assert_eq!(text.lines().skip(1).count() as u64, 2 * sink.written().steps);
    }
}

#[test]
fn a_world_that_changed_its_bodies_is_refused() {
    let mut world = world();
    let path = std::env::temp_dir().join(format!("huygens-changed-{}.csv", std::process::id()));
    let mut writer = Writer::create(&path, &world, 10).unwrap();
    writer.record(&world).unwrap();
    world.remove_body(world.find("box").unwrap()).unwrap();
    let error = writer.record(&world).unwrap_err();
    assert!(error.to_string().contains("added or removed"), "{error}");
    std::fs::remove_file(path).unwrap();
}
