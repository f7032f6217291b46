//! Every option of `cu-run diff`.

use std::fs;

use super::{diff, expecting, image, json, refusal};

const PAIR: [&str; 2] = ["large/base.png", "large/actual.png"];

fn boxes() -> Vec<String> {
    let found = json(1, PAIR[0], PAIR[1], &[]);
    let text = |region: &serde_json::Value| {
        let sides: Vec<String> = region["box"].as_array().unwrap().iter().map(ToString::to_string).collect();
        sides.join(",")
    };
    found["regions"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn the_verdict_is_one_line_with_the_number_that_decided_then_a_line_for_each_region() {
    let outcome = expecting(1, &[&image(PAIR[0]), &image(PAIR[1])]);
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(
        lines[0].starts_with("different: worst_ssim 0.00")
            && lines[0].ends_with("< min_ssim 0.98 in 2 regions")
    );
    assert!(lines[1].starts_with("  region [") && lines[2].starts_with("  region ["), "{}", outcome.stdout);
    assert_eq!(expecting(0, &[&image(PAIR[0]), &image(PAIR[0])]).stdout, "same: no pixel differs\n");
}

#[test]
fn json_is_one_object_with_the_same_keys_whatever_the_verdict() {
    let keys = |object: serde_json::Value| object.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let expected = [
        "verdict",
        "mean_ssim",
        "worst_ssim",
        "changed_pixels",
        "max_delta",
        "gate",
        "regions",
        "expected_size",
        "actual_size",
        "words",
        "difference",
    ];
    let different = json(1, PAIR[0], PAIR[1], &[]);
    let region: Vec<&String> = different["regions"][0].as_object().unwrap().keys().collect();
    assert_eq!(region, ["box", "worst_ssim", "max_delta", "changed_pixels", "kind", "words"]);
    assert_eq!(different["gate"]["measured"], different["worst_ssim"]);
    assert_eq!(keys(different), expected);
    assert_eq!(keys(json(0, PAIR[0], PAIR[0], &[])), expected);
    assert_eq!(keys(json(1, "sizes/1x1.png", "sizes/16x16.png", &[])), expected);
}

#[test]
fn masks_hide_what_lies_under_them_and_nothing_else() {
    let boxes = boxes();
    let [first, second] = &boxes[..] else { panic!("{boxes:?}") };
    assert_eq!(json(0, PAIR[0], PAIR[1], &["--mask", first, "--mask", second])["changed_pixels"], 0);
    let left = json(1, PAIR[0], PAIR[1], &["--mask", first]);
    assert_eq!(left["regions"].as_array().unwrap().len(), 1);
    json(0, PAIR[0], PAIR[1], &["--mask", "-5,2900,1925,200"]);
}

#[test]
fn a_mask_that_hides_nothing_or_nearly_everything_is_a_mistake() {
    for same in [PAIR, [PAIR[0], PAIR[0]]] {
        assert!(
            refusal(same[0], same[1], &["--mask", "1920,0,5,5"]).contains("[1920, 0, 5, 5] hides nothing")
        );
        let message = refusal(same[0], same[1], &["--mask", "0,0,1920,5500"]);
        assert!(message.contains("hide 91 % of"), "{message}");
    }
    json(0, PAIR[0], PAIR[0], &["--mask", "0,0,1920,5400"]);
    for wrong in ["1,2,3", "1,2,0,4", "a,b,c,d", "1 2 3 4", ""] {
        let message = refusal(PAIR[0], PAIR[1], &["--mask", wrong]);
        assert!(message.contains("--mask"), "{message}");
    }
}

#[test]
fn limits_have_one_unit_and_what_is_none_is_refused_with_the_range() {
    let run = |limit: &str| diff(&[&image(PAIR[0]), &image(PAIR[0]), "--min-ssim", limit]);
    for right in ["0.98", "1", "1.0", "1e-2"] {
        assert_eq!(run(right).code, Some(0), "{right}");
    }
    for wrong in ["98", "98%", "1.5", "0", "-0.1", "nan", ".nan", "inf", ".inf", "5", "0,98"] {
        let outcome = run(wrong);
        assert_eq!(outcome.code, Some(2), "{wrong}");
        assert!(outcome.stderr.contains("a number over 0 and at most 1"), "{wrong}: {}", outcome.stderr);
    }
    for (option, wrong) in [
        ("--max-delta", "256"),
        ("--max-delta", "-1"),
        ("--max-delta", "1.5"),
        ("--max-pixels", "-1"),
        ("--max-pixels", "1%"),
        ("--method", "psnr"),
        ("--on-alpha", "grey"),
        ("--on-alpha", "#12"),
    ] {
        let message = refusal(PAIR[0], PAIR[1], &[&format!("{option}={wrong}")]);
        assert!(message.contains(option), "{message}");
    }
}

#[test]
fn a_score_equal_to_the_limit_passes_and_one_just_below_does_not() {
    let worst = json(1, PAIR[0], PAIR[1], &[])["worst_ssim"].as_f64().unwrap();
    let with = |limit: f64| ["--min-ssim".to_owned(), limit.to_string(), "--max-delta=255".to_owned()];
    let run = |code, limit| {
        let more = with(limit);
        json(code, PAIR[0], PAIR[1], &more.each_ref().map(String::as_str))
    };
    assert_eq!(run(0, worst)["verdict"], "same");
    assert_eq!(run(1, worst.next_up())["gate"]["limit"], "min_ssim");
}

#[test]
fn the_count_of_pixels_is_a_limit_of_its_own() {
    let low = ["--min-ssim", "0.0001"];
    let with = |code, more: &[&str]| json(code, PAIR[0], PAIR[1], &[&low[..], more].concat());
    assert_eq!(with(1, &["--max-pixels", "0"])["gate"]["limit"], "max_pixels");
    with(0, &["--max-pixels", "98"]);
    with(0, &["--max-delta", "255", "--max-pixels", "0"]);
}

#[test]
fn methods_judge_by_their_own_rule() {
    let exact = json(1, PAIR[0], PAIR[1], &["--method", "exact"]);
    assert_eq!(exact["gate"]["limit"], "max_pixels");
    assert_eq!(exact["gate"]["allowed"], 0.0);
    let hybrid = json(0, PAIR[0], PAIR[1], &["--method", "hybrid", "--min-ssim", "0.5"]);
    assert!(hybrid["mean_ssim"].as_f64().unwrap() < 1.0);
    json(1, PAIR[0], PAIR[1], &["--method", "hybrid", "--min-ssim", "1"]);
    // A limit that the method does not look at would be a wish that nobody hears.
    for (method, option) in
        [("exact", "--min-ssim=0.9"), ("exact", "--max-delta=3"), ("hybrid", "--max-pixels=3")]
    {
        let message = refusal(PAIR[0], PAIR[1], &["--method", method, option]);
        assert!(message.contains("has no meaning with"), "{message}");
    }
}

#[test]
fn the_difference_picture_is_written_when_there_is_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/diff.png").display().to_string();
    json(0, PAIR[0], PAIR[0], &["--out", &out]);
    assert!(!folder.path().join("deep").exists());
    assert_eq!(json(1, "colour/blue-a.png", "colour/blue-b.png", &["--out", &out])["difference"], *out);
    let written = image::open(&out).unwrap().into_rgb8();
    let original = image::open(image("colour/blue-a.png")).unwrap();
    assert_eq!(written.dimensions(), (original.width(), original.height()));
    assert_eq!(written.get_pixel(200, 120).0, [214, 0, 54]);
    // Of different sizes: as large as both.
    json(1, "sizes/100x200.png", "sizes/200x99.png", &["--out", &out]);
    assert_eq!(image::open(&out).unwrap().into_rgb8().dimensions(), (200, 200));
}

#[test]
fn an_output_never_replaces_what_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("a.png");
    fs::copy(image("colour/blue-a.png"), &copy).unwrap();
    let before = fs::read(&copy).unwrap();
    for option in ["--out", "--junit"] {
        let way_round = folder.path().join("../").join(folder.path().file_name().unwrap()).join("a.png");
        let (copy, way_round) = (copy.display().to_string(), way_round.display().to_string());
        let outcome = expecting(2, &[option, &way_round, &copy, &image("colour/blue-b.png")]);
        assert!(outcome.stderr.contains("which is compared"), "{}", outcome.stderr);
    }
    assert_eq!(fs::read(&copy).unwrap(), before);
}

#[test]
fn what_cannot_be_written_is_a_fault_and_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let out = folder.path().join("file/diff.png").display().to_string();
    for option in ["--out", "--junit"] {
        let outcome = expecting(3, &[option, &out, &image(PAIR[0]), &image(PAIR[1])]);
        assert!(outcome.stderr.contains("failed to write"), "{}", outcome.stderr);
    }
}

#[test]
fn two_files_make_a_junit_report_too() {
    let folder = tempfile::tempdir().unwrap();
    let junit = folder.path().join("junit.xml");
    let name = junit.display().to_string();
    json(1, PAIR[0], PAIR[1], &["--junit", &name]);
    let xml = fs::read_to_string(&junit).unwrap();
    assert!(
        xml.contains("tests=\"1\" failures=\"1\" errors=\"0\"") && xml.contains("min_ssim 0.98"),
        "{xml}"
    );
    json(0, PAIR[0], PAIR[0], &["--junit", &name]);
    assert!(fs::read_to_string(&junit).unwrap().contains("failures=\"0\""));
}
