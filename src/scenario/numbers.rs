//! What counts as a number: what every version of YAML reads alike, and nothing else.

/// `-12`, not `012`, `0x1f` or `1_000`: what YAML versions read differently is no number.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
}

/// `0.98`, `.5`, `1e-2`; never infinite.
pub(super) fn is_real(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    (!whole.is_empty() || !fraction.is_empty())
        && digits(whole)
        && digits(fraction)
        && exponent.is_none_or(|exponent| {
            let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
            !exponent.is_empty() && digits(exponent)
        })
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_are_whole_numbers() {
        for right in ["0", "7", "-12", "+3", "640"] {
            assert!(is_integer(right), "{right}");
        }
        for wrong in ["", "-", "012", "0x1f", "1_000", "1.0", "1e3", "22:22", " 1", "٣", "--1"] {
            assert!(!is_integer(wrong), "{wrong}");
        }
    }

    #[test]
    fn real_numbers_are_decimal_and_finite() {
        for right in ["0.98", "1", ".5", "5.", "1e-2", "-0.1", "2E+3"] {
            assert!(is_real(right), "{right}");
        }
        for wrong in
            ["", ".", "-", "nan", ".nan", "inf", ".inf", "infinity", "1e", "1e999", "0x1", "1_0", "0,98"]
        {
            assert!(!is_real(wrong), "{wrong}");
        }
    }
}
