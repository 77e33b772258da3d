//! The keys of a scene, each stated once: beside the field that it fills, with its default, its meaning and what must hold of its value.
//!
//! A table of a scene file is a struct of [`crate::scene`] that is a [`Table`]. Reading is a walk that fills it ([`Fill`]); checking, writing,
//! the list of known keys and the tables of docs/scene-file.md are walks that look at it ([`Show`]). So a new key is stated in one place.

mod value;

pub use value::{Plain, Source, Unfit, Value};

use crate::scene::Named;
use huygens_math::Vec3;
use value::{Direction, Scale, Word};

/// A key of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The value of a table without it.
    pub default: Absent,
    /// Meaning of its value; no full stop at the end.
    pub meaning: &'static str,
}

/// The value of a table without a certain key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// There is none: the key must be written.
    Needed,
    /// This one, in TOML.
    Is(&'static str),
    /// The one that these words tell.
    Says(&'static str),
}

/// A key that must be written.
pub const fn needed(name: &'static str, meaning: &'static str) -> Key {
    Key { name, default: Absent::Needed, meaning }
}

/// A key with a default, in TOML.
pub const fn key(name: &'static str, default: &'static str, meaning: &'static str) -> Key {
    Key { name, default: Absent::Is(default), meaning }
}

/// A key whose default needs words.
pub const fn told(name: &'static str, default: &'static str, meaning: &'static str) -> Key {
    Key { name, default: Absent::Says(default), meaning }
}

/// Condition on the value of a key. Each but `Elsewhere` also asks for finite numbers of at most 1e20.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Holds {
    /// Numbers are finite.
    Finite,
    /// A number above 0; the words name it in the error.
    Positive(&'static str),
    /// A number at or above 0.
    NotNegative(&'static str),
    /// A number from the first to the second.
    Within([f64; 2], &'static str),
    /// A whole number from the first to the second; the words are the remedy.
    Count([u32; 2], &'static str),
    /// A vector with a direction.
    Direction,
    /// Lengths above 0.
    Sizes(&'static str),
    /// A quaternion of length 1, within 1e-3.
    Rotation,
    /// What the checks of the whole table say.
    Elsewhere,
}

/// A walk over the keys of a table that reads its fields.
pub trait Show {
    /// A key whose field always has a value.
    fn value<T: Value>(&mut self, key: Key, field: &T, holds: Holds);

    /// A key whose field is empty when it is not written.
    fn option<T: Value>(&mut self, key: Key, field: &Option<T>, holds: Holds);

    /// A key that holds more than one value, and is read, checked and written by hand.
    fn other(&mut self, key: Key);

    /// A key whose value is one of a few words.
    fn word<T: Named>(&mut self, key: Key, field: &T) {
        self.value(key, &Word(*field), Holds::Elsewhere);
    }

    /// A key whose value is a direction: three numbers, or the letter of an axis.
    fn direction(&mut self, key: Key, field: &Vec3) {
        self.value(key, &Direction(*field), Holds::Direction);
    }

    /// A key whose value is a factor for all axes, or one for each.
    fn scale(&mut self, key: Key, field: &Vec3) {
        self.value(key, &Scale(*field), Holds::Elsewhere);
    }

    /// Keys that stand in this table and fill a struct of their own.
    fn inner<T: Table>(&mut self, table: &T)
    where
        Self: Sized,
    {
        table.show(self);
    }
}

/// A walk over the keys of a table that fills its fields.
pub trait Fill {
    /// A key whose field always has a value.
    fn value<T: Value>(&mut self, key: Key, field: &mut T, holds: Holds);

    /// A key whose field is empty when it is not written.
    fn option<T: Value>(&mut self, key: Key, field: &mut Option<T>, holds: Holds);

    /// A key that is read by hand.
    fn other(&mut self, key: Key);

    /// A key whose value is one of a few words.
    fn word<T: Named>(&mut self, key: Key, field: &mut T) {
        let mut word = Word(*field);
        self.value(key, &mut word, Holds::Elsewhere);
        *field = word.0;
    }

    /// A key whose value is a direction: three numbers, or the letter of an axis.
    fn direction(&mut self, key: Key, field: &mut Vec3) {
        let mut direction = Direction(*field);
        self.value(key, &mut direction, Holds::Direction);
        *field = direction.0;
    }

    /// A key whose value is a factor for all axes, or one for each.
    fn scale(&mut self, key: Key, field: &mut Vec3) {
        let mut scale = Scale(*field);
        self.value(key, &mut scale, Holds::Elsewhere);
        *field = scale.0;
    }

    /// Keys that stand in this table and fill a struct of their own.
    fn inner<T: Table>(&mut self, table: &mut T)
    where
        Self: Sized,
    {
        table.fill(self);
    }
}

/// A table of a scene file. Both walks meet the same keys in the order in which they are written.
pub trait Table {
    /// Shows every key with its field.
    fn show<V: Show>(&self, visitor: &mut V);

    /// Lets every key fill its field.
    fn fill<V: Fill>(&mut self, visitor: &mut V);
}

/// Implements [`Table`]: one list of keys serves both walks, since its fields are references of the kind that the walk needs.
macro_rules! table {
    ($type:ident { $($field:ident),* $(,)? } |$v:ident| $body:block) => {
        impl $crate::scene::keys::Table for $type {
            fn show<V: $crate::scene::keys::Show>(&self, $v: &mut V) {
                let Self { $($field,)* .. } = self;
                $body
            }

            fn fill<V: $crate::scene::keys::Fill>(&mut self, $v: &mut V) {
                let Self { $($field,)* .. } = self;
                $body
            }
        }
    };
}
pub(crate) use table;

/// The keys of a table.
pub fn keys_of<T: Table>(table: &T) -> Vec<Key> {
    let mut list = List(Vec::new());
    table.show(&mut list);
    list.0
}

struct List(Vec<Key>);

impl Show for List {
    fn value<T: Value>(&mut self, key: Key, _: &T, _: Holds) {
        self.0.push(key);
    }

    fn option<T: Value>(&mut self, key: Key, _: &Option<T>, _: Holds) {
        self.0.push(key);
    }

    fn other(&mut self, key: Key) {
        self.0.push(key);
    }
}
