//! `backscroll mcp config` and `mcp plugin`: what is printed, what is written, and what stays.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn run(home: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_backscroll"))
        .env_clear()
        .arg("mcp")
        .args(arguments)
        .arg("--home")
        .arg(home)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const PLACES: [(&str, &str); 4] = [
    ("cursor", ".cursor/mcp.json"),
    ("claude", ".claude.json"),
    ("codex", ".codex/config.toml"),
    #[cfg(target_os = "linux")]
    ("vscode", ".config/Code/User/mcp.json"),
    #[cfg(target_os = "macos")]
    ("vscode", "Library/Application Support/Code/User/mcp.json"),
    #[cfg(windows)]
    ("vscode", "AppData/Roaming/Code/User/mcp.json"),
];

#[test]
fn settings_are_printed_and_written_the_same() {
    let home = TempDir::new().unwrap();
    for (client, place) in PLACES {
        let printed = run(home.path(), &["config", client]);
        assert!(printed.status.success(), "{}", text(&printed.stderr));
        assert!(!home.path().join(place).exists(), "printing writes nothing");
        let written = run(home.path(), &["config", client, "--write"]);
        assert!(written.status.success(), "{}", text(&written.stderr));
        let there = fs::read_to_string(home.path().join(place)).unwrap();
        assert_eq!(there, text(&printed.stdout), "{client}");
        assert!(there.contains(env!("CARGO_BIN_EXE_backscroll")), "{there}");
        for line in there.lines() {
            assert!(text(&written.stdout).contains(&format!("+{line}")), "the difference is shown: {line}");
        }
        let again = run(home.path(), &["config", client, "--write"]);
        assert!(again.status.success() && again.stdout.is_empty(), "a second time changes nothing");
    }
}

/// Clients that are told to look elsewhere do, unless another home is named.
#[test]
fn the_folders_that_clients_are_told_are_theirs() {
    let (home, told) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for (client, variable, place) in
        [("claude", "CLAUDE_CONFIG_DIR", ".claude.json"), ("codex", "CODEX_HOME", "config.toml")]
    {
        let written = Command::new(env!("CARGO_BIN_EXE_backscroll"))
            .env_clear()
            .env("HOME", home.path())
            .env(variable, told.path())
            .args(["mcp", "config", client, "--write"])
            .output()
            .unwrap();
        assert!(written.status.success(), "{}", text(&written.stderr));
        assert!(fs::read_to_string(told.path().join(place)).unwrap().contains("mcp"), "{client}");
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn what_others_wrote_stays() {
    let home = TempDir::new().unwrap();
    let place = home.path().join(".cursor/mcp.json");
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    let old = "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"other\": { \"url\": \"http://127.0.0.1:1\" }\n\t},\n\t\"more\": [1,2]\n}\n";
    fs::write(&place, old).unwrap();
    assert!(run(home.path(), &["config", "cursor", "--write"]).status.success());
    let new = fs::read_to_string(&place).unwrap();
    let removed: Vec<&str> = old.lines().filter(|line| !new.contains(line.trim_end_matches(','))).collect();
    assert_eq!(removed, [""; 0], "{new}");
    assert!(new.contains("\"backscroll\""), "{new}");
    fs::write(&place, "{ this is not JSON").unwrap();
    let refused = run(home.path(), &["config", "cursor", "--write"]);
    assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
    assert_eq!(fs::read_to_string(&place).unwrap(), "{ this is not JSON", "and it is left as it is");
}

#[test]
fn a_plugin_has_the_server_a_skill_and_hooks() {
    let home = TempDir::new().unwrap();
    let folder = home.path().join("plugin");
    let made = run(home.path(), &["plugin", folder.to_str().unwrap()]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let json = |name: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(folder.join(name)).unwrap()).unwrap()
    };
    let manifest = json("plugin.json");
    assert_eq!(manifest["$schema"], "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json");
    assert_eq!(manifest["name"], "backscroll");
    let allowed = ["$schema", "name", "version", "description", "license", "keywords"];
    assert!(manifest.as_object().unwrap().keys().all(|key| allowed.contains(&key.as_str())), "{manifest}");
    assert_eq!(json("mcp.json")["mcpServers"]["backscroll"]["args"], serde_json::json!(["mcp"]));
    assert_eq!(json(".cursor-plugin/plugin.json")["hooks"], "./hooks/hooks.json");
    assert_eq!(json("hooks/hooks.json")["hooks"]["stop"][0]["command"], "backscroll hook");
    let skill = fs::read_to_string(folder.join("skills/backscroll/SKILL.md")).unwrap();
    assert!(skill.starts_with("---\nname: backscroll\ndescription: "), "{skill}");
    assert!(
        run(home.path(), &["plugin", folder.to_str().unwrap()]).status.success(),
        "the same again is nothing new"
    );
    fs::write(folder.join("mcp.json"), "{}").unwrap();
    assert_eq!(
        run(home.path(), &["plugin", folder.to_str().unwrap()]).status.code(),
        Some(4),
        "nothing is overwritten"
    );
    assert!(run(home.path(), &["plugin", folder.to_str().unwrap(), "--force"]).status.success());
}

#[test]
fn every_command_of_the_skill_is_one() {
    let home = TempDir::new().unwrap();
    run(home.path(), &["plugin", home.path().join("p").to_str().unwrap()]);
    let skill = fs::read_to_string(home.path().join("p/skills/backscroll/SKILL.md")).unwrap();
    let names: Vec<&str> =
        skill.split("`backscroll ").skip(1).filter_map(|rest| rest.split([' ', '`']).next()).collect();
    assert!(names.len() > 5, "{names:?}");
    for name in names {
        let help = Command::new(env!("CARGO_BIN_EXE_backscroll")).args([name, "--help"]).output().unwrap();
        assert!(help.status.success(), "{name}");
    }
}
