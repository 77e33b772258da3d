//! The scenes that are part of the program.

include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// The names of the built-in scenes, in the order of the alphabet.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    SCENES.iter().map(|(name, _)| *name)
}

/// The text of a built-in scene.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// What a scene says of itself: the comment at its head, its lines joined, or nothing.
pub fn about(text: &str) -> String {
    let lines = text.lines().take_while(|line| line.starts_with('#'));
    let words = lines.flat_map(|line| line.trim_start_matches('#').split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

/// The first sentence of [`about`].
pub fn headline(text: &str) -> String {
    let about = about(text);
    // A full stop inside a number or a name has no space after it.
    let end = about.find(". ").map_or(about.len(), |at| at + 1);
    about[..end].trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scenes_of_the_folder_are_built_in_by_their_names() {
        for name in [
            "arm",
            "capsule_spin",
            "conveyor",
            "cradle",
            "default",
            "domino",
            "jsim/drop",
            "jsim/field",
            "msd/a1",
            "msd/h10",
            "stack",
        ] {
            assert!(text(name).is_some(), "{name}");
        }
        for name in ["pyramid", "towers", "pile", "spheres", "terrain"] {
            assert!(text(name).is_some(), "{name}");
        }
        assert!(names().is_sorted());
        for name in names() {
            let line = headline(text(name).unwrap());
            assert!(line.chars().count() > 15 && line.chars().count() < 240, "{name}: {line:?}");
        }
        assert!(text("no such scene").is_none());
    }
}
