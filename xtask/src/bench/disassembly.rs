//! No call inside the hot loops, as the disassembly shows it. What runs in lanes is inlined into the functions that choose the instructions, so
//! a hot loop is found by what it does: most of it is arithmetic on several doubles.

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
    let mut count = 0;
    for function in &found {
        for (from, to) in function.hot_loops() {
            let calls = function.calls(from, to);
            count += 1;
            println!(
                "{} {from:x}: {} instructions, {} calls",
                function.name,
                function.within(from, to).count(),
                calls.len()
            );
            bad.extend(calls.into_iter().map(|call| format!("{} {from:x}: {call}", function.name)));
        }
    }
    if count == 0 {
        return Err(format!("no function with `{pattern}` in its name has a loop over packed numbers"));
    }
    if bad.is_empty() { Ok(()) } else { Err(format!("calls inside hot loops:\n  {}", bad.join("\n  "))) }
}

/// Calls that a loop makes for the few that are not like the others: a body that turns fast or has a force of the user's, a point that the
/// impact stage turned round. And the triangles that a shape touches, of those under it: what is done with them is decided one by one.
const RARE: [&str; 4] = [
    "free::Pass::single",
    "free::Pass::book_force",
    "problem::Groups>::relative",
    "mesh::triangle::Pair::on_face",
];

/// Least number of packed operations of a hot loop.
const PACKED: usize = 50;

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

    /// The instructions from one address to another.
    fn within(&self, from: u64, to: u64) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(move |(at, _)| (from..=to).contains(at)).map(|(_, line)| line.as_str())
    }

    /// The innermost loops of which at least half is packed arithmetic, with enough of it to be a kernel.
    fn hot_loops(&self) -> Vec<(u64, u64)> {
        let mut hot = self.loops();
        hot.retain(|&(from, to)| {
            let packed = self.within(from, to).filter(|line| is_packed(line)).count();
            packed >= PACKED && 2 * packed >= self.within(from, to).count()
        });
        hot.sort_unstable();
        hot.dedup();
        let holds = |(from, to): (u64, u64), (a, b): (u64, u64)| from <= a && b <= to && (from, to) != (a, b);
        hot.iter().copied().filter(|&outer| !hot.iter().any(|&inner| holds(outer, inner))).collect()
    }

    fn calls(&self, from: u64, to: u64) -> Vec<String> {
        let is_rare = |line: &&str| RARE.iter().any(|name| line.contains(name));
        let calls = self.within(from, to).filter(|line| line.starts_with("call"));
        calls.filter(|line| !is_rare(line)).map(str::to_owned).collect()
    }
}

/// An operation on several doubles at once.
fn is_packed(line: &str) -> bool {
    line.split_whitespace().next().is_some_and(|word| word.ends_with("pd"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop of 60 packed products, with or without a call in it, inside a loop that calls.
    fn text(call: bool) -> String {
        let mut text = String::from("0000000000001000 <vectorize_avx2>:\n    1000:\tpush   %rbp\n");
        for i in 0..60 {
            text += &format!("    {:x}:\tvmulpd %ymm0,%ymm1,%ymm2\n", 0x1100 + i);
        }
        if call {
            text += "    1140:\tcall   3000 <sqrt>\n";
        }
        text += "    1150:\tjne    1100 <vectorize_avx2+0x100>\n    1160:\tcall   2000 <pad>\n";
        text += "    1170:\tjne    1000 <vectorize_avx2>\n    1180:\tret\n\n0000000000002000 <pad>:\n    2000:\tret\n";
        text
    }

    #[test]
    fn a_call_counts_only_inside_the_innermost_loop_of_packed_numbers() {
        let all = |call: bool| functions(&text(call)).collect::<Vec<_>>();
        let clean = all(false);
        assert_eq!(clean.len(), 2);
        assert_eq!(clean[0].hot_loops(), [(0x1100, 0x1150)]);
        assert_eq!(clean[0].calls(0x1100, 0x1150), Vec::<String>::new());
        assert_eq!(all(true)[0].calls(0x1100, 0x1150), ["call   3000 <sqrt>"]);
        assert!(clean[1].hot_loops().is_empty());
    }
}
