//! What a person reads after a run.

use crate::adapter::Outcome;
use crate::run::Finished;
use crate::table::{bar, duration, factor, length, power, short, vector};
use huygens::math::scalar::max;
use std::fmt::Write;

/// More bodies than this are not listed.
const MOST_BODIES: usize = 12;

/// The whole page.
pub fn run(finished: &Finished) -> String {
    let mut page = String::new();
    let outcome = &finished.outcome;
    head(&mut page, finished);
    bodies(&mut page, outcome);
    joints(&mut page, outcome);
    ledger(&mut page, outcome);
    drivers(&mut page, outcome);
    contacts(&mut page, outcome);
    speed(&mut page, finished);
    expectations(&mut page, finished);
    for (step, hash) in finished.hashes.iter().flatten() {
        let _ = writeln!(page, "hash       {hash:016x} after step {step}");
    }
    let _ = writeln!(page, "hash       {:016x}", outcome.hash);
    page
}

fn head(page: &mut String, finished: &Finished) {
    let Finished { name, scene, outcome, .. } = finished;
    let _ = writeln!(
        page,
        "{name} · {} · {} steps of {} = {}\n",
        scene.world.solver,
        outcome.steps,
        duration(scene.world.dt),
        duration(outcome.time)
    );
}

fn bodies(page: &mut String, outcome: &Outcome) {
    if outcome.bodies.is_empty() {
        let _ = writeln!(page, "Nothing in this scene can move.\n");
        return;
    }
    let shown = &outcome.bodies[..outcome.bodies.len().min(MOST_BODIES)];
    let width = shown.iter().map(|body| body.name.chars().count()).fold(4, usize::max);
    let _ = writeln!(
        page,
        "{:width$}  {:>30}  {:>30}  {:>30}",
        "body", "position [m]", "velocity [m/s]", "spin [rad/s]"
    );
    for body in shown {
        let columns = [body.position, body.linear_velocity, body.angular_velocity];
        let [p, v, w] = columns.map(|column| vector(column.to_array()));
        let _ = writeln!(page, "{:width$}  {p}  {v}  {w}", body.name);
    }
    if outcome.bodies.len() > MOST_BODIES {
        let more = outcome.bodies.len() - MOST_BODIES;
        let _ = writeln!(page, "… and {more} more (all of them with --json or --out)");
    }
    page.push('\n');
}

fn joints(page: &mut String, outcome: &Outcome) {
    if outcome.joints.is_empty() {
        return;
    }
    let width = outcome.joints.iter().map(|j| j.name.chars().count()).fold(5, usize::max);
    let _ = writeln!(page, "{:width$}  {:>12}  {:>12}", "joint", "q [rad]", "v [rad/s]");
    for joint in outcome.joints.iter().take(MOST_BODIES) {
        let _ = writeln!(page, "{:width$}  {:>12}  {:>12}", joint.name, short(joint.q), short(joint.v));
    }
    page.push('\n');
}

/// From the energy at the start, account by account, to the energy at the end.
fn ledger(page: &mut String, outcome: &Outcome) {
    let left_over = ["unexplained", "worst_step_unexplained"];
    let posted = outcome.ledger.iter().copied().filter(|(name, _)| !left_over.contains(name));
    let largest = posted.clone().fold(0.0, |largest, (_, x)| max(x.abs(), largest));
    // What is round-off of the energy that moves here would only be noise; --json has every account in full.
    let noise = 1e-15 * max(max(outcome.energy_start.abs(), outcome.energy_end.abs()), largest);
    let accounts: Vec<(&str, f64)> = posted.filter(|(_, x)| x.abs() > noise).collect();
    let line = |page: &mut String, name: &str, x: f64, bar: &str| {
        let line = format!("  {name:<14}{:>14}  {bar}", short(x));
        let _ = writeln!(page, "{}", line.trim_end());
    };
    let _ = writeln!(page, "energy [J]                    {:>20}│gained", "lost");
    line(page, "start", outcome.energy_start, "");
    for (name, x) in accounts {
        line(page, name, x, bar(x / largest).trim_end());
    }
    line(page, "end", outcome.energy_end, "");
    let value = |key: &str| outcome.ledger.iter().find(|(name, _)| *name == key).map_or(0.0, |(_, x)| *x);
    let _ = writeln!(
        page,
        "  unexplained {} (worst step {}, {} of what round-off allows)\n",
        power(value("unexplained")),
        power(value("worst_step_unexplained")),
        factor(outcome.worst_ratio)
    );
}

fn drivers(page: &mut String, outcome: &Outcome) {
    for driver in &outcome.drivers {
        let _ = writeln!(
            page,
            "driver     {}: work {} J, peak force {} N, peak torque {} N·m",
            driver.name,
            short(driver.work),
            short(driver.peak_force),
            short(driver.peak_torque)
        );
    }
}

fn contacts(page: &mut String, outcome: &Outcome) {
    let _ = writeln!(
        page,
        "contacts   {} points at the end; deepest overlap {}, at the end {}",
        outcome.contacts,
        length(outcome.max_penetration),
        length(outcome.max_penetration_end)
    );
    let parts: Vec<String> = outcome
        .certificate
        .iter()
        .map(|(name, x)| format!("{} {}", name.replace('_', " "), power(*x)))
        .collect();
    let _ = writeln!(page, "residuals  {} (worst step)", parts.join(", "));
}

fn speed(page: &mut String, finished: &Finished) {
    let Finished { outcome, wall_seconds, .. } = finished;
    if outcome.steps == 0 || *wall_seconds <= 0.0 {
        return;
    }
    let _ = writeln!(
        page,
        "speed      {} for all steps: {} a step, {} times real time",
        duration(*wall_seconds),
        duration(wall_seconds / outcome.steps as f64),
        factor(outcome.time / wall_seconds)
    );
}

fn expectations(page: &mut String, finished: &Finished) {
    let all = finished.scene.expect.len();
    let Some(unmet) = finished.unmet.as_ref().filter(|_| all > 0) else { return };
    let _ = writeln!(page, "expected   {} of {all} hold", all - unmet.len());
    for check in unmet {
        let _ = writeln!(page, "           {check}");
    }
}
