//! An engine that stops every body for ever where it first touches another one: sound for `passage`, `creep` and `nan`.

use crate::meddle::Meddle;
use crate::sound::Contactless;
use huygens::math::{Pose, SimdLevel, Vec3, scalar, trig};
use huygens::{Scene, SceneErrors};
use huygens_hunt::forms::{Forms, pose};
use huygens_hunt::{BodySight, Engine, LedgerSight, Workshop, WorldEngine};

/// A gap at which a body stops, as a share of its size.
const TOUCH: f64 = 1e-6;

/// Looks along one way; a body that needs more stops there.
const LOOKS: usize = 200;

/// Builds engines that stop a body where it first touches another one.
pub struct Stopping;

/// Bodies that fly until they touch.
pub struct StoppingEngine {
    /// The flights of the bodies as if nothing was there.
    flights: WorldEngine,
    forms: Forms,
    bodies: Vec<BodySight>,
    stopped: Vec<bool>,
}

impl Workshop for Stopping {
    type Engine = StoppingEngine;

    fn build(&self, scene: &Scene) -> Result<StoppingEngine, SceneErrors> {
        let flights = Contactless.build(scene)?;
        let mut bodies = Vec::new();
        flights.bodies(&mut bodies);
        let stopped = vec![false; bodies.len()];
        Ok(StoppingEngine { flights, forms: Forms::new(scene)?, bodies, stopped })
    }
}

impl StoppingEngine {
    /// The pose at which a body stops on its way to the end of a flight, if it does.
    fn stop_on_the_way(&self, body: usize, end: &BodySight) -> Option<Pose> {
        let start = &self.bodies[body];
        let way = end.center - start.center;
        let turn = (end.orientation * start.orientation.conjugate()).normalize();
        let angle = trig::rotation_angle(turn);
        let axis =
            Vec3::new(turn.x, turn.y, turn.z).normalize_or_zero() * if turn.w < 0.0 { -1.0 } else { 1.0 };
        let reach = self.forms.reach(body);
        let length = way.length() + if angle > 0.0 { angle * reach } else { 0.0 };
        let at = |share: f64| {
            let turned = trig::rotation_vector(axis * (angle * share)) * start.orientation;
            Pose::new(turned.normalize(), start.center + way * share)
        };
        if length == 0.0 {
            return None;
        }
        let mut share = 0.0;
        for _ in 0..LOOKS {
            let gap = self.gap(body, &at(share));
            if gap < TOUCH * reach {
                return Some(at(share));
            }
            if share >= 1.0 {
                return None;
            }
            share = scalar::min(1.0, share + 0.9 * gap / length);
        }
        Some(at(share))
    }

    /// Gap of a body from all others.
    fn gap(&self, body: usize, at: &Pose) -> f64 {
        let others = (0..self.bodies.len()).filter(|other| *other != body);
        others.fold(f64::INFINITY, |least, other| {
            scalar::min(least, self.forms.gap(body, at, other, &pose(&self.bodies[other])))
        })
    }

    fn stop(&mut self, body: usize, at: &Pose) {
        let sight = &mut self.bodies[body];
        let in_body = sight.orientation.conjugate() * (sight.center - sight.position);
        (sight.center, sight.orientation) = (at.translation, at.rotation);
        sight.position = sight.center - sight.orientation * in_body;
        (sight.velocity, sight.spin) = (Vec3::ZERO, Vec3::ZERO);
        self.stopped[body] = true;
    }
}

impl Engine for StoppingEngine {
    fn step(&mut self) {
        self.flights.step();
        let mut ends = Vec::new();
        self.flights.bodies(&mut ends);
        for (body, end) in ends.iter().enumerate() {
            if self.stopped[body] {
                continue;
            }
            // A chain of joints can whirl beyond all numbers without a contact: it stops before.
            if end.quarantined
                || !end.center.is_finite()
                || !end.velocity.is_finite()
                || !end.spin.is_finite()
            {
                let here = pose(&self.bodies[body]);
                self.stop(body, &here);
                continue;
            }
            match self.stop_on_the_way(body, end) {
                Some(at) => self.stop(body, &at),
                None => self.bodies[body] = *end,
            }
        }
    }

    fn bodies(&self, into: &mut Vec<BodySight>) {
        into.clone_from(&self.bodies);
    }

    /// An empty book: that of the flights goes on where a body has stopped.
    fn ledger(&self) -> LedgerSight {
        LedgerSight::default()
    }

    fn hash(&self) -> u64 {
        self.flights.hash()
    }

    fn drop_workspace(&mut self) {
        self.flights.drop_workspace();
    }

    fn set_simd_level(&mut self, level: SimdLevel) -> bool {
        self.flights.set_simd_level(level)
    }

    fn shuffle_lanes(&mut self, seed: u64) {
        self.flights.shuffle_lanes(seed);
    }
}

impl Meddle for StoppingEngine {
    fn put(&mut self, body: usize, sight: &BodySight) {
        self.bodies[body] = *sight;
        self.stopped[body] = true;
    }
}
