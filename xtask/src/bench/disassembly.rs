//! No call inside the hot loops, as the disassembly shows it.

use super::build;
use std::process::Command;

/// Looks at every function whose name has `pattern`.
pub fn run(pattern: &str) -> Result<(), String> {
    let program = build::our_program()?;
    let out = Command::new("objdump")
        .args(["--disassemble", "--demangle", "--no-show-raw-insn"])
        .arg(&program)
        .output()
        .map_err(|error| format!("objdump did not start: {error}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    let found: Vec<Function> = functions(&text).filter(|function| function.name.contains(pattern)).collect();
    if found.is_empty() {
        return Err(format!("no function has `{pattern}` in its name"));
    }
    let mut bad = Vec::new();
    for function in &found {
        let calls = function.calls_in_loops();
        println!(
            "{}: {} instructions, {} in loops, {} calls there",
            function.name,
            function.lines.len(),
            function.in_loops().count(),
            calls.len()
        );
        bad.extend(calls.into_iter().map(|call| format!("{}: {call}", function.name)));
    }
    if bad.is_empty() { Ok(()) } else { Err(format!("calls inside loops:\n  {}", bad.join("\n  "))) }
}

/// A function of the program.
#[derive(Debug, Default)]
struct Function {
    name: String,
    /// Address and instruction.
    lines: Vec<(u64, String)>,
}

/// Cuts the words of objdump into functions.
fn functions(text: &str) -> impl Iterator<Item = Function> + '_ {
    text.split("\n\n").filter_map(|block| {
        let mut lines = block.trim_start().lines();
        let head = lines.next()?;
        let name = head.split_once(" <")?.1.strip_suffix(">:")?;
        let lines = lines.filter_map(|line| {
            let (address, instruction) = line.trim_start().split_once(":\t")?;
            Some((u64::from_str_radix(address, 16).ok()?, instruction.trim().to_owned()))
        });
        Some(Function { name: name.to_owned(), lines: lines.collect() })
    })
}

impl Function {
    /// From the target of each jump back to the jump.
    fn loops(&self) -> Vec<(u64, u64)> {
        let first = self.lines.first().map_or(0, |(address, _)| *address);
        let back = |(at, instruction): &(u64, String)| {
            let mut words = instruction.split_whitespace();
            let jump = words.next().is_some_and(|word| word.starts_with('j'));
            let target = u64::from_str_radix(words.next()?, 16).ok()?;
            (jump && target <= *at && target >= first).then_some((target, *at))
        };
        self.lines.iter().filter_map(back).collect()
    }

    fn in_loops(&self) -> impl Iterator<Item = &(u64, String)> {
        let loops = self.loops();
        self.lines.iter().filter(move |(at, _)| loops.iter().any(|(from, to)| (from..=to).contains(&at)))
    }

    fn calls_in_loops(&self) -> Vec<String> {
        self.in_loops().filter(|(_, line)| line.starts_with("call")).map(|(_, line)| line.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
0000000000001000 <soft_step::wide_pass>:
    1000:\tpush   %rbp
    1001:\tvmulpd %ymm0,%ymm1,%ymm2
    1005:\tcmp    %rax,%rbx
    1008:\tjne    1001 <soft_step::wide_pass+0x1>
    100a:\tja     100e <soft_step::wide_pass+0xe>
    100c:\tret
    100e:\tcall   2000 <core::panicking::panic>

0000000000002000 <other>:
    2000:\tcall   3000 <sqrt>
    2005:\tjmp    2000 <other>
";

    #[test]
    fn a_call_counts_only_inside_a_loop() {
        let all: Vec<Function> = functions(TEXT).collect();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].name.as_str(), all[0].lines.len()), ("soft_step::wide_pass", 7));
        assert_eq!(all[0].loops(), [(0x1001, 0x1008)]);
        assert_eq!(all[0].calls_in_loops(), Vec::<String>::new());
        assert_eq!(all[1].calls_in_loops(), ["call   3000 <sqrt>"]);
    }
}
