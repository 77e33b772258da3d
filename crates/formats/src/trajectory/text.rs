//! Motions as text: `.csv` and `.jsonl`.

use super::frame::{Cast, Frame, Side};
use super::store::{Store, after};
use super::writer::{Sink, Written};
use crate::json::{self, Object};
use huygens::ledger::Account;
use huygens_math::Quat;
use std::fmt::Write;
use std::io;

/// Which text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextKind {
    /// A row for each body and step.
    Csv,
    /// An object for each step.
    Jsonl,
}

const CSV_HEADER: &str = "step,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz";
/// Columns of a scene with joints: the joint that carries the body.
const CSV_JOINT: &str = ",joint,q,v";
/// The text that is kept before it is written [bytes].
const CHUNK: usize = 1 << 16;

/// Streams frames as text.
#[derive(Debug)]
pub(super) struct Text<S> {
    out: S,
    kind: TextKind,
    /// Text of steps that are not in the file yet.
    waiting: String,
    /// Bytes of whole steps in the file.
    length: u64,
    taken: u64,
    last: Option<u64>,
    written: Written,
}

impl<S: Store> Text<S> {
    /// Writes to `out`.
    pub fn new(out: S, kind: TextKind, cast: &Cast) -> Self {
        let waiting = match kind {
            TextKind::Csv if cast.joints.is_empty() => format!("{CSV_HEADER}\n"),
            TextKind::Csv => format!("{CSV_HEADER}{CSV_JOINT}\n"),
            TextKind::Jsonl => String::new(),
        };
        Self { out, kind, waiting, length: 0, taken: 0, last: None, written: Written::default() }
    }
}

impl<S: Store + std::fmt::Debug> Sink for Text<S> {
    fn frame(&mut self, frame: &Frame, cast: &Cast) -> io::Result<()> {
        match self.kind {
            TextKind::Csv => push_rows(&mut self.waiting, frame, cast),
            TextKind::Jsonl => push_object(&mut self.waiting, frame, cast),
        }
        self.taken += 1;
        self.last = Some(frame.step);
        if self.waiting.len() >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.write_all(self.waiting.as_bytes()).and_then(|()| self.out.flush());
        if let Err(error) = done {
            // Half a step is worse than none.
            return Err(after(error, self.out.cut(self.length)));
        }
        self.length += self.waiting.len() as u64;
        self.waiting.clear();
        self.written = Written { steps: self.taken, last: self.last };
        Ok(())
    }

    fn written(&self) -> Written {
        self.written
    }
}

fn push_rows(out: &mut String, frame: &Frame, cast: &Cast) {
    for (i, (body, name)) in frame.bodies.iter().zip(&cast.names).enumerate() {
        let _ = write!(out, "{}", frame.step);
        push_number(out, frame.time);
        out.push(',');
        push_field(out, name);
        let (p, v, w) = (body.position, body.linear_velocity, body.angular_velocity);
        p.to_array().into_iter().chain(wxyz(body.orientation)).for_each(|x| push_number(out, x));
        v.to_array().into_iter().chain(w.to_array()).for_each(|x| push_number(out, x));
        if !cast.joints.is_empty() {
            push_joint(out, frame, cast, Side::Moving(i as u32));
        }
        out.push('\n');
    }
}

/// The joint that carries a body; empty fields where there is none.
fn push_joint(out: &mut String, frame: &Frame, cast: &Cast, body: Side) {
    let mut joints = frame.joints.iter().zip(&cast.joints);
    let Some((joint, cast)) = joints.find(|(_, cast)| cast.child == body) else {
        out.push_str(",,,");
        return;
    };
    out.push(',');
    push_field(out, &cast.name);
    push_number(out, joint.q);
    push_number(out, joint.v);
}

fn push_object(out: &mut String, frame: &Frame, cast: &Cast) {
    let mut ledger = Object::default();
    for (account, value) in Account::ALL.iter().zip(frame.ledger) {
        ledger.number(account.name(), value);
    }
    let bodies = frame.bodies.iter().zip(&cast.names).map(|(body, name)| {
        let mut object = Object::default();
        object
            .text("name", name)
            .numbers("position", body.position.to_array())
            .numbers("orientation", wxyz(body.orientation))
            .numbers("linear_velocity", body.linear_velocity.to_array())
            .numbers("angular_velocity", body.angular_velocity.to_array())
            .number("kinetic_energy", body.kinetic_energy);
        object.finish()
    });
    let contacts = frame.contacts.iter().map(|contact| {
        let mut object = Object::default();
        object
            .list("bodies", contact.side.map(|side| json::text(cast.name(side))))
            .numbers("point", contact.point.to_array())
            .numbers("normal", contact.normal.to_array())
            .number("gap", contact.gap)
            .numbers("force", contact.force.to_array())
            .numbers("slip", contact.slip.to_array());
        object.finish()
    });
    let joints = frame.joints.iter().zip(&cast.joints).map(|(joint, cast)| {
        let mut object = Object::default();
        object.text("name", &cast.name).number("q", joint.q).number("v", joint.v);
        object.numbers("point", joint.at.to_array());
        object.finish()
    });
    let mut object = Object::default();
    object
        .integer("step", frame.step)
        .number("time", frame.time)
        .number("energy", frame.energy)
        .number("kinetic_energy", frame.kinetic_energy)
        .raw("ledger", &ledger.finish())
        .list("bodies", bodies)
        .list("joints", joints)
        .list("contacts", contacts);
    push_channels(&mut object, frame, cast);
    out.push_str(&object.finish());
    out.push('\n');
}

/// What a robot tells: its state, and its sensors by name.
fn push_channels(object: &mut Object, frame: &Frame, cast: &Cast) {
    if cast.channels.is_empty() {
        return;
    }
    let mut sensors = Object::default();
    let mut rest = frame.channels.as_slice();
    for channel in &cast.channels {
        let (values, after) = rest.split_at(channel.width.min(rest.len()));
        rest = after;
        let of = if channel.is_sensor { &mut sensors } else { &mut *object };
        of.list(&channel.name, values.iter().map(|x| json::number(*x)));
    }
    object.raw("sensors", &sensors.finish());
}

fn wxyz(q: Quat) -> [f64; 4] {
    [q.w, q.x, q.y, q.z]
}

/// An empty field for a number that is not finite.
fn push_number(out: &mut String, x: f64) {
    out.push(',');
    if x.is_finite() {
        let _ = write!(out, "{x:?}");
    }
}

/// In quotes where a comma, a quote or a line break would be taken for the file's own.
pub(super) fn push_field(out: &mut String, text: &str) {
    if text.contains(['"', ',', '\n', '\r']) {
        out.push('"');
        out.push_str(&text.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(text);
    }
}
