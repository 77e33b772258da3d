//! The checksum of zip files, CRC-32.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | P | `POLYNOMIAL` | x³² + x²⁶ + x²³ + … + 1, lowest power in the highest bit |
//! | x⁰, x⁸ | `ONE`, `BYTE` | in the same order of bits |
//!
//! A message is a polynomial over the integers modulo 2, its checksum the remainder by P, the first 32 bits and the result
//! turned over. For a message AB, crc(AB) = crc(A)·x^(8|B|) + crc(B) mod P: the turned-over bits of A's end and B's start
//! cancel.

const POLYNOMIAL: u32 = 0xEDB8_8320;
const ONE: u32 = 1 << 31;
const BYTE: u32 = 1 << 23;

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        let mut remainder = i as u32;
        let mut bit = 0;
        while bit < 8 {
            remainder = times_x(remainder);
            bit += 1;
        }
        table[i] = remainder;
        i += 1;
    }
    table
};

const fn times_x(a: u32) -> u32 {
    if a & 1 == 1 { (a >> 1) ^ POLYNOMIAL } else { a >> 1 }
}

/// The checksum of a message that goes on with `bytes`, where `crc` is that of what came before; 0 for nothing.
pub(super) fn extend(crc: u32, bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!crc, |state, byte| TABLE[((state ^ u32::from(*byte)) & 255) as usize] ^ (state >> 8))
}

/// The checksum of two messages in a row, from their own checksums and the length of the second.
pub(super) fn joined(first: u32, second: u32, second_length: u64) -> u32 {
    let (mut shifted, mut power, mut bits) = (first, BYTE, second_length);
    while bits > 0 {
        if bits & 1 == 1 {
            shifted = product(shifted, power);
        }
        power = product(power, power);
        bits >>= 1;
    }
    shifted ^ second
}

/// a·b mod P.
fn product(a: u32, b: u32) -> u32 {
    let (mut sum, mut shifted) = (0, b);
    for power in 0..32 {
        if a & (ONE >> power) != 0 {
            sum ^= shifted;
        }
        shifted = times_x(shifted);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_the_standard() {
        assert_eq!(extend(0, b"123456789"), 0xCBF4_3926);
        assert_eq!(extend(0, b""), 0);
    }

    #[test]
    fn two_checksums_make_that_of_both() {
        let bytes: Vec<u8> = (0..1000u32).map(|i| (i * i % 251) as u8).collect();
        for cut in [0, 1, 7, 500, 999, 1000] {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(joined(extend(0, a), extend(0, b), b.len() as u64), extend(0, &bytes), "{cut}");
            assert_eq!(extend(extend(0, a), b), extend(0, &bytes));
        }
    }
}
