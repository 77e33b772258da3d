//! Broken scenes: whatever a user writes, there is a scene or an error, and never a panic.

use super::super::{Loaded, Setting, parse, write};
use crate::builtin;
use huygens::World;
use huygens_math::SplitMix;

/// Pieces of text that break things in interesting places.
const PIECES: &[&str] = &[
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-0.0",
    "1e-320",
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "#",
    "\n",
    "\r\n",
    "[[body]]",
    "[world]",
    "[[joint]]",
    "[[repeat]]",
    "[expect]",
    "true",
    "\"static\"",
    "99999999999999999999",
    "0x7fffffffffffffff",
    "1979-05-27",
    "\u{fffd}",
    "ß",
    "\t",
    "'''",
    "\"\"\"",
    "\\u0000",
    "kind = \"hull\"",
    "points = [[0,0,0]]",
    "count = [1000000, 1000000, 1000000]",
    "name = \"\"",
    "shapes = []",
    "motion = {}",
];

const PATHS: &[&str] = &[
    "world.dt",
    "world",
    "body",
    "body.0",
    "body.0.shape",
    "body.0.shape.radius",
    "body.ball.mass",
    "materials.x",
    "materials",
    "repeat.0.count",
    "joint.0.axis",
    "expect.energy",
    "world.stabilisation.kind",
    "x",
    "body.0.motion.kind",
    "world.gravity.0",
    "body.0.shapes.0.kind",
    "world.dt.x",
    "body.\"a",
    "..",
    "",
];

fn mutate(random: &mut SplitMix, scenes: &[&str]) -> String {
    let mut bytes = scenes[random.index(scenes.len())].as_bytes().to_vec();
    // Half of them stay well-formed, so that the reading and the checks are reached.
    let kinds = if random.index(2) == 0 { 2 } else { 6 };
    for _ in 0..=random.index(3) {
        let at = random.index(bytes.len());
        let end = (at + 1 + random.index(12)).min(bytes.len());
        match random.index(kinds) {
            0 | 1 => replace_number(random, &mut bytes, at),
            5 if random.index(2) == 0 => bytes[at] = random.bits() as u8,
            2 => drop(bytes.splice(at..end, PIECES[random.index(PIECES.len())].bytes())),
            3 => drop(bytes.splice(at..at, PIECES[random.index(PIECES.len())].bytes())),
            4 => {
                // A line from somewhere else: keys in the wrong table.
                let other = scenes[random.index(scenes.len())];
                let lines: Vec<&str> = other.lines().collect();
                let line = format!("\n{}\n", lines[random.index(lines.len())]);
                let place = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |i| at + i);
                drop(bytes.splice(place..place, line.bytes()));
            }
            _ => drop(bytes.drain(at..end)),
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first number after `at` becomes another one: the text stays TOML, and the checks have to find it.
fn replace_number(random: &mut SplitMix, bytes: &mut Vec<u8>, at: usize) {
    let is_number = |b: &u8| b.is_ascii_digit() || *b == b'.' || *b == b'-';
    let Some(start) = bytes[at..].iter().position(is_number).map(|i| at + i) else { return };
    let end = bytes[start..].iter().position(|b| !is_number(b)).map_or(bytes.len(), |i| start + i);
    let numbers =
        ["0", "-1", "nan", "-inf", "1e300", "1e-300", "0.5", "7", "4294967296", "-9e99", "\"x\"", "[1]"];
    drop(bytes.splice(start..end, numbers[random.index(numbers.len())].bytes()));
}

/// What passed the gate steps without a panic, or is refused by the compiler at its place.
fn run(loaded: &Loaded) {
    if loaded.scene.body_count().is_none_or(|n| n > 50) {
        return;
    }
    match World::new(&loaded.scene) {
        Ok(mut world) => {
            for _ in 0..3 {
                world.step();
            }
        }
        Err(errors) => assert!(!loaded.report(errors).to_string().is_empty()),
    }
}

#[test]
fn a_hundred_thousand_broken_scenes_never_panic() {
    // Without their comments, so that the mutations hit what matters; the scenes of `huygens bench`, which expect nothing,
    // would write out thousands of bodies again and again.
    let scenes: Vec<String> = builtin::names()
        .filter_map(builtin::text)
        .filter(|text| text.contains("[expect]"))
        // A hundred kilobytes of heights are no place for a mutation to hit anything else.
        .filter(|text| text.len() < 20_000)
        .map(|text| text.lines().filter(|l| !l.starts_with('#')).collect::<Vec<_>>().join("\n"))
        .collect();
    let scenes: Vec<&str> = scenes.iter().map(String::as_str).collect();
    let mut random = SplitMix::new(20_261_115);
    let (mut unread, mut unchecked, mut good) = (0, 0, 0);
    for _ in 0..100_000 {
        let text = mutate(&mut random, &scenes);
        let mut settings = Vec::new();
        if random.index(4) == 0 {
            let argument =
                format!("{}={}", PATHS[random.index(PATHS.len())], PIECES[random.index(PIECES.len())]);
            settings.extend(Setting::set(&argument));
        }
        match parse("broken.toml", &text, &settings) {
            Err(report) => {
                assert!(!report.to_string().is_empty() && !report.errors().is_empty());
                unread += 1;
            }
            Ok(loaded) => match loaded.check() {
                Err(report) => {
                    assert!(report.errors().iter().all(|e| !e.remedy.is_empty()), "{report}");
                    unchecked += 1;
                }
                Ok(()) => {
                    good += 1;
                    if good % 16 == 0 {
                        assert_eq!(parse("", &write(&loaded.scene), &[]).unwrap().scene, loaded.scene);
                        run(&loaded);
                    }
                }
            },
        }
    }
    // All three ways out are taken often: the mutations are neither too wild nor too tame.
    assert!(unread > 10_000 && unchecked > 5_000 && good > 5_000, "{unread} {unchecked} {good}");
    println!("not read {unread}, not accepted {unchecked}, good {good}");
}
