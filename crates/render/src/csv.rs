//! Messages as comma-separated values, one row each, as RFC 4180 has it: for spreadsheets and data frames.
//!
//! Text is verbatim, as in JSON. A spreadsheet may take a cell that begins with `=`, `+`, `-` or `@` for a formula: import
//! the columns as text. Changing the text instead would spoil it for every other reader.

use std::io::{self, Write};

use backscroll_model::{Conversation, Message, Part, Tokens};

/// The names of the columns, as the first line of a file.
pub const HEADER: &str = "conversation,title,workspace,number,role,at,at_is,model,parts,text,thinking,tools,files,tokens_input,\
                          tokens_output,sender,tokens_cache_read,tokens_cache_write,tokens_reasoning\r\n";

/// Writes one row for each message of `conversation`. Those that it does not list come last, without a number.
pub fn messages(conversation: &Conversation, out: impl Write) -> io::Result<()> {
    let mut rows = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out);
    let numbered =
        conversation.messages.iter().zip(1_usize..).map(|(message, number)| (message, number.to_string()));
    let orphans = conversation.orphans.iter().map(|message| (message, String::new()));
    for (message, number) in numbered.chain(orphans) {
        rows.write_record(cells(conversation, message, number))?;
    }
    rows.flush()
}

fn cells(conversation: &Conversation, message: &Message, number: String) -> [String; 19] {
    let summary = &conversation.summary;
    let thoughts = message.parts.iter().filter_map(|part| match part {
        Part::Thinking { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let files = message.parts.iter().filter_map(|part| match part {
        Part::ToolCall(call) => call.touches().map(|(path, _)| path),
        Part::Attachment(attached) if attached.kind.is_of_a_file() => attached.path.clone(),
        Part::Code(code) => code.path.clone(),
        _ => None,
    });
    let mut files: Vec<String> = files.collect();
    files.dedup();
    let tokens = |bucket: fn(Tokens) -> Option<u64>| {
        message.tokens.and_then(bucket).map(|count| count.to_string()).unwrap_or_default()
    };
    let tools: Vec<&str> = message.tool_calls().map(|call| call.name.as_str()).collect();
    [
        summary.id.to_string(),
        summary.title.clone().unwrap_or_default(),
        summary.workspace.as_ref().map(|workspace| workspace.path.clone()).unwrap_or_default(),
        number,
        message.role.name().to_owned(),
        message.at.at.map(|at| at.to_string()).unwrap_or_default(),
        message.at.is.name().to_owned(),
        message.model.clone().unwrap_or_default(),
        message.parts.len().to_string(),
        message.text(),
        thoughts.collect::<Vec<_>>().join("\n"),
        tools.join(" "),
        files.join("\n"),
        tokens(|tokens| Some(tokens.input)),
        tokens(|tokens| Some(tokens.output)),
        message.sender.as_ref().map(|sender| sender.kind.name().to_owned()).unwrap_or_default(),
        tokens(|tokens| tokens.cache_read),
        tokens(|tokens| tokens.cache_write),
        tokens(|tokens| tokens.reasoning),
    ]
}
