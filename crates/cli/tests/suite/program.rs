//! The program from outside, as INTERFACE.md describes it.

use crate::common::{folder, huygens, path, refused, text};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The JSON of a run that must succeed.
pub(crate) fn json(words: &[&str]) -> Value {
    let output = huygens(&[words, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "nothing but the object");
    serde_json::from_str(text(&output.stdout)).expect("one JSON object")
}

#[test]
fn list_prints_a_line_for_every_built_in_scene_or_json() {
    let output = huygens(&["run", "--list"]);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    for name in ["arm", "capsule_spin", "conveyor", "cradle", "default", "domino", "jsim/drop", "stack"] {
        let line = lines.iter().find(|line| line.split_whitespace().next() == Some(name));
        assert!(line.is_some_and(|line| line.split_whitespace().count() > 4), "{name}: {line:?}");
    }
    let stack = lines.iter().find(|line| line.starts_with("stack ")).unwrap();
    assert!(stack.ends_with("  Five cubes of one metre stand on each other for 16 s"), "{stack}");
    let list: Value = serde_json::from_str(text(&huygens(&["run", "--list", "--json"]).stdout)).unwrap();
    assert_eq!(list.as_array().unwrap().len(), lines.len());
    let stack = list.as_array().unwrap().iter().find(|scene| scene["name"] == "stack").unwrap();
    assert!(stack["about"].as_str().unwrap().contains("Nothing may move"));
}

#[test]
fn a_scene_is_read_from_standard_input() {
    let pipe = |scene: &str| {
        use std::io::Write;
        let mut child = Command::new(env!("CARGO_BIN_EXE_huygens"))
            .args(["run", "-", "--steps", "3", "--json"])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(scene.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let ball = "[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = 0.5 }\n";
    let output = pipe(ball);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let run: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    assert_eq!((&run["bodies"][0]["name"], &run["steps"]), (&"ball".into(), &3.into()));
    let output = pipe(&ball.replace("0.5", "-1"));
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("standard input:3:"), "{}", text(&output.stderr));
}

#[test]
fn solvers_tells_of_one_model_or_as_json() {
    let one = huygens(&["solvers", "ncp/newton"]);
    let page = text(&one.stdout);
    assert!(page.starts_with("ncp/newton\n") && !page.contains("\nsoft-step"), "{page}");
    let list: Value = serde_json::from_str(text(&huygens(&["solvers", "--json"]).stdout)).unwrap();
    let list = list.as_array().unwrap();
    assert!(list.len() >= 8);
    for solver in list {
        assert!(solver["law"].as_str().unwrap().len() > 20);
        for parameter in solver["parameters"].as_array().unwrap() {
            assert!(["name", "default", "meaning"].iter().all(|key| parameter[key].is_string()));
        }
    }
}

#[test]
fn the_json_of_a_run_has_exactly_the_members_of_the_interface() {
    let run = json(&["run", "capsule_spin"]);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut members = keys(&run);
    members.sort();
    let mut wanted = [
        "scene",
        "solver",
        "dt",
        "steps",
        "time",
        "wall_seconds",
        "energy",
        "ledger",
        "bodies",
        "joints",
        "drivers",
        "contacts",
        "certificate",
        "hash",
        "set",
        "expect",
        "warnings",
    ];
    wanted.sort_unstable();
    assert_eq!(members, wanted);
    assert_eq!(keys(&run["energy"]).len(), 2);
    let mut accounts: Vec<&str> = huygens::scene::LEDGER_ACCOUNTS.to_vec();
    accounts.sort_unstable();
    let mut ledger = keys(&run["ledger"]);
    ledger.sort();
    assert_eq!(ledger, accounts);
    for part in ["gap", "cone", "complementarity", "dissipation", "momentum", "natural_map"] {
        assert!(run["certificate"][part].is_number(), "{part}");
    }
    for part in ["count", "max_penetration", "max_penetration_end"] {
        assert!(run["contacts"][part].is_number(), "{part}");
    }
    assert_eq!(
        (&run["scene"], &run["steps"], &run["dt"]),
        (&"capsule_spin".into(), &120.into(), &0.001.into())
    );
    let hash = run["hash"].as_str().unwrap();
    assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()), "{hash}");
    let paddle = &run["bodies"][1];
    assert_eq!(paddle["name"], "paddle");
    assert_eq!(paddle["orientation"].as_array().unwrap().len(), 4);
    for part in ["position", "linear_velocity", "angular_velocity"] {
        assert_eq!(paddle[part].as_array().unwrap().len(), 3);
    }
    let wz = paddle["angular_velocity"][2].as_f64().unwrap();
    assert!((wz + 11.72917).abs() < 1e-4, "{wz}");
    assert_eq!(keys(&run["drivers"][0]).len(), 4);
    assert_eq!(run["drivers"][0]["name"], "rotor");
}

#[test]
fn the_ledger_explains_the_change_of_energy() {
    let run = json(&["run", "conveyor"]);
    let sum: f64 = run["ledger"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| *name != "worst_step_unexplained")
        .map(|(_, value)| value.as_f64().unwrap())
        .sum();
    let change = run["energy"]["end"].as_f64().unwrap() - run["energy"]["start"].as_f64().unwrap();
    // A thousand steps of a few joules.
    assert!((sum - change).abs() < 1e-12, "{sum} {change}");
}

#[test]
fn static_bodies_are_left_out_and_joints_are_in() {
    let run = json(&["run", "arm", "--steps", "10"]);
    let names: Vec<&str> =
        run["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 3);
    assert!(!names.contains(&"floor"));
    assert_eq!(run["joints"][0]["name"], "shoulder");
    assert!(run["joints"][1]["q"].is_number() && run["joints"][1]["v"].is_number());
}

#[test]
fn two_runs_have_the_same_hash() {
    let hash = || json(&["run", "domino", "--steps", "200"])["hash"].as_str().unwrap().to_owned();
    assert_eq!(hash(), hash());
}

#[test]
fn options_win_over_set_and_set_over_the_file() {
    let run = json(&["run", "capsule_spin", "--set", "world.steps=7", "--set", "world.dt=0.002"]);
    assert_eq!((&run["steps"], &run["dt"]), (&7.into(), &0.002.into()));
    assert_eq!(json(&["run", "capsule_spin", "--set", "world.steps=7", "--steps", "3"])["steps"], 3);
    assert_eq!(json(&["run", "capsule_spin", "--seconds", "0.01"])["steps"], 10);
    let solver = "sequential-impulse";
    let run = json(&[
        "run",
        "capsule_spin",
        "--set",
        "world.solver=nbgs/approximate-decoupling",
        "--solver",
        solver,
    ]);
    assert_eq!(run["solver"], solver);
    let run = json(&["run", "capsule_spin", "--set", "world.stabilisation.kind=none"]);
    let wz = run["bodies"][1]["angular_velocity"][2].as_f64().unwrap();
    assert!((wz + 8.32389).abs() < 1e-4, "{wz}");
    // The scene's expectations name cubes that are then not there.
    assert_eq!(
        json(&["run", "stack", "--set", "repeat.cube.count=2", "--steps", "1"])["bodies"][1]["name"],
        "cube[1]"
    );
}

#[test]
fn bad_input_ends_with_two_a_message_and_no_output() {
    assert!(refused(&["run", "stak"]).contains("Did you mean `stack`?"));
    let unknown = refused(&["run", "stack", "--solver", "jacobi"]);
    assert!(unknown.contains("there is no such contact model"), "{unknown}");
    for model in ["soft-step", "nbgs/de-saxce", "active-set", "ncp/newton"] {
        assert!(unknown.contains(model), "it names all that are known: {unknown}");
    }
    let unknown =
        refused(&["run", "stack", "--set", "world.solver=nbgs/projected", "--set", "world.relax=0.5"]);
    assert!(
        unknown.contains("relaxation = 1 (share of every change that a sweep makes, from 0.01 to 1)"),
        "{unknown}"
    );
    let wide = refused(&["run", "stack", "--set", "world.relaxation=1.5"]);
    assert!(wide.contains("from 0.01 to 1"), "{wide}");
    assert!(refused(&["run", "stack", "--set", "world.dtt=1", "--json"]).contains("`dt`"));
    assert!(refused(&["run", "stack", "--set", "world.dt=nan"]).contains("world.dt is NaN"));
    assert!(refused(&["run", "stack", "--set", "world.dt"]).contains("there is no `=`"));
    assert!(refused(&["run", "stack", "--steps", "-1"]).contains("--steps -1"));
    assert!(refused(&["run", "stack", "--steps", "1.5"]).contains("expected an integer"));
    assert!(refused(&["run", "stack", "--seconds", "-1"]).contains("--seconds -1"));
    assert!(refused(&["run", "stack", "--seconds", "soon"]).contains("expected a number"));
    assert!(refused(&["run", "stack", "--steps", "1", "--seconds", "1"]).contains("cannot be used with"));
    assert!(refused(&["run", "stack", "--sovler", "x"]).contains("--solver"));
    assert!(refused(&["walk"]).contains("walk"));
    assert!(refused(&["run", "."]).contains("."));
}

#[test]
fn a_broken_file_is_shown_at_its_line_and_nothing_is_written() {
    let folder = folder("broken");
    let (scene, out) = (path(&folder, "broken.toml"), path(&folder, "out.csv"));
    std::fs::write(&scene, "[[body]]\nname = \"ball\"\nshape = { kind = \"sphere\", radius = -1 }\n")
        .unwrap();
    let message = refused(&["run", &scene, "--out", &out]);
    assert!(message.contains("broken.toml:3:37") && message.contains("radius is -1"), "{message}");
    assert!(!Path::new(&out).exists());
    std::fs::write(&scene, [0xFF, 0xFE]).unwrap();
    assert!(refused(&["run", &scene]).contains("not UTF-8"));
    std::fs::write(
        &scene,
        "[[body]]\nname = \"c\"\nshape = { kind = \"hull\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }\n",
    )
    .unwrap();
    assert!(refused(&["run", &scene]).contains("broken.toml:3:"), "errors of the compiler have a line too");
}

#[test]
fn a_hull_reads_its_points_from_a_file_beside_the_scene() {
    let folder = folder("hull");
    let scene = path(&folder, "hull.toml");
    let text = "[[body]]\nname = \"rock\"\nshape = { kind = \"hull\", file = \"rock.obj\", scale = 2 }\n";
    std::fs::write(&scene, text).unwrap();
    assert!(refused(&["run", &scene]).contains("hull.toml:3:33"));
    std::fs::write(
        folder.join("rock.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    )
    .unwrap();
    let run = json(&["run", &scene, "--steps", "1"]);
    // A corner of a cube of edge 2: mass 1000 * 8 / 6 kg; its centre starts at a quarter of the edge.
    let energy = run["energy"]["start"].as_f64().unwrap();
    assert!((energy - 8000.0 / 6.0 * 9.81 * 0.5).abs() < 1e-9, "{energy}");
}

#[test]
fn out_writes_every_body_at_every_step() {
    let folder = folder("out");
    let csv = path(&folder, "run.csv");
    json(&["run", "cradle", "--steps", "3", "--out", &csv]);
    let written = std::fs::read_to_string(&csv).unwrap();
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[0], "step,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz");
    assert_eq!(lines.len(), 1 + 4 * 5, "the start and three steps of five balls");
    assert!(lines[1].starts_with("0,0.0,ball0,-0.2,0.0,0.0,1.0,") && lines[20].starts_with("3,0.003,ball4,"));
    let jsonl = path(&folder, "run.jsonl");
    json(&["run", "cradle", "--steps", "3", "--out", &jsonl]);
    let written = std::fs::read_to_string(&jsonl).unwrap();
    let steps: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(steps.len(), 4, "an object for each step");
    assert_eq!(steps[3]["bodies"][4]["name"], "ball4");
    assert_eq!(steps[0]["bodies"][0]["linear_velocity"][0], 1.0);
    json(&["run", "cradle", "--steps", "0", "--out", &csv]);
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 6);
}

#[test]
fn every_leaves_steps_out() {
    let csv = path(&folder("every"), "run.csv");
    json(&["run", "jsim/drop", "--steps", "25", "--out", &csv, "--every", "10"]);
    let written = std::fs::read_to_string(&csv).unwrap();
    let steps: Vec<&str> = written.lines().skip(1).map(|line| line.split_once(',').unwrap().0).collect();
    assert_eq!(steps, ["0", "10", "20"]);
    assert!(refused(&["run", "jsim/drop", "--out", &csv, "--every", "0"]).contains("--every"));
    assert!(refused(&["run", "jsim/drop", "--every", "2"]).contains("--out"));
}

/// What numpy says of a file, where there is a numpy; the form itself is tested in huygens-formats.
fn numpy(file: &str, question: &str) -> Option<String> {
    let code = format!("import sys, numpy\nf = numpy.load(sys.argv[1])\nprint(({question}))");
    let has = Command::new("python3").args(["-c", "import numpy"]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!("no numpy here: the file is not read back by it");
        return None;
    }
    let output = Command::new("python3").args(["-c", &code, file]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    Some(text(&output.stdout).trim().to_owned())
}

#[test]
fn numpy_loads_an_npz_and_finds_the_numbers_of_the_run() {
    let npz = path(&folder("npz"), "run.npz");
    let run = json(&["run", "cradle", "--steps", "300", "--out", &npz, "--every", "3"]);
    let question =
        "f['position'].shape, f['orientation'].shape, f['time'].shape, list(f['names']), f.zip.testzip()";
    let Some(answer) = numpy(&npz, question) else { return };
    assert!(answer.starts_with("((101, 5, 3), (101, 5, 4), (101,), ["), "{answer}");
    assert!(answer.contains("ball4") && answer.ends_with("None)"), "{answer}");
    let answer =
        numpy(&npz, "repr(float(f['linear_velocity'][-1, 4, 0])), repr(float(f['energy'][-1]))").unwrap();
    let velocity = run["bodies"][4]["linear_velocity"][0].as_f64().unwrap();
    let energy = run["energy"]["end"].as_f64().unwrap();
    assert_eq!(answer, format!("('{velocity:?}', '{energy:?}')"));
    let answer = numpy(&npz, "int(f['contact_count'].sum()) == len(f['contacts']['force'])").unwrap();
    assert_eq!(answer, "True");
    let run = json(&["run", "arm", "--steps", "30", "--out", &npz]);
    let question = "f['joint_q'].shape, list(map(str, f['joint_names'])), repr(float(f['joint_q'][-1, 1]))";
    let elbow = run["joints"][1]["q"].as_f64().unwrap();
    let answer = numpy(&npz, question).unwrap();
    assert_eq!(answer, format!("((31, 2), ['shoulder', 'elbow'], '{elbow:?}')"));
}

#[test]
fn pvd_makes_a_grid_for_each_step() {
    let folder = folder("pvd");
    json(&["run", "cradle", "--steps", "4", "--out", &path(&folder, "run.pvd"), "--every", "2"]);
    let collection = std::fs::read_to_string(folder.join("run.pvd")).unwrap();
    assert_eq!(collection.matches("<DataSet timestep=").count(), 3);
    for number in 0..3 {
        for kind in ["bodies", "contacts", "surfaces", "joints"] {
            let grid = format!("run/{kind}_{number:07}.vtu");
            assert!(folder.join(&grid).exists(), "{grid}");
        }
    }
}

#[test]
fn a_page_of_one_run_has_its_replay_and_no_reference() {
    let page = path(&folder("page"), "run.html");
    json(&["run", "jsim/drop", "--steps", "40", "--report", &page]);
    let page = std::fs::read_to_string(&page).unwrap();
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["models"].as_array().unwrap().len(), 1);
    assert_eq!((&data["reference"], &data["models"][0]["reference"]), (&"none".into(), &false.into()));
    // The page says so: it does not name a reference that there is not.
    assert!(page.contains("Huygens · one run") && !data["findings"].to_string().contains("reference"));
    let runs = data["replay"]["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0]["times"].as_array().unwrap().len(), 41);
    assert!(refused(&["run", "jsim/drop", "--report", "a.pdf"]).contains(".html"));
}

#[test]
fn picture_draws_at_the_end_or_at_a_time() {
    let folder = folder("picture");
    let (image, drawing) = (path(&folder, "a.png"), path(&folder, "a.svg"));
    json(&["run", "stack", "--steps", "3", "--picture", &image, "--size", "80x60", "--forces"]);
    let bytes = std::fs::read(&image).unwrap();
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    assert_eq!((bytes[19], bytes[23]), (80, 60));
    let draw = |at: &str| {
        json(&["run", "jsim/drop", "--picture", &drawing, "--at", at, "--view", "front"]);
        std::fs::read_to_string(&drawing).unwrap()
    };
    assert!(draw("0").ends_with("</svg>\n"));
    assert_ne!(draw("0"), draw("0.5"), "the ball has moved");
    let refused = |words: &[&str]| refused(&[&["run", "jsim/drop"], words].concat());
    assert!(refused(&["--picture", &image, "--look-at", "1,2"]).contains("X,Y,Z"));
    assert!(refused(&["--picture", &image, "--follow", "bal"]).contains("Did you mean `ball`?"));
    assert!(refused(&["--picture", &image, "--hide", "nobody"]).contains("there is no such body"));
    assert!(refused(&["--picture", &image, "--zoom", "0"]).contains("0.01 to 1000"));
    assert!(refused(&["--picture", "a.gif"]).contains(".png"));
    assert!(refused(&["--picture", &image, "--at", "2"]).contains("0 to 1 s"));
    assert!(refused(&["--picture", &image, "--at", "nan"]).contains("--at"));
    assert!(refused(&["--picture", &image, "--size", "10"]).contains("--size"));
    assert!(refused(&["--picture", &image, "--size", "9999x10"]).contains("8192"));
    assert!(refused(&["--picture", &image, "--view", "back"]).contains("corner"));
    assert!(refused(&["--picture", &path(&folder, "missing/a.png")]).contains("folder"));
    assert!(refused(&["--forces"]).contains("--picture"));
}

#[cfg(unix)]
#[test]
fn a_full_disk_ends_the_run_and_says_how_much_was_written() {
    let folder = folder("full");
    let csv = path(&folder, "run.csv");
    std::os::unix::fs::symlink("/dev/full", &csv).unwrap();
    let output = huygens(&["run", "cradle", "--out", &csv]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains("run.csv") && message.contains("no step was written"), "{message}");
}

/// How many steps a text or VTK file has: all of it must be whole.
fn whole_steps(file: &str, bodies: u64) -> u64 {
    let text = std::fs::read_to_string(file).unwrap();
    if file.ends_with("csv") {
        let lines = text.lines().count() as u64 - 1;
        assert!(text.ends_with('\n') && lines.is_multiple_of(bodies), "{file}: {lines} lines");
        return lines / bodies;
    }
    if file.ends_with("jsonl") {
        let steps: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("whole")).collect();
        return steps.len() as u64;
    }
    assert!(text.trim_end().ends_with("</VTKFile>"), "{file}");
    let named: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("file=\"")?.1.split_once('"').map(|x| x.0)).collect();
    for name in &named {
        let part = std::fs::read(Path::new(file).parent().unwrap().join(name)).unwrap();
        assert!(part.trim_ascii_end().ends_with(b"</VTKFile>"), "{name}");
    }
    named.iter().filter(|name| name.contains("bodies")).count() as u64
}

/// A file may not grow beyond 100 kB: for the program that is a disk that fills while it runs. What it says was written is there, whole; also where the
/// signal that comes with the limit is not ignored, which by itself would end the program.
#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_has_whole_steps_and_the_run_says_how_many() {
    let folder = folder("fills");
    for (ending, signal) in
        [("csv", "''"), ("csv", "-"), ("jsonl", "-"), ("pvd", "-"), ("npz", "''"), ("npz", "-")]
    {
        let file = path(&folder, &format!("run.{ending}"));
        let script =
            format!("trap {signal} XFSZ; ulimit -f 200; exec \"$0\" run cradle --steps 100000 --out \"$1\"");
        let output = Command::new("sh")
            .args(["-c", &script, env!("CARGO_BIN_EXE_huygens"), &file])
            .output()
            .expect("a shell");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{ending}, trap {signal}: {message}");
        let steps = if ending == "npz" {
            let question =
                "f['position'].shape, int(f['contact_count'].sum()) - len(f['contacts']), int(f['step'][-1])";
            let Some(answer) = numpy(&file, question) else { continue };
            let steps = answer.split(['(', ',']).find_map(|word| word.parse().ok()).unwrap();
            assert_eq!(answer, format!("(({steps}, 5, 3), 0, {})", steps - 1));
            steps
        } else {
            whole_steps(&file, 5)
        };
        assert!(steps > 20, "{ending}: {steps}");
        let wanted = format!("{steps} steps were written, the last is step {}", steps - 1);
        assert!(message.contains(&wanted), "{ending}: {wanted} not in {message}");
    }
}

/// Ctrl-C while the program runs: every format is whole, the exit status is 130 and the number of steps is told.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_whole_file_and_says_how_many_steps_it_has() {
    let folder = folder("interrupt");
    for ending in ["csv", "npz", "jsonl", "pvd"] {
        let file = path(&folder, &format!("run.{ending}"));
        let child = Command::new(env!("CARGO_BIN_EXE_huygens"))
            .args(["run", "cradle", "--steps", "10000000", "--out", &file, "--json"])
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        // Once the file is there, it is stepping; the rows of 10 million steps end beyond what 32 bits can say.
        for _ in 0..600 {
            if Path::new(&file).exists() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
        let run: Value = serde_json::from_str(text(&output.stdout)).unwrap();
        let steps = run["steps"].as_u64().unwrap();
        let message = text(&output.stderr);
        let wanted = format!("{} steps were written, the last is step {steps}", steps + 1);
        assert!(message.contains(&wanted), "{message}");
        if ending != "npz" {
            assert_eq!(whole_steps(&file, 5), steps + 1, "{ending}");
        } else if let Some(answer) = numpy(&file, "int(f['step'][-1]), len(f['time']), f['position'].shape") {
            assert_eq!(answer, format!("({steps}, {0}, ({0}, 5, 3))", steps + 1));
        }
        std::fs::remove_file(&file).unwrap();
    }
}

#[test]
fn an_output_that_cannot_be_made_is_refused_before_the_run() {
    let folder = folder("no_output");
    let message = refused(&["run", "cradle", "--out", &path(&folder, "missing/run.csv")]);
    assert!(message.contains("--out") && message.contains("folder that exists"), "{message}");
    let message = refused(&["run", "cradle", "--out", &path(&folder, "run.xyz")]);
    assert!(message.contains(".csv") && message.contains(".jsonl"), "{message}");
}

#[test]
fn the_summary_tells_state_energy_contacts_and_speed() {
    let output = huygens(&["run", "conveyor"]);
    assert_eq!(output.status.code(), Some(0));
    let page = text(&output.stdout);
    for part in [
        "conveyor · soft-step · 1000 steps of 1 ms = 1 s",
        "position [m]",
        "friction            -2.00000  ",
        "│████████████████████",
        "driver     belt: work 4.00000 J",
        "contacts   4 points at the end",
        "times real time",
        "expected   8 of 8 hold",
        "hash       ",
    ] {
        assert!(page.contains(part), "no {part:?} in\n{page}");
    }
    assert_eq!(text(&output.stderr), "", "no progress bar in a pipe");
    let changed = huygens(&["run", "conveyor", "--steps", "5"]);
    assert!(!text(&changed.stdout).contains("expected"), "a changed run promises nothing");
}

#[test]
fn without_words_the_default_scene_runs() {
    let output = huygens(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = text(&output.stdout);
    assert!(page.starts_with("default · "), "{page}");
    assert!(page.contains("… and "), "many bodies are shortened");
}

#[test]
fn solvers_lists_every_model_with_its_law_and_parameters() {
    let output = huygens(&["solvers"]);
    assert_eq!(output.status.code(), Some(0));
    let page = text(&output.stdout);
    for part in
        ["sequential-impulse\n", "nbgs/approximate-decoupling\n", "iterations = 50", "tolerance = 1e-10"]
    {
        assert!(page.contains(part), "no {part:?} in\n{page}");
    }
    let names: Vec<&str> = page.lines().filter(|line| !line.is_empty() && !line.starts_with(' ')).collect();
    assert!(names.len() >= 8, "{names:?}");
    let wrong = huygens(&["run", "conveyor", "--solver", "nbgs/pgs"]);
    assert_eq!(wrong.status.code(), Some(2));
    let message = text(&wrong.stderr);
    assert!(names.iter().all(|name| message.contains(name)), "every known model is listed in\n{message}");
    let wrong = huygens(&["run", "conveyor", "--set", "world.relaxation=2"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("from 0.01 to 1"), "{}", text(&wrong.stderr));
    assert!(page.lines().all(|line| line.chars().count() <= 100));
}
