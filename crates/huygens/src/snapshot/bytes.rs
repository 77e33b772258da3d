//! Numbers and lists as bytes, little-endian, every bit kept.

use crate::contacts::{ContactHead, ContactPoint, Contacts, Kept, KeptManifolds};
use crate::event::{Event, EventKind};
use crate::handle::{BodyId, JointId, ShapeId};
use crate::state::{
    Broken, Drive, DriverRecord, MotorRecord, OneStepForce, Placed, Sleep, Stillness, TreeCredit,
};
use huygens_contact::{GroupKey, Velocity};
use huygens_dynamics::DofDrive;
use huygens_geometry::{Feature, FeatureId, MAX_POINTS, Manifold, ManifoldPoint, Reference, Reuse};
use huygens_math::{Pose, Quat, Sum, Twist, Vec3};

/// Bytes that are being read.
pub(crate) struct Input<'b>(pub &'b [u8]);

/// The bytes end early, or say what cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl Input<'_> {
    pub fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*first)
    }
}

/// A type that is stored.
pub(crate) trait Bytes: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(input: &mut Input) -> Result<Self, Malformed>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Bytes for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(input: &mut Input) -> Result<Self, Malformed> {
                input.take().map(Self::from_le_bytes)
            }
        }
    )*};
}
numbers!(u8, u16, u32, u64, f64);

/// A struct, field by field. Every field is named, so that a new one is an error of the compiler until it is stored too.
macro_rules! fields {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl $crate::snapshot::bytes::Bytes for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($field.put(out);)*
            }

            fn take(
                input: &mut $crate::snapshot::bytes::Input,
            ) -> Result<Self, $crate::snapshot::bytes::Malformed> {
                $(let $field = $crate::snapshot::bytes::Bytes::take(input)?;)*
                Ok(Self { $($field),* })
            }
        }
    };
}
pub(crate) use fields;

/// A type that is stored as another one, which may be none of its values.
macro_rules! as_other {
    ($type:ty, $other:ty, $to:expr, $from:expr) => {
        impl Bytes for $type {
            fn put(&self, out: &mut Vec<u8>) {
                let to: fn(&Self) -> $other = $to;
                to(self).put(out);
            }

            fn take(input: &mut Input) -> Result<Self, Malformed> {
                let from: fn($other) -> Option<Self> = $from;
                from(<$other>::take(input)?).ok_or(Malformed)
            }
        }
    };
}

as_other!(bool, u8, |x| u8::from(*x), |x| [false, true].get(usize::from(x)).copied());
as_other!(Vec3, [f64; 3], |v| v.to_array(), |v| Some(Self::from_array(v)));
as_other!(Quat, [f64; 4], |q| q.to_array(), |q| Some(Self::from_array(q)));
as_other!(GroupKey, [u32; 4], |key| key.numbers(), |numbers| Some(Self::from_numbers(numbers)));
as_other!(Sum, [f64; 3], |sum| sum.parts(), |parts| Some(Self::from_parts(parts)));
as_other!(Feature, u32, |feature| feature.number(), |number| Some(Self::from_number(number)));
as_other!(Reference, u8, |side| *side as u8, |x| match x {
    0 => Some(Self::A),
    1 => Some(Self::B),
    _ => None,
});
as_other!(EventKind, u8, |kind| *kind as u8, |x| match x {
    0 => Some(Self::End),
    1 => Some(Self::Begin),
    2 => Some(Self::Break),
    3 => Some(Self::Wake),
    4 => Some(Self::Sleep),
    5 => Some(Self::Quarantine),
    _ => None,
});
as_other!(Placed, u8, |placed| *placed as u8, |x| match x {
    0 => Some(Self::Clear),
    1 => Some(Self::New),
    2 => Some(Self::Inside),
    3 => Some(Self::StillInside),
    _ => None,
});
fields!(Twist { linear, angular });
fields!(Pose { rotation, translation });
fields!(FeatureId { a, b });
fields!(ManifoldPoint { on_a, on_b, gap, feature });
fields!(Reuse { turn, travel });
fields!(Velocity { free, dof });
fields!(ContactHead { key, first, len });
fields!(ContactPoint { impulse, feature });
fields!(Kept { a, b, at, made_at, reach, gap });
fields!(KeptManifolds { pairs, slots, free });
fields!(Contacts { heads, points, couples, kept });
fields!(Drive { target, axis });
fields!(DofDrive { force, stiffness, damping, position, velocity });
fields!(OneStepForce { slot, lasting_force, lasting_torque });
fields!(DriverRecord { work, peak_force, peak_torque });
fields!(MotorRecord { work, power });
fields!(TreeCredit { lent, scale });
fields!(Broken { name, time, force, torque });
fields!(BodyId { slot, generation, world });
fields!(ShapeId { slot, generation, world });
fields!(JointId { number, world });
fields!(Event { kind, shapes, bodies, sensor, joint });
fields!(Stillness { anchor, time, drift, before, rests });
fields!(Sleep { island, stillness, sleepers, changes, loaded, contacts, touching, row_impulses, told });

impl<T: Bytes> Bytes for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(input: &mut Input) -> Result<Self, Malformed> {
        Ok(if bool::take(input)? { Some(T::take(input)?) } else { None })
    }
}

impl Bytes for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_bytes().to_vec().put(out);
    }

    fn take(input: &mut Input) -> Result<Self, Malformed> {
        Self::from_utf8(Vec::take(input)?).map_err(|_| Malformed)
    }
}

impl<T: Bytes, const N: usize> Bytes for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|item| item.put(out));
    }

    fn take(input: &mut Input) -> Result<Self, Malformed> {
        let mut items = Vec::with_capacity(N);
        for _ in 0..N {
            items.push(T::take(input)?);
        }
        items.try_into().map_err(|_| Malformed)
    }
}

impl<A: Bytes, B: Bytes> Bytes for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn take(input: &mut Input) -> Result<Self, Malformed> {
        Ok((A::take(input)?, B::take(input)?))
    }
}

impl<T: Bytes> Bytes for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        self.iter().for_each(|item| item.put(out));
    }

    fn take(input: &mut Input) -> Result<Self, Malformed> {
        let len = u64::take(input)?;
        // An item has a byte at least: a wrong length asks for no more memory than there are bytes.
        let len = usize::try_from(len).ok().filter(|len| *len <= input.0.len()).ok_or(Malformed)?;
        let mut list = Self::with_capacity(len);
        for _ in 0..len {
            list.push(T::take(input)?);
        }
        Ok(list)
    }
}

impl Bytes for Manifold {
    fn put(&self, out: &mut Vec<u8>) {
        (self.normal, self.reference).put(out);
        (self.sub_shape, self.round).put(out);
        self.reuse.put(out);
        (self.points().len() as u8).put(out);
        self.points().iter().for_each(|point| point.put(out));
    }

    fn take(input: &mut Input) -> Result<Self, Malformed> {
        let (normal, reference) = Bytes::take(input)?;
        let mut manifold = Self::new(normal, reference);
        (manifold.sub_shape, manifold.round) = Bytes::take(input)?;
        manifold.reuse = Bytes::take(input)?;
        let len = u8::take(input)?;
        if usize::from(len) > MAX_POINTS {
            return Err(Malformed);
        }
        for _ in 0..len {
            manifold.push(ManifoldPoint::take(input)?);
        }
        Ok(manifold)
    }
}
