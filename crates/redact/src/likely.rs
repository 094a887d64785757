//! Whether a text looks like a secret: made by chance, not spelled out of words, and not an example.
//!
//! A value is spared because of all of it, never because of a part: a key made by chance may hold any word.

use std::sync::LazyLock;

use crate::finder::placeholders;

/// Values that documents publish as examples.
const EXAMPLES: &[&str] = &[
    "AKIAIOSFODNN7EXAMPLE",
    "AKIAI44QH8DHBEXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
    "4eC39HqLyjWDarjtT1zdp7dc",
    "550e8400-e29b-41d4-a716-446655440000",
    "123e4567-e89b-12d3-a456-426614174000",
    "123e4567-e89b-12d3-a456-426655440000",
    // The storage and database emulators have one key for everybody.
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==",
    // `Aladdin:open sesame`, `user:pass`, `username:password`.
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    "dXNlcjpwYXNz",
    "dXNlcm5hbWU6cGFzc3dvcmQ=",
    "hunter2",
    "correcthorsebatterystaple",
    "mF_9.B5f-4.1JqM",
    // The signature of the token that explains tokens.
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
];

/// Words that people write where a secret would stand. Numbers may stand beside them.
static STAND_INS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "your yours example examples sample dummy fake mock mocked placeholder changeme change replace \
     replaceme insert redacted hidden masked removed here todo tbd fixme xxx foo bar baz qux foobar \
     notreal lorem ipsum undefined asdf qwerty demo something whatever invalid abc abcd deadbeef \
     cafebabe unused testing supersecret"
        .split(' ')
        .collect()
});

/// Words that stand beside them, or alone.
static BESIDE: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "my our the a an this is some any api key keys token tokens secret secrets password passwort \
     passwd pass pwd pw passphrase credential credentials auth access client app application id goes \
     test me with enter put paste add set none null nil empty default value string text not real \
     super top public private user username admin root guest name login account local localhost dev \
     prod of production staging new old current first second long random very bearer basic required \
     optional true false sk openai github anthropic aws x p for and in to from generated"
        .split(' ')
        .collect()
});

/// Whether this is written where a secret would stand: an example, a placeholder, the same again and again, a sequence.
pub(crate) fn is_example(text: &str) -> bool {
    EXAMPLES.contains(&text)
        || is_repeated(text)
        || is_sequence(text)
        || is_placeholder(text)
        || !placeholders(text).is_empty()
}

/// `xxxxxxxx`, `****`, `ababababab`.
fn is_repeated(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_made_of = |unit: usize| {
        bytes.len() >= 3 * unit && bytes.iter().zip(&bytes[unit..]).all(|(one, other)| one == other)
    };
    let letters = Look::at(text).distinct;
    letters <= 1 || (bytes.len() >= 10 && letters <= 3) || (1..=8).any(is_made_of)
}

/// `1234567890`, `abcdefgh`, `0123456789abcdef`.
fn is_sequence(text: &str) -> bool {
    let bytes = text.as_bytes();
    let follows = |pair: &&[u8]| {
        let (one, next) = (pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase());
        next == one.wrapping_add(1)
            || one == next.wrapping_add(1)
            || matches!((one, next), (b'9', b'0' | b'a'))
    };
    let following = bytes.windows(2).filter(follows).count();
    bytes.len() >= 6 && following * 10 >= (bytes.len() - 1) * 7
}

/// `your-api-key-here`, `CHANGE_ME`, `supersecret`, `<token>`, `${TOKEN}`: made of such words and nothing else.
fn is_placeholder(text: &str) -> bool {
    let inner = text.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_bracketed = text.len() >= inner.len() + 2
        && [('<', '>'), ('[', ']'), ('{', '}'), ('%', '%'), ('$', '}'), ('*', '*')]
            .iter()
            .any(|(open, close)| text.starts_with(*open) && text.ends_with(*close));
    if inner.is_empty()
        || (is_bracketed && inner.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_- .".contains(&byte)))
    {
        return true;
    }
    if inner.len() > 64 {
        return false;
    }
    let small = inner.to_ascii_lowercase();
    let (mut has_number, mut has_stand_in) = (false, false);
    let words = small.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    for word in words {
        match spelled_with(word) {
            None => return false,
            Some(is_stand_in) => has_stand_in |= is_stand_in,
        }
    }
    for digits in small.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()) {
        // `your-key-1`, `example-1234`, not `a8b1c9`.
        has_number = true;
        let is_counted =
            digits.len() <= 3 || is_sequence(digits) || is_repeated(digits) || "1234567890".contains(digits);
        if !is_counted {
            return false;
        }
    }
    let is_plain = small.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-. /:".contains(&byte));
    is_plain && small.bytes().any(|byte| byte.is_ascii_alphabetic()) && (has_stand_in || !has_number)
}

/// Whether `word` is put together of such words, and whether one of them stands in for something.
fn spelled_with(word: &str) -> Option<bool> {
    // For each place: whether it can be reached, and by a stand-in.
    let mut reached: Vec<Option<bool>> = vec![None; word.len() + 1];
    reached[0] = Some(false);
    for at in 0..word.len() {
        let Some(so_far) = reached[at] else { continue };
        let rest = &word[at..];
        let run = rest.bytes().take_while(|byte| *byte == b'x').count();
        let mut reach = |length: usize, is_stand_in: bool| {
            let place = &mut reached[at + length];
            *place = Some(place.unwrap_or_default() | is_stand_in | so_far);
        };
        if run >= 3 {
            reach(run, true);
        }
        let begins =
            |known: &&&str| known.as_bytes().first() == rest.as_bytes().first() && rest.starts_with(**known);
        STAND_INS.iter().filter(begins).for_each(|known| reach(known.len(), true));
        BESIDE.iter().filter(begins).for_each(|known| reach(known.len(), false));
    }
    reached[word.len()]
}

/// Whether this looks made by chance. For tokens that their place gives away.
pub(crate) fn is_random(text: &str) -> bool {
    Look::at(text).distinct >= 7 && !is_example(text) && !is_words(text)
}

/// Whether this looks made by a generator. For values that only their name gives away.
pub(crate) fn is_generated(text: &str) -> bool {
    let look = Look::at(text);
    let is_number = look.small + look.capital == 0;
    look.distinct >= 8 && !is_number && !is_example(text) && !is_words(text) && !is_spoken(text)
}

/// Whether this is a name that programmers make of words: `NonEmptyString128`, `sign_in_v2_password`.
pub(crate) fn is_words(text: &str) -> bool {
    let (pieces, digit_groups) = letter_pieces(text);
    let letters: usize = pieces.iter().map(|piece| piece.len()).sum();
    let words: Vec<usize> = pieces.iter().filter(|piece| is_word(piece)).map(|piece| piece.len()).collect();
    let spelled: usize = words.iter().sum();
    let has_long = words.iter().any(|length| *length >= 5);
    // Where nothing parts them, chance makes short pieces and turns to capitals in the middle of one.
    let is_even = pieces.iter().all(|piece| is_spelled(piece)) && words.len() * 3 >= pieces.len() * 2;
    let is_seamless = !text.contains(['_', '-', '.', ' ', '/', ':']);
    words.len() >= 2
        && has_long
        && digit_groups <= 2
        && spelled * 10 >= letters * 7
        && (!is_seamless || is_even)
}

/// Whether most letters belong to no word, as in no name of a program.
pub(crate) fn is_unspelled(text: &str) -> bool {
    let (pieces, _) = letter_pieces(text);
    let letters = |pieces: &mut dyn Iterator<Item = &&[u8]>| pieces.map(|piece| piece.len()).sum::<usize>();
    letters(&mut pieces.iter().filter(|piece| is_word(piece))) * 2 < letters(&mut pieces.iter())
}

/// Whether capitals stand where they do in names.
fn is_spelled(letters: &[u8]) -> bool {
    letters.iter().all(u8::is_ascii_uppercase) || letters.iter().skip(1).all(u8::is_ascii_lowercase)
}

/// Whether these are letters of one word: small ones behind the first, or capitals alone.
pub(crate) fn is_one_word(text: &str) -> bool {
    let all = |is: fn(&u8) -> bool| text.as_bytes().iter().skip(1).all(is);
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && (all(u8::is_ascii_lowercase) || text.bytes().all(|byte| byte.is_ascii_uppercase()))
}

/// Whether this is one word, or a name in which every piece of letters is a word. One short piece may stand among them where
/// there is no digit: `pwHash`. Names have one number at most, and a word with a number, such as `summer2024`, is a password
/// rather than a name.
pub(crate) fn is_all_words(text: &str) -> bool {
    let (pieces, digit_groups) = letter_pieces(text);
    let others: Vec<&&[u8]> = pieces.iter().filter(|piece| !is_word(piece)).collect();
    let is_spelled = match &others[..] {
        [] => digit_groups <= 1 && pieces.len() > digit_groups,
        [other] => digit_groups == 0 && pieces.len() > 1 && other.len() == 2,
        _ => false,
    };
    is_spelled && (text.contains(['_', '-', '.', ' ']) || is_fluent(&pieces))
}

/// Whether the pieces of a name that only capitals and digits part are words: chance makes short ones, of letters that seldom
/// stand side by side, and does not keep to capitals.
fn is_fluent(pieces: &[&[u8]]) -> bool {
    let words = || pieces.iter().filter(|piece| piece.len() > 2);
    let letters: usize = words().map(|word| word.len()).sum();
    let in_capitals = words().filter(|word| word[1].is_ascii_uppercase()).count();
    let (mut all, mut rare) = (0, 0);
    for (word_pairs, word_rare, _) in words().map(|word| pairs(word)) {
        all += word_pairs;
        rare += word_rare;
    }
    let is_one_word = pieces.len() == 1 && in_capitals == 0;
    let is_even = in_capitals == 0 || in_capitals == pieces.len();
    is_one_word || (is_even && rare * 10 <= all && letters >= 4 * words().count())
}

/// The letters of a name, parted at capitals and at everything else, and how many groups of digits it has.
fn letter_pieces(text: &str) -> (Vec<&[u8]>, usize) {
    let bytes = text.as_bytes();
    let (mut pieces, mut digit_groups, mut before) = (Vec::<std::ops::Range<usize>>::new(), 0, b' ');
    for (at, byte) in bytes.iter().enumerate() {
        let is_hump = byte.is_ascii_uppercase() && !before.is_ascii_uppercase();
        match pieces.last_mut() {
            Some(piece) if byte.is_ascii_alphabetic() && !is_hump && piece.end == at => piece.end = at + 1,
            _ if byte.is_ascii_alphabetic() => pieces.push(at..at + 1),
            _ => digit_groups += usize::from(byte.is_ascii_digit() && !before.is_ascii_digit()),
        }
        before = *byte;
    }
    (pieces.into_iter().map(|piece| &bytes[piece]).collect(), digit_groups)
}

/// Whether letters make a word: it can be spoken, and capitals stand where they do in names.
fn is_word(letters: &[u8]) -> bool {
    let is_vowel = |letter: &u8| b"aeiouy".contains(&letter.to_ascii_lowercase());
    let consonants = letters.split(is_vowel).map(<[u8]>::len).max().unwrap_or_default();
    let (pairs, rare, _) = pairs(letters);
    (3..=15).contains(&letters.len())
        && is_spelled(letters)
        && consonants <= 4
        && letters.iter().any(is_vowel)
        && rare * 4 <= pairs
}

/// For each letter, which letters often follow it in words: bit 0 is `a`.
const FOLLOWS: [u32; 26] = [
    0x01fe_bd6f,
    0x011e_491f,
    0x011e_ddbd,
    0x003e_c93f,
    0x01ff_f97f,
    0x001e_493d,
    0x0016_69d1,
    0x001a_5119,
    0x02ae_fc7f,
    0x0010_4011,
    0x0004_0111,
    0x011c_c93d,
    0x001c_d913,
    0x003c_edff,
    0x00fe_fd6f,
    0x001e_c9b5,
    0x0010_0000,
    0x013e_fd7f,
    0x015e_fdd5,
    0x019e_d9bd,
    0x000e_b97f,
    0x0000_4111,
    0x0006_6191,
    0x0088_8115,
    0x000c_b110,
    0x0000_0111,
];

/// How many pairs of letters stand side by side, how many of them seldom do in words, and how many are two capitals.
fn pairs(text: &[u8]) -> (usize, usize, usize) {
    let number = |byte: u8| usize::from(byte.to_ascii_lowercase() - b'a');
    let (mut pairs, mut rare, mut capitals) = (0, 0, 0);
    for pair in text.windows(2) {
        let [one, next] = [pair[0], pair[1]];
        if one.is_ascii_alphabetic() && next.is_ascii_alphabetic() {
            pairs += 1;
            rare += usize::from(FOLLOWS[number(one)] >> number(next) & 1 == 0);
            capitals += usize::from(one.is_ascii_uppercase() && next.is_ascii_uppercase());
        }
    }
    (pairs, rare, capitals)
}

/// Whether this is made of letters that follow one another as in words, and of nothing else.
pub(crate) fn is_spoken(text: &str) -> bool {
    let (pairs, rare, capitals) = pairs(text.as_bytes());
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_-./: ".contains(&byte));
    let is_capitals = !text.bytes().any(|byte| byte.is_ascii_lowercase());
    !text.is_empty() && is_plain && rare * 7 <= pairs && (capitals * 4 <= pairs || is_capitals)
}

/// Whether letters follow one another as in no word.
pub(crate) fn is_gibberish(text: &str) -> bool {
    let (pairs, rare, _) = pairs(text.as_bytes());
    let is_turn = |pair: &&[u8]| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase();
    let turns = text.as_bytes().windows(2).filter(is_turn).count();
    (pairs >= 4 && rare * 5 >= pairs) || turns * 5 >= text.len()
}

/// Whether this can hardly be anything but a secret, though it may be short.
pub(crate) fn is_strange(text: &str) -> bool {
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    letters >= 2 && is_distinctive(text) && !is_example(text) && !is_words(text)
}

/// Words of the trade that hold numbers, and are no password.
static TECHNICAL: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "sha- sha1 sha2 sha3 sha5 aes- aes1 aes2 aes/ hmac pbkdf base64 base32 base58 utf- utf8 utf1 x509 \
     rsa- rsa2 rsa4 md5 oauth 25519 p256 secp pkcs argon2 bcrypt scrypt ipv4 ipv6 http/ http2 iso-8 \
     rfc2 rfc3 rfc4 rfc6 rfc7 win32 x86 amd64 arm64 uint8 uint16 uint32 uint64 int16 int32 int64 \
     float32 float64 i18n l10n ec2 k8s unicode latin1 tlsv python3 windows-1 log4j junit mozilla \
     es256 sqlite rs256 hs256 v1beta"
        .split(' ')
        .collect()
});

/// Whether a value is a password of words or of letters by chance, so that only a little must say so: with a number and a sign,
/// or with numbers where names have none, or letters that make no word.
pub(crate) fn is_telling(text: &str) -> bool {
    let text = text.trim_start_matches('&').trim_end_matches('*');
    let look = Look::at(text);
    let letters = look.small + look.capital;
    if look.length < 6 || look.length > 200 || letters < 2 || look.distinct < 5 || is_example(text) {
        return false;
    }
    if is_technical(text) && (look.marks == 0 || is_words(text)) {
        return look.length >= 16 && is_generated(text) && is_unspelled(text) && look.classes() >= 3;
    }
    let bytes = text.as_bytes();
    let is_leet = |three: &[u8]| {
        three[0].is_ascii_alphabetic() && three[1].is_ascii_digit() && three[2].is_ascii_alphabetic()
    };
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_name = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:;,/".contains(&byte));
    let is_numbered = look.digits >= 2 && look.length >= 8 && letters >= 3;
    // `5ummer.826`
    let is_led =
        bytes[0].is_ascii_digit() && bytes[1..4].iter().all(u8::is_ascii_lowercase) && !is_hash_like(text);
    let is_parted = text.contains(['-', '_', '.', '/', ':', ',']);
    let is_mixed =
        look.length >= 10 && look.small >= 2 && look.capital >= 2 && !text.contains([' ', '(', '=']);
    (look.marks >= 1 && look.digits >= 1 && look.length >= 8)
        || (look.marks >= 1 && is_mixed && is_unspelled(text))
        || (is_numbered && is_parted && look.small >= 1 && look.capital >= 1)
        || (is_numbered && bytes.windows(3).any(is_leet) && !is_all_words(text))
        || (is_numbered && is_parted && is_led && look.digits < look.length / 2)
        || (look.length >= 12
            && look.digits >= 1
            && look.classes() >= 3
            && is_name
            && is_gibberish(text)
            && !is_words(text))
        || (look.length >= 10
            && is_plain
            && is_gibberish(text)
            && !is_words(text)
            && look.classes() >= 2
            && !is_named_so(text))
}

/// Whether these are letters in capitals and not, of which no words are made.
pub(crate) fn is_mixed_letters(text: &str) -> bool {
    let look = Look::at(text);
    look.length >= 10
        && look.small + look.capital == look.length
        && look.small >= 2
        && look.capital >= 2
        && look.distinct >= 7
        && !is_words(text)
        && !is_all_words(text)
        && !is_example(text)
        && !is_technical(text)
        && !is_named_so(text)
}

fn is_technical(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    TECHNICAL.iter().any(|word| small.contains(word))
}

/// Whether this is the name of a secret rather than one.
fn is_named_so(text: &str) -> bool {
    let small = text.to_ascii_lowercase();
    let is_end = |word: &&str| small.starts_with(*word) || text.ends_with(*word);
    ["token", "secret", "passw"].iter().any(|word| small.contains(word))
        || ["key", "Key", "auth", "Auth"].iter().any(is_end)
}

/// Whether this is letters, digits and many signs by chance, as no program and no sentence has them.
pub(crate) fn is_dense(text: &str) -> bool {
    let look = Look::at(text);
    let is_even = (look.small + look.capital + look.digits) * 10 >= look.length * 7 && look.classes() == 4;
    let is_marked = look.marks >= 2 || (look.marks >= 1 && is_even && !text.contains(' '));
    look.length >= 12
        && look.distinct >= 10
        && is_marked
        && look.classes() >= 3
        && look.digits >= 1
        && (is_unspelled(text)
            || (look.marks >= 3 && look.classes() == 4 && !text.contains(' '))
            || (look.marks >= 6 && look.digits >= 3 && look.length >= 30))
        && text.split(' ').count() * 6 <= look.length.max(6)
}

/// Whether a line of base64 is made by chance: of all kinds of letters, none of which is frequent.
pub(crate) fn is_base64_by_chance(text: &str) -> bool {
    let look = Look::at(text);
    let most = text.bytes().map(|byte| text.bytes().filter(|other| *other == byte).count()).max();
    look.distinct >= 26 && look.small >= 10 && look.capital >= 10 && look.digits >= 2 && most <= Some(10)
}

/// Words of sentences and forms, of which nobody makes a passphrase.
static PLAIN_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    "the a an of to for in on and or is are was be not no with from this that your my our must should \
     will can if as at by it new old password passwords user username key token secret string \
     required optional default please enter invalid only used here you we at least characters none \
     text"
        .split(' ')
        .collect()
});

/// Whether these are some words that make no sentence: a passphrase.
pub(crate) fn is_passphrase(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', '-', '.', '_']).collect();
    let is_of_it = |word: &&str| {
        (3..=12).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_lowercase())
            && !PLAIN_WORDS.contains(word)
    };
    (3..=12).contains(&words.len()) && text.contains(' ') && words.iter().all(is_of_it)
}

/// Whether this is as good as unique: it may be taken out wherever it stands.
pub(crate) fn is_distinctive(text: &str) -> bool {
    let look = Look::at(text);
    let length = text.len();
    text.contains('\n')
        || (length >= 16 && look.digits >= 1 && look.distinct >= 8)
        || (length >= 16 && look.distinct >= 8 && !is_words(text) && !is_spoken(text))
        || (length >= 10 && look.classes() >= 3 && look.distinct >= 7)
}

/// Minimum length of a secret that is looked for wherever it stands bare.
const SHORTEST_KNOWN: usize = 8;

/// Whether this is taken out wherever it stands, once it is known: no word and no name stands for something else.
pub(crate) fn is_known_again(text: &str) -> bool {
    let look = Look::at(text);
    let is_mixed = look.digits >= 1
        && (look.classes() >= 3 || (look.classes() == 2 && look.digits < look.length && is_unspelled(text)))
        && !is_words(text)
        && !is_all_words(text);
    is_distinctive(text)
        || (look.length >= SHORTEST_KNOWN && (is_mixed || is_telling(text) || is_mixed_letters(text)))
}

/// Whether this looks like a password that somebody chose: letters and something else, or letters that make no word.
pub(crate) fn is_chosen(text: &str) -> bool {
    let look = Look::at(text);
    let letters = look.small + look.capital;
    let is_mixed = letters >= 1 && letters < look.length && (look.digits >= 1 || look.marks >= 1);
    look.distinct >= 5
        && !is_example(text)
        && (is_mixed
            || (look.digits == look.length && look.length >= 8)
            || (letters >= 1 && (!is_spoken(text) || is_gibberish(text) || !is_all_words(text))))
}

/// Whether this is a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.len() == 5
        && groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether this is a hash or a number of the usual lengths: of small hexadecimal digits alone.
pub(crate) fn is_hash(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    is_uuid(text) || (matches!(text.len(), 32 | 40 | 64) && text.bytes().all(is_digit))
}

/// Whether this is made of hexadecimal digits and what stands between groups of them.
fn is_hash_like(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit() || b"-_:.".contains(&byte))
}

/// Whether this is written without capitals, digits and signs.
pub(crate) fn is_small(text: &str) -> bool {
    let look = Look::at(text);
    look.capital + look.digits + look.marks == 0
}

/// What a text is made of.
#[derive(Debug, Default)]
struct Look {
    small: usize,
    capital: usize,
    digits: usize,
    /// Signs that names do not have.
    marks: usize,
    distinct: usize,
    length: usize,
}

impl Look {
    fn at(text: &str) -> Self {
        let mut look = Self { length: text.len(), ..Self::default() };
        let mut met = [false; 256];
        for byte in text.bytes() {
            met[usize::from(byte)] = true;
            match byte {
                b'a'..=b'z' => look.small += 1,
                b'A'..=b'Z' => look.capital += 1,
                b'0'..=b'9' => look.digits += 1,
                b'_' | b'-' | b'.' | b'/' | b'\\' | b',' | b' ' | b':' | b';' => {}
                _ => look.marks += 1,
            }
        }
        look.distinct = met.iter().filter(|met| **met).count();
        look
    }

    fn classes(&self) -> usize {
        [self.small, self.capital, self.digits, self.marks].iter().filter(|count| **count > 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::{is_all_words, is_example, is_generated, is_spoken, is_words};

    #[test]
    fn names_made_of_words_are_told_from_chance() {
        for name in
            ["NonEmptyString128", "X25519PrivateKey", "XmlStringMaxLen256", "sign_in_v2_submit_password"]
        {
            assert!(is_words(name) && !is_generated(name), "{name}");
        }
        for chance in
            ["kX9dQ2mVb7Lr3TzP", "MfGmzWkpAePcEJIukB4geqNfngAFTClo", "9f86d081884c7d65", "k3j9d8f2w5q1z7x4"]
        {
            assert!(!is_words(chance) && is_generated(chance), "{chance}");
        }
        assert!(is_spoken("authorization_code") && !is_spoken("qzkfwpxvtrgh"));
    }

    #[test]
    fn letters_by_chance_are_no_words() {
        for name in ["hashedPassword", "pwHash", "string", "user_password", "NonEmptyString128"] {
            assert!(is_all_words(name), "{name}");
        }
        for chance in [
            "RHgdEffsYrriee",
            "dPatmUitypSt",
            "Rays0UhHrona",
            "WibosSMoaB",
            "06622332166",
            "summer2024",
            "83bcde3efd",
            "ALPRKOALDV",
            "ioxMYEAI9Rke",
            "RseiFnApbbe",
            "FolmmlErc4",
        ] {
            assert!(!is_all_words(chance), "{chance}");
        }
    }

    #[test]
    fn an_example_is_one_as_a_whole() {
        for example in [
            "AKIAIOSFODNN7EXAMPLE",
            "your-api-key-here",
            "YOUR_TOKEN",
            "changeme",
            "supersecret",
            "my_secret_key",
            "xxxxxxxxxxxx",
            "<token>",
            "${API_KEY}",
            "0123456789abcdef",
            "1234567890",
            "abababababab",
            "********",
            "example-1234",
            "mysecretpassword",
        ] {
            assert!(is_example(example), "{example}");
        }
        for real in [
            "AKIATODOXXXXYOUR2MOC",
            "a8Kdexample02mXpQ77v",
            "Winter2024!",
            "admin123",
            "k3mock9f2w5q1z7x4",
            "tr0ub4dor&3",
            "9f86d081884c7d65",
        ] {
            assert!(!is_example(real), "{real}");
        }
    }
}
