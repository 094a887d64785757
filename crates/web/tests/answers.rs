//! What a search says when there is no answer, not yet, or an unusual one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};

use backscroll_cursor_store::FoundStores;
use backscroll_fixtures::{Composer, CursorHome, Speaks, StateDatabase, WrittenHome};
use backscroll_model::{
    Catalogue, CatalogueEntry, Decoded, Fragment, Inventory, Layer, Mark, Scope, Source, SourceError,
    SourceId, SourceReport, Store,
};

use crate::running::{Running, find_below};

const ID: &str = "11111111-0000-4000-8000-000000000000";

fn harbour() -> WrittenHome {
    let composer = Composer::new(ID).titled("Harbour").user("Where is the crane?").assistant("At the quay.");
    let lost = serde_json::json!({"_v": 2, "type": 1, "bubbleId": "lost", "text": "And the zeppelin?"});
    let global = StateDatabase::new().composer(&composer).kv(format!("bubbleId:{ID}:lost"), lost.to_string());
    CursorHome::new().unwrap().global(global).write().unwrap()
}

#[test]
fn a_hit_outside_of_the_conversation_leads_to_where_it_is_told() {
    let home = harbour();
    let server = Running::over_home(home.root());
    server.wait_for_index();
    let found = server.get("/search?q=zeppelin").text();
    let address =
        found.split("class=\"hit\" href=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let (page, anchor) = address.split_once('#').unwrap();
    assert_eq!(page, format!("/c/{ID}/about"));
    let about = server.get(page).text();
    let (_, told) = about.split_once(&format!("<li id=\"{anchor}\">")).expect("the anchor is there");
    assert!(told.split("</li>").next().unwrap().contains("zeppelin"), "{told}");
    let listed = server.get("/search?q=crane").text();
    assert!(listed.contains(&format!("href=\"/c/{ID}?at=0#m1\"")), "{listed}");
}

#[test]
fn a_question_that_cannot_be_understood_is_told_from_an_empty_answer() {
    let home = harbour();
    let server = Running::over_home(home.root());
    let table = [
        ("since%3Afoo", "<code>foo</code> is not a time", "<mark>foo</mark>", "yesterday or monday"),
        ("role%3Ausr", "does not know <code>usr</code>", "<mark>usr</mark>", "<code>user</code>"),
        ("(&how=regex", "not a regular expression", "<mark>(</mark>", "case"),
    ];
    for (question, says, place, hint) in table {
        let page = server.get(&format!("/search?q={question}")).text();
        let (_, wrong) = page.split_once("class=\"wrong\" role=\"alert\"").expect("an alert");
        let wrong = wrong.split("</section>").next().unwrap();
        assert!(wrong.contains(says) && wrong.contains(place) && wrong.contains(hint), "{wrong}");
        assert!(!page.contains("Nothing is found") && !page.contains("0 conversations"), "{page}");
        let answer = server.get(&format!("/api/v1/search?q={question}"));
        assert_eq!(answer.status, 400);
    }
    server.wait_for_index();
    assert!(server.get("/search?q=nobody").text().contains("Nothing is found."));
    for (question, says) in [("crane%20%22open", "never closed"), ("rloe%3Acrane", "there is no field")] {
        let page = server.get(&format!("/search?q={question}")).text();
        assert!(page.contains("was taken as text") && page.contains(says), "{page}");
        assert_eq!(server.get(&format!("/api/v1/search?q={question}")).status, 200);
    }
}

/// While a word is typed, what begins with it is found; characters and patterns are found, too.
#[test]
fn beginnings_characters_and_patterns_are_found() {
    let home = harbour();
    let server = Running::over_home(home.root());
    server.wait_for_index();
    let count = |address: &str| {
        let answer: serde_json::Value = serde_json::from_slice(&server.get(address).body).unwrap();
        answer.as_array().unwrap().len()
    };
    assert_eq!(count("/api/v1/search?q=cra"), 0);
    assert!(count("/api/v1/search?q=cra&typing=1") > 0);
    assert!(count("/api/v1/search?q=rane&how=exact") > 0);
    assert!(count("/api/v1/search?q=cr.ne&how=regex") > 0);
    assert!(count("/api/v1/search?q=cr.ne&how=exact") == 0);
}

#[test]
fn an_address_that_lacks_something_leads_on() {
    let home = harbour();
    let server = Running::over_home(home.root());
    let table = [
        ("/workspace", 400, "does not say which workspace", "/workspaces"),
        ("/workspace?path=%2Fnowhere", 404, "No conversation belongs to", "/workspaces"),
        ("/stores/contents", 400, "does not say which store", "/stores"),
        ("/c/nobody", 404, "No such conversation", "/search"),
        ("/search?from=x", 400, "`x`", "/"),
    ];
    for (address, status, says, way) in table {
        let answer = server.get(address);
        assert_eq!(answer.status, status, "{address}");
        let text = answer.text();
        assert!(text.contains(says) && !text.contains("deserialize"), "{address}: {text}");
        assert!(
            text.contains(&format!("class=\"button\" href=\"{way}\"")),
            "{address} leads nowhere: {text}"
        );
    }
}

/// Lets a source give out conversations only when the test opens it.
#[derive(Default)]
struct Gate {
    is_open: Mutex<bool>,
    opens: Condvar,
}

/// A source behind a gate: it can be listed, and its messages can be read when the gate is open.
struct Gated(Box<dyn Source>, Arc<Gate>);

impl Inventory for Gated {
    fn files(&self) -> Vec<(Layer, PathBuf)> {
        self.0.files()
    }

    fn holdings(&self) -> Result<Vec<SourceReport>, SourceError> {
        self.0.holdings()
    }
}

impl Source for Gated {
    fn id(&self) -> SourceId {
        self.0.id()
    }

    fn stores(&self) -> Decoded<Vec<Store>> {
        self.0.stores()
    }

    fn stamp(&self, store: &Path) -> Option<u64> {
        self.0.stamp(store)
    }

    fn catalogue(&self, store: &Path, since: Option<&Mark>) -> Result<Catalogue, SourceError> {
        self.0.catalogue(store, since)
    }

    fn load(&self, entry: &CatalogueEntry, scope: Scope<'_>) -> Result<Vec<Fragment>, SourceError> {
        drop(self.1.opens.wait_while(self.1.is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
        self.0.load(entry, scope)
    }
}

#[test]
fn while_the_index_is_being_made_nothing_is_found_yet() {
    let home = harbour();
    let (gate, path) = (Arc::<Gate>::default(), home.root().to_owned());
    let behind = Arc::clone(&gate);
    let server = Running::over(move || {
        let gated = |source| Box::new(Gated(source, Arc::clone(&behind))) as Box<dyn Source>;
        let FoundStores { sources, findings } = find_below(&path);
        FoundStores { sources: sources.into_iter().map(gated).collect(), findings }
    });
    let page = server.get("/search?q=crane").text();
    assert!(page.contains("Nothing is found yet.") && page.contains("still being made"), "{page}");
    assert!(!page.contains("Nothing is found.") && !page.contains("0 conversations"), "{page}");
    let answer = server.get("/api/v1/search?q=crane");
    assert!(answer.status == 503 && answer.text().contains("being brought up to date"), "{}", answer.text());
    *gate.is_open.lock().unwrap() = true;
    gate.opens.notify_all();
    server.wait_for_index();
    let found = server.get("/search?q=crane").text();
    assert!(found.contains("<mark>crane</mark>") && !found.contains("class=\"empty growing\""), "{found}");
}
