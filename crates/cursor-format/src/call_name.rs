//! The canonical name of one call: where one tool calls the tools of all MCP servers, its arguments name the tool.

use backscroll_model::Payload;

use crate::tool_names;
use crate::wire_json::{List, Text, wire};

wire! {
    /// What names an MCP server and its tool, in both of its shapes.
    struct WireMcp<'a> {
        server: Text<'a> = "server" | "serverName" | "serverIdentifier",
        provider: Text<'a> = "providerIdentifier",
        tool: Text<'a> = "toolName" | "tool_name",
        name: Text<'a> = "name",
        tools: List<WireMcpTool<'a>> = "tools",
    }
}
wire! {
    struct WireMcpTool<'a> { server: Text<'a> = "serverName" | "server", tool: Text<'a> = "name", }
}

/// The handlers that relay calls to MCP servers.
const RELAYS: [u64; 2] = [19, 49];

/// The canonical name of a call of `raw_name`, served by the handler with this number, with these arguments.
pub(crate) fn call_name(raw_name: &str, handler: Option<u64>, arguments: Option<&Payload>) -> String {
    let named =
        arguments.filter(|_| may_be_relay(raw_name, handler)).and_then(|given| named_inside(given.as_str()));
    named.unwrap_or_else(|| tool_names::canonical(raw_name, handler))
}

/// Whether a call may be one that relays to an MCP server.
pub(crate) fn may_be_relay(raw_name: &str, handler: Option<u64>) -> bool {
    handler.is_some_and(|number| RELAYS.contains(&number))
        || matches!(raw_name, "CallMcpTool" | "call_mcp_tool" | "callMcpTool")
        || raw_name.starts_with("mcp")
}

fn named_inside(arguments: &str) -> Option<String> {
    let given: WireMcp<'_> = serde_json::from_str(arguments).ok()?;
    let (server, tool) = match given.tools.0.first() {
        Some(first) => (first.server.filled()?, first.tool.filled()?),
        None => {
            (given.server.filled().or(given.provider.filled())?, given.tool.filled().or(given.name.filled())?)
        }
    };
    Some(tool_names::mcp_name(server, tool))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relay_is_named_by_what_it_calls() {
        let given = |json: &str| Some(Payload::from_text(json.to_owned()));
        let flat = given(r#"{"server":"github","toolName":"create_issue","arguments":{}}"#);
        let listed = given(r#"{"tools":[{"name":"make","serverName":"gh","parameters":"{}"}]}"#);
        let provided = given(r#"{"providerIdentifier":"gh","name":"gh-make","toolName":"make"}"#);
        let table = [
            ("CallMcpTool", None, &flat, "mcp:github:create_issue"),
            ("CallMcpTool", None, &None, "CallMcpTool"),
            ("call_mcp_tool", Some(49), &flat, "mcp:github:create_issue"),
            ("mcp-gh-x", Some(19), &listed, "mcp:gh:make"),
            ("mcp-gh-x", Some(19), &None, "mcp:gh:x"),
            ("mcp", None, &provided, "mcp:gh:make"),
            ("Read", None, &flat, "read"),
            ("whatever", Some(38), &flat, "edit"),
        ];
        for (raw_name, handler, arguments, expected) in table {
            assert_eq!(call_name(raw_name, handler, arguments.as_ref()), expected, "{raw_name}");
        }
    }
}
