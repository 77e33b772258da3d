//! Tasks of the project: `cargo xtask test`, `check`, `api`, `page`, `bench`, `hunt`, `siconos`, `parity`.

mod api;
mod bench;
mod hunt;
mod imports;
mod page;
mod parity;
mod profiles;
mod siconos;
mod test;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask TASK

  test           every test there is: format, lints, import rule, unit, analytic, peer, documentation
  test --quick   without the slowest tests, the debug pass, and what needs more than the Rust toolchain: minutes
  page [PROGRAM] the page of `huygens compare --report` alone, in headless Chromium; of a program that is built already
  check          format, lints and the import rule alone
  api            writes docs/api.txt, the public interface of the crate, anew
  hunt           random scenes looked through for what must never happen; writes docs/hunt.md (cargo xtask hunt --help)
  bench          ours and the peers side by side (cargo xtask bench --help)
  parity         models of Python packages in `huygens inspect` and in MuJoCo; writes docs/parity.md
  parity speed   humanoids in `huygens bench` and in MuJoCo's library; writes the table of docs/bench.md
  siconos [FILE]… `huygens solve` and the solvers of Siconos on the same contact problems; writes docs/siconos.md";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::run(test::Extent::Everything),
        ["test", "--quick"] => test::run(test::Extent::Quick),
        ["bench", "--help" | "-h"] => {
            println!("{}", bench::USAGE);
            return ExitCode::SUCCESS;
        }
        ["hunt", "--help" | "-h"] => {
            println!("{}", hunt::USAGE);
            return ExitCode::SUCCESS;
        }
        ["hunt", words @ ..] => hunt::run(words),
        ["bench", words @ ..] => bench::run(words),
        ["api"] => api::write(),
        ["parity"] => parity::run(),
        ["parity", "speed"] => parity::speed(),
        ["siconos", files @ ..] => siconos::run(files),
        ["page"] => page::test(None),
        ["page", program] => page::test(Some(program)),
        ["check"] => test::run(test::Extent::Checks),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => Err(format!("unknown task `{}`\n\n{USAGE}", other.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}
