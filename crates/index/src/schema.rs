//! The tables of the index, and what each column means. Everything here is a cache: another [`VERSION`] means that
//! the file is thrown away and made anew, so there are no migrations.
//!
//! - **Rows.** Every message has one row number, which is the same in `message` and in the full-text table `words`; every
//!   conversation has one more (`conversation.title_row`) for its title and its draft, which stand in `words` alone. Row numbers are
//!   handed out upwards and never used twice. They say nothing about time: which rows are the newest, `message.at` says.
//! - **Words.** `words` holds no text. It is fed with the stream that [`tokens`](crate::tokens) makes of each field, tokens
//!   with one space between them, so a question must go through the same tokens. The built-in `ascii` tokeniser merely
//!   splits that stream: letters and digits, `_` and everything beyond ASCII belong to a token. What
//!   text goes into which column is said in [`fields`](crate::fields).
//! - **Times** are milliseconds since 1970, or NULL.
//! - **Codes.** Roles, states and kinds are small numbers; [`codes`](crate::codes) translates them.

/// The format of the file. Any change of a table, of the tokens or of what goes into them makes it one higher.
pub const VERSION: i32 = 14;

/// Creates everything in an empty file.
pub(crate) const CREATE: &str = r#"
-- Single facts: `refreshed_at` (milliseconds), the next row number, the names of folders and the like.
CREATE TABLE about (name TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- Every source, by a name under which it is known again in another run. `stamp` is made of the stamps of all its stores.
CREATE TABLE source (name TEXT PRIMARY KEY, stamp INTEGER NOT NULL) WITHOUT ROWID;

-- Every store of every source: how far it was read.
CREATE TABLE store (
    number INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    path BLOB NOT NULL,
    is_editor INTEGER NOT NULL,       -- 1 for databases of the editor, where prompts are stored apart
    stamp INTEGER NOT NULL,           -- 0 if it could not be read
    mark TEXT NOT NULL,               -- means something to its source alone
    UNIQUE (source, path)
);

-- What is wrong with a store as a whole, and with what it has of single conversations, as JSON.
CREATE TABLE finding (
    store INTEGER NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, finding TEXT NOT NULL,
    PRIMARY KEY (store, id, number)
) WITHOUT ROWID;

-- The catalogue: which store has what of which conversation.
CREATE TABLE entry (
    id TEXT NOT NULL,
    store INTEGER NOT NULL,
    kind INTEGER NOT NULL,            -- `codes::code`
    file BLOB NOT NULL,               -- below the store; empty if it is the store itself
    parent TEXT,                      -- for an agent inside of another's store, who started it
    stamp INTEGER NOT NULL,           -- changes with what the store has of the conversation
    heads TEXT NOT NULL,              -- its fragments without messages, as JSON
    PRIMARY KEY (id, store, kind, file)
) WITHOUT ROWID;
CREATE INDEX entry_by_store ON entry (store);

-- What a listing has of each conversation, before children name their parents.
CREATE TABLE head (
    id TEXT PRIMARY KEY,
    summary TEXT NOT NULL,            -- as JSON
    recency INTEGER,                  -- when it last changed, else when it began
    workspace TEXT,                   -- the path, as stored
    told TEXT,                        -- where the summary has none, the workspace that messages told when last read, as JSON
    has_messages INTEGER NOT NULL,    -- as far as the summary says
    findings TEXT,                    -- what merging its heads found, as JSON
    is_prompts INTEGER NOT NULL,      -- 1 for prompts that were stored apart from conversations
    left_over TEXT,                   -- of such prompts: the summary of what no conversation has, or `null`; NULL if unknown
    said TEXT,                        -- what prompts are compared with (`said::Said`), as JSON; NULL if nobody compared any
    is_stale INTEGER NOT NULL,        -- 1 if its messages are not in the tables below, or older ones
    stamp INTEGER NOT NULL            -- changes when anything does that any store has of it
) WITHOUT ROWID;
CREATE INDEX head_by_workspace ON head (workspace);
CREATE INDEX stale_head ON head (id) WHERE is_stale = 1;
CREATE INDEX prompts_head ON head (id) WHERE is_prompts = 1;
CREATE INDEX head_with_findings ON head (id) WHERE findings IS NOT NULL;
-- Conversations without a head whose words may still be in the tables below.
CREATE TABLE gone (id TEXT PRIMARY KEY) WITHOUT ROWID;

-- Names of files (plans, spilled output) that messages of a conversation mention: when such a file changes, it is read
-- again. The ending of plans stands for any plan.
CREATE TABLE mention (name TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (name, id)) WITHOUT ROWID;
CREATE INDEX mention_by_id ON mention (id);

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
    summary TEXT NOT NULL,            -- what a listing has of it, as JSON, before children name their parents
    title TEXT,
    draft TEXT,                       -- what stands in its input box and was never sent
    noted TEXT,                       -- what its record says besides and is searched: to-dos, branches, files; one a line
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
    tokens_cache_read INTEGER, tokens_cache_write INTEGER, tokens_reasoning INTEGER,
    text_bytes INTEGER NOT NULL,      -- how much text of it was indexed
    losses INTEGER NOT NULL,          -- how many findings say that something of it could not be read
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
    state INTEGER NOT NULL,           -- bits of `codes::state`: orphan, deleted, who sent it
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

-- Every word of `words` that is made of letters alone, and about how many rows have it: what a typed word is compared with. What
-- was removed is counted out when much of it was.
CREATE TABLE vocabulary (word TEXT PRIMARY KEY, rows INTEGER NOT NULL) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (
    title, said, thinking, arguments, results, paths, code, attached,
    content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);
"#;
