//! Random scenes for each kind of fault: a function of seed, kind and number alone.
//!
//! Roles are names, so that a scene file says all that its judge needs. A name is a role, or a role and a number (`shot 2`).

pub mod body;
mod creep;
pub mod crowd;
mod determinism;
mod drift;
mod energy;
mod ghost;
pub mod ground;
mod ledger;
mod locality;
mod mechanism;
mod nan;
mod passage;
pub mod place;
pub mod settings;
mod symmetry;

use crate::Kind;
use huygens::Scene;
use huygens::math::SplitMix;

/// The stream of random numbers of one scene: independent of how many others a hunt has.
pub fn stream(seed: u64, kind: Kind, number: u64) -> SplitMix {
    let mut mixed = SplitMix::new(seed);
    for word in [kind as u64, number] {
        mixed = SplitMix::new(mixed.bits() ^ word.wrapping_mul(0xD134_2543_DE82_EF95));
    }
    mixed
}

/// Scene `number` of a hunt, to be run with the contact model `solver`.
pub fn scene(kind: Kind, seed: u64, number: u64, solver: &str) -> Scene {
    let random = &mut stream(seed, kind, number);
    match kind {
        Kind::Energy => energy::scene(random, solver),
        Kind::Ghost => ghost::scene(random, solver),
        Kind::Passage => passage::scene(random, solver),
        Kind::Creep => creep::scene(random, solver),
        Kind::Symmetry => symmetry::scene(random, solver),
        Kind::Nan => nan::scene(random, solver),
        Kind::Ledger => ledger::scene(random, solver),
        Kind::Determinism => determinism::scene(random, solver),
        Kind::Locality => locality::scene(random, solver),
        Kind::Drift => drift::scene(random, solver),
    }
}
