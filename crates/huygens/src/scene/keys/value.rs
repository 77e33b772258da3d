//! Types that the value of one key can have.

use crate::scene::{Axis, Band, Color, Cone, Named, PyramidRule, Resolution, WarmRule};
use huygens_math::{Quat, Sym3, Vec2, Vec3};
use std::borrow::Cow;

/// A value of a file that is being read.
pub trait Source: Sized {
    /// The number, when it is one.
    fn number(&self) -> Option<f64>;
    /// The whole number, when it is one.
    fn integer(&self) -> Option<i128>;
    /// True or false, when it is one of them.
    fn flag(&self) -> Option<bool>;
    /// The text, when it is one.
    fn text(&self) -> Option<&str>;
    /// The items, when it is an array.
    fn items(&self) -> Option<&[Self]>;
}

/// Most numbers that one key holds.
pub const MOST_NUMBERS: usize = 7;

/// A value that is written or checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain<'a> {
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(i128),
    /// True or false.
    Flag(bool),
    /// A text.
    Text(Cow<'a, str>),
    /// The first so many of these numbers.
    Numbers([f64; MOST_NUMBERS], usize),
    /// Texts.
    Texts(&'a [String]),
    /// Vectors.
    Vectors(&'a [Vec3]),
}

/// Why a value of a file is not of the type that its key has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is of another type than [`Value::EXPECTED`].
    Type,
    /// It is a word, and none of these.
    Word(Vec<&'static str>),
}

/// A type of the value of a key.
pub trait Value: PartialEq + Sized {
    /// The words for a value of this type in errors.
    const EXPECTED: &'static str;

    /// The value that is written there.
    ///
    /// # Errors
    /// A value of another type, or a word that is not known.
    fn read<S: Source>(source: &S) -> Result<Self, Unfit>;

    /// The value as files write it.
    fn plain(&self) -> Plain<'_>;
}

/// The numbers of an array, when it has as many as wanted.
fn numbers<const N: usize, S: Source>(source: &S) -> Result<[f64; N], Unfit> {
    let items = source.items().filter(|items| items.len() == N).ok_or(Unfit::Type)?;
    let mut numbers = [0.0; N];
    for (number, item) in numbers.iter_mut().zip(items) {
        *number = item.number().ok_or(Unfit::Type)?;
    }
    Ok(numbers)
}

fn of_numbers<const N: usize>(numbers: [f64; N]) -> Plain<'static> {
    const { assert!(N <= MOST_NUMBERS) };
    let mut list = [0.0; MOST_NUMBERS];
    list[..N].copy_from_slice(&numbers);
    Plain::Numbers(list, N)
}

/// The vectors of an array, when it has as many as wanted.
fn vectors<const N: usize, S: Source>(source: &S) -> Result<[Vec3; N], Unfit> {
    let items = source.items().filter(|items| items.len() == N).ok_or(Unfit::Type)?;
    let mut vectors = [Vec3::ZERO; N];
    for (vector, item) in vectors.iter_mut().zip(items) {
        *vector = Vec3::read(item)?;
    }
    Ok(vectors)
}

/// A type whose values are read by one expression and written by another.
macro_rules! value {
    ($type:ty, $expected:literal, $read:expr, $plain:expr) => {
        impl Value for $type {
            const EXPECTED: &'static str = $expected;

            fn read<S: Source>(source: &S) -> Result<Self, Unfit> {
                let read: fn(&S) -> Result<Self, Unfit> = $read;
                read(source)
            }

            fn plain(&self) -> Plain<'_> {
                let plain: fn(&Self) -> Plain<'_> = $plain;
                plain(self)
            }
        }
    };
}

value!(f64, "a number", |s| s.number().ok_or(Unfit::Type), |x| Plain::Number(*x));
value!(bool, "true or false", |s| s.flag().ok_or(Unfit::Type), |x| Plain::Flag(*x));
value!(String, "a string", |s| s.text().map(str::to_owned).ok_or(Unfit::Type), |x| Plain::Text(
    Cow::Borrowed(x)
));
value!(u64, "an integer from 0 to 18446744073709551615", integer, |x| Plain::Integer(i128::from(*x)));
value!(u32, "an integer from 0 to 4294967295", integer, |x| Plain::Integer(i128::from(*x)));
value!(i32, "an integer from -2147483648 to 2147483647", integer, |x| Plain::Integer(i128::from(*x)));
value!(Vec2, "two numbers [x, y]", |s| numbers(s).map(Self::from_array), |v| of_numbers(v.to_array()));
value!(Vec3, "three numbers [x, y, z]", |s| numbers(s).map(Self::from_array), |v| of_numbers(v.to_array()));
value!(
    Quat,
    "a quaternion of four numbers [w, x, y, z]",
    |s| numbers(s).map(|[w, x, y, z]| Self::from_xyzw(x, y, z, w)),
    |q| of_numbers([q.w, q.x, q.y, q.z])
);
value!(Band, "a band [smallest, largest]", |s| numbers(s).map(|[low, high]| Self { low, high }), |band| {
    of_numbers([band.low, band.high])
});
value!([f64; 2], "two numbers [low, high]", numbers, |pair| of_numbers(*pair));
value!([f64; 5], "five numbers", numbers, |five| of_numbers(*five));
value!([f64; 7], "seven numbers", numbers, |seven| of_numbers(*seven));
value!(
    Sym3,
    "three numbers [xx, yy, zz] or six [xx, yy, zz, xy, xz, yz]",
    |s| match numbers(s) {
        Ok(diagonal) => Ok(Self::diagonal(Vec3::from_array(diagonal))),
        Err(_) => numbers(s).map(|[xx, yy, zz, xy, xz, yz]| Self { xx, yy, zz, xy, xz, yz }),
    },
    |m| of_numbers([m.xx, m.yy, m.zz, m.xy, m.xz, m.yz])
);
value!(
    Color,
    "a colour such as \"#c04040\"",
    |s| s.text().and_then(Self::parse).ok_or(Unfit::Type),
    |color| Plain::Text(Cow::Owned(color.to_string()))
);
value!([Vec3; 2], "two points [[x, y, z], [x, y, z]]", vectors, |v| Plain::Vectors(v));
value!([Vec3; 3], "three rows [[x, y, z], [x, y, z], [x, y, z]]", vectors, |v| Plain::Vectors(v));
value!(
    Vec<String>,
    "names such as [\"a\", \"b\"]",
    // One name needs no brackets.
    |s| match (s.text(), s.items()) {
        (Some(name), _) => Ok(vec![name.to_owned()]),
        (None, Some(items)) => items.iter().map(String::read).collect(),
        (None, None) => Err(Unfit::Type),
    },
    |names| Plain::Texts(names)
);

fn integer<T: TryFrom<i128>, S: Source>(source: &S) -> Result<T, Unfit> {
    source.integer().and_then(|x| T::try_from(x).ok()).ok_or(Unfit::Type)
}

/// A choice among a few words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Word<T>(pub T);

impl<T: Named> Value for Word<T> {
    const EXPECTED: &'static str = "a string";

    fn read<S: Source>(source: &S) -> Result<Self, Unfit> {
        let word = source.text().ok_or(Unfit::Type)?;
        let known = || T::NAMES.iter().map(|(known, _)| *known).collect();
        T::from_word(word).map(Self).ok_or_else(|| Unfit::Word(known()))
    }

    fn plain(&self) -> Plain<'_> {
        Plain::Text(Cow::Borrowed(self.0.word()))
    }
}

value!(Cone, "a string", |s| Word::read(s).map(|word| word.0), |cone| Plain::Text(Cow::Borrowed(
    cone.word()
)));
value!(Resolution, "a string", |s| Word::read(s).map(|word| word.0), |resolution| Plain::Text(
    Cow::Borrowed(resolution.word())
));
value!(PyramidRule, "a string", |s| Word::read(s).map(|word| word.0), |rule| Plain::Text(Cow::Borrowed(
    rule.word()
)));
value!(WarmRule, "a string", |s| Word::read(s).map(|word| word.0), |rule| Plain::Text(Cow::Borrowed(
    rule.word()
)));

/// A direction by its components or by the letter of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Direction(pub Vec3);

value!(
    Direction,
    "a direction [x, y, z] or \"x\", \"y\", \"z\"",
    |s| match s.text() {
        Some(letter) => Axis::from_word(letter).map(|axis| Self(axis.vector())).ok_or(Unfit::Type),
        None => Vec3::read(s).map(Self),
    },
    |d| d.0.plain()
);

/// One factor for all axes, or one for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale(pub Vec3);

value!(
    Scale,
    "one factor or three [x, y, z]",
    |s| match s.number() {
        Some(factor) => Ok(Self(Vec3::splat(factor))),
        None => Vec3::read(s).map(Self),
    },
    |scale| scale.0.plain()
);
