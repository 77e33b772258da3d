//! What a person reads after a benchmark: a line for each scene, then what is behind it.

use super::engine::Measured;
use crate::table::short;
use huygens::math::scalar::max;
use std::fmt::Write;

/// What stands above the lines.
pub fn head(level: &str, threads: usize) -> String {
    let columns = format!(
        "{:<10}{:>8}{:>10}{:>20}{:>12}{:>9}{:>26}{:>13}  {}",
        "scene",
        "bodies",
        "contacts",
        "ms a step",
        "ns/contact",
        "kB/body",
        "penetration [mm]",
        "kinetic [J]",
        "hash"
    );
    let under = format!("{:>28}{:>20}{:>21}{:>26}", "", "median (mean)", "", "max / p99 / mean");
    let plural = if threads == 1 { "" } else { "s" };
    format!("{threads} thread{plural}, {level}\n\n{columns}\n{}\n", under.trim_end())
}

/// The line of one scene.
pub fn line(run: &Measured) -> String {
    let p = run.penetration;
    let times = format!("{} ({})", digits(run.median_ms), digits(run.mean_ms));
    let depths = [p.max, p.p99, p.mean].map(|depth| format!("{:.2}", depth * 1e3)).join(" / ");
    format!(
        "{:<10}{:>8}{:>10.0}{:>20}{:>12.0}{:>9.2}{:>26}{:>13}  {:016x}\n",
        run.name,
        run.bodies,
        run.contacts,
        times,
        run.ns_per_contact(),
        run.bytes_per_body() / 1e3,
        depths,
        short(run.kinetic_energy),
        run.hash
    )
}

/// Which steps of which model, and where the energy went.
pub fn detail(run: &Measured) -> String {
    let mut text = format!(
        "\n{} · {} · {} steps, measured {} to {}; {} ms a step of processor time\n",
        run.name,
        run.solver,
        run.steps,
        run.window.start,
        run.window.end,
        digits(run.busy_ms)
    );
    let largest = run.accounts.iter().fold(run.energy[0].abs(), |most, (_, x)| max(x.abs(), most));
    // What is round-off of the energy that moves here would only be noise; --json has every account in full.
    let seen = run.accounts.iter().filter(|(_, x)| x.abs() > 1e-15 * largest);
    let accounts: Vec<String> = seen.map(|(name, x)| format!("{name} {}", short(*x))).collect();
    let _ = writeln!(
        text,
        "  energy [J]: {} at the start; {}; {} at the end; unexplained {:.1e}, at worst {:.2} of what round-off allows",
        short(run.energy[0]),
        accounts.join(", "),
        short(run.energy[1]),
        run.unexplained,
        run.worst_ratio
    );
    if run.quarantined > 0 {
        let _ = writeln!(
            text,
            "  warning: {} times a body was stopped because a number was not finite",
            run.quarantined
        );
    }
    text
}

/// The time of each stage.
pub fn profile(run: &Measured) -> String {
    let total: f64 = run.stages.iter().map(|(_, time)| time).sum();
    let share = |time: f64| if total > 0.0 { 100.0 * time / total } else { 0.0 };
    let mut text = String::new();
    for (stage, time) in &run.stages {
        let bar = "█".repeat((share(*time) / 2.5).round() as usize);
        let line = format!("  {stage:<12}{:>10} ms{:>5.0} %  {bar}", digits(*time), share(*time));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Three digits or more.
fn digits(x: f64) -> String {
    let places = if x >= 100.0 {
        1
    } else if x >= 10.0 {
        2
    } else {
        3
    };
    format!("{x:.places$}")
}
