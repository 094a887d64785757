//! Messages whose rows are gone: what the agent's own account has of them goes where they stand in the list, counted once.

use std::path::Path;

use backscroll_fixtures::MemorySource;
use backscroll_history::History;
use backscroll_model::{
    Coverage, Fragment, Layer, Message, Origin, Part, Payload, Role, Summary, Surface, ToolCall,
};

/// What an agent did: words, a thought, a call, a call with an id.
const KINDS: usize = 4;

fn part(kind: usize, number: usize) -> Part {
    let text = format!("word{number}a word{number}b word{number}c");
    match kind {
        0 => Part::Text(text),
        1 => Part::Thinking { text, duration_ms: None },
        _ => Part::ToolCall(Box::new(ToolCall {
            id: (kind == 3).then(|| format!("call-{number}")),
            name: "shell".to_owned(),
            arguments: Some(Payload::from_text(format!(r#"{{"command":"{text}"}}"#))),
            ..ToolCall::default()
        })),
    }
}

/// A bubble holds at most a thought, words and a call, in this order.
fn is_bubble(parts: &[Part]) -> bool {
    let place = |part: &Part| match part {
        Part::Thinking { .. } => 0,
        Part::Text(_) => 1,
        _ => 2,
    };
    parts.windows(2).all(|two| place(&two[0]) < place(&two[1]))
}

/// `items` in messages: a new one begins with each item whose bit is set, and with the first.
fn grouped(items: &[Part], begins: usize) -> Vec<Vec<Part>> {
    let mut groups: Vec<Vec<Part>> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if at == 0 || begins & (1 << (at - 1)) != 0 {
            groups.push(Vec::new());
        }
        groups.last_mut().unwrap().push(item.clone());
    }
    groups
}

/// A layer that has these answers between two prompts.
fn layer(layer: Layer, answers: &[Vec<Part>]) -> Fragment {
    let origin = Origin::new(layer, Path::new(layer.name()), "c");
    let mut fragment = Fragment::new(Summary::new("c".into(), Surface::Ide, origin.clone()));
    let mut add = |role, parts: &[Part]| {
        let id = format!("{}-{}", layer.name(), fragment.messages.len());
        let message = Message::new(id.as_str(), role, origin.with_key(&*id));
        fragment.messages.push(Message { parts: parts.to_vec(), ..message });
    };
    add(Role::User, &[Part::Text("what is it".to_owned())]);
    for parts in answers {
        add(Role::Assistant, parts);
    }
    add(Role::User, &[Part::Text("and then".to_owned())]);
    fragment.count_messages();
    fragment
}

/// The record lists `bubbles`, of which those of `gone` have no row, and the account has the same in `steps`.
fn assert_restored(bubbles: &[Vec<Part>], gone: usize, steps: &[Vec<Part>]) {
    let is_gone = |at: usize| gone & (1 << at) != 0;
    let left = bubbles.iter().enumerate();
    let left: Vec<Vec<Part>> =
        left.map(|(at, parts)| if is_gone(at) { Vec::new() } else { parts.clone() }).collect();
    let mut record = layer(Layer::IdeGlobal, &left);
    let Coverage { empty, .. } = record.coverage;
    record.coverage = Coverage { missing: empty, empty: 0, ..record.coverage };
    let layers = vec![record.clone(), layer(Layer::AgentBlobs, steps)];
    let history = History::over(vec![Box::new(MemorySource::new("memory", layers))], Vec::new());
    let whole = history.load(&"c".into()).unwrap();
    let told = format!("{left:?} with {steps:?}");
    let all = Coverage { read: record.coverage.listed, missing: 0, ..record.coverage };
    assert_eq!((whole.coverage, whole.messages.len()), (all, bubbles.len() + 2), "{told}");
    let answers = &whole.messages[1..=bubbles.len()];
    for (at, answer) in answers.iter().enumerate().filter(|(at, _)| !is_gone(*at)) {
        assert_eq!(answer.parts, bubbles[at], "what has a row stays as it is: {told}");
    }
    let found: Vec<&Part> = answers.iter().flat_map(|answer| &answer.parts).collect();
    assert_eq!(found, bubbles.iter().flatten().collect::<Vec<_>>(), "{told}");
}

#[test]
fn what_the_account_has_of_lost_rows_goes_into_the_holes() {
    let masks = |count: u32| 0..1_usize << count;
    for count in 1..=3_u32 {
        for kinds in 0..KINDS.pow(count) {
            let kind = |at: u32| kinds / KINDS.pow(at) % KINDS;
            let items: Vec<Part> = (0..count).map(|at| part(kind(at), at as usize)).collect();
            for bubbles in masks(count - 1).map(|begins| grouped(&items, begins)) {
                if !bubbles.iter().all(|parts| is_bubble(parts)) {
                    continue;
                }
                for gone in 1..1_usize << bubbles.len() {
                    for steps in masks(count - 1).map(|begins| grouped(&items, begins)) {
                        assert_restored(&bubbles, gone, &steps);
                    }
                }
            }
        }
    }
}
