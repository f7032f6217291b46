//! What an equal checkpoint of 1920x1080 costs.

use std::{error::Error, fs, path::Path};

use cu_run::{
    id::{CaseId, Name},
    store::{BaselineStore, Fingerprint, Overwrite, PixelDigest},
};

use crate::{
    Outcome,
    command_line::{Project, durations, page, scenario},
    stage::{SCREEN, Stage, succeed},
    table::{Row, Value, median, timed},
};

/// Screenshots of one still screen in each run of the program. The first waits for stillness and is left out.
const SCREENSHOTS: usize = 10;

/// In process from capture to verdict, and as a whole step, beside ImageMagick's `import` and image-compare.
pub(crate) fn measure(rounds: usize) -> Outcome {
    let mut stage = Stage::open()?;
    let _browser = stage.browse(&page("issues.html"))?;
    let folder = tempfile::tempdir()?;
    let baselines = BaselineStore::new(folder.path().join("baselines"));
    let (case, name) = (CaseId::new(vec![Name::new("bench")?])?, Name::new("page")?);
    let picture = stage.desktop.capture(SCREEN.region())?;
    let accepted = baselines.accept(&case, &name, &picture, &Fingerprint::default(), Overwrite::Pictures)?;
    let shots: Vec<String> = (0..SCREENSHOTS).map(|n| format!("screenshot: still-{n}")).collect();
    let open = format!("open_browser: \"{}\"", page("issues.html"));
    let project = Project::new(&[scenario(&[vec![open], shots].concat())])?;
    project.accept()?;

    let (mut in_process, mut as_step, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, equal) = timed(|| -> Result<bool, Box<dyn Error>> {
            let digest = PixelDigest::of(&stage.desktop.capture(SCREEN.region())?);
            Ok(baselines.lookup(&case, &name)?.and_then(|found| found.digest()) == Some(digest))
        });
        in_process.push(time);
        if !equal? {
            return Err("the page is not what it was a moment ago".into());
        }
        let (time, score) = timed(|| by_peers(&stage, &accepted, &folder.path().join("shot.png")));
        theirs.push(time);
        if score? < 1.0 - 1e-6 {
            return Err("the peers see another page".into());
        }
        let run = project.run(&[])?;
        as_step.extend(durations(&run.report.cases[0], "screenshot").into_iter().skip(1));
    }
    let theirs = Value::Time(median(theirs));
    let peer = || Some(("`import`, PNG decoding, image-compare RGB".to_owned(), theirs));
    Ok(vec![
        Row {
            what: "an equal checkpoint 1920x1080, capture to verdict".to_owned(),
            ours: Value::Time(median(in_process)),
            peer: peer(),
            aim: "< 10 ms",
        },
        Row {
            what: "the same as a whole step on a still screen".to_owned(),
            ours: Value::Time(median(as_step)),
            peer: peer(),
            aim: "< 10 ms",
        },
    ])
}

fn by_peers(stage: &Stage, accepted: &Path, shot: &Path) -> Result<f64, Box<dyn Error>> {
    succeed(stage.peer("import").args(["-window", "root"]).arg(shot))?;
    let decode = |path: &Path| -> Result<_, Box<dyn Error>> {
        Ok(image::load_from_memory(&fs::read(path)?)?.into_rgb8())
    };
    let algorithm = image_compare::Algorithm::MSSIMSimple;
    Ok(image_compare::rgb_similarity_structure(&algorithm, &decode(accepted)?, &decode(shot)?)?.score)
}
