//! Forty questions over the corpus, each with what should stand among the first three.

use super::world::World;

/// What is asked, and which conversations should be among the first three.
const QUESTIONS: &[(&str, &[&str])] = &[
    ("cannot borrow", &["borrow"]),
    ("E0502", &["borrow"]),
    ("\"cannot borrow\" queue mutable", &["borrow"]),
    ("TokenReader", &["lifetime"]),
    ("token_reader.rs", &["lifetime"]),
    ("tokenreader", &["lifetime"]),
    ("handleOAuthCallback", &["oauth"]),
    ("oauth state cookie", &["oauth"]),
    ("github", &["oauth"]),
    ("\"with github the\"", &["oauth"]),
    ("\"WebSocket closes\"", &["websocket"]),
    ("\"websocket closes\"", &["websocket"]),
    ("\"Cannot Borrow\"", &["borrow"]),
    ("\"cannot BoRrow\"", &["borrow"]),
    ("login password", &["login"]),
    ("stale closure", &["usestate"]),
    ("setCount", &["usestate"]),
    ("deadlock", &["deadlock"]),
    ("deadlock detected", &["deadlock"]),
    ("sequential scan", &["slowquery"]),
    ("round_half_even", &["rounding"]),
    ("roundHalfEven", &["rounding"]),
    ("docker image smaller", &["docker"]),
    ("OOMKilled", &["k8s"]),
    ("forces replacement", &["terraform"]),
    ("certificate has expired", &["certificate"]),
    ("自动保存", &["autosave"]),
    ("乱码", &["encoding"]),
    ("編集 OR 検索", &["japanese"]),
    ("오류", &["korean"]),
    ("grosse OR größe", &["umlaut"]),
    ("überschrift", &["umlaut"]),
    ("sync_engine.rs", &["syncengine"]),
    ("mergeRemoteChanges", &["syncengine"]),
    ("vector clock", &["syncengine", "vector"]),
    ("index out of bounds", &["panic"]),
    ("semicolon", &["csv"]),
    ("exponential backoff", &["retry"]),
    ("429", &["ratelimit"]),
    ("flaky test", &["flaky"]),
    ("2.14", &["upgrade"]),
    ("workspace:chatserver panic", &["nilpointer"]),
    ("path:keepalive.go timeout", &["websocket"]),
    ("role:user goroutines", &["goroutine"]),
    ("pagination -flour invoice", &["pagination"]),
    ("tenant cache", &["cachekey"]),
    ("deref*", &["nilpointer"]),
    ("title:holidays", &["holiday"]),
    ("tool:shell reflog", &["gitrebase"]),
    ("sourdough OR baker", &["recipe"]),
];

#[test]
fn forty_questions_find_what_people_expect() {
    let world = World::new();
    let mut wrong = Vec::new();
    for (query, expected) in QUESTIONS {
        let found = world.names(query);
        let first = &found[..found.len().min(3)];
        if !expected.iter().all(|name| first.iter().any(|found| found == name)) {
            wrong.push(format!("{query}: {first:?}, not {expected:?}"));
        }
    }
    assert!(QUESTIONS.len() >= 40);
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), QUESTIONS.len(), wrong.join("\n"));
}

#[test]
fn of_equals_the_newer_stands_first() {
    let world = World::new();
    assert_eq!(world.names("upgrade version")[..2], ["upgrade", "upgradeold"]);
}
