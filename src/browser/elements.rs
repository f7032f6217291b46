//! Finding elements by css in every frame and open shadow root, and where they lie on the screen.
//!
//! Each frame is asked for itself, in a world of its own beside the page's scripts: a frame of another site has its
//! own process and knows nothing of the frames around it. What it finds is then carried outwards, frame by frame:
//! moved, scaled, cut to what is visible, and tested for what lies over it.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    BrowserError, Element, IntoView,
    chromium::{Chromium, WORLD},
    devtools::{CallError, Command},
};
use crate::geometry::{Point, Region};

const FUNCTIONS: &str = include_str!("elements.js");

/// How often a search is tried when the page changes under it.
const ATTEMPTS: usize = 3;

/// Left, top, right and bottom in css pixels.
type Edges = [f64; 4];

/// Everything is visible as far as the frames around are concerned.
const UNCLIPPED: Edges = [-1e9, -1e9, 1e9, 1e9];

/// A frame with the frames in it that run in the same process.
#[derive(Debug, Clone)]
struct Frame {
    session: String,
    id: String,
    children: Vec<Frame>,
}

/// What `find` returns.
#[derive(Debug, Deserialize)]
struct Answer {
    invalid: Option<String>,
    #[serde(default)]
    found: Vec<Found>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Found {
    Match(Measured),
    Frame(Content),
}

/// An element in the pixels of its own frame.
#[derive(Debug, Clone, Deserialize)]
struct Measured {
    whole: Edges,
    visible: Edges,
    point: [f64; 2],
    seen: bool,
    description: String,
    obscured: Option<String>,
}

/// Where a child frame lies in its parent.
#[derive(Debug, Clone, Deserialize)]
struct Content {
    index: usize,
    origin: [f64; 2],
    scale: f64,
    clip: Edges,
}

/// An element with the place where it can be asked for again.
struct Hit {
    measured: Measured,
    session: String,
    functions: String,
    index: usize,
}

/// Why a search ended without a result.
enum Stop {
    Call(CallError),
    Invalid(String),
}

impl From<CallError> for Stop {
    fn from(error: CallError) -> Self {
        Self::Call(error)
    }
}

impl Chromium {
    /// The elements that match, after the wanted one was brought into view.
    pub(super) fn find(&mut self, css: &str, into_view: IntoView) -> Result<Vec<Element>, BrowserError> {
        let mut attempt = 1;
        loop {
            let front = self.front()?;
            match self.find_once(&front, css, into_view) {
                Ok(elements) => return Ok(elements),
                Err(Stop::Invalid(reason)) => {
                    return Err(BrowserError::Selector { css: css.to_owned(), reason });
                }
                // A document that is replaced meanwhile takes its world and its elements with it.
                Err(Stop::Call(CallError::Refused { .. })) if attempt < ATTEMPTS => attempt += 1,
                Err(Stop::Call(error)) => return Err(self.fault(error)),
            }
        }
    }

    fn find_once(&mut self, front: &str, css: &str, into_view: IntoView) -> Result<Vec<Element>, Stop> {
        let wanted = match into_view {
            IntoView::Leave => None,
            IntoView::Scroll => Some(0),
            IntoView::ScrollNth(index) => Some(index),
        };
        let mut hits = self.search(front, css)?;
        if let Some(hit) = wanted.and_then(|index| hits.get(index)) {
            if is_cut(&hit.measured) {
                let arguments = json!([{"value": hit.index}]);
                self.run(&hit.session, &hit.functions, "scroll", &arguments)?;
                hits = self.search(front, css)?;
            }
        }
        self.forget_handles(front);
        let geometry = self.geometry(front)?;
        let whole_view = geometry.viewport();
        Ok(hits
            .into_iter()
            .map(|hit| {
                let visible = geometry.to_screen(hit.measured.visible);
                let [x, y] = hit.measured.point;
                let at = geometry.to_screen([x, y, x, y]);
                let region = visible.intersection(whole_view).filter(|_| hit.measured.seen);
                Element {
                    region: region.unwrap_or(Region { width: 0, height: 0, ..visible }),
                    point: Point::new(at.x, at.y),
                    description: hit.measured.description,
                    obscured_by: hit.measured.obscured,
                }
            })
            .collect())
    }

    fn search(&self, front: &str, css: &str) -> Result<Vec<Hit>, Stop> {
        let tree = self.frame_tree(front)?;
        self.search_frame(&tree, css, UNCLIPPED)
    }

    /// The elements of a frame and all frames in it, in the pixels of this frame.
    fn search_frame(&self, frame: &Frame, css: &str, clip: Edges) -> Result<Vec<Hit>, Stop> {
        let world = json!({"frameId": frame.id, "worldName": WORLD});
        let world =
            self.call(&frame.session, "Page.createIsolatedWorld", world)?["executionContextId"].take();
        let evaluate = json!({"expression": FUNCTIONS, "contextId": world, "objectGroup": WORLD});
        let functions = self.call(&frame.session, "Runtime.evaluate", evaluate)?;
        let functions = functions["result"]["objectId"].as_str().unwrap_or_default().to_owned();
        let children = self.children(frame, &world)?;
        let mut arguments = vec![json!({"value": css}), json!({"value": clip})];
        arguments.extend(children.iter().map(|(_, owner)| json!({"objectId": owner})));
        let answer = self.run(&frame.session, &functions, "find", &json!(arguments))?;
        let answer: Answer =
            serde_json::from_value(answer).map_err(|error| unexpected(&error.to_string()))?;
        if let Some(reason) = answer.invalid {
            return Err(Stop::Invalid(reason));
        }
        let mut hits = Vec::new();
        let mut index = 0;
        for found in answer.found {
            match found {
                Found::Match(measured) => {
                    let (session, functions) = (frame.session.clone(), functions.clone());
                    hits.push(Hit { measured, session, functions, index });
                    index += 1;
                }
                Found::Frame(content) => {
                    let (child, owner) = &children[content.index];
                    // A frame may go away while it is searched: then it has no elements.
                    let inner = match self.search_frame(child, css, content.clip) {
                        Err(Stop::Call(CallError::Refused { .. } | CallError::Crashed)) => Vec::new(),
                        other => other?,
                    };
                    hits.extend(self.carry_out(frame, &functions, owner, &content, inner)?);
                }
            }
        }
        Ok(hits)
    }

    /// Elements of a child frame in the pixels of its parent, with what lies over them there.
    fn carry_out(
        &self,
        parent: &Frame,
        functions: &str,
        owner: &str,
        content: &Content,
        mut hits: Vec<Hit>,
    ) -> Result<Vec<Hit>, Stop> {
        for hit in &mut hits {
            hit.measured = content.outwards(&hit.measured);
        }
        let points: Vec<[f64; 2]> = hits.iter().map(|hit| hit.measured.point).collect();
        if points.is_empty() {
            return Ok(hits);
        }
        let arguments = json!([{"objectId": owner}, {"value": points}]);
        let covers = self.run(&parent.session, functions, "cover", &arguments)?;
        for (hit, cover) in hits.iter_mut().zip(covers.as_array().into_iter().flatten()) {
            if hit.measured.seen && hit.measured.obscured.is_none() {
                hit.measured.obscured = cover.as_str().map(str::to_owned);
            }
        }
        Ok(hits)
    }

    /// The frames directly in `frame` with handles of their `<iframe>` elements. Of a frame in another process only the
    /// process around it is known: it lies wherever its handle can be had.
    fn children(&self, frame: &Frame, world: &Value) -> Result<Vec<(Frame, String)>, Stop> {
        let mut children = Vec::new();
        let foreign: Vec<(String, String)> = self.devtools.pages(|pages| {
            let frames = pages.frames_in(&frame.session);
            frames.iter().map(|of| (of.id.clone(), of.target.clone())).collect()
        });
        for child in &frame.children {
            if let Some(owner) = self.owner(frame, &child.id, world)? {
                children.push((child.clone(), owner));
            }
        }
        for (session, target) in foreign {
            if let Some(owner) = self.owner(frame, &target, world)? {
                // The frame may be gone, or its process: then there is nothing to search.
                if let Ok(child) = self.frame_tree(&session) {
                    children.push((child, owner));
                }
            }
        }
        Ok(children)
    }

    /// A handle of the `<iframe>` element of a frame, when it lies in this one.
    fn owner(&self, parent: &Frame, child: &str, world: &Value) -> Result<Option<String>, Stop> {
        let found = self.call(&parent.session, "DOM.getFrameOwner", json!({"frameId": child}));
        let Some(found) = unless_refused(found)? else { return Ok(None) };
        let node = json!({"backendNodeId": found["backendNodeId"], "executionContextId": world,
            "objectGroup": WORLD});
        let Some(object) = unless_refused(self.call(&parent.session, "DOM.resolveNode", node))? else {
            return Ok(None);
        };
        Ok(object["object"]["objectId"].as_str().map(str::to_owned))
    }

    fn frame_tree(&self, session: &str) -> Result<Frame, CallError> {
        let tree = self.call(session, "Page.getFrameTree", json!({}))?;
        Ok(frame_of(session, &tree["frameTree"]))
    }

    fn run(&self, session: &str, functions: &str, name: &str, arguments: &Value) -> Result<Value, CallError> {
        let call = json!({
            "objectId": functions,
            "functionDeclaration": format!("function (...given) {{ return this.{name}(...given); }}"),
            "arguments": arguments,
            "returnByValue": true,
            "awaitPromise": true,
        });
        let mut answer = self.call(session, "Runtime.callFunctionOn", call)?;
        if let Some(problem) = answer.get("exceptionDetails") {
            let reason = problem["exception"]["description"].as_str().unwrap_or("an exception").to_owned();
            return Err(CallError::Refused { method: format!("elements.{name}"), reason });
        }
        Ok(answer["result"]["value"].take())
    }

    fn forget_handles(&self, session: &str) {
        let group = json!({"objectGroup": WORLD});
        self.devtools.send(&Command::page(session, "Runtime.releaseObjectGroup", group));
    }
}

impl Content {
    fn outwards(&self, inner: &Measured) -> Measured {
        let x = |css: f64| self.origin[0] + css * self.scale;
        let y = |css: f64| self.origin[1] + css * self.scale;
        let edges = |[left, top, right, bottom]: Edges| [x(left), y(top), x(right), y(bottom)];
        Measured {
            whole: edges(inner.whole),
            visible: edges(inner.visible),
            point: [x(inner.point[0]), y(inner.point[1])],
            ..inner.clone()
        }
    }
}

/// Whether scrolling can show more of an element.
fn is_cut(element: &Measured) -> bool {
    /// What rounding may cut.
    const SLACK: f64 = 1.0;
    let cut = |at: usize| (element.whole[at] - element.visible[at]).abs() > SLACK;
    !element.seen || (0..4).any(cut)
}

fn unless_refused(answer: Result<Value, CallError>) -> Result<Option<Value>, CallError> {
    match answer {
        Err(CallError::Refused { .. }) => Ok(None),
        other => other.map(Some),
    }
}

fn unexpected(reason: &str) -> Stop {
    Stop::Call(CallError::Refused { method: "elements.find".to_owned(), reason: reason.to_owned() })
}

fn frame_of(session: &str, tree: &Value) -> Frame {
    let children = tree["childFrames"].as_array().into_iter().flatten();
    Frame {
        session: session.to_owned(),
        id: tree["frame"]["id"].as_str().unwrap_or_default().to_owned(),
        children: children.map(|child| frame_of(session, child)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(whole: Edges, visible: Edges, seen: bool) -> Measured {
        let description = "a".to_owned();
        Measured { whole, visible, point: [10.0, 10.0], seen, description, obscured: None }
    }

    #[test]
    fn what_a_frame_finds_moves_and_scales_with_the_frame() {
        let content = Content { index: 0, origin: [100.0, 50.0], scale: 0.5, clip: UNCLIPPED };
        let outer = content.outwards(&measured([0.0, 0.0, 20.0, 40.0], [0.0, 10.0, 20.0, 40.0], true));
        assert_eq!(outer.whole, [100.0, 50.0, 110.0, 70.0]);
        assert_eq!(outer.visible, [100.0, 55.0, 110.0, 70.0]);
        assert_eq!(outer.point, [105.0, 55.0]);
    }

    #[test]
    fn only_what_is_cut_or_out_of_view_asks_for_scrolling() {
        let whole = [0.0, 0.0, 20.0, 40.0];
        assert!(!is_cut(&measured(whole, [0.0, 0.5, 20.0, 40.0], true)));
        assert!(is_cut(&measured(whole, [0.0, 0.0, 20.0, 30.0], true)));
        assert!(is_cut(&measured(whole, whole, false)));
    }
}
