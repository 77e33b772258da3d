//! Checks of single values: every key of a table, by the condition that stands beside it.

use super::number::Findings;
use crate::scene::SpecPath;
use crate::scene::keys::{Holds, Key, Plain, Show, Table, Value};
use huygens_math::{Quat, Vec3};

/// Checks the values of a table at `path`; false when one of them is wrong.
pub(super) fn check<T: Table>(table: &T, path: &SpecPath, found: &mut Findings) -> bool {
    let mut checker = Checker { path, found, good: true };
    table.show(&mut checker);
    checker.good
}

struct Checker<'a> {
    path: &'a SpecPath,
    found: &'a mut Findings,
    good: bool,
}

impl Show for Checker<'_> {
    fn value<T: Value>(&mut self, key: Key, field: &T, holds: Holds) {
        let path = self.path;
        let good = match (field.plain(), holds) {
            (_, Holds::Elsewhere) => true,
            (Plain::Integer(x), Holds::Count([low, high], remedy)) => {
                self.found.count(|| path.key(key.name), x, [low, high], remedy)
            }
            (Plain::Number(x), holds) => self.number(key, x, holds),
            (Plain::Numbers(x, len), holds) => self.numbers(key, &x[..len], holds),
            (Plain::Vectors(list), _) => {
                let mut all = list.iter().enumerate();
                all.all(|(k, v)| self.found.vector(|| path.key(key.name).index(k), *v))
            }
            (Plain::Integer(_) | Plain::Flag(_) | Plain::Text(_) | Plain::Texts(_), _) => true,
        };
        self.good &= good;
    }

    fn option<T: Value>(&mut self, key: Key, field: &Option<T>, holds: Holds) {
        if let Some(field) = field {
            self.value(key, field, holds);
        }
    }

    fn other(&mut self, _: Key) {}
}

impl Checker<'_> {
    fn number(&mut self, key: Key, x: f64, holds: Holds) -> bool {
        let path = || self.path.key(key.name);
        match holds {
            Holds::Positive(what) => self.found.positive(path, x, what),
            Holds::NotNegative(what) => self.found.not_negative(path, x, what),
            Holds::Within(range, what) => self.found.within(path, x, range, what),
            _ => self.found.finite(path, x),
        }
    }

    fn numbers(&mut self, key: Key, x: &[f64], holds: Holds) -> bool {
        let path = || self.path.key(key.name);
        match (holds, x) {
            (Holds::Sizes(what), x) => self.found.sizes(path, x, what),
            (Holds::Rotation, &[w, x, y, z]) => self.found.quaternion(path, Quat::from_xyzw(x, y, z, w)),
            (Holds::Direction, &[x, y, z]) => self.found.direction(path, Vec3::new(x, y, z)),
            (_, &[x, y, z]) => self.found.vector(path, Vec3::new(x, y, z)),
            (_, x) => x.iter().all(|x| self.found.finite(path, *x)),
        }
    }
}
