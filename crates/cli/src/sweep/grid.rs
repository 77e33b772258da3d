//! All combinations of the values that `--set` lists.

use crate::Failure;

/// More runs than this are a slip of the pen.
const MOST_RUNS: usize = 1_000_000;

/// One `--set` of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// The place in the scene.
    pub path: String,
    /// Its values, as written.
    pub values: Vec<String>,
}

/// Every combination of the values of some sides; the last side changes fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    pub sides: Vec<Side>,
}

impl Grid {
    /// The grid of `--set PATH=A,B,C` and so on.
    ///
    /// # Errors
    /// A `--set` without a path or a value, a path or a value twice, too many runs.
    pub fn of(set: &[String]) -> Result<Self, Failure> {
        let sides = set.iter().map(|argument| side(argument)).collect::<Result<Vec<_>, _>>()?;
        for (i, side) in sides.iter().enumerate() {
            if sides[..i].iter().any(|other| other.path == side.path) {
                return Err(bad(&side.path, "is set twice", "Write all values of one place into one --set."));
            }
        }
        let grid = Self { sides };
        let runs = grid.sides.iter().try_fold(1usize, |runs, side| runs.checked_mul(side.values.len()));
        if runs.is_none_or(|runs| runs > MOST_RUNS) {
            let most = format!("{MOST_RUNS} are the most");
            return Err(bad("", &format!("that makes too many runs; {most}"), "List fewer values."));
        }
        Ok(grid)
    }

    /// Number of combinations.
    pub fn len(&self) -> usize {
        self.sides.iter().map(|side| side.values.len()).product()
    }

    /// The values of combination `number`, from 0, in the order of the sides.
    pub fn values(&self, number: usize) -> Vec<&str> {
        let mut rest = number;
        let mut values: Vec<&str> = Vec::with_capacity(self.sides.len());
        for side in self.sides.iter().rev() {
            values.push(&side.values[rest % side.values.len()]);
            rest /= side.values.len();
        }
        values.reverse();
        values
    }

    /// What `--set` would be for combination `number` alone.
    pub fn settings(&self, number: usize) -> Vec<String> {
        let values = self.values(number);
        self.sides.iter().zip(values).map(|(side, value)| format!("{}={value}", side.path)).collect()
    }
}

fn bad(place: &str, problem: &str, remedy: &str) -> Failure {
    let place = if place.is_empty() { String::new() } else { format!(" {place}") };
    Failure::Input(format!("error: --set{place}: {problem}\n  = help: {remedy}"))
}

fn side(argument: &str) -> Result<Side, Failure> {
    let example = "Write --set PATH=A,B,C, for example --set world.dt=0.001,0.002.";
    let Some((path, list)) = argument.split_once('=') else {
        return Err(bad(argument, "there is no `=`", example));
    };
    let values: Vec<String> = split(list).into_iter().map(|value| value.trim().to_owned()).collect();
    if path.trim().is_empty() || values.iter().any(String::is_empty) {
        return Err(bad(argument, "a value or the path is empty", example));
    }
    if let Some(twice) = (1..values.len()).find(|&i| values[..i].contains(&values[i])) {
        let problem = format!("the value {} stands there twice", values[twice]);
        return Err(bad(argument, &problem, "Keep one of the two."));
    }
    Ok(Side { path: path.trim().to_owned(), values })
}

/// The parts between commas that are in no brackets and no quotes.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut quote, mut from) = (0u32, None, 0);
    let mut parts = Vec::new();
    for (at, c) in list.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(set: &[&str]) -> Option<Grid> {
        let set: Vec<String> = set.iter().map(|text| (*text).to_owned()).collect();
        Grid::of(&set).ok()
    }

    #[test]
    fn every_combination_comes_once_and_the_last_side_changes_fastest() {
        let grid = grid(&["a=1,2,3", "b.c=x, y"]).unwrap();
        assert_eq!(grid.len(), 6);
        assert_eq!(grid.values(0), ["1", "x"]);
        assert_eq!(grid.values(1), ["1", "y"]);
        assert_eq!(grid.settings(5), ["a=3", "b.c=y"]);
    }

    #[test]
    fn commas_in_brackets_and_quotes_belong_to_a_value() {
        let grid = grid(&["g=[0,0,-1],[0,0,-2],{ a = 1, b = 2 },\"x,y\""]).unwrap();
        assert_eq!(grid.sides[0].values, ["[0,0,-1]", "[0,0,-2]", "{ a = 1, b = 2 }", "\"x,y\""]);
    }

    #[test]
    fn what_is_no_grid_is_refused() {
        for bad in [&["a"][..], &["a="], &["=1"], &["a=1,,2"], &["a=1,1"], &["a=1", "a=2"]] {
            assert_eq!(grid(bad), None, "{bad:?}");
        }
        let many: Vec<String> = (0..100).map(|i| i.to_string()).collect();
        let sides: Vec<String> = ["a", "b", "c", "d"].map(|p| format!("{p}={}", many.join(","))).to_vec();
        assert!(Grid::of(&sides).is_err(), "a hundred million runs");
    }
}
