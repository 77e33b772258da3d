//! `--ctrl`: the controls of a robot, a row for each step.
//!
//! The first row names the columns: actuators by name, or by number from 0. Where it is missing there is a column for each actuator, in their
//! order. (A first row of whole numbers, all different and below the number of actuators, is a row of names.) After the last row its values hold.

use crate::Failure;
use huygens::scene::near;
use std::path::Path;

/// Controls, a row for each step.
#[derive(Clone, Debug, PartialEq)]
pub struct Controls {
    /// Number of the actuator of each column.
    columns: Vec<usize>,
    /// Row after row.
    values: Vec<f64>,
}

/// Largest control that is read: forces of this size overflow nothing.
const LARGEST: f64 = 1e15;

impl Controls {
    /// Reads a file for controls of these names.
    pub fn read(path: &Path, names: &[String]) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Failure::Input(format!(
                "error: --ctrl {}: {error}\n  = help: Name a CSV file with a row for each step.",
                path.display()
            ))
        })?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Self::parse(&text, &names).map_err(|bad| {
            let place = if bad.line > 0 { format!(":{}", bad.line) } else { String::new() };
            let message = format!("error: --ctrl {}{place}: {}", path.display(), bad.problem);
            Failure::Input(format!("{message}\n  = help: {}", bad.remedy))
        })
    }

    /// Rows that there are.
    pub fn rows(&self) -> usize {
        self.values.len().checked_div(self.columns.len()).unwrap_or(0)
    }

    /// Sets the controls of step `step`, counted from 0.
    pub fn put(&self, step: u64, ctrl: &mut [f64]) {
        let Some(last) = self.rows().checked_sub(1) else { return };
        let row = usize::try_from(step).unwrap_or(last).min(last);
        let width = self.columns.len();
        for (column, value) in self.columns.iter().zip(&self.values[row * width..]) {
            ctrl[*column] = *value;
        }
    }

    /// The columns of some of the controls, which are counted from the first of these then.
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        let width = self.columns.len();
        let chosen: Vec<usize> = (0..width).filter(|k| range.contains(&self.columns[*k])).collect();
        let rows = self.values.chunks(width.max(1));
        Self {
            columns: chosen.iter().map(|k| self.columns[*k] - range.start).collect(),
            values: rows.flat_map(|row| chosen.iter().map(move |k| row[*k])).collect(),
        }
    }

    fn parse(text: &str, names: &[&str]) -> Result<Self, Bad> {
        let rows = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
        let mut rows = rows.filter(|(_, line)| !line.is_empty()).peekable();
        let Some(&(line, first)) = rows.peek() else {
            return Err(Bad::new(0, "the file has no row", "Write a row for each step."));
        };
        let fields: Vec<&str> = first.split(',').map(unquoted).collect();
        let columns = match columns(&fields, names, line)? {
            Some(columns) => {
                rows.next();
                columns
            }
            None => (0..names.len()).collect(),
        };
        let mut values = Vec::new();
        for (line, row) in rows {
            let before = values.len();
            for field in row.split(',').map(unquoted) {
                let value: Option<f64> = field.parse().ok().filter(|x: &f64| x.abs() <= LARGEST);
                values.push(value.ok_or_else(|| {
                    Bad::new(line, format!("`{field}` is no control"), "Write a number of at most 1e15.")
                })?);
            }
            let found = values.len() - before;
            if found != columns.len() {
                let problem = format!("the row has {found} values; there are {} columns", columns.len());
                return Err(Bad::new(line, problem, "Give each column a value in each row."));
            }
        }
        Ok(Self { columns, values })
    }
}

/// The error of a control or state file, with its place.
#[derive(Debug, PartialEq)]
struct Bad {
    line: usize,
    problem: String,
    remedy: String,
}

impl Bad {
    fn new(line: usize, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line, problem: problem.into(), remedy: remedy.into() }
    }
}

fn unquoted(field: &str) -> &str {
    let field = field.trim();
    field.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(field)
}

/// The actuators that a first row names; none when it has values already.
fn columns(fields: &[&str], names: &[&str], line: usize) -> Result<Option<Vec<usize>>, Bad> {
    let number = |field: &str| field.parse().ok().filter(|i: &usize| *i < names.len());
    let named = |field: &str| names.iter().position(|name| !name.is_empty() && *name == field);
    let is_value = |field: &&str| field.parse::<f64>().is_ok() && named(field).is_none();
    let numbers: Option<Vec<usize>> = fields.iter().map(|field| number(field)).collect();
    let distinct = |list: &[usize]| list.iter().enumerate().all(|(i, x)| !list[..i].contains(x));
    if fields.iter().all(is_value) {
        if let Some(numbers) = numbers.filter(|numbers| distinct(numbers)) {
            return Ok(Some(numbers));
        }
        if fields.len() != names.len() {
            let problem = format!(
                "the first row has {} values and no names; the robot has {} actuators",
                fields.len(),
                names.len()
            );
            return Err(Bad::new(line, problem, "Name the columns in a first row."));
        }
        return Ok(None);
    }
    let mut columns = Vec::with_capacity(fields.len());
    for field in fields {
        let Some(column) = named(field).or_else(|| number(field)) else {
            let remedy = match near(field, names.iter().copied()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!(
                    "There are {}.",
                    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
                ),
            };
            return Err(Bad::new(line, format!("the robot has no actuator `{field}`"), remedy));
        };
        if columns.contains(&column) {
            return Err(Bad::new(line, format!("two columns are of `{field}`"), "Keep one of them."));
        }
        columns.push(column);
    }
    Ok(Some(columns))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 3] = ["hip", "knee", ""];

    #[test]
    fn columns_are_found_by_name_by_number_and_by_order() {
        let by_name = Controls::parse("knee,2\n1,2\n3,4e0\n", &NAMES).unwrap();
        assert_eq!(by_name, Controls { columns: vec![1, 2], values: vec![1.0, 2.0, 3.0, 4.0] });
        let by_number = Controls::parse("2, 0\r\n1.5,2\r\n", &NAMES).unwrap();
        assert_eq!(by_number, Controls { columns: vec![2, 0], values: vec![1.5, 2.0] });
        let by_order = Controls::parse("0,0,0\n1,2,3", &NAMES).unwrap();
        assert_eq!(by_order.columns, [0, 1, 2]);
        assert_eq!(by_order.rows(), 2);
        let mut ctrl = [9.0; 3];
        by_name.put(0, &mut ctrl);
        assert_eq!(ctrl, [9.0, 1.0, 2.0]);
        by_name.put(7, &mut ctrl);
        assert_eq!(ctrl, [9.0, 3.0, 4.0], "the last row holds");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, line, part) in [
            ("", 0, "no row"),
            ("hip,kne\n1,2", 1, "no actuator `kne`"),
            ("hip,hip\n1,2", 1, "two columns"),
            ("1.5,2", 1, "3 actuators"),
            ("hip\n1\n\nx", 4, "`x` is no control"),
            ("hip\nnan", 2, "`nan`"),
            ("hip\n1,2", 2, "2 values"),
            ("7\n1", 1, "3 actuators"),
        ] {
            let bad = Controls::parse(text, &NAMES).unwrap_err();
            assert_eq!(bad.line, line, "{text:?}");
            assert!(bad.problem.contains(part), "{text:?}: {}", bad.problem);
        }
        assert!(Controls::parse("knew\n1", &NAMES).unwrap_err().remedy.contains("knee"));
    }
}
