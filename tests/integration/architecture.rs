//! The rooms of `src/` and who may use whom, as `docs/architecture.md` says.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Longest file in lines, tests included.
const LONGEST_FILE: usize = 400;

/// Files that every room may use.
const LEAVES: &[&str] = &["geometry", "id", "input", "clock", "diagnostic", "visible"];

/// What each room may use besides the leaves. `room::{A, B}` allows these items only.
const ALLOWED: &[(&str, &[&str])] = &[
    (
        "runner",
        &["scenario", "policy", "desktop", "browser", "find", "compare", "store", "observe", "outcome"],
    ),
    ("review", &["outcome", "store", "report"]),
    ("report", &["outcome", "compare"]),
    ("observe", &["scenario", "outcome"]),
    ("find", &["desktop", "browser", "compare"]),
    ("browser", &["desktop"]),
    ("store", &["outcome"]),
    ("policy", &["scenario"]),
    (
        "scenario",
        &[
            "compare::CompareSpec",
            "compare::Method",
            "compare::Tolerance",
            "compare::Floating",
            "desktop::WindowManager",
            "browser::ColorScheme",
            "browser::Frame",
            "browser::Freeze",
            "browser::NoticeLevel",
            "browser::DialogAnswer",
            "browser::DialogPolicy",
            "browser::Emulation",
            "browser::UserAgent",
        ],
    ),
    ("outcome", &["compare"]),
    ("desktop", &[]),
    ("compare", &[]),
];

fn source_files() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files.into_iter().map(|(path, text)| (path.strip_prefix(&root).unwrap().to_owned(), text)).collect()
}

/// The room of a file below `src/`: its folder, or its own name at the top.
fn room(path: &Path) -> String {
    let first = path.components().next().unwrap().as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// Every `crate::room::Item` in `text`, those in braces included; comments and the tests at the foot are left out.
fn uses(text: &str) -> Vec<String> {
    let code: String = text
        .split("#[cfg(test)]")
        .next()
        .unwrap()
        .lines()
        .map(|line| line.split("//").next().unwrap())
        .collect::<Vec<_>>()
        .join(" ");
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        if start > 0 && code.as_bytes()[start - 1] == b'$' {
            continue;
        }
        expand(&code[start + "crate::".len()..], "", &mut found);
    }
    found
}

/// Expands the path or brace group at the start of `code` below `prefix`; returns how many bytes it took.
fn expand(code: &str, prefix: &str, found: &mut Vec<String>) -> usize {
    let word =
        code.len() - code.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '*').len();
    let (name, rest) = code.split_at(word);
    let path = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}::{name}") };
    if let Some(inner) = rest.strip_prefix("::") {
        return word + 2 + expand(inner, &path, found);
    }
    if name.is_empty() && code.starts_with('{') {
        let mut at = 1;
        loop {
            let skipped = code[at..].len() - code[at..].trim_start_matches([' ', ',']).len();
            at += skipped;
            if at >= code.len() || code[at..].starts_with('}') {
                return at + 1;
            }
            let taken = expand(&code[at..], prefix, found);
            assert!(taken > 0, "unreadable use: {}", &code[at..code.len().min(at + 60)]);
            at += taken;
        }
    }
    found.push(path);
    word
}

#[test]
fn rooms_use_only_what_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut wrong = Vec::new();
    for (path, text) in source_files() {
        let from = room(&path);
        if matches!(from.as_str(), "cli" | "main" | "lib") {
            continue;
        }
        let may: &[&str] = allowed.get(from.as_str()).copied().unwrap_or(&[]);
        for used in uses(&text) {
            let to = used.split("::").next().unwrap();
            let fine = to == from
                || LEAVES.contains(&to)
                || may.iter().any(|item| used == *item || used.starts_with(&format!("{item}::")));
            if !fine {
                wrong.push(format!("{}: crate::{used}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "not allowed by docs/architecture.md:\n{}", wrong.join("\n"));
}

#[test]
fn every_room_is_known() {
    for (path, _) in source_files() {
        let room = room(&path);
        let known = ["main", "lib", "cli"].contains(&room.as_str())
            || LEAVES.contains(&room.as_str())
            || ALLOWED.iter().any(|(name, _)| *name == room);
        assert!(known, "src/{room} has no place in the table of allowed directions");
    }
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<String> = source_files()
        .iter()
        .filter(|(_, text)| text.lines().count() > LONGEST_FILE)
        .map(|(path, text)| format!("{}: {} lines", path.display(), text.lines().count()))
        .collect();
    assert!(long.is_empty(), "over {LONGEST_FILE} lines:\n{}", long.join("\n"));
}

#[test]
fn foreign_crates_stay_behind_their_doors() {
    let doors: &[(&str, &[&str])] = &[
        ("x11rb", &["desktop/x11/"]),
        ("serde_saphyr", &["scenario/parse.rs", "store/variant.rs"]),
        ("junit_report", &["report/junit"]),
        ("png", &["store/"]),
        ("clap", &["cli/"]),
        ("indicatif", &["observe/progress"]),
        ("quick_xml", &["report/junit"]),
        ("axum", &["runner/web_server.rs"]),
        ("tokio", &["runner/web_server.rs"]),
        ("zip", &["review/run_folder.rs"]),
    ];
    let mut wrong = Vec::new();
    for (path, text) in source_files() {
        let path = path.to_string_lossy().into_owned();
        for (krate, rooms) in doors {
            let used = text.lines().any(|line| {
                let line = line.split("//").next().unwrap();
                line.contains(&format!("use {krate}::")) || line.contains(&format!(" {krate}::"))
            });
            if used && !rooms.iter().any(|room| path.starts_with(room)) {
                wrong.push(format!("{path} uses {krate}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
