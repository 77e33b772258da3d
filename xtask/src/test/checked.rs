//! Crates for whose own tests the debug pass is worth building: those with debug assertions, and those with unsafe code, since the standard
//! library's unsafe functions then check what they are given.

use crate::imports::package_name;
use std::path::Path;

/// Words of a source that debug builds look at and optimised ones do not. Split, so that this file has none.
const SIGNS: [&str; 2] = [concat!("debug_", "assert"), concat!("unsafe", " {")];

/// Words of `cargo test` that name the crates below `root`/crates.
pub fn packages(root: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for folder in std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten() {
        let folder = folder.path();
        let Ok(manifest) = std::fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        if has_sign(&folder.join("src")) {
            names.push(package_name(&manifest));
        }
    }
    names.sort();
    names.into_iter().flat_map(|name| ["--package".to_owned(), name]).collect()
}

fn has_sign(folder: &Path) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        let text = || std::fs::read_to_string(&path).unwrap_or_default();
        if path.is_dir() { has_sign(&path) } else { SIGNS.iter().any(|sign| text().contains(sign)) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_is_found_by_a_debug_assertion_anywhere_below_its_sources() {
        let root = std::env::temp_dir().join(format!("huygens-checked-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for name in ["with", "without"] {
            write(&format!("crates/{name}/Cargo.toml"), &format!("[package]\nname = \"{name}\"\n"));
            write(&format!("crates/{name}/src/lib.rs"), "mod deep;\n");
        }
        write("crates/with/src/deep/sort.rs", &format!("fn f() {{ {}!(true); }}\n", SIGNS[0]));
        let found = packages(&root);
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(found, ["--package", "with"]);
    }
}
