//! Ordinary lines that look like secrets to a hasty reader: all of them stay to the letter.

use std::borrow::Cow;

use backscroll_redact::{RedactOptions, Redactor};

use crate::synthetic::{BASE64, HEX, chance};

const ORDINARY: &[&str] = &[
    "const key = process.env.API_KEY;",
    "api_key: ${API_KEY}",
    "TOKEN=${{ secrets.GITHUB_TOKEN }}",
    "export OPENAI_API_KEY=your-api-key-here",
    "OPENAI_API_KEY=<your key>",
    "token: <token>",
    "password: xxxxxxxxxxxx",
    "PASSWORD=********",
    "api_key = os.environ[\"API_KEY\"]",
    "password = getpass.getpass()",
    "password: req.body.password",
    "\"password\": \"login.form.password\"",
    "password: hashedPassword",
    "{\"password\": \"otherwise\"}",
    "https://api.test/login?user=you&password=example",
    "let token = lexer.next_token()?;",
    "token_type: Bearer",
    "max_tokens: 128000",
    "\"next_page_token\": \"CAUQAA3f9a8b7c6d5e4f3a2b1c\"",
    "key: 'settings.account.password.label'",
    "const PASSWORD_FIELD = 'user_password_1';",
    "primaryKey: \"user_2024_01_index\"",
    "fn parse_token(&self, token: Token<'a>) -> Result<Token>",
    "pub struct SecretKey(pub [u8; 32]);",
    "http://user:pass@example.com/path",
    "postgres://user:password@localhost:5432/db",
    "postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app",
    "redis://localhost:6379",
    "https://github.com/a/b/blob/main/c.rs#L10",
    "Authorization: Bearer ${token}",
    "Authorization: Bearer <access-token>",
    "Authorization: `Bearer ${accessToken}`",
    "the bearer of this letter",
    "basic understanding of the code",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "\"token\": \"550e8400-e29b-41d4-a716-446655440000\"",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "checksum = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"",
    "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
    "PublicKeyToken=b77a5c561934e089",
    "color: #ff00aa; background: #A1B2C3;",
    "AKIAIOSFODNN7EXAMPLE",
    "if (line.startsWith('-----BEGIN PRIVATE KEY-----')) {",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "sk-circle-fade-delay-animation-keyframes-1s",
    "npm_config_registry npm_lifecycle_event npm_package_name",
    "pypi-publish-action-with-trusted-publishing-and-attestations",
    "hf_hub_download(repo_id=\"x\", filename=\"y\")",
    "eyJust a word",
    "pub GetCredentials: SpGetCredentialsFn,",
    "pub fn new(builder: &OnePass) -> OnePassCacheX1 {",
    "const SERVER_INFO_META_KEY: &str = \"io.modelcontextprotocol/serverInfo\";",
    "\"subject_token\": \"refresh-token\",\n\"subject_token_type\": \"none\"",
    "self.assertEqual(passValue('string\\U0001f4bb'), 'string\\U0001f4bb')",
    "hello@2x.png and pkg@1.2.3 and git@github.com:a/b.git",
    "key-value-store-implementation-for-the-browser",
    "SKILL SKU SKIP SK",
    "the secret: never give up, never surrender",
    "secretName: my-app-tls-certificate",
    "accessKeyId: string; secretAccessKey: string;",
    "authenticate(username=user, password=raw_password)",
    "auth: { type: 'oauth2', flow: 'authorization_code' }",
    "keyboard: KeyboardLayoutQwerty2024",
    "cacheKey=`user-${id}-v2`",
    "hash_key = \"9f86d081884c7d659a2feaa0c55ad015\"",
    "token = \"identifier_with_words_and_2_numbers\"",
    "static TOKENS: [&str; 3] = [\"a\", \"b\", \"c\"];",
    "https://cdn.test/app.9f86d081884c7d65.min.js?v=3f786850e387550f",
    "12:AAA 1:AAAAAAA",
    "scheme://host:8080/path@version",
    "std::env::var(\"SECRET_TOKEN\")",
    "def sign(self, private_key: ed25519.Ed25519PrivateKey, data: bytes) -> bytes:",
    "exports.SOCKS5_CUSTOM_AUTH = exports.SOCKS5_CUSTOM_AUTH_START4 = 1",
    "[RELATED_TASK_META_KEY]: taskId42Related7",
    "pub const STATUS_WRONG_PASSWORD: MSV1_0_KIND = 6i32;",
];

#[test]
fn ordinary_lines_stay() {
    let mut redactor = Redactor::new(&RedactOptions::default()).expect("made so here");
    let mut gone = Vec::new();
    for line in ORDINARY {
        if let Cow::Owned(changed) = redactor.text(line) {
            gone.push(format!("{line}\n   became {changed}"));
        }
    }
    assert!(gone.is_empty(), "{}", gone.join("\n"));
    assert!(redactor.report().is_empty());
}

#[test]
fn long_stretches_of_chance_without_a_name_stay() {
    let mut redactor = Redactor::new(&RedactOptions::default()).expect("made so here");
    let image = format!("data:image/png;base64,{}", chance(BASE64, 20_000, 1));
    let wasm = chance(BASE64, 50_000, 2);
    let hashes = (0..200)
        .map(|seed| format!("{}  file{seed}.bin\n", chance(HEX, 64, seed)))
        .collect::<Vec<_>>()
        .concat();
    for text in [&image, &wasm, &hashes] {
        assert!(matches!(redactor.text(text), Cow::Borrowed(_)));
    }
}
