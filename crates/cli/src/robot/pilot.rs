//! A robot in a run: its controls before each step, its readings after it.

use super::control::Controls;
use crate::Failure;
use huygens::World;
use huygens_formats::mjcf::{Readings, SceneRobot};

/// A robot in a run.
pub struct Pilot {
    robot: SceneRobot,
    controls: Option<Controls>,
}

impl Pilot {
    /// Drives a robot; without controls those of its start hold.
    pub fn new(robot: SceneRobot, controls: Option<Controls>) -> Self {
        Self { robot, controls }
    }

    /// Coordinates, controls and sensors of the robot now.
    pub fn readings(&self) -> Readings<'_> {
        self.robot.readings()
    }

    /// Puts on the world what acts in its next step.
    pub fn before_step(&mut self, world: &mut World) -> Result<(), Failure> {
        if let Some(controls) = &self.controls {
            controls.put(world.steps(), self.robot.controls());
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
