//! Keeping pages from moving by themselves: what every page and frame is told before its first script.

use serde_json::{Value, json};

use super::{BrowserSpec, ColorScheme, Freeze};

const FREEZE_SCRIPT: &str = include_str!("freeze.js");
const CLOCK_SCRIPT: &str = include_str!("clock.js");

/// The commands that set up a page or frame while it is paused at its birth.
pub(super) fn setup(spec: &BrowserSpec) -> Vec<(String, Value)> {
    let mut commands = vec![
        ("Page.enable", json!({})),
        ("Page.setLifecycleEventsEnabled", json!({"enabled": true})),
        ("Network.enable", json!({})),
        ("Inspector.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Log.enable", json!({})),
        ("Target.setAutoAttach", auto_attach()),
        ("Emulation.setEmulatedMedia", json!({"features": media_features(spec)})),
    ];
    for source in scripts(spec) {
        commands.push((
            "Page.addScriptToEvaluateOnNewDocument",
            // The empty page of a new window exists already.
            json!({"source": source, "runImmediately": true}),
        ));
    }
    commands.into_iter().map(|(method, params)| (method.to_owned(), params)).collect()
}

/// Pages and frames are attached to as they appear, paused until they are set up. Workers are left alone.
pub(super) fn auto_attach() -> Value {
    json!({
        "autoAttach": true,
        "waitForDebuggerOnStart": true,
        "flatten": true,
        "filter": [{"type": "page"}, {"type": "iframe"}, {"exclude": true}],
    })
}

fn media_features(spec: &BrowserSpec) -> Value {
    let scheme = match spec.color_scheme {
        ColorScheme::Light => "light",
        ColorScheme::Dark => "dark",
    };
    // Both are said in any case: the settings of the display must not decide.
    let motion = match spec.freeze {
        Freeze::Frozen => "reduce",
        Freeze::Moving => "no-preference",
    };
    json!([
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": motion},
    ])
}

fn scripts(spec: &BrowserSpec) -> Vec<String> {
    let clock = spec.frozen_clock_ms.map(|now| format!("{}({now});", CLOCK_SCRIPT.trim_end()));
    let freeze = (spec.freeze == Freeze::Frozen).then(|| FREEZE_SCRIPT.to_owned());
    clock.into_iter().chain(freeze).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::browser::{Frame, Preset};

    fn spec(freeze: Freeze, clock: Option<i64>) -> BrowserSpec {
        BrowserSpec {
            frame: Frame::PageOnly,
            freeze,
            frozen_clock_ms: clock,
            color_scheme: ColorScheme::Dark,
            executable: None,
            extra_flags: Vec::new(),
            preset: Preset::default(),
            start_timeout: Duration::from_secs(1),
        }
    }

    #[test]
    fn a_moving_page_gets_no_script_and_keeps_its_motion() {
        let commands = setup(&spec(Freeze::Moving, None));
        assert!(commands.iter().all(|(method, _)| method != "Page.addScriptToEvaluateOnNewDocument"));
        let media = commands.iter().find(|(method, _)| method == "Emulation.setEmulatedMedia").unwrap();
        let wanted = json!([{"name": "prefers-color-scheme", "value": "dark"},
            {"name": "prefers-reduced-motion", "value": "no-preference"}]);
        assert_eq!(media.1["features"], wanted);
    }

    #[test]
    fn the_clock_is_set_before_the_freezing_and_before_the_page() {
        let sources: Vec<_> = setup(&spec(Freeze::Frozen, Some(-5)))
            .into_iter()
            .filter_map(|(_, params)| params["source"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(sources.len(), 2);
        assert!(sources[0].ends_with("})(-5);"), "{}", sources[0]);
        assert!(sources[1].contains("adoptedStyleSheets"));
    }
}
