//! Pictures of a robot in MuJoCo's pipeline: of a world that is made in its pose and never steps.

use crate::Failure;
use crate::args::RunArgs;
use crate::picture::Picture;
use huygens::{Scene, World};
use huygens_formats::mjcf;
use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::soft::SoftMachine;

/// The picture of a run.
pub struct Puppet {
    picture: Picture,
}

fn pose(soft: &SoftMachine, state: &MechanismState) -> Result<(Scene, World), Failure> {
    let trouble = |problem: String| Failure::Trouble(format!("error: --picture: {problem}"));
    let made = mjcf::scene(soft.model(), &soft.machine, state).map_err(|fault| trouble(fault.to_string()))?;
    let world = World::new(&made.scene).map_err(|errors| trouble(errors.to_string()))?;
    Ok((made.scene, world))
}

impl Puppet {
    /// The picture that the command line asks for; `None` for none.
    pub fn asked(
        args: &RunArgs,
        soft: &SoftMachine,
        state: &MechanismState,
        steps: u64,
    ) -> Result<Option<Self>, Failure> {
        if args.picture.is_none() {
            return Ok(None);
        }
        if args.forces {
            let remedy = "Leave it out, or use --set world.contacts=huygens.";
            return Err(Failure::Input(format!(
                "error: --forces: a picture of MuJoCo's pipeline has no forces\n  = help: {remedy}"
            )));
        }
        let (scene, world) = pose(soft, state)?;
        let picture = Picture::of_run(args, &scene, &world, steps, soft.machine.mechanism.timestep)?;
        Ok(picture.map(|picture| Self { picture }))
    }

    /// Draws the robot after a step, if it is its time.
    pub fn step(&mut self, steps: u64, soft: &SoftMachine, state: &MechanismState) -> Result<(), Failure> {
        if !self.picture.is_due(steps) {
            return Ok(());
        }
        let (scene, world) = pose(soft, state)?;
        self.picture.look_anew(&scene, &world);
        self.picture.step_at(steps, &world)
    }

    /// Draws the robot of a run that ended before its time.
    pub fn finish(&mut self, soft: &SoftMachine, state: &MechanismState) -> Result<(), Failure> {
        let (scene, world) = pose(soft, state)?;
        self.picture.look_anew(&scene, &world);
        self.picture.finish(&world)
    }
}
