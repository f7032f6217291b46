//! Every action in every spelling.

use std::time::Duration;

use cu_run::{
    compare::{Floating, Method, Tolerance},
    geometry::{Point, Region},
    input::{Button, KeyChord},
    scenario::{Action, Click, Drag, HoldKey, Mask, ScrollDirection, ScrollWheel, Target, WaitStill},
};

use super::{case_of, mistakes_of, steps_of};

fn at(x: i32, y: i32) -> Target {
    Target::Coordinate(Point::new(x, y))
}

fn click(button: Button, count: u8, at: Option<Target>) -> Action {
    Action::Click(Click { button, count, at })
}

fn css(selector: &str) -> Target {
    Target::Css { css: selector.to_owned(), nth: None, within: None, offset: None }
}

#[test]
fn clicks_in_every_spelling_are_the_same_click() {
    let spellings = steps_of(
        "- left_click: [640, 310]
         - left_click: {at: [640, 310]}
         - left_click: {coordinate: [640, 310]}
         - left_click: {x: 640, y: 310}
         - left-click: [640, 310]
         - click: [640, 310]
         - click: {button: left, at: [640, 310]}
         - {action: left_click, coordinate: [640, 310]}
         - {action: click, button: left, coordinate: [640, 310]}
         - {action: left-click, coordinate: [640, 310]}",
    );
    assert_eq!(spellings.len(), 10);
    for action in spellings {
        assert_eq!(action, click(Button::Left, 1, Some(at(640, 310))));
    }
}

#[test]
fn buttons_and_counts_follow_the_verb() {
    assert_eq!(
        steps_of(
            "- right_click: [1, 2]
             - middle_click: {css: a}
             - double_click
             - triple_click:
             - {action: right_click}
             - click: {button: middle}"
        ),
        [
            click(Button::Right, 1, Some(at(1, 2))),
            click(Button::Middle, 1, Some(css("a"))),
            click(Button::Left, 2, None),
            click(Button::Left, 3, None),
            click(Button::Right, 1, None),
            click(Button::Middle, 1, None),
        ]
    );
}

#[test]
fn a_css_target_keeps_everything_that_narrows_it() {
    let full = Target::Css {
        css: "tr.issue".to_owned(),
        nth: Some(2),
        within: Some(Region::new(0, 40, 1280, 700)),
        offset: Some(Point::new(-5, 3)),
    };
    assert_eq!(
        steps_of("- mouse_move: {css: tr.issue, nth: 2, within: [0, 40, 1280, 700], offset: [-5, 3]}"),
        [Action::MouseMove(full)]
    );
}

#[test]
fn a_drag_has_a_start_and_an_end_in_every_spelling() {
    let whole = Action::Drag(Drag { from: Some(at(1, 2)), to: at(3, 4) });
    assert_eq!(
        steps_of(
            "- left_click_drag: {from: [1, 2], to: [3, 4]}
             - left_click_drag: {coordinate: [1, 2], drag_to: [3, 4]}
             - {action: left_click_drag, coordinate: [1, 2], drag_to: [3, 4]}
             - {action: left_click_drag, start_coordinate: [1, 2], coordinate: [3, 4]}
             - left_click_drag: {to: {css: '#bin'}}"
        ),
        [
            whole.clone(),
            whole.clone(),
            whole.clone(),
            whole,
            Action::Drag(Drag { from: None, to: css("#bin") })
        ]
    );
}

#[test]
fn scrolling_has_a_direction_or_a_sign() {
    let scroll = |direction, amount, at| Action::Scroll(ScrollWheel { at, direction, amount });
    assert_eq!(
        steps_of(
            "- scroll: {direction: down}
             - scroll: {direction: left, amount: 5, at: {css: main}}
             - scroll: -4
             - scroll: {amount: 2, x: 10, y: 20}
             - {action: scroll, coordinate: [10, 20], scroll_direction: up, scroll_amount: 7}"
        ),
        [
            scroll(ScrollDirection::Down, 3, None),
            scroll(ScrollDirection::Left, 5, Some(css("main"))),
            scroll(ScrollDirection::Down, 4, None),
            scroll(ScrollDirection::Up, 2, Some(at(10, 20))),
            scroll(ScrollDirection::Up, 7, Some(at(10, 20))),
        ]
    );
}

#[test]
fn keys_and_times_in_every_spelling() {
    let chord = |text: &str| KeyChord::parse(text).unwrap();
    let hold = |text: &str, millis| {
        Action::HoldKey(HoldKey { chord: chord(text), duration: Duration::from_millis(millis) })
    };
    assert_eq!(
        steps_of(
            "- key: ctrl+shift+t
             - keypress: Return
             - {action: key, text: ctrl+s}
             - key: {key: 5}
             - hold_key: shift
             - hold_key: {key: w, duration: 2}
             - {action: hold_key, text: w, duration: 500ms}
             - wait
             - wait: 2
             - wait: 500ms
             - {action: wait, duration: 1m}
             - wait_still
             - wait_still: {region: [0, 0, 10, 10], quiet: 1s}"
        ),
        [
            Action::Key(chord("ctrl+shift+t")),
            Action::Key(chord("Return")),
            Action::Key(chord("ctrl+s")),
            Action::Key(chord("5")),
            hold("shift", 1000),
            hold("w", 2000),
            hold("w", 500),
            Action::Wait(Duration::from_secs(1)),
            Action::Wait(Duration::from_secs(2)),
            Action::Wait(Duration::from_millis(500)),
            Action::Wait(Duration::from_secs(60)),
            Action::WaitStill(WaitStill::default()),
            Action::WaitStill(WaitStill {
                region: Some(Region::new(0, 0, 10, 10)),
                quiet: Some(Duration::from_secs(1)),
            }),
        ]
    );
}

#[test]
fn words_of_other_systems_are_understood() {
    let verbs: Vec<&str> = steps_of(
        "- browser_open: about:blank
         - browser-open: about:blank
         - open_browser
         - type-text: a
         - type_text: a
         - {action: type, text: a}
         - app-launch: [xterm]
         - app_launch: [xterm]
         - {action: launch, command: [xterm]}
         - navigate: {url: about:blank, expect_status: 404}
         - reload
         - back
         - forward:
         - left_mouse_down
         - {action: left_mouse_up}
         - focus: xterm
         - close-browser",
    )
    .iter()
    .map(Action::verb)
    .collect();
    assert_eq!(
        verbs,
        [
            "open_browser",
            "open_browser",
            "open_browser",
            "type",
            "type",
            "type",
            "launch",
            "launch",
            "launch",
            "navigate",
            "reload",
            "back",
            "forward",
            "left_mouse_down",
            "left_mouse_up",
            "focus",
            "close_browser",
        ]
    );
}

#[test]
fn a_checkpoint_takes_its_limits_from_itself_then_the_scenario_then_the_defaults() {
    let case = case_of(
        "compare: {min_ssim: 0.9, max_pixels: 7}
steps:
  - screenshot: plain
  - screenshot:
      name: full
      region: [0, 40, 1280, 700]
      masks: [{css: .time, nth: 0}, {region: [0, 40, 100, 10]}]
      min_ssim: 1
      max_delta: 4
      method: exact
      match_within: 0
  - {action: screenshot, name: called}
",
    );
    let checkpoints: Vec<_> = case
        .steps
        .iter()
        .map(|step| match &step.action {
            Action::Screenshot(checkpoint) => checkpoint,
            other => panic!("{other}"),
        })
        .collect();
    let limits = |index: usize| {
        let spec = &checkpoints[index].compare;
        (spec.method, spec.min_ssim, spec.max_delta, spec.max_pixels)
    };
    assert_eq!(limits(0), (Method::Ssim, 0.9, 1, 7));
    assert_eq!(limits(1), (Method::Exact, 1.0, 4, 7));
    assert_eq!(checkpoints[0].match_within, Duration::from_secs(3));
    assert_eq!(checkpoints[1].match_within, Duration::ZERO);
    assert_eq!(checkpoints[1].region, Some(Region::new(0, 40, 1280, 700)));
    assert_eq!(
        checkpoints[1].masks,
        [
            Mask::Target(Target::Css { css: ".time".to_owned(), nth: Some(0), within: None, offset: None }),
            Mask::Region(Region::new(0, 40, 100, 10)),
        ]
    );
    assert_eq!(checkpoints[2].name.as_str(), "called");
}

#[test]
fn parts_take_the_limits_that_they_do_not_name_from_their_checkpoint() {
    let actions = steps_of(
        "- screenshot: {name: a, min_ssim: 0.9, tolerance: [{region: [1, 2, 30, 40], max_delta: 9}], floating: [{region: [5, 6, 70, 80], by: 3}]}",
    );
    let Action::Screenshot(checkpoint) = &actions[0] else { panic!("{actions:?}") };
    let region = Region::new(1, 2, 30, 40);
    assert_eq!(
        checkpoint.compare.tolerance,
        [Tolerance { region, min_ssim: 0.9, max_delta: 9, max_pixels: 4 }]
    );
    let region = Region::new(5, 6, 70, 80);
    assert_eq!(checkpoint.compare.floating, [Floating { region, by_px: 3 }]);
}

#[test]
fn options_stand_beside_the_action_in_both_forms() {
    let case = case_of(
        "steps:
  - right_click: [1, 1]
    name: open the menu
    confirm: true
    timeout: 2s
    continue_on_failure: true
  - {action: right_click, coordinate: [1, 1], name: open the menu, confirm: true, timeout: 2, continue_on_failure: true}
  - screenshot: home
    retry: 2
",
    );
    assert_eq!(case.steps[0].options, case.steps[1].options);
    let options = &case.steps[0].options;
    assert_eq!(options.name.as_deref(), Some("open the menu"));
    assert_eq!(options.timeout, Some(Duration::from_secs(2)));
    assert!(options.confirm && options.continue_on_failure);
    assert_eq!(case.steps[2].options.retry, 2);
    assert_eq!((case.steps[0].source.line, case.steps[0].source.column), (2, 5));
}

#[test]
fn what_is_not_there_yet_is_unknown_and_never_passed_over() {
    for step in [
        "wait_for: {text: Dashboard}",
        "assert: {text: Dashboard}",
        "shell: [ls]",
        "zoom: [0, 0, 10, 10]",
        "clipboard_read",
        "extract: {css: a}",
        "left_click: {text: Sign in}",
        "left_click: {image: save.png}",
        "left_click: {role: button, name: Save}",
    ] {
        let mistakes = mistakes_of(&format!("steps:\n  - {step}\n"));
        assert!(mistakes.starts_with("error: unknown "), "{step}: {mistakes}");
    }
    for head in ["browser: firefox", "browser: {name: firefox}", "display: {keyboard: de}", "policy: strict"]
    {
        let mistakes = mistakes_of(&format!("{head}\nsteps: [wait]\n"));
        assert!(mistakes.starts_with("error: unknown "), "{head}: {mistakes}");
    }
}
