//! Examples in the documentation: rustdoc compiles and runs them, and says a line for each.

use super::tally::Tally;
use crate::root;
use std::process::{Command, Stdio};

/// Runs the examples of all crates and counts each.
pub fn run(tally: &mut Tally) {
    let args = ["test", "--workspace", "--doc", "--no-fail-fast", "--profile", "release-test"];
    println!("── documentation: cargo {}", args.join(" "));
    let out = Command::new("cargo").args(args).current_dir(root()).stderr(Stdio::null()).output();
    let out = match out {
        Ok(out) => out,
        Err(error) => return tally.count("documentation", Err(format!("cargo did not start: {error}"))),
    };
    let text = String::from_utf8_lossy(&out.stdout);
    let ends = ends(&text);
    let none_failed = ends.iter().all(|(_, end)| *end != "FAILED");
    for (name, end) in ends {
        match end {
            "ok" => tally.count(&name, Ok(())),
            "ignored" => tally.skip(name),
            _ => tally.count(&name, Err("its output is among that of the other examples".to_owned())),
        }
    }
    if !out.status.success() {
        println!("{text}");
        if none_failed {
            tally.count("documentation", Err(format!("cargo {} failed", args.join(" "))));
        }
    }
}

/// Name and end of each example.
fn ends(text: &str) -> Vec<(String, &str)> {
    text.lines()
        .filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "))
        .map(|(name, end)| (format!("documentation {name}"), end))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_example_is_counted_by_name() {
        let text = "running 2 tests\ntest src/lib.rs - Scene (line 9) ... ok\ntest src/lib.rs - World (line 5) - compile ... FAILED\n\ntest result: FAILED. 1 passed\n";
        let expected =
            [("src/lib.rs - Scene (line 9)", "ok"), ("src/lib.rs - World (line 5) - compile", "FAILED")];
        let expected: Vec<_> = expected.map(|(name, end)| (format!("documentation {name}"), end)).into();
        assert_eq!(ends(text), expected);
    }
}
