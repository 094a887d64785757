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
