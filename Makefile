# Two commands for a fresh Debian or Ubuntu machine with Rust; each does all of its own set-up.

.PHONY: demo test setup bench lint

# Runs the shipped scenarios against the bundled site with a real browser and says where the report is.
demo: setup
	cargo build --release --locked
	scripts/demo.sh

# Runs every test, those with a real display and browser included.
test: setup
	cargo test --locked

# Installs what the tests and the demo need and this machine lacks.
setup:
	scripts/setup.sh

# Formatting, lints and documentation, with warnings as errors.
lint:
	cargo fmt --check
	cargo clippy --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --locked

# The side-by-side measurements of docs/performance.md.
bench: setup
	cargo bench --locked --bench side_by_side
