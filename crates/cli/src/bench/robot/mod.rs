//! `huygens bench humanoid`, and of any model file: steps of a robot in MuJoCo's pipeline.

mod measure;
mod model;
mod page;
mod states;

use super::BenchArgs;
use crate::{Failure, print, robot};
use huygens_formats::mjcf::soft::SoftMachine;
use huygens_formats::mjcf::{self, Fault, Machine, Model};
use std::path::Path;

/// The robot that is built in.
const BUILT_IN: &str = "humanoid";

/// True for a name that asks for a robot: the one that is built in, or a model file.
pub fn is_robot(name: &str) -> bool {
    name == BUILT_IN || robot::is_mjcf(name)
}

/// Measures one robot, or writes its model file.
pub fn bench(name: &str, args: &BenchArgs) -> Result<(), Failure> {
    let count = args.robots.unwrap_or(1);
    if let Some(file) = args.export.as_deref().filter(|_| name == BUILT_IN) {
        return std::fs::write(file, model::humanoids(count))
            .map_err(|error| Failure::Input(format!("error: --export {}: {error}", file.display())));
    }
    let model = read(name, count)?;
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    let machine = Machine::new(&model).map_err(bad)?;
    let start = machine.start();
    let mut soft = SoftMachine::new(&model, machine).map_err(bad)?;
    let plan = match &args.states {
        Some(file) => states::read(file, &model)?,
        None => states::random(&model, &start, args),
    };
    let measured = measure::measure(name, &mut soft, &plan)?;
    print(&if args.json { page::json(&measured) + "\n" } else { page::page(&measured) })
}

fn read(name: &str, count: u32) -> Result<Model, Failure> {
    let bad = |fault: Fault| Failure::Input(fault.to_string());
    if name == BUILT_IN {
        return mjcf::parse("humanoid.xml", &model::humanoids(count), Path::new(".")).map_err(bad);
    }
    if count != 1 {
        let remedy = "Leave --robots out, or name `humanoid`.";
        return Err(Failure::Input(format!("error: --robots: {name} is one model\n  = help: {remedy}")));
    }
    mjcf::load(Path::new(name)).map_err(bad)
}
