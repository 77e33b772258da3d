//! The import rule of the house: imports only point down, and the three rooms of the engine never import each other.

use std::path::Path;

/// What each crate may import of the others, in the part of its manifest that users build.
const ALLOWED: &[(&str, &[&str])] = &[
    ("huygens-math", &[]),
    ("huygens-geometry", &["huygens-math"]),
    ("huygens-dynamics", &["huygens-math"]),
    ("huygens-contact", &["huygens-math"]),
    ("huygens", &["huygens-math", "huygens-geometry", "huygens-dynamics", "huygens-contact"]),
    ("huygens-formats", &["huygens", "huygens-math", "huygens-geometry", "huygens-dynamics"]),
    ("huygens-hunt", &["huygens"]),
    ("huygens-render", &["huygens", "huygens-math"]),
    ("huygens-cli", &["huygens", "huygens-formats", "huygens-hunt", "huygens-render"]),
];

/// Every breach of the rule below `root`, a line each.
pub fn breaches(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = Vec::new();
    for folder in std::fs::read_dir(root.join("crates")).into_iter().flatten().flatten() {
        let manifest = folder.path().join("Cargo.toml");
        let Ok(text) = std::fs::read_to_string(&manifest) else { continue };
        let name = package_name(&text);
        let Some((known, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
            found.push(format!("{}: crate `{name}` has no line in the import rule", manifest.display()));
            continue;
        };
        seen.push(*known);
        for import in internal_imports(&text) {
            if !allowed.contains(&import.as_str()) {
                found.push(format!("{name} imports {import}; it may import only {allowed:?}"));
            }
        }
    }
    for (name, _) in ALLOWED {
        if !seen.contains(name) {
            found.push(format!("crate `{name}` of the import rule does not exist"));
        }
    }
    found
}

fn package_name(manifest: &str) -> String {
    let line = manifest.lines().find(|line| line.starts_with("name"));
    line.and_then(|line| line.split('"').nth(1)).unwrap_or_default().to_string()
}

/// Crates of this workspace in `[dependencies]`; tests may look wherever they like.
fn internal_imports(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line.starts_with("[dependencies");
        } else if inside && line.starts_with("huygens") {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            found.push(name.to_string());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_point_only_to_the_right() {
        assert_eq!(breaches(&crate::root()), Vec::<String>::new());
    }

    #[test]
    fn a_forbidden_import_is_seen() {
        let manifest = "[package]\nname = \"huygens-contact\"\n[dependencies]\nhuygens-geometry.workspace = true\n[dev-dependencies]\nhuygens = 1\n";
        assert_eq!(package_name(manifest), "huygens-contact");
        assert_eq!(internal_imports(manifest), ["huygens-geometry"]);
    }
}
