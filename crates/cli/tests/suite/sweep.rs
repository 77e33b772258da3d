//! `huygens sweep` from outside.

use crate::common::{folder, huygens, path, refused, text};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::Duration;

const FRICTION: &str = "body.box.shape.friction=0.1,0.2,0.4";
const DT: &str = "world.dt=0.001,0.002,0.004,0.005";

/// A box slides on a floor from 3 m/s.
const SLIDING: &str = "[world]\nseconds = 2\ndt = 0.001\n\
    [[body]]\nname = \"floor\"\nmotion = \"static\"\nshape = { kind = \"half-space\", friction = 1 }\n\
    [[body]]\nname = \"box\"\nposition = [0, 0, 0.25]\nlinear_velocity = [3, 0, 0]\nmass = 2\n\
    shape = { kind = \"box\", size = [1, 1, 0.5], friction = 0.25 }\n\
    [expect]\nbodies.box.x = [0, 2]\n";

/// A table as rows of fields, without quotes in it.
fn rows(file: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(file).unwrap();
    assert!(text.ends_with('\n'), "the last row is whole");
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let at = rows[0].iter().position(|column| column == name).unwrap_or_else(|| panic!("no column {name}"));
    rows[1..].iter().map(|row| row[at].clone()).collect()
}

#[test]
fn a_sweep_has_a_row_for_every_combination_with_energies_ledger_and_expect() {
    let folder = folder("sweep");
    let (scene, table) = (path(&folder, "slide.toml"), path(&folder, "table.csv"));
    std::fs::write(&scene, SLIDING).unwrap();
    let words = [
        "sweep",
        &scene,
        "--set",
        "body.box.shape.friction=0.0625,0.25,0.5625",
        "--set",
        "world.dt=0.002,0.004",
        "--out",
        &table,
    ];
    let output = huygens(&words);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(
        text(&output.stdout).contains("6 rows (3 × 2 values), 6 of them new"),
        "{}",
        text(&output.stdout)
    );
    let rows = rows(&table);
    assert_eq!(column(&rows, "run"), ["1", "2", "3", "4", "5", "6"], "in the order of the grid");
    assert_eq!(column(&rows, "world.dt"), ["0.002", "0.004", "0.002", "0.004", "0.002", "0.004"]);
    // μ = √(μ 1) is 0.25, 0.5, 0.75: all but the first stop within 2 s, having lost 9 J; v²/2μg is 1.83, 0.92, 0.61 m.
    let friction = column(&rows, "friction");
    for (i, lost) in friction.iter().enumerate().skip(2) {
        assert!((lost.parse::<f64>().unwrap() + 9.0).abs() < 1e-9, "row {i}: {lost}");
    }
    let energy = |name: &str, i: usize| column(&rows, name)[i].parse::<f64>().unwrap();
    for (i, lost) in friction.iter().enumerate() {
        let lost = lost.parse::<f64>().unwrap();
        assert!((energy("energy_end", i) - energy("energy_start", i) - lost).abs() < 1e-9);
    }
    assert_eq!(column(&rows, "expect_checks"), ["1"; 6]);
    assert_eq!(column(&rows, "expect_unmet"), ["0"; 6]);
    assert!(column(&rows, "hash").iter().all(|hash| hash.len() == 16));
}

#[cfg(unix)]
#[test]
fn a_sweep_that_was_killed_goes_on_and_has_twelve_rows_none_twice() {
    let folder = folder("sweep_killed");
    let (scene, table) = (path(&folder, "slide.toml"), path(&folder, "table.csv"));
    std::fs::write(&scene, SLIDING).unwrap();
    let words = [
        "sweep",
        &scene,
        "--set",
        FRICTION,
        "--set",
        DT,
        "--seconds",
        "60",
        "--out",
        &table,
        "--threads",
        "2",
    ];
    let mut child = Command::new(env!("CARGO_BIN_EXE_huygens"))
        .args(words)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = || std::fs::read_to_string(&table).unwrap_or_default().lines().count();
    for _ in 0..3000 {
        if lines() >= 4 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = std::fs::read_to_string(&table).unwrap();
    let kept = before.lines().count() - 1;
    assert!((3..12).contains(&kept), "it was killed in the middle: {kept} rows");
    // The kill may also come in the middle of a row.
    let half: String = before.lines().last().unwrap().chars().take(40).collect();
    std::fs::write(&table, format!("{before}{half}")).unwrap();

    assert!(refused(&words).contains("--resume goes on with it"), "a table is not written over");
    let output = huygens(&[&words[..], &["--resume"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let wanted = format!("12 rows (3 × 4 values), {} of them new", 12 - kept);
    assert!(text(&output.stdout).contains(&wanted), "{}", text(&output.stdout));
    let rows = rows(&table);
    assert_eq!(rows.len(), 13);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "no row is short");
    let pairs: BTreeSet<[String; 2]> = rows[1..].iter().map(|row| [row[1].clone(), row[2].clone()]).collect();
    assert_eq!(pairs.len(), 12, "none is there twice");
    for line in before.lines() {
        assert!(std::fs::read_to_string(&table).unwrap().contains(line), "rows that were there are kept");
    }
    // Once more: nothing is left to do.
    let output = huygens(&[&words[..], &["--resume"]].concat());
    assert!(text(&output.stdout).contains("0 of them new"), "{}", text(&output.stdout));
    // Rows of another scene are no part of this table.
    std::fs::write(&scene, SLIDING.replace("mass = 2", "mass = 3")).unwrap();
    assert!(refused(&[&words[..], &["--resume"]].concat()).contains("the scene has changed"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_rows_that_are_done() {
    let folder = folder("sweep_stopped");
    let table = path(&folder, "table.csv");
    let words = ["sweep", "cradle", "--set", "world.steps=10,1000000000", "--out", &table];
    let child = Command::new(env!("CARGO_BIN_EXE_huygens"))
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(800));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(text(&output.stderr).contains("1 of 2 rows are in"), "{}", text(&output.stderr));
    assert_eq!(rows(&table).len(), 2);
}

#[test]
fn what_cannot_be_swept_is_refused_before_the_first_run() {
    let folder = folder("sweep_refused");
    let table = path(&folder, "table.csv");
    let sweep = |words: &[&str]| refused(&[&["sweep"], words].concat());
    assert!(sweep(&["cradle", "--out", &table]).contains("--set"));
    assert!(sweep(&["cradle", "--set", "world.dt=0.001,-1", "--out", &table]).contains("world.dt is -1"));
    assert!(sweep(&["cradle", "--set", "world.dtt=1", "--out", &table]).contains("`dt`"));
    assert!(sweep(&["cradle", "--set", "world.dt=1e-3", "--out", &path(&folder, "t.txt")]).contains(".csv"));
    assert!(sweep(&["cradel", "--set", "world.dt=1e-3", "--out", &table]).contains("`cradle`"));
    assert!(!std::path::Path::new(&table).exists(), "nothing was written");
}
