//! Pictures after public reports about comparison tools: sizes, alpha, tiny pictures, colours, a large picture, encodings,
//! bombs, damaged files, pointers.

use std::{
    fs,
    process::{Command, Stdio},
};

use serde_json::{Value, json as value};

use super::{expecting, image, json, refusal};
use crate::support::finish;

fn boxes(object: &Value) -> Vec<[i64; 4]> {
    let region = |region: &Value| {
        let sides: Vec<i64> = region["box"].as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect();
        sides.try_into().unwrap()
    };
    object["regions"].as_array().unwrap().iter().map(region).collect()
}

#[test]
fn another_size_is_always_different_whichever_way_round() {
    let sizes = ["1x1", "16x16", "200x101", "201x100", "199x100", "200x99", "100x200"];
    for size in sizes {
        for other in ["106x106", "200x100"] {
            for (expected, actual) in [(size, other), (other, size)] {
                let (a, b) = (format!("sizes/{expected}.png"), format!("sizes/{actual}.png"));
                let found = json(1, &a, &b, &["--min-ssim", "0.01", "--max-delta", "255"]);
                assert_eq!(found["verdict"], "size_mismatch");
                let shown = expecting(1, &[&image(&a), &image(&b)]).stdout;
                assert!(shown.contains(&format!("expected {expected}, got {actual}")), "{shown}");
            }
        }
    }
}

/// White on nothing, black on nothing, half transparent grey: none equals its opaque neighbour.
const TRANSPARENT: [(&str, &str); 3] = [
    ("white-opaque", "white-disc-on-nothing"),
    ("black-opaque", "black-disc-on-nothing"),
    ("grey-half", "grey-127-opaque"),
];

#[test]
fn a_transparent_pixel_is_refused_with_its_place() {
    for (a, b) in TRANSPARENT.into_iter().chain([("red-invisible", "blue-invisible")]) {
        let message = refusal(&format!("alpha/{a}.png"), &format!("alpha/{b}.png"), &[]);
        assert!(message.contains("is not opaque: the pixel at ("), "{message}");
    }
}

#[test]
fn transparency_is_compared_on_every_ground_or_laid_on_the_stated_one() {
    let pair = |a: &str, b: &str| (format!("alpha/{a}.png"), format!("alpha/{b}.png"));
    for (a, b) in TRANSPARENT {
        let (a, b) = pair(a, b);
        assert_eq!(json(1, &a, &b, &["--on-alpha", "compare"])["verdict"], "different", "{a}");
    }
    // Colours that cannot be seen on any ground do not count.
    let (a, b) = pair("red-invisible", "blue-invisible");
    json(0, &a, &b, &["--on-alpha", "compare"]);
    // A stated ground is what the caller says the pictures are seen on.
    let (a, b) = pair("white-opaque", "white-disc-on-nothing");
    json(0, &a, &b, &["--on-alpha", "white"]);
    json(1, &a, &b, &["--on-alpha", "black"]);
    json(1, &a, &b, &["--on-alpha", "#336699"]);
}

#[test]
fn pictures_smaller_than_the_window_are_compared_to_the_last_row_and_column() {
    let strict = ["--min-ssim", "1", "--max-delta", "0", "--max-pixels", "0"];
    let mut sizes = 0;
    for entry in fs::read_dir(image("tiny")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(size) = name.strip_suffix("-a.png") else { continue };
        sizes += 1;
        let with = |other: &str| (format!("tiny/{size}-a.png"), format!("tiny/{size}-{other}.png"));
        let (a, same) = with("same");
        let found = json(0, &a, &same, &strict);
        assert_eq!([&found["mean_ssim"], &found["worst_ssim"]], [&value!(1.0), &value!(1.0)], "{size}");
        for other in ["centre", "corner"] {
            let (a, b) = with(other);
            let found = json(1, &a, &b, &strict);
            for number in ["mean_ssim", "worst_ssim"] {
                // A number that is none would be null.
                assert!(found[number].as_f64().unwrap() < 1.0, "{size} {other}: {found}");
            }
        }
    }
    assert_eq!(sizes, 14);
}

#[test]
fn every_colour_counts_and_the_box_is_right() {
    for pair in ["601", "709", "blue"] {
        let found = json(1, &format!("colour/{pair}-a.png"), &format!("colour/{pair}-b.png"), &[]);
        assert_eq!(boxes(&found), [[140, 90, 120, 60]], "{pair}");
        assert_eq!(found["gate"]["limit"], "min_ssim");
    }
}

#[test]
fn two_small_changes_on_a_tall_page_are_two_boxes() {
    let zero_allowed: [&[&str]; 3] =
        [&[], &["--method", "exact"], &["--max-delta", "0", "--max-pixels", "0"]];
    for more in zero_allowed {
        let found = json(1, "large/base.png", "large/actual.png", more);
        assert_eq!(found["changed_pixels"], 98);
        assert!(found["mean_ssim"].as_f64().unwrap() > 0.9999);
        let [[x1, y1, w1, h1], [x2, y2, w2, h2]] = boxes(&found)[..] else { panic!("{found}") };
        let holds = |x: i64, y: i64, w: i64, h: i64, at: (i64, i64)| {
            (x - 20..x + w + 20).contains(&at.0) && (y - 20..y + h + 20).contains(&at.1)
        };
        assert!(holds(x1, y1, w1, h1, (900, 3000)) || holds(x2, y2, w2, h2, (900, 3000)), "{found}");
        assert!(holds(x1, y1, w1, h1, (1000, 3001)) || holds(x2, y2, w2, h2, (1000, 3001)), "{found}");
    }
}

#[test]
fn the_encoding_of_a_picture_does_not_matter() {
    let mut compared = 0;
    for entry in fs::read_dir(image("png-kinds")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let plain = match name.split('-').next().unwrap() {
            "grey" => "grey-RGB.png",
            "bw" => "bw-RGB.png",
            _ => "colour-P256-as-RGB.png",
        };
        let (a, b) = (format!("png-kinds/{plain}"), format!("png-kinds/{name}"));
        if name.contains("invisible") {
            assert!(refusal(&a, &b, &[]).contains("is not opaque"), "{name}");
            assert_eq!(json(1, &a, &b, &["--on-alpha", "compare"])["verdict"], "different", "{name}");
        } else {
            let found = json(0, &a, &b, &["--method", "exact"]);
            assert_eq!([&found["mean_ssim"], &found["changed_pixels"]], [&value!(1.0), &value!(0)], "{name}");
            // Going through the path for transparent pictures changes nothing.
            json(0, &a, &b, &["--method", "exact", "--on-alpha", "compare"]);
        }
        compared += 1;
    }
    assert_eq!(compared, 19);
}

#[test]
fn a_bomb_is_refused_before_memory_is_taken() {
    let mut refused = 0;
    for entry in fs::read_dir(image("bomb")).unwrap() {
        let path = entry.unwrap().path();
        let script = "ulimit -v 1000000; exec \"$@\"";
        let mut command = Command::new("bash");
        command.args(["-c", script, "bash", env!("CARGO_BIN_EXE_cu-run"), "diff", "--on-alpha", "compare"]);
        command.arg(&path).arg(image("broken-files/good.png"));
        // A thread's heap reserves 64 MiB of addresses; how many there are depends on the machine.
        command.env("RAYON_NUM_THREADS", "2");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let outcome = finish(command.spawn().unwrap());
        assert_eq!(outcome.code, Some(2), "{}: {}", path.display(), outcome.stderr);
        assert!(outcome.stderr.contains(&path.display().to_string()), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("declares"), "{}", outcome.stderr);
        refused += 1;
    }
    assert_eq!(refused, 5);
}

#[test]
fn a_damaged_file_is_called_by_its_name_and_equals_not_even_itself() {
    for (file, words) in [
        ("zero-bytes", "is empty (0 bytes)"),
        ("signature-only", "ends early, after 8 bytes"),
        ("cut-in-ihdr", "ends early, after 20 bytes"),
        ("cut-half", "ends early, after 424 bytes"),
        ("no-iend", "ends early, after 837 bytes"),
        ("one-byte-flipped", "is damaged: wrong checksum in its `IDAT` part"),
        ("trailing-rubbish", "has 63 bytes after the end of the picture"),
        ("crlf-mangled", "is a PNG whose line ends were converted (damaged), not PNG"),
        ("really-a-gif", "is GIF; PNG, JPEG and WebP can be read"),
        ("really-a-jpeg", "is JPEG, not PNG as its name says"),
        ("really-html", "is HTML or XML, not PNG"),
    ] {
        let name = format!("broken-files/{file}.png");
        for (a, b) in [(&*name, "broken-files/good.png"), ("broken-files/good.png", &*name), (&*name, &*name)]
        {
            let message = refusal(a, b, &[]);
            assert_eq!(message, format!("error: `{}` {words}\n", image(&name)));
        }
    }
    let message = refusal("broken-files/a-directory.png", "broken-files/good.png", &[]);
    assert!(message.contains("is a folder and"), "{message}");
}

#[test]
fn a_git_lfs_pointer_says_what_to_run() {
    for file in ["lfs/home.png", "lfs/home-crlf.png"] {
        let message = refusal(file, "broken-files/good.png", &[]);
        assert!(message.contains("is a Git LFS pointer") && message.contains("`git lfs pull`"), "{message}");
    }
}
