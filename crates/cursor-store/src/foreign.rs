//! Editors of the same family whose stores look like Cursor's and are not.

use std::path::Path;

/// The product that owns a store by the name of its folder, if it is not Cursor.
pub(crate) fn owner(path: &Path) -> Option<&'static str> {
    path.ancestors().filter_map(|folder| folder.file_name()?.to_str()).find_map(|name| match name {
        "Code" | "Code - Insiders" | "Code - OSS" => Some("VS Code"),
        "VSCodium" | "VSCodium - Insiders" => Some("VSCodium"),
        "Windsurf" | "Windsurf - Next" => Some("Windsurf"),
        "Antigravity" => Some("Antigravity"),
        "Trae" => Some("Trae"),
        "Kiro" => Some("Kiro"),
        _ => None,
    })
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
    }
}
