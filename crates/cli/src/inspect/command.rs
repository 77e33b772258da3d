//! `huygens inspect`.

use super::{InspectArgs, given};
use crate::Failure;
use crate::robot::{self, Robot, Start};
use crate::robot_run;
use huygens_formats::mjcf::mech::Integration;
use huygens_formats::mjcf::{self, Question};

/// Prints what a model holds.
pub fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    let start = Start { state: args.state.clone(), keyframe: args.keyframe.clone() };
    let change = |options: &mut _| robot_run::apply_all(&args.set, options);
    let Robot { model, machine, state, left_out } = robot::read_with(&args.model, &start, change)?;
    let integration = match args.integrator.as_deref() {
        None => None,
        Some("Euler" | "euler") => Some(Integration::Euler),
        Some("RK4" | "rk4") => Some(Integration::Rk4),
        Some("implicit") => Some(Integration::Implicit),
        Some("implicitfast") => Some(Integration::ImplicitFast),
        Some(other) => {
            let message = format!(
                "error: there is no integrator {other:?}; there are Euler, implicitfast, implicit, RK4"
            );
            return Err(Failure::Input(message));
        }
    };
    let found = if args.no_constraints {
        mjcf::inspect(&machine, &state, args.steps, integration)
    } else {
        let mut question = Question { steps: args.steps, integration, ..Question::default() };
        if let Some(path) = &args.state {
            given::read(path, &model, &mut question)?;
        }
        mjcf::inspect_constrained(&model, &machine, &state, &question)
            .map_err(|fault| Failure::Input(fault.to_string()))?
    };
    if args.json {
        return crate::print(&(found.json(&model) + "\n"));
    }
    left_out.iter().for_each(|line| eprintln!("warning: left aside: {line}"));
    for warning in &model.warnings {
        eprintln!("{}", warning.as_warning());
    }
    crate::print(&found.page(&model))
}
