// Appends a message to a conversation of the editor's store, as the editor would: the message's row, then the record that
// lists it. Written with the system's Python, whose SQLite respects the locks of whoever reads.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

const SCRIPT = `
import json, sqlite3, sys, uuid
path, conversation, text = sys.argv[1:]
db = sqlite3.connect(path)
read = lambda key: json.loads(db.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()[0])
record = read("composerData:" + conversation)
heads = record["fullConversationHeadersOnly"]
last = read("bubbleId:%s:%s" % (conversation, heads[-1]["bubbleId"]))
new = dict(last, bubbleId=str(uuid.uuid4()), type=2, text=text)
for field in ("toolFormerData", "richText", "thinking"):
    new.pop(field, None)
heads.append({"bubbleId": new["bubbleId"], "type": 2})
with db:
    db.execute("INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?, ?)", ("bubbleId:%s:%s" % (conversation, new["bubbleId"]), json.dumps(new)))
    db.execute("INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?, ?)", ("composerData:" + conversation, json.dumps(record)))
db.close()
`;

/** Appends an answer that says `text` to `conversation` in the home at `home`. */
export function append(home, conversation, text) {
  const store = join(home, ".config/Cursor/User/globalStorage/state.vscdb");
  execFileSync("python3", ["-c", SCRIPT, store, conversation, text]);
}

const CHANGE = `
import glob, json, os, sqlite3, sys
path, conversation, change = sys.argv[1:]
db = sqlite3.connect(path)
key = "composerData:" + conversation
record = json.loads(db.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()[0])
# The lists of conversations know it, too.
for file in glob.glob(os.path.dirname(os.path.dirname(path)) + "/*/**/state.vscdb", recursive=True):
    lists = sqlite3.connect(file)
    with lists:
        for name, value in lists.execute("SELECT key, value FROM ItemTable WHERE key LIKE 'composer.%'").fetchall():
            known = json.loads(value)
            heads = known.get("allComposers") if isinstance(known, dict) else None
            if heads is None:
                continue
            if change == "delete":
                known["allComposers"] = [head for head in heads if head["composerId"] != conversation]
            elif change != "take back":
                for head in heads:
                    if head["composerId"] == conversation:
                        head["name"] = change
            lists.execute("UPDATE ItemTable SET value = ? WHERE key = ?", (json.dumps(known), name))
    lists.close()
if change == "delete":
    with db:
        db.execute("DELETE FROM cursorDiskKV WHERE key = ? OR key LIKE ?", (key, "%:" + conversation + ":%"))
else:
    if change == "take back":
        last = record["fullConversationHeadersOnly"].pop()["bubbleId"]
    else:
        record["name"], last = change, ""
    with db:
        db.execute("DELETE FROM cursorDiskKV WHERE key = ?", ("bubbleId:%s:%s" % (conversation, last),))
        db.execute("INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?, ?)", (key, json.dumps(record)))
db.close()
`;

/** Renames `conversation`, or takes its last message back (`take back`), or deletes it (`delete`). */
export function change(home, conversation, what) {
  const store = join(home, ".config/Cursor/User/globalStorage/state.vscdb");
  execFileSync("python3", ["-c", CHANGE, store, conversation, what]);
}
