//! Values that a name or a sentence calls a password or a secret: they go, whatever they look like.

use crate::secrets::redacted;
use crate::synthetic::{BASE64, PLAIN, chance, key_block};

/// Where a password stands. `§` is its place.
const PLACES: &[&str] = &[
    "spring.datasource.password=§\n",
    "password: §\n",
    "database:\n  user: app\n  password: §\n",
    "define('DB_PASSWORD', '§');",
    "tool login --password=§ --yes",
    "tool login --password § --yes",
    "the password is §",
    "My password is § by the way",
    "PASSWORD IS §",
    "The password for the server is §",
    "Log in with username mira, password §",
    "Please set the password to § and restart.",
    "Kennwort: §",
    "Das Kennwort lautet §",
    "Zugangsdaten: mira / §",
    "Ich melde mich mit dem Passwort § an.",
    "das Passwort ist ‹§›",
    "\"Title\",\"Username\",\"Password\",\"URL\"\n\"Router\",\"mira\",\"§\",\"https://nas.test\"\n",
    "\"Password\",\"Title\"\n\"§\",\"Router\"\n",
    "<wsse:Password Type=\"PasswordText\">§</wsse:Password>",
    "<setting name=\"ApiSecret\" serializeAs=\"String\"><value>§</value></setting>",
    "System.setProperty(\"db.password\", \"§\");",
    "request.Headers.Add(\"x-functions-key\", \"§\");",
    "let p = Password::new(\"§\");",
    "{\"user\": \"mira\", \"password\": {\"value\": \"§\"}}",
    "password:\n  value: §\n",
    "CREATE USER mira IDENTIFIED BY \"§\";",
    "Content-Disposition: form-data; name=\"password\"\r\n\r\n§\r\n--x",
    "await page.fill(\"input[name=password]\", \"§\");",
    "await page.fill('#password', '§');",
    "USER mira\nPASS §\n",
    "127.0.0.1:6379> AUTH §\n",
    "[sudo] password for mira: §\n",
    "Password for 'https://mira@git.test': §\n",
    "{\"password\": \"§\"}",
    "if password == \"§\":",
    "driver.find_element(By.ID, \"password\").send_keys(\"§\")",
];

/// Passwords as people choose them, and as programs make them.
fn passwords(seed: u64) -> [String; 6] {
    let number = 1000 + seed * 97 % 9000;
    let sign = ["!", "#", "+", "-", "?", "*"][usize::try_from(seed % 6).expect("it is small")];
    [
        format!("Cherry{sign}{number}Winter"),
        format!("hunter{number}{sign}Blue!"),
        format!("Silver.castle.{number}"),
        format!("Tr0ub4dor{sign}{seed}3"),
        format!("{}{sign}{}", chance(PLAIN, 9, seed), chance(PLAIN, 8, seed + 500)),
        format!("qK{}zV", chance("BCDFGHJKLMNPQRSTVWXZbcdfghjklmnpqrstvwxz", 10, seed)),
    ]
}

#[test]
fn a_password_goes_whatever_it_looks_like() {
    let mut left = Vec::new();
    for seed in 0..20 {
        for password in passwords(seed) {
            for place in PLACES {
                let text = place.replace('§', &password);
                let got = redacted(&text);
                if got.contains(&password[..8]) || got.contains(&password[password.len() - 8..]) {
                    left.push(format!("{text:?} gave {got:?}"));
                }
            }
        }
    }
    assert!(left.is_empty(), "{}\n{}", left.len(), left.join("\n"));
}

#[test]
fn a_passphrase_goes() {
    for text in ["password: correct horse battery\n", "password = \"sparky ninja bright\"\n"] {
        assert!(redacted(text).contains("‹password-1›"), "{}", redacted(text));
    }
    for text in ["password: the password of the user\n", "password: required for all users\n"] {
        assert_eq!(redacted(text), text);
    }
}

#[test]
fn a_short_secret_goes_where_it_stands_bare() {
    for seed in 0..40 {
        let secret = format!("v{}7k{}", chance(PLAIN, 3, seed), chance(PLAIN, 3, seed + 40));
        let got = redacted(&format!("{{\"password\": \"{secret}\"}}\n\nThen I typed {secret}.\n"));
        assert!(!got.contains(&secret), "{got}");
    }
    // A word is no secret elsewhere.
    let words = "password=winter2024\nThe winter was long, winter2024x too.\n";
    assert_eq!(redacted(words), "password=‹password-1›\nThe winter was long, winter2024x too.\n");
}

#[test]
fn the_middle_of_a_private_key_goes() {
    let lines: Vec<String> = (0..26).map(|line| chance(BASE64, 64, 300 + line)).collect();
    let frames: [fn(&str) -> String; 5] = [
        |line| format!("{line}\n"),
        |line| format!("> {line}\n"),
        |line| format!("+{line}\n"),
        |line| format!("    11→{line}\n"),
        |line| format!("│ {line} │\n"),
    ];
    for frame in frames {
        let text: String = lines[9..17].iter().map(|line| frame(line)).collect();
        let got = redacted(&format!("It reads:\n\n{text}\nand so on.\n"));
        assert!(lines.iter().all(|line| !got.contains(&line[..16])), "{got}");
    }
    let certificate = key_block("CERTIFICATE", 400);
    assert_eq!(redacted(&certificate), certificate);
}

#[test]
fn letters_that_are_spelled_are_read() {
    let body = chance(PLAIN, 20, 77);
    for dash in ["\\x2d", "\\u002d", "\\u{2d}", "\\055", "&#45;", "&#x2d;", "%2D"] {
        let got = redacted(&format!("it = \"glpat{dash}{body}\""));
        assert!(!got.contains(&body), "{dash}: {got}");
    }
}

#[test]
fn guillemets_are_no_placeholder() {
    let body = chance("0123456789abcdef", 32, 88);
    assert!(!redacted(&format!("the key was ‹key-{body}› and nothing else")).contains(&body));
    assert!(!redacted("DB_PASSWORD=\"Hunt‹3r.924\"").contains("3r.924"));
    let placeholder = "the key was ‹mailgun-key·3f9a1c07› before";
    assert_eq!(redacted(placeholder), placeholder.replace("·3f9a1c07", "-1"));
}

#[test]
fn secrets_of_other_forms_go() {
    let (key, salt) = (chance(PLAIN, 32, 99), format!("{}|(+{{<;)", chance(PLAIN, 30, 98)));
    let aws = chance(BASE64, 40, 97);
    for (text, secret) in [
        (format!("{{\"kty\":\"EC\",\"crv\":\"P-256\",\"d\":\"{key}\"}}"), &key),
        (format!("r = requests.get(u, cookies={{\"session\": \"{key}\"}})"), &key),
        (format!("curl -b 'session={key}' https://api.test"), &key),
        (format!("define('LOGGED_IN_KEY', '{salt}');\ndefine('NONCE_SALT', '{salt}');"), &salt),
        (format!("ACCESSKEY\tAKIAQ7XW2LMNB4TR6YZP\t2026-03-01T10:00:00Z\t{aws}\tActive\tmira"), &aws),
        (format!("azureDevopsPat: '{key}'"), &key),
        (format!("the azure devops pat is {key}"), &key),
        (format!("API-Schlüssel: {key}"), &key),
    ] {
        assert!(!redacted(&text).contains(secret.as_str()), "{text} gave {}", redacted(&text));
    }
    for scheme in ["ssh", "sftp", "socks5", "rtsp", "ftp", "smtp", "https"] {
        let got = redacted(&format!("{scheme}://mira:aB3/x?Y7#/z9Q@host.test/a"));
        assert_eq!(got, format!("{scheme}://mira:‹url-password-1›@host.test/a"));
    }
}
