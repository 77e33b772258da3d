//! `[world]`.

use super::super::document::Node;
use super::super::keys;
use super::super::reader::{Reader, Table};
use huygens::contact::SolverKind;
use huygens::scene::{Duration, SceneError, SoftStepSpec, SpecPath, StabilisationSpec, WorldSpec};

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node) -> WorldSpec {
    let mut world = WorldSpec::default();
    let Some(table) = reader.open(node, &SpecPath::top("world")) else { return world };
    let table = Table { keys: keys::WORLD, ..table };
    reader.set(&table, "solver", &mut world.solver);
    reader.only_and(&table, &keys::names(keys::WORLD), "here", || parameters(&world.solver));
    reader.set(&table, "length", &mut world.length);
    reader.set(&table, "gravity", &mut world.gravity);
    reader.set(&table, "dt", &mut world.dt);
    read_duration(reader, &table, &mut world.duration);
    reader.set_word(&table, "integrator", &mut world.integrator);
    reader.set_word(&table, "gyroscopic", &mut world.gyroscopic);
    if let Some(node) = reader.node(&table, "stabilisation") {
        world.stabilisation = read_stabilisation(reader, node, &table.path.key("stabilisation"));
    }
    if let Some(node) = reader.node(&table, "soft_step") {
        read_soft_step(reader, node, &table.path.key("soft_step"), &mut world.soft_step);
    }
    reader.set(&table, "speculative", &mut world.speculative);
    reader.set(&table, "iterations", &mut world.iterations);
    reader.set(&table, "tolerance", &mut world.tolerance);
    reader.set(&table, "relaxation", &mut world.relaxation);
    world.correction_aggressiveness = reader.get(&table, "correction_aggressiveness");
    reader.set(&table, "exact_rows", &mut world.exact_rows);
    reader.set(&table, "decoupled_friction", &mut world.decoupled_friction);
    reader.set(&table, "warm_start", &mut world.warm_start);
    world.restitution_threshold = reader.get(&table, "restitution_threshold");
    reader.set_word(&table, "combine", &mut world.combine);
    world.margin = reader.get(&table, "margin");
    reader.set(&table, "guard", &mut world.guard);
    reader.set(&table, "seed", &mut world.seed);
    world
}

/// What the chosen contact model takes, each with its range.
fn parameters(solver: &str) -> String {
    let Ok(kind) = solver.parse::<SolverKind>() else { return String::new() };
    let list: Vec<String> = kind
        .parameters()
        .iter()
        .map(|parameter| format!("{} = {} ({})", parameter.name, parameter.default, parameter.meaning))
        .collect();
    format!(" The model {kind} takes {}.", list.join("; "))
}

fn read_duration<'d>(reader: &mut Reader<'d>, table: &Table<'d>, duration: &mut Duration) {
    let steps = reader.get(table, "steps").map(Duration::Steps);
    let seconds = reader.get(table, "seconds").map(Duration::Seconds);
    if let (true, Some(node)) = (table.has("steps"), reader.node(table, "seconds")) {
        let problem = "the run's length is given twice, as `steps` and as `seconds`";
        let error = SceneError::new(table.path.key("seconds"), "", problem, "Keep one of the two.");
        reader.error(error, &node.place);
    }
    if let Some(given) = steps.or(seconds) {
        *duration = given;
    }
}

fn read_soft_step<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath, soft: &mut SoftStepSpec) {
    let Some(table) = reader.table(node, path, keys::SOFT_STEP) else { return };
    reader.set(&table, "substeps", &mut soft.substeps);
    reader.set(&table, "hertz", &mut soft.hertz);
    reader.set(&table, "damping_ratio", &mut soft.damping_ratio);
    soft.push_speed = reader.get(&table, "push_speed");
    reader.set_word(&table, "friction", &mut soft.friction);
}

fn read_stabilisation<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> StabilisationSpec {
    let Some((kind, table)) =
        super::kind(reader, node, path, keys::STABILISATION, (&[], Some("split-impulse")))
    else {
        return StabilisationSpec::None;
    };
    let share = StabilisationSpec::DEFAULT_SHARE;
    let mut number = |key| table.as_ref().and_then(|table| reader.get::<f64>(table, key));
    match kind {
        "none" => StabilisationSpec::None,
        "baumgarte" => {
            StabilisationSpec::Baumgarte { erp: number("erp").unwrap_or(share), cap: number("cap") }
        }
        _ => StabilisationSpec::SplitImpulse { beta: number("beta").unwrap_or(share), slop: number("slop") },
    }
}
