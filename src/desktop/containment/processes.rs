//! The processes of the machine as `/proc` shows them.

use std::{collections::HashMap, ffi::OsStr, fs, path::Path, time::Duration};

use rustix::process::{Pid, Signal, kill_process};

use super::MARK_VARIABLE;
use crate::clock::{Clock, Deadline, SystemClock};

/// One process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    is_dead: bool,
}

/// The living descendants of `ancestor`, nearest first.
pub(super) fn descendants(ancestor: Pid) -> Vec<Pid> {
    descendants_among(ancestor.as_raw_pid(), &all()).into_iter().filter_map(Pid::from_raw).collect()
}

fn descendants_among(ancestor: i32, processes: &[Process]) -> Vec<i32> {
    let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
    for process in processes {
        children.entry(process.parent).or_default().push(*process);
    }
    let (mut found, mut next) = (Vec::new(), vec![ancestor]);
    while let Some(parent) = next.pop() {
        // Removing makes this end even if the snapshot, taken while processes come and go, holds a ring.
        for child in children.remove(&parent).unwrap_or_default() {
            next.push(child.pid);
            if !child.is_dead {
                found.push(child.pid);
            }
        }
    }
    found
}

/// Whether the process was started as (or by) the app whose mark this is, as far as its environment tells.
pub(super) fn carries_mark(pid: Pid, mark: &OsStr) -> bool {
    marks_of(pid.as_raw_pid()).is_some_and(|found| found == mark.as_encoded_bytes())
}

/// Kills every process that was started for the case of this folder, wherever it stands in the process tree.
pub(in crate::desktop) fn end_marked(folder: &Path) {
    let mark = [folder.as_os_str().as_encoded_bytes(), b"/"].concat();
    let deadline = Deadline::after(&SystemClock, Duration::from_secs(5));
    loop {
        let left: Vec<_> = all()
            .into_iter()
            .filter(|process| !process.is_dead)
            .filter(|process| marks_of(process.pid).is_some_and(|found| found.starts_with(&mark)))
            .filter_map(|process| Pid::from_raw(process.pid))
            .collect();
        if left.is_empty() || deadline.has_passed(&SystemClock) {
            return;
        }
        for pid in left {
            let _ = kill_process(pid, Signal::KILL);
        }
        SystemClock.sleep(Duration::from_millis(5));
    }
}

fn marks_of(pid: i32) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let prefix = [MARK_VARIABLE.as_bytes(), b"="].concat();
    environment.split(|byte| *byte == 0).find_map(|entry| entry.strip_prefix(&prefix[..])).map(<[u8]>::to_vec)
}

fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries
        .filter_map(|entry| {
            let pid = entry.ok()?.file_name().to_str()?.parse().ok()?;
            parse_stat(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?)
        })
        .collect()
}

/// Reads `4711 (a name) S 1 …`: the name may hold anything, also brackets, so the last bracket counts.
fn parse_stat(pid: i32, stat: &[u8]) -> Option<Process> {
    let after_name = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let mut fields = str::from_utf8(&stat[after_name..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    Some(Process { pid, parent: fields.next()?.parse().ok()?, is_dead: matches!(state, "Z" | "X" | "x") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_with_brackets_and_newlines_is_read() {
        let process = parse_stat(7, b"7 (a) R 9 (\n) Z 42 7 7 0").unwrap();
        assert_eq!(process, Process { pid: 7, parent: 42, is_dead: true });
    }

    #[test]
    fn descendants_are_found_through_dead_parents_and_strangers_are_not() {
        let process = |pid, parent, is_dead| Process { pid, parent, is_dead };
        let processes =
            [process(2, 1, false), process(3, 2, true), process(4, 3, false), process(5, 1, false)];
        assert_eq!(descendants_among(2, &processes), [4]);
        assert_eq!(descendants_among(9, &processes), [0; 0]);
    }

    #[test]
    fn this_process_is_in_the_snapshot() {
        let own = std::process::id() as i32;
        assert!(all().iter().any(|process| process.pid == own && !process.is_dead));
    }
}
