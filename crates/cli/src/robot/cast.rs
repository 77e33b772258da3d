//! The robots of a scene, and what controls them.

use super::{Controls, Pilot};
use crate::Failure;
use huygens::World;
use huygens::math::scalar;
use huygens_formats::mjcf::ScenePart;
use std::path::Path;
use std::sync::Arc;

/// The robots of a scene, and what controls them.
#[derive(Clone, Debug, Default)]
pub struct Cast {
    parts: Vec<Arc<ScenePart>>,
    controls: Option<Controls>,
    /// Step of the scene, for which the rows of the controls are [s].
    step: f64,
    /// The first one is the scene itself: its readings are told.
    whole: bool,
}

impl Cast {
    /// Robots that a scene includes, or the one that it was made of.
    pub fn new(
        own: Option<Arc<ScenePart>>,
        included: Vec<ScenePart>,
        ctrl: Option<&Path>,
        step: f64,
    ) -> Result<Self, Failure> {
        let whole = own.is_some();
        let parts: Vec<Arc<ScenePart>> = own.into_iter().chain(included.into_iter().map(Arc::new)).collect();
        let names: Vec<String> = parts.iter().flat_map(|part| part.controls.clone()).collect();
        if parts.is_empty() && ctrl.is_some() {
            let help = "A scene without robots (.xml, .urdf) has its motors in its joints.";
            return Err(Failure::Input(format!("error: --ctrl is for robots\n  = help: {help}")));
        }
        let controls = ctrl.map(|path| Controls::read(path, &names)).transpose()?;
        Ok(Self { parts, controls, step, whole })
    }

    /// Rows of the controls.
    pub fn rows(&self) -> Option<usize> {
        self.controls.as_ref().map(Controls::rows)
    }

    /// True when an actuator has an activation.
    pub fn has_activations(&self) -> bool {
        self.parts.iter().any(|part| part.model.na > 0)
    }

    /// The robots in a world that has not stepped.
    ///
    /// # Errors
    /// A body or joint of a robot that the world does not have.
    pub fn pilots(&self, world: &World) -> Result<Vec<Pilot>, String> {
        let mut first = 0;
        let mut pilots = Vec::with_capacity(self.parts.len());
        // With shorter steps than the scene's a row holds for several.
        let steps = scalar::max((self.step / world.model().settings.dt).round(), 1.0) as u64;
        for (k, part) in self.parts.iter().enumerate() {
            let range = first..first + part.controls.len();
            first = range.end;
            let controls = self.controls.as_ref().map(|controls| controls.part(range));
            pilots.push(Pilot::new(part.robot(world)?, controls, steps, self.whole && k == 0));
        }
        Ok(pilots)
    }
}
