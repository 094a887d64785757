//! Any lines as rows of the SDK's store.
#![no_main]

use backscroll_cursor_format::agent::turns_if_root;
use backscroll_cursor_format::sdk::{AgentRow, CheckpointRow, EventRow, Run, SdkEvent, assemble, summary};
use backscroll_fuzz::origin;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let lines = || text.lines();
    let runs: Vec<_> = lines().filter_map(Run::from_line).collect();
    let events: Vec<_> = lines().filter_map(EventRow::from_line).collect();
    Run::in_order(&runs);
    for event in &events {
        SdkEvent::from_row(event, &origin());
    }
    for blob in lines().filter_map(CheckpointRow::from_line) {
        turns_if_root(&blob.data);
    }
    for agent in lines().filter_map(AgentRow::from_line) {
        agent.root_blob();
        summary(&agent, &runs, &origin());
        assert!(assemble(&agent, &runs, &events, &origin()).coverage.adds_up());
    }
});
