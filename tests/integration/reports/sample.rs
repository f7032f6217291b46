//! A run with one case of every kind, its pictures and logs on disk; and runs of any size.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use cu_run::{
    compare::{CompareSpec, Comparison, Difference, DifferenceKind, Gate, Limit, Numbers},
    diagnostic::Location,
    geometry::{Point, Region, Size},
    id::CaseId,
    outcome::{
        CaseOutcome, CheckpointOutcome, Environment, Failure, FailureKind, Fault, FaultKind, ImageBase,
        ImageRef, RunReport, StepOutcome, Totals, Verdict,
    },
};
use image::{Rgb, RgbImage};

/// Text that tries to leave every place it is put in.
pub(super) const HOSTILE: &str = "</script><script>document.title='owned'</script><!--\"'><img src=x onerror=alert(1)>&amp;\u{2028}\u{202e}txt.\u{7}{{DATA}}";

const SCREEN: Size = Size::new(640, 400);
const BUTTON: Region = Region::new(520, 340, 96, 32);
const ROW: Region = Region::new(24, 120, 592, 28);

/// A folder with `artifacts` and `baselines`.
pub(super) struct Sample {
    root: PathBuf,
    cases: Vec<CaseOutcome>,
    whole: Encoded,
    broken: Encoded,
    marked: Encoded,
}

/// A picture as its file; a thousand checkpoints share it.
struct Encoded {
    png: Vec<u8>,
    size: Size,
}

impl Sample {
    /// Nothing ran yet; pictures go below `root`.
    pub(super) fn new(root: &Path) -> Self {
        for folder in ["artifacts", "baselines"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self {
            root: root.to_owned(),
            cases: Vec::new(),
            whole: Encoded::of(&page(false)),
            broken: Encoded::of(&page(true)),
            marked: Encoded::of(&marked()),
        }
    }

    pub(super) fn artifacts(&self) -> PathBuf {
        self.root.join("artifacts")
    }

    /// One case of every kind.
    pub(super) fn of_every_kind(mut self) -> Self {
        self.passed("shop/home");
        self.different("shop/checkout");
        self.other_size("shop/banner");
        self.without_baseline("shop/new-page");
        self.faulty("admin/login/theme-dark");
        self.flaky("shop/search");
        self.skipped("shop/later");
        self.hostile("odd/names");
        self
    }

    /// `count` more cases with a checkpoint each, every tenth of them different.
    pub(super) fn with_many(mut self, count: usize) -> Self {
        for number in 0..count {
            let id = format!("many/case-{number:04}");
            if number % 10 == 3 { self.different(&id) } else { self.passed(&id) }
        }
        self
    }

    pub(super) fn report(&self) -> RunReport {
        let facts = [("arch", "x86_64"), ("fonts", "7f3a09c1")];
        RunReport {
            version: RunReport::VERSION,
            run_id: "20260301T101500Z-7f3a".to_owned(),
            started: "2026-03-01T10:15:00Z".parse().unwrap(),
            duration: Duration::from_millis(83_250),
            environment: Environment {
                cu_run: "0.1.0".to_owned(),
                baselines: self.root.join("baselines"),
                jobs: 2,
                facts: facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            },
            totals: Totals::of(&self.cases),
            cases: self.cases.clone(),
            interrupted: None,
        }
    }

    fn passed(&mut self, id: &str) {
        let image = self.image(ImageBase::Baselines, &format!("{id}/start.png"), &self.whole);
        let shot = CheckpointOutcome {
            comparison: Some(Comparison::Match { numbers: Numbers::EQUAL }),
            ..checkpoint("start", Some(image.clone()), Some(image))
        };
        let mut case = case(id, Verdict::Passed);
        case.steps = vec![step(1, "goto", "open the page"), shown(2, shot, Verdict::Passed)];
        self.cases.push(case);
    }

    fn different(&mut self, id: &str) {
        let equal = self.image(ImageBase::Baselines, &format!("{id}/cart.png"), &self.whole);
        let baseline = self.image(ImageBase::Baselines, &format!("{id}/paid.png"), &self.whole);
        self.image(ImageBase::Artifacts, &format!("{id}/expected/paid.png"), &self.whole);
        let actual = self.image(ImageBase::Artifacts, &format!("{id}/actual/paid.png"), &self.broken);
        let difference = self.image(ImageBase::Artifacts, &format!("{id}/difference/paid.png"), &self.marked);
        let regions = vec![
            difference_at(ROW, DifferenceKind::Disappeared, "a row disappeared", 0.0031),
            difference_at(BUTTON, DifferenceKind::Recoloured, "recoloured #2da44e -> #c0392b", 0.279),
        ];
        let shot = CheckpointOutcome {
            difference: Some(difference),
            masks: vec![Region::new(500, 8, 120, 24)],
            environment_changes: vec!["browser: Chromium 155.0 -> 156.0".to_owned()],
            comparison: Some(Comparison::Mismatch {
                numbers: Numbers { mean_ssim: 0.984, worst_ssim: 0.0031, changed_px: 19_648, max_delta: 147 },
                gate: Gate { limit: Limit::MinSsim, measured: 0.0031, allowed: 0.98, within: None },
                regions,
                more: 0,
            }),
            ..checkpoint("paid", Some(baseline), Some(actual))
        };
        let cart = CheckpointOutcome {
            comparison: Some(Comparison::Match { numbers: Numbers::EQUAL }),
            ..checkpoint("cart", Some(equal.clone()), Some(equal))
        };
        let failure = Failure::new(FailureKind::EnvironmentChanged, "checkpoint `paid` differs in 2 regions")
            .with_details(["recoloured #2da44e -> #c0392b at [520, 340, 96, 32]".to_owned()]);
        let mut case = case(id, failure.clone().into());
        case.tags = vec!["smoke".to_owned(), "shop".to_owned()];
        case.steps = vec![
            step(1, "goto", "open http://shop.test/cart"),
            shown(2, cart, Verdict::Passed),
            StepOutcome {
                aimed_at: Some(Point::new(568, 356)),
                retries: 1,
                ..step(3, "left_click", "click “Pay now”")
            },
            shown(4, shot, failure.into()),
            step(5, "wait", "wait for “Thank you”"),
        ];
        self.log(
            &mut case,
            "browser.log",
            b"[1201/101502.1:INFO:CONSOLE(12)] \"cart loaded\", source: /app.js (12)\n",
        );
        self.log(
            &mut case,
            "service-api.log",
            b"\x1b[32mINFO\x1b[0m listening on 127.0.0.1:4000\nGET /cart 200 4ms\nPOST /pay 500 12ms\n",
        );
        self.cases.push(case);
    }

    fn other_size(&mut self, id: &str) {
        let baseline = self.image(ImageBase::Baselines, &format!("{id}/top.png"), &self.whole);
        let mut taller = RgbImage::from_pixel(SCREEN.width, SCREEN.height + 40, Rgb([250, 250, 252]));
        image::imageops::replace(&mut taller, &page(false), 0, 40);
        let actual = self.image(ImageBase::Artifacts, &format!("{id}/actual/top.png"), &Encoded::of(&taller));
        let words = "40 rows inserted at y = 0".to_owned();
        let failure = Failure::new(
            FailureKind::SizeDifference,
            format!("checkpoint `top` is 640x440, its baseline 640x400: {words}"),
        );
        let comparison = Comparison::SizeMismatch {
            expected: SCREEN,
            actual: Size::new(SCREEN.width, SCREEN.height + 40),
            words,
        };
        let shot = CheckpointOutcome {
            comparison: Some(comparison),
            ..checkpoint("top", Some(baseline), Some(actual))
        };
        let mut case = case(id, failure.clone().into());
        case.steps = vec![step(1, "goto", "open the page"), shown(2, shot, failure.into())];
        self.cases.push(case);
    }

    fn without_baseline(&mut self, id: &str) {
        let actual = self.image(ImageBase::Artifacts, &format!("{id}/actual/first.png"), &self.whole);
        let failure = Failure::new(FailureKind::MissingBaseline, "checkpoint `first` has no baseline");
        let mut case = case(id, failure.clone().into());
        case.steps = vec![shown(1, checkpoint("first", None, Some(actual)), failure.into())];
        self.cases.push(case);
    }

    fn faulty(&mut self, id: &str) {
        let fault = Fault::new(FaultKind::Browser, "goto: the browser died\nsee browser.log");
        let mut case = case(id, fault.clone().into());
        case.matrix = vec![("theme".to_owned(), "dark".to_owned())];
        case.tags = vec!["admin".to_owned()];
        let skipped = Verdict::Skipped { reason: "an earlier step had a fault".to_owned() };
        case.steps = vec![
            StepOutcome { verdict: fault.into(), ..step(1, "goto", "open the login page") },
            StepOutcome {
                verdict: skipped, duration: Duration::ZERO, ..step(2, "type", "type into “Name”")
            },
        ];
        self.log(&mut case, "browser.log", "no line of this log is short\n".repeat(2000).as_bytes());
        self.log(&mut case, "xvfb.log", b"");
        self.cases.push(case);
    }

    fn flaky(&mut self, id: &str) {
        self.passed(id);
        let failure = Failure::new(FailureKind::TargetNotFound, "no element `#results`");
        self.cases.last_mut().unwrap().verdict = Verdict::Flaky { failure };
    }

    fn skipped(&mut self, id: &str) {
        self.cases.push(case(id, Verdict::Skipped { reason: "every step was skipped".to_owned() }));
    }

    fn hostile(&mut self, id: &str) {
        let failure = Failure::new(FailureKind::App, HOSTILE).with_details([HOSTILE.to_owned()]);
        let mut case = CaseOutcome { name: HOSTILE.to_owned(), ..case(id, failure.clone().into()) };
        case.tags = vec![HOSTILE.to_owned()];
        case.matrix = vec![(HOSTILE.to_owned(), HOSTILE.to_owned())];
        let away = ImageRef {
            base: ImageBase::Artifacts,
            path: "../../etc/passwd".into(),
            digest: String::new(),
            size: Size::new(1, 1),
        };
        case.steps = vec![
            StepOutcome { verdict: failure.clone().into(), ..step(1, HOSTILE, HOSTILE) },
            shown(2, checkpoint(HOSTILE, None, Some(away)), failure.into()),
        ];
        self.log(&mut case, "app-1 #%?.log", format!("{HOSTILE}\n\u{1b}[2J\u{1b}[31mred\0").as_bytes());
        self.cases.push(case);
    }

    /// Writes a picture and refers to it.
    fn image(&self, base: ImageBase, path: &str, picture: &Encoded) -> ImageRef {
        let folder = match base {
            ImageBase::Artifacts => "artifacts",
            ImageBase::Baselines => "baselines",
        };
        let file = self.root.join(folder).join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, &picture.png).unwrap();
        ImageRef { base, path: path.into(), digest: String::new(), size: picture.size }
    }

    fn log(&self, case: &mut CaseOutcome, name: &str, content: &[u8]) {
        let path = case.folder.join("logs").join(name);
        let file = self.artifacts().join(&path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
        case.logs.push(path);
    }
}

fn case(id: &str, verdict: Verdict) -> CaseOutcome {
    CaseOutcome {
        id: CaseId::try_from(id.to_owned()).unwrap(),
        file: format!("scenarios/{id}.yaml").into(),
        name: id.rsplit('/').next().unwrap().replace('-', " "),
        tags: Vec::new(),
        matrix: Vec::new(),
        verdict,
        started: "2026-03-01T10:15:01Z".parse().unwrap(),
        duration: Duration::from_millis(2_150),
        display: SCREEN,
        steps: Vec::new(),
        folder: id.into(),
        logs: Vec::new(),
        fingerprint: BTreeMap::from([("browser".to_owned(), "Chromium 156.0.8078.114".to_owned())]),
    }
}

fn step(number: u32, action: &str, title: &str) -> StepOutcome {
    let began = i64::from(number) * 380;
    StepOutcome {
        number,
        action: action.to_owned(),
        title: title.to_owned(),
        source: Location { file: "scenarios/shop.yaml".into(), line: number + 7, column: 5 },
        verdict: Verdict::Passed,
        started: "2026-03-01T10:15:00.7Z".parse::<jiff::Timestamp>().unwrap()
            + jiff::SignedDuration::from_millis(began),
        duration: Duration::from_millis(240),
        retries: 0,
        aimed_at: None,
        checkpoint: None,
    }
}

fn shown(number: u32, checkpoint: CheckpointOutcome, verdict: Verdict) -> StepOutcome {
    let title = format!("screenshot {}", checkpoint.name);
    StepOutcome { verdict, checkpoint: Some(Box::new(checkpoint)), ..step(number, "screenshot", &title) }
}

fn checkpoint(name: &str, baseline: Option<ImageRef>, actual: Option<ImageRef>) -> CheckpointOutcome {
    CheckpointOutcome {
        name: name.to_owned(),
        region: SCREEN.region(),
        baseline,
        actual,
        difference: None,
        comparison: None,
        rules: CompareSpec::default(),
        masks: Vec::new(),
        still_after: Duration::from_millis(140),
        matched_after: Duration::ZERO,
        environment_changes: Vec::new(),
        variant: None,
        accepted: false,
    }
}

fn difference_at(region: Region, kind: DifferenceKind, words: &str, worst_ssim: f64) -> Difference {
    Difference {
        region,
        worst_ssim,
        max_delta: 147,
        changed_px: region.area_px(),
        kind,
        words: words.to_owned(),
    }
}

impl Encoded {
    fn of(picture: &RgbImage) -> Self {
        let mut png = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut png, image::ImageFormat::Png).unwrap();
        Self { png: png.into_inner(), size: Size::new(picture.width(), picture.height()) }
    }
}

/// A page with a heading, rows and a button; when `broken`, a row is gone and the button red.
fn page(broken: bool) -> RgbImage {
    let mut page = RgbImage::from_pixel(SCREEN.width, SCREEN.height, Rgb([250, 250, 252]));
    fill(&mut page, Region::new(0, 0, 640, 40), [36, 41, 47]);
    for row in 0..6_u8 {
        let y = 72 + i32::from(row) * 48;
        if broken && y == ROW.y {
            continue;
        }
        fill(&mut page, Region::new(24, y, 592, 28), [232, 236, 240]);
        fill(&mut page, Region::new(36, y + 9, 120 + u32::from(row) * 31, 10), [88 + row, 96, 105]);
    }
    fill(&mut page, BUTTON, if broken { [192, 57, 43] } else { [45, 164, 78] });
    page
}

/// The difference picture: what changed in red on grey.
fn marked() -> RgbImage {
    let mut picture = RgbImage::from_pixel(SCREEN.width, SCREEN.height, Rgb([225, 225, 225]));
    fill(&mut picture, ROW, [220, 40, 40]);
    fill(&mut picture, BUTTON, [220, 40, 40]);
    picture
}

fn fill(picture: &mut RgbImage, region: Region, colour: [u8; 3]) {
    for y in region.y..region.bottom() {
        for x in region.x..region.right() {
            picture.put_pixel(x as u32, y as u32, Rgb(colour));
        }
    }
}
