//! Editors of the same family whose stores look like Cursor's and are not.

use std::path::Path;

/// The product that owns a store by the folder above `User`, if it is not Cursor. A folder elsewhere in the path may
/// be called anything: many people keep their work in `Code`.
pub(crate) fn owner(path: &Path) -> Option<&'static str> {
    let names: Vec<&str> = path.iter().filter_map(|name| name.to_str()).collect();
    names.windows(2).rev().find(|pair| pair[1] == "User").and_then(|pair| product(pair[0]))
}

/// The product that owns a user-data folder, if it is not Cursor.
pub(crate) fn owner_of_user_data(folder: &Path) -> Option<&'static str> {
    let name = folder.file_name()?.to_str()?;
    product(name).filter(|_| folder.join("User").is_dir())
}

fn product(name: &str) -> Option<&'static str> {
    match name {
        "Code" | "Code - Insiders" | "Code - OSS" | "code-server" => Some("VS Code"),
        "VSCodium" | "VSCodium - Insiders" => Some("VSCodium"),
        "Windsurf" | "Windsurf - Next" => Some("Windsurf"),
        "Antigravity" => Some("Antigravity"),
        "Trae" => Some("Trae"),
        "Kiro" => Some("Kiro"),
        "Void" => Some("Void"),
        "PearAI" => Some("PearAI"),
        "Positron" => Some("Positron"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cousins_are_told_apart_by_their_folder() {
        let of = |path: &str| owner(Path::new(path));
        assert_eq!(of("/h/.config/Code/User/globalStorage/state.vscdb"), Some("VS Code"));
        assert_eq!(of("/h/.config/Windsurf/User"), Some("Windsurf"));
        assert_eq!(of("/h/.config/Cursor/User/globalStorage/state.vscdb"), None);
        assert_eq!(of("/h/Code/backup/state.vscdb"), None);
        assert_eq!(of("/h/Code/User/copies/Cursor/User/globalStorage/state.vscdb"), None);
    }
}
