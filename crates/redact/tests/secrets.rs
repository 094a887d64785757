//! True secrets, in every disguise: each goes, and the same one has the same placeholder.

use backscroll_redact::{RedactOptions, Redactor};

use crate::synthetic::{
    BASE64, HEX, PLAIN, base64, chance, disguises, json_web_token, key_block, numbered, tokens,
};

pub(crate) fn redacted(text: &str) -> String {
    numbered(&Redactor::new(&RedactOptions::default()).expect("made so here").text(text))
}

#[test]
fn every_token_goes_in_every_disguise() {
    let mut left = Vec::new();
    for (kind, secret) in tokens() {
        for (disguise, text) in disguises(&secret) {
            let wanted = text.replace(&secret, &format!("‹{kind}-1›"));
            let got = redacted(&text);
            if got != wanted {
                left.push(format!("{kind}, {disguise}: {got}"));
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn a_token_goes_from_a_name_that_holds_it() {
    let token = format!("ghp_{}", chance(PLAIN, 36, 39));
    assert_eq!(redacted(&format!("mcp_{token}")), "mcp_‹github-token-1›");
}

#[test]
fn what_its_place_gives_away_goes() {
    let random = chance(PLAIN, 32, 40);
    let hex = chance(HEX, 40, 41);
    let aws = format!("{}/{}", chance(BASE64, 20, 42), chance(PLAIN, 19, 43));
    let azure = format!("{}==", chance(BASE64, 86, 44));
    let basic = base64(format!("mira:{}", chance(PLAIN, 12, 45)).as_bytes());
    let table: Vec<(&str, String, &str)> = vec![
        ("aws-secret", aws.clone(), "AWS_SECRET_ACCESS_KEY=§"),
        ("aws-secret", aws.clone(), "aws_secret_access_key = §"),
        ("aws-secret", aws.clone(), "{\"aws_secret_access_key\": \"§\"}"),
        ("aws-secret", aws.clone(), "export AWS_SECRET_ACCESS_KEY='§'"),
        (
            "azure-key",
            azure.clone(),
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§;EndpointSuffix=x",
        ),
        ("bearer-token", random.clone(), "curl -H 'Authorization: Bearer §' https://api.test"),
        ("bearer-token", random.clone(), "{\"Authorization\":\"Bearer §\"}"),
        ("basic-auth", basic.clone(), "Authorization: Basic §"),
        ("connection-password", "s3cr3t!pw".to_owned(), "DATABASE_URL=postgres://app:§@db.internal:5432/app"),
        ("connection-password", "s3cr3tpw".to_owned(), "mysql://root:§@127.0.0.1/app"),
        (
            "connection-password",
            "aB3$xY9z".to_owned(),
            "\"mongodb+srv://u:§@cluster0.abc.mongodb.net/?retryWrites=true\"",
        ),
        ("connection-password", "s3cr3tpw".to_owned(), "redis://:§@cache:6379/0"),
        ("connection-password", "s3cr3tpw".to_owned(), "amqp://svc:§@mq:5672/%2f"),
        ("url-password", "t0psecretish".to_owned(), "git clone https://mira:§@git.internal/repo.git"),
        ("api-key", random.clone(), "api_key = \"§\""),
        ("api-key", random.clone(), "const apiKey: string = '§';"),
        ("api-key", random.clone(), "OPENWEATHER_KEY=§"),
        ("api-key", random.clone(), "x-api-key: §"),
        ("token", random.clone(), "{\"token\": \"§\"}"),
        ("token", random.clone(), "{\\\"access_token\\\":\\\"§\\\",\\\"expires_in\\\":3600}"),
        ("token", random.clone(), "https://api.test/me?access_token=§&v=2"),
        ("token", random.clone(), "https%3A%2F%2Fapi.test%2Fme%3Faccess_token%3D§%26v%3D2"),
        ("token", random.clone(), "mytool login --token § --yes"),
        ("token", random.clone(), "//registry.test/:_authToken=§"),
        ("secret", hex.clone(), "client_secret: '§'"),
        ("secret", hex.clone(), "SESSION_SECRET=§"),
        ("secret", hex, "SECRET_KEY_BASE=§"),
        // A value in the middle of which chance made what looks like a token.
        ("api-key", format!("{random}/AQVN{}+{random}", chance(PLAIN, 36, 46)), "SIGNING_KEY=§"),
    ];
    assert_go(table);
}

#[test]
fn passwords_go_even_if_they_read_like_words_or_code() {
    let table = [
        ("password", "Winter2024!", "Server=db;Database=app;User Id=sa;Password=§;Encrypt=true"),
        ("password", "wintertime", "Server=tcp:db,1433;Uid=sa;Pwd=§;"),
        ("password", "W1nter-time", "DB_PASSWORD=§\nDB_PORT=5432\n"),
        ("password", "Y...NNHXK6npjA", "DB_PASSWORD=§\nDB_PORT=5432\n"),
        ("password", "wintertime", "DB_PASS=§\nDB_PORT=5432\n"),
        ("password", "Str0ng&Quiet", "password: \"§\""),
        ("password", "ALPRKOALDV", "{\"password\": \"§\"}"),
        ("password", "Sm.iQNDalsepLT", "{\"password\": \"§\"}"),
        ("password", "c*BJi...9UbUYO", "{\"password\": \"§\"}"),
        ("password", "l5i.HinpNaKSrp", "DB_PASSWORD=§\nDB_PORT=5432\n"),
        ("password", "Nz9a5jX::SG4nGt8", "{\"password\": \"§\"}"),
        ("connection-password", "XPrMFsF::ooK50dF", "postgres://app:§@db.acme.io/app"),
        ("password", "YW2lXTx{{WGMaw1e", "DB_PASSWORD=\"§\""),
        ("password", "abkd efgx ijql mnwp", "SMTP_PASS=\"§\""),
        ("password", "$Kespn3ubupVKXs", "{\"password\": \"§\"}"),
        ("password", "739201846520", "password: \"§\""),
        ("password", "papcsenGatIn", "tool login --password § --yes"),
        ("password", "ioxMYEAI9Rke", "jdbc:postgresql://db:5432/app?user=app&password=§"),
    ];
    assert_go(table.map(|(kind, secret, frame)| (kind, secret.to_owned(), frame)));
}

/// Each secret goes from its frame, of which it takes the place of `§`, and nothing else does.
fn assert_go(table: impl IntoIterator<Item = (&'static str, String, &'static str)>) {
    let mut left = Vec::new();
    for (kind, secret, frame) in table {
        let (text, wanted) = (frame.replace('§', &secret), frame.replace('§', &format!("‹{kind}-1›")));
        let got = redacted(&text);
        if got != wanted {
            left.push(format!("{frame}\n   gave {got}"));
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn private_keys_go_in_every_disguise_and_stay_the_same_key() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
        "ENCRYPTED PRIVATE KEY",
    ] {
        let block = key_block(label, 50);
        let each = |line: &dyn Fn(usize, &str) -> String| {
            block.lines().enumerate().map(|(at, text)| line(at + 1, text)).collect::<Vec<_>>().concat()
        };
        let plus = each(&|_, line| format!("+{line}\n"));
        let numbered = each(&|number, line| format!("{number:6}|{line}\n"));
        let escaped = block.replace('\n', "\\n");
        let twice = block.replace('\n', "\\\\n");
        let encoded = base64(format!("{block}\n").as_bytes());
        let cut = block.lines().take(4).map(|line| format!("{line}\n")).collect::<Vec<_>>().concat();
        let texts = [
            format!("as it is:\n{block}\nend"),
            format!("{{\"private_key\": \"{escaped}\\n\", \"client_id\": \"1\"}}"),
            format!("in JSON in JSON {twice} end"),
            format!("@@ -0,0 +1,9 @@\n{plus} context\n"),
            format!("numbered\n{numbered}"),
            format!("data:\n  tls.key: {encoded}\n"),
            each(&|_, line| format!("# {line}\n")),
            each(&|_, line| format!(" * {line}\n")),
            each(&|_, line| format!("    // {line}\n")),
            format!("@@ -0,0 +1,9 @@\n{}", each(&|_, line| format!("+  {line}\n"))),
            each(&|_, line| format!("> {line}\n")),
            each(&|number, line| format!("k.pem:{number}:{line}\n")),
            each(&|_, line| format!("  \"{line}\\n\" +\n")),
            each(&|_, line| format!("{line} ")),
        ];
        let echoed = each(&|_, line| format!("echo '{line}' >> k\n"));
        for text in texts.iter().chain([&echoed]) {
            let got = redacted(text);
            assert!(got.contains("‹private-key-1›"), "{label}: {got}");
            assert!(block.lines().skip(1).take(6).all(|line| !got.contains(line)), "{label}: {got}");
        }
        let got = redacted(&format!("{cut}\nAnd that is all I saw of it.\n"));
        assert!(
            got.ends_with("And that is all I saw of it.\n")
                && !got.contains(block.lines().nth(3).expect("made so here")),
            "{got}"
        );
        let all = redacted(&texts.join("\n\n"));
        assert!(!all.contains("private-key-2"), "{label}: {all}");
    }
}

#[test]
fn a_key_read_in_pieces_is_known_again() {
    let block = key_block("PRIVATE KEY", 60);
    let piece = block.lines().nth(3).expect("made so here");
    let got = redacted(&format!("{block}\nlater: {piece}\n"));
    assert_eq!(got, "‹private-key-1›\nlater: ‹private-key-1›\n");
}

#[test]
fn a_known_secret_goes_where_nothing_gives_it_away() {
    let secret = format!("{}/{}+{}", chance(PLAIN, 13, 70), chance(PLAIN, 13, 71), chance(PLAIN, 12, 72));
    let in_url = secret.replace('/', "%2F").replace('+', "%2B");
    let text = format!("it was {secret}\nAWS_SECRET_ACCESS_KEY={secret}\nGET /?s={in_url}\n");
    assert_eq!(
        redacted(&text),
        "it was ‹aws-secret-1›\nAWS_SECRET_ACCESS_KEY=‹aws-secret-1›\nGET /?s=‹aws-secret-1›\n"
    );
}

#[test]
fn different_secrets_have_different_placeholders() {
    let one = json_web_token(80);
    let two = json_web_token(81);
    let got = redacted(&format!("{one} {two} {one}"));
    assert_eq!(got, "‹jwt-1› ‹jwt-2› ‹jwt-1›");
}
