//! `backscroll mcp`: the history as a memory for agents.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use backscroll_mcp::{HttpServer, Memory, serve_stdio};
use backscroll_web::Token;
use clap::{Args, Subcommand};

use super::mcp_config::{self, ConfigArgs};
use super::mcp_plugin::{self, PluginArgs};
use crate::args::GlobalArgs;
use crate::config::{self, RedactionArgs};
use crate::error::{CommandError, Exit, Result};
use crate::ui::Ui;
use crate::wiring::{self, Where};

/// Let agents search and read past conversations (MCP)
///
/// Speaks the Model Context Protocol on standard input and output, or over HTTP for this machine alone. Tools that only
/// read: `search_history`, `list_conversations`, `read_conversation`, `find_by_file`, `related_conversations`, `handoff_brief`; every
/// conversation is also a resource. Keys, tokens and passwords are taken out unless --no-redact is given.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    command: Option<McpCommand>,

    /// Speak HTTP on this port of 127.0.0.1 instead; 0 takes any that is free. Address and token are printed on standard error
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = loopback)]
    http: Option<u16>,

    #[command(flatten)]
    redaction: RedactionArgs,
}

#[derive(Debug, Subcommand)]
enum McpCommand {
    Config(ConfigArgs),
    Plugin(PluginArgs),
}

const EXAMPLES: &str = "\
Examples:
  backscroll mcp config cursor --write
  backscroll mcp
  backscroll mcp --home /mnt/old-disk/home/me
  backscroll mcp --http 127.0.0.1:0

Over HTTP, one JSON line on standard error says where: {\"url\":\"…\",\"token\":\"…\"}. Clients send
`Authorization: Bearer TOKEN`.";

/// The port of an address on this machine.
fn loopback(typed: &str) -> Result<u16, String> {
    let wrong = || "an address of this machine, such as 127.0.0.1:0".to_owned();
    let typed = typed.replace("localhost", "127.0.0.1");
    let address: SocketAddr = typed.parse().map_err(|_| wrong())?;
    if address.ip() == Ipv4Addr::LOCALHOST { Ok(address.port()) } else { Err(wrong()) }
}

/// Answers until the client leaves, or the user stops it.
pub(crate) fn run(
    ui: &mut Ui<'_>,
    places: &Where,
    index: Option<PathBuf>,
    global: &GlobalArgs,
    args: &McpArgs,
) -> Result<Exit> {
    match &args.command {
        Some(McpCommand::Config(args)) => return mcp_config::run(ui, global, args),
        Some(McpCommand::Plugin(args)) => return mcp_plugin::run(ui, args),
        None => {}
    }
    let cleaner = args.redaction.cleaner(true, global, ui.environment)?;
    let memory = Memory::new(wiring::library(places, index, cleaner), env!("CARGO_PKG_VERSION"));
    let Some(port) = args.http else {
        if ui.environment.out_is_terminal {
            ui.hint("this is for programs: it waits for JSON on standard input; Ctrl-C ends it");
        }
        serve_stdio(memory).map_err(|error| CommandError::new(Exit::Refused, CannotServe(error)))?;
        return Ok(Exit::Done);
    };
    let token = Token::from_random(config::random()?);
    let cannot_listen = |error| CommandError::cannot_listen(port, error);
    let server = HttpServer::bind(memory, port, token.clone())
        .map_err(|error| cannot_listen(error).hinted("port 0 takes any that is free"))?;
    // Neither has a character that JSON escapes.
    ui.announce(&format!("{{\"url\":\"{}\",\"token\":\"{}\"}}", server.url(), token.as_str()));
    server.run().map_err(cannot_listen)?;
    Ok(Exit::Done)
}

#[derive(Debug, thiserror::Error)]
#[error("standard input and output cannot be used")]
struct CannotServe(#[source] io::Error);

#[cfg(test)]
mod tests {
    use backscroll_mcp::TOOL_NAMES;

    #[test]
    fn the_help_names_every_tool_and_there_are_few() {
        let mut command = crate::args::command();
        let help = command.find_subcommand_mut("mcp").expect("a command").render_long_help().to_string();
        let help: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for name in TOOL_NAMES.iter() {
            assert!(help.contains(&format!("`{name}`")), "{name} is not in {help}");
        }
        assert!(TOOL_NAMES.len() <= 8);
    }
}
