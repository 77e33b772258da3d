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
        assert!(text("no such scene").is_none());
    }
}
