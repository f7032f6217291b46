//! Makes sure that nothing a case started outlives it, even when the runner is killed by SIGKILL.
//!
//! Every case has a *session host*: the program itself, executed again with [`ROLE_ARGUMENT`]. It leads a session of its
//! own, so that a terminal's Ctrl+C does not reach it, and is a child subreaper, so that daemonised apps become its
//! children instead of init's. It starts every program of the case and talks to the runner over a socket pair.
//! When that socket reports end of file, for whatever reason, it kills all its descendants until none is
//! left and removes the case's folder. Needs no privileges and no namespaces, so it works in containers.
//!
//! As a second net every direct child dies with the host (`PR_SET_PDEATHSIG`), and every program carries
//! [`MARK_VARIABLE`], by which a later run finds what a killed host could not end.

mod child;
mod client;
mod host;
mod processes;
mod protocol;

pub use host::session_host_main;

pub(super) use client::{SessionHost, Started, ToStart};
pub(super) use processes::end_marked;
pub(super) use protocol::Role;

/// The argument that makes the program a session host.
const ROLE_ARGUMENT: &str = "__session-host";

/// The variable that names case and app in the environment of each program: `<case folder>/<app number>`.
const MARK_VARIABLE: &str = "CU_RUN_APP";
