//! Listings as people and scripts see them.

use backscroll_model::{
    Attribution, ConversationId, Finding, FindingKind, Flag, Layer, SourceReport, Summary, Surface, Workspace,
};
use backscroll_render::list::{self, ListView};

use crate::every_part::{self, origin, time};

fn view(width: usize, colour: bool) -> ListView {
    ListView { width, now: "2026-01-20T12:00:00+01:00[+01:00]".parse().expect("a time"), colour }
}

fn summaries() -> Vec<Summary> {
    let bare = |id: &str| Summary::new(ConversationId::new(id), Surface::Cli, origin("k"));
    let wide = Summary {
        title: Some("日本語の題名がとても長くて、表の幅に収まらないときは省略記号で切る".to_owned()),
        workspace: Some(Workspace {
            path: "c:\\work\\clients\\a very long folder name".to_owned(),
            uri: None,
            remote: None,
            by: Attribution::Slug,
        }),
        updated_at: Some(time("2024-11-02T10:00:00Z")),
        mode: Some("plan".to_owned()),
        messages: Some(12_345),
        ..bare("98251e54-1111-4000-8000-000000000001")
    };
    let background = Summary {
        title: Some("two\nlines\tand a tab".to_owned()),
        updated_at: Some(time("2026-01-20T08:00:00Z")),
        flags: [Flag::Background].into(),
        ..bare("short")
    };
    vec![every_part::summary(), wide, background, bare("odd\nid")]
}

fn table(width: usize, colour: bool) -> String {
    let mut out = Vec::new();
    list::table(&summaries(), &view(width, colour), &mut out).expect("a vector takes everything");
    String::from_utf8(out).expect("text")
}

#[test]
fn the_table_fits() {
    for width in [60, 80, 120] {
        let shown = table(width, false);
        assert!(shown.lines().all(|line| backscroll_render::text::width(line) <= width), "{shown}");
        insta::assert_snapshot!(format!("table_{width}"), shown);
    }
}

#[test]
fn the_table_in_colour() {
    insta::assert_snapshot!(table(80, true).replace('\u{1b}', "␛"));
}

#[test]
fn plain_columns_are_whole() {
    let mut out = Vec::new();
    list::plain(&summaries(), &mut out).expect("a vector takes everything");
    let shown = String::from_utf8(out).expect("text");
    assert!(shown.lines().all(|line| line.split('\t').count() == 7));
    insta::assert_snapshot!(shown.replace('\t', " | "));
}

#[test]
fn sources_with_their_health() {
    let well = SourceReport {
        layers: vec![Layer::IdeGlobal, Layer::IdeHeaders],
        file: "/home/a/.config/Cursor/User/globalStorage/state.vscdb".into(),
        bytes: Some(1_234_567_890),
        conversations: 42,
        messages: Some(4_200),
        first_at: Some(time("2024-11-02T10:00:00Z")),
        last_at: Some(time("2026-01-20T10:00:00Z")),
        ..SourceReport::default()
    };
    let odd = SourceReport {
        is_backup: true,
        bytes: Some(999),
        findings: vec![Finding::new(FindingKind::NullRow, origin("k"), "a row without a value")],
        ..well.clone()
    };
    let broken = SourceReport {
        unreadable: Some("not a database".to_owned()),
        bytes: Some(12_345),
        ..SourceReport::default()
    };
    for width in [40, 60, 80, 100, 120] {
        let mut out = Vec::new();
        list::sources_table(&[well.clone(), odd.clone()], &view(width, false), &mut out)
            .expect("a vector takes everything");
        let shown = String::from_utf8(out).expect("text");
        assert!(shown.lines().all(|line| backscroll_render::text::width(line) <= width), "{width}:\n{shown}");
    }
    let mut out = Vec::new();
    list::sources_table(&[well, odd, broken.clone()], &view(120, false), &mut out)
        .expect("a vector takes everything");
    list::sources_plain(&[broken], &mut out).expect("a vector takes everything");
    insta::assert_snapshot!(String::from_utf8(out).expect("text").replace('\t', " | "));
}
