//! What programs are told, held against its description.

use std::collections::BTreeSet;

use backscroll_fixtures::demo_home;
use serde_json::Value;
use tempfile::TempDir;

use crate::running::Running;

fn description() -> Value {
    serde_json::from_str(include_str!("../openapi.json")).unwrap()
}

#[test]
fn the_description_and_the_routes_name_the_same_addresses() {
    let routes = include_str!("../src/routes.rs");
    let served: BTreeSet<&str> = routes.split('"').filter(|piece| piece.starts_with("/api/")).collect();
    let description = description();
    let described: BTreeSet<&str> =
        description["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(served, described);
}

#[test]
fn every_answer_has_the_described_shape() {
    let folder = TempDir::new().unwrap();
    demo_home(folder.path()).unwrap();
    let server = Running::over_home(folder.path());
    let description = description();
    let listed: Value = serde_json::from_slice(&server.get("/api/v1/conversations").body).unwrap();
    let id = listed[0]["id"].as_str().unwrap();
    for (path, what) in description["paths"].as_object().unwrap() {
        let answer = server.get(&format!("{}?q=water", path.replace("{id}", id)));
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        let told: Value = serde_json::from_slice(&answer.body).unwrap();
        let schema = &what["get"]["responses"]["200"]["content"]["application/json"]["schema"];
        let items = if schema["type"] == "array" { told.as_array().unwrap().clone() } else { vec![told] };
        assert!(!items.is_empty(), "{path}");
        let Some(name) = schema["$ref"].as_str().or(schema["items"]["$ref"].as_str()) else { continue };
        let shape = description.pointer(name.trim_start_matches('#')).unwrap();
        for item in &items {
            assert_eq!(item["schema"], shape["properties"]["schema"]["const"], "{path}");
            for field in shape["required"].as_array().unwrap() {
                assert!(item.get(field.as_str().unwrap()).is_some(), "{path} lacks {field}");
            }
        }
    }
}

#[test]
fn lists_lead_on_and_problems_are_told_as_json() {
    let folder = TempDir::new().unwrap();
    demo_home(folder.path()).unwrap();
    let server = Running::over_home(folder.path());
    let mut seen = BTreeSet::new();
    let mut next = Some("/api/v1/conversations?limit=4".to_owned());
    while let Some(address) = next {
        let answer = server.get(&address);
        let listed: Value = serde_json::from_slice(&answer.body).unwrap();
        seen.extend(listed.as_array().unwrap().iter().map(|one| one["id"].to_string()));
        next = answer
            .header("link")
            .map(|link| link.trim_start_matches('<').split('>').next().unwrap().to_owned());
    }
    let total = server.get("/api/v1/conversations").header("x-total").unwrap().to_owned();
    assert_eq!(seen.len().to_string(), total);
    for (path, status) in [
        ("/api/v1/conversations/nobody", 404),
        ("/api/v1/nowhere", 404),
        ("/api/v1/search?q=role%3Ausr", 400),
    ] {
        let answer = server.get(path);
        let told: Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(
            (answer.status, told["schema"].as_str()),
            (status, Some("backscroll.problem/1")),
            "{path}"
        );
    }
}
