//! The table: each method's catches, misses, false alarms and boxes, and every pair that cu-run judged wrongly.

use cu_run::compare::Limit;

use crate::{
    corpus::{Corpus, Pair},
    judge::Judged,
    peers::{Peers, Said},
};

/// The limits on the mean that are shown.
const MEANS: [f64; 3] = [0.999, 0.98, 0.95];

/// Prints everything.
pub(crate) fn print(corpus: &Corpus, judged: &[Judged], peers: Option<&Peers>) {
    let regressions = corpus.pairs.iter().filter(|pair| pair.changed.is_some()).count();
    let noise = corpus.pairs.len() - regressions;
    println!("\n{regressions} regressions, {noise} noise pairs\n");
    println!("| method | caught | missed | false alarms | box right |\n|---|---|---|---|---|");
    let ours: Vec<Said> = corpus
        .pairs
        .iter()
        .zip(judged)
        .map(|(pair, judged)| Said { differs: judged.differs(), hits: judged.hits(pair) })
        .collect();
    print_row("cu-run, defaults", corpus, &ours, Boxes::Told);
    for limit in MEANS {
        let said: Vec<Said> = judged
            .iter()
            .map(|judged| Said { differs: judged.numbers.mean_ssim < limit, hits: false })
            .collect();
        print_row(&format!("mean SSIM {limit}"), corpus, &said, Boxes::None);
    }
    for (tool, said) in peers.into_iter().flatten() {
        print_row(tool, corpus, said, Boxes::Told);
    }
    print_margins(corpus, judged);
    for (pair, judged) in corpus.pairs.iter().zip(judged) {
        let word = match (pair.changed.is_some(), judged.differs()) {
            (true, false) => "MISSED",
            (false, true) => "FALSE ALARM",
            (true, true) if !judged.hits(pair) => "WRONG BOX",
            _ => continue,
        };
        print_pair(word, pair, judged);
    }
}

/// Whether a method says where it saw a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Boxes {
    Told,
    None,
}

fn print_row(method: &str, corpus: &Corpus, said: &[Said], boxes: Boxes) {
    let count = |regression: bool, test: fn(&Said) -> bool| {
        let of = corpus.pairs.iter().zip(said);
        of.filter(|(pair, said)| pair.changed.is_some() == regression && test(said)).count()
    };
    let caught = count(true, |said| said.differs);
    let missed = count(true, |said| !said.differs);
    let right =
        if boxes == Boxes::Told { count(true, |said| said.hits).to_string() } else { "–".to_owned() };
    let alarms = count(false, |said| said.differs);
    println!("| {method} | {caught} | {missed} | {alarms} | {right} |");
}

/// How far from the limits the nearest pairs of each side are.
fn print_margins(corpus: &Corpus, judged: &[Judged]) {
    let by = |regression: bool| {
        corpus.pairs.iter().zip(judged).filter(move |(pair, _)| pair.changed.is_some() == regression)
    };
    let unequal = by(false).filter(|(_, judged)| judged.numbers.changed_px > 0).count();
    println!("\n{unequal} of the noise pairs differ in some pixel; the lowest local SSIM among them:");
    let mut noise: Vec<_> = by(false).filter(|(_, judged)| judged.numbers.changed_px > 0).collect();
    noise.sort_by(|(_, a), (_, b)| a.numbers.worst_ssim.total_cmp(&b.numbers.worst_ssim));
    for (pair, judged) in noise.into_iter().take(10) {
        print_pair("noise", pair, judged);
    }
    println!("\nthe regressions that are nearest to passing:");
    let mut near: Vec<_> = by(true).collect();
    near.sort_by(|(_, a), (_, b)| b.numbers.worst_ssim.total_cmp(&a.numbers.worst_ssim));
    for (pair, judged) in near.into_iter().take(25) {
        print_pair("regression", pair, judged);
    }
    println!();
}

fn print_pair(word: &str, pair: &Pair, judged: &Judged) {
    let numbers = judged.numbers;
    let gate = match judged.gate {
        Some(gate) if gate.limit == Limit::MaxPixels => "by max_pixels",
        Some(_) => "by min_ssim",
        None => "passes",
    };
    println!(
        "{word}: {} {} ({}): worst SSIM {:.5}, mean {:.6}, {} px by up to {} levels, {gate}, {} regions",
        pair.id,
        pair.kind,
        pair.what,
        numbers.worst_ssim,
        numbers.mean_ssim,
        numbers.changed_px,
        numbers.max_delta,
        judged.regions.len()
    );
}
