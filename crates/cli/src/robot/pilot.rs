//! A robot in a run: its controls before each step, its readings after it.

use super::control::Controls;
use crate::Failure;
use huygens::World;
use huygens_formats::mjcf::{Readings, SceneRobot};

/// A robot in a run.
pub struct Pilot {
    robot: SceneRobot,
    controls: Option<Controls>,
    /// Steps for which a row of the controls holds.
    steps: u64,
    /// The scene is this robot: its readings are told.
    whole: bool,
}

impl Pilot {
    /// Drives a robot; without controls those of its start hold.
    pub fn new(robot: SceneRobot, controls: Option<Controls>, steps: u64, whole: bool) -> Self {
        Self { robot, controls, steps, whole }
    }

    /// True when the scene is this robot alone.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Coordinates, controls and sensors of the robot now.
    pub fn readings(&self) -> Readings<'_> {
        self.robot.readings()
    }

    /// Puts on the world what acts in its next step.
    pub fn before_step(&mut self, world: &mut World) -> Result<(), Failure> {
        if let Some(controls) = &self.controls {
            controls.put(world.steps() / self.steps, self.robot.controls());
        }
        self.robot.before_step(world).map_err(|error| {
            Failure::Trouble(format!("error: the forces of the robot in step {}: {error}", world.steps() + 1))
        })
    }

    /// Reads the robot after a step.
    pub fn after_step(&mut self, world: &World) {
        self.robot.after_step(world);
    }
}
