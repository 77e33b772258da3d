//! `[world]`.

use super::super::document::Node;
use super::super::fill::Filling;
use super::super::keys;
use super::super::reader::{Reader, Table};
use huygens::contact::SolverKind;
use huygens::scene::keys::Table as _;
use huygens::scene::{Duration, SceneError, SpecPath, StabilisationSpec, WorldSpec};

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node) -> WorldSpec {
    let mut world = WorldSpec::default();
    let Some(table) = reader.open(node, &SpecPath::top("world")) else { return world };
    let mut filling = Filling::new(reader, &table);
    world.fill(&mut filling);
    filling.refuse_others("here", || parameters(&world.solver));
    read_duration(reader, &table, &mut world.duration);
    if let Some(node) = reader.node(&table, "stabilisation") {
        world.stabilisation = read_stabilisation(reader, node, &table.path.key("stabilisation"));
    }
    if let Some(node) = reader.node(&table, "soft_step")
        && let Some(table) = reader.open(node, &table.path.key("soft_step"))
    {
        reader.fill(&table, &mut world.soft_step);
    }
    if let Some(node) = reader.node(&table, "convex")
        && let Some(table) = reader.open(node, &table.path.key("convex"))
    {
        reader.fill(&table, &mut world.convex);
    }
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
