//! The judges, one for each kind of fault. A judge is a function of the scene alone: the same scene gets the same verdict.

mod creep;
mod determinism;
mod drift;
mod energy;
mod feasible;
pub(crate) mod flight;
pub(crate) mod ghost;
mod ledger;
mod locality;
mod nan;
mod passage;
pub(crate) mod run;
mod sight;
mod statics;
mod symmetry;

use crate::{Kind, Workshop};
use huygens::Scene;

/// What a judge says of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Judgement {
    /// The figure of its kind.
    Judged(Verdict),
    /// This scene says nothing about this kind of fault, and why.
    NotJudged(String),
}

/// The figure that a judge found, against its limit.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The worst figure of the run. Its meaning and unit depend on the kind.
    pub figure: f64,
    /// Largest figure of a sound engine.
    pub limit: f64,
    /// The step in which the figure first passed the limit, or in which it was worst.
    pub step: u64,
    /// One sentence for a person: who, where, by how much.
    pub what: String,
}

impl Verdict {
    /// True when the figure is above its limit, or no number.
    pub fn is_fault(&self) -> bool {
        self.figure.is_nan() || self.figure > self.limit
    }
}

impl Judgement {
    /// The verdict, when it is that of a fault.
    pub fn fault(&self) -> Option<&Verdict> {
        match self {
            Self::Judged(verdict) if verdict.is_fault() => Some(verdict),
            _ => None,
        }
    }
}

/// Judges how an engine runs a scene.
pub fn judge<W: Workshop>(kind: Kind, workshop: &W, scene: &Scene) -> Judgement {
    match kind {
        Kind::Energy => energy::judge(workshop, scene),
        Kind::Ghost => ghost::judge(workshop, scene),
        Kind::Passage => passage::judge(workshop, scene),
        Kind::Creep => creep::judge(workshop, scene),
        Kind::Symmetry => symmetry::judge(workshop, scene),
        Kind::Nan => nan::judge(workshop, scene),
        Kind::Ledger => ledger::judge(workshop, scene),
        Kind::Determinism => determinism::judge(workshop, scene),
        Kind::Locality => locality::judge(workshop, scene),
        Kind::Drift => drift::judge(workshop, scene),
    }
}
