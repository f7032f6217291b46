//! May this action be done? Risk classes, decisions and redaction; pure.
//!
//! Asked by the runner before every step and by `cu-run check`. It knows what the author wrote and nothing of
//! displays: it neither asks a person nor does anything itself.

mod decide;
mod redact;
mod sensitive;

pub use decide::{Decision, Risk, decide, risk};
pub use redact::{Redactor, SHORTEST_SECRET};
pub use sensitive::is_sensitive;
