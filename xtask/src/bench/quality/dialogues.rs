//! Long dialogues between named people, and the questions that an agent asks about them: two or three words of one sentence, often
//! in another form, beside names that stand in every session and words that were never said.

use super::corpus::Talk;
use super::questions::{Question, Words, inflected, prose};
use crate::chance::Chance;

/// Pairs of people, and how many sessions each has.
const PAIRS: [(&str, &str); 10] = [
    ("Amira", "Jonas"),
    ("Beatriz", "Callum"),
    ("Chidi", "Henrik"),
    ("Daria", "Felix"),
    ("Elif", "Marcus"),
    ("Gwen", "Tomasz"),
    ("Ingrid", "Rashid"),
    ("Keiko", "Leander"),
    ("Nadia", "Oscar"),
    ("Priya", "Stefan"),
];
const SESSIONS: usize = 27;
/// Turns of one session at most.
const TURNS: usize = 24;
/// Questions of each class.
const OF_EACH: usize = 60;

const DAY: i64 = 86_400_000;

/// Every pair meets once in some days and talks about what the documentation says.
pub(super) fn dialogues(talks: &[Talk]) -> Vec<Talk> {
    let mut chance = Chance::new(7);
    let sessions = talks.iter().take(PAIRS.len() * SESSIONS).enumerate();
    sessions.map(|(number, talk)| session(talk, number, &mut chance)).collect()
}

fn session(talk: &Talk, number: usize, chance: &mut Chance) -> Talk {
    let (first, second) = PAIRS[number / SESSIONS];
    let sentences: Vec<String> = talk.said.iter().flat_map(|text| sentences(text)).collect();
    let mut said = vec![
        format!("{first}: Hey {second}! Good to see you again. How have you been since we last talked?"),
        format!("{second}: Hi {first}, busy as ever. I have read a lot and want to tell you about it."),
    ];
    let mut rest = &sentences[..];
    while !rest.is_empty() && said.len() < TURNS {
        let (now, later) = rest.split_at((1 + chance.below(3)).min(rest.len()));
        let (who, whom) = if said.len() % 2 == 0 { (first, second) } else { (second, first) };
        let greeting = if chance.percent(20.0) { format!("{whom}, ") } else { String::new() };
        said.push(format!("{who}: {greeting}{}", now.join(" ")));
        rest = later;
    }
    said.push(format!("{first}: Thanks {second}, that was great. Talk to you soon!"));
    let before_last = i64::try_from(SESSIONS - number % SESSIONS).unwrap_or(0);
    Talk {
        title: String::new(),
        workspace: format!("/home/dev/{}", first.to_lowercase()),
        started: super::corpus::now().timestamp().as_millisecond() - before_last * 11 * DAY,
        said,
        file: String::new(),
        code: String::new(),
        id: talk.id.clone(),
    }
}

/// The sentences of prose in a text.
fn sentences(text: &str) -> Vec<String> {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_prose = |sentence: &&str| {
        let words = sentence.split(' ').count();
        (6..40).contains(&words) && prose(sentence).len() * 10 >= words * 7
    };
    joined.split_inclusive(". ").map(str::trim).filter(is_prose).map(str::to_owned).collect()
}

/// Words of a question that nobody said.
const NEVER_SAID: [&str; 8] =
    ["mention", "opinion", "advice", "favorite", "decide", "plan", "recently", "experience"];

/// The questions about `sessions`.
pub(super) fn questions(sessions: &[Talk], seed: u64) -> Vec<Question> {
    let mut asker = Asker { sessions, words: Words::of(sessions), chance: Chance::new(seed) };
    let classes = ["what did X say", "when did X", "how many", "why", "on a day"];
    let mut questions = Vec::new();
    for class in classes {
        let mut made = 0;
        for _ in 0..OF_EACH * 80 {
            let Some(question) = asker.question(class) else { continue };
            questions.push(question);
            made += 1;
            if made == OF_EACH {
                break;
            }
        }
    }
    questions
}

struct Asker<'a> {
    sessions: &'a [Talk],
    words: Words,
    chance: Chance,
}

impl Asker<'_> {
    fn question(&mut self, class: &'static str) -> Option<Question> {
        let at = self.chance.below(self.sessions.len());
        let session = &self.sessions[at];
        let turn = self.chance.pick(&session.said).clone();
        let (who, text) = turn.split_once(": ")?;
        let mut telling = self.words.telling_within(&prose(text), session_share(self.sessions.len()));
        let count = 2 + self.chance.below(2);
        let mut words = Vec::new();
        while words.len() < count {
            if telling.is_empty() {
                return None;
            }
            words.push(telling.swap_remove(self.chance.below(telling.len())));
        }
        let together = self.words.together(&words);
        let is_dated = class == "on a day";
        if together > if is_dated { 4 } else { 1 } {
            return None;
        }
        for word in &mut words {
            if self.chance.percent(40.0) {
                *word = inflected(word);
            }
        }
        if self.chance.percent(50.0) {
            let other = (*self.chance.pick(&NEVER_SAID)).to_owned();
            words.insert(self.chance.below(words.len() + 1), other);
        }
        let list = words.join(" ");
        let day = jiff::Timestamp::from_millisecond(session.started).ok()?.to_zoned(jiff::tz::TimeZone::UTC);
        let typed = match class {
            "what did X say" => format!("What did {who} say about the {list}?"),
            "when did X" => format!("When did {who} talk about {list}?"),
            "how many" => format!("How many {list} does {who} have?"),
            "why" => format!("Why does {who} think that {list} is important for people?"),
            _ => format!("What did {who} tell about {list} on {}?", day.strftime("%-d %B %Y")),
        };
        Some(Question { class, typed, wanted: session.id.clone() })
    }
}

/// A word in more sessions than this is not asked for.
fn session_share(sessions: usize) -> usize {
    sessions / 4
}
