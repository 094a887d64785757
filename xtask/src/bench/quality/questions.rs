//! Questions for known conversations, in the ways in which people remember: rightly, half, and wrongly.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::corpus::Talk;
use crate::chance::Chance;

/// One question and the conversation that it is about.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) class: &'static str,
    pub(super) typed: String,
    pub(super) wanted: String,
}

/// The number of questions of each class.
const OF_EACH: usize = 20;

/// The words of all conversations and in how many of them each is.
pub(super) struct Words {
    counts: HashMap<String, usize>,
    /// The prose words of each conversation, message by message, in order.
    said: Vec<Vec<Vec<String>>>,
}

impl Words {
    pub(super) fn of(talks: &[Talk]) -> Self {
        let mut counts: HashMap<String, usize> = HashMap::new();
        let mut said = Vec::new();
        for talk in talks {
            let messages: Vec<Vec<String>> = talk.said.iter().map(|text| prose(text)).collect();
            let all: BTreeSet<String> = talk
                .said
                .iter()
                .chain([&talk.code, &talk.title, &talk.file])
                .flat_map(|text| split(text))
                .collect();
            for word in all {
                *counts.entry(word).or_default() += 1;
            }
            said.push(messages);
        }
        Self { counts, said }
    }

    fn count(&self, word: &str) -> usize {
        self.counts.get(word).copied().unwrap_or(0)
    }

    /// Words of a message that tell something: not too frequent, not unique nonsense.
    fn telling(&self, message: &[String]) -> Vec<String> {
        self.telling_within(message, 40)
    }

    /// Words of a message that at most `most` conversations have.
    pub(super) fn telling_within(&self, message: &[String], most: usize) -> Vec<String> {
        let is_telling = |word: &&String| word.len() >= 5 && (1..=most).contains(&self.count(word));
        let all: BTreeSet<String> = message.iter().filter(is_telling).cloned().collect();
        all.into_iter().collect()
    }

    /// How many conversations have all of `words`.
    pub(super) fn together(&self, words: &[String]) -> usize {
        let has = |messages: &Vec<Vec<String>>| {
            words.iter().all(|word| messages.iter().any(|one| one.contains(word)))
        };
        self.said.iter().filter(|messages| has(messages)).count()
    }
}

/// Lower-case words of letters.
fn split(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}

/// The words of prose: code and names are left out.
pub(super) fn prose(text: &str) -> Vec<String> {
    let is_plain = |word: &&str| {
        let word = word.trim_matches(['.', ',', ';', ':', '(', ')', '!', '?']);
        word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    let trimmed = |word: &str| word.trim_matches(['.', ',', ';', ':', '(', ')', '!', '?']).to_owned();
    text.split_whitespace().filter(is_plain).map(trimmed).collect()
}

/// Makes a question for the conversation that is at hand, if it can be asked for in such a way.
type Make<'a> = fn(&mut Asker<'a>) -> Option<String>;

/// All questions for `talks`.
pub(super) fn questions<'a>(talks: &'a [Talk], seed: u64) -> Vec<Question> {
    let mut asker =
        Asker { talks, words: Words::of(talks), chance: Chance::new(seed), at: 0, titles: titles(talks) };
    let classes: [(&'static str, Make<'a>); 13] = [
        ("exact", Asker::exact),
        ("scattered", Asker::scattered),
        ("title", Asker::title),
        ("error code", Asker::code),
        ("identifier", Asker::identifier),
        ("typo", Asker::typo),
        ("wrong word", Asker::wrong_word),
        ("paraphrase", Asker::paraphrase),
        ("question", Asker::question),
        ("inflection", Asker::inflection),
        ("compound", Asker::compound),
        ("pasted line", Asker::pasted),
        ("date", Asker::date),
    ];
    let mut questions = Vec::new();
    for (class, make) in classes {
        let mut made = 0;
        for _ in 0..OF_EACH * 60 {
            asker.at = asker.chance.below(talks.len());
            if let Some(typed) = make(&mut asker) {
                questions.push(Question { class, typed, wanted: talks[asker.at].id.clone() });
                made += 1;
                if made == OF_EACH {
                    break;
                }
            }
        }
    }
    questions
}

fn titles(talks: &[Talk]) -> BTreeMap<String, usize> {
    let mut titles = BTreeMap::new();
    for talk in talks {
        *titles.entry(talk.title.to_lowercase()).or_insert(0) += 1;
    }
    titles
}

struct Asker<'a> {
    talks: &'a [Talk],
    words: Words,
    chance: Chance,
    /// The conversation that is asked for.
    at: usize,
    titles: BTreeMap<String, usize>,
}

impl Asker<'_> {
    fn talk(&self) -> &Talk {
        &self.talks[self.at]
    }

    /// This many rare words of one message that no other conversation has together.
    fn of_one_message(&mut self, count: usize) -> Option<Vec<String>> {
        let messages = self.words.said[self.at].clone();
        let message = self.chance.pick(&messages).clone();
        self.some_of(self.words.telling(&message), count)
    }

    fn some_of(&mut self, mut telling: Vec<String>, count: usize) -> Option<Vec<String>> {
        let mut picked = Vec::new();
        while picked.len() < count && !telling.is_empty() {
            let at = self.chance.below(telling.len());
            picked.push(telling.swap_remove(at));
        }
        (picked.len() == count && self.words.together(&picked) == 1).then_some(picked)
    }

    fn exact(&mut self) -> Option<String> {
        Some(self.of_one_message(3)?.join(" "))
    }

    fn scattered(&mut self) -> Option<String> {
        let messages = self.words.said[self.at].clone();
        if messages.len() < 3 {
            return None;
        }
        let mut telling = Vec::new();
        for message in &messages {
            let words = self.words.telling(message);
            if !words.is_empty() {
                telling.push(self.chance.pick(&words).clone());
            }
        }
        telling.sort();
        telling.dedup();
        Some(self.some_of(telling, 3)?.join(" "))
    }

    fn title(&mut self) -> Option<String> {
        let title = self.talk().title.to_lowercase();
        let words: Vec<&str> = title.split_whitespace().collect();
        (words.len() > 3 && self.titles.get(&title) == Some(&1)).then(|| title.clone())
    }

    /// A word of letters and digits, or all in capitals, that few conversations have.
    fn code(&mut self) -> Option<String> {
        let texts = self.talk().said.join(" ") + &self.talk().code;
        let is_code = |word: &&str| {
            let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
            word.len() >= 4
                && word.len() < 20
                && has(u8::is_ascii_alphabetic)
                && (has(u8::is_ascii_digit) || word.bytes().all(|byte| byte.is_ascii_uppercase()))
        };
        let words: Vec<&str> = texts.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_code).collect();
        let rare: Vec<&&str> =
            words.iter().filter(|word| self.words.count(&word.to_lowercase()) == 1).collect();
        let word = rare.get(self.chance.below(rare.len().max(1)))?.to_string();
        Some(word)
    }

    /// A name of several pieces, in another spelling.
    fn identifier(&mut self) -> Option<String> {
        let texts = self.talk().said.join(" ") + &self.talk().code;
        let is_name = |word: &&str| {
            word.len() > 8
                && word.contains('_')
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        let names: Vec<&str> =
            texts.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(is_name).collect();
        let name = names.get(self.chance.below(names.len().max(1)))?.trim_matches('_').to_owned();
        let others = self.talks.iter().filter(|talk| {
            let has = |text: &String| text.contains(&name);
            talk.said.iter().any(has) || has(&talk.code)
        });
        if others.count() != 1 {
            return None;
        }
        let pieces: Vec<&str> = name.split('_').filter(|piece| !piece.is_empty()).collect();
        let capital = |piece: &&str| piece[..1].to_uppercase() + &piece[1..];
        Some(match self.chance.below(3) {
            0 => pieces.concat(),
            1 => pieces.iter().map(capital).collect(),
            _ => pieces.join("-"),
        })
    }

    fn mistyped(&mut self, word: &str) -> String {
        let mut letters: Vec<char> = word.chars().collect();
        let at = 1 + self.chance.below(letters.len() - 2);
        match self.chance.below(4) {
            0 => letters.swap(at, at + 1),
            1 => drop(letters.remove(at)),
            2 => letters.insert(at, letters[at]),
            _ => letters[at] = if letters[at] == 'e' { 'a' } else { 'e' },
        }
        letters.into_iter().collect()
    }

    fn typo(&mut self) -> Option<String> {
        let mut words = self.of_one_message(3)?;
        let at = words.iter().position(|word| word.len() >= 6)?;
        let wrong = self.mistyped(&words[at]);
        (self.words.count(&wrong) == 0).then(|| {
            words[at] = wrong;
            words.join(" ")
        })
    }

    fn wrong_word(&mut self) -> Option<String> {
        let mut words = self.of_one_message(3)?;
        let elsewhere = self.chance.below(self.talks.len());
        let other = self.words.said[elsewhere].clone();
        let others = self.words.telling(&other.concat());
        let wrong = others.get(self.chance.below(others.len().max(1)))?.clone();
        let own = self.words.said[self.at].concat();
        (!own.contains(&wrong)).then(|| {
            words.insert(self.chance.below(words.len()), wrong);
            words.join(" ")
        })
    }

    /// A sentence in another order, with words left out and others that were never said.
    fn paraphrase(&mut self) -> Option<String> {
        const INSTEAD: [&str; 8] =
            ["handle", "approach", "situation", "properly", "explain", "issue", "trick", "stuff"];
        let mut words = self.of_one_message(4)?;
        for _ in 0..2 {
            let instead = (*self.chance.pick(&INSTEAD)).to_owned();
            words.insert(self.chance.below(words.len() + 1), instead);
        }
        let changed = inflected(&words[0]);
        words[0] = changed;
        Some(words.join(" "))
    }

    fn question(&mut self) -> Option<String> {
        let words = self.of_one_message(3)?;
        let forms = [
            format!("how do I {} the {} when it is {}?", words[0], words[1], words[2]),
            format!("what was the thing about {} and {} that we used for {}?", words[0], words[1], words[2]),
            format!("why should {} not be {} with a {}", words[0], words[1], words[2]),
        ];
        Some(self.chance.pick(&forms).clone())
    }

    fn inflection(&mut self) -> Option<String> {
        let words = self.of_one_message(3)?;
        Some(words.iter().map(|word| inflected(word)).collect::<Vec<_>>().join(" "))
    }

    /// A word that is two elsewhere, or two that are one.
    fn compound(&mut self) -> Option<String> {
        let texts = self.talk().said.join(" ").to_lowercase();
        let is_compound = |word: &&str| {
            let pieces: Vec<&str> = word.split('-').collect();
            pieces.len() == 2
                && pieces
                    .iter()
                    .all(|piece| piece.len() >= 3 && piece.bytes().all(|b| b.is_ascii_lowercase()))
        };
        let compounds: Vec<&str> = texts.split_whitespace().filter(is_compound).collect();
        let compound = compounds.get(self.chance.below(compounds.len().max(1)))?.to_owned().to_owned();
        let others = self
            .talks
            .iter()
            .filter(|talk| talk.said.iter().any(|text| text.to_lowercase().contains(&compound)));
        if others.count() > 3 {
            return None;
        }
        let telling = self.words.telling(&self.words.said[self.at].concat());
        let beside = telling.get(self.chance.below(telling.len().max(1)))?.clone();
        let between = if self.chance.percent(60.0) { "" } else { " " };
        Some(format!("{} {beside}", compound.replace('-', between)))
    }

    /// A line as it is copied out of an editor or a terminal.
    fn pasted(&mut self) -> Option<String> {
        let text =
            if self.chance.percent(50.0) { self.talk().code.clone() } else { self.talk().said.join("\n") };
        let is_whole = |line: &&str| line.split_whitespace().count() >= 4 && line.len() < 100;
        let lines: Vec<&str> = text.lines().filter(is_whole).collect();
        let line = lines.get(self.chance.below(lines.len().max(1)))?.to_owned();
        let others = self.talks.iter().filter(|talk| {
            let has = |text: &String| text.contains(line);
            talk.said.iter().any(has) || has(&talk.code)
        });
        (others.count() == 1).then(|| line.to_owned())
    }

    /// Two words that several conversations have, and the month in which this one was held.
    fn date(&mut self) -> Option<String> {
        let messages = self.words.said[self.at].clone();
        let message = self.chance.pick(&messages).clone();
        let telling: Vec<String> =
            self.words.telling(&message).into_iter().filter(|word| self.words.count(word) > 3).collect();
        let first = telling.get(self.chance.below(telling.len().max(1)))?.clone();
        let second = telling.get(self.chance.below(telling.len()))?.clone();
        let together = self.words.together(&[first.clone(), second.clone()]);
        if first == second || !(2..6).contains(&together) {
            return None;
        }
        let at = Timestamp::from_millisecond(self.talk().started).ok()?;
        let day = at.to_zoned(jiff::tz::TimeZone::UTC).date();
        let when = match self.chance.below(2) {
            0 => day.strftime("%B %Y").to_string().to_lowercase(),
            _ => day.strftime("%Y-%m-%d").to_string(),
        };
        Some(format!("{first} {second} {when}"))
    }
}

/// Another form of `word`.
pub(super) fn inflected(word: &str) -> String {
    for (ending, other) in [
        ("ies", "y"),
        ("ing", "ed"),
        ("ed", "ing"),
        ("ses", "se"),
        ("s", ""),
        ("y", "ies"),
        ("e", "ed"),
        ("", "s"),
    ] {
        if let Some(stem) = word.strip_suffix(ending) {
            return format!("{stem}{other}");
        }
    }
    word.to_owned()
}
