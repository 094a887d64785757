//! The canonical name of one call: where one tool calls the tools of all MCP servers, its arguments name the tool.

use backscroll_model::Payload;

use crate::loose_json::Object;
use crate::tool_names;

/// The canonical name of a call of `raw_name` with these arguments.
pub(crate) fn call_name(raw_name: &str, arguments: Option<&Payload>) -> String {
    let is_relay = matches!(raw_name, "CallMcpTool" | "call_mcp_tool" | "callMcpTool" | "mcp");
    let inside = arguments.filter(|_| is_relay).and_then(|given| {
        let given = Object::read(given.as_str())?;
        let server = given.first_text(&["server", "serverName", "providerIdentifier", "serverIdentifier"])?;
        let tool = given.first_text(&["toolName", "tool_name", "name"])?;
        Some(tool_names::mcp_name(&server, &tool))
    });
    inside.unwrap_or_else(|| tool_names::canonical(raw_name, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_relay_is_named_by_what_it_calls() {
        let given =
            Payload::from_text(r#"{"server":"github","toolName":"create_issue","arguments":{}}"#.into());
        assert_eq!(call_name("CallMcpTool", Some(&given)), "mcp:github:create_issue");
        assert_eq!(call_name("CallMcpTool", None), "CallMcpTool");
        assert_eq!(call_name("Read", Some(&given)), "read");
    }
}
