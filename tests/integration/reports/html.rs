//! `report.html`: what is embedded in it, and what a real Chromium makes of it when it is opened from disk.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use cu_run::{
    outcome::RunReport,
    report::{ReportFormat, html::Html},
};
use serde_json::{Value, json};

use super::sample::{HOSTILE, Sample};

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

/// The page after Chromium has run its script, opened at `hash`.
fn opened(file: &Path, hash: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let chromium = std::env::var_os("CU_RUN_CHROMIUM").unwrap_or_else(|| "chromium".into());
    let output = assert_cmd::Command::new(chromium)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1280,800"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        // The page's clock runs ahead while it waits, so that the budget costs no time of ours.
        .args(["--virtual-time-budget=30000", "--dump-dom"])
        .arg(format!("file://{}{hash}", file.display()))
        .timeout(Duration::from_secs(120))
        .output()
        .expect("Chromium runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What `drive.js` saw in the page.
fn driven(file: &Path, page: &str) -> Value {
    let nonce = page.split_once("script-src 'nonce-").unwrap().1.split_once('\'').unwrap().0;
    let script = format!("<script nonce=\"{nonce}\">{}</script></body>", include_str!("drive.js"));
    let (before, after) = page.rsplit_once("</body>").unwrap();
    let driven = file.with_file_name("driven.html");
    fs::write(&driven, format!("{before}{script}{after}")).unwrap();
    let dom = opened(&driven, "");
    let (_, seen) = dom.split_once("data-seen=\"").expect("the script came to its end");
    let seen = seen.split_once('"').unwrap().0;
    let decoded: Vec<u8> = percent_decoded(seen);
    serde_json::from_slice(&decoded).unwrap()
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            bytes.push(u8::from_str_radix(std::str::from_utf8(&tail[..2]).unwrap(), 16).unwrap());
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    bytes
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
    let policy = head.split_once("Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap().0;
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
    let words: Vec<&str> = table.split("<tr><td>").skip(1).map(|row| row.split('<').next().unwrap()).collect();
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
    let seen = driven(&file, &page);
    let artifacts = sample.artifacts().display().to_string();
    let shown_name = HOSTILE
        .replace('\u{2028}', "\\u{2028}")
        .replace('\u{202e}', "\\u{202e}")
        .replace('\u{7}', "\\u{7}");
    let wanted = json!({
        "refused": [],
        "exceptions": [],
        "rowsAtOnce": 8,
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
    let dom = opened(&file, "#case=shop/home");
    assert!(dom.contains("The actual picture is not here."), "{dom}");
    assert!(dom.contains("This picture lies in the baselines folder"), "{dom}");
    // A checkpoint that differs brings its own copy.
    assert!(!opened(&file, "#case=shop/checkout").contains("picture is not here"));
}

#[test]
fn of_a_thousand_checkpoints_only_what_is_seen_is_made_at_once() {
    let root = tempfile::tempdir().unwrap();
    let (file, page) = written(&Sample::new(root.path()).of_every_kind().with_many(1000));
    let seen = driven(&file, &page);
    assert_eq!((&seen["rowsAtOnce"], &seen["rows"]), (&json!(60), &json!(1008)));
    assert_eq!((&seen["refused"], &seen["exceptions"]), (&json!([]), &json!([])));
}
