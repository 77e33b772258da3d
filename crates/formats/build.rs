//! Puts every file of scenes/ into the program, so that a fresh machine needs none.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let folder = manifest.join("../../scenes").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &mut files)?;
    let mut scenes: Vec<(String, PathBuf)> =
        files.into_iter().filter_map(|path| Some((name(&folder, &path)?, path))).collect();
    scenes.sort();
    let mut code = String::from(
        "/// Every built-in scene: name and text, by name.\npub(crate) const SCENES: &[(&str, &str)] = &[\n",
    );
    for (name, path) in scenes {
        let _ = writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string());
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("scenes.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    Ok(())
}

/// `jsim/drop` for scenes/jsim/drop.toml.
fn name(folder: &Path, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(folder).ok()?.with_extension("");
    let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}
