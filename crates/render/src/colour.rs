//! Colours. Light is added up in linear measure; a number of a file is about its square root.

use huygens_math::Vec3;
use huygens_math::scalar::clamp;

/// A colour in linear light, 0 to 1 each.
pub(crate) type Light = Vec3;

/// Muted, and told apart also by those who see fewer colours.
const BODIES: [[u8; 3]; 10] = [
    [86, 133, 196],
    [226, 150, 72],
    [104, 168, 116],
    [204, 92, 92],
    [148, 118, 190],
    [222, 190, 92],
    [84, 172, 178],
    [206, 128, 164],
    [132, 148, 92],
    [158, 120, 96],
];
const FIXED: [u8; 3] = [206, 204, 198];
const DRIVEN: [u8; 3] = [222, 98, 54];
pub(crate) const GROUND: [u8; 3] = [232, 232, 229];
pub(crate) const EDGE: [u8; 3] = [120, 128, 140];
pub(crate) const JOINT: [u8; 3] = [64, 70, 82];
pub(crate) const FORCE: [u8; 3] = [178, 24, 60];
/// Of the sky at the top of a picture, and at its foot.
pub(crate) const SKY: [[u8; 3]; 2] = [[224, 232, 241], [248, 249, 250]];

/// A colour of a file as light.
pub(crate) fn light(colour: [u8; 3]) -> Light {
    Vec3::from_array(colour.map(|c| f64::from(c) / 255.0 * f64::from(c) / 255.0))
}

/// Light as a colour of a file.
pub(crate) fn bytes(light: Light) -> [u8; 3] {
    light.to_array().map(|x| (clamp(x, 0.0, 1.0).sqrt() * 255.0 + 0.5) as u8)
}

/// Who a body is to the eye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Moving,
    Fixed,
    Driven,
}

/// The colour of a body. Bodies of one pattern, NAME[0], NAME[1], …, share a hue and differ a little in brightness.
pub(crate) fn of_body(name: &str, role: Role) -> Light {
    match role {
        Role::Fixed => light(FIXED),
        Role::Driven => light(DRIVEN),
        Role::Moving => {
            let (base, number) = match name.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')) {
                Some((base, number)) => (base, number.parse().unwrap_or(0)),
                None => name
                    .find(|c: char| c.is_ascii_digit())
                    .map_or((name, 0), |at| (&name[..at], name[at..].parse::<usize>().unwrap_or(0))),
            };
            let mixed = base.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte));
            let hue = BODIES[((mixed ^ (mixed >> 7)) % BODIES.len() as u32) as usize];
            let shade = [0.0, 0.3, -0.2, 0.15, -0.3, 0.4, -0.1][number % 7];
            light(hue) * (1.0 + shade)
        }
    }
}
