//! The source of scripted desktops.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use super::FakeDesktop;
use crate::desktop::{Desktop, DesktopError, DesktopSource, DesktopSpec, WindowManager};

/// Opens scripted desktops: those prepared, in order, then plain ones.
#[derive(Debug, Default)]
pub struct FakeDesktopSource {
    prepared: Mutex<VecDeque<Result<FakeDesktop, DesktopError>>>,
    opened: Mutex<Vec<FakeDesktop>>,
    aborted: AtomicBool,
}

impl FakeDesktopSource {
    /// A source with nothing prepared.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Prepares the desktop that the next unprepared `open` gives.
    pub fn push(&self, desktop: FakeDesktop) {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner).push_back(Ok(desktop));
    }

    /// Lets an `open` fail, in the order of the prepared desktops.
    pub fn push_failure(&self, error: DesktopError) {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner).push_back(Err(error));
    }

    /// Whether the displays were ended by [`DesktopSource::abort`].
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::Relaxed)
    }

    /// The desktops opened so far, in order.
    #[must_use]
    pub fn opened(&self) -> Vec<FakeDesktop> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl DesktopSource for FakeDesktopSource {
    fn abort(&self) {
        self.aborted.store(true, Ordering::Relaxed);
    }

    fn open(&self, spec: &DesktopSpec) -> Result<Box<dyn Desktop>, DesktopError> {
        let prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let desktop = prepared.unwrap_or_else(|| Ok(FakeDesktop::new(spec.size)))?;
        let manager = match spec.window_manager {
            WindowManager::Openbox => "openbox",
            WindowManager::None => "none",
        };
        self.opened.lock().unwrap_or_else(PoisonError::into_inner).push(desktop.clone());
        drop(desktop.record(format!("open {} {manager}", spec.size))?);
        Ok(Box::new(desktop))
    }
}
