//! The tables of docs/bench.md, from bench/results.csv.

use super::record::{self, Row};
use super::{REFERENCE, SCENES};
use crate::root;
use std::fmt::Write as _;

const BEGIN: &str = "<!-- written by `cargo xtask bench --table` -->";
const END: &str = "<!-- end of what is written -->";

/// Writes the tables anew.
pub fn write() -> Result<(), String> {
    let path = root().join("docs/bench.md");
    let old = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    std::fs::write(&path, renewed(&old, &results()?)?).map_err(|error| format!("{}: {error}", path.display()))
}

fn results() -> Result<Vec<Row>, String> {
    let path = record::path();
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    record::parse(&text)
}

/// The page with new tables between its marks.
fn renewed(page: &str, rows: &[Row]) -> Result<String, String> {
    let cut = page.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = cut.ok_or_else(|| format!("docs/bench.md lacks the lines {BEGIN} and {END}"))?;
    Ok(format!("{head}{BEGIN}\n{}{END}{tail}", text(rows)))
}

/// The newest run of each scene in its own size that has ours and the reference, and the runs with other numbers of bodies.
fn text(rows: &[Row]) -> String {
    let mut text = String::from(
        "All figures are for one thread. Times are processor time of a step, median over rounds and seeds, of steps 100 to 400; \
         ratios are medians of runs that stood side by side; penetration is at the end, over the points that overlap.\n\n\
         | scene | engine | ms a step | times as fast as Rapier f32 | contacts | ns/contact | penetration max / p99 / mean [mm] \
         | kinetic energy [J] | MB |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut runs: Vec<&Row> = Vec::new();
    for scene in SCENES {
        let of_scene = || rows.iter().filter(|row| row.scene == scene);
        let ours = of_scene()
            .filter(|row| row.engine == "huygens" && !row.ratio.is_nan())
            .map(|row| row.bodies as u64);
        let mut sizes: Vec<u64> = ours.collect();
        sizes.sort_unstable();
        sizes.dedup();
        for size in sizes {
            let of_size = || of_scene().filter(|row| row.bodies as u64 == size);
            let both = of_size().filter(|row| row.engine == "huygens" && !row.ratio.is_nan());
            let Some(newest) = both.max_by(|a, b| a.date.cmp(&b.date)) else { continue };
            runs.push(newest);
            for row in of_size().filter(|row| row.date == newest.date) {
                let _ = writeln!(text, "{}", line(row));
            }
        }
    }
    text.push('\n');
    text.push_str(&origins(&runs));
    text.push_str(&scaling(rows));
    text
}

/// Ours alone with more and with fewer bodies: what a contact and a body cost.
fn scaling(rows: &[Row]) -> String {
    let mut text = String::from(
        "\n| ours | bodies | ms a step | contacts | ns/contact | kB/body | commit |\n|---|---|---|---|---|---|---|\n",
    );
    for scene in ["pile", "spheres"] {
        let of_scene = || rows.iter().filter(|row| row.scene == scene && row.engine == "huygens");
        let mut sizes: Vec<u64> = of_scene().map(|row| row.bodies as u64).collect();
        sizes.sort_unstable();
        sizes.dedup();
        for size in sizes {
            let of_size = of_scene().filter(|row| row.bodies as u64 == size);
            let Some(row) = of_size.max_by(|a, b| a.date.cmp(&b.date)) else { continue };
            let _ = writeln!(
                text,
                "| {scene} | {size} | {} | {:.0} | {:.0} | {:.2} | {} |",
                short(row.busy_ms),
                row.contacts,
                row.busy_ms * 1e6 / row.contacts,
                row.peak_bytes / 1e3 / row.bodies,
                row.commit
            );
        }
    }
    text
}

fn line(row: &Row) -> String {
    let mm = |x: f64| format!("{:.2}", x * 1e3);
    let ratio = if row.ratio.is_nan() { "–".to_owned() } else { format!("{:.2}", row.ratio) };
    let bold = if row.engine == "huygens" { "**" } else { "" };
    let engine = match (row.engine.as_str(), row.level.as_str()) {
        (REFERENCE, _) => format!("Rapier {} f32, simd8, native", row.version),
        ("rapier-f64", _) => format!("Rapier {} f64, native", row.version),
        ("box3d", _) => format!("Box3D ({})", row.version),
        (name, level) => format!("{name}, {}, {level}", row.solver),
    };
    format!(
        "| {}, {} | {engine} | {bold}{}{bold} | {bold}{ratio}{bold} | {:.0} | {:.0} | {} / {} / {} | {} | {:.0} |",
        row.scene,
        row.bodies,
        short(row.busy_ms),
        row.contacts,
        row.busy_ms * 1e6 / row.contacts,
        mm(row.penetration_max),
        mm(row.penetration_p99),
        mm(row.penetration_mean),
        short(row.kinetic),
        row.peak_bytes / 1e6
    )
}

/// Where the figures come from.
fn origins(runs: &[&Row]) -> String {
    let mut text = String::new();
    for row in runs {
        let seeds = if row.seeds > 1 { format!(", {} seeds", row.seeds) } else { String::new() };
        let _ = writeln!(
            text,
            "- {}, {}: {}, commit {}, {}, rustc {}, {} rounds{seeds}",
            row.scene, row.bodies, row.date, row.commit, row.machine, row.rustc, row.rounds
        );
    }
    text
}

/// Three digits.
fn short(x: f64) -> String {
    let size = x.abs();
    if size != 0.0 && !(1e-3..1e5).contains(&size) {
        format!("{x:.1e}")
    } else if size >= 100.0 {
        format!("{x:.0}")
    } else if size >= 10.0 {
        format!("{x:.1}")
    } else {
        format!("{x:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record::tests::row;

    #[test]
    fn the_page_has_the_figures_of_the_file() {
        let path = root().join("docs/bench.md");
        let page = std::fs::read_to_string(path).expect("docs/bench.md is there");
        let rows = results().expect("bench/results.csv can be read");
        assert!(page == renewed(&page, &rows).unwrap(), "run `cargo xtask bench --table`");
    }

    #[test]
    fn the_newest_run_of_a_scene_stands_in_the_table() {
        let mut rows = Vec::new();
        for (date, ms, ratio) in [("2026-11-15", 80.0, 0.5), ("2026-11-16", 20.0, 2.0)] {
            rows.push(row("pile", REFERENCE, date, 40.0, 1.0));
            rows.push(row("pile", "huygens", date, ms, ratio));
        }
        // A later run without the reference says nothing about ratios.
        rows.push(row("pile", "huygens", "2026-11-17", 10.0, f64::NAN));
        let text = text(&rows);
        assert!(text.starts_with("All figures are for one thread."));
        assert!(
            text.contains("**20.0** | **2.00** | 35000 | 571 | 87.10 / 15.10 / 2.34 | 245 | 119 |"),
            "{text}"
        );
        assert!(text.contains("- pile, 8000: 2026-11-16, commit abcdef, a CPU · 2 cores · avx2"), "{text}");
        let (ratios, scaling) = text.split_once("| ours |").unwrap();
        assert!(!ratios.contains("80.0") && !ratios.contains("10.0"), "{text}");
        assert!(scaling.contains("| pile | 8000 | 10.0 | 35000 | 286 | 14.85 | abcdef |"), "{text}");
    }

    #[test]
    fn what_stands_around_the_tables_stays() {
        let page = format!("above\n{BEGIN}\nold\n{END}\nbelow\n");
        let new = renewed(&page, &[]).unwrap();
        assert!(new.starts_with(&format!("above\n{BEGIN}\n")) && new.ends_with(&format!("{END}\nbelow\n")));
        assert!(!new.contains("old"));
        assert_eq!(renewed(&new, &[]).unwrap(), new);
        assert!(renewed("nothing", &[]).is_err());
    }
}
