//! The humanoid of `huygens bench humanoid`, once or many times in one world.

use std::fmt::Write;

const ONE: &str = include_str!("humanoid.xml");
const BEGIN: &str = "<!-- robot -->";
const END: &str = "<!-- /robot -->";
/// Where one humanoid stands.
const PLACE: &str = "pos=\"0 0 1.3\"";
/// Attributes that name parts of a robot.
const NAMES: [&str; 4] = [" name=\"", " joint=\"", " body1=\"", " body2=\""];
/// Distance of neighbours [m].
const APART: f64 = 0.7;

/// The model file of `count` humanoids: on a square grid so dense that they fall onto each other, each turned by 37° against the one before.
pub fn humanoids(count: u32) -> String {
    if count == 1 {
        return ONE.to_owned();
    }
    let side = (1..).find(|side| side * side >= count).unwrap_or(1);
    let mut out = String::new();
    let mut rest = ONE;
    while let Some((before, more)) = rest.split_once(BEGIN) {
        let (part, after) = more.split_once(END).unwrap_or((more, ""));
        out.push_str(before);
        for k in 0..count {
            let [x, y] = [k % side, k / side].map(|cell| APART * f64::from(cell));
            let place = format!(
                "pos=\"{x:.3} {y:.3} {:.3}\" euler=\"0 0 {}\"",
                1.3 + 0.1 * f64::from(k % 3),
                37 * k % 360
            );
            out.push_str(&numbered(&part.replace(PLACE, &place), k));
        }
        rest = after;
    }
    out + rest
}

/// The text with `_k` behind every name.
fn numbered(text: &str, k: u32) -> String {
    let mut out = String::new();
    let mut rest = text;
    // The next attribute that is a name, of whichever kind.
    while let Some((at, word)) = NAMES.iter().filter_map(|word| Some((rest.find(word)?, word))).min() {
        let (before, value) = rest.split_at(at + word.len());
        let (name, after) = value.split_once('"').unwrap_or((value, ""));
        let _ = write!(out, "{before}{name}_{k}\"");
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_formats::mjcf;

    #[test]
    fn many_humanoids_are_as_many_times_one() {
        let read =
            |count| mjcf::parse("humanoid", &humanoids(count), std::path::Path::new(".")).expect("a model");
        let (one, many) = (read(1), read(5));
        assert_eq!([one.nv, one.actuators.len()], [27, 21]);
        assert_eq!([many.nv, many.actuators.len()], [5 * 27, 5 * 21]);
        assert_eq!(many.geoms.len() - 1, 5 * (one.geoms.len() - 1));
    }
}
