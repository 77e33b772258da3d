//! `cargo xtask bench`.

use super::machine::Setting;
use super::options::{self, Options, Task};
use super::record::{self, Row};
use super::{build, disassembly, instructions, rounds, table};

/// Does what the words ask for.
pub fn run(words: &[&str]) -> Result<(), String> {
    match options::parse(words)? {
        Task::Table => table::write(),
        Task::Instructions { check } => instructions::run(check),
        Task::Disassembly { pattern } => disassembly::run(&pattern),
        Task::Measure(options) => measure(&options),
    }
}

fn measure(options: &Options) -> Result<(), String> {
    let contenders = build::contenders(options)?;
    let setting = Setting::now();
    println!("{} · rustc {} · one thread", setting.machine, setting.rustc);
    for scene in &options.scenes {
        let rows = rounds::scene(scene, &contenders, &setting, options)?;
        print!("{}", page(&rows));
        // After each scene, so that what was measured stays when a later one fails.
        if !options.dry {
            record::append(&rows)?;
        }
    }
    if options.dry {
        return Ok(());
    }
    println!("bench/results.csv has the figures; `cargo xtask bench --table` puts them into docs/bench.md");
    Ok(())
}

fn page(rows: &[Row]) -> String {
    let mut page = format!(
        "\n{:<10}{:<26}{:>10}{:>10}{:>12}{:>28}{:>14}{:>8}\n",
        "scene", "engine", "ms", "ratio", "contacts", "penetration [mm]", "kinetic [J]", "MB"
    );
    for row in rows {
        let depths = [row.penetration_max, row.penetration_p99, row.penetration_mean];
        let depths = depths.map(|depth| format!("{:.2}", depth * 1e3)).join(" / ");
        page.push_str(&format!(
            "{:<10}{:<26}{:>10.3}{:>10.2}{:>12.0}{:>28}{:>14.4e}{:>8.0}\n",
            row.scene,
            row.engine,
            row.busy_ms,
            row.ratio,
            row.contacts,
            depths,
            row.kinetic,
            row.peak_bytes / 1e6
        ));
    }
    page
}
