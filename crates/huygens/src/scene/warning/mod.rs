//! What of a valid scene will probably surprise the one who wrote it.

mod combine;
mod convex;
mod loops;
mod medium;
mod motion;
mod overlap;
mod size;

use super::{Scene, SpecPath};
use crate::World;
use std::fmt;

/// Something in a scene that can be simulated, but will probably not do what was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneWarning {
    /// The element.
    pub path: SpecPath,
    /// What will surprise; no full stop at the end.
    pub problem: String,
    /// What to do; whole sentences.
    pub remedy: String,
}

impl SceneWarning {
    fn new(path: SpecPath, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { path, problem: problem.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for SceneWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}. {}", self.path, self.problem, self.remedy)
    }
}

impl Scene {
    /// What will probably surprise: coefficients that the combine rule leaves without effect, bodies that overlap at the start,
    /// edits after the end, choices of a convex model that are replaced or ignored, integrators that loops do not have, bodies that are too fast and springs that are too stiff for the step, a medium that acts on nothing, and a
    /// `length` that is far from the size of the bodies.
    /// `start` is the world that was made of this scene, before its first step.
    pub fn warnings(&self, start: &World) -> Vec<SceneWarning> {
        let mut found = combine::without_effect(self);
        found.extend(convex::out_of_range(self));
        found.extend(convex::bounces(self));
        found.extend(loops::by_another_rule(self, start));
        found.extend(overlap::at_start(self, start));
        found.extend(motion::edits_after_the_end(self));
        found.extend(motion::too_fast_for_the_step(self, start));
        found.extend(medium::acts_on_nothing(self));
        found.extend(medium::too_stiff_for_the_step(self, start));
        found.extend(size::length_far_off(self, start));
        found
    }
}

/// Where the scene has the body called `name`: in `[[body]]`, or in the `[[repeat]]` that makes it.
fn body_path(scene: &Scene, name: &str) -> SpecPath {
    let base = name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')).map_or(name, |(base, _)| base);
    let repeats = scene.repeats.iter().enumerate();
    let mut repeated = repeats.filter_map(|(i, repeat)| {
        let k = repeat.bodies.iter().position(|body| body.name == base)?;
        Some(SpecPath::top("repeat").index(i).key("body").index(k))
    });
    let written = scene.bodies.iter().any(|body| body.name == name);
    let repeated = if written { None } else { repeated.next() };
    repeated.unwrap_or_else(|| SpecPath::body(name))
}

/// A number with at most four digits and no zeros at the end, for a sentence.
fn shown(x: f64) -> String {
    if x == 0.0 {
        return "0".to_owned();
    }
    let size = x.abs();
    if !(1e-4..1e6).contains(&size) {
        return format!("{x:.3e}");
    }
    // Digits after the point: three behind the first that counts.
    let mut digits = 3;
    let mut power = 1.0;
    while size < power && digits < 7 {
        power *= 0.1;
        digits += 1;
    }
    let text = format!("{x:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn numbers_of_a_sentence_have_no_noise() {
        assert_eq!(shown(0.1 + 0.2), "0.3");
        assert_eq!(shown(1.5), "1.5");
        assert_eq!(shown(0.00123), "0.00123");
        assert_eq!(shown(1e-9), "1.000e-9");
        assert_eq!(shown(12.0), "12");
    }
}
