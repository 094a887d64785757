//! The tables of the index, and what each column means. Everything here is a cache: another [`VERSION`] means that
//! the file is thrown away and made anew, so there are no migrations.
//!
//! - **Rows.** Every message has one row number, which is the same in `message` and in the full-text table `words`; every
//!   conversation has one more (`conversation.title_row`) for its title and its draft, which stand in `words` alone. Row numbers are
//!   handed out upwards, conversations that changed longest ago first, so that walking `words` downwards
//!   (`ORDER BY rowid DESC`) meets the newest first. A row number is never used twice.
//! - **Words.** `words` holds no text. It is fed with the stream that [`tokens`](crate::tokens) makes of each field, tokens
//!   with one space between them, so a question must go through the same tokens. The built-in `ascii` tokeniser merely
//!   splits that stream: letters and digits, `_` and everything beyond ASCII belong to a token. What
//!   text goes into which column is said in [`fields`](crate::fields).
//! - **Times** are milliseconds since 1970, or NULL.
//! - **Codes.** Roles, states and kinds are small numbers; [`codes`](crate::codes) translates them.

/// The format of the file. Any change of a table, of the tokens or of what goes into them makes it one higher.
pub const VERSION: i32 = 6;

/// Creates everything in an empty file.
pub(crate) const CREATE: &str = r#"
-- Single facts: `refreshed_at` (milliseconds), `text_bytes` and the like.
CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- How far each source was read, by a name under which it is known again in another run.
-- Written in the same transaction as the rows that it vouches for.
CREATE TABLE mark (
    source TEXT PRIMARY KEY,
    mark TEXT NOT NULL,
    findings_known INTEGER NOT NULL   -- 0 if the source changed since `finding` was last filled for it
) WITHOUT ROWID;

-- What a listing finds in a source as a whole, as JSON, in the order in which it was told.
CREATE TABLE finding (
    source TEXT NOT NULL, number INTEGER NOT NULL, finding TEXT NOT NULL, PRIMARY KEY (source, number)
) WITHOUT ROWID;

-- Names that many rows share.
CREATE TABLE place (number INTEGER PRIMARY KEY, layer TEXT NOT NULL, file TEXT NOT NULL, UNIQUE (layer, file));
CREATE TABLE model (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE tool (number INTEGER PRIMARY KEY, name TEXT NOT NULL, raw_name TEXT NOT NULL, UNIQUE (name, raw_name));

-- A file that some conversation touched: `path` as stored, `name` its last component in lower case.
CREATE TABLE file (number INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL);
CREATE INDEX file_by_name ON file (name);

CREATE TABLE conversation (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title_row INTEGER NOT NULL,       -- the row of its title and draft in `words`
    summary TEXT,                     -- what a listing tells of it, as JSON; NULL if only `--all` finds it
    summary_all TEXT,                 -- what a listing of everything tells, where that differs
    title TEXT,
    draft TEXT,                       -- what stands in its input box and was never sent
    workspace TEXT,                   -- the path, as stored
    workspace_name TEXT,              -- its last component, in lower case
    remote TEXT,                      -- the workspace's host
    surface TEXT NOT NULL,            -- by the outer contract's name
    mode TEXT,
    parent TEXT,                      -- the id of the conversation that started it
    created_at INTEGER,
    recency INTEGER,                  -- when it last changed, else when it began
    flags INTEGER NOT NULL,           -- bits of `codes::flag`
    hidden INTEGER NOT NULL,          -- 1 if `list` leaves it out without `--all`
    holds INTEGER NOT NULL,           -- bits of `codes::holds`, of all its messages without orphans
    messages INTEGER NOT NULL,        -- how many messages it has, orphans left out
    lines_added INTEGER, lines_removed INTEGER,   -- as its record tells; NULL where it does not
    tokens_input INTEGER, tokens_output INTEGER,  -- added up over what is stored; NULL where nothing is
    text_bytes INTEGER NOT NULL,      -- how much text of it was indexed
    findings INTEGER NOT NULL,        -- how many things were not as they should be
    loaded INTEGER NOT NULL,          -- 0 if its messages could not be read; then none are here
    trouble_layer TEXT, trouble_place TEXT, trouble TEXT  -- why not
);
CREATE INDEX conversation_by_recency ON conversation (recency);
CREATE INDEX conversation_by_title_row ON conversation (title_row);

-- Conversations that a conversation names as started by it, by id; they need not be there.
CREATE TABLE child (
    parent INTEGER NOT NULL, child TEXT NOT NULL, PRIMARY KEY (parent, child)
) WITHOUT ROWID;
CREATE INDEX child_by_id ON child (child);

-- The models that a conversation's record or any of its messages names.
CREATE TABLE conversation_model (
    conversation INTEGER NOT NULL, model INTEGER NOT NULL, PRIMARY KEY (conversation, model)
) WITHOUT ROWID;

CREATE TABLE message (
    row INTEGER PRIMARY KEY,          -- the same as in `words`
    conversation INTEGER NOT NULL,
    number INTEGER NOT NULL,          -- from zero, in the conversation's own order; orphans follow the others
    id TEXT NOT NULL,
    role INTEGER NOT NULL,            -- `codes::code`
    at INTEGER,
    at_is INTEGER NOT NULL,           -- `codes::code`
    model INTEGER,
    place INTEGER NOT NULL, key TEXT NOT NULL,    -- where it was read
    holds INTEGER NOT NULL,           -- bits of `codes::holds`
    state INTEGER NOT NULL,           -- bits of `codes::state`: orphan, deleted, simulated
    tokens_input INTEGER, tokens_output INTEGER,
    fingerprint INTEGER NOT NULL      -- of all of it: a message that stayed the same keeps its row
);
CREATE UNIQUE INDEX message_by_conversation ON message (conversation, number);

-- Tool calls of a message, counted by tool and how they ended. Orphans' too.
CREATE TABLE call (
    row INTEGER NOT NULL, conversation INTEGER NOT NULL, tool INTEGER NOT NULL,
    status INTEGER NOT NULL,          -- `codes::code`
    count INTEGER NOT NULL,
    PRIMARY KEY (row, tool, status)
) WITHOUT ROWID;
CREATE INDEX call_by_tool ON call (tool, conversation);

-- Every touch of every file, as `Conversation::touched` tells. Orphans have none.
CREATE TABLE touched (
    row INTEGER NOT NULL, part INTEGER NOT NULL, conversation INTEGER NOT NULL, file INTEGER NOT NULL,
    how INTEGER NOT NULL,             -- `codes::code`
    added INTEGER NOT NULL, removed INTEGER NOT NULL,   -- lines of the diff
    has_diff INTEGER NOT NULL,
    PRIMARY KEY (row, part)
) WITHOUT ROWID;
CREATE INDEX touched_by_file ON touched (file, conversation);

CREATE VIRTUAL TABLE words USING fts5 (
    title, said, thinking, arguments, results, paths, code, attached,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
"#;
