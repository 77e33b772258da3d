//! Model files that are wrong: an error at a line, never a panic, never silence.

use huygens::World;
use huygens_formats::mjcf::{self, Machine};
use huygens_math::SplitMix;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn error(text: &str) -> mjcf::Fault {
    mjcf::parse("robot.xml", text, Path::new(""))
        .err()
        .unwrap_or_else(|| panic!("read without an error: {text}"))
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("huygens-mjcf-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn unknown_words_name_the_nearest_and_their_line() {
    let fault = error("<mujoco>\n<worldbody>\n<body><geom sise=\"1\"/></body></worldbody></mujoco>");
    assert_eq!(fault.line(), Some(3));
    assert!(fault.to_string().contains("`sise`") && fault.to_string().contains("`size`"), "{fault}");
    let fault = error("<mujoco>\n<worldbody><bdoy/></worldbody></mujoco>");
    assert!(fault.to_string().contains("<bdoy>") && fault.to_string().contains("`body`"), "{fault}");
    let fault = error("<mujoco><worldbody><body><joint type=\"hinje\"/></body></worldbody></mujoco>");
    assert!(fault.to_string().contains("hinje") && fault.to_string().contains("hinge"), "{fault}");
    let fault = error("<mujoco><worldbody/><actuator><motor joint=\"elbow\"/></actuator></mujoco>");
    assert!(fault.to_string().contains("elbow"), "{fault}");
    let fault = error("<mujoco><worldbody><geom size=\"1 two\"/></worldbody></mujoco>");
    assert!(fault.to_string().contains("1 two"), "{fault}");
}

#[test]
fn what_is_known_but_not_done_is_a_warning_with_its_line() {
    let text = "<mujoco>\n<worldbody>\n<body><freejoint/><geom size=\"1\"/>\n<flexcomp name=\"f\" type=\"grid\"/></body></worldbody></mujoco>";
    let model = mjcf::parse("robot.xml", text, Path::new("")).unwrap();
    let [warning] = model.warnings.as_slice() else { panic!("{:?}", model.warnings) };
    assert_eq!(warning.line(), Some(4));
    assert!(warning.as_warning().contains("flexcomp"), "{}", warning.as_warning());
}

#[test]
fn includes_in_a_circle_and_paths_that_leave_are_errors() {
    let folder = folder("include");
    std::fs::write(folder.join("a.xml"), "<mujoco>\n<include file=\"b.xml\"/></mujoco>").unwrap();
    std::fs::write(folder.join("b.xml"), "<mujoco>\n<include file=\"a.xml\"/></mujoco>").unwrap();
    let fault = mjcf::load(&folder.join("a.xml")).unwrap_err();
    assert!(fault.to_string().contains("includes itself"), "{fault}");
    for outside in ["/etc/passwd", "../../../../../../../../etc/passwd"] {
        std::fs::write(folder.join("c.xml"), format!("<mujoco><include file=\"{outside}\"/></mujoco>"))
            .unwrap();
        let fault = mjcf::load(&folder.join("c.xml")).unwrap_err();
        assert!(fault.to_string().contains("outside of the model's folder"), "{fault}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bombs_are_refused() {
    let entity = "<!DOCTYPE m [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><mujoco model=\"&c;\"/>";
    error(entity);
    let deep = "<frame>".repeat(2000) + &"</frame>".repeat(2000);
    error(&format!("<mujoco><worldbody>{deep}</worldbody></mujoco>"));
    let copies = "<replicate count=\"100000\">".repeat(3) + "<geom size=\"1\"/>" + &"</replicate>".repeat(3);
    let fault = error(&format!("<mujoco><worldbody>{copies}</worldbody></mujoco>"));
    assert!(fault.to_string().contains("copies"), "{fault}");
    // A file of more than 64 MB is not even read.
    let folder = folder("large");
    let path = folder.join("spaces.xml");
    std::fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
    assert!(mjcf::load(&path).unwrap_err().to_string().contains("1073741824 bytes"));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Numbers and words that are likely to hurt.
const HURTING: [&str; 22] = [
    "",
    "0",
    "-1",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "99999999999",
    "1 2 3 4 5 6 7 8 9",
    "true",
    "auto",
    "box",
    "mesh",
    "free",
    "j1",
    "\"",
    ".1",
    "0 0 1",
    "1 2 3",
    "1 0 0 0",
    "-.5 .5",
    "1e-9",
];

fn mutate(r: &mut SplitMix, text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + r.index(3) {
        if bytes.is_empty() {
            break;
        }
        let at = r.index(bytes.len());
        match r.index(12) {
            0 => bytes[at] = r.index(128) as u8,
            1 => {
                bytes.remove(at);
            }
            2..=10 => {
                // The value of an attribute.
                let quotes: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] == b'"').collect();
                if quotes.len() >= 2 {
                    let k = r.index(quotes.len() / 2) * 2;
                    let word = HURTING[r.index(HURTING.len())];
                    bytes.splice(quotes[k] + 1..quotes[k + 1], word.bytes());
                }
            }
            _ => {
                // A piece of the text, again somewhere else.
                let end = (at + r.index(60)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                let to = r.index(bytes.len());
                bytes.splice(to..to, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All MJCF and URDF files below a folder, each with its own folder.
fn files_below(folder: &Path, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|e| e == "xml")
            && let Ok(text) = std::fs::read_to_string(&path)
            && text.len() < 200_000
        {
            found.push((text, folder.to_owned()));
        }
    }
}

/// `HUYGENS_FUZZ=1000000 cargo test … mutated_files` for a long run; with `HUYGENS_FUZZ_FILES=FOLDER` it mutates the .xml files there.
#[test]
fn mutated_files_never_panic() {
    let count = std::env::var("HUYGENS_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let answers: Value = serde_json::from_str(include_str!("mujoco_answers.json")).unwrap();
    let models = answers["models"].as_array().unwrap().iter().map(|m| m["mjcf"].as_str().unwrap());
    let mut texts: Vec<(String, PathBuf)> =
        models.map(|text| (text.to_owned(), PathBuf::from("/nowhere"))).collect();
    if let Ok(folder) = std::env::var("HUYGENS_FUZZ_FILES") {
        texts.clear();
        files_below(Path::new(&folder), &mut texts);
        texts.sort();
    }
    let mut r = SplitMix::new(20);
    let (mut read, mut refused) = (0, 0);
    for i in 0..count {
        let which = r.index(texts.len());
        let (whole, folder) = &texts[which];
        let text = mutate(&mut r, whole);
        match mjcf::parse("mutated.xml", &text, folder) {
            Err(fault) => {
                refused += 1;
                assert!(!fault.to_string().is_empty());
            }
            Ok(model) => {
                read += 1;
                if let Ok(machine) = Machine::new(&model) {
                    let state = machine.start();
                    let found = mjcf::inspect(&machine, &state, 1, None);
                    found.json(&model);
                    let made = mjcf::scene(&model, &machine, &state);
                    if let Ok(made) = made
                        && i % 8 == 0
                        && made.scene.check().is_ok()
                    {
                        run(model, machine, &made);
                    }
                }
            }
        }
    }
    println!("{read} read, {refused} refused");
    assert!(read > count / 20 && refused > count / 20, "{read} read, {refused} refused");
}

/// A mutated robot that passed the gate is stepped without a panic.
fn run(model: mjcf::Model, machine: Machine, made: &mjcf::Converted) {
    let Ok(mut world) = World::new(&made.scene) else { return };
    let mut robot = mjcf::SceneRobot::new(model, machine, made, &world).unwrap();
    for _ in 0..2 {
        if robot.before_step(&mut world).is_err() {
            return;
        }
        world.step();
        robot.after_step(&world);
    }
    let _ = robot.readings().members();
}
