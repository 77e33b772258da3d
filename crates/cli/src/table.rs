//! Numbers and columns for people.

/// A number with six digits; very large and very small ones with a power of ten.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{x:.3e}");
    }
    let mut before = 1;
    let mut power = 10.0;
    while size >= power && before < 6 {
        before += 1;
        power *= 10.0;
    }
    format!("{x:.*}", 6 - before)
}

/// A number with four digits; very large and very small ones with a power of ten.
pub fn brief(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{x:.2e}");
    }
    let digits = [(1000.0, 0), (100.0, 1), (10.0, 2), (1.0, 3), (0.1, 4), (0.01, 5)];
    let digits = digits.iter().find(|(from, _)| size >= *from).map_or(6, |(_, digits)| *digits);
    format!("{x:.digits$}")
}

/// `x`, `y`, `z` with as many digits as fit side by side.
pub fn vector(v: [f64; 3]) -> String {
    v.map(|x| format!("{:>10}", fixed(x))).concat()
}

fn fixed(x: f64) -> String {
    let size = x.abs();
    if size < 5e-5 {
        "0".to_owned()
    } else if size < 1e4 {
        format!("{x:.4}")
    } else {
        format!("{x:.2e}")
    }
}

/// A length with a unit that suits it.
pub fn length(x: f64) -> String {
    with_unit(x, &[(1.0, "m"), (1e-3, "mm"), (1e-6, "µm"), (1e-9, "nm")])
}

/// A speed with a unit that suits it.
pub fn speed(x: f64) -> String {
    with_unit(x, &[(1.0, "m/s"), (1e-3, "mm/s"), (1e-6, "µm/s"), (1e-9, "nm/s")])
}

/// A time with a unit that suits it.
pub fn duration(x: f64) -> String {
    with_unit(x, &[(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")])
}

fn with_unit(x: f64, units: &[(f64, &str)]) -> String {
    if x == 0.0 {
        return format!("0 {}", units[0].1);
    }
    let last = units[units.len() - 1];
    if x.abs() < 1e-3 * last.0 {
        // A thousandth of the smallest unit is round-off, whatever its digits.
        return format!("<0.001 {}", last.1);
    }
    let (unit, name) = units.iter().copied().find(|(unit, _)| x.abs() >= *unit).unwrap_or(last);
    format!("{} {name}", trimmed(x / unit))
}

/// Four digits, without zeros at the end.
fn trimmed(x: f64) -> String {
    if x.abs() >= 1e6 || x.abs() < 1e-3 {
        return format!("{x:.3e}");
    }
    let digits = if x.abs() >= 100.0 { 1 } else { 3 };
    let text = format!("{x:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Two digits and a power of ten, for residuals; 0 is 0.
pub fn power(x: f64) -> String {
    if x == 0.0 { "0".to_owned() } else { format!("{x:.1e}") }
}

/// Three digits, without zeros at the end, for factors.
pub fn factor(x: f64) -> String {
    if !(1e-3..1e6).contains(&x.abs()) {
        return if x == 0.0 { "0".to_owned() } else { format!("{x:.2e}") };
    }
    let digits = [(100.0, 0), (10.0, 1), (1.0, 2), (0.1, 3)];
    let digits = digits.iter().find(|(from, _)| x.abs() >= *from).map_or(4, |(_, digits)| *digits);
    let text = format!("{x:.digits$}");
    if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A bar to the left for losses and to the right for gains; `share` is from −1 to 1.
pub fn bar(share: f64) -> String {
    const HALF: usize = 20;
    let filled = ((share.abs() * HALF as f64).round() as usize).min(HALF);
    // Something that is there is seen, however small.
    let filled = if share != 0.0 && filled == 0 { "▏".to_owned() } else { "█".repeat(filled) };
    let empty = " ".repeat(HALF - filled.chars().count());
    if share < 0.0 { format!("{empty}{filled}│") } else { format!("{}│{filled}", " ".repeat(HALF)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        assert_eq!(short(0.0), "0");
        assert_eq!(short(6.330_05), "6.33005");
        assert_eq!(short(-1234.5678), "-1234.57");
        assert_eq!(short(123_456.7), "123457");
        assert_eq!(short(1e-9), "1.000e-9");
        assert_eq!(short(-2.5e7), "-2.500e7");
        assert_eq!(short(f64::NAN), "NaN");
    }

    #[test]
    fn brief_numbers_have_four_digits() {
        assert_eq!(brief(6.330_05), "6.330");
        assert_eq!(brief(-0.012_345), "-0.01235");
        assert_eq!(brief(12_345.6), "12346");
        assert_eq!(brief(1e-9), "1.00e-9");
        assert_eq!(brief(0.0), "0");
    }

    #[test]
    fn units_suit_the_size() {
        assert_eq!(length(0.00146477), "1.465 mm");
        assert_eq!(length(0.0), "0 m");
        assert_eq!(duration(0.12), "120 ms");
        assert_eq!(duration(2.5), "2.5 s");
        assert_eq!(length(3e-12), "0.003 nm");
        assert_eq!(length(2.776e-17), "<0.001 nm");
    }

    #[test]
    fn factors_and_residuals_have_no_noise() {
        assert_eq!(factor(21.6978), "21.7");
        assert_eq!(factor(1234.5), "1234");
        assert_eq!(factor(0.5), "0.5");
        assert_eq!(factor(2.0), "2");
        assert_eq!(power(0.0), "0");
        assert_eq!(power(1.25e-17), "1.2e-17");
    }

    #[test]
    fn bars_are_equally_wide_left_and_right_of_zero() {
        assert_eq!(bar(-1.0), format!("{}│", "█".repeat(20)));
        assert_eq!(bar(0.5), format!("{}│{}", " ".repeat(20), "█".repeat(10)));
        assert!(bar(-1e-9).contains('▏'));
        assert_eq!(bar(0.0).chars().filter(|c| *c != ' ').count(), 1);
    }
}
