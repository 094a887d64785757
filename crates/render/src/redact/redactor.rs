//! Takes secrets out of texts and conversations, and keeps count.
//!
//! A conversation is gone through twice: first everything is looked at, so that a secret that gives itself away in one
//! place is known in all of them; then it is changed.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use backscroll_model::{Conversation, Payload, Summary};
use serde_json::value::RawValue;

use super::find::{Find, settled};
use super::finder::Finder;
use super::json_strings;
use super::options::{RedactOptions, RuleError};
use super::report::Report;
use super::shared_numbers::SharedNumbers;
use super::slots::{self, Slot};
use super::vault::Vault;

/// What is left after so many rounds stays. One round is nearly always enough.
const ROUNDS: usize = 4;

/// Takes secrets out. One redactor stands for one export: in it, the same secret has the same placeholder.
#[derive(Debug, Clone)]
pub struct Redactor {
    pub(super) finder: Arc<Finder>,
    pub(super) vault: Vault,
}

/// What [`Redactor::scan`] found in a conversation. Good for just that conversation, unchanged.
#[derive(Debug, Default)]
pub struct Scanned {
    /// The number of a text and what is in it.
    pub(super) finds: BTreeMap<usize, Vec<Find>>,
}

impl Redactor {
    /// A redactor that knows no secret yet.
    pub fn new(options: &RedactOptions) -> Result<Self, RuleError> {
        Ok(Self { finder: Arc::new(Finder::new(options)?), vault: Vault::default() })
    }

    /// Another redactor with the same rules that knows no secret yet. It numbers its placeholders from one, unless they
    /// are numbered together.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self { finder: Arc::clone(&self.finder), vault: self.vault.fresh() }
    }

    /// The same redactor, whose placeholders are numbered together with those of others.
    #[must_use]
    pub fn numbered_by(mut self, numbers: Arc<SharedNumbers>) -> Self {
        self.vault.shared = Some(numbers);
        self
    }

    /// How many of which kind were taken out so far.
    pub fn report(&self) -> Report {
        self.vault.report.clone()
    }

    /// Takes the secrets out of a text.
    pub fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let finds = self.finder.find(None, text);
        self.learn(&finds);
        let finds = self.with_known(finds, text);
        if finds.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut changed = self.replaced(text, &finds);
        for _ in 1..ROUNDS {
            let finds = self.finder.find(None, &changed);
            self.learn(&finds);
            let finds = self.with_known(finds, &changed);
            if finds.is_empty() {
                break;
            }
            changed = self.replaced(&changed, &finds);
        }
        Cow::Owned(changed)
    }

    /// Takes the secrets out of a conversation.
    pub fn conversation(&mut self, conversation: &mut Conversation) {
        let scanned = self.scan(conversation);
        self.apply(conversation, scanned);
    }

    /// Looks for secrets in a conversation and changes nothing: the long part of the work, for as many threads as
    /// there are. The conversation is borrowed to be changed only because its texts are walked in the same way later.
    pub fn scan(&self, conversation: &mut Conversation) -> Scanned {
        let mut scanned = Scanned::default();
        let mut number = 0;
        slots::of_conversation(conversation, self.finder.knows_home(), &mut |_, slot| {
            let finds = finds_in(&slot, &|name, text| self.finder.find(name, text));
            if !finds.is_empty() {
                scanned.finds.insert(number, finds);
            }
            number += 1;
        });
        scanned
    }

    /// Remembers what was found, to take it out of other conversations too. Placeholders are numbered in the order of
    /// these calls.
    pub fn know(&mut self, scanned: &Scanned) {
        for find in scanned.finds.values().flatten() {
            self.vault.keep(&find.kind, &find.secret);
        }
    }

    /// Takes out what was found, and everything known besides: the short part of the work. Placeholders are numbered in
    /// the order of these calls.
    pub fn apply(&mut self, conversation: &mut Conversation, mut scanned: Scanned) {
        self.know(&scanned);
        self.vault.prepare();
        if scanned.finds.is_empty() && self.vault.is_empty() {
            return;
        }
        let mut number = 0;
        slots::of_conversation(conversation, self.finder.knows_home(), &mut |_, slot| {
            self.clean(slot, scanned.finds.remove(&number).unwrap_or_default());
            number += 1;
        });
    }

    /// Takes the secrets out of what an index tells of a conversation.
    pub fn summary(&mut self, summary: &mut Summary) {
        self.vault.prepare();
        slots::of_summary(summary, self.finder.knows_home(), &mut |_, slot| {
            let finds = finds_in(&slot, &|name, text| self.finder.find(name, text));
            self.learn(&finds);
            self.clean(slot, finds);
        });
    }

    /// Takes out of `slot` what was found in it and what is known, until nothing is left.
    fn clean(&mut self, mut slot: Slot<'_>, mut finds: Vec<Find>) {
        for _ in 0..ROUNDS {
            finds.extend(finds_in(&slot, &|_, text| self.vault.find(text)));
            finds = settled(finds);
            if finds.is_empty() {
                return;
            }
            self.change(&mut slot, &finds);
            finds = finds_in(&slot, &|name, text| self.finder.find(name, text));
            self.learn(&finds);
        }
    }

    fn change(&mut self, slot: &mut Slot<'_>, finds: &[Find]) {
        match slot {
            Slot::Text(text) => **text = self.replaced(text, finds),
            Slot::File(file) => **file = Path::new(&self.replaced(&file.to_string_lossy(), finds)).into(),
            Slot::Payload(payload) => {
                let changed = self.replaced(payload.as_str(), finds);
                **payload = match payload {
                    Payload::Json(_) => {
                        RawValue::from_string(changed.clone()).map_or(Payload::Text(changed), Payload::Json)
                    }
                    Payload::Text(_) => Payload::Text(changed),
                };
            }
        }
    }

    pub(super) fn learn(&mut self, finds: &[Find]) {
        for find in finds {
            self.vault.keep(&find.kind, &find.secret);
        }
        self.vault.prepare();
    }

    fn with_known(&self, mut finds: Vec<Find>, text: &str) -> Vec<Find> {
        finds.extend(self.vault.find(text));
        settled(finds)
    }

    /// The text with placeholders.
    fn replaced(&mut self, text: &str, finds: &[Find]) -> String {
        let mut changed = String::with_capacity(text.len());
        let mut at = 0;
        for Find { range, kind, secret, .. } in finds {
            let Some(before) = text.get(at..range.start).filter(|_| text.is_char_boundary(range.end)) else {
                continue;
            };
            changed.push_str(before);
            changed.push_str(self.vault.keep(kind, secret));
            self.vault.count_place(secret, kind);
            at = range.end;
        }
        changed.push_str(text.get(at..).unwrap_or_default());
        changed
    }
}

/// What `find` finds in a slot, in places of its text as it stands.
pub(super) fn finds_in(slot: &Slot<'_>, find: &dyn Fn(Option<&str>, &str) -> Vec<Find>) -> Vec<Find> {
    match slot {
        Slot::Text(text) => find(None, text),
        Slot::File(file) => find(None, &file.to_string_lossy()),
        Slot::Payload(payload) => match &**payload {
            Payload::Text(text) => find(None, text),
            Payload::Json(json) => json_strings::find_in(json.get(), find),
        },
    }
}
