//! Pages that are told of another device: language, time zone, touch screen, network, name of the browser, viewport.
//!
//! The device scale factor is none of these: it is a flag of the browser, so that the pixels are real.

use serde_json::{Value, json};

use super::{
    BrowserError,
    chromium::{COMMAND_LIMIT, Chromium},
    devtools::{CallError, Command},
};
use crate::geometry::Size;

/// What pages are told of the device; what is absent stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Emulation {
    /// The size of the viewport in css pixels.
    pub viewport: Option<Size>,
    /// Whether the viewport is laid out as on phones and tablets, by the page's `<meta name=viewport>`.
    pub mobile: Option<bool>,
    /// The language, such as `de-DE`.
    pub locale: Option<String>,
    /// The time zone, such as `Europe/Berlin`.
    pub time_zone: Option<String>,
    /// Whether the network is gone.
    pub offline: Option<bool>,
    /// Whether there is a touch screen; clicks then arrive as touches.
    pub touch: Option<bool>,
    /// What the browser calls itself.
    pub user_agent: Option<UserAgent>,
}

/// What a browser calls itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserAgent {
    /// This.
    Text(String),
    /// As on a phone.
    Phone,
    /// As on a tablet.
    Tablet,
}

impl Emulation {
    /// These settings, and those of `before` that they leave open.
    #[must_use]
    pub fn over(&self, before: &Self) -> Self {
        Self {
            viewport: self.viewport.or(before.viewport),
            mobile: self.mobile.or(before.mobile),
            locale: self.locale.clone().or_else(|| before.locale.clone()),
            time_zone: self.time_zone.clone().or_else(|| before.time_zone.clone()),
            offline: self.offline.or(before.offline),
            touch: self.touch.or(before.touch),
            user_agent: self.user_agent.clone().or_else(|| before.user_agent.clone()),
        }
    }

    /// The commands by which a page or frame is told; `own` is what the browser calls itself.
    pub(super) fn commands(&self, own: &str) -> Vec<(String, Value)> {
        let mut commands = Vec::new();
        let mut tell = |method: &str, params: Value| commands.push((method.to_owned(), params));
        if let Some(locale) = &self.locale {
            tell("Emulation.setLocaleOverride", json!({"locale": locale}));
        }
        if let Some(zone) = &self.time_zone {
            tell("Emulation.setTimezoneOverride", json!({"timezoneId": zone}));
        }
        if let Some(offline) = self.offline {
            let unlimited =
                json!({"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
            tell("Network.emulateNetworkConditions", unlimited);
        }
        if let Some(touch) = self.touch {
            tell("Emulation.setTouchEmulationEnabled", json!({"enabled": touch, "maxTouchPoints": 5}));
            let as_touch = json!({"enabled": touch, "configuration": "mobile"});
            tell("Emulation.setEmitTouchEventsForMouse", as_touch);
        }
        if self.user_agent.is_some() || self.locale.is_some() {
            let name = self.user_agent.as_ref().map_or_else(|| own.to_owned(), |agent| agent.name(own));
            let mut params = json!({"userAgent": name});
            if let Some(locale) = &self.locale {
                params["acceptLanguage"] = json!(accepted(locale));
            }
            tell("Emulation.setUserAgentOverride", params);
        }
        commands
    }
}

impl UserAgent {
    /// The whole name, of the browser's own version.
    fn name(&self, own: &str) -> String {
        let engine = own.split_once(") ").map_or(own, |(_, rest)| rest);
        // The reduced form that Chrome for Android has had since version 110.
        let android = |engine: &str| format!("Mozilla/5.0 (Linux; Android 10; K) {engine}");
        match self {
            Self::Text(text) => text.clone(),
            Self::Phone => android(&engine.replace(" Safari/", " Mobile Safari/")),
            Self::Tablet => android(engine),
        }
    }
}

/// `de-DE,de` for `de-DE`, as browsers send it.
fn accepted(locale: &str) -> String {
    match locale.split_once('-') {
        Some((language, _)) => format!("{locale},{language}"),
        None => locale.to_owned(),
    }
}

impl Chromium {
    /// Tells the present and all later pages of another device.
    pub(super) fn emulate_device(&mut self, wanted: &Emulation) -> Result<(), BrowserError> {
        let front = self.front()?;
        let (commands, others) = self.devtools.change_pages(|pages| {
            pages.emulate(wanted);
            let others = pages.all().filter(|of| *of != front).map(str::to_owned).collect::<Vec<_>>();
            (pages.emulation().commands(&self.user_agent), others)
        });
        for (method, params) in &commands {
            let command = Command::page(&front, method, params.clone());
            match self.devtools.call(&command, COMMAND_LIMIT) {
                // Pages and frames that share a process share its language and time zone.
                Err(CallError::Refused { reason, .. }) if reason.contains("already in effect") => {}
                Err(error) => return Err(self.fault(error)),
                Ok(_) => {}
            }
            for other in &others {
                self.devtools.send(&Command::page(other, method, params.clone()));
            }
        }
        match wanted.viewport {
            Some(size) => self.size_viewport(size),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";

    #[test]
    fn a_phone_has_the_browsers_own_version() {
        let phone = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36";
        assert_eq!(UserAgent::Phone.name(OWN), phone);
        assert_eq!(UserAgent::Tablet.name(OWN), phone.replace(" Mobile", ""));
    }

    #[test]
    fn what_is_left_open_stays_and_a_language_is_sent_too() {
        let before =
            Emulation { offline: Some(true), locale: Some("de-DE".to_owned()), ..Emulation::default() };
        let after = Emulation { offline: Some(false), ..Emulation::default() }.over(&before);
        let commands = after.commands(OWN);
        let params = |method: &str| &commands.iter().find(|(of, _)| of == method).unwrap().1;
        assert_eq!(params("Network.emulateNetworkConditions")["offline"], false);
        assert_eq!(params("Emulation.setUserAgentOverride")["acceptLanguage"], "de-DE,de");
        assert!(Emulation::default().commands(OWN).is_empty());
    }
}
