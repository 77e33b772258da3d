//! Numbers as text that a page can carry: little-endian bytes in base64 (RFC 4648).

use huygens_formats::base64::encode;

/// 32-bit floats.
pub fn floats(values: impl IntoIterator<Item = f32>) -> String {
    encode(&values.into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

/// 32-bit whole numbers.
pub fn integers(values: impl IntoIterator<Item = u32>) -> String {
    encode(&values.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian() {
        assert_eq!(floats([1.0]), "AACAPw==");
        assert_eq!(integers([1]), "AQAAAA==");
    }
}
