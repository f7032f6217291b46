//! Typing 994 characters: how long sending takes, and when they have arrived.

use std::{error::Error, fs, io::Write as _, process::Stdio, time::Duration};

use cu_run::{
    browser::Browser,
    desktop::Desktop,
    input::{KeyChord, Press},
};

use crate::{
    Outcome,
    command_line::{Project, durations, scenario},
    stage::{Stage, await_that},
    table::{Row, Value, median, timed},
};

/// How many characters are typed.
const LENGTH: usize = 994;

/// A page that holds a text area and tells what it holds by its title: the length and a hash of the whole text.
const PAGE: &str =
    "<!doctype html><meta charset=utf-8><textarea id=t cols=120 rows=40 autofocus></textarea><script>
const hash = text => [...text].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) >>> 0, 7);
t.oninput = () => document.title = t.value.length + ' ' + hash(t.value);
</script>";

/// Between the keys, in milliseconds: what xdotool does by itself, and the least that it can.
const DELAYS: [&str; 2] = ["12", "1"];

/// What was measured with one program under test.
#[derive(Default)]
struct Times {
    sent: Vec<Duration>,
    arrived: Vec<Duration>,
    xdotool: [Vec<Duration>; 2],
    /// How many of xdotool's rounds lost or changed characters.
    wrong: [usize; 2],
}

/// In xterm and in Chromium, beside xdotool.
pub(crate) fn measure(rounds: usize) -> Outcome {
    let text: String = "The quick brown Fox jumps; over {the} lazy Dog: 42% ~ \"yes\" + no! "
        .chars()
        .cycle()
        .take(LENGTH)
        .collect();
    let mut rows = in_xterm(rounds, &text)?.rows("xterm");
    rows.extend(in_chromium(rounds, &text)?.rows("Chromium"));
    rows.push(as_step(rounds, &text)?);
    Ok(rows)
}

fn in_xterm(rounds: usize, text: &str) -> Result<Times, Box<dyn Error>> {
    let mut stage = Stage::open()?;
    let file = stage.workspace().join("typed");
    // Without canonical mode the terminal would limit a line to 4095 bytes.
    let script = "stty -icanon -echo; exec cat > typed";
    stage.launch(&["xterm", "-u8", "-e", "sh", "-c", script])?;
    await_that("cat", || Ok(file.exists()))?;
    let mut times = Times::default();
    let mut before = 0;
    let mut arrival = |_: &mut Stage| -> Result<String, Box<dyn Error>> {
        let wanted = before + LENGTH as u64;
        await_that("the text", || Ok(fs::metadata(&file)?.len() >= wanted))?;
        let all = fs::read_to_string(&file)?;
        let typed = all[before as usize..].to_owned();
        before = wanted;
        Ok(typed)
    };
    for _ in 0..rounds {
        times.type_all(&mut stage, text, text, &mut arrival)?;
    }
    Ok(times)
}

fn in_chromium(rounds: usize, text: &str) -> Result<Times, Box<dyn Error>> {
    let mut stage = Stage::open()?;
    let page = stage.workspace().join("page.html");
    fs::write(&page, PAGE)?;
    let mut browser = stage.browse(&format!("file://{}", page.display()))?;
    let mut times = Times::default();
    let hash = text.chars().fold(7_u32, |sum, c| sum.wrapping_mul(31).wrapping_add(u32::from(c)));
    let wanted = format!("{LENGTH} {hash}");
    for _ in 0..rounds {
        let mut arrival = |stage: &mut Stage| -> Result<String, Box<dyn Error>> {
            let prefix = format!("{LENGTH} ");
            let mut title = String::new();
            await_that("the text", || {
                title = browser.location()?.title;
                Ok(title.starts_with(&prefix))
            })?;
            empty(&mut *stage.desktop, &mut *browser)?;
            Ok(title)
        };
        times.type_all(&mut stage, text, &wanted, &mut arrival)?;
    }
    Ok(times)
}

/// Waits until a text has arrived and gives what is there.
type Arrival<'a> = dyn FnMut(&mut Stage) -> Result<String, Box<dyn Error>> + 'a;

/// Deletes what is in the text area.
fn empty(desktop: &mut dyn Desktop, browser: &mut dyn Browser) -> Result<(), Box<dyn Error>> {
    for keys in ["ctrl+a", "Delete"] {
        let chord = KeyChord::parse(keys)?;
        desktop.chord(&chord, Press::Down, false)?;
        desktop.chord(&chord, Press::Up, false)?;
    }
    await_that("an empty text area", || Ok(browser.location()?.title.starts_with("0 ")))
}

impl Times {
    /// One round: by cu-run, then by xdotool with each delay.
    fn type_all(
        &mut self,
        stage: &mut Stage,
        text: &str,
        wanted: &str,
        arrival: &mut Arrival<'_>,
    ) -> Result<(), Box<dyn Error>> {
        stage.await_rest()?;
        let (arrived, typed) = timed(|| -> Result<String, Box<dyn Error>> {
            let (sent, done) = timed(|| stage.desktop.type_text(text));
            done?;
            self.sent.push(sent);
            arrival(stage)
        });
        self.arrived.push(arrived);
        if typed? != wanted {
            return Err("what cu-run typed is not what arrived".into());
        }
        for (number, delay) in DELAYS.iter().enumerate() {
            stage.await_rest()?;
            let (time, typed) = timed(|| -> Result<String, Box<dyn Error>> {
                let mut command = stage.peer("xdotool");
                command.args(["type", "--delay", delay, "--file", "-"]).stdin(Stdio::piped());
                let mut child = command.spawn()?;
                child.stdin.take().ok_or("no pipe")?.write_all(text.as_bytes())?;
                child.wait()?;
                arrival(stage)
            });
            self.xdotool[number].push(time);
            self.wrong[number] += usize::from(typed? != wanted);
        }
        Ok(())
    }

    fn rows(self, program: &str) -> Vec<Row> {
        let rounds = self.sent.len();
        let mut rows = Vec::new();
        let sent = Value::Time(median(self.sent));
        let arrived = Value::Time(median(self.arrived));
        for ((delay, times), wrong) in DELAYS.iter().zip(self.xdotool).zip(self.wrong) {
            let peer = format!("`xdotool type --delay {delay}`, arrived; {wrong} of {rounds} wrong");
            let theirs = Value::Time(median(times));
            let what = format!("{LENGTH} characters into {program}: arrived, exact in all {rounds} rounds");
            rows.push(Row { what, ours: arrived, peer: Some((peer, theirs)), aim: "" });
        }
        let what = format!("{LENGTH} characters into {program}: sent");
        rows.insert(0, Row { what, ours: sent, peer: None, aim: "< 50 ms" });
        rows
    }
}

/// A `type` step, which ends when the page has drawn the text.
fn as_step(rounds: usize, text: &str) -> Result<Row, Box<dyn Error>> {
    let quoted = serde_json::to_string(text)?;
    let typing = format!("type: {quoted}");
    let folder = tempfile::tempdir()?;
    let page = folder.path().join("page.html");
    fs::write(&page, PAGE)?;
    let mut steps = vec![format!("open_browser: \"file://{}\"", page.display()), "wait_still: {}".to_owned()];
    for _ in 0..rounds {
        steps.extend([
            typing.clone(),
            "key: ctrl+a".to_owned(),
            "key: Delete".to_owned(),
            "wait: 1s".to_owned(),
        ]);
    }
    let run = Project::new(&[scenario(&steps)])?.run(&[])?;
    let times = durations(&run.report.cases[0], "type");
    Ok(Row {
        what: format!("{LENGTH} characters as a `type` step in Chromium, 100 ms of rest included"),
        ours: Value::Time(median(times)),
        peer: None,
        aim: "",
    })
}
