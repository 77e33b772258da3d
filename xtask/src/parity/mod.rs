//! `huygens inspect` beside MuJoCo, on models that nobody here wrote.

use std::path::Path;
use std::process::Command;

/// What the environment needs: the oracle by version, and packages with models, which need none of their own dependencies.
const ORACLE: [&str; 2] = ["mujoco==4.0.0", "numpy"];
const MODELS: [&str; 5] = ["dm_control", "gymnasium", "mujoco-warp==4.0.0", "mjlab", "metaworld"];

/// Makes the environment if it is not there, builds the program, compares, and writes docs/parity.md.
pub fn run() -> Result<(), String> {
    let root = crate::root();
    let venv = root.join("target/parity");
    let python = venv.join("bin/python");
    if !python.exists() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        call(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(ORACLE))?;
        call(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-deps"]).args(MODELS))?;
    }
    call(Command::new("cargo").current_dir(&root).args(["build", "--release", "-p", "huygens-cli"]))?;
    let script = venv.join("compare.py");
    std::fs::write(&script, include_str!("compare.py")).map_err(|e| format!("{}: {e}", script.display()))?;
    compare(&python, &script, &root)
}

fn compare(python: &Path, script: &Path, root: &Path) -> Result<(), String> {
    let page = root.join("docs/parity.md");
    call(Command::new(python).arg(script).arg(root.join("target/release/huygens")).arg(page))
}

fn call(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
