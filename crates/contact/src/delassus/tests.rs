//! The form is read as it is meant, and what is damaged is refused with its place.

use super::DelassusProblem;
use crate::{Claim, Scratch, SolverKind};
use huygens_math::SplitMix;

const DENSE: &str = "3\n2\n0\n6 6\n6 6
2 0.5 0 0.25 0 0\n0.5 3 0 0 0 0\n0 0 4 0 0 0.125
0.25 0 0 2 0 0\n0 0 0 0 2 0\n0 0 0.125 0 0 2
-1 0.5 0 -2 0 0.25\n0.5 0.75\n";

/// The same by blocks, each column by column; the first is not symmetric in what it couples.
const BLOCKS: &str = "3\n2\n1\n6\n6\n4\n2\n2\n3 6\n3 6\n3\n4\n0 2 4\n0 1 0 1
0\n2 0.5 0 0.5 3 0 0 0 4\n1\n0.25 0 0 0 0 0 0 0 0.125
2\n0.25 0 0 0 0 0 0 0 0.125\n3\n2 0 0 0 2 0 0 0 2
-1 0.5 0 -2 0 0.25\n0.5 0.75\n0\n";

fn read(text: &str) -> DelassusProblem {
    text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(text: &str) -> String {
    match text.parse::<DelassusProblem>() {
        Ok(_) => panic!("this was read:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The text with `from` replaced by `to` is refused with these words.
fn refuses(text: &str, from: &str, to: &str, expected: &str) {
    assert!(text.contains(from), "{from:?}");
    let error = refusal(&text.replacen(from, to, 1));
    assert!(error.contains(expected), "{to:?}: {error}");
}

#[test]
fn both_storages_of_one_problem_are_the_same_problem() {
    let (dense, blocks) = (read(DENSE), read(BLOCKS));
    assert_eq!(dense, blocks);
    assert_eq!(dense.response(&[1.0, 0.0, 0.0, 0.0, 0.0, 8.0]), [2.0, 0.5, 1.0, 0.25, 0.0, 16.0]);
    assert_eq!(read(&dense.to_string()), dense);
    assert_eq!(dense.rank(), 6);
}

#[test]
fn a_block_that_is_not_symmetric_is_read_column_by_column() {
    let one = read("3 1 1 3 3 1 1 1 3 3 2 1 0 1 0 0  1 2 3 4 5 6 7 8 9  0 0 0  0.5");
    assert_eq!(one.response(&[1.0, 0.0, 0.0]), [1.0, 2.0, 3.0]);
    let same = read("3 1 0 3 3 3 3  1 4 7 2 5 8 3 6 9  0 0 0  0.5");
    assert_eq!(one, same);
}

#[test]
fn an_answer_may_follow_and_is_not_used() {
    let bare = "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 0.5";
    for tail in ["", " 0", " 1", " 1 1 0 0", " 1 1 0 0 0 0 0"] {
        assert_eq!(read(&format!("{bare}{tail}")), read(bare));
    }
    assert!(refusal(&format!("{bare} 7")).contains("word 21"), "{}", refusal(&format!("{bare} 7")));
    for tail in [" 0 0", " 1 1 0", " 1 1 0 0 0", " 1 x 0 0", " 1 1 0 0 0 0 0 9"] {
        refusal(&format!("{bare}{tail}"));
    }
}

#[test]
fn what_is_damaged_is_refused_with_its_place() {
    for (from, to, expected) in [
        ("3\n2\n0", "4\n2\n0", "line 1: word 1 (number 1 of the file): dimension 4"),
        ("3\n2\n0", "5\n2\n0", "expected 10, five rows for each of 2 contacts"),
        ("3\n2\n0", "3\n0\n0", "line 2: word 1 (number 2 of the file): 0 contacts"),
        ("3\n2\n0", "3\n-2\n0", "\"-2\" is not a whole number"),
        ("3\n2\n0", "3\n9999999999\n0", "9999999999 contacts"),
        ("3\n2\n0", "3\n99999999999999999999999\n0", "is not a whole number"),
        ("3\n2\n0", "3\n300000\n0", "needs more numbers than the file has words"),
        ("3\n2\n0", "3\n2\n2", "storage 2 (sparse)"),
        ("3\n2\n0", "3\n2\n7", "storage 7 of W is not known"),
        (
            "\n6 6\n6 6",
            "\n6 5\n6 6",
            "line 4: word 2 (number 5 of the file): the number of columns of W is 5; expected 6",
        ),
        (
            "\n6 6\n6 6",
            "\n6 6\n6 7",
            "line 5: word 2 (number 7 of the file): the number of columns of W is 7",
        ),
        (
            "\n0.5 3 0",
            "\n0.5 nan 0",
            "line 7: word 2 (number 15 of the file): entry (1, 1) of W is \"nan\", not a finite",
        ),
        ("\n0.5 3 0", "\n0.5 inf 0", "not a finite number"),
        ("\n0.5 3 0", "\n0.5 3,1 0", "\"3,1\" is not a number; expected entry (1, 1) of W"),
        (
            "-1 0.5 0",
            "-1 0.5 o",
            "line 12: word 3 (number 46 of the file): \"o\" is not a number; expected component t2 of q of contact 0",
        ),
        (
            "\n0.5 0.75\n",
            "\n0.5 -0.75\n",
            "line 13: word 2 (number 51 of the file): the friction coefficient of contact 1 is -0.75",
        ),
        (
            "\n0.5 0.75\n",
            "\n0.5\n",
            "the file ends after this word; expected the friction coefficient of contact 1",
        ),
    ] {
        refuses(DENSE, from, to, expected);
    }
    for (from, to, expected) in [
        ("\n4\n2\n2\n3 6", "\n400000000\n2\n2\n3 6", "400000000 blocks needs more numbers"),
        ("\n4\n2\n2\n3 6", "\n4\n2000000000\n2\n3 6", "2000000000 blocks in 6 rows"),
        ("\n3 6\n3 6", "\n3 7\n3 6", "the end of a block row is 7 after 3"),
        ("\n3 6\n3 6", "\n3 6\n3 5", "the end of a block column is 5 after 3"),
        ("\n3 6\n3 6", "\n0 6\n3 6", "they must grow"),
        ("\n3\n4\n0 2 4", "\n9\n4\n0 2 4", "the first index has 9 entries"),
        ("\n3\n4\n0 2 4", "\n3\n5\n0 2 4", "the length of the second index is 5; expected 4"),
        ("\n0 2 4\n", "\n0 5 4\n", "block row 1 begins at 5"),
        ("\n0 2 4\n", "\n0 2 3\n", "and the last is 4"),
        ("\n0 1 0 1", "\n0 2 0 1", "block 1 is in block column 2; there are 2"),
        ("\n0 1 0 1", "\n0 0 0 1", "block row 0 has two blocks in block column 0"),
        ("\n2\n0.25", "\n3\n0.25", "the number of a block is 3; expected 2"),
    ] {
        refuses(BLOCKS, from, to, expected);
    }
    assert_eq!(refusal(""), "line 1: the file is empty; expected the dimension of a contact, 3 or 5");
    assert!(refusal(" \n\n").contains("the file is empty"));
}

#[test]
fn damage_at_random_is_read_or_refused_and_never_a_panic() {
    let mut r = SplitMix::new(5);
    let words =
        ["0", "-1", "1e999", "nan", "18446744073709551615", "4294967296", "x", "", "3", "1e-320", "7.5"];
    let (mut good, mut bad) = (0, 0);
    for round in 0..6000 {
        let text = if round % 2 == 0 { DENSE } else { BLOCKS };
        let mut list: Vec<&str> = text.split_whitespace().collect();
        for _ in 0..=r.index(2) {
            let at = r.index(list.len());
            match r.index(4) {
                0 => {
                    list.remove(at);
                }
                1 => list.insert(at, words[r.index(words.len())]),
                2 => list.truncate(at.max(1)),
                _ => list[at] = words[r.index(words.len())],
            }
        }
        match list.join(" ").parse::<DelassusProblem>() {
            Err(error) => {
                bad += 1;
                assert!(error.to_string().contains("word") || error.to_string().contains("empty"), "{error}");
            }
            Ok(problem) => {
                good += 1;
                // What is read can be solved and judged, whatever W is.
                let answer = problem.solve(SolverKind::NbgsDecoupling, &mut Scratch::default());
                let answer = answer.unwrap_or_else(|error| panic!("{error}"));
                problem.judge(Claim::Coulomb, answer.all());
            }
        }
    }
    assert!(good > 500 && bad > 1000, "{good} {bad}");
}

#[test]
fn contacts_that_do_not_act_on_each_other_are_separate_sets_in_a_band() {
    // A chain whose contacts come in a wrong order, and one alone.
    let near = |a: i32, b: i32| {
        [1, 3, 0, 2]
            .iter()
            .position(|&x| x == a)
            .zip([1, 3, 0, 2].iter().position(|&x| x == b))
            .is_some_and(|(a, b)| a.abs_diff(b) <= 1)
    };
    let mut w = String::new();
    for row in 0..15_i32 {
        for column in 0..15_i32 {
            let (a, b) = (row / 3, column / 3);
            let same_axis = row % 3 == column % 3;
            let x = if row == column {
                2.0
            } else if same_axis && near(a, b) {
                -0.5
            } else {
                0.0
            };
            w += &format!("{x} ");
        }
    }
    let problem = read(&format!("3 5 0 15 15 15 15 {w} {} 0 0 0 0 0", "-1 0 0 ".repeat(5)));
    let mut sets = problem.sets();
    assert_eq!(sets.len(), 2);
    if sets[0][0] == 2 {
        sets[0].reverse();
    }
    assert_eq!(sets, [vec![1, 3, 0, 2], vec![4]]);
    assert_eq!(problem.largest(), 12);
}
