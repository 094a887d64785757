// Puts a checkpoint behind a message of the editor's store, as the editor would: the message names it, and it tells the file
// by what changed since the text before any edit. Written with the system's Python, which knows SQLite.

import { execFileSync } from "node:child_process";
import { join } from "node:path";

const SCRIPT = `
import json, sqlite3, sys
path, conversation, number, uri, first, kept = sys.argv[1:]
db = sqlite3.connect(path)
read = lambda key: json.loads(db.execute("SELECT value FROM cursorDiskKV WHERE key = ?", (key,)).fetchone()[0])
record = read("composerData:" + conversation)
first, kept = json.loads(first), json.loads(kept)
record["originalFileStates"][uri] = {"content": "\\n".join(first)}
key = "bubbleId:%s:%s" % (conversation, record["fullConversationHeadersOnly"][int(number)]["bubbleId"])
bubble = dict(read(key), afterCheckpointId="kept")
change = {"original": {"startLineNumber": 1, "endLineNumberExclusive": len(first) + 1}, "modified": kept}
checkpoint = {"files": [{"uri": {"$mid": 1, "external": uri, "path": uri[7:], "scheme": "file"}, "originalModelDiffWrtV0": [change]}],
              "nonExistentFiles": [], "newlyCreatedFolders": [], "activeInlineDiffs": []}
with db:
    for key, value in ((key, bubble), ("composerData:" + conversation, record), ("checkpointId:%s:kept" % conversation, checkpoint)):
        db.execute("INSERT OR REPLACE INTO cursorDiskKV (key, value) VALUES (?, ?)", (key, json.dumps(value)))
db.close()
`;

/** Keeps `lines` of the file `uri` behind the message with this number; before any edit it held `first`. */
export function keep(home, conversation, number, uri, first, lines) {
  const store = join(home, ".config/Cursor/User/globalStorage/state.vscdb");
  execFileSync("python3", ["-c", SCRIPT, store, conversation, String(number), uri, JSON.stringify(first), JSON.stringify(lines)]);
}
