//! Where secrets stand, told without showing them.

use backscroll_model::Conversation;

use super::find::{Find, settled};
use super::place::Place;
use super::redactor::{Redactor, finds_in};
use super::slots::{self, Slot};

/// How many first characters of a secret are shown, and how long it must be for that.
const SHOWN: usize = 4;
const LONG_ENOUGH: usize = 16;

/// A place where a secret stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Where in the conversation; `None` for a text that stands alone.
    pub place: Option<Place>,
    /// The line of that text, counted from one.
    pub line: usize,
    /// What sort of secret.
    pub kind: String,
    /// What would stand in its place.
    pub placeholder: String,
    /// At most its first characters.
    pub masked: String,
}

impl Redactor {
    /// Where secrets stand in a conversation.
    pub fn inspect(&mut self, conversation: &Conversation) -> Vec<Sighting> {
        let mut conversation = conversation.clone();
        let mut scanned = self.scan(&mut conversation);
        scanned.finds.values().for_each(|finds| self.learn(finds));
        let mut sightings = Vec::new();
        let mut number = 0;
        slots::of_conversation(&mut conversation, self.finder.knows_home(), &mut |place, slot| {
            let mut finds = scanned.finds.remove(&number).unwrap_or_default();
            number += 1;
            finds.extend(finds_in(&slot, &|_, text| self.vault.find(text)));
            let text = match &slot {
                Slot::Text(text) => text.as_str(),
                Slot::Payload(payload) => payload.as_str(),
                Slot::File(_) => "",
            };
            sightings.extend(self.sightings(Some(place), text, settled(finds)));
        });
        sightings
    }

    /// Where secrets stand in a text.
    pub fn inspect_text(&mut self, text: &str) -> Vec<Sighting> {
        let mut finds = self.finder.find(None, text);
        self.learn(&finds);
        finds.extend(self.vault.find(text));
        self.sightings(None, text, settled(finds))
    }

    fn sightings(&mut self, place: Option<Place>, text: &str, finds: Vec<Find>) -> Vec<Sighting> {
        let mut sightings = Vec::with_capacity(finds.len());
        let (mut line, mut counted) = (1, 0);
        for find in finds {
            let between = text.get(counted..find.range.start).unwrap_or_default();
            line += between.matches('\n').count() + between.matches("\\n").count();
            counted = find.range.start;
            let placeholder = self.vault.keep(&find.kind, &find.secret).to_owned();
            self.vault.count_place(&find.secret, &find.kind);
            let kind = find.kind.into_owned();
            let masked = masked(&find.secret);
            sightings.push(Sighting { place, line, kind, placeholder, masked });
        }
        sightings
    }
}

/// The first characters of a long secret, and how long it is.
fn masked(secret: &str) -> String {
    let length = secret.chars().count();
    let first: String = secret.chars().take_while(|c| !c.is_control()).take(SHOWN).collect();
    if length >= LONG_ENOUGH {
        format!("{first}… ({length} characters)")
    } else {
        format!("({length} characters)")
    }
}
