//! Pictures: those of loaded conversations, and nothing that is more than a picture.

use std::path::Path;

use backscroll_cursor_store::FoundStores;
use backscroll_fixtures::MemorySource;
use backscroll_model::{Fragment, Image, Layer, Message, Origin, Part, Role, Summary, Surface};

use crate::running::Running;

/// The smallest PNG.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// `<svg onload="alert(1)"/>`.
const SVG: &str = "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+";

/// One conversation with pictures of every sort.
fn album() -> Fragment {
    let origin = Origin::new(Layer::IdeGlobal, Path::new("/album"), "k");
    let mut album = Fragment::new(Summary::new("album".into(), Surface::Ide, origin.clone()));
    let image = |data: Option<&str>, path: Option<&str>| {
        Part::from(Image {
            data: data.map(str::to_owned),
            path: path.map(str::to_owned),
            media_type: Some("image/png".into()),
            description: None,
        })
    };
    let mut message = Message::new("m", Role::User, origin);
    message.parts = vec![
        Part::Text("look".into()),
        image(Some(PNG), None),
        image(Some(SVG), None),
        image(None, Some("/etc/passwd")),
        image(Some(&format!("data:image/png;base64,{PNG}")), None),
    ];
    album.messages.push(message);
    album
}

fn albums() -> FoundStores {
    let source = MemorySource::new("/album", vec![album()]);
    FoundStores { sources: vec![Box::new(source)], findings: Vec::new() }
}

#[test]
fn only_pictures_that_are_pictures_are_served() {
    let server = Running::over_without_index(albums);
    for (place, status) in [
        ("m1/1", 200),
        ("m1/4", 200),
        ("m1/0", 404),
        ("m1/2", 404),
        ("m1/3", 404),
        ("m1/9", 404),
        ("m0/1", 404),
        ("o1/1", 404),
        ("x1/1", 404),
    ] {
        let answer = server.get(&format!("/c/album/picture/{place}"));
        assert_eq!(answer.status, status, "{place}");
        if status == 200 {
            assert_eq!(answer.header("content-type"), Some("image/png"));
            assert_eq!(answer.header("content-security-policy"), Some("default-src 'none'; sandbox"));
            assert!(answer.body.starts_with(b"\x89PNG"));
        }
    }
    let page = server.get("/c/album").text();
    assert!(
        page.contains("src=\"/c/album/picture/m1/1\"") && !page.contains("data:image"),
        "pictures are fetched, not inlined"
    );
    assert!(
        server.get("/search?q=look").text().contains("There is no search index"),
        "without an index that is said"
    );
}
