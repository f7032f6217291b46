//! The arithmetic of the SSIM map, one row of windows at a time.
//!
//! Wang, Bovik, Sheikh, Simoncelli, *Image Quality Assessment: From Error Visibility to Structural
//! Similarity*, 2004, with a uniform window of 7x7, K1 = 0.01, K2 = 0.03, L = 255 and sample covariances
//! (divided by 48). With N = 49, sums S over the window, and everything multiplied by N² and N (N - 1):
//!
//! ```text
//!            (2 Sa Sb + C1 N²) (2 (N Sab - Sa Sb) + C2 N (N - 1))
//! SSIM = -----------------------------------------------------------------
//!        (Sa² + Sb² + C1 N²) (N (Saa + Sbb) - Sa² - Sb² + C2 N (N - 1))
//! ```
//!
//! The map holds 1 - SSIM, the *deficit*. Both factors of the denominator minus those of the numerator are
//! the exact integers (Sa - Sb)² and N Sdd - (Sa - Sb)², d = a - b, so that nothing is lost by cancellation:
//! a deficit is zero only where the windows are equal, and single precision keeps seven digits of it however
//! small it is. All sums are integers and Rust contracts no floating-point operations, hence the values are
//! the same to the last bit with any instruction set, which is what makes a verdict the same on any machine.

/// Width and height of the window.
pub(super) const WINDOW: usize = 7;
/// Pixels from the centre of the window to its edge.
pub(super) const RADIUS: usize = WINDOW / 2;
/// Bytes of a pixel: red, green, blue. The channels stay interleaved; a neighbour is three bytes away.
pub(super) const CHANNELS: usize = 3;

const N: i32 = (WINDOW * WINDOW) as i32;
/// C1 N² with C1 = (0.01 · 255)².
const C1: f32 = 6.5025 * (N * N) as f32;
/// C2 N (N - 1) with C2 = (0.03 · 255)².
const C2: f32 = 58.5225 * (N * (N - 1)) as f32;

/// Sums over the rows of a window, for each byte of a row of pixels.
pub(super) struct Sums {
    /// Of the expected picture, at most 7 · 255.
    a: Vec<u16>,
    /// Of the actual picture.
    b: Vec<u16>,
    /// Of a² + b², at most 7 · 2 · 255².
    squares: Vec<u32>,
    /// Of (a - b)².
    differences: Vec<u32>,
    /// The same four over the columns of a window as well.
    window: WindowSums,
}

/// Sums over whole windows, for each byte of the windows' centres; the fields are those of [`Sums`].
struct WindowSums {
    a: Vec<u16>,
    b: Vec<u16>,
    squares: Vec<u32>,
    differences: Vec<u32>,
}

type Slide = fn(&mut Sums, enter: [&[u8]; 2], leave: [&[u8]; 2]);

/// The two steps, compiled for the instruction set at hand.
#[derive(Clone, Copy)]
pub(super) struct Kernel {
    /// Moves the sums one row down: a row of both pictures enters, another leaves.
    pub(super) slide: Slide,
    /// Writes the deficits of one row of windows, three per pixel.
    pub(super) deficits: fn(&mut Sums, &mut [f32]),
}

impl Sums {
    /// Zero sums for rows of `bytes` bytes, which include the pixels around the windows' centres.
    pub(super) fn new(bytes: usize) -> Self {
        let inner = bytes - 2 * RADIUS * CHANNELS;
        Self {
            a: vec![0; bytes],
            b: vec![0; bytes],
            squares: vec![0; bytes],
            differences: vec![0; bytes],
            window: WindowSums {
                a: vec![0; inner],
                b: vec![0; inner],
                squares: vec![0; inner],
                differences: vec![0; inner],
            },
        }
    }
}

impl Kernel {
    /// Works everywhere.
    pub(super) const PORTABLE: Self = Self { slide, deficits };

    /// The fastest this processor has.
    pub(super) fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::AVX2;
        }
        Self::PORTABLE
    }

    #[cfg(target_arch = "x86_64")]
    #[expect(
        unsafe_code,
        reason = "only `best` hands this out, once the processor has said that it knows AVX2"
    )]
    const AVX2: Self = Self {
        slide: |sums, enter, leave| unsafe { slide_avx2(sums, enter, leave) },
        deficits: |sums, out| unsafe { deficits_avx2(sums, out) },
    };
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn slide_avx2(sums: &mut Sums, enter: [&[u8]; 2], leave: [&[u8]; 2]) {
    slide(sums, enter, leave);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn deficits_avx2(sums: &mut Sums, out: &mut [f32]) {
    deficits(sums, out);
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once more for AVX2 inside the function above")]
fn slide(sums: &mut Sums, enter: [&[u8]; 2], leave: [&[u8]; 2]) {
    let rows = enter[0].iter().zip(enter[1]).zip(leave[0]).zip(leave[1]);
    let plain = sums.a.iter_mut().zip(&mut sums.b);
    let squared = sums.squares.iter_mut().zip(&mut sums.differences);
    for (((((&a, &b), &old_a), &old_b), (sum_a, sum_b)), (squares, differences)) in
        rows.zip(plain).zip(squared)
    {
        *sum_a = sum_a.wrapping_add(u16::from(a)).wrapping_sub(u16::from(old_a));
        *sum_b = sum_b.wrapping_add(u16::from(b)).wrapping_sub(u16::from(old_b));
        *squares = squares
            .wrapping_add(square(a))
            .wrapping_add(square(b))
            .wrapping_sub(square(old_a))
            .wrapping_sub(square(old_b));
        *differences =
            differences.wrapping_add(square(a.abs_diff(b))).wrapping_sub(square(old_a.abs_diff(old_b)));
    }
}

/// In 16 bits, where it fits and twice as many lanes do.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the kernel")]
fn square(value: u8) -> u32 {
    let value = u16::from(value);
    u32::from(value.wrapping_mul(value))
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "compiled once more for AVX2 inside the function above")]
fn deficits(sums: &mut Sums, out: &mut [f32]) {
    let WindowSums { a, b, squares, differences } = &mut sums.window;
    // Bounds: a and b at most 49 · 255 = 12,495, squares 49 · 2 · 255² = 6,372,450; times 49 that is below
    // 2³¹.
    box_sum(&sums.a, a);
    box_sum(&sums.b, b);
    box_sum(&sums.squares, squares);
    box_sum(&sums.differences, differences);
    let windows = a.iter().zip(b.iter()).zip(squares.iter()).zip(differences.iter());
    for (out, (((&a, &b), &squares), &differences)) in out.iter_mut().zip(windows) {
        let (a, b) = (i32::from(a), i32::from(b));
        let twice_product = (2 * a).wrapping_mul(b);
        let mean_gap = (a - b).wrapping_mul(a - b);
        let mean_squares = mean_gap.wrapping_add(twice_product);
        let variances = N.wrapping_mul(squares as i32).wrapping_sub(mean_squares);
        let variance_gap = N.wrapping_mul(differences as i32).wrapping_sub(mean_gap);
        let (luminance, structure) = (mean_squares as f32 + C1, variances as f32 + C2);
        let lost = mean_gap as f32 * structure + (twice_product as f32 + C1) * variance_gap as f32;
        *out = lost / (luminance * structure);
    }
}

/// Sums of seven neighbours, three bytes apart; in pairs, so that no addition waits for all those before it.
#[inline(always)]
#[expect(clippy::inline_always, reason = "part of the kernel")]
fn box_sum<T: Copy + std::ops::Add<Output = T>>(values: &[T], out: &mut [T]) {
    for (sum, v) in out.iter_mut().zip(values.windows(19)) {
        *sum = ((v[0] + v[3]) + (v[6] + v[9])) + ((v[12] + v[15]) + v[18]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u32, length: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(2_654_435_761) | 1;
        std::iter::repeat_with(|| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 24) as u8
        })
        .take(length)
        .collect()
    }

    fn run(kernel: Kernel, bytes: usize) -> Vec<f32> {
        let mut sums = Sums::new(bytes);
        let mut out = vec![0.0; bytes - 18];
        let rows: Vec<_> = (0..9).map(|row| [noise(row, bytes), noise(row + 50, bytes)]).collect();
        let zero = vec![0; bytes];
        for row in 0..9 {
            let leave = if row < 7 { [&zero[..]; 2] } else { [&rows[row - 7][0][..], &rows[row - 7][1][..]] };
            (kernel.slide)(&mut sums, [&rows[row][0], &rows[row][1]], leave);
        }
        (kernel.deficits)(&mut sums, &mut out);
        out
    }

    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        for bytes in [21, 24, 27, 63, 786] {
            let (portable, best) = (run(Kernel::PORTABLE, bytes), run(Kernel::best(), bytes));
            let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&portable), bits(&best));
            assert!(portable.iter().all(|deficit| (0.0..=2.0).contains(deficit)));
            assert!(portable.iter().any(|&deficit| deficit > 0.5));
        }
    }

    #[test]
    fn the_greatest_sums_do_not_overflow() {
        let (black, white) = (vec![0; 21], vec![255; 21]);
        let mut sums = Sums::new(21);
        for _ in 0..7 {
            slide(&mut sums, [&white, &black], [&black, &black]);
        }
        let mut out = [0.0; 3];
        deficits(&mut sums, &mut out);
        // Means 255 and 0, no variance: 1 - C1 / (255² + C1).
        for deficit in out {
            assert!((f64::from(deficit) - (1.0 - 6.5025 / (65025.0 + 6.5025))).abs() < 1e-6, "{deficit}");
        }
    }
}
