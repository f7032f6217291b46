//! What a browser holds and answers before its first page: cookies, stored values, credentials, dialogs.

use std::{fmt, path::PathBuf};

use serde_json::{Value, json};

use super::{
    BrowserError, NavigateOptions,
    chromium::{COMMAND_LIMIT, Chromium},
    devtools::Command,
    navigate::Way,
};
use crate::clock::Deadline;

/// What a browser holds and answers before its first page. Nothing of it by default.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Preset {
    /// What is done with the dialogs that scripts open.
    pub dialogs: DialogPolicy,
    /// Who signs in where by HTTP authentication.
    pub credentials: Vec<Credentials>,
    /// Cookies.
    pub cookies: Vec<Cookie>,
    /// Values in local storages.
    pub storage: Vec<StoredValues>,
    /// The folder into which files are downloaded; `Downloads` in the home folder without it.
    pub downloads: Option<PathBuf>,
}

/// What is done with the dialogs that scripts open: `alert`, `confirm`, `prompt`, `beforeunload`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DialogPolicy {
    /// They stay on the screen until somebody answers them.
    #[default]
    Show,
    /// They are accepted as they open.
    Accept,
    /// They are dismissed as they open.
    Dismiss,
}

/// Who signs in where by HTTP authentication.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// Scheme, host and port, such as `http://localhost:8080`: no other server is given the password.
    pub origin: String,
    /// The name.
    pub user: String,
    /// The password.
    pub password: String,
}

/// A cookie.
#[derive(Clone, PartialEq, Eq)]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// An address that it is for: host, path and scheme are taken from it.
    pub url: String,
}

/// Values in the local storage of one origin.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredValues {
    /// Scheme, host and port.
    pub origin: String,
    /// Keys and values.
    pub values: Vec<(String, String)>,
}

/// Values may be secrets and are for no log.
impl fmt::Debug for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preset")
            .field("dialogs", &self.dialogs)
            .field("credentials", &self.credentials.len())
            .field("cookies", &self.cookies.len())
            .field("storage", &self.storage.len())
            .field("downloads", &self.downloads)
            .finish()
    }
}

/// Scheme, host and port of an address, as browsers write them: without the port that the scheme implies.
pub(super) fn origin_of(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return String::new() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_ascii_lowercase();
    let implied = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let host = if implied.is_empty() { &host[..] } else { host.strip_suffix(implied).unwrap_or(&host) };
    format!("{}://{host}", scheme.to_ascii_lowercase())
}

impl Chromium {
    /// Puts in place what the first page is to find.
    pub(super) fn apply_preset(&mut self, preset: &Preset, deadline: &Deadline) -> Result<(), BrowserError> {
        let downloads = json!({"behavior": "allow", "downloadPath": self.downloads, "eventsEnabled": true});
        self.ask_browser("Browser.setDownloadBehavior", downloads)?;
        if !preset.cookies.is_empty() {
            let cookies: Vec<Value> = preset
                .cookies
                .iter()
                .map(|cookie| json!({"name": cookie.name, "value": cookie.value, "url": cookie.url}))
                .collect();
            self.ask_browser("Storage.setCookies", json!({"cookies": cookies}))?;
        }
        for stored in &preset.storage {
            self.store_values(stored, deadline)?;
        }
        if !preset.storage.is_empty() {
            let options = NavigateOptions { timeout: deadline.remaining(&*self.clock), expect_status: None };
            self.go(&Way::To("about:blank".to_owned()), &options)?;
            let front = self.front()?;
            let forgotten = self.call(&front, "Page.resetNavigationHistory", json!({}));
            forgotten.map_err(|error| self.fault(error))?;
            self.devtools.change_pages(|pages| pages.notices.take());
        }
        Ok(())
    }

    /// Stores values for an origin on an empty page of it, which no server is asked for.
    fn store_values(&mut self, stored: &StoredValues, deadline: &Deadline) -> Result<(), BrowserError> {
        let front = self.front()?;
        let origin = origin_of(&stored.origin);
        self.devtools.change_pages(|pages| pages.guard.stand_in_for(Some(&origin)));
        let patterns = json!({"patterns": [{"urlPattern": "*"}]});
        self.call(&front, "Fetch.enable", patterns).map_err(|error| self.fault(error))?;
        let options = NavigateOptions { timeout: deadline.remaining(&*self.clock), expect_status: None };
        self.go(&Way::To(format!("{origin}/")), &options)?;
        let script =
            format!("for (const [key, value] of {}) localStorage.setItem(key, value)", json!(stored.values));
        let answer = self.call(&front, "Runtime.evaluate", json!({"expression": script}));
        let answer = answer.map_err(|error| self.fault(error))?;
        self.devtools.change_pages(|pages| pages.guard.stand_in_for(None));
        match self.devtools.pages(|pages| pages.guard.enabling()) {
            Some((method, params)) => self.call(&front, &method, params),
            None => self.call(&front, "Fetch.disable", json!({})),
        }
        .map_err(|error| self.fault(error))?;
        match answer["exceptionDetails"]["exception"]["description"].as_str() {
            None => Ok(()),
            Some(reason) => Err(BrowserError::Protocol {
                method: format!("local storage of {origin}"),
                reason: reason.to_owned(),
            }),
        }
    }

    fn ask_browser(&self, method: &str, params: Value) -> Result<Value, BrowserError> {
        let answer = self.devtools.call(&Command::browser(method, params), COMMAND_LIMIT);
        answer.map_err(|error| self.fault(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        for (url, origin) in [
            ("http://Host:80/a?b", "http://host"),
            ("https://u:p@host:444", "https://host:444"),
            ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080"),
            ("about:blank", ""),
        ] {
            assert_eq!(origin_of(url), origin, "{url}");
        }
    }

    #[test]
    fn no_value_is_shown() {
        let credentials = Credentials {
            origin: "http://a".to_owned(),
            user: "u".to_owned(),
            password: "hunter2".to_owned(),
        };
        let preset = Preset { credentials: vec![credentials], ..Preset::default() };
        assert!(!format!("{preset:?}").contains("hunter2"));
    }
}
