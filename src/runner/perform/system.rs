//! Programs and windows on the display.

use std::time::Duration;

use crate::{
    clock::Deadline,
    desktop::{App, AppState, Program, Window},
    outcome::{Failure, FailureKind},
    scenario::Launch,
};

use super::{Done, Stage, Stop};

/// How long to wait before windows are looked at again. Mapping a window damages the screen, so this is an upper bound.
const LOOK_AGAIN: Duration = Duration::from_millis(50);

impl Stage<'_> {
    pub(super) fn launch(&mut self, launch: &Launch, limit: Duration) -> Result<Done, Stop> {
        let argv = launch.command.iter().map(|part| self.render(part)).collect::<Result<Vec<_>, _>>()?;
        let env = launch
            .env
            .iter()
            .map(|(name, value)| Ok((name.clone(), self.render(value)?)))
            .collect::<Result<_, Stop>>()?;
        self.desktop.await_window_manager()?;
        let before: Vec<u32> = self.desktop.windows()?.iter().map(|window| window.id).collect();
        self.launched += 1;
        let log_name = format!("app-{}.log", self.launched);
        let cwd = launch.cwd.clone();
        let app = self.desktop.launch(&Program { argv: argv.clone(), env, cwd, log_name, pipes: false })?;
        self.screen.touch(self.bench.clock);
        if launch.wait_window {
            self.await_window(&app, &argv[0], &before, limit)?;
        }
        Ok(Done::default())
    }

    pub(super) fn focus(&mut self, wanted: &str, limit: Duration) -> Result<Done, Stop> {
        let deadline = Deadline::after(self.bench.clock, limit);
        loop {
            let windows = self.desktop.windows()?;
            let matching: Vec<&Window> = windows.iter().filter(|window| is_meant(window, wanted)).collect();
            let failure = match matching[..] {
                [window] => {
                    self.desktop.focus(window.id)?;
                    self.screen.touch(self.bench.clock);
                    return Ok(Done::default());
                }
                [] => Failure::new(FailureKind::TargetNotFound, format!("no window `{wanted}`"))
                    .with_details(windows.iter().map(described)),
                _ => Failure::new(
                    FailureKind::TargetAmbiguous,
                    format!("`{wanted}` names {} windows", matching.len()),
                )
                .with_details(matching.into_iter().map(described)),
            };
            if deadline.has_passed(self.bench.clock) {
                return Err(Stop::Failed(failure));
            }
            self.pause(LOOK_AGAIN)?;
        }
    }

    fn await_window(
        &mut self,
        app: &App,
        program: &str,
        before: &[u32],
        limit: Duration,
    ) -> Result<(), Stop> {
        let deadline = Deadline::after(self.bench.clock, limit);
        loop {
            if self.desktop.windows()?.iter().any(|window| !before.contains(&window.id)) {
                return Ok(());
            }
            // A launcher may hand over to another process and end: only its failure is one.
            let ended = match self.desktop.app_state(app.id)? {
                AppState::Running | AppState::Exited(0) => None,
                AppState::Exited(code) => Some(format!("ended with code {code}")),
                AppState::Killed(signal) => Some(format!("was ended by signal {signal}")),
            };
            if let Some(how) = ended {
                return Err(Stop::failed(
                    FailureKind::App,
                    format!("`{program}` {how} before it showed a window; see app-{}.log", self.launched),
                ));
            }
            if deadline.has_passed(self.bench.clock) {
                return Err(Stop::failed(
                    FailureKind::App,
                    format!(
                        "`{program}` showed no window within {limit:?}; see app-{}.log (or set `wait_window: false`)",
                        self.launched
                    ),
                ));
            }
            self.pause(LOOK_AGAIN)?;
        }
    }
}

/// By its class, or by a part of its title, in any case.
fn is_meant(window: &Window, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase();
    window.class.to_lowercase() == wanted || window.title.to_lowercase().contains(&wanted)
}

fn described(window: &Window) -> String {
    format!("there is `{}` (class {}) at {}", window.title, window.class, window.region)
}
