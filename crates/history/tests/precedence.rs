//! The table of precedence in `merge`, fact by fact: who is believed where layers differ.

use std::path::Path;

use backscroll_fixtures::MemorySource;
use backscroll_history::{Ask, History};
use backscroll_model::{
    AtIs, Attribution, Conversation, Fact, FindingKind, Fragment, Layer, Message, MessageId, Moment, Origin,
    Part, Payload, RequestFact, Role, Source, Summary, Surface, Tokens, ToolCall, ToolStatus, Workspace,
};
use jiff::Timestamp;

/// From the strongest to the weakest, as the spine of a conversation.
const ORDER: [Layer; 8] = [
    Layer::IdeGlobal,
    Layer::IdeWorkspace,
    Layer::AgentBlobs,
    Layer::CliStore,
    Layer::TranscriptJsonl,
    Layer::TranscriptJson,
    Layer::TranscriptText,
    Layer::SdkIndex,
];

fn fragment(layer: Layer, surface: Surface, said: &[(Role, &str)]) -> Fragment {
    let origin = Origin::new(layer, Path::new(layer.name()), "c");
    let mut fragment = Fragment::new(Summary::new("c".into(), surface, origin.clone()));
    for (number, (role, text)) in said.iter().enumerate() {
        let mut message =
            Message::new(format!("{}-{number}", layer.name()), *role, origin.with_key(number.to_string()));
        message.parts.push(Part::Text((*text).to_owned()));
        fragment.messages.push(message);
    }
    fragment.count_messages();
    fragment
}

fn of(layer: Layer) -> Fragment {
    fragment(layer, Surface::Ide, &[(Role::User, "ask"), (Role::Assistant, "answer")])
}

fn history(fragments: Vec<Fragment>) -> History {
    History::over(vec![Box::new(MemorySource::new("memory", fragments))], Vec::new())
}

/// What history makes of these fragments, in any order.
fn merged(fragments: &[Fragment]) -> Conversation {
    let load = |fragments: Vec<Fragment>| history(fragments).load(&"c".into()).unwrap();
    let whole = load(fragments.to_vec());
    let reversed = load(fragments.iter().rev().cloned().collect());
    assert_eq!(texts(&whole), texts(&reversed), "the order of sources does not matter");
    assert_eq!(whole.summary.title, reversed.summary.title);
    assert!(whole.coverage.adds_up());
    whole
}

fn texts(whole: &Conversation) -> Vec<String> {
    whole.messages.iter().map(Message::text).collect()
}

fn time(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_780_000_000 + seconds).unwrap()
}

#[test]
fn order_and_text_are_those_of_the_spine() {
    for pair in ORDER.windows(2) {
        let strong = fragment(
            pair[0],
            Surface::Ide,
            &[(Role::User, "one"), (Role::User, "two"), (Role::User, "three")],
        );
        let weak = fragment(
            pair[1],
            Surface::Ide,
            &[(Role::User, "two"), (Role::User, "one"), (Role::User, "four")],
        );
        let whole = merged(&[weak, strong]);
        assert_eq!(texts(&whole)[..3], ["one", "two", "three"], "{pair:?}");
        assert_eq!(texts(&whole).iter().filter(|text| *text == "four").count(), 1);
        assert_eq!(whole.messages.len(), 4, "what only one has is there once");
        assert_eq!(whole.messages[0].origin.layer, pair[0], "{pair:?}");
    }
}

#[test]
fn words_of_the_search_index_count_only_where_no_message_is_known() {
    let mut search = fragment(Layer::IdeSearch, Surface::Ide, &[(Role::User, "all the words")]);
    search.summary.title = Some("Of the index".to_owned());
    let whole = merged(&[search.clone(), of(Layer::SdkIndex)]);
    assert_eq!(texts(&whole), ["ask", "answer"]);
    assert_eq!(whole.summary.title.as_deref(), Some("Of the index"));
    assert_eq!(texts(&merged(&[search, fragment(Layer::IdeGlobal, Surface::Ide, &[])])), ["all the words"]);
}

#[test]
fn the_blobs_of_an_sdk_agent_come_after_its_index_and_transcripts() {
    let index = fragment(Layer::SdkIndex, Surface::Sdk, &[(Role::User, "ask")]);
    let lines = fragment(Layer::TranscriptJsonl, Surface::Transcript, &[(Role::User, "ask")]);
    let blobs = fragment(Layer::CliStore, Surface::Sdk, &[(Role::System, "be good"), (Role::User, "ask")]);
    let whole = merged(&[blobs, lines, index]);
    assert_eq!(
        whole.summary.origins.iter().map(|origin| origin.layer).collect::<Vec<_>>(),
        [Layer::SdkIndex, Layer::TranscriptJsonl, Layer::CliStore]
    );
    assert_eq!(texts(&whole), ["be good", "ask"], "and still nothing of them is lost");
}

#[test]
fn of_two_that_rank_the_same_the_longer_leads() {
    let short = fragment(Layer::CliStore, Surface::Cli, &[(Role::User, "ask")]);
    let mut long = of(Layer::CliStore);
    long.messages[0].model = Some("long".to_owned());
    let whole = merged(&[short, long]);
    assert_eq!(whole.messages[0].model.as_deref(), Some("long"));
    assert_eq!(whole.messages.len(), 2);
}

fn call(result: Option<&str>, status: ToolStatus) -> Part {
    Part::ToolCall(Box::new(ToolCall {
        name: "shell".to_owned(),
        raw_name: "Shell".to_owned(),
        arguments: Some(Payload::from_text(r#"{"command":"make"}"#.to_owned())),
        result: result.map(|text| Payload::Text(text.to_owned())),
        status,
        ..ToolCall::default()
    }))
}

#[test]
fn results_of_tools_are_those_of_the_first_layer_that_has_any() {
    let table = [
        (Some("strong"), Some("weak"), Some("strong")),
        (None, Some("weak"), Some("weak")),
        (Some(""), Some("weak"), Some("weak")),
        (None, None, None),
    ];
    for (strong, weak, expected) in table {
        let (mut one, mut other) = (of(Layer::IdeGlobal), of(Layer::CliStore));
        one.messages[1].parts.push(call(strong, ToolStatus::Unknown));
        other.messages[1].parts.push(call(weak, ToolStatus::Completed));
        let whole = merged(&[other, one]);
        let calls: Vec<_> = whole.messages.iter().flat_map(Message::tool_calls).collect();
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].result.as_ref().map(Payload::as_str), expected);
        assert_eq!(calls[0].status, ToolStatus::Completed);
    }
}

/// A call of a tool that edits `file`, with these words, that ended like this.
fn edited(file: &str, new: &str, status: ToolStatus, result: Option<&str>, error: Option<&str>) -> Part {
    Part::ToolCall(Box::new(ToolCall {
        name: "edit".to_owned(),
        raw_name: "StrReplace".to_owned(),
        arguments: Some(Payload::from_text(format!(r#"{{"path":"{file}","new_string":"{new}"}}"#))),
        result: result.map(|text| Payload::Text(text.to_owned())),
        error: error.map(str::to_owned),
        status,
        ..ToolCall::default()
    }))
}

#[test]
fn a_result_is_never_put_together_with_the_error_of_another_layer() {
    let updated = edited("/a", "x", ToolStatus::Completed, Some("updated"), None);
    let failed = edited("/a", "x", ToolStatus::Error, None, Some("no such file"));
    for (strong, weak) in [(&updated, &failed), (&failed, &updated)] {
        let (mut one, mut other) = (of(Layer::CliStore), of(Layer::TranscriptText));
        one.messages[1].parts.push(strong.clone());
        other.messages[1].parts.push(weak.clone());
        let whole = merged(&[other, one]);
        assert_eq!(whole.messages[1].parts[1], *strong, "the call's own result wins");
        let kinds: Vec<_> = whole.findings.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds, [FindingKind::Contradiction]);
    }
}

#[test]
fn calls_with_other_arguments_are_other_calls() {
    let call = |file, new| edited(file, new, ToolStatus::Completed, None, None);
    let hollow = Part::ToolCall(Box::new(ToolCall {
        name: "edit".to_owned(),
        raw_name: "edit".to_owned(),
        result: Some(Payload::Text("updated".to_owned())),
        ..ToolCall::default()
    }));
    let table = [
        (vec![call("/a", "x")], vec![call("/a", "x")], 1),
        (vec![call("/a", "x")], vec![call("/a", "y")], 2),
        (vec![call("/a", "x")], vec![call("/b", "x")], 2),
        (vec![call("/a", "x"), call("/a", "y")], vec![call("/a", "y")], 2),
        // A call of which nothing but its tool is known is the only one of that tool, or another one.
        (vec![call("/a", "x")], vec![hollow.clone()], 1),
        (vec![call("/a", "x"), call("/b", "x")], vec![hollow], 3),
    ];
    for (strong, weak, expected) in table {
        let (mut one, mut other) = (of(Layer::CliStore), of(Layer::TranscriptText));
        one.messages[1].parts.extend(strong.clone());
        other.messages[1].parts.extend(weak.clone());
        let whole = merged(&[other, one]);
        assert_eq!(
            whole.messages.iter().flat_map(Message::tool_calls).count(),
            expected,
            "{strong:?} {weak:?}"
        );
    }
}

#[test]
fn ids_that_are_but_numbers_of_lines_stay_apart() {
    let (mut one, mut other) = (
        fragment(Layer::TranscriptJsonl, Surface::Transcript, &[(Role::User, "one"), (Role::User, "three")]),
        fragment(Layer::TranscriptText, Surface::Transcript, &[(Role::User, "one"), (Role::User, "two")]),
    );
    for fragment in [&mut one, &mut other] {
        for (number, message) in fragment.messages.iter_mut().enumerate() {
            message.id = MessageId::new(number.to_string());
        }
    }
    let whole = merged(&[one, other]);
    let ids: Vec<_> = whole.messages.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(ids, ["0", "1", "transcript-text:1"]);
}

#[test]
fn thinking_is_taken_from_the_layer_that_has_it() {
    let one = of(Layer::TranscriptJsonl);
    let mut other = of(Layer::TranscriptText);
    other.messages[1].parts.insert(0, Part::Thinking { text: "let me see".to_owned(), duration_ms: None });
    let whole = merged(&[one, other]);
    assert_eq!(whole.messages.len(), 2);
    assert!(matches!(whole.messages[1].parts[0], Part::Thinking { .. }), "before the words");
    let mut mixed = of(Layer::TranscriptJsonl);
    mixed.messages[1].parts = vec![Part::Text("answer let me see".to_owned())];
    let mut apart = of(Layer::TranscriptText);
    apart.messages[1].parts.insert(0, Part::Thinking { text: "let me see".to_owned(), duration_ms: None });
    let whole = merged(&[mixed, apart]);
    assert_eq!(texts(&whole), ["ask", "answer"], "a thought that was written into the words is split off");
}

#[test]
fn the_surer_time_wins_and_among_equals_the_spines() {
    let table = [
        (AtIs::Interpolated, AtIs::Exact, 2),
        (AtIs::Conversation, AtIs::Interpolated, 2),
        (AtIs::Exact, AtIs::Interpolated, 1),
        (AtIs::Exact, AtIs::Exact, 1),
    ];
    for (strong, weak, expected) in table {
        let (mut one, mut other) = (of(Layer::IdeGlobal), of(Layer::TranscriptJsonl));
        one.messages[0].at = Moment { at: Some(time(1)), is: strong };
        other.messages[0].at = Moment { at: Some(time(2)), is: weak };
        assert_eq!(merged(&[other, one]).messages[0].at.at, Some(time(expected)), "{strong:?} {weak:?}");
    }
}

#[test]
fn what_is_called_the_conversations_own_time_is_the_one_that_is_believed() {
    let own = |seconds| Moment { at: Some(time(seconds)), is: AtIs::Conversation };
    let mut strong = fragment(Layer::IdeGlobal, Surface::Ide, &[(Role::User, "ask")]);
    (strong.summary.created_at, strong.summary.updated_at) = (Some(time(10)), Some(time(30)));
    strong.messages[0].at = Moment { at: Some(time(20)), is: AtIs::Exact };
    let said = [(Role::System, "before"), (Role::User, "ask"), (Role::Assistant, "answer")];
    let mut weak = fragment(Layer::TranscriptJsonl, Surface::Transcript, &said);
    (weak.summary.updated_at, weak.summary.is_updated_by_file) = (Some(time(99)), true);
    weak.messages.iter_mut().for_each(|message| message.at = own(99));
    let whole = merged(&[weak.clone(), strong.clone()]);
    let times: Vec<_> = whole.messages.iter().map(|message| message.at).collect();
    assert_eq!(times, [own(10), strong.messages[0].at, own(30)]);

    strong.summary.updated_at = Some(time(15));
    let last = merged(&[weak, strong]).messages[2].at;
    assert_eq!(last, own(20), "the last change contradicts its neighbour");
}

#[test]
fn model_tokens_and_request_are_the_spines_else_the_next() {
    let (mut one, mut other) = (of(Layer::IdeGlobal), of(Layer::SdkIndex));
    one.messages[0].model = Some("strong".to_owned());
    for message in &mut other.messages {
        message.model = Some("weak".to_owned());
        message.tokens = Some(Tokens::new(1, 2));
        message.request_id = Some("r".to_owned());
    }
    let whole = merged(&[other, one]);
    let models: Vec<_> = whole.messages.iter().map(|message| message.model.as_deref().unwrap()).collect();
    assert_eq!(models, ["strong", "weak"]);
    assert!(whole.messages.iter().all(|message| message.tokens.is_some() && message.request_id.is_some()));
    assert_eq!(whole.summary.models, ["strong", "weak"]);
}

#[test]
fn a_tracked_request_names_the_model_of_messages_that_name_none() {
    let mut one = of(Layer::IdeGlobal);
    one.messages[0].model = Some("own".to_owned());
    one.messages.iter_mut().for_each(|message| message.request_id = Some("r".to_owned()));
    let mut tracked = fragment(Layer::Tracking, Surface::Transcript, &[]).as_evidence();
    tracked.facts.requests.push(RequestFact {
        request_id: "r".to_owned(),
        model: Some("tracked".to_owned()),
        files: Vec::new(),
        origin: Some(tracked.summary.origins[0].clone()),
        ..RequestFact::default()
    });
    let whole = merged(&[tracked.clone(), one]);
    let models: Vec<_> = whole.messages.iter().map(|message| message.model.as_deref().unwrap()).collect();
    assert_eq!(models, ["own", "tracked"]);
    let named: Vec<_> = whole.messages[1].fact_origins.iter().map(|noted| noted.origin.layer).collect();
    assert_eq!(named, [Layer::Tracking]);
    assert_eq!(whole.summary.surface, Surface::Ide);
    assert!(history(vec![tracked]).load(&"c".into()).is_err(), "tracking alone makes no conversation");
}

#[test]
fn the_workspace_of_the_strongest_route_among_equals_the_newest() {
    let at = |path: &str, by| Some(Workspace { path: path.to_owned(), uri: None, remote: None, by });
    let table = [
        (Attribution::Record, Attribution::Header, "/weak"),
        (Attribution::Record, Attribution::Slug, "/strong"),
        (Attribution::ToolPaths, Attribution::Tracking, "/weak"),
        (Attribution::Slug, Attribution::Slug, "/weak"),
    ];
    for (strong, weak, expected) in table {
        let (mut one, mut other) = (of(Layer::IdeGlobal), of(Layer::TranscriptJsonl));
        one.summary.workspace = at("/strong", strong);
        other.summary.workspace = at("/weak", weak);
        other.summary.updated_at = Some(time(9));
        let whole = merged(&[one, other]);
        assert_eq!(whole.summary.workspace.unwrap().path, expected, "{strong:?} {weak:?}");
    }
}

#[test]
fn the_title_is_the_name_that_cursor_shows() {
    let named = |layer: Layer, title: &str| {
        let mut fragment = of(layer);
        fragment.summary.title = Some(title.to_owned());
        fragment
    };
    let table = [
        (vec![Layer::IdeGlobal, Layer::IdeHeaders], Layer::IdeHeaders),
        (vec![Layer::IdeGlobal, Layer::IdeWorkspace], Layer::IdeWorkspace),
        (vec![Layer::CliStore, Layer::TranscriptJsonl], Layer::CliStore),
        (vec![Layer::SdkIndex, Layer::TranscriptJsonl], Layer::SdkIndex),
        (vec![Layer::TranscriptJsonl, Layer::IdeSearch], Layer::TranscriptJsonl),
        (vec![Layer::TranscriptText, Layer::TranscriptJsonl], Layer::TranscriptJsonl),
    ];
    for (layers, expected) in table {
        let fragments: Vec<_> = layers.iter().map(|layer| named(*layer, layer.name())).collect();
        assert_eq!(merged(&fragments).summary.title.as_deref(), Some(expected.name()), "{layers:?}");
    }
}

#[test]
fn begun_first_changed_last_and_held_where_it_was_held() {
    let (mut one, mut other) = (
        fragment(Layer::CliStore, Surface::Cli, &[(Role::User, "ask")]),
        fragment(Layer::TranscriptJsonl, Surface::Transcript, &[(Role::User, "ask")]),
    );
    one.summary.created_at = Some(time(1));
    one.summary.updated_at = Some(time(5));
    (other.summary.updated_at, other.summary.is_updated_by_file) = (Some(time(7)), true);
    let whole = merged(&[other.clone(), one.clone()]);
    // A transcript's file may just have been copied.
    assert_eq!((whole.summary.created_at, whole.summary.updated_at), (Some(time(1)), Some(time(5))));
    let alone = merged(std::slice::from_ref(&other)).summary;
    assert!(
        (alone.updated_at, alone.is_updated_by_file) == (Some(time(7)), true)
            && !whole.summary.is_updated_by_file
    );
    // Lines that were tracked tell when it was held, where no store does.
    let mut tracked = fragment(Layer::Tracking, Surface::Transcript, &[]).as_evidence();
    (tracked.summary.created_at, tracked.summary.updated_at) = (Some(time(3)), Some(time(4)));
    let dated = merged(&[other.clone(), tracked.clone()]).summary;
    assert_eq!((dated.created_at, dated.updated_at), (Some(time(3)), Some(time(4))));
    assert!(!dated.is_updated_by_file);
    assert_eq!(merged(&[one.clone(), tracked]).summary.updated_at, Some(time(5)));
    let mut third = fragment(Layer::IdeGlobal, Surface::Ide, &[(Role::User, "ask")]);
    third.summary.updated_at = Some(time(9));
    assert_eq!(merged(&[one, third]).summary.updated_at, Some(time(9)));
    assert_eq!(whole.summary.surface, Surface::Cli);
    assert_eq!(merged(&[other]).summary.surface, Surface::Transcript);
}

#[test]
fn what_stands_beside_the_words_is_carried_over_once() {
    use backscroll_model::{Attachment, AttachmentKind};
    let attachment = |path: &str| Part::Attachment(Box::new(Attachment::new(AttachmentKind::File).at(path)));
    let (mut one, mut other) = (of(Layer::IdeGlobal), of(Layer::TranscriptText));
    one.messages[0].parts.push(attachment("src/a.rs"));
    other.messages[0].parts.push(attachment("/home/dev/app/src/a.rs"));
    other.messages[0].parts.push(attachment("/home/dev/app/src/b.rs"));
    other.messages.push({
        let mut failed = Message::new("failed", Role::Assistant, other.messages[0].origin.clone());
        failed.parts.push(Part::Error("no more".to_owned()));
        failed
    });
    other.count_messages();
    let whole = merged(&[one, other]);
    let beside = whole.messages[0].parts.iter().filter(|part| matches!(part, Part::Attachment(_))).count();
    assert_eq!(beside, 2, "a.rs once, b.rs once");
    assert_eq!(whole.messages.len(), 3);
    assert_eq!(whole.messages[2].parts, [Part::Error("no more".to_owned())]);
}

#[test]
fn a_conversation_in_two_sources_is_listed_once() {
    let source =
        |layer: Layer| -> Box<dyn Source> { Box::new(MemorySource::new(layer.name(), vec![of(layer)])) };
    let sources = vec![source(Layer::CliStore), source(Layer::TranscriptJsonl)];
    let listed = History::over(sources, Vec::new()).list(&Ask::default()).summaries;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].origins.len(), 2);
}

/// Where a fact of the whole conversation was read.
fn read_in(whole: &Conversation, fact: Fact) -> Option<Layer> {
    whole.fact_origins.iter().find(|noted| noted.fact == fact).map(|noted| noted.origin.layer)
}

#[test]
fn every_fact_has_the_origin_of_the_fragment_that_won() {
    let (mut record, mut store) = (of(Layer::IdeGlobal), of(Layer::CliStore));
    record.summary.title = Some("Record".to_owned());
    record.summary.created_at = Some(time(1));
    record.summary.updated_at = Some(time(2));
    store.summary.updated_at = Some(time(3));
    store.summary.mode = Some("plan".to_owned());
    store.facts.branch = Some("main".to_owned());
    store.facts.tokens = Some(Tokens::new(1, 2));
    let whole = merged(&[store, record]);
    let table = [
        (Fact::Title, Some(Layer::IdeGlobal)),
        (Fact::Begun, Some(Layer::IdeGlobal)),
        (Fact::Changed, Some(Layer::CliStore)),
        (Fact::Mode, Some(Layer::CliStore)),
        (Fact::Branch, Some(Layer::CliStore)),
        (Fact::Tokens, Some(Layer::CliStore)),
        (Fact::Workspace, None),
        (Fact::Lines, None),
    ];
    for (fact, layer) in table {
        assert_eq!(read_in(&whole, fact), layer, "{}", fact.name());
    }
}

#[test]
fn what_a_message_took_from_another_layer_says_so() {
    let (mut one, mut other) = (of(Layer::IdeGlobal), of(Layer::AgentBlobs));
    one.messages[1].parts.push(call(None, ToolStatus::Unknown));
    other.messages[1].parts.push(call(Some("made"), ToolStatus::Completed));
    other.messages[1].parts.insert(0, Part::Thinking { text: "let me see".to_owned(), duration_ms: None });
    other.messages[1].at = Moment { at: Some(time(1)), is: AtIs::Exact };
    other.messages[1].tokens = Some(Tokens::new(1, 2));
    one.messages[1].model = Some("own".to_owned());
    other.messages[1].model = Some("other".to_owned());
    let whole = merged(&[other, one]);
    let noted: Vec<_> = whole.messages[1].fact_origins.iter().map(|noted| noted.fact).collect();
    for fact in [Fact::Time, Fact::Tokens, Fact::Result, Fact::Thinking] {
        assert!(noted.contains(&fact), "{}: {noted:?}", fact.name());
    }
    assert!(!noted.contains(&Fact::Model), "its own");
    assert!(whole.messages[1].fact_origins.iter().all(|noted| noted.origin.layer == Layer::AgentBlobs));
    assert_eq!(whole.messages[0].fact_origins, [], "nothing was lacking");
}

#[test]
fn words_that_differ_a_little_between_two_layers_are_one_message_and_a_finding() {
    let words = "The parser reads every sheet by the names of its columns, and never by their order";
    let (mut one, mut other) = (of(Layer::IdeGlobal), of(Layer::TranscriptJsonl));
    one.messages[1].parts = vec![Part::Text(format!("{words}."))];
    other.messages[1].parts = vec![Part::Text(format!("{words}!"))];
    let whole = merged(&[other, one]);
    assert_eq!(texts(&whole), ["ask", &format!("{words}.")], "as the spine has it");
    let kinds: Vec<_> = whole.findings.iter().map(|finding| finding.kind).collect();
    assert_eq!(kinds, [FindingKind::Contradiction]);
}
