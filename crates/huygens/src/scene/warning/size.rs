//! A `length` that is far from the size of the bodies.

use super::{SceneWarning, shown};
use crate::World;
use crate::model::Motion;
use crate::scene::{Scene, SpecPath};
use huygens_math::scalar::max;

/// Tolerances are shares of `length`: beyond this factor they are wrong by more than they can bear.
const FACTOR: f64 = 20.0;

pub(super) fn length_far_off(scene: &Scene, start: &World) -> Option<SceneWarning> {
    let size = typical_size(start)?;
    let length = scene.world.length;
    let factor = if length > size { length / size } else { size / length };
    if factor <= FACTOR {
        return None;
    }
    let (more, less) = if length > size { ("larger", "coarse") } else { ("smaller", "fine") };
    let wanted: f64 = format!("{size:.0e}").parse().unwrap_or(size);
    Some(SceneWarning::new(
        SpecPath::top("world").key("length"),
        format!(
            "`length` is {} m, {} times {more} than a typical body ({} m): tolerances that derive from it are too {less}",
            shown(length),
            shown(factor.round()),
            shown(size)
        ),
        format!("Set world.length = {}.", shown(wanted)),
    ))
}

/// The median diameter of the bodies that can move [m]; `None` when none has a size.
fn typical_size(start: &World) -> Option<f64> {
    let model = start.model();
    let moving = model.bodies.iter().filter(|body| !body.removed && body.motion != Motion::Static);
    let mut sizes: Vec<f64> = moving
        .map(|body| {
            let reaches = body.shapes.iter().map(|slot| model.shapes[*slot as usize].reach);
            2.0 * reaches.filter(|reach| reach.is_finite()).fold(0.0, max)
        })
        .filter(|size| *size > 0.0)
        .collect();
    sizes.sort_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied()
}
