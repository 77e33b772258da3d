//! `huygens inspect` beside MuJoCo, on models that nobody here wrote, and the speed of `huygens bench` beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the environment needs: the oracle by version, and packages with models, which need none of their own dependencies.
const ORACLE: [&str; 2] = ["mujoco==4.0.0", "numpy"];
const MODELS: [&str; 5] = ["dm_control", "gymnasium", "mujoco-warp==4.0.0", "mjlab", "metaworld"];

/// Rounds of `parity speed`, and how many humanoids its models have.
const ROUNDS: &str = "7";
const HUMANOIDS: [&str; 3] = ["1", "22", "100"];

/// Makes the environment if it is not there, builds the program, compares, and writes docs/parity.md.
pub fn run() -> Result<(), String> {
    let root = crate::root();
    let python = prepare(&root)?;
    let script = write_script(&root, "compare.py", include_str!("compare.py"))?;
    let page = root.join("docs/parity.md");
    call(Command::new(python).arg(script).arg(root.join("target/release/huygens")).arg(page))
}

/// The same environment, and how fast both step humanoids.
pub fn speed() -> Result<(), String> {
    let root = crate::root();
    let python = prepare(&root)?;
    let script = write_script(&root, "speed.py", include_str!("speed.py"))?;
    let page = root.join("docs/bench.md");
    let program = root.join("target/release/huygens");
    call(Command::new(python).arg(script).arg(program).arg(page).arg(ROUNDS).args(HUMANOIDS))
}

/// Makes the environment if it is not there, and builds the program; returns Python.
fn prepare(root: &Path) -> Result<PathBuf, String> {
    let venv = root.join("target/parity");
    let python = venv.join("bin/python");
    if !python.exists() {
        call(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
        call(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(ORACLE))?;
        call(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--no-deps"]).args(MODELS))?;
    }
    call(Command::new("cargo").current_dir(root).args(["build", "--release", "-p", "huygens-cli"]))?;
    Ok(python)
}

fn write_script(root: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let script = root.join("target/parity").join(name);
    std::fs::write(&script, text).map_err(|e| format!("{}: {e}", script.display()))?;
    Ok(script)
}

fn call(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}")) }
}
