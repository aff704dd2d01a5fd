//! Numbers, compared by their value and not by how they are written.

/// Larger exponents are not written out.
const MOST_ZEROS: usize = 400;

/// Returns the one way to write a decimal number: `100` for `100.0`, `+1e2` and `0100`; none for what is no number.
///
/// No digit is lost, however many there are.
pub(super) fn decimal(text: &str) -> Option<String> {
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_end_matches('0');
    let dropped = digits.len() - significant.len();
    let scale = i64::try_from(dropped).ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let digits = significant.trim_start_matches('0');
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    Some(format!("{sign}{}", written_out(digits, exponent.checked_add(scale)?)))
}

/// Writes `digits` × 10^`exponent`.
fn written_out(digits: &str, exponent: i64) -> String {
    let zeros = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
    if zeros > MOST_ZEROS {
        format!("{digits}e{exponent}")
    } else if exponent >= 0 {
        format!("{digits}{}", "0".repeat(zeros))
    } else {
        let (whole, fraction) = digits.split_at_checked(digits.len().saturating_sub(zeros)).unwrap_or((digits, ""));
        let whole = if whole.is_empty() { "0" } else { whole };
        format!("{whole}.{fraction:0>zeros$}")
    }
}
