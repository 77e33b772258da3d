//! `cargo xtask siconos`: `huygens solve` and the solvers of Siconos on the same contact problems, judged alike.
//!
//! Siconos is Debian's `python3-siconos`, installed where it is missing. Its impulses go back to `huygens solve --judge`, so that one judge
//! speaks of all.

use crate::bench::{Setting, our_program};
use crate::root;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const PYTHON: &str = "/usr/bin/python3";

const OURS: [&str; 4] = ["ncp/newton", "active-set", "nbgs/decoupling", "nbgs/de-saxce"];
const THEIRS: [&str; 3] = ["NSGS", "NSN-AC", "ADMM"];

/// Where the problems are, beside the project.
const PROBLEMS: &str = "../shared/data/contact-problems";

/// Natural map up to which a problem counts as solved.
const SOLVED: f64 = 1e-10;

/// Time below which a solve is not compared [s].
const SHORT: f64 = 1e-3;

/// Runs of ours, of which the fastest counts: theirs are as many.
const RUNS: usize = 3;

/// One problem with one solver.
#[derive(Clone, Copy, Debug)]
struct Figure {
    seconds: f64,
    natural_map: f64,
}

/// One problem.
struct Row {
    name: String,
    contacts: u64,
    rank: u64,
    figures: BTreeMap<String, Figure>,
}

/// Compares on the files that are named, or on all of dimension 3 beside the project, and writes docs/siconos.md.
pub fn run(files: &[&str]) -> Result<(), String> {
    let files = if files.is_empty() { problems()? } else { files.iter().map(PathBuf::from).collect() };
    siconos()?;
    let program = our_program()?;
    let folder = root().join("target/siconos");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let theirs = their_answers(&files, &folder.join("answers.json"))?;
    let mut rows = Vec::new();
    for file in &files {
        rows.push(row(&program, file, &theirs, &folder.join("answer.json"))?);
    }
    let page = page(&rows);
    let path = root().join("docs/siconos.md");
    std::fs::write(&path, &page).map_err(|error| format!("{}: {error}", path.display()))?;
    print!("{page}");
    Ok(())
}

/// The problems of dimension 3 beside the project.
fn problems() -> Result<Vec<PathBuf>, String> {
    let folder = root().join(PROBLEMS);
    let entries = std::fs::read_dir(&folder).map_err(|error| {
        format!("{PROBLEMS}: {error}; name problem files instead: cargo xtask siconos FILE…")
    })?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| {
        let first = |text: String| text.split_whitespace().next() == Some("3");
        path.extension().is_some_and(|x| x == "dat") && std::fs::read_to_string(path).is_ok_and(first)
    });
    files.sort();
    Ok(files)
}

/// Siconos, from Debian where it is missing.
fn siconos() -> Result<(), String> {
    let there = || {
        Command::new(PYTHON)
            .args(["-c", "import siconos.numerics"])
            .output()
            .is_ok_and(|out| out.status.success())
    };
    if there() {
        return Ok(());
    }
    for words in [&["update"][..], &["install", "-y", "--no-install-recommends", "python3-siconos"]] {
        println!("   apt-get {}", words.join(" "));
        let status = Command::new("apt-get").args(words).status();
        if !status.is_ok_and(|status| status.success()) {
            return Err(format!("there is no Siconos, and `apt-get {}` failed", words.join(" ")));
        }
    }
    if there() {
        Ok(())
    } else {
        Err(format!("Debian's package `python3-siconos` gave no module for {PYTHON}"))
    }
}

/// What Siconos finds, an object for each file and solver.
fn their_answers(files: &[PathBuf], out: &Path) -> Result<Vec<Value>, String> {
    let mut command = Command::new(PYTHON);
    command.arg(root().join("xtask/run_siconos.py")).arg(out).args(files);
    // One thread, as ours.
    command.env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
    let run = command.output().map_err(|error| format!("{PYTHON}: {error}"))?;
    if !run.status.success() {
        return Err(format!("xtask/run_siconos.py: {}", String::from_utf8_lossy(&run.stderr)));
    }
    let text = std::fs::read_to_string(out).map_err(|error| format!("{}: {error}", out.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", out.display()))
}

fn row(program: &Path, file: &Path, theirs: &[Value], answer: &Path) -> Result<Row, String> {
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut row = Row { name, contacts: 0, rank: 0, figures: BTreeMap::new() };
    for solver in OURS {
        for _ in 0..RUNS {
            let solved = solve(program, file, &["--solver", solver])?;
            let figure = figure(&solved)?;
            let fastest = row.figures.entry(solver.to_owned()).or_insert(figure);
            if figure.seconds < fastest.seconds {
                *fastest = figure;
            }
            (row.contacts, row.rank) =
                (solved["contacts"].as_u64().unwrap_or(0), solved["rank"].as_u64().unwrap_or(0));
            if figure.seconds > 1.0 {
                break;
            }
        }
    }
    let own = |found: &&Value| found["file"].as_str().is_some_and(|path| Path::new(path) == file);
    for found in theirs.iter().filter(own) {
        std::fs::write(answer, found.to_string())
            .map_err(|error| format!("{}: {error}", answer.display()))?;
        let judged = solve(program, file, &["--judge", &answer.to_string_lossy()])?;
        row.figures.insert(judged["solver"].as_str().unwrap_or("?").to_owned(), figure(&judged)?);
    }
    Ok(row)
}

/// The object that `huygens solve FILE … --json` prints.
fn solve(program: &Path, file: &Path, words: &[&str]) -> Result<Value, String> {
    let out = Command::new(program).arg("solve").arg(file).args(words).arg("--json").output();
    let out = out.map_err(|error| format!("{}: {error}", program.display()))?;
    if !out.status.success() {
        return Err(format!("huygens solve {}: {}", file.display(), String::from_utf8_lossy(&out.stderr)));
    }
    serde_json::from_slice(&out.stdout).map_err(|error| format!("huygens solve {}: {error}", file.display()))
}

fn figure(solved: &Value) -> Result<Figure, String> {
    let natural_map = solved["certificate"]["natural_map"].as_f64();
    match (solved["seconds"].as_f64(), natural_map) {
        (Some(seconds), Some(natural_map)) => Ok(Figure { seconds, natural_map }),
        _ => Err(format!("no time or natural map in {solved}")),
    }
}

fn page(rows: &[Row]) -> String {
    let setting = Setting::now();
    let mut page = format!(
        "# Beside Siconos\n\n\
         Contact problems that others wrote, solved by `huygens solve` and by Siconos (Debian's `python3-siconos`), each from zero and on one thread;\n\
         written by `cargo xtask siconos`. Siconos is asked for {:e} by its own measure, with at most 100 000 sweeps (NSGS), 200 steps (NSN-AC) and\n\
         10 000 iterations (ADMM). Times are those of the solve alone, the fastest of {RUNS} runs (one where it is long). The natural map is by our judge for all, from W as the file has it\n\
         (docs/contact-problem.md); `–` where it is above 1. Siconos reads a dense W column by column; it is given the matrix that we read, row by row.\n\n\
         {} · commit {} · {} · rustc {}\n\n",
        1e-12, setting.date, setting.commit, setting.machine, setting.rustc
    );
    let names: Vec<&str> = OURS.into_iter().chain(THEIRS).collect();
    let _ = writeln!(page, "## Natural map\n");
    table(&mut page, rows, &names, |figure| {
        if figure.natural_map <= 1.0 { format!("{:.0e}", figure.natural_map) } else { "–".to_owned() }
    });
    let _ = writeln!(page, "\n## Time [ms]\n");
    table(&mut page, rows, &names, |figure| {
        let mark = if figure.natural_map <= SOLVED { "" } else { " ✗" };
        format!("{:.3}{mark}", 1e3 * figure.seconds)
    });
    let _ = writeln!(
        page,
        "\n✗: the natural map stays above {SOLVED:e}.\n\n## Where Siconos needs more than 1 ms\n"
    );
    let _ = writeln!(
        page,
        "| problem | fastest of Siconos that solves it | ncp/newton | times as fast |\n|---|---:|---:|---:|"
    );
    for row in rows {
        compared(&mut page, row);
    }
    page
}

fn table(page: &mut String, rows: &[Row], names: &[&str], cell: impl Fn(&Figure) -> String) {
    let _ = writeln!(page, "| problem | contacts | rank of W | {} |", names.join(" | "));
    let _ = writeln!(page, "|---|---:|---:|{}", "---:|".repeat(names.len()));
    for row in rows {
        let cells = names.iter().map(|name| row.figures.get(*name).map_or_else(|| "–".to_owned(), &cell));
        let _ = writeln!(
            page,
            "| {} | {} | {} of {} | {} |",
            row.name,
            row.contacts,
            row.rank,
            3 * row.contacts,
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
}

/// A line for a problem that costs Siconos more than a millisecond.
fn compared(page: &mut String, row: &Row) {
    let Some(ours) = row.figures.get(OURS[0]) else { return };
    let solvers = THEIRS.iter().filter_map(|name| row.figures.get(*name).map(|figure| (*name, *figure)));
    let solved = solvers.filter(|(_, figure)| figure.natural_map <= SOLVED);
    let fastest = solved.reduce(|a, b| if b.1.seconds < a.1.seconds { b } else { a });
    let time = 1e3 * ours.seconds;
    match fastest {
        Some((_, figure)) if figure.seconds < SHORT => {}
        Some((name, figure)) => {
            let ratio = figure.seconds / ours.seconds;
            let _ = writeln!(
                page,
                "| {} | {name} {:.2} ms | {time:.2} ms | {ratio:.1} |",
                row.name,
                1e3 * figure.seconds
            );
        }
        None => {
            let _ = writeln!(page, "| {} | none | {time:.2} ms | – |", row.name);
        }
    }
}
