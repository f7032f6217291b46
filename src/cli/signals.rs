//! SIGINT, SIGTERM and SIGHUP end the cases cleanly; the reports of what ran are written all the same.

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::{Handle, Signals},
};

use crate::{desktop::DesktopSource, runner::Cancel};

use super::CliError;

/// Listens until it is dropped. Further signals change nothing: the end is under way and bounded.
pub(super) struct SignalWatch(Handle);

impl SignalWatch {
    /// Runs `body` while signals are turned into a wish to end and the end of every display.
    pub(super) fn during<T>(
        cancel: &Cancel,
        desktops: &dyn DesktopSource,
        body: impl FnOnce() -> T,
    ) -> Result<T, CliError> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
            .map_err(|error| CliError::Fault(format!("error: failed to listen for signals: {error}")))?;
        let watch = Self(signals.handle());
        Ok(std::thread::scope(|scope| {
            scope.spawn(|| {
                for signal in signals.forever() {
                    cancel.request(signal);
                    // Whatever waits for a browser or a display returns with an error.
                    desktops.abort();
                }
            });
            let result = body();
            drop(watch);
            result
        }))
    }
}

impl Drop for SignalWatch {
    fn drop(&mut self) {
        self.0.close();
    }
}
