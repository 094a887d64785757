//! Secrets in the places where people and programs write them down: files of every tool, commands, headers, sentences.

use crate::secrets::redacted;
use crate::synthetic::{HEX, PLAIN, base64, chance};

/// `§` is a key of 32 letters, `¶` a password that somebody chose, `¤` a number in base 16, `¢` a name and a password in
/// base64.
const PLACES: &[&str] = &[
    "export AWS_SECRET_ACCESS_KEY=\\\n  §\n",
    "env:\n  - name: API_KEY\n    value: \"§\"\n  - name: PORT\n    value: 80\n",
    "        - name: STRIPE_SECRET\n          value: §\n",
    "[{\"name\":\"API_KEY\",\"value\":\"§\"}]",
    "<add key=\"ApiKey\" value=\"§\" />",
    "variable \"db_password\" {\n  type    = string\n  default = \"¶\"\n}",
    "database:\n  username: app\n  password: ¶\n  port: 5432\n",
    "$env:API_TOKEN = \"§\"",
    "[Environment]::SetEnvironmentVariable(\"API_TOKEN\", \"§\", \"User\")",
    "$p = ConvertTo-SecureString \"¶\" -AsPlainText -Force",
    "Authorization: token §\r\n",
    "Authorization: ApiKey §\n",
    "{'Authorization': 'Token §'}",
    "Cookie: theme=dark; session=§; a=b\n",
    "curl -b 'x=1' --cookie 'sid=§' https://api.test",
    "Set-Cookie: connect.sid=§; HttpOnly\n",
    "curl -u mira:¶ https://api.test/x",
    "curl --user \"mira:¶\" https://api.test/x",
    "curl -s https://api.test/x \\\n  --user 'mira:¶'",
    "mysql -h db -u root -p¶ app",
    "sshpass -p '¶' ssh mira@host",
    "docker login -u mira -p ¶ registry.test",
    "redis-cli -h cache -a ¶ ping",
    "openssl rsa -in key.pem -passin pass:¶ -out plain.pem",
    "requirepass ¶\n",
    "        storePassword \"¶\"\n",
    "ALTER USER mira PASSWORD '¶';",
    "CREATE USER 'mira'@'%' IDENTIFIED BY '¶';",
    "ENV DB_PASSWORD ¶\n",
    "docker run -e POSTGRES_PASSWORD=¶ -p 5432:5432 postgres",
    "machine git.test login mira password ¶\n",
    "machine git.test\n  login mira\n  password ¶\n",
    "{b'token': b'§'}",
    "_auth=¢\n",
    "{\"auths\":{\"registry.test\":{\"auth\":\"¢\"}}}",
    "origin\thttps://§@git.test/a/b.git (fetch)",
    "https://oauth2:§@git.test/a/b.git",
    "jdbc:oracle:thin:app/¶@db:1521/x",
    "<password>¶</password>",
    "const secretKey = Buffer.from(\"¤\", \"hex\");",
    "builder.setApiKey(\"§\");",
    "define('API_KEY', '§');",
    "set -x API_KEY §",
    "setx API_KEY \"§\"",
    "gh secret set API_KEY --body \"§\"",
    "| API_KEY | `§` |",
    "The API key is `§`.",
    "the password is ¶\n",
    "https://discord.com/api/webhooks/417263548190276354/§§\n",
    "https://a.blob.core.windows.net/c?sv=2022&sig=§%3D&se=2026",
    "https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4&X-Amz-Signature=¤",
    "\u{1b}[32mAPI_KEY\u{1b}[0m=\u{1b}[1m§\u{1b}[0m",
    "Passwort: ¶\n",
    "Das Passwort lautet ¶\n",
    "pw: ¶\n",
    "password：¶\n",
    "network={\n  ssid=\"home\"\n  psk=\"¶\"\n}",
    "vault login §",
    "ngrok config add-authtoken §",
    "npm config set //registry.test/:_authToken §",
    "auth:\n  token:\n    §\n  port: 1\n",
    "api_key = \"\"\"\\\n  §\\\n  \"\"\"\n",
    "next=https%253A%252F%252Fapi.test%252F%253Ftoken%253D§%2526v%253D2",
    "password:\u{a0}¶\n",
    "password＝¶\n",
    "\\u0070assword: ¶",
    "db.internal:15432:app:mira:¶\n",
    "fe80\\:\\:1:5432:app:mira:¶\n",
    "user,password,note\nmira,¶,\"a,b\"\n",
    "| user | password |\n|---|---|\n| mira | ¶ |\n",
    " id | api_key \n----+----------\n  1 | §\n(1 row)\n",
    "token: >-\n  §\n  §\nport: 1\n",
    "$argon2id$v=19$m=65536,t=3,p=4$§$§",
    "# password: ¶\n",
    "url=https%3A%2F%2Fhooks.slack.com%2Fservices%2FT0A1B2C3D4E%2FB0Q9W8E7R6T%2F§",
    "https://acme.io/x?k=8207235811%3AAAIG8-n7rL2_Lm_KtR-rLUjg6yPa6z1aDbK&x=¶&password=¶",
    "https://api.telegram.org/bot8207235811:§/sendMessage",
    "https://app.azurewebsites.net/api/run?code=§",
    "@@ -1 +1,2 @@\n+look at glrt-t3_§\n+§ because it is long\n",
    "https://hooks.zapier.com/hooks/catch/1234567/§/",
    "+setx API_TOKEN §\n",
    "{\"o\":\"ds.setPassword(\\\"¶\\\");\"}",
    "{\"o\":\"variable \\\"db_password\\\" {\\n  type = string\\n  default = \\\"¶\\\"\\n}\"}",
    "const key = process.env.API_KEY || '§';",
    "const key = process.env.API_KEY ?? '§';",
    "key = os.getenv(\"API_KEY\") or \"§\"",
    "echo ${API_KEY:-§}",
    "api_key = [[§]]",
    "password: !!str ¶\n",
    "<password><![CDATA[¶]]></password>",
    "{\"password\":\n    \"¶\"}",
    "set -gx api_key §\n",
    "aws configure set aws_secret_access_key §abcd1234",
    "curl -su mira:¶ https://api.test",
    "curl -umira:¶ https://api.test",
    "echo ¶ | docker login -u mira --password-stdin",
    "echo 'root:¶' | chpasswd",
    "unzip -P ¶ a.zip",
    "CREATE USER x IDENTIFIED WITH mysql_native_password BY '¶';",
    "requests.get(url, auth=(\"mira\", \"¶\"))",
    "kind: Secret\nmetadata:\n  name: app\nstringData:\n  conn: ¶\n",
    "AKIAQ7XW2LMNB4TR6YZP\n§abcd1234\n",
    "CODECOV_TOKEN=4c71b393-b471-4c75-89b7-f436727d37ee\nDB_PASSWORD=¶\n",
    "AZURE_DEVOPS_EXT_PAT=§\n",
    "PresharedKey = §\n",
    "X-API-Key: ¶\n",
    "Authorization: Bearer ¶\n",
    "java -Dapi_key=§ -jar a.jar",
    "<add key=\"spring.datasource.password\" value=\"¶\" />",
    "{\"output\":\"username,password\\nmira,¶\\n\"}",
    "{\"output\":\"setx API_TOKEN §\\n\"}",
    "smtp.login(\"mira\", \"¶\")",
    "auth: { user: 'mira', pass: '¶' }",
    "SSHPASS=¶ ssh mira@host",
    "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n§§\n§\nPrivate-MAC: 00\n",
    "{&quot;user&quot;:&quot;mira&quot;,&quot;password&quot;:&quot;¶&quot;}",
];

#[test]
fn a_secret_goes_wherever_it_is_written_down() {
    let (number, pair) = (chance(HEX, 64, 90), base64(format!("mira:{}", chance(PLAIN, 14, 91)).as_bytes()));
    let mut left = Vec::new();
    for seed in 92..112 {
        let (key, password) = (chance(PLAIN, 32, seed), format!("Tr4{}!", chance(PLAIN, 9, seed)));
        for place in PLACES {
            let secrets = [("§", &key), ("¶", &password), ("¤", &number), ("¢", &pair)];
            let text =
                secrets.iter().fold((*place).to_owned(), |text, (sign, secret)| text.replace(sign, secret));
            let got = redacted(&text);
            let is_left = |secret: &str| got.contains(secret);
            if secrets.iter().any(|(_, secret)| is_left(secret)) || got == text {
                left.push(format!("{place:?} gave {got:?}"));
            }
        }
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

#[test]
fn what_only_looks_like_such_a_place_stays() {
    for text in [
        "docker run -p 8080:80 -u 1000:1000 nginx",
        "curl -u $USER:$TOKEN https://api.test",
        "curl -u admin:admin http://localhost",
        "mysql -u root -p app",
        "the password is required",
        "das Passwort ist falsch, das Passwort war abgelaufen",
        "vault login -method=oidc",
        "ngrok config add-authtoken $NGROK_AUTHTOKEN",
        "token:\n  type: string\n  description: access_token_2",
        "password:\n  required\n",
        "pw: string\npw = read_password(prompt)",
        "password = \"Tr4K...9f3c\"",
        "CHALLENGE_PASSWORD = ObjectIdentifier(\"1.2.840.113549.1.9.7\")",
        "rows identified by \"fields\" and those identified by the 'domain' field",
        "password 'my-app-settings'; token \"access_token_2\"",
        "the token is expired, the key is unknown",
        "ENV API_KEY $API_KEY",
        "<password>secret</password>",
        "setToken(\"access_token\")",
        "| API_KEY | your key |",
        "Cookie: theme=dark; lang=en-GB; seen=1\n",
        "document.cookie.split(';')",
        "Password?: XmlStringMaxLen256;\n  VpcId?: XmlStringMaxLen256;",
        "clientSecret: NonEmptyString128;",
        "credentials: Get2FactorV3Oauth200Response;",
        "submitPassword: SIGN_IN_V2_SUBMIT_PASSWORD,",
        "isinstance(private_key, (X25519PrivateKey, Ed25519PrivateKey))",
        "name: SECRET_NAME\n    valueFrom:\n      secretKeyRef:\n        name: my-app-2024-credentials",
        "https://a.test/?sig=short&x=1",
        "git clone https://mira@git.test/a/b.git",
        "sshpass -p \"$PASSWORD\" ssh mira@host",
    ] {
        assert_eq!(redacted(text), text);
    }
}
