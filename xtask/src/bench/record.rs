//! bench/results.csv: a line for each engine, scene and run.

use crate::root;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A line of the file. Lengths in m, energies in J.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub date: String,
    pub commit: String,
    pub machine: String,
    pub rustc: String,
    pub scene: String,
    pub engine: String,
    pub version: String,
    pub solver: String,
    pub level: String,
    pub hash: String,
    pub rounds: u32,
    pub seeds: u32,
    pub bodies: f64,
    pub steps: f64,
    /// Processor time of a step [ms], median over rounds and seeds.
    pub busy_ms: f64,
    pub median_ms: f64,
    pub mean_ms: f64,
    /// How many times as fast as the reference in the same run; NaN without one.
    pub ratio: f64,
    pub contacts: f64,
    pub penetration_max: f64,
    pub penetration_p99: f64,
    pub penetration_mean: f64,
    pub kinetic: f64,
    pub peak_bytes: f64,
}

const HEAD: &str = "date,commit,machine,rustc,scene,engine,version,solver,level,hash,rounds,seeds,bodies,steps,busy_ms,\
median_ms,mean_ms,times_as_fast,contacts,penetration_max,penetration_p99,penetration_mean,kinetic_energy,peak_bytes";

const WORDS: usize = 10;
const NUMBERS: usize = 14;

/// Where the file is.
pub fn path() -> PathBuf {
    root().join("bench/results.csv")
}

/// Adds lines to the file.
pub fn append(rows: &[Row]) -> Result<(), String> {
    let mut text = std::fs::read_to_string(path()).unwrap_or_else(|_| format!("{HEAD}\n"));
    for row in rows {
        let _ = writeln!(text, "{}", row.line());
    }
    std::fs::write(path(), text).map_err(|error| format!("{}: {error}", path().display()))
}

/// Reads the text of the file.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        return Err("results.csv: the first line is not the one that is written".to_owned());
    }
    lines
        .enumerate()
        .map(|(at, line)| Row::parse(line).ok_or(format!("results.csv, line {}", at + 2)))
        .collect()
}

impl Row {
    fn line(&self) -> String {
        let words = [
            &self.date,
            &self.commit,
            &self.machine,
            &self.rustc,
            &self.scene,
            &self.engine,
            &self.version,
            &self.solver,
            &self.level,
            &self.hash,
        ];
        let words: Vec<String> = words.iter().map(|word| word.replace([',', '\n'], " ")).collect();
        let numbers = [
            f64::from(self.rounds),
            f64::from(self.seeds),
            self.bodies,
            self.steps,
            self.busy_ms,
            self.median_ms,
            self.mean_ms,
            self.ratio,
            self.contacts,
            self.penetration_max,
            self.penetration_p99,
            self.penetration_mean,
            self.kinetic,
            self.peak_bytes,
        ];
        format!("{},{}", words.join(","), numbers.map(digits).join(","))
    }

    fn parse(line: &str) -> Option<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        if cells.len() != WORDS + NUMBERS {
            return None;
        }
        let word = |at: usize| cells[at].to_owned();
        let mut x = [0.0; NUMBERS];
        for (slot, cell) in x.iter_mut().zip(&cells[WORDS..]) {
            *slot = if cell.is_empty() { f64::NAN } else { cell.parse().ok()? };
        }
        Some(Self {
            date: word(0),
            commit: word(1),
            machine: word(2),
            rustc: word(3),
            scene: word(4),
            engine: word(5),
            version: word(6),
            solver: word(7),
            level: word(8),
            hash: word(9),
            rounds: x[0] as u32,
            seeds: x[1] as u32,
            bodies: x[2],
            steps: x[3],
            busy_ms: x[4],
            median_ms: x[5],
            mean_ms: x[6],
            ratio: x[7],
            contacts: x[8],
            penetration_max: x[9],
            penetration_p99: x[10],
            penetration_mean: x[11],
            kinetic: x[12],
            peak_bytes: x[13],
        })
    }
}

/// Five digits; nothing for what is not known.
fn digits(x: f64) -> String {
    if x.is_nan() {
        String::new()
    } else if x.fract() == 0.0 && x.abs() < 1e15 {
        format!("{x}")
    } else {
        // Five digits are more than a repeat agrees in.
        format!("{:.4e}", x).parse::<f64>().map_or_else(|_| String::new(), |x| format!("{x:?}"))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn row(scene: &str, engine: &str, date: &str, busy_ms: f64, ratio: f64) -> Row {
        Row {
            date: date.to_owned(),
            commit: "abcdef".to_owned(),
            machine: "a CPU · 2 cores · avx2".to_owned(),
            rustc: "1.95.0".to_owned(),
            scene: scene.to_owned(),
            engine: engine.to_owned(),
            version: "0.36".to_owned(),
            solver: String::new(),
            level: "avx2".to_owned(),
            hash: "0123".to_owned(),
            rounds: 3,
            seeds: 5,
            bodies: 8000.0,
            steps: 600.0,
            busy_ms,
            median_ms: busy_ms,
            mean_ms: busy_ms,
            ratio,
            contacts: 35000.0,
            penetration_max: 0.0871,
            penetration_p99: 0.0151,
            penetration_mean: 0.002336,
            kinetic: 244.89,
            peak_bytes: 118_792_192.0,
        }
    }

    #[test]
    fn a_line_reads_back() {
        let row = row("pile", "rapier-f32", "2026-11-16T00:00:00Z", 63.417, 1.0);
        assert_eq!(Row::parse(&row.line()), Some(row.clone()));
        assert_eq!(parse(&format!("{HEAD}\n{}\n", row.line())), Ok(vec![row]));
        assert!(parse("date\n").is_err());
        assert!(parse(&format!("{HEAD}\n1,2\n")).unwrap_err().contains("line 2"));
        assert_eq!(HEAD.split(',').count(), WORDS + NUMBERS);
    }

    #[test]
    fn what_is_unknown_is_empty() {
        let line = row("pile", "huygens", "d", 1.0, f64::NAN).line();
        assert!(Row::parse(&line).is_some_and(|row| row.ratio.is_nan()));
    }
}
