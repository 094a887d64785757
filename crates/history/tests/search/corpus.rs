//! Forty conversations as developers have them: identifiers, error messages, prose, file names, CJK, code.

/// One conversation, told briefly.
pub(super) struct Story {
    /// The name by which queries expect it.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) workspace: &'static str,
    /// How many days before the day of the search.
    pub(super) days: i64,
    pub(super) user: &'static str,
    pub(super) assistant: &'static str,
    /// A file that was read, or a command that was run with its output.
    pub(super) tool: Tool,
}

pub(super) enum Tool {
    None,
    Read(&'static str, &'static str),
    Run(&'static str, &'static str),
}

use Tool::{None as Nothing, Read, Run};

const fn story(
    (name, title, workspace, days): (&'static str, &'static str, &'static str, i64),
    user: &'static str,
    assistant: &'static str,
    tool: Tool,
) -> Story {
    Story { name, title, workspace, days, user, assistant, tool }
}

pub(super) const STORIES: &[Story] = &[
    story(
        ("borrow", "Borrow checker fight in the scheduler", "scheduler", 3),
        "cargo says error[E0502]: cannot borrow `queue` as mutable because it is also borrowed as immutable",
        "The iterator holds a shared borrow of `queue`. Collect the expired ids first, then call `retain_pending`.",
        Run("cargo check", "error[E0502]: cannot borrow `queue` as mutable\n --> src/job_queue.rs:88:9"),
    ),
    story(
        ("lifetime", "Lifetimes of the token reader", "scheduler", 200),
        "Why does TokenReader need a lifetime parameter?",
        "Because it hands out slices of the buffer. `struct TokenReader<'a> { source: &'a str }` borrows instead of copying.",
        Read("/home/dev/scheduler/src/token_reader.rs", "pub struct TokenReader<'a> { source: &'a str }"),
    ),
    story(
        ("oauth", "OAuth callback loses the state", "webshop", 12),
        "After signing in with GitHub the callback says invalid_state",
        "handleOAuthCallback reads the state cookie, but SameSite=Strict drops it on the redirect. Use Lax.",
        Read(
            "/home/dev/webshop/src/auth/oauthCallback.ts",
            "export async function handleOAuthCallback(request: Request) {}",
        ),
    ),
    story(
        ("login", "Login form forgets the e-mail", "webshop", 40),
        "When the password is wrong the login form clears the e-mail field, please keep it",
        "The reducer reset the whole form on LOGIN_FAILED. It now keeps `email` and focuses the password.",
        Read("/home/dev/webshop/src/auth/LoginForm.tsx", "const [email, setEmail] = useState('')"),
    ),
    story(
        ("usestate", "Stale closure in a React hook", "webshop", 90),
        "useEffect logs an old count although setCount was called",
        "The closure captured the first render. Pass a function to setCount or list `count` as a dependency.",
        Nothing,
    ),
    story(
        ("deadlock", "Postgres deadlock between two workers", "billing", 8),
        "ERROR: deadlock detected. Process 4711 waits for ShareLock on transaction",
        "Both workers lock invoices in a different order. Sort by invoice id before SELECT ... FOR UPDATE.",
        Run("psql -c 'select * from pg_locks'", "deadlock detected DETAIL: Process 4711 waits for ShareLock"),
    ),
    story(
        ("slowquery", "Slow report of unpaid invoices", "billing", 60),
        "The monthly report takes forty seconds",
        "EXPLAIN shows a sequential scan of invoices. A partial index on due_date where paid_at is null brings it to 30 ms.",
        Run("psql -f explain.sql", "Seq Scan on invoices (cost=0.00..48211.00 rows=1999)"),
    ),
    story(
        ("rounding", "Rounding of VAT", "billing", 300),
        "Totals differ by one cent from the sum of the lines",
        "Floats. Use integer cents and round half even per line: roundHalfEven(netCents, vatRate).",
        Read("/home/dev/billing/lib/money.py", "def round_half_even(net_cents, vat_rate):"),
    ),
    story(
        ("docker", "Docker image is 1.9 GB", "infra", 20),
        "How can the image become smaller?",
        "A multi-stage build: compile in rust:slim, copy the binary into distroless. The image shrinks to 38 MB.",
        Read("/home/dev/infra/Dockerfile", "FROM rust:1.90 AS build"),
    ),
    story(
        ("k8s", "Pods restart with OOMKilled", "infra", 5),
        "kubectl shows OOMKilled for the ingest pods every night",
        "The memory limit is 256Mi, the nightly batch needs 400. Raise the limit or stream the file.",
        Run("kubectl describe pod ingest-0", "Last State: Terminated Reason: OOMKilled Exit Code: 137"),
    ),
    story(
        ("terraform", "Terraform wants to replace the database", "infra", 33),
        "terraform plan says forces replacement for aws_db_instance, that must not happen",
        "storage_encrypted changed. Import the state again and add prevent_destroy to the lifecycle block.",
        Run("terraform plan", "# aws_db_instance.main must be replaced # forces replacement"),
    ),
    story(
        ("certificate", "Certificate expired on the staging host", "infra", 100),
        "curl: (60) SSL certificate problem: certificate has expired",
        "The renewal timer was disabled. Enable certbot.timer and renew once by hand.",
        Run("systemctl status certbot.timer", "certbot.timer: inactive (dead)"),
    ),
    story(
        ("autosave", "编辑器自动保存功能", "notes", 15),
        "请给编辑器添加自动保存功能，每隔三十秒保存一次",
        "已经在 autosave.ts 中实现：内容变化后三十秒写入本地存储，失败时显示提示。",
        Read("/home/dev/notes/src/autosave.ts", "export function scheduleAutosave(delay = 30000) {}"),
    ),
    story(
        ("encoding", "文件编码错误", "notes", 70),
        "打开旧文件时出现乱码，怎么处理？",
        "旧文件是 GBK 编码。先检测编码，再用 TextDecoder('gbk') 读取。",
        Nothing,
    ),
    story(
        ("japanese", "検索機能の改善", "notes", 45),
        "日本語の検索で結果が出ないのはなぜですか",
        "形態素解析をしていないためです。二文字ずつの索引を使えば部分一致で見つかります。",
        Nothing,
    ),
    story(
        ("korean", "설정 화면 오류", "notes", 55),
        "설정 화면에서 저장 버튼을 누르면 오류가 발생합니다",
        "SettingsStore 가 초기화되기 전에 호출되었습니다. 순서를 바꾸었습니다.",
        Nothing,
    ),
    story(
        ("umlaut", "Größenangaben in der Druckvorlage", "druck", 25),
        "Die Größe der Überschrift stimmt im PDF nicht",
        "Die Vorlage rechnet in Punkt, die Oberfläche in Pixeln. Ich habe die Umrechnung in seitenmaß.ts gelegt.",
        Nothing,
    ),
    story(
        ("syncengine", "Sync engine drops the last change", "notes", 2),
        "When two devices edit at once the last change gets lost, look at sync_engine.rs",
        "mergeRemoteChanges compared wall clocks. It now uses the vector clock of each device.",
        Read(
            "/home/dev/notes/src/sync_engine.rs",
            "pub fn merge_remote_changes(local: &Doc, remote: &Doc) -> Doc {",
        ),
    ),
    story(
        ("vector", "Vector clocks explained", "notes", 180),
        "Explain vector clocks to me like I know databases",
        "Each replica counts its own writes; comparing the counters tells happened-before from concurrent.",
        Nothing,
    ),
    story(
        ("panic", "Panic at slice index in the CSV import", "importer", 9),
        "thread 'main' panicked at src/csv_import.rs:42: index out of bounds: the len is 3 but the index is 3",
        "A line with a missing column. Use `get(3)` and report the line number as CsvError::MissingColumn.",
        Read("/home/dev/importer/src/csv_import.rs", "let amount = columns[3];"),
    ),
    story(
        ("csv", "Semicolons instead of commas", "importer", 130),
        "Exports from the accountant use semicolons",
        "The delimiter is now sniffed from the first line: comma, semicolon or tab.",
        Nothing,
    ),
    story(
        ("retry", "Retry with exponential backoff", "importer", 28),
        "The upload fails when the network blinks; add retries",
        "retryWithBackoff doubles the delay up to 30 s and adds jitter, so that clients do not come back all at once.",
        Read(
            "/home/dev/importer/src/retry.ts",
            "export async function retryWithBackoff<T>(work: () => Promise<T>)",
        ),
    ),
    story(
        ("ratelimit", "429 Too Many Requests from the API", "importer", 18),
        "We get HTTP 429 from the partner API since yesterday",
        "They allow 60 requests a minute. A token bucket in RateLimiter keeps us below it and honours Retry-After.",
        Nothing,
    ),
    story(
        ("flaky", "Flaky test of the clock widget", "widgets", 11),
        "clock_widget_test fails about once in ten runs",
        "It compares the real time across a minute boundary. Inject a FakeClock.",
        Run("pytest -k clock_widget", "FAILED tests/clock_widget_test.py::test_minute - AssertionError"),
    ),
    story(
        ("snapshot", "Snapshot tests for the button", "widgets", 75),
        "Add snapshot tests for PrimaryButton in every state",
        "Four snapshots: default, hover, disabled, loading; they live beside PrimaryButton.test.tsx.",
        Read("/home/dev/widgets/src/PrimaryButton.test.tsx", "describe('PrimaryButton', () => {"),
    ),
    story(
        ("darkmode", "Dark mode flashes white on load", "widgets", 35),
        "On reload the page is white for a moment before dark mode comes",
        "The theme was read after hydration. An inline script sets data-theme before the first paint.",
        Nothing,
    ),
    story(
        ("a11y", "Keyboard focus is invisible", "widgets", 50),
        "With the keyboard one cannot see which element has the focus",
        "outline: none was set globally. :focus-visible now draws a ring with enough contrast.",
        Nothing,
    ),
    story(
        ("upgrade", "Upgrade to version 2.14.3", "webshop", 14),
        "npm says react-router 2.14.3 has a breaking change, what must we do?",
        "From v2.14 on loaders must return a Response. Three routes are affected.",
        Nothing,
    ),
    story(
        ("upgradeold", "Upgrade to version 1.9.0", "webshop", 400),
        "Upgrade the router to 1.9.0",
        "Done; only the import paths changed.",
        Nothing,
    ),
    story(
        ("gitrebase", "Rescue a lost commit after rebase", "scheduler", 22),
        "I did git rebase -i and a commit is gone, help",
        "git reflog still has it: cherry-pick the entry before the rebase.",
        Run("git reflog", "a1b2c3d HEAD@{4}: commit: add priority lanes"),
    ),
    story(
        ("hook", "Pre-commit hook that formats", "scheduler", 85),
        "Run rustfmt before each commit",
        "A hook in .githooks/pre-commit; core.hooksPath points there.",
        Nothing,
    ),
    story(
        ("websocket", "WebSocket closes after sixty seconds", "chatserver", 6),
        "The websocket connection closes with code 1006 after a minute of silence",
        "The load balancer's idle timeout. Send a ping every 30 s from keepAliveLoop.",
        Read("/home/dev/chatserver/internal/hub/keepalive.go", "func keepAliveLoop(conn *websocket.Conn) {"),
    ),
    story(
        ("goroutine", "Goroutine leak in the hub", "chatserver", 16),
        "pprof shows forty thousand goroutines",
        "Unregister never drains the send channel. Close it in removeClient and select on ctx.Done().",
        Read("/home/dev/chatserver/internal/hub/hub.go", "func (h *Hub) removeClient(c *Client) {"),
    ),
    story(
        ("nilpointer", "nil pointer dereference on empty room", "chatserver", 65),
        "panic: runtime error: invalid memory address or nil pointer dereference",
        "room.Members is nil for a new room. Make the map in NewRoom.",
        Nothing,
    ),
    story(
        ("regexp", "Regular expression for phone numbers", "webshop", 110),
        "Write a regular expression that accepts phone numbers of all countries",
        "Don't. Parse with libphonenumber and store E.164; a pattern will reject real customers.",
        Nothing,
    ),
    story(
        ("pagination", "Cursor pagination instead of offsets", "billing", 21),
        "Page 900 of the invoice list is very slow",
        "OFFSET reads and throws away. Keyset pagination: WHERE (created_at, id) < (?, ?) ORDER BY both.",
        Nothing,
    ),
    story(
        ("cachekey", "Cache key collision between tenants", "billing", 4),
        "Tenant B sees invoices of tenant A for some seconds!",
        "buildCacheKey left out tenant_id. It is part of the key now, and the cache was flushed.",
        Read("/home/dev/billing/lib/cache_key.py", "def build_cache_key(tenant_id, path):"),
    ),
    story(
        ("unicode", "Emoji breaks the name column", "importer", 95),
        "Incorrect string value: '\\xF0\\x9F\\x98\\x80' for column 'name'",
        "The table is utf8mb3. Convert it to utf8mb4 and set the connection's charset.",
        Nothing,
    ),
    story(
        ("recipe", "Bread recipe scaler", "kitchen", 500),
        "Scale the sourdough recipe to 1.5 kg of flour",
        "Baker's percentages: water 72 %, salt 2 %, starter 20 %: 1080 g, 30 g and 300 g.",
        Nothing,
    ),
    story(
        ("holiday", "Public holidays in the shift plan", "kitchen", 250),
        "The shift plan must respect public holidays of Bavaria",
        "A table of movable feasts from Easter; Corpus Christi is sixty days after it.",
        Nothing,
    ),
];
