//! An engine with a fault around a base.

use crate::fault::{Facts, Fault, Step, last_bit};
use crate::meddle::Meddle;
use huygens::math::SimdLevel;
use huygens::{Scene, SceneErrors};
use huygens_hunt::{BodySight, Engine, LedgerSight, Workshop};
use std::sync::atomic::{AtomicU64, Ordering};

/// Builds broken engines.
pub struct Broken<W> {
    base: W,
    fault: Fault,
    /// Engines built so far.
    built: AtomicU64,
}

impl<W> Broken<W> {
    pub fn new(base: W, fault: Fault) -> Self {
        Self { base, fault, built: AtomicU64::new(0) }
    }
}

/// A broken engine.
pub struct BrokenEngine<E> {
    inner: E,
    fault: Fault,
    facts: Facts,
    step: u64,
    /// Number of engines that were built before.
    run: u64,
    level: SimdLevel,
    dropped: bool,
    /// A body whose place is no number any more.
    poisoned: Option<usize>,
    /// Energy that was posted twice [J].
    twice: f64,
}

impl<W: Workshop<Engine: Meddle>> Workshop for Broken<W> {
    type Engine = BrokenEngine<W::Engine>;

    fn build(&self, scene: &Scene) -> Result<Self::Engine, SceneErrors> {
        Ok(BrokenEngine {
            inner: self.base.build(scene)?,
            fault: self.fault,
            facts: Facts::new(scene)?,
            step: 0,
            run: self.built.fetch_add(1, Ordering::Relaxed),
            level: SimdLevel::Best,
            dropped: false,
            poisoned: None,
            twice: 0.0,
        })
    }
}

impl<E: Meddle> BrokenEngine<E> {
    /// Faults that depend on how the engine was built and treated: whether they show in this step.
    fn treated(&self) -> bool {
        match self.fault {
            Fault::LastBitOfLane => self.level == SimdLevel::Sse2 && self.step == 9,
            Fault::WorkspaceMatters => self.dropped && self.step > 5,
            Fault::RunCounter => self.run % 2 == 1 && self.step == 3,
            _ => false,
        }
    }
}

impl<E: Meddle> Engine for BrokenEngine<E> {
    fn step(&mut self) {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        self.inner.bodies(&mut before);
        let booked = self.inner.ledger().booked;
        self.inner.step();
        self.step += 1;
        self.inner.bodies(&mut after);
        let mut spoiled = after.clone();
        self.fault.spoil(&mut Step {
            facts: &self.facts,
            number: self.step,
            before: &before,
            now: &mut spoiled,
        });
        if self.treated() {
            // The sixth lane, where there are as many bodies.
            let lane =
                spoiled.iter().enumerate().filter(|(_, body)| body.moves && !body.is_link).take(6).last();
            if let Some((body, sight)) = lane {
                spoiled[body] = last_bit(sight);
            }
        }
        for (body, (old, new)) in after.iter().zip(&spoiled).enumerate() {
            if old != new {
                self.inner.put(body, new);
            }
        }
        if self.step.is_multiple_of(97) {
            self.twice += self.inner.ledger().booked - booked;
        }
        let spins = |body: &BodySight| body.moves && body.spin.length() > 20.0;
        if self.step > 20 && self.poisoned.is_none() {
            self.poisoned = after.iter().position(spins);
        }
    }

    fn bodies(&self, into: &mut Vec<BodySight>) {
        self.inner.bodies(into);
        if let (Fault::NanOfSpin, Some(body)) = (self.fault, self.poisoned) {
            into[body].center.x = f64::NAN;
        }
    }

    fn ledger(&self) -> LedgerSight {
        let book = self.inner.ledger();
        match self.fault {
            Fault::PostingLost => LedgerSight { booked: book.booked * (1.0 - 1e-6), ..book },
            Fault::PostedTwice => LedgerSight { booked: book.booked + self.twice, ..book },
            _ => book,
        }
    }

    fn hash(&self) -> u64 {
        self.inner.hash()
    }

    fn drop_workspace(&mut self) {
        self.dropped = true;
        self.inner.drop_workspace();
    }

    fn set_simd_level(&mut self, level: SimdLevel) -> bool {
        self.level = level;
        self.inner.set_simd_level(level)
    }

    fn shuffle_lanes(&mut self, seed: u64) {
        self.inner.shuffle_lanes(seed);
    }
}
