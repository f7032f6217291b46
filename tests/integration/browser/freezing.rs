//! Pages that would move, kept still.

use std::time::Duration;

use cu_run::{
    browser::{BrowserSpec, ColorScheme, Freeze},
    clock::{Clock, SystemClock},
};
use image::RgbImage;

use super::{
    server::{Reply, Server},
    stage::{Stage, spec},
};

/// Captures over a good second: what blinks or spins does so within it.
fn captures(stage: &mut Stage) -> Vec<RgbImage> {
    (0..5)
        .map(|_| {
            SystemClock.sleep(Duration::from_millis(270));
            stage.screen()
        })
        .collect()
}

fn moves(stage: &mut Stage) -> bool {
    let taken = captures(stage);
    taken.iter().any(|one| *one != taken[0])
}

const SPINNER: &str = "<style>@keyframes turn{to{transform:rotate(1turn)}} .s{width:60px;height:60px;\
    border:6px solid;border-top-color:red;border-radius:50%;animation:turn 1s linear infinite}</style><div class=s></div>";

#[test]
fn everything_that_moves_by_itself_stands_and_the_test_sees_it_move_otherwise() {
    let things = [
        ("spinner", SPINNER.to_owned()),
        ("progress", "<progress style='width:400px;height:40px'></progress>".to_owned()),
        ("marquee", "<marquee>round and round</marquee>".to_owned()),
        ("gif", format!("<img src='data:image/gif;base64,{GIF}' width=100 height=100>")),
        ("waapi", "<p id=p>x<script>p.animate([{marginLeft:0},{marginLeft:'300px'}],{duration:900,iterations:1/0})</script>"
            .to_owned()),
        ("pseudo", "<style>@keyframes k{to{opacity:0}} p::before{content:'x';animation:k .4s infinite}</style><p>".to_owned()),
        ("declarative shadow", format!("<div><template shadowrootmode=open>{SPINNER}</template></div>")),
        ("late shadow", format!("<div id=d></div><script>setTimeout(() => d.attachShadow({{mode:'closed'}}).innerHTML = \
            `{SPINNER}`, 50)</script>")),
        ("frame", format!("<iframe srcdoc=\"{SPINNER}\"></iframe>")),
        ("svg", "<svg width=300 height=100><circle r=30 cy=50><animate attributeName=cx from=0 to=300 dur=1s \
            repeatCount=indefinite /></circle></svg>".to_owned()),
    ];
    let mut frozen = Stage::open();
    let mut moving = Stage::with(&BrowserSpec { freeze: Freeze::Moving, ..spec() });
    for (name, html) in things {
        frozen.show(&html);
        moving.show(&html);
        assert!(moves(&mut moving), "{name} does not move by itself: the test proves nothing");
        assert!(!moves(&mut frozen), "{name} moves");
    }
}

#[test]
fn the_caret_is_not_there_and_the_test_sees_it_otherwise() {
    let dark = |stage: &mut Stage| stage.screen().pixels().filter(|pixel| pixel.0[0] < 128).count();
    let html = "<title>-</title><input autofocus style='font-size:60px;border:0;outline:0' onfocus='document.title=1'>";
    for (freeze, is_there) in [(Freeze::Frozen, false), (Freeze::Moving, true)] {
        let mut stage = Stage::with(&BrowserSpec { freeze, ..spec() });
        stage.show(html);
        stage.await_title("1");
        let seen = (0..40).any(|_| {
            SystemClock.sleep(Duration::from_millis(50));
            dark(&mut stage) > 0
        });
        assert_eq!(seen, is_there, "{freeze:?}");
    }
}

/// Two frames of one pixel, red and blue, 0.2 s each, for ever.
const GIF: &str = "R0lGODlhAQABAIAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQAFAAAACwAAAAAAQABAAACAkQBACH5BAAUAAAALAAAAAABAAEAAAICTAEAOw==";

#[test]
fn a_strict_content_policy_and_a_frame_of_another_site_are_no_obstacle() {
    let inner = Server::start([("/", Reply::Html(SPINNER.to_owned()))]);
    let page =
        format!("<!doctype html>{SPINNER}<input autofocus><iframe src='{}'></iframe>", inner.other_site("/"));
    let policy = "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-src *\r\n";
    let outer = Server::start([("/", Reply::Headers(policy, page))]);
    let mut stage = Stage::open();
    stage.go(&outer.url("/"));
    assert!(inner.asked().contains(&"/".to_owned()));
    assert!(!moves(&mut stage));
}

#[test]
fn what_fades_in_is_there_and_the_pages_own_code_hears_of_every_end() {
    let mut stage = Stage::open();
    stage.show(
        "<title>-</title><style>@keyframes in{to{opacity:1}} #a{opacity:0;animation:in 9s 5s forwards;background:#f0f;width:90px;height:40px}
         #t{transition:margin 9s 3s} #t.go{margin-left:200px}</style><div id=a></div><div id=t>t</div><p id=w>w<script>
         const seen = new Set(); const note = what => { seen.add(what); document.title = [...seen].sort().join(' ') };
         a.onanimationend = () => note('animation'); t.ontransitionend = () => note('transition');
         w.animate([{opacity:0},{opacity:1}], 9000).onfinish = () => note('script');
         w.animate([{opacity:0},{opacity:1}], 9000).finished.then(() => note('promise'));
         requestAnimationFrame(() => requestAnimationFrame(() => t.classList.add('go')))</script>",
    );
    stage.await_title("animation promise script transition");
    let it = stage.one("#a").region;
    assert_eq!(stage.painted([255, 0, 255]), it);
}

#[test]
fn scroll_driven_animations_keep_following_the_scrolling() {
    let mut stage = Stage::open();
    stage.show(
        "<style>@keyframes w{from{width:0}to{width:500px}} #bar{position:fixed;top:0;left:0;height:20px;background:#f0f;\
         animation:w linear;animation-timeline:scroll()} body{height:4000px;margin:0}</style><div id=bar></div>\
         <script>onload = () => scrollTo(0, (4000 - innerHeight) / 2)</script>",
    );
    let bar = stage.painted([255, 0, 255]);
    assert!((240..=260).contains(&bar.width), "{bar}");
}

#[test]
fn pages_see_the_wanted_preferences() {
    for (scheme, freeze, title) in [
        (ColorScheme::Dark, Freeze::Frozen, "true true"),
        (ColorScheme::Light, Freeze::Moving, "false false"),
    ] {
        let mut stage = Stage::with(&BrowserSpec { color_scheme: scheme, freeze, ..spec() });
        stage.show(
            "<script>const is = query => matchMedia(query).matches;\
             document.title = is('(prefers-color-scheme: dark)') + ' ' + is('(prefers-reduced-motion: reduce)')</script>",
        );
        stage.await_title(title);
    }
}

#[test]
fn the_pages_clock_stands_at_the_wanted_instant_and_timers_still_run() {
    let mut stage = Stage::with(&BrowserSpec { frozen_clock_ms: Some(1_577_836_800_000), ..spec() });
    stage.show(
        "<title>-</title><script>const first = performance.now(); setTimeout(() => requestAnimationFrame(time => {
         const utc = {timeZone: 'UTC', year: 'numeric'};
         document.title = [new Date().toISOString(), Date.now(), performance.now() - first, time,
           new Intl.DateTimeFormat('en', utc).format(), new Date(0).getTime(), new Date() instanceof Date,
           new (class extends Date {})().getTime() === Date.now(), new Date().constructor === Date,
           typeof Date() ].join(' ') }), 50)</script>",
    );
    stage.await_title("2020-01-01T00:00:00.000Z 1577836800000 0 0 2020 0 true true true string");
}

#[test]
fn videos_stand_at_their_beginning() {
    let mut stage = Stage::open();
    stage.show(
        "<title>-</title><canvas id=c width=200 height=100></canvas><video id=v autoplay muted width=200></video><script>
         const pen = c.getContext('2d'); let n = 0; const draw = setInterval(() => { pen.fillStyle = `hsl(${n += 20} 90% 50%)`;
         pen.fillRect(0, 0, 200, 100) }, 30); const recorder = new MediaRecorder(c.captureStream(30));
         recorder.ondataavailable = e => { clearInterval(draw); c.remove(); v.src = URL.createObjectURL(e.data);
         v.onpause = () => setTimeout(() => document.title = 'paused', 200) }; recorder.start(); setTimeout(() => recorder.stop(), 800)
         </script>",
    );
    stage.await_title("paused");
    assert!(!moves(&mut stage));
}
