//! What a command line looks like: in `git rebase -i` and `gcc -Wall` the minus excludes nothing.

/// Commands whose options people paste.
const COMMANDS: &str = " apt awk bash bazel brew bundle bun cargo cat cc chmod chown clang cmake col composer conda cp curl cut date dd \
    deno df diff dig dnf docker dotnet du echo egrep env fd ffmpeg find flutter gcc gdb gem gh git go gradle grep gunzip gzip head helm \
    java javac jq journalctl kill kubectl ld less ln ls lsof make man mkdir mount mv mvn mysql nano nc netstat ninja node npm npx nvim \
    objdump openssl patch perl pgrep php ping pip pip3 pkill pnpm podman poetry ps psql pytest python python3 rg rm rmdir rsync ruby \
    rustc rustup scp screen sed sh sort sqlite3 ssh ssh-keygen strace strings sudo systemctl tail tar tee terraform test tmux top touch tr \
    tsc uniq unzip uv uvicorn valgrind vi vim wc wget which xargs yarn yum zip zsh ";

/// Options of one dash and a whole word.
const LONG_OPTIONS: &str = " cp classpath delete exec file iname jar maxdepth mtime name newer path perm print race size std target type \
    user version ";

/// Whether `word` is a command whose options people paste.
pub(super) fn is_command(word: &str) -> bool {
    COMMANDS.split_ascii_whitespace().any(|known| known == word)
}

/// Whether `word`, behind a minus and a command, is an option: `i`, `rf`, `xzvf`, `Wall`, `O2`, `std=c++17`, `name`.
pub(super) fn is_option(word: &str) -> bool {
    let letters = word.chars().count();
    let is_lower = word.chars().all(|c| c.is_ascii_lowercase());
    let has_vowel = word.contains(['a', 'e', 'i', 'o', 'u']);
    let head = word.split('=').next().unwrap_or_default();
    !is_lower
        || letters <= 2
        || (letters <= 5 && !has_vowel)
        || LONG_OPTIONS.split_ascii_whitespace().any(|known| known == head)
}
