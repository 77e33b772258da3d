//! A case, and what it measures.

use huygens::SceneErrors;

/// One case with a known answer.
pub struct Case {
    /// Its number in the list of verification cases.
    pub number: u32,
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// What is set up, in a sentence.
    pub setup: &'static str,
    /// The closed form or published value.
    pub expected: &'static str,
    /// Where the expected value is from.
    pub source: &'static str,
    /// How far off a figure may be, and why where that is not plain.
    pub tolerance: &'static str,
    /// Whether bodies touch.
    pub contact: bool,
    /// Whether it asks how the error falls with dt.
    pub converges: bool,
    /// Whether it runs only with `--long`.
    pub long: bool,
    /// Runs it with the contact model of that name.
    pub measure: fn(&str) -> Measured,
}

/// What a case measured, or why it could not.
pub type Measured = Result<Vec<Figure>, Trouble>;

/// Why a case could not be measured.
#[derive(Clone, Debug)]
pub struct Trouble(pub String);

impl From<SceneErrors> for Trouble {
    fn from(errors: SceneErrors) -> Self {
        let first = errors.all().first();
        Self(first.map_or_else(|| "the scene cannot be".to_owned(), |e| e.to_string().replace('\n', " ")))
    }
}

/// What a figure must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Not further from the value than the tolerance.
    Within {
        /// The value.
        expected: f64,
        /// How far off it may be, in the figure's unit.
        tolerance: f64,
    },
    /// Not above.
    AtMost(f64),
    /// Not below.
    AtLeast(f64),
}

/// One measured number and what it must be.
#[derive(Clone, Debug)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// How it came out.
    pub measured: f64,
    /// What it must be.
    pub rule: Rule,
    /// Its unit; empty for a ratio.
    pub unit: &'static str,
}

impl Figure {
    /// A figure that must be `expected` within a share of it.
    pub fn relative(name: impl Into<String>, measured: f64, expected: f64, share: f64) -> Self {
        Self::within(name, measured, expected, share * expected.abs())
    }

    /// A figure that must be `expected` within `tolerance`.
    pub fn within(name: impl Into<String>, measured: f64, expected: f64, tolerance: f64) -> Self {
        Self { name: name.into(), measured, rule: Rule::Within { expected, tolerance }, unit: "" }
    }

    /// A figure that must not be above `limit`.
    pub fn at_most(name: impl Into<String>, measured: f64, limit: f64) -> Self {
        Self { name: name.into(), measured, rule: Rule::AtMost(limit), unit: "" }
    }

    /// A figure that must not be below `limit`.
    pub fn at_least(name: impl Into<String>, measured: f64, limit: f64) -> Self {
        Self { name: name.into(), measured, rule: Rule::AtLeast(limit), unit: "" }
    }

    /// A figure that is only told: nothing is asked of it but that it is a number.
    pub fn told(name: impl Into<String>, measured: f64) -> Self {
        Self::at_most(name, measured, f64::INFINITY)
    }

    /// How many of `all` outcomes are as they should be; all of them must be.
    pub fn all_of(name: impl Into<String>, right: usize, all: usize) -> Self {
        Self::at_least(name, right as f64, all as f64)
    }

    /// The same in a unit.
    #[must_use]
    pub fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// Whether it is what it must be; what is not a number is not.
    pub fn pass(&self) -> bool {
        match self.rule {
            Rule::Within { expected, tolerance } => (self.measured - expected).abs() <= tolerance,
            Rule::AtMost(limit) => self.measured <= limit,
            Rule::AtLeast(limit) => self.measured >= limit,
        }
    }

    /// Share of the tolerance that is used up: above 1 when it is not what it must be. Only to tell which figure of a
    /// case is the worst.
    pub fn strain(&self) -> f64 {
        let share = match self.rule {
            Rule::Within { expected, tolerance } => (self.measured - expected).abs() / tolerance,
            Rule::AtMost(limit) => self.measured / limit,
            Rule::AtLeast(limit) => limit / self.measured,
        };
        if self.pass() {
            // 0/0 and limits of zero or below are no strain where they hold.
            if (0.0..=1.0).contains(&share) { share } else { 0.0 }
        } else if share > 1.0 {
            share
        } else {
            f64::INFINITY
        }
    }
}

/// The figure that comes nearest to its limit, or is furthest beyond it.
pub fn worst(figures: &[Figure]) -> Option<&Figure> {
    figures.iter().fold(None, |worst: Option<&Figure>, figure| match worst {
        Some(found) if found.strain() >= figure.strain() => Some(found),
        _ => Some(figure),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_is_not_a_number_does_not_pass_and_is_the_worst() {
        for figure in [
            Figure::within("a", f64::NAN, 1.0, 1.0),
            Figure::at_most("a", f64::NAN, 1.0),
            Figure::at_least("a", f64::NAN, 1.0),
        ] {
            assert!(!figure.pass());
            assert_eq!(figure.strain(), f64::INFINITY);
        }
    }

    #[test]
    fn the_worst_figure_is_the_one_that_uses_most_of_its_tolerance() {
        let figures = [
            Figure::within("half", 1.5, 1.0, 1.0),
            Figure::at_most("beyond", 3.0, 2.0),
            Figure::at_least("met", 5.0, 2.0),
        ];
        assert_eq!(worst(&figures).map(|f| f.name.as_str()), Some("beyond"));
        assert!(!figures[1].pass() && figures[0].pass() && figures[2].pass());
    }

    #[test]
    fn a_limit_of_zero_is_met_by_zero_without_strain() {
        assert_eq!(Figure::at_most("none", 0.0, 0.0).strain(), 0.0);
        assert_eq!(Figure::at_most("some", 1e-30, 0.0).strain(), f64::INFINITY);
    }
}
