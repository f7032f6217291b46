//! `report.html`: what is embedded in it, and what a real Chromium makes of it when it is opened from disk.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cu_run::{
    outcome::RunReport,
    report::{Html, ReportFormat},
};
use serde_json::{Value, json};

use super::{
    chromium::Chromium,
    sample::{HOSTILE, Sample},
};

/// What the page of `sample` holds as data.
fn embedded(page: &str) -> Value {
    let (_, rest) = page.split_once("<script id=\"data\" type=\"application/json\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

fn written(sample: &Sample) -> (PathBuf, String) {
    let file = Html.write(&sample.report(), &sample.artifacts()).unwrap();
    assert_eq!(file, sample.artifacts().join("report.html"));
    let page = fs::read_to_string(&file).unwrap();
    (file, page)
}

/// A browser with the page, in which `script` ran right after the page's own.
fn with_script(file: &Path, page: &str, script: &str) -> Chromium {
    let nonce = page.split_once("script-src 'nonce-").unwrap().1.split_once('\'').unwrap().0;
    let (before, after) = page.rsplit_once("</body>").unwrap();
    let scripted = file.with_file_name("scripted.html");
    fs::write(&scripted, format!("{before}<script nonce=\"{nonce}\">{script}</script></body>{after}"))
        .unwrap();
    let mut chromium = Chromium::start();
    chromium.open(&scripted, "");
    chromium
}

#[test]
fn the_page_holds_its_data_and_asks_nobody_else() {
    let root = tempfile::tempdir().unwrap();
    let (_, page) = written(&Sample::new(root.path()).of_every_kind());
    assert_eq!(page.matches("<script").count(), 2, "the data and the script");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--"), "a comment would hide the rest of the page");
    assert!(!page.contains('\u{2028}') && !page.contains('\u{202e}') && !page.contains('\u{7}'));
    let head = page.split_once("<style").unwrap().0;
    let policy =
        head.split_once("Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none'; script-src 'nonce-"), "{policy}");
    for loose in ["unsafe", "http:", "https:", "*", "connect-src"] {
        assert!(!policy.contains(loose), "{policy}");
    }
    let frame = page.replace("http://www.w3.org/2000/svg", "").replace("http://shop.test", "");
    assert!(!frame.contains("http://") && !frame.contains("https://"), "another host is named");
}

#[test]
fn the_embedded_data_is_what_the_script_expects() {
    let root = tempfile::tempdir().unwrap();
    let (_, page) = written(&Sample::new(root.path()).of_every_kind());
    let data = embedded(&page);
    let real = root.path().display().to_string();
    let text = serde_json::to_string_pretty(&data).unwrap().replace(&real, "ROOT");
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("html-data", text);
    });
}

#[test]
fn after_a_capture_was_accepted_nothing_stands_for_the_picture_before_it() {
    let root = tempfile::tempdir().unwrap();
    let sample = Sample::new(root.path()).of_every_kind();
    let shown = |report: &RunReport| {
        let file = Html.write(report, &sample.artifacts()).unwrap();
        let data = embedded(&fs::read_to_string(file).unwrap());
        data["cases"][1]["steps"][3]["checkpoint"].clone()
    };
    let mut report = sample.report();
    let before = shown(&report);
    assert_eq!(before["expected"]["url"], "shop/checkout/expected/paid.png");
    assert_eq!(before["acceptable"], true);
    report.cases[1].steps[3].checkpoint.as_mut().unwrap().accepted = true;
    let after = shown(&report);
    assert_eq!((&after["expected"], &after["acceptable"]), (&Value::Null, &json!(false)));
    assert_eq!(after["actual"]["url"], "shop/checkout/actual/paid.png");
}

#[test]
fn equal_runs_make_equal_pages_and_other_data_another_nonce() {
    let root = tempfile::tempdir().unwrap();
    let sample = Sample::new(root.path()).of_every_kind();
    let (_, first) = written(&sample);
    let (_, second) = written(&sample);
    assert_eq!(first, second);
    let other = RunReport { run_id: "another".to_owned(), ..sample.report() };
    let file = Html.write(&other, &sample.artifacts()).unwrap();
    let nonce = |page: &str| page.split_once("'nonce-").unwrap().1[..32].to_owned();
    assert_ne!(nonce(&first), nonce(&fs::read_to_string(file).unwrap()));
}

#[test]
fn a_reader_without_scripts_gets_the_failures_the_worst_first() {
    let root = tempfile::tempdir().unwrap();
    let (_, page) = written(&Sample::new(root.path()).of_every_kind());
    let table = page.rsplit_once("<noscript>").unwrap().1.split_once("</noscript>").unwrap().0;
    let words: Vec<&str> =
        table.split("<tr><td>").skip(1).map(|row| row.split('<').next().unwrap()).collect();
    assert_eq!(words, ["failed", "failed", "failed", "failed", "errored", "flaky", "skipped"]);
    assert!(table.contains("<a href=\"shop/checkout/expected/paid.png\">expected</a>"), "{table}");
    assert!(table.contains("(worst_ssim 0.0031 &lt; min_ssim 0.98)"), "{table}");
    assert!(!table.contains("<img") && table.contains("&lt;img src=x"), "{table}");
}

#[test]
fn the_page_works_from_disk_in_a_real_browser() {
    let root = tempfile::tempdir().unwrap();
    let sample = Sample::new(root.path()).of_every_kind();
    let (file, page) = written(&sample);
    let seen = with_script(&file, &page, include_str!("drive.js")).value("driven");
    let artifacts = sample.artifacts().display().to_string();
    let shown_name =
        HOSTILE.replace('\u{2028}', "\\u{2028}").replace('\u{202e}', "\\u{202e}").replace('\u{7}', "\\u{7}");
    let wanted = json!({
        "refused": [],
        "exceptions": [],
        "rows": 8,
        "groups": ["failed", "errored", "flaky", "skipped", "passed"],
        "views": ["side", "slider", "onion", "blink", "expected", "actual", "difference"],
        "pictures": ["expected 640", "actual 640"],
        "regions": ["a row disappeared", "recoloured #2da44e -> #c0392b"],
        "marks": ["3.75%", "81.25%"],
        "changes": ["browser: Chromium 155.0 -> 156.0"],
        "log": "INFO listening on 127.0.0.1:4000",
        "walk": ["side", "slider", "onion", "blink", "expected", "actual", "difference"],
        "slider": ["inset(0px 75% 0px 0px)", "inset(0px 0px 0px 25%)", "25%"],
        "unmarked": true,
        "zoomed": "1280px",
        "loupe": "(320, 135)",
        "fromDisk": "Choose the artifacts folder",
        "next": "#case=shop/banner&view=slider",
        "back": "#case=shop/checkout&view=slider",
        "command": format!("cu-run accept --artifacts {artifacts} --only 'shop/banner/top' --only 'shop/checkout/paid'"),
        "focus": "query",
        "found": ["admin/login/theme-dark"],
        "filtered": ["shop/search", "shop/later"],
        "nothing": "No case fits the filter. ",
        "equal": ["actual 640"],
        "sizes": ["90.91", "100.00"],
        "odd": [format!("{shown_name}"), 0],
        "help": true,
        "title": "4 failed, 1 errored of 8 cases · cu-run",
    });
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    assert_eq!(pretty(&seen), pretty(&wanted));
}

#[test]
fn a_picture_that_stayed_behind_is_said_to_be_missing() {
    let root = tempfile::tempdir().unwrap();
    let sample = Sample::new(root.path()).of_every_kind();
    let (file, _) = written(&sample);
    fs::remove_dir_all(root.path().join("baselines")).unwrap();
    let mut chromium = Chromium::start();
    chromium.open(&file, "#case=shop/home");
    let note = chromium.eventually("document.querySelector('.layer').textContent");
    let note = note.as_str().unwrap();
    assert!(
        note.starts_with("The actual picture is not here. This picture lies in the baselines folder"),
        "{note}"
    );
    assert!(note.contains("../baselines/shop/home/start.png"), "{note}");
    // A checkpoint that differs brings its own copy.
    chromium.open(&file, "#case=shop/checkout");
    let loaded = "[...document.querySelectorAll('.layer img')].filter(image => image.naturalWidth === 640).length === 2";
    assert_eq!(chromium.eventually(loaded), json!(true));
}

#[test]
fn a_folder_that_is_handed_over_lets_the_page_read_colours() {
    let root = tempfile::tempdir().unwrap();
    let sample = Sample::new(root.path()).of_every_kind();
    let (file, _) = written(&sample);
    let mut chromium = Chromium::start();
    chromium.open(&file, "#case=shop/checkout");
    chromium.value("document.getElementById('toggle-Pixels').click()");
    chromium.eventually("document.querySelector('.loupe input') !== null");
    chromium.choose("document.querySelector('.loupe input')", &sample.artifacts());
    // The difference is said once both pictures are there.
    let words = chromium.eventually(
        "document.querySelector('.loupe output').value.includes('·') && \
         [...document.querySelectorAll('.loupe figcaption .mono, .loupe output')].map(each => each.textContent)",
    );
    // The middle of the first region: a row on the left, nothing of it on the right.
    let wanted =
        json!(["#e8ecf0 (232, 236, 240)", "#fafafc (250, 250, 252)", "(320, 134) · 18 levels apart"]);
    assert_eq!(words, wanted);
}

#[test]
fn of_a_thousand_checkpoints_only_what_is_seen_is_made_at_once() {
    let root = tempfile::tempdir().unwrap();
    let (file, page) = written(&Sample::new(root.path()).of_every_kind().with_many(1000));
    let rows = "document.querySelectorAll('.row').length";
    let mut chromium = with_script(&file, &page, &format!("const atOnce = {rows};"));
    assert_eq!(chromium.value("atOnce"), json!(60));
    // The rest comes when the browser has nothing better to do.
    assert_eq!(chromium.eventually(&format!("{rows} === 1008")), json!(true));
}
