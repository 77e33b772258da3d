//! Numbers that are infinite where nothing limits them, as serde writes them: JSON has no infinity, so that they are left open.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(super) fn serialize<S: Serializer>(most: &f64, to: S) -> Result<S::Ok, S::Error> {
    most.is_finite().then_some(*most).serialize(to)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::INFINITY))
}
